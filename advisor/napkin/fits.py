"""Which simple patterns cost what was measured: the inverse of the simulators. Several may, and counters cannot tell.

A measured cost is an average over all executions of one kind of access, so a pattern fits only where it costs the same
to within half a percent; a mix of accesses fits none and is left so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from advisor.napkin import lanes
from advisor.napkin.patterns import LANES, SECTOR, Addresses, banks_of, coalescing_of

TOLERANCE = 0.005  # of the measured cost
FAR = 1024  # elements: a row so long that no two lanes in different rows share a sector
_ROWS = 64  # elements: rows of shared memory that are tried; banks repeat after 32 words
_TYPES = {1: "uchar", 2: "half", 4: "float", 8: "float", 16: "float"}


@dataclass(frozen=True, slots=True)
class Access:
    """One kind of access as measured. width: bytes of a lane; active: lanes of a warp that are on; cost: sectors or
    wavefronts of a request.
    """

    width: int
    block: lanes.Block
    active: int
    cost: float

    @property
    def dtype(self) -> str:
        """A type of the elements."""
        return _TYPES[self.width]

    @property
    def size(self) -> int:
        """Bytes of an element: accesses over 4 bytes are taken for vectors of 4-byte elements."""
        return min(self.width, 4)

    @property
    def vector(self) -> int:
        """Elements of a lane's access."""
        return self.width // self.size


@dataclass(frozen=True, slots=True)
class Fit:
    """A pattern that costs what was measured.

    kind: column (neighbouring lanes a row apart, thread rows side by side), row (each row of threads in a row of the
    array), stride (neighbouring lanes so many elements apart), far (so far apart that they share nothing), offset (side
    by side, off a sector's start by so many bytes), groups (so many neighbours side by side, the next ones far off).
    sizes: the rows, strides, groups or offsets that all fit, the plainest first; index: the pattern for the plainest
    one, with its parameters.
    """

    kind: str
    sizes: tuple[int, ...]
    index: str
    parameters: tuple[tuple[str, int], ...] = ()


def _matches(cost: float, measured: float) -> bool:
    return abs(cost - measured) <= TOLERANCE * measured


def _warp(access: Access, x: int, y: int, offset: int = 0) -> list[int | None]:
    """Byte addresses of the first warp where a step in tid.x is `x` elements and one in tid.y is `y`."""
    out: list[int | None] = [None] * LANES
    for lane in range(min(LANES, access.block.threads, access.active)):
        out[lane] = (lane % access.block.x * x + lane // access.block.x * y) * access.size + offset
    return out


def _grouped(access: Access, size: int) -> list[int | None]:
    """Byte addresses where each `size` lanes lie side by side, far from the others."""
    return [
        (lane // size * FAR + lane % size * access.vector) * access.size if lane < access.active else None
        for lane in range(LANES)
    ]


def _plainest(sizes: list[int], block: lanes.Block) -> tuple[int, ...]:
    """A side of the block first, then a power of two, then the smallest."""
    sides = (block.x, block.y)
    return tuple(sorted(sizes, key=lambda n: (n not in sides, n & (n - 1) != 0, n)))


@lru_cache(maxsize=256)
def bank_fits(access: Access) -> tuple[Fit, ...]:
    """Patterns of a shared access that take the measured wavefronts; none where it is a mix, or conflict-free."""

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
    """Patterns of a global access that touch the measured sectors, the plainest first; none where it is a mix."""
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
    # Rows of threads are groups already.
    if groups and not shaped:
        yield Fit("groups", tuple(groups), f"lane/{groups[0]}*stride + lane%{groups[0]}{wide}", (("stride", FAR),))
    flat = Access(access.width, lanes.Block(LANES), access.active, access.cost)
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
    """The command line that simulates a pattern."""
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
