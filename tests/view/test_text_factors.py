"""Factors, titles and evidence as the faces print them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.records.diagnosis import Comparison, Missing
from advisor.view.numbers import speedup_text
from advisor.view.pages.diagnosis import diagnosis_page
from advisor.view.pages.launch import evidence_rows, next_text
from advisor.view.text import title_text
from advisor.view.writers.terminal import terminal_text
from tests.changed import replace


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.04, "1.04×"), (1.2345, "1.2×"), (9.96, "10×"), (15.9, "16×"), (99.6, "100×"), (159, "159×")],
)
def test_a_factor_in_a_column_is_never_a_power_of_ten(value: float, text: str) -> None:
    assert speedup_text(value) == text


@pytest.mark.parametrize("width", [60, 80, 160])
def test_a_long_name_is_cut_and_not_what_stands_behind_it(tour: Any, width: int) -> None:
    launch = replace(tour.diagnosis.launches[3], kernel="sm80_xmma_gemm_" * 20)
    title = title_text(launch, width, "H200-SXM", "2.69 ms")
    assert title.endswith("… · launch 3 · H200-SXM · 2.69 ms") and len(title) <= width


def test_evidence_is_told_once_an_observation_with_the_tests_that_hold() -> None:
    def item(metric: str, test: str, margin: float) -> Comparison:
        return Comparison(
            observation="busy",
            metric=metric,
            value=70.0,
            unit="%",
            test=test,
            threshold=60.0,
            holds=margin > 0,
            margin=margin,
            margin_abs=margin,
            cites=("guide",),
            says="it is busy",
        )

    found = (item("a_pct", ">= 60", 0.2), item("a_pct", "< 80", 0.1), item("b_pct", "> 90", -0.2))
    held = (("a_pct = 70 %, test >= 60, margin +20 %", "test < 80, margin +10 %"), ("guide",))
    assert evidence_rows((*found, *found)) == [("it is busy", *held)]
    # Where nothing holds, what fails is what there is to see.
    assert evidence_rows(found[2:])[0][1] == ("b_pct = 70 %, test > 90, margin -20 %",)


def test_what_is_near_its_limit_as_far_as_is_known_is_not_called_finished(tour: Any) -> None:
    launch = next(x for x in tour.diagnosis.launches if x.kernel == "vector_copy")
    first = launch.findings[0]
    assert next_text(first, launch).startswith("look for speedups elsewhere")
    lacking = replace(launch, missing=(Missing("global_sectors_ideal", (first.id,), ""),))
    assert next_text(first, lacking).startswith("before you stop, collect")
    text = terminal_text(diagnosis_page(replace(tour.diagnosis, launches=(lacking,)), sections=None))
    assert "Stop here" not in text and "Stop here" in terminal_text(
        diagnosis_page(replace(tour.diagnosis, launches=(launch,)), sections=None)
    )
