"""Find the instructions whose results decide what is counted: addresses, predicates and branches.

Counting needs no other results. If no load from global memory is among them, the counts do not depend on the contents
of the inputs, and these need not exist. A backward dataflow analysis over all paths, in which calls return to every
instruction after a call and indirect branches go to every target in the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.emulator.build import Build, Register
from advisor.emulator.program import INSTRUCTION_BYTES, Program

_FIRST = {"R": 0, "P": 256, "UR": 272, "UP": 528, "B": 544}


@dataclass(frozen=True, slots=True)
class Relevance:
    """needed: indices of the instructions whose results decide counts; inputs: whether global memory's content does.

    order: whether the result of an atomic operation does, which depends on the order in which warps run; tickets:
    whether one of global memory does, which depends on the order of blocks.
    """

    needed: frozenset[int]
    inputs: bool
    order: bool = False
    tickets: bool = False


def _bits(registers: set[Register]) -> int:
    out = 0
    for kind, index in registers:
        out |= 1 << (_FIRST[kind] + index)
    return out


def _spaces_of(name: str) -> frozenset[str]:
    """Return the spaces that a load or store may access: '' none, generic any."""
    if name == "generic":
        return frozenset(("global", "shared", "local"))
    return frozenset((name,)) if name else frozenset()


def relevance(program: Program, builds: list[Build]) -> Relevance:
    """Return what counting the program needs; `builds` are those of its instructions."""
    code, following = program.code, successors(program)
    uses = [_bits(b.uses) for b in builds]
    data = [_bits(b.data) for b in builds]
    defs = [_bits(b.defs) for b in builds]
    count = len(code)
    spaces: set[str] = set()
    writes = [_spaces_of(b.writes) for b in builds]
    while True:
        live = [0] * count
        needed = [False] * count
        changed = True
        while changed:
            changed = False
            for i in range(count - 1, -1, -1):
                out = 0
                for j in following[i]:
                    out |= live[j]
                b = builds[i]
                relevant = bool(defs[i] & out) or bool(writes[i] & spaces) or (b.control and b.ins.opcode != "EXIT")
                now = out
                if relevant and code[i].guard is None:
                    now &= ~defs[i]
                now |= uses[i]
                if relevant:
                    now |= data[i]
                needed[i] = relevant
                if now != live[i]:
                    live[i], changed = now, True
        read = {s for i in range(count) if needed[i] for s in _spaces_of(builds[i].reads)}
        if read <= spaces:
            break
        spaces |= read
    inputs = any(needed[i] and builds[i].reads in ("global", "read-only", "generic") for i in range(count))
    decisive = {code[i].opcode for i in range(count) if needed[i] and builds[i].defs} & {"ATOM", "ATOMG", "ATOMS"}
    chosen = frozenset(i for i in range(count) if needed[i])
    return Relevance(chosen, inputs, bool(decisive), bool(decisive - {"ATOMS"}))


def successors(program: Program) -> list[tuple[int, ...]]:
    """Return the indices of the instructions that can follow each instruction."""
    code = program.code
    count = len(code)

    def target(i: int) -> int | None:
        last = code[i].operands[-1] if code[i].operands else None
        if last is None or last.kind != "number":
            return None
        place = (int(last.text, 0) - program.base) // INSTRUCTION_BYTES
        return place if 0 <= place < count else None

    targets = {
        t for i in range(count) if code[i].opcode in ("BRA", "JMP", "CALL", "BSSY") and (t := target(i)) is not None
    }
    starts = tuple(
        sorted(targets | {i + 1 for i in range(count - 1) if code[i].opcode in ("BRA", "BRX", "EXIT", "RET", "BSYNC")})
    )
    returns = tuple(i + 1 for i in range(count - 1) if code[i].opcode == "CALL")
    out: list[tuple[int, ...]] = []
    for i in range(count):
        one = code[i]
        then = (i + 1,) if i + 1 < count else ()
        conditional = one.guard is not None or any(o.kind in ("P", "UP") for o in one.operands)
        if one.opcode in ("BRA", "JMP", "CALL"):
            if "ABS" in one.modifiers:  # a function of the driver
                out.append(then)
                continue
            place = target(i) if one.operands[0].kind != "R" else None
            found = (place,) if place is not None else starts
            always = not conditional and "DIV" not in one.modifiers and "CONV" not in one.modifiers
            out.append(found if always else found + then)
        elif one.opcode == "BRX":
            out.append(starts + (then if one.guard is not None else ()))
        elif one.opcode == "RET":
            out.append(returns + (then if one.guard is not None else ()))
        elif one.opcode == "EXIT" and not conditional:
            out.append(())
        else:
            out.append(then)
    return out
