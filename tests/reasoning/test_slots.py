"""The account of the issue slots adds up, and names idle SMs and the reasons that cost most."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.reasoning.slots import issue_slots
from advisor.records.diagnosis import IssueSlots, Location, LostSlots
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


def test_a_place_says_what_is_waited_for() -> None:
    load = Location("/src/k.cu", 5, 0x10, "LDG.E R2, [R4]", "lost_long_scoreboard", 0.9)
    add = Location("", 0, 0x40, "FADD R8, R5, R8", "lost_wait", 0.5)
    made = IssueSlots(
        10, 0, (LostSlots("long_scoreboard", 60, (load,)), LostSlots("wait", 29.6, (add,)), LostSlots("drain", 0.4))
    )
    assert list(where_texts(made)) == [
        "Long scoreboard: 90 % of it waiting for LDG.E R2, [R4] at k.cu:5",
        "Wait: 50 % of it waiting to issue FADD R8, R5, R8",
    ]
    assert dict(slot_rows(made))["Other reasons"] == pytest.approx(0.4)
    assert most_lost_text(made).startswith(
        "60 % of the issue slots are lost to Long scoreboard, 90 % of it waiting for"
    )
