"""The text of several launches: equal launches have one section, and the kernels worth most have their hot lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor.cli.diagnose import Options, _chosen, _each
from advisor.records.diagnosis import Location
from advisor.view.pages.diagnosis import diagnosis_page, grouped
from advisor.view.writers.terminal import terminal_text
from tests.changed import replace

TOUR = Path(__file__).parents[2] / "kernels" / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"
SOA, GEMM, MANY = 2, 5, 105


@pytest.fixture
def many(tour: Any) -> Any:
    """A diagnosis of 105 equal launches and another one."""
    diagnosis = tour.diagnosis
    equal = [replace(diagnosis.launches[GEMM], index=index) for index in range(MANY)]
    return replace(diagnosis, launches=(*equal, replace(diagnosis.launches[SOA], index=MANY)))


def headings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(("gemm_one_output · ", "particle_field_soa · "))]


def test_equal_launches_have_one_section_with_their_count_unless_all_are_asked_for(many: Any) -> None:
    text = terminal_text(diagnosis_page(many, sections=None, each=False))
    assert headings(text) == [
        "gemm_one_output · launch 0 · H200-SXM · 1.84 ms",
        "particle_field_soa · launch 105 · H200-SXM · 50.1 µs",
    ]
    assert "104 more launches of this kernel and shape have the same class and first finding" in " ".join(text.split())
    assert len(headings(terminal_text(diagnosis_page(many, sections=None)))) == MANY + 1
    asked = Options(reports=(TOUR,))
    assert not _each(asked)
    assert _each(replace(asked, every=True))
    assert _each(replace(asked, launches=(3,)))  # launches named by number are shown, equal or not


def test_a_text_locates_the_kernels_whose_fixes_save_most(many: Any) -> None:
    asked = Options(reports=(TOUR,))
    assert _chosen(many, asked) == [group.at for group in grouped(many.launches)]
    assert _chosen(many, replace(asked, locate=False)) == []
    assert _chosen(many, replace(asked, how=("lsu_saturation",))) == []
    assert _chosen(many, replace(asked, form="json")) == []
    some = replace(many, launches=many.launches * 2)
    assert _chosen(some, asked) == []  # reading that many takes too long
    first = replace(
        many.launches[0].findings[0],
        locations=(Location("gemm.cu", 12, 752, "LDS R1, [R2]", "samples", 0.9, (), 0.9),),
    )
    placed = replace(many, launches=(replace(many.launches[0], findings=(first,)), *many.launches[MANY:]))
    text = terminal_text(diagnosis_page(placed, sections=None, each=False, unlocated=True))
    assert text.count("Hot line") == 2  # in the conclusion and in the section
