"""The account of the issue slots of a launch: issued, idle SMs, lost by stall reason, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from advisor.records.diagnosis import IssueSlots, LostSlots
from advisor.view.blocks import BarRow, Bars, Block, Bullets
from advisor.view.charts.bars import reason_label
from advisor.view.numbers import percent_text, share_text
from advisor.view.text import place_text, shown

ISSUE_SLOTS: Final = "Issue slots"
_CAPTION: Final = "% of the issue slots of all SMs over the run; those without an issue by what the warps waited for"
_LEAST: Final = 1.0  # percent below which a reason is counted among the others
# Stall reasons whose place is the instruction that the warps wait for.
_FOR: Final = ("long_scoreboard", "short_scoreboard")


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
    """Yield the place of each reason that has one: `Long scoreboard: 100 % of it waiting for LDG.E R5 at k.cu:5`."""
    for one in slots.lost:
        if one.locations:
            yield f"{reason_label(one.reason)}: {_where(one)}"


def most_lost_text(slots: IssueSlots) -> str:
    """Return the largest loss in one sentence: `42 % of the issue slots are lost to MIO throttle, 46 % of it …`."""
    first = slots.lost[0] if slots.lost else None
    if slots.idle >= (first.percent if first is not None else 0.0):
        return f"{share_text(slots.idle / 100)} of the issue slots are on SMs without a block"
    assert first is not None
    text = f"{share_text(first.percent / 100)} of the issue slots are lost to {reason_label(first.reason)}"
    return f"{text}, {_where(first)}" if first.locations else text


def _where(one: LostSlots) -> str:
    place = one.locations[0]
    at = f" at {place_text(place.file, place.line)}" if place.line else ""
    verb = "waiting for" if one.reason in _FOR else "waiting to issue"
    return f"{share_text(place.share)} of it {verb} {shown(place.sass)}{at}"
