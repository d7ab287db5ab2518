"""Simulate one access: the sectors of a global one, the wavefronts of a shared one, and cheaper forms of it.

The inverse is here too: find simple patterns with the measured cost. A measured cost is an average over all
executions of one kind of access, so a pattern fits only where its cost agrees within half a percent; a mix of accesses
fits none. Counters cannot distinguish several patterns that fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Struct
from msgspec.structs import replace

from advisor.hardware import lanes
from advisor.hardware.lanes import LANES, Block, access
from advisor.hardware.occupancy import Cliff, Occupancy
from advisor.records.errors import UsageError
from advisor.records.record import Count, NotNegative, Pairs, Percent, Record, Shape, named

SECTOR = 32  # bytes: the unit of transfer of L1 and L2
LINE = 128  # bytes: the unit of a lookup in L1
BANKS = 32  # of shared memory, each 4 bytes wide
WORD = 4
WAVEFRONT = BANKS * WORD

Addresses = Sequence[int | None]
"""The byte address of each of 32 lanes, None where the lane is off."""
_PADS = (1, 2, 3, 4)
_ROW = 128  # bytes of a row of banks: the default if no row is given or found
TOLERANCE = 0.005  # as a share of the measured cost
FAR = 1024  # elements: with rows this long, no two lanes in different rows share a sector
_ROWS = 64  # elements: the longest row of shared memory to try; banks repeat after 32 words
_TYPES = {1: "uchar", 2: "half", 4: "float", 8: "float", 16: "float"}


class Coalescing(Struct, frozen=True):
    """Sectors of a request: touched, ideal, the bytes used of each touched one, and their 128-byte lines.

    ideal, as ncu counts it: the sectors that the active lanes' bytes fill if contiguous, at most those touched.
    """

    sectors: int
    ideal: int
    bytes_per_sector: float
    lines: int = 0

    @property
    def waste(self) -> float:
        """Share of the touched sectors that exceeds the ideal, 0 to 1."""
        return 1 - self.ideal / self.sectors if self.sectors else 0.0


class BankUse(Struct, frozen=True):
    """Wavefronts of a shared access, the ideal number, and ways: passes per ideal wavefront (1 without conflicts)."""

    wavefronts: int
    ideal: int
    ways: float


def touched_sectors(addresses: Addresses, width: int) -> tuple[int, ...]:
    """Return the numbers of the sectors that a warp touches, in order; sector 0 begins at byte 0."""
    starts = {start for start in addresses if start is not None}
    return tuple(sorted({byte // SECTOR for start in starts for byte in (start, start + width - 1)}))


def coalescing_of(addresses: Addresses, width: int) -> Coalescing:
    """Return the sectors of a global access; zero if no lane is active.

    Inactive lanes cause no traffic (errata.inactive_lanes); lanes that access the same bytes share them.
    With this count the sectors are memory_l2_theoretical_sectors_global over inst_executed (ncu.source_metrics).
    """
    touched = touched_sectors(addresses, width)
    used = len({byte for start in set(addresses) if start is not None for byte in range(start, start + width)})
    lines = len({sector * SECTOR // LINE for sector in touched})
    ideal = min(len(touched), -(-sum(start is not None for start in addresses) * width // SECTOR))
    return Coalescing(len(touched), ideal, used / len(touched) if touched else 0.0, lines)


def groups(addresses: Addresses, width: int) -> list[range]:
    """Return the groups of lanes that shared memory serves in one pass if there is no conflict, in order.

    Up to 4 bytes per lane this is the whole warp. 8 bytes are served in half-warps and 16 in quarters: a bank returns 4
    bytes at a time (cuda.shared_memory). If all active lanes have the address of lane ^ 1, or all that of lane ^ 2,
    groups are twice as large: 8 bytes take the whole warp, 16 bytes half-warps (ncu.shared_memory counts them in this
    way; checked on an H200). Groups without an active lane take no pass.
    """
    size = max(1, min(LANES, WAVEFRONT // width))
    if size < LANES and any(_pairs_agree(addresses, step) for step in (1, 2)):
        size *= 2
    found = [range(first, first + size) for first in range(0, LANES, size)]
    return [lanes for lanes in found if any(addresses[lane] is not None for lane in lanes)]


def _pairs_agree(addresses: Addresses, step: int) -> bool:
    """Return whether lane and lane ^ step have the same address for all pairs in which both are active."""
    pairs = ((addresses[lane], addresses[lane ^ step]) for lane in range(LANES))
    return all(one is None or other is None or one == other for one, other in pairs)


def passes(addresses: Addresses, width: int) -> dict[int, tuple[int, int]]:
    """Return for each lane the pass (from 0 over the whole access) that delivers its first word, and that word's bank.

    In each group a bank delivers one word at a time, to all lanes that access this word.
    """
    out: dict[int, tuple[int, int]] = {}
    before = 0
    for group in groups(addresses, width):
        turn, taken = _turns(addresses, width, group)
        for lane in group:
            start = addresses[lane]
            if start is not None:
                word = start // WORD
                out[lane] = before + turn[word], word % BANKS
        before += taken
    return out


def _turns(addresses: Addresses, width: int, lanes: range) -> tuple[dict[int, int], int]:
    """Return the pass in which each word of a group of lanes is read from its bank, and the number of passes."""
    turn: dict[int, int] = {}
    in_bank: dict[int, int] = {}
    for lane in lanes:
        start = addresses[lane]
        if start is None:
            continue
        for word in range(start // WORD, (start + width - 1) // WORD + 1):
            if word not in turn:
                turn[word] = in_bank.get(word % BANKS, 0)
                in_bank[word % BANKS] = turn[word] + 1
    return turn, max(in_bank.values(), default=0)


def banks_of(addresses: Addresses, width: int) -> BankUse:
    """Return the wavefronts of a shared access; zero if no lane is active.

    They are memory_l1_wavefronts_shared and …_ideal over inst_executed (ncu.source_metrics). errata.lane_stride: a
    stride of 64 bytes between lanes uses 2 of 32 banks: a 16-way conflict, not 2-way.
    """
    served = groups(addresses, width)
    total = sum(_turns(addresses, width, group)[1] for group in served)
    return BankUse(total, len(served), total / len(served) if served else 0.0)


class Change(Struct, frozen=True):
    """Another form of the access: its kind (shift, exchange, pad, swizzle), its amount, and its cost per warp."""

    kind: str
    by: int
    cost: float


class Simulated(Struct, frozen=True):
    """An access of a block: its byte addresses warp by warp, and their cost.

    size, width, offset: bytes of an element, of a lane's access, before element 0. costs, ideals: sectors or wavefronts
    of each warp that has an active lane; drawn: the first of the most expensive warps; row: elements per row for pads
    and swizzles (0: none was tried); changes: forms that cost less, the cheapest first.
    """

    expression: str
    where: str
    block: Block
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
        """Average cost of a warp."""
        return sum(self.costs) / len(self.costs)

    @property
    def ideal(self) -> float:
        """Average ideal cost of a warp."""
        return sum(self.ideals) / len(self.ideals)


class Asked(Struct, frozen=True):
    """The parameters of a simulation, see `Simulated`.

    vector: elements per lane; row: elements per row of the array, or 0.
    """

    expression: str
    dtype: str = "float"
    vector: int = 1
    block: str = "256"
    offset: int = 0
    where: str = ""
    row: int = 0


def coalescing(asked: Asked, parameters: Mapping[str, int]) -> Simulated:
    """Simulate a global access: sectors per request. Raises UsageError for impossible parameters."""

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
    """Simulate a shared access: wavefronts, also if padded or swizzled. Raises UsageError for impossible parameters."""

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
                    f"lane {lane} would access {width} bytes at byte {at:,}, not a multiple of {width}: this is invalid"
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
    """Return elements per row: the step from lane to lane if it is constant and above 1, else a row of banks."""
    steps = {b - a for warp in rows for a, b in pairwise(warp) if a is not None and b is not None}
    step = steps.pop() if len(steps) == 1 else 0
    return step if step > 1 else max(1, _ROW // size)


class WarpCost(Record):
    """Sectors or wavefronts of a warp, and the ideal number."""

    cost: Count
    ideal: Count


class CheaperForm(Record):
    """A change that lowers the cost. average: cost of a warp with it."""

    kind: str
    by: int
    average: float


class AccessDocument(Record, kw_only=True, tag_field="schema", tag="ncu-advisor/simulator/1"):
    """Output of `ncu-advisor napkin coalescing|banks --format json`.

    addresses: byte addresses of the most expensive warp, one per lane; null for an inactive lane.
    """

    simulator: Literal["coalescing", "banks"]
    expression: str
    where: str
    block: Shape
    element_bytes: Count
    access_bytes: Count
    offset_bytes: int
    parameters: Mapping[str, int]
    unit: Literal["sectors", "wavefronts"]
    minimum: Count
    average: NotNegative
    maximum: Count
    ideal: NotNegative
    warps: tuple[WarpCost, ...]
    addresses: tuple[int | None, ...]
    changes: tuple[CheaperForm, ...]


def access_document(result: Simulated, kind: str) -> AccessDocument:
    """Return the document of a simulated access."""
    return AccessDocument(
        simulator="coalescing" if kind == "coalescing" else "banks",
        expression=result.expression,
        where=result.where,
        block=(result.block.x, result.block.y, result.block.z),
        element_bytes=result.size,
        access_bytes=result.width,
        offset_bytes=result.offset,
        parameters=result.parameters,
        unit="sectors" if kind == "coalescing" else "wavefronts",
        minimum=min(result.costs),
        average=result.average,
        maximum=max(result.costs),
        ideal=result.ideal,
        warps=tuple(map(WarpCost, result.costs, result.ideals)),
        addresses=tuple(result.warps[result.drawn]),
        changes=tuple(CheaperForm(change.kind, change.by, change.cost) for change in result.changes),
    )


class OccupancyAsked(Record):
    """The launch: threads per block, registers per thread, shared memory per block in bytes, compute capability."""

    block_size: Count
    registers: Count
    shared: Count
    cc: str


class OccupancyDocument(Record, kw_only=True, tag_field="schema", tag="ncu-advisor/simulator/1"):
    """Output of `ncu-advisor napkin occupancy --format json`.

    limits: blocks by resource; one_more: limits for one more block per SM, absent if no further block fits.
    """

    simulator: Literal["occupancy"]
    asked: OccupancyAsked
    blocks: Count
    warps: Count
    percent: Percent
    limits: Pairs[Count]
    limiters: tuple[str, ...]
    cliffs: tuple[Cliff, ...]
    one_more: Annotated[tuple[Count, Count], named("registers", "shared")] | None = None


def occupancy_document(result: Occupancy, asked: OccupancyAsked, more: tuple[int, int] | None) -> OccupancyDocument:
    """Return the document of an occupancy. more: registers and shared memory with which one more block fits."""
    return OccupancyDocument(
        simulator="occupancy",
        asked=asked,
        blocks=result.blocks,
        warps=result.warps,
        percent=result.percent,
        limits=result.limits,
        limiters=result.limiters,
        cliffs=result.cliffs,
        one_more=more,
    )


class Access(Struct, frozen=True):
    """One kind of access as measured. width: bytes per lane; active: active lanes per warp; cost: sectors or
    wavefronts per request.
    """

    width: int
    block: Block
    active: int
    cost: float

    @property
    def dtype(self) -> str:
        """A data type of the elements' size."""
        return _TYPES[self.width]

    @property
    def size(self) -> int:
        """Bytes per element: accesses above 4 bytes are treated as vectors of 4-byte elements."""
        return min(self.width, 4)

    @property
    def vector(self) -> int:
        """Elements per lane."""
        return self.width // self.size


class Fit(Struct, frozen=True):
    """A pattern with the measured cost.

    kind: column (adjacent lanes access adjacent rows), row (each row of threads accesses one row of the array), stride
    (a fixed number of elements between adjacent lanes), far (no two lanes share a sector), offset (contiguous, with a
    misalignment in bytes), groups (some adjacent lanes are contiguous, the next ones far away).
    sizes: all row lengths, strides, group sizes or offsets that fit, the simplest first; index: the index expression
    for the simplest one, with its parameters.
    """

    kind: str
    sizes: tuple[int, ...]
    index: str
    parameters: tuple[tuple[str, int], ...] = ()


def _matches(cost: float, measured: float) -> bool:
    return abs(cost - measured) <= TOLERANCE * measured


def _warp(access: Access, x: int, y: int, offset: int = 0) -> list[int | None]:
    """Return byte addresses of the first warp with a step of `x` elements in tid.x and `y` elements in tid.y."""
    out: list[int | None] = [None] * LANES
    for lane in range(min(LANES, access.block.threads, access.active)):
        out[lane] = (lane % access.block.x * x + lane // access.block.x * y) * access.size + offset
    return out


def _grouped(access: Access, size: int) -> list[int | None]:
    """Return byte addresses in which groups of `size` lanes are contiguous and far from each other."""
    return [
        (lane // size * FAR + lane % size * access.vector) * access.size if lane < access.active else None
        for lane in range(LANES)
    ]


def _plainest(sizes: list[int], block: Block) -> tuple[int, ...]:
    """Sort sizes: block dimensions first, then powers of two, then the rest, each by size."""
    sides = (block.x, block.y)
    return tuple(sorted(sizes, key=lambda n: (n not in sides, n & (n - 1) != 0, n)))


@lru_cache(maxsize=256)
def bank_fits(access: Access) -> tuple[Fit, ...]:
    """Return patterns of a shared access with the measured wavefronts; none if it is mixed or conflict-free."""

    def cost(warp: Addresses) -> int:
        return banks_of(warp, access.width).wavefronts

    vector, shape = access.vector, access.block
    rows = range(2 if vector == 1 else vector, _ROWS + 1, vector)
    wide = f"*{vector}" if vector > 1 else ""
    tries: list[tuple[str, str, Callable[[int], list[int | None]]]] = []
    if shape.y > 1:
        tries.append(("column", f"tid.x*{{0}} + tid.y{wide}", lambda n: _warp(access, n, vector)))
        if shape.x < LANES:
            tries.append(("row", f"tid.y*{{0}} + tid.x{wide}", lambda n: _warp(access, vector, n)))
    else:
        tries.append(("stride", "tid.x*{0}", lambda n: _warp(access, n, 0)))
    out = []
    for kind, text, form in tries:
        found = _plainest([n for n in rows if _matches(cost(form(n)), access.cost)], shape)
        if found:
            out.append(Fit(kind, found, text.format(found[0])))
    return tuple(out)


@lru_cache(maxsize=256)
def sector_fits(access: Access) -> tuple[Fit, ...]:
    """Return patterns of a global access with the measured sectors, the simplest first; none if it is mixed."""
    return tuple(_sector_fits(access))


def _sector_fits(access: Access) -> Iterator[Fit]:
    def cost(warp: Addresses) -> int:
        return coalescing_of(warp, access.width).sectors

    vector, shape, size = access.vector, access.block, access.size
    wide = f"*{vector}" if vector > 1 else ""
    name = "tid" if shape.y * shape.z > 1 else "tid.x"
    shaped = []
    if shape.y > 1 and _matches(cost(_warp(access, FAR, vector)), access.cost):
        shaped.append(Fit("column", (FAR,), f"tid.x*stride + tid.y{wide}", (("stride", FAR),)))
    if shape.y > 1 and shape.x < LANES and _matches(cost(_warp(access, vector, FAR)), access.cost):
        shaped.append(Fit("row", (FAR,), f"tid.y*stride + tid.x{wide}", (("stride", FAR),)))
    yield from shaped
    groups = [n for n in (2, 4, 8, 16) if _matches(cost(_grouped(access, n)), access.cost)]
    # Rows of threads already cover these groups.
    if groups and not shaped:
        yield Fit("groups", tuple(groups), f"lane/{groups[0]}*stride + lane%{groups[0]}{wide}", (("stride", FAR),))
    flat = Access(access.width, Block(LANES), access.active, access.cost)
    near = range(2 * vector, SECTOR // size, vector)
    strides = [n for n in near if _matches(cost(_warp(flat, n, 0)), access.cost)]
    if strides:
        yield Fit("stride", tuple(strides), f"{name}*{strides[0]}")
    offsets = [
        at
        for at in range(access.width, SECTOR, access.width)
        if _matches(cost(_warp(flat, vector, 0, at)), access.cost)
    ]
    if offsets:
        yield Fit("offset", tuple(offsets), f"{name}{wide}")
    far = max(SECTOR // size, vector)
    if _matches(cost(_warp(flat, far, 0)), access.cost):
        yield Fit("far", (far,), f"{name}*{far}")


def command(simulator: str, access: Access, fit: Fit) -> str:
    """Return the command line that simulates a pattern."""
    parts = [f"ncu-advisor napkin {simulator} '{fit.index}'"]
    parts += [f"--{name} {value}" for name, value in fit.parameters]
    if access.dtype != _TYPES[4]:
        parts.append(f"--dtype {access.dtype}")
    if access.vector > 1:
        parts.append(f"--vector {access.vector}")
    if simulator == "banks":
        parts.append(f"--row {fit.sizes[0]}")
    elif fit.kind == "offset":
        parts.append(f"--offset {fit.sizes[0]}")
    if access.active < LANES:
        parts.append(f"--where 'lane < {access.active}'")
    return " ".join([*parts, f"--block {access.block}"])
