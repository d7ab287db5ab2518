"""Parse the launch lines of a `.cu` file, which the learner can see and change.

    // launch: transpose<<<(n / 32, n / 32), (32, 8), 0>>>(in, out, n)
    // constant: weights = table

A launch line is read as data: grid, block and the optional dynamic shared memory in bytes are formulas of the
catalogue's grammar (+ - * /, min, max, floor, ceil) over the case's sizes, `sms`, `shared_per_block`, `shared_per_sm`
and, in grid and shared memory, `block`, the threads of a block. Arguments are names of arrays, sizes or scalars of the
case, or whole numbers.
Each line is one launch; they run in order. A constant line copies an array of the case into a `__constant__` symbol.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.knowledge.expressions import ExpressionError, parse
from advisor.records.errors import UsageError

_LINE = re.compile(r"^\s*//\s*(launch|constant)\s*:\s*(.*)$")
_LAUNCH = re.compile(r"\s*([A-Za-z_]\w*)\s*<<<(.*)>>>\s*\(([^()]*)\)\s*\Z")
_CONSTANT = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([A-Za-z_]\w*)\s*\Z")
MAX_THREADS = 1024
MAX_GRID = (2**31 - 1, 65535, 65535)


@dataclass(frozen=True, slots=True)
class LaunchLine:
    """One launch line: formulas for grid and block (up to three each) and shared memory in bytes."""

    kernel: str
    grid: tuple[str, ...]
    block: tuple[str, ...]
    shared: str
    args: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class ConstantLine:
    """A `__constant__` symbol and the array of the case that is copied to it."""

    symbol: str
    array: str
    line: int


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers of a launch: blocks, threads, dynamic shared memory in bytes."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int


def _split(text: str) -> list[str]:
    """Split a text at the commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in (*parts, text[start:])]


def _dimensions(text: str) -> tuple[str, ...]:
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")") and len(_split(inner[1:-1])) > 1:
        return tuple(_split(inner[1:-1]))
    return (inner,)


def read_lines(source: str, name: str) -> tuple[tuple[LaunchLine, ...], tuple[ConstantLine, ...]]:
    """Parse the launch and constant lines of a source. Raises UsageError with file and line of the first mistake."""
    launches: list[LaunchLine] = []
    constants: list[ConstantLine] = []
    for number, row in enumerate(source.splitlines(), 1):
        found = _LINE.match(row)
        if found is None:
            continue
        kind, rest = found.groups()
        where = f"{name}:{number}"
        if kind == "constant":
            pair = _CONSTANT.match(rest)
            if pair is None:
                raise UsageError(f"{where}: write a constant line as `// constant: symbol = array`")
            constants.append(ConstantLine(pair[1], pair[2], number))
            continue
        launch = _LAUNCH.match(rest)
        parts = _split(launch[2]) if launch is not None else []
        if launch is None or len(parts) not in (2, 3):
            raise UsageError(f"{where}: write a launch line as `// launch: kernel<<<grid, block, shared>>>(arguments)`")
        grid, block = _dimensions(parts[0]), _dimensions(parts[1])
        if len(grid) > 3 or len(block) > 3:
            raise UsageError(f"{where}: a grid or block has up to three dimensions")
        for formula in (*grid, *block, *parts[2:]):
            try:
                parse(formula)
            except ExpressionError as e:
                raise UsageError(f"{where}: {e}") from None
        args = tuple(a.strip() for a in launch[3].split(",") if a.strip())
        launches.append(LaunchLine(launch[1], grid, block, parts[2] if len(parts) == 3 else "0", args, number))
    if not launches:
        raise UsageError(
            f"{name}: no launch line: write one such as `// launch: kernel<<<ceil(n / 256), 256>>>(x, y, n)`"
        )
    return tuple(launches), tuple(constants)


def shape(line: LaunchLine, values: Mapping[str, float], name: str, block: int | None = None) -> Shape:
    """Calculate grid, block and shared memory; `block` overrides a one-dimensional block (for a sweep).

    Raises UsageError with file and line if a formula does not give a whole number in the hardware's range.
    """
    where = f"{name}:{line.line}"

    def whole(formula: str, what: str, known: Mapping[str, float], low: int, high: int) -> int:
        unknown = parse(formula).names - set(known)
        if unknown:
            raise UsageError(f"{where}: {min(unknown)!r} is unknown; known: {', '.join(sorted(known))}")
        value = parse(formula).scalar(known)
        if not math.isfinite(value) or value != int(value):
            raise UsageError(f"{where}: {what} {formula} = {value:g} is not a whole number: use ceil() or floor()")
        if not low <= value <= high:
            raise UsageError(f"{where}: {what} {formula} = {value:g} is not between {low} and {high}")
        return int(value)

    threads = [whole(f, "block", values, 1, MAX_THREADS) for f in line.block]
    if block is not None and len(threads) == 1:
        threads = [block]
    count = 1
    for t in threads:
        count *= t
    if count > MAX_THREADS:
        raise UsageError(f"{where}: a block of {count} threads: the limit is {MAX_THREADS}")
    known = {**values, "block": float(count)}
    blocks = [whole(f, "grid", known, 1, high) for f, high in zip(line.grid, MAX_GRID, strict=False)]
    shared = whole(line.shared, "shared memory", known, 0, 1 << 20)
    gx, gy, gz = (*blocks, 1, 1)[:3]
    bx, by, bz = (*threads, 1, 1)[:3]
    return Shape((gx, gy, gz), (bx, by, bz), shared)
