"""What the index of an access costs over the warps of a block, and what would change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from advisor.hardware import lanes
from advisor.hardware.access_patterns import SECTOR, Addresses, banks_of, coalescing_of
from advisor.hardware.lanes import access
from advisor.records.errors import UsageError

_PADS = (1, 2, 3, 4)
_ROW = 128  # bytes of a row of banks, where no row is given and none shows


@dataclass(frozen=True)
class Change:
    """Another form of the access: kind (shift, exchange, pad, swizzle), by how much, and its cost a warp."""

    kind: str
    by: int
    cost: float


@dataclass(frozen=True)
class Simulated:
    """An access of a block: its byte addresses warp by warp, and what they cost.

    size: bytes of an element, width: of a lane's access, offset: of element 0. costs and ideals: sectors or wavefronts
    of each warp that has an active lane; drawn: the first of the most expensive warps; row: elements of a row that pads
    and swizzles go by (0: none was tried); changes: what would cost less, the cheapest first.
    """

    expression: str
    where: str
    block: lanes.Block
    size: int
    width: int
    offset: int
    parameters: Mapping[str, int]
    warps: tuple[Addresses, ...]
    costs: tuple[int, ...]
    ideals: tuple[int, ...]
    drawn: int
    row: int
    changes: tuple[Change, ...]

    @property
    def average(self) -> float:
        """Cost of a warp."""
        return sum(self.costs) / len(self.costs)

    @property
    def ideal(self) -> float:
        """Ideal cost of a warp."""
        return sum(self.ideals) / len(self.ideals)


@dataclass(frozen=True)
class Asked:
    """The request for a simulation, see `Simulated`.

    vector: elements of a lane; row: elements of a row of the array, or 0.
    """

    expression: str
    dtype: str = "float"
    vector: int = 1
    block: str = "256"
    offset: int = 0
    where: str = ""
    row: int = 0


def coalescing(asked: Asked, parameters: Mapping[str, int]) -> Simulated:
    """Sectors per request of a global access; UsageError for what cannot be."""

    def cost(warp: Addresses, width: int) -> tuple[int, int]:
        found = coalescing_of(warp, width)
        return found.sectors, found.ideal

    def changes(rows: list[list[int | None]], base: Simulated) -> list[Change]:
        out = []
        for shift in range(base.width, SECTOR, base.width):
            moved = [[None if at is None else at + shift for at in warp] for warp in base.warps]
            out.append(Change("shift", shift, _average(moved, base.width, cost)))
        formula = lanes.index(asked.expression)
        if {"tid_x", "tid_y"} & formula.names and base.block.y > 1:
            where = lanes.condition(asked.where) if asked.where else None
            other = lanes.warps(formula.exchanged(), where, base.block, parameters)
            if moved := [
                warp for warp in _addresses(other, base.size, base.offset) if any(a is not None for a in warp)
            ]:
                out.append(Change("exchange", 0, _average(moved, base.width, cost)))
        return out

    return _simulated(asked, parameters, cost, changes)


def banks(asked: Asked, parameters: Mapping[str, int]) -> Simulated:
    """Wavefronts of a shared access, pads and a swizzle tried; UsageError for what cannot be."""

    def cost(warp: Addresses, width: int) -> tuple[int, int]:
        found = banks_of(warp, width)
        return found.wavefronts, found.ideal

    def changes(rows: list[list[int | None]], base: Simulated) -> list[Change]:
        indices = [warp for warp in rows if any(i is not None for i in warp)]
        if any(i is not None and i < 0 for warp in indices for i in warp):
            raise UsageError("the index is negative for some lanes: a shared array begins at 0")
        row, wide = base.row, base.width // base.size
        # Pads that would break the alignment of wide accesses are left out.
        forms: list[tuple[str, int, Callable[[int], int]]] = [
            ("pad", pad, partial(_padded, row, pad)) for pad in _PADS if pad % wide == 0
        ]
        chunks = row // wide
        if chunks > 1 and row % wide == 0 and chunks & (chunks - 1) == 0:
            forms.append(("swizzle", chunks, partial(_swizzled, row, chunks, wide)))
        out = []
        for kind, by, form in forms:
            moved = [[None if i is None else form(i) * base.size + base.offset for i in warp] for warp in indices]
            out.append(Change(kind, by, _average(moved, base.width, cost)))
        return out

    return _simulated(asked, parameters, cost, changes)


def _padded(row: int, pad: int, index: int) -> int:
    return index + index // row * pad


def _swizzled(row: int, chunks: int, wide: int, index: int) -> int:
    return index ^ (index // row % chunks * wide)


def _simulated(
    asked: Asked,
    parameters: Mapping[str, int],
    cost: Callable[[Addresses, int], tuple[int, int]],
    changes: Callable[[list[list[int | None]], Simulated], list[Change]],
) -> Simulated:
    size, width = access(asked.dtype, asked.vector)
    shape = lanes.block(asked.block)
    formula = lanes.index(asked.expression)
    where = lanes.condition(asked.where) if asked.where else None
    rows = lanes.warps(formula, where, shape, parameters)
    every = _addresses(rows, size, asked.offset)
    warps = tuple(warp for warp in every if any(at is not None for at in warp))
    if not warps:
        raise UsageError(f"no lane of the block is active: {asked.where!r} holds for none")
    for warp in warps:
        for lane, at in enumerate(warp):
            if at is not None and at % width:
                raise UsageError(
                    f"lane {lane} would access {width} bytes at byte {at:,}, no multiple of {width}: the GPU refuses it"
                )
    found = [cost(warp, width) for warp in warps]
    costs, ideals = tuple(c for c, _ in found), tuple(i for _, i in found)
    row = asked.row or _row(rows, size)
    base = Simulated(
        asked.expression, asked.where, shape, size, width, asked.offset, dict(parameters), warps, costs, ideals,
        costs.index(max(costs)), row, (),
    )  # fmt: skip
    better = [change for change in changes(rows, base) if change.cost < base.average] if costs > ideals else []
    kept: dict[str, Change] = {}
    for change in sorted(better, key=lambda c: (c.cost, c.by)):
        kept.setdefault(change.kind, change)
    return replace(base, changes=tuple(kept.values()))


def _addresses(rows: list[list[int | None]], size: int, offset: int) -> list[list[int | None]]:
    return [[None if i is None else i * size + offset for i in warp] for warp in rows]


def _average(warps: list[list[int | None]], width: int, cost: Callable[[Addresses, int], tuple[int, int]]) -> float:
    return sum(cost(warp, width)[0] for warp in warps) / len(warps)


def _row(rows: list[list[int | None]], size: int) -> int:
    """Elements of a row: the step from lane to lane where it is constant and more than one, else a row of banks."""
    steps = {b - a for warp in rows for a, b in pairwise(warp) if a is not None and b is not None}
    step = steps.pop() if len(steps) == 1 else 0
    return step if step > 1 else max(1, _ROW // size)
