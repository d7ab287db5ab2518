"""The account of the issue slots adds up, and names idle SMs and the reasons that cost most."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from advisor.reasoning.slots import issue_slots
from advisor.records.diagnosis import BlamedSlots, IssueSlots, Location, LostSlots
from advisor.view.pages.slots import most_lost_text, slot_rows, where_texts

percent = st.floats(0, 100)


def values(issued: float, active: float, **shares: float) -> dict[str, float]:
    return {
        "issue_pct": issued,
        "sm_active_pct": active,
        **{f"stall_{reason}_not_issued_pct": share for reason, share in shares.items()},
    }


@given(percent, percent, st.lists(percent, min_size=1, max_size=4).filter(any))
def test_the_slots_add_up_to_all(issued: float, active: float, shares: list[float]) -> None:
    reasons = ("long_scoreboard", "barrier", "wait", "drain")
    made = issue_slots(values(issued, active, **dict(zip(reasons, shares, strict=False))))
    assert made is not None
    lost = [one.percent for one in made.lost]
    assert made.issued + made.idle + sum(lost) == pytest.approx(100, abs=1e-6)
    assert lost == sorted(lost, reverse=True) and min([made.idle, *lost]) >= 0
    assert sum(value for _, value in slot_rows(made)) == pytest.approx(100, abs=1e-6)


def test_an_sm_without_a_block_is_not_lost_to_a_stall() -> None:
    made = issue_slots(values(20, 60, long_scoreboard=75, wait=25))
    assert made == IssueSlots(20, 40, (LostSlots("long_scoreboard", 30), LostSlots("wait", 10)))
    assert most_lost_text(made) == "40 % of the issue slots are on SMs without a block"


@pytest.mark.parametrize("missing", ["issue_pct", "sm_active_pct", "stall_wait_not_issued_pct"])
def test_what_is_not_known_is_not_guessed(missing: str) -> None:
    known = values(20, 60, wait=100)
    del known[missing]
    assert issue_slots(known) is None


def test_one_reason_with_two_names_counts_once() -> None:
    made = issue_slots(values(50, 100, gmma=40, warpgroup_arrive=40, wait=60))
    assert made is not None
    assert [(one.reason, one.percent) for one in made.lost] == [("wait", 30), ("warpgroup_arrive", 20)]


LOAD = Location("/src/k.cu", 5, 0x10, "@P0 LDG.E R2, [R4]", "lost_long_scoreboard", 0.9)
ADD = Location("/src/k.cu", 8, 0x40, "FADD R8, R2, R8", "lost_long_scoreboard", 0.9)


def test_a_stall_names_its_producer_and_the_place_that_waits() -> None:
    blamed = BlamedSlots(54, LOAD, ADD)
    made = IssueSlots(
        10,
        0,
        (
            LostSlots("long_scoreboard", 60, (LOAD,), (blamed,), 4, 2),
            LostSlots("mio_throttle", 29.6, (replace(ADD, line=0, share=0.5),)),
            LostSlots("drain", 0.4),
        ),
        2.4,
    )
    assert list(where_texts(made)) == [
        "Long scoreboard: 54 % of the issue slots wait for LDG.E at k.cu:5, used by FADD at k.cu:8",
        "MIO throttle: 50 % of it waiting to issue FADD R8, R2, R8",
        "Unattributed: 2 % of the issue slots are lost without a known instruction to blame",
    ]
    assert dict(slot_rows(made))["Other reasons"] == pytest.approx(0.4)
    assert most_lost_text(made) == (
        "54 % of the issue slots wait for LDG.E at k.cu:5, used by FADD at k.cu:8 (Long scoreboard)"
    )


@pytest.mark.parametrize(
    ("reason", "change", "text"),
    [
        ("barrier", {}, "wait at the barrier LDG.E at k.cu:5"),
        ("wait", {}, "wait for the fixed delay after LDG.E at k.cu:5, before FADD at k.cu:8"),
        ("short_scoreboard", {"ambiguous": 50.0}, "(ambiguous: other results are awaited there too)"),
        (
            "long_scoreboard",
            {"overwrites": True},
            "until LDG.E at k.cu:5 has finished with a register that FADD at k.cu:8",
        ),
    ],
)
def test_each_kind_of_blame_has_its_words(reason: str, change: dict[str, object], text: str) -> None:
    place = replace(LOAD, metric=f"lost_{reason}")
    blamed = replace(BlamedSlots(54, place, ADD), **change)
    made = IssueSlots(40, 0, (LostSlots(reason, 60, (place,), (blamed,), 4, 2),), 2.0)
    assert text in next(iter(where_texts(made)))
