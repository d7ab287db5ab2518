"""`compare R#1 R`: the launch is compared with the others of its kernel in the report, and the page says with which."""

from __future__ import annotations

import pytest

from advisor.compare.compare import Side, compare, read_sides
from advisor.records import resources
from advisor.records.errors import UsageError
from advisor.view.pages.compare import pair_sections

LADDER = resources.folder("kernels") / "averaging-ladder" / "recorded" / "h200" / "profile.ncu-rep.xz"
TOUR = resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"


def compared(base, current):
    return compare(*read_sides(base, current))


def rows(pair):
    facts = pair_sections(pair, "p")[0].blocks[0]
    return {row.label: row.text for row in facts.rows}


CASES = [(1, (2, 3), "shape"), (0, (1, 2, 3), "name"), (4, (6,), "shape")]


@pytest.mark.parametrize(("launch", "others", "how"), CASES)
def test_a_launch_is_compared_with_the_other_launches_of_its_kernel(launch, others, how):
    (pair,) = compared(Side(LADDER, launch), Side(LADDER)).pairs
    assert pair.base.indexes == (launch,) and pair.current.indexes == others and pair.matched == how
    (turned,) = compared(Side(LADDER), Side(LADDER, launch)).pairs
    assert turned.base.indexes == others and turned.current.indexes == (launch,)


def test_the_page_says_which_launches_and_does_not_speak_of_a_change():
    (pair,) = compared(Side(LADDER, 1), Side(LADDER)).pairs
    said = rows(pair)
    assert said["Compared"] == "launch 1 of the base with launches 2 and 3 of the current (same kernel and shape)"
    assert "launches of one report" in said["Next"] and "keep the simpler code" not in said["Next"]


def test_two_named_launches_of_a_report_are_compared_as_versions():
    (pair,) = compared(Side(LADDER, 1), Side(LADDER, 2)).pairs
    assert "launches of one report" not in rows(pair)["Next"] and "Compared" not in rows(pair)


def test_the_only_launch_of_its_kernel_has_nothing_to_be_compared_with():
    with pytest.raises(UsageError, match=r"no other launch of 'vector_copy'.*tour.ncu-rep.xz#N"):
        compared(Side(TOUR, 0), Side(TOUR))
    with pytest.raises(UsageError, match="there is no launch 99"):
        compared(Side(TOUR, 99), Side(TOUR))
