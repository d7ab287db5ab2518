"""The results of the simulators as pages: coalescing, shared-memory banks, occupancy."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.hardware.gpus import Limits
from advisor.hardware.occupancy import Cliff, Occupancy
from advisor.hardware.simulators import (
    BANKS,
    LINE,
    SECTOR,
    Addresses,
    Change,
    Simulated,
    coalescing_of,
    groups,
    passes,
    touched_sectors,
)
from advisor.view.blocks import (
    BarRow,
    Bars,
    Block,
    Bullets,
    Cell,
    Column,
    Fact,
    Facts,
    Page,
    Paragraph,
    Plain,
    Table,
    section,
)
from advisor.view.numbers import counted, percent_text

_SECTORS_DRAWN = 10
_DIGITS = "123456789abcdefghijklmnopqrstuvwxyz"
_RESOURCES = {"registers": "registers", "shared": "shared memory", "blocks": "block slots", "warps": "warp slots"}


def coalescing_page(result: Simulated) -> Page:
    """Build the page: sectors per request, changes that lower them, and the most expensive warp lane by lane."""
    found = coalescing_of(result.warps[result.drawn], result.width)
    rows = Facts(
        (
            Fact("Sectors", f"{_few(result.average)} per request{_range(result)}, ideal {_few(result.ideal)}"),
            Fact("Used", f"{_few(found.bytes_per_sector)} of {SECTOR} bytes of each sector"),
            Fact("Lines", f"{found.lines} of {LINE} bytes"),
        )
    )
    changes = [*map(_coalescing_change, result.changes), *_wider(result)]
    drawn = Plain(tuple(sectors_drawn(result.warps[result.drawn], result.width)))
    return _page("Global access", result, [rows], changes, drawn)


def banks_page(result: Simulated) -> Page:
    """Build the page: wavefronts of a shared access, pads and swizzle, the most expensive warp as lanes by banks."""
    size = len(groups(result.warps[result.drawn], result.width)[0])
    rule = "The whole warp" if size == 32 else f"{size} lanes"
    rows = Facts(
        (
            Fact("Wavefronts", f"{_few(result.average)} per request{_range(result)}, ideal {_few(result.ideal)}"),
            Fact("Wavefront", f"{rule}; each bank delivers one word, broadcast to all lanes that access it"),
        )
    )
    changes = [_banks_change(change, result) for change in result.changes]
    return _page(
        "Shared access", result, [rows], changes, Plain(tuple(banks_drawn(result.warps[result.drawn], result.width)))
    )


def _page(kind: str, result: Simulated, made: list[Block], changes: list[str], drawn: Plain) -> Page:
    given = "".join(f", {name.replace('_', '.')} = {value:,}" for name, value in result.parameters.items())
    where = f", where {result.where}" if result.where else ""
    offset = f", first element at byte {result.offset:,}" if result.offset else ""
    what = f"{result.width} bytes per lane, elements of {result.size}, block {result.block}{offset}{where}{given}"
    advice: Block = Bullets(tuple(changes))
    if not changes:
        done = result.average <= result.ideal
        advice = Paragraph("The access pattern is already ideal." if done else "No tried access pattern costs less.")
    parts = (section("", [advice]), section("", [drawn]))
    return Page(f"{kind} of {result.expression}", (Paragraph(what, "dim"), *made), parts)


def _few(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value != int(value) else f"{int(value)}.0"


def _range(result: Simulated) -> str:
    low, high = min(result.costs), max(result.costs)
    return f" ({low} to {high} over {len(result.costs)} warps)" if low != high else ""


def _coalescing_change(change: Change) -> str:
    if change.kind == "shift":
        return f"moved by {change.by} bytes, so that it starts on a sector: {_few(change.cost)} sectors"
    return f"with tid.x and tid.y swapped: {_few(change.cost)} sectors"


def _wider(result: Simulated) -> list[str]:
    if result.average > result.ideal or result.width == 16 or min(result.ideals) * SECTOR < 32 * result.width:
        return []
    times = 16 // result.width
    return [f"{times} times as much per lane (16 bytes): {32 * 16 // SECTOR} sectors, 1/{times} of the instructions"]


def sectors_drawn(warp: Addresses, width: int) -> Iterator[str]:
    """Yield the lines of a drawing: the sector of each lane, and the bytes of each sector that are used.

    warp: the byte at which each lane begins, None for an inactive lane; width: bytes per lane.
    """
    sectors = touched_sectors(warp, width)
    number = {sector: at for at, sector in enumerate(sectors)}
    yield "The sector that each lane accesses (- means inactive):"
    for first in range(0, 32, 16):
        cells = ["-" if at is None else str(number[at // SECTOR]) for at in warp[first : first + 16]]
        yield f"  lanes {first:>2}-{first + 15:<2} " + "".join(f"{cell:>4}" for cell in cells)
    yield ""
    yield "Bytes of each sector that are used (█ yes, · no):"
    used = {byte for at in warp if at is not None for byte in range(at, at + width)}
    for sector in sectors[:_SECTORS_DRAWN]:
        row = "".join("█" if sector * SECTOR + b in used else "·" for b in range(SECTOR))
        yield f"  sector {number[sector]:>2} {row} from byte {sector * SECTOR:,}"
    if len(sectors) > _SECTORS_DRAWN:
        yield f"  and {len(sectors) - _SECTORS_DRAWN} more"


def _banks_change(change: Change, result: Simulated) -> str:
    if change.kind == "pad":
        columns = "one column" if change.by == 1 else f"{change.by} columns"
        return f"with {columns} of padding after {result.row}: {_few(change.cost)}"
    return f"with the columns of a row of {result.row} swizzled (column ^ row % {change.by}): {_few(change.cost)}"


def banks_drawn(warp: Addresses, width: int) -> Iterator[str]:
    """Yield the lines of a drawing of lanes by banks, as `sectors_drawn` does."""
    found = passes(warp, width)
    wide = max(1, width // 4)
    yield "Lanes by banks; a digit is the wavefront that serves the lane"
    yield f"{'bank':>8} 0{'':8}10{'':8}20{'':8}30"
    for lane in range(32):
        cells = ["·"] * BANKS
        if lane in found:
            turn, bank = found[lane]
            cells[bank : bank + wide] = [_DIGITS[min(turn, len(_DIGITS) - 1)]] * min(wide, BANKS - bank)
        yield f"lane {lane:>2}  {''.join(cells)}"


def occupancy_page(result: Occupancy, limits: Limits, title: str, more: tuple[int, int] | None) -> Page:
    """Build the page: blocks and warps of an SM, limiters, nearest changes. more: requirements of one more block."""
    note = f"{counted(result.blocks, 'block')}, {result.warps} of {limits.warps_per_sm} warps per SM"
    full = BarRow("Occupancy", result.percent / 100, percent_text(result.percent), total=True)
    columns = (Column("Resource"), Column("Blocks", True), Column(""))
    rows = tuple(
        (Cell(_RESOURCES.get(name, name)), Cell(str(count), count), Cell("limits" if name in result.limiters else ""))
        for name, count in result.limits
    )
    cliffs = Bullets(tuple(map(_cliff, result.cliffs))) if result.cliffs else None
    parts = (section("", [Table(columns, rows)]), section("", [Paragraph(_one_more(result, limits, more)), cliffs]))
    return Page(title, (Bars(note, (full,)),), parts)


def _one_more(result: Occupancy, limits: Limits, more: tuple[int, int] | None) -> str:
    if more is None:
        slots = f"{limits.warps_per_sm} warp or {limits.blocks_per_sm} block slots"
        return f"No further block fits: all {slots} are taken."
    if not more[0]:
        return "No further block fits, however few registers it uses."
    need = f"at most {counted(more[0], 'register')} per thread and {counted(more[1], 'byte')} of shared memory"
    return f"{result.blocks + 1} blocks need {need}."


def _cliff(cliff: Cliff) -> str:
    names = {"registers": "registers", "shared": "bytes of shared memory", "block_size": "threads per block"}
    side = "" if cliff.resource == "block_size" else " or fewer" if cliff.gain else " or more"
    what = f"{'gains' if cliff.gain else 'loses'}: {cliff.value:,} {names[cliff.resource]}{side}"
    return f"{what}: {counted(cliff.blocks, 'block')}, {counted(cliff.warps, 'warp')}, {percent_text(cliff.percent)}"
