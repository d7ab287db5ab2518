"""What the values of a kernel depend on, from its PTX: gathers, chains of loads, arithmetic on loaded data,
neighbouring words, literals, and the values that are live at once. Standard library only: the child process imports
this module.

Like `addresses`, the search follows all definitions of a register. It follows data, not the predicates that decide
whether an instruction is executed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor.readers.addresses import LoadAddresses
from advisor.readers.order import loops

_NAME = re.compile(r"%[a-z]+\d+")
_ACCESS = re.compile(r"(?:@!?%\w+\s+)?(ld|st)\.(?:volatile\.)?global\.([\w.:]+)\s")
_ADDRESS = re.compile(r"\[(%\w+)(?:\+(-?\d+))?\]")
_WIDTH = re.compile(r"\.?(?:v([248])\.)?[bsuf](8|16|32|64)$")
_FLOAT = re.compile(r"\.(f16x2|f16|bf16|bf16x2|f32|f64)$")
_ARITHMETIC = frozenset(
    ("add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh")
)
_OPERATION = re.compile(r"\b(?:fma|mul|add)\.(?:r[nzmp]\.)?(?:ftz\.)?f(?:32|64)\s")
_LITERAL = re.compile(r"\b0[fd][0-9A-Fa-f]{8,16}\b")
_LABEL = re.compile(r"\s*([$\w]+):")
_BRANCH = re.compile(r"\s*(?:@!?(%\w+)\s+)?(bra(?:\.uni)?|ret|exit|trap|brx\.idx)\b\s*([$\w]*)")
_STATEMENT = re.compile(r"\s*(?:@!?(%\w+)\s+)?([a-z][\w.:]*)\s*(.*)", re.DOTALL)
_NO_RESULT = re.compile(r"(st|red|bar|barrier|membar|fence|prefetch|bra|ret|exit|trap|cp)\b")
_POINTER = re.compile(r"ld\.param\.[bsu]64\b")
# What ends a series of statements in which the compiler may move loads and stores, but for what they access.
_ENDS_SERIES = re.compile(r"\s*(?:@!?%\w+\s+)?(?:bra|brx|ret|exit|call|bar|barrier|membar|fence|atom|red)\b|\s*[$\w]+:")
_PERIODIC = frozenset(("sin", "cos", "ex2"))
_LINEAR = frozenset(("add", "sub", "mov", "cvt", "neg", "shl", "cvta"))
_COUNTING = frozenset(("add", "sub", "mov"))
_CONVERTING = frozenset(("mov", "cvt"))
_DEEPEST = 200  # steps from a function back to what its argument is computed from
# A kernel with more definitions than this is not analysed: the time would be noticed.
_MOST = 8000


class Flow:
    """The dependences of one kernel. written: register -> (predicate, opcode, other operands) of its definitions."""

    def __init__(self, written: Mapping[str, Sequence[tuple[str, str, str]]]) -> None:
        self._written = written
        self._uses: dict[str, frozenset[str]] = {}
        self._arguments: dict[str, frozenset[str]] = {}
        self._cyclic: set[str] = set()
        self._degrees: dict[str, int] = {}
        # Tarjan's numbers; a register that has one is done.
        self._number: dict[str, int] = {}
        self._low: dict[str, int] = {}

    def uses(self, name: str) -> frozenset[str]:
        """Return the registers from which a register is computed."""
        if name not in self._uses:
            found = self._written.get(name, ())
            self._uses[name] = frozenset(used for _, _, rest in found for used in _NAME.findall(rest))
        return self._uses[name]

    def is_loaded(self, name: str) -> bool:
        """Whether a load from memory writes a register."""
        return any(map(_from_memory, self._written.get(name, ())))

    def returns_loaded(self, name: str) -> bool:
        """Whether a register has what a load returned, as it is or converted to another type."""
        return any(map(self.is_loaded, self._reached(name, self._is_converted)))

    def _is_converted(self, name: str) -> bool:
        return any(opcode.partition(".")[0] in _CONVERTING for _, opcode, _ in self._written.get(name, ()))

    def _reached(self, start: str, follows: Callable[[str], bool]) -> Iterator[str]:
        """Yield a register and those from which it is computed, through the registers that `follows` holds for."""
        todo, seen = [start], {start}
        while todo:
            at = todo.pop()
            yield at
            if follows(at):
                fresh = self.uses(at) - seen
                seen |= fresh
                todo += fresh

    def is_cyclic(self, name: str) -> bool:
        """Whether a value depends on its own earlier value, as counters, sums and the links of a list do."""
        if name not in self._number:
            self._search(name)
        return name in self._cyclic

    def gathers(self, address: str) -> bool:
        """Whether an address comes from a loaded index, without a counter between them (that is a row or a list)."""
        reached = self._reached(address, lambda at: not self.is_cyclic(at))
        return any(self.is_loaded(at) and not self.is_cyclic(at) for at in reached)

    def advances(self, address: str) -> bool:
        """Whether an address is computed from a value that changes in a loop, such as a counter."""
        return any(map(self.is_cyclic, self._reached(address, lambda _: True)))

    def depends_on(self, address: str, results: Iterable[str]) -> bool:
        """Whether an address is computed from one of these registers."""
        wanted = set(results) - {address}
        return any(self.uses(at) & wanted for at in self._reached(address, lambda _: True))

    def arguments(self, address: str) -> frozenset[str]:
        """Return the 64-bit arguments of the kernel, pointers and sizes, from which an address is computed."""
        if address not in self._arguments:
            todo, seen, out = [address], {address}, set[str]()
            while todo:
                at = todo.pop()
                if at in self._arguments:
                    out |= self._arguments[at]
                    continue
                out.update(rest for _, opcode, rest in self._written.get(at, ()) if _POINTER.match(opcode))
                fresh = self.uses(at) - seen
                seen |= fresh
                todo += fresh
            self._arguments[address] = frozenset(out)
        return self._arguments[address]

    def arithmetic(self) -> tuple[int, int]:
        """Return the numbers of floating-point operations in the code: all, and those on loaded data."""
        readers: dict[str, list[str]] = {}
        for name in self._written:
            for used in self.uses(name):
                readers.setdefault(used, []).append(name)
        todo = [name for name in self._written if self.is_loaded(name)]
        touched = set(todo)
        while todo:
            fresh = [name for name in readers.get(todo.pop(), ()) if name not in touched]
            touched.update(fresh)
            todo += fresh
        total = loaded = 0
        for found in self._written.values():
            for _, opcode, rest in found:
                if opcode.partition(".")[0] in _ARITHMETIC and _FLOAT.search(opcode):
                    total += 1
                    loaded += any(name in touched for name in _NAME.findall(rest))
        return total, loaded

    def loaded_pairs(self) -> tuple[int, int]:
        """Return the numbers of multiply-adds in the code: all, and those that multiply two loaded values."""
        total = pairs = 0
        for found in self._written.values():
            for _, opcode, rest in found:
                if opcode.partition(".")[0] in ("fma", "mad") and _FLOAT.search(opcode):
                    total += 1
                    factors = [part.strip() for part in rest.split(",") if part.strip()][:2]
                    pairs += len(set(factors)) == 2 and all(map(self.returns_loaded, factors))
        return total, pairs

    def stepped_functions(self) -> tuple[int, int]:
        """Return the numbers of sines, cosines and exponentials in the code: all, and those of a stepped argument.

        Such an argument changes by a constant amount in each round of a loop: it is linear in a counter.
        """
        total = stepped = 0
        for found in self._written.values():
            for _, opcode, rest in found:
                if opcode.partition(".")[0] in _PERIODIC:
                    total += 1
                    stepped += any(self._degree(name, 0) == 1 for name in _NAME.findall(rest))
        return total, stepped

    def _degree(self, name: str, depth: int) -> int:
        """Return how a value changes in a loop: 0 not at all, 1 linearly with a counter, 2 otherwise or unknown."""
        if name not in self._degrees:
            self._degrees[name] = 2  # while it is being found, and beyond the deepest search
            if self.is_cyclic(name):
                self._degrees[name] = 1 if self._counts(name) else 2
            elif depth < _DEEPEST:
                self._degrees[name] = max(
                    (self._result_degree(opcode, rest, depth + 1) for _, opcode, rest in self._written.get(name, ())),
                    default=0,
                )
        return self._degrees[name]

    def _result_degree(self, opcode: str, rest: str, depth: int) -> int:
        stem = opcode.partition(".")[0]
        parts = [
            max((self._degree(name, depth) for name in _NAME.findall(part)), default=0)
            for part in rest.split(",")
            if part.strip()
        ]
        if stem in ("mul", "fma", "mad") and len(parts) > 1:
            return min(2, max([parts[0] + parts[1], *parts[2:]]))
        if stem in _LINEAR or max(parts, default=0) == 0:
            return max(parts, default=0)
        return 2

    def _counts(self, name: str) -> bool:
        """Whether a cyclic value is a counter: in its cycle only constants and invariants are added to it."""
        todo, seen = [name], {name}
        while todo:
            for _, opcode, rest in self._written.get(todo.pop(), ()):
                names = _NAME.findall(rest)
                own = [used for used in names if self.is_cyclic(used)]
                if own and (opcode.partition(".")[0] not in _COUNTING or len(own) > 1):
                    return False
                fresh = set(own) - seen
                seen |= fresh
                todo += fresh
        return True

    def copies_of_loaded(self, name: str) -> set[str]:
        """Return the loaded registers that a register is, or is a copy of."""
        out, todo, seen = set[str](), [name], {name}
        while todo:
            at = todo.pop()
            if self.is_loaded(at):
                out.add(at)
            for _, opcode, rest in self._written.get(at, ()):
                if opcode.partition(".")[0] == "mov":
                    fresh = set(_NAME.findall(rest)) - seen
                    seen |= fresh
                    todo += fresh
        return out

    def _search(self, root: str) -> None:
        """Mark the cyclic registers among those that `root` depends on (Tarjan's strongly connected components)."""
        number, low = self._number, self._low
        stack, work = [root], [(root, iter(self.uses(root)))]
        waiting = {root}
        number[root] = low[root] = len(number)
        while work:
            name, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    waiting.add(other)
                    work.append((other, iter(self.uses(other))))
                    break
                if other in waiting:
                    low[name] = min(low[name], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == number[name]:
                    at = stack.index(name)
                    group = stack[at:]
                    del stack[at:]
                    waiting.difference_update(group)
                    if len(group) > 1 or name in self.uses(name):
                        self._cyclic.update(group)


def _from_memory(definition: tuple[str, str, str]) -> bool:
    parts = definition[1].split(".")
    return parts[0] in ("ld", "ldu", "tex", "atom") and not {"param", "const"}.intersection(parts)


def runs(accesses: Iterable[tuple[int, str, str, int, int]]) -> dict[int, int]:
    """Return key -> length of the run of neighbouring words that an access belongs to.

    accesses: key, kind (ld or st), base register, offset and size in bytes.
    """
    by_base: dict[tuple[str, str, int], dict[int, list[int]]] = {}
    for key, kind, base, offset, size in accesses:
        by_base.setdefault((kind, base, size), {}).setdefault(offset, []).append(key)
    out: dict[int, int] = {}
    for (_, _, size), places in by_base.items():
        run: list[int] = []
        for offset in sorted(places):
            run = [*run, offset] if run and offset == run[-1] + size else [offset]
            if offset + size not in places:
                out.update((key, len(run)) for at in run for key in places[at])
    return out


def live_words(lines: Iterable[str]) -> int:
    """Return the most 32-bit words of data registers (not predicates, not 64-bit addresses) that are live at once."""
    blocks: list[tuple[list[tuple[int, int, bool]], list[str], bool]] = []  # statements, branch targets, falls through
    labels: dict[str, int] = {}
    bit: dict[str, int] = {}

    def mask(names: Iterable[str]) -> int:
        out = 0
        for name in names:
            if name[1:2] in "rf" and not name.startswith("%rd"):
                out |= 1 << bit.setdefault(name, len(bit))
        return out

    statements: list[tuple[int, int, bool]] = []
    for line in lines:
        text = line.partition("//")[0]
        if label := _LABEL.match(text):
            if statements:
                blocks.append((statements, [], True))
                statements = []
            labels[label[1]] = len(blocks)
            text = text[label.end() :]
        if branch := _BRANCH.match(text):
            statements.append((0, 0, False))
            blocks.append((statements, [branch[3]] if branch[3] else [], bool(branch[1])))
            statements = []
        elif (found := _STATEMENT.match(text)) and "%" in text and not text.lstrip().startswith("."):
            predicate, opcode, operands = found.groups()
            end = operands.find("}") + 1 if operands.startswith("{") else operands.find(",")
            result = "" if _NO_RESULT.match(opcode) else operands[:end] if end > 0 else operands
            sets = mask(_NAME.findall(result)) if "[" not in result else 0
            uses = mask(_NAME.findall(operands[len(result) :]))
            statements.append((sets, uses, bool(predicate)))
    blocks.append((statements, [], False))
    after = [
        [labels[name] for name in targets if name in labels] + ([n + 1] if falls else [])
        for n, (_, targets, falls) in enumerate(blocks)
    ]
    ins = [0] * (len(blocks) + 1)

    def walk(n: int, most: int, wide: int) -> tuple[int, int]:
        live = 0
        for goal in after[n]:
            live |= ins[goal]
        for sets, uses, may in reversed(blocks[n][0]):
            if wide >= 0:
                most = max(most, live.bit_count() + (live & wide).bit_count())
            live = (live if may else live & ~sets) | uses
        return live, most

    changed = True
    while changed:
        changed = False
        for n in range(len(blocks) - 1, -1, -1):
            live, _ = walk(n, 0, -1)
            if live != ins[n]:
                ins[n], changed = live, True
    wide = mask(name for name in bit if name.startswith("%fd"))
    most = 0
    for n in range(len(blocks)):
        _, most = walk(n, most, wide)
    return most


class Facts:
    """What the PTX of a launch tells about its instructions, by program counter."""

    def __init__(self, loads: LoadAddresses, ptx: Sequence[str], line: Callable[[int], int]) -> None:
        """Take the PTX, and what finds the line (from 1; 0 if unknown) of a program counter."""
        self._loads, self._ptx, self._line = loads, ptx, line
        self._flows: dict[int, Flow | None] = {}
        self._ends: list[int] | None = None

    def axes(self, pc: int) -> str | None:
        """Return the grid axes that the address of a load may depend on; None if it is unknown."""
        return self._loads.axes(self._line(pc))

    def guards(self, pc: int) -> str:
        """Return the grid axes that decide which threads of the kernel end early."""
        return self._loads.guards(self._line(pc))

    def updated(self, pc: int) -> str | None:
        """Return the grid axes that the address of an atomic may depend on; None if it is unknown."""
        return self._loads.updated(self._line(pc))

    def flow(self, pc: int) -> Flow | None:
        """Return the dependences of the kernel; None if it is unknown, calls functions or is too large."""
        line = self._line(pc)
        span = self._loads.span(line)
        if span is None:
            return None
        if span[0] not in self._flows:
            function = self._loads.function_at(line)
            usable = function is not None and not function.calls and len(function.written) <= _MOST
            self._flows[span[0]] = Flow(function.written) if usable and function is not None else None
        return self._flows[span[0]]

    def access(self, pc: int) -> tuple[str, str, int, int] | None:
        """Return kind (ld or st), base register, offset and size of the global access at a program counter."""
        text = self._loads.text(self._line(pc))
        found, address = _ACCESS.match(text), _ADDRESS.search(text)
        if found is None or address is None or (width := _WIDTH.search("." + found[2])) is None:
            return None
        return found[1], address[1], int(address[2] or 0), int(width[1] or 1) * int(width[2]) // 8

    def results(self, pc: int) -> list[str]:
        """Return the registers that the load at a program counter writes."""
        return _NAME.findall(self._loads.text(self._line(pc)).partition("[")[0].partition(" ")[2])

    def statement(self, pc: int) -> tuple[int, str]:
        """Return the line (from 1; 0 if unknown) of the PTX at a program counter, and its text."""
        line = self._line(pc)
        return line, self._loads.text(line)

    def series(self, line: int) -> int:
        """Return the number of the series of statements, without labels, branches, barriers and fences, of a line."""
        if self._ends is None:
            self._ends = [at for at, text in enumerate(self._ptx, 1) if _ENDS_SERIES.match(text)]
        return bisect_left(self._ends, line)

    def loops(self, pc: int) -> list[tuple[int, int, frozenset[str]]]:
        """Return the loops of the kernel: first and last line (from 1), and the predicates that end them."""
        span = self._loads.span(self._line(pc))
        return [] if span is None else loops(self._ptx, *span)

    def literals(self, pc: int) -> float | None:
        """Return the floating-point literals in the code per multiply-add, product or sum; at most 1."""
        span = self._loads.span(self._line(pc))
        if span is None:
            return None
        text = "\n".join(self._ptx[span[0] : span[1]])
        operations = len(_OPERATION.findall(text))
        return min(1.0, len(_LITERAL.findall(text)) / operations) if operations else None

    def live_words(self, pc: int) -> int | None:
        """Return `live_words` of the kernel; None if it is unknown or too large."""
        span = self._loads.span(self._line(pc))
        if span is None or span[1] - span[0] > 4 * _MOST:
            return None
        return live_words(self._ptx[span[0] : span[1]])
