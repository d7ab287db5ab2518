"""The account of the issue slots of a launch: issued, idle SMs, lost by stall reason, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from advisor.records.diagnosis import BlamedSlots, IssueSlots, Location, LostSlots
from advisor.view.blocks import BarRow, Bars, Block, Bullets
from advisor.view.charts.bars import reason_label
from advisor.view.numbers import percent_text, share_text
from advisor.view.text import place_text, shown

ISSUE_SLOTS: Final = "Issue slots"
_CAPTION: Final = "% of the issue slots of all SMs over the run; those without an issue by what the warps waited for"
_LEAST: Final = 1.0  # percent below which a reason is counted among the others
_UNSURE: Final = 0.5  # part of the slots of a producer from which it is called ambiguous


def slots_blocks(slots: IssueSlots) -> tuple[Block, ...]:
    """Return the account as bars that add up to 100 %, and the place of each reason as far as it was read."""
    bars = tuple(BarRow(label, value / 100, percent_text(value)) for label, value in slot_rows(slots))
    where = tuple(where_texts(slots))
    return (Bars(_CAPTION, bars), *((Bullets(where),) if where else ()))


def slot_rows(slots: IssueSlots) -> Iterator[tuple[str, float]]:
    """Yield what became of the slots with its percentage."""
    yield "Issued", slots.issued
    yield "SM without a block", slots.idle
    rare = 0.0
    for one in slots.lost:
        if one.percent >= _LEAST:
            yield reason_label(one.reason), one.percent
        else:
            rare += one.percent
    if rare > 0:
        yield "Other reasons", rare


def where_texts(slots: IssueSlots) -> Iterator[str]:
    """Yield the producers of each reason, or its place, and what is unattributed.

    `Long scoreboard: 31 % of the issue slots wait for LDG.E at k.cu:41, used by FADD at k.cu:44`.
    """
    for one in slots.lost:
        label = reason_label(one.reason)
        if one.blamed:
            yield f"{label}: {'; '.join(_blame(each) for each in one.blamed)}"
        elif one.locations:
            yield f"{label}: {_where(one)}"
    if slots.unattributed is not None and slots.lost:
        share = _share(slots.unattributed)
        yield f"Unattributed: {share} of the issue slots are lost without a known instruction to blame"


def most_lost_text(slots: IssueSlots) -> str:
    """Return the largest loss in one sentence: `42 % of the issue slots are lost to MIO throttle, 46 % of it …`."""
    first = slots.lost[0] if slots.lost else None
    if slots.idle >= (first.percent if first is not None else 0.0):
        return f"{share_text(slots.idle / 100)} of the issue slots are on SMs without a block"
    assert first is not None
    if first.blamed and first.blamed[0].percent >= first.percent / 2:
        return f"{_blame(first.blamed[0])} ({reason_label(first.reason)})"
    text = f"{share_text(first.percent / 100)} of the issue slots are lost to {reason_label(first.reason)}"
    if first.blamed:
        return f"{text}: {_blame(first.blamed[0])}"
    return f"{text}, {_where(first)}" if first.locations else text


def _where(one: LostSlots) -> str:
    place = one.locations[0]
    at = f" at {place_text(place.file, place.line)}" if place.line else ""
    return f"{share_text(place.share)} of it waiting to issue {shown(place.sass)}{at}"


def _blame(one: BlamedSlots) -> str:
    """`31 % of the issue slots wait for LDG.E at k.cu:41, used by FADD at k.cu:44`."""
    reason = one.producer.metric.removeprefix("lost_")
    made, used = _instruction(one.producer), _instruction(one.used)
    part = f"{_share(one.percent)} of the issue slots"
    if reason == "barrier":
        text = f"{part} wait at the barrier {made}"
    elif reason == "wait":
        text = f"{part} wait for the fixed delay after {made}, before {used}"
    elif one.overwrites:
        text = f"{part} wait until {made} has finished with a register that {used} overwrites"
    else:
        text = f"{part} wait for {made}, used by {used}"
    if one.ambiguous < _UNSURE * one.percent:
        return text
    return f"{text} (ambiguous: other results are awaited there too)"


def _instruction(place: Location) -> str:
    """`LDG.E at k.cu:41`; without line information `LDG.E R4, [R2] at 0x70`."""
    code = shown(place.sass)
    words = code.split()
    opcode = next((word for word in words if not word.startswith("@")), code)
    return f"{opcode} at {place_text(place.file, place.line)}" if place.line else f"{code} at 0x{place.pc:x}"


def _share(percent: float) -> str:
    return share_text(percent / 100)
