"""The simulators' results as text, lane by lane."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.hardware.gpus import Limits
from advisor.hardware.occupancy import Cliff, Occupancy
from advisor.hardware.simulators import (
    BANKS,
    LINE,
    SECTOR,
    Change,
    Simulated,
    coalescing_of,
    groups,
    passes,
    touched_sectors,
)
from advisor.view.charts.bars import bar
from advisor.view.text import cut, labelled, paint, shown, wrap

_COLUMN = 16
_SECTORS_DRAWN = 10
_DIGITS = "123456789abcdefghijklmnopqrstuvwxyz"
_RESOURCES = {"registers": "registers", "shared": "shared memory", "blocks": "block slots", "warps": "warp slots"}


def _few(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value != int(value) else f"{int(value)}.0"


def _head(result: Simulated, title: str, width: int, colour: bool) -> list[str]:
    given = "".join(f", {name.replace('_', '.')} = {value:,}" for name, value in result.parameters.items())
    where = f", where {shown(result.where)}" if result.where else ""
    offset = f", first element at byte {result.offset:,}" if result.offset else ""
    what = f"{result.width} bytes a lane, elements of {result.size}, block {result.block}{offset}{where}{given}"
    return [
        *(paint(line, "bold", colour) for line in wrap(f"{title} of {shown(result.expression)}", width)),
        *wrap(what, width, 2),
        "",
    ]


def _range(result: Simulated) -> str:
    low, high = min(result.costs), max(result.costs)
    return f" ({low} to {high} over {len(result.costs)} warps)" if low != high else ""


def coalescing_text(result: Simulated, width: int = 80, colour: bool = False, blocks: bool = True) -> str:
    """Sectors of a request, what would change them, and the dearest warp lane by lane."""
    warp = result.warps[result.drawn]
    found = coalescing_of(warp, result.width)
    lines = [
        *_head(result, "Global access", width, colour),
        *labelled(
            "Sectors", f"{_few(result.average)} a request{_range(result)}, ideal {_few(result.ideal)}", width, _COLUMN
        ),
        *labelled("Used", f"{_few(found.bytes_per_sector)} of {SECTOR} bytes of each sector", width, _COLUMN),
        *labelled("Lines", f"{found.lines} of {LINE} bytes", width, _COLUMN),
        "",
        *_advice([_coalescing_change(change) for change in result.changes] + _wider(result), width, result),
        "",
        *_sectors_drawn(result, width, blocks),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _coalescing_change(change: Change) -> str:
    if change.kind == "shift":
        return f"moved by {change.by} bytes, so that it starts on a sector: {_few(change.cost)} sectors"
    return f"with tid.x and tid.y exchanged: {_few(change.cost)} sectors"


def _wider(result: Simulated) -> list[str]:
    if result.average > result.ideal or result.width == 16 or min(result.ideals) * SECTOR < 32 * result.width:
        return []
    times = 16 // result.width
    return [f"{times} times as much a lane (16 bytes): {32 * 16 // SECTOR} sectors, 1/{times} of the instructions"]


def _advice(changes: list[str], width: int, result: Simulated) -> list[str]:
    if not changes:
        done = result.average <= result.ideal
        text = "Nothing to gain: the ideal is reached." if done else "None of the forms tried costs less."
        return wrap(text, width)
    return [line for change in changes for line in wrap(f"- {change}", width, hang=2)]


def _sectors_drawn(result: Simulated, width: int, blocks: bool) -> Iterator[str]:
    warp = result.warps[result.drawn]
    sectors = touched_sectors(warp, result.width)
    number = {sector: at for at, sector in enumerate(sectors)}
    yield "Which of its sectors each lane falls in (- is off):"
    for first in range(0, 32, 16):
        cells = ["-" if at is None else str(number[at // SECTOR]) for at in warp[first : first + 16]]
        yield f"  lanes {first:>2}-{first + 15:<2} " + "".join(f"{cell:>4}" for cell in cells)
    yield ""
    yield f"Bytes of each sector that are used ({'█ yes, · no' if blocks else '# yes, . no'}):"
    used = {byte for at in warp if at is not None for byte in range(at, at + result.width)}
    yes, no = ("█", "·") if blocks else ("#", ".")
    for sector in sectors[:_SECTORS_DRAWN]:
        row = "".join(yes if sector * SECTOR + b in used else no for b in range(SECTOR))
        yield cut(f"  sector {number[sector]:>2} {row} from byte {sector * SECTOR:,}", width)
    if len(sectors) > _SECTORS_DRAWN:
        yield f"  and {len(sectors) - _SECTORS_DRAWN} more"


def banks_text(result: Simulated, width: int = 80, colour: bool = False, blocks: bool = True) -> str:
    """Wavefronts of a shared access, pads and swizzle, and the dearest warp as lanes by banks."""
    served = groups(result.warps[result.drawn], result.width)
    size = len(served[0])
    rule = "the whole warp" if size == 32 else f"{size} lanes"
    text = f"{_few(result.average)} a request{_range(result)}, ideal {_few(result.ideal)}"
    lines = [
        *_head(result, "Shared access", width, colour),
        *labelled("Wavefronts", text, width, _COLUMN),
        *labelled("Served", f"{rule} at a time, one word of a bank for all lanes that ask for it", width, _COLUMN),
        "",
        *_advice([_banks_change(change, result) for change in result.changes], width, result),
        "",
        *_banks_drawn(result, blocks),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _banks_change(change: Change, result: Simulated) -> str:
    if change.kind == "pad":
        columns = "one column" if change.by == 1 else f"{change.by} columns"
        return f"with {columns} of padding after {result.row}: {_few(change.cost)}"
    return f"with the columns of a row of {result.row} swizzled (column ^ row % {change.by}): {_few(change.cost)}"


def _banks_drawn(result: Simulated, blocks: bool) -> Iterator[str]:
    warp = result.warps[result.drawn]
    found = passes(warp, result.width)
    wide = max(1, result.width // 4)
    empty = "·" if blocks else "."
    yield "Lanes by banks; a digit is the wavefront in which the lane is served there"
    yield f"{'bank':>8} 0{'':8}10{'':8}20{'':8}30"
    for lane in range(32):
        cells = [empty] * BANKS
        if lane in found:
            turn, bank = found[lane]
            cells[bank : bank + wide] = [_DIGITS[min(turn, len(_DIGITS) - 1)]] * min(wide, BANKS - bank)
        yield f"lane {lane:>2}  {''.join(cells)}"


def occupancy_text(
    result: Occupancy,
    limits: Limits,
    title: str,
    more: tuple[int, int] | None,
    width: int = 80,
    colour: bool = False,
    blocks: bool = True,
) -> str:
    """Blocks and warps of an SM, what caps them, and the next steps up and down."""
    room = max(10, width - 44)
    full = bar(result.percent, room, blocks=blocks, marks=())
    lines = [
        *(paint(line, "bold", colour) for line in wrap(title, width)),
        "",
        f"{'Occupancy':<{_COLUMN}}{result.percent:5.1f} %  {full}",
        *labelled(
            "", f"{result.blocks} blocks, {result.warps} of {limits.warps_per_sm} warps of an SM", width, _COLUMN
        ),
        "",
        *(
            f"{_RESOURCES.get(name, name):<{_COLUMN}}{count:>4} blocks{'  <- caps' if name in result.limiters else ''}"
            for name, count in result.limits
        ),
        "",
        *_one_more(result, limits, more, width),
        *[line for cliff in result.cliffs for line in wrap(f"- {_cliff(cliff)}", width, hang=2)],
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _one_more(result: Occupancy, limits: Limits, more: tuple[int, int] | None, width: int) -> list[str]:
    if more is None:
        return wrap(
            f"No block more fits: the {limits.warps_per_sm} warp or {limits.blocks_per_sm} block slots are taken.",
            width,
        )
    if not more[0]:
        return wrap("No block more fits, however few registers it takes.", width)
    text = (
        f"{result.blocks + 1} blocks need at most {more[0]} registers a thread and {more[1]:,} bytes of shared memory."
    )
    return wrap(text, width)


def _cliff(cliff: Cliff) -> str:
    name = {"registers": "registers", "shared": "bytes of shared memory", "block_size": "threads a block"}[
        cliff.resource
    ]
    side = "" if cliff.resource == "block_size" else " or fewer" if cliff.gain else " or more"
    verb = "gains" if cliff.gain else "loses"
    return f"{verb}: {cliff.value:,} {name}{side}: {cliff.blocks} blocks, {cliff.warps} warps, {cliff.percent:.1f} %"
