"""Process neighbouring elements per thread in a grid-stride loop, with vector loads and stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.loops import Counting, counting, jumps, orders
from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Declared, Edit, Source, bare, field, inside, is_written, walk, whole_access
from advisor.patches.types import SIZES, VECTORS, clean, is_global_index, is_grid_size

if TYPE_CHECKING:
    from tree_sitter import Node

_MEMBERS = "xyzw"


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each loop over all elements whose accesses all have the loop's variable as index."""
    for loop in walk(cause.kernel.body, "for_statement"):
        one = counting(source, loop)
        if one is None or one.step is None or one.down or one.comparison != "<":
            continue
        if not is_global_index(source, one.first) or not is_grid_size(source, one.step):
            continue
        line = source.line(loop)
        if jumps(one.body) or any(True for _ in walk(one.body, "for_statement", "while_statement")):
            yield Unsuited(line, "the loop has jumps or loops in it")
            continue
        if orders(source, one.body):
            yield Unsuited(line, "the loop has barriers, fences, atomics or warp functions in it")
            continue
        accesses, reason = _accesses(source, one)
        if reason:
            yield Unsuited(line, reason)
            continue
        if not accesses:
            continue
        width = min(VECTORS[kind][1] for _, _, kind, _ in accesses)
        if any(VECTORS[kind][1] != width for _, _, kind, _ in accesses):
            yield Unsuited(line, "elements of different widths")
            continue
        numbers = {
            i for i, p in enumerate(cause.kernel.parameters) if any(p == declared for _, declared, _, _ in accesses)
        }
        if numbers & cause.aliased and any(written for *_, written in accesses):
            yield Unsuited(line, "two of the pointers are the same array")
            continue
        yield Proposal(
            line, (_patched(source, one, accesses, width),), f"a thread processes {width} neighbouring elements"
        )


_Access = tuple["Node", Declared, str, bool]


def _accesses(source: Source, one: Counting) -> tuple[list[_Access], str]:
    """Return the accesses of the body, or why the loop is unsuited."""
    out: list[_Access] = []
    for base in walk(one.body, "identifier"):
        access, indices = whole_access(base)
        declared = source.declaration_of(base)
        if declared is None or inside(declared.node, one.loop) or not (declared.pointers or declared.is_array):
            continue
        kind = clean(declared.type)
        if declared.is_array or not indices:
            if declared.pointers and not indices:
                return [], f"{source.at(base)} is used without an index"
            continue
        index = bare(indices[0])
        if index.type != "identifier" or source.at(index) != one.name:
            if is_written(access):
                return [], f"{source.at(access)} is written at another place"
            continue
        if kind not in VECTORS or declared.pointers != 1 or "volatile" in declared.qualifiers:
            return [], f"elements of {source.at(base)} are {kind}"
        out.append((access, declared, kind, is_written(access)))
    written = {source.at(d.name) for _, d, _, w in out if w}
    plain = [n for n in walk(one.body, "identifier") if source.at(n) in written and not whole_access(n)[1]]
    if plain:
        return [], "a written array is used otherwise too"
    return out, ""


def _patched(source: Source, one: Counting, accesses: list[_Access], width: int) -> Edit:
    indent = source.indent(one.loop)
    bases = list(dict.fromkeys(source.at(d.name) for _, d, _, _ in accesses))
    fresh = source.fresh("quads", "quad", *(f"{base}_{width}" for base in bases))
    count, number, vectors = fresh[0], fresh[1], dict(zip(bases, fresh[2:], strict=True))
    loads, stores, tests = [], [], []
    for base in bases:
        rows = [(a, d, k, w) for a, d, k, w in accesses if source.at(d.name) == base]
        kind, vector = rows[0][2], VECTORS[rows[0][2]][0]
        written = any(w for *_, w in rows)
        reads = any(not w for *_, w in rows) or any(_compound(a) for a, *_ in rows)
        constant = "" if written else "const "
        place = f"reinterpret_cast<{'const ' if not written else ''}{vector}*>({base})[{number}]"
        loads.append(f"{constant}{vector} {vectors[base]}{f' = {place}' if reads else ''};")
        if written:
            stores.append(f"{place} = {vectors[base]};")
        tests.append(f"(reinterpret_cast<size_t>({base}) & {width * SIZES[kind] - 1}) == 0")
    body = []
    for turn in range(width):
        parts = [(a, f"{vectors[source.at(d.name)]}.{_MEMBERS[turn]}") for a, d, _, _ in accesses]
        now = f"({width} * {number} + {turn})"
        parts += [(n, now) for n in walk(one.body, "identifier") if source.at(n) == one.name]
        text = source.rewrite(one.body, parts).strip()
        body.append(" ".join(row.split("//")[0].strip() for row in text.splitlines()))
    bound, first, step = source.at(one.bound), source.at(one.first), source.at(one.step or one.bound)
    pragma = source.pragma_before(one.loop)
    start = pragma[0] if pragma is not None else one.loop.start_byte
    head = f"{pragma[2]}\n{indent}  " if pragma is not None else ""
    lines = [
        "{",
        f"  const {one.type} {count} = {' && '.join(tests)} ? ({bound}) / {width} : 0;",
        f"  {head}for ({one.type} {number} = {first}; {number} < {count}; {number} += {step}) {{",
        *(f"    {row}" for row in (*loads, *body, *stores)),
        "  }",
        f"  for ({one.type} {one.name} = {first} + {width} * {count}; {one.name} < {bound}; {one.name} += {step}) "
        + source.at(one.body).strip().replace("\n", "\n  "),
        "}",
    ]
    return Edit(start, one.loop.end_byte, f"\n{indent}".join(lines))


def _compound(access: Node) -> bool:
    parent = access.parent
    return parent is not None and (
        parent.type == "update_expression"
        or (parent.type == "assignment_expression" and field(parent, "operator").type != "=")
    )
