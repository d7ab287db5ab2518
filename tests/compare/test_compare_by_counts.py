"""Two emulated versions are compared by their counts: a fix that worked is told so, although no time is known."""

from __future__ import annotations

import pytest

from advisor.compare.compare import compare
from advisor.compare.records import Compared
from advisor.reasoning.diagnose import analyse_numbers
from advisor.view.pages.compare import Result, compare_page
from advisor.view.writers.terminal import terminal_text

CONFLICTS = {"emulated": 1, "shared_wavefronts": 1000, "shared_wavefronts_ideal": 100, "shared_wavefront_ratio": 10}
CONFLICTS |= {"inst_executed": 2000, "shared_atomic_excess_share": 0}
CLEAN = CONFLICTS | {"shared_wavefronts": 100, "shared_wavefront_ratio": 1, "load_sector_ratio": 1}
CLEAN |= {"store_sector_ratio": 1, "load_sectors_actual": 1000, "load_sectors_ideal": 1000}
CLEAN |= {"store_sectors_actual": 1000, "store_sectors_ideal": 1000}
SECTORS = CLEAN | {"load_sector_ratio": 8, "load_sectors_actual": 8000}


def compared(before: dict[str, float], after: dict[str, float]) -> Compared:
    return compare(analyse_numbers(before, name="tile"), analyse_numbers(after, name="tile"))


@pytest.mark.parametrize(
    ("before", "after", "states", "says"),
    [
        (CLEAN | CONFLICTS, CLEAN, {"bank_conflicts": "gone"}, "does what it should, by the counts"),
        (CONFLICTS, CONFLICTS, {"bank_conflicts": "stayed"}, "The counts still show Shared-memory bank conflicts"),
        (
            CLEAN | CONFLICTS,
            SECTORS,
            {"bank_conflicts": "gone", "uncoalesced_access": "came"},
            "The counts show a new cause",
        ),
        (CLEAN, CLEAN, {}, "no cause in either version"),
    ],
)
def test_counts_say_whether_a_fix_worked(
    before: dict[str, float], after: dict[str, float], states: dict[str, str], says: str
) -> None:
    found = compared(before, after)
    (pair,) = found.pairs
    assert {c.id: c.state for c in pair.findings if c.kind == "diagnosis"} == states
    assert says in pair.next.text and pair.judged is None
    text = " ".join(terminal_text(compare_page(Result(found))).split())
    assert "Counted" in text and "No diagnosis" not in text and "No time" not in text and "unknown time" not in text


def test_a_profile_against_counts_still_says_that_no_time_is_known() -> None:
    profile = {name: value for name, value in CONFLICTS.items() if name != "emulated"}
    (pair,) = compared(profile, CLEAN).pairs
    assert "has no duration" in pair.next.text
