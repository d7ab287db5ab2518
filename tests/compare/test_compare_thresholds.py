"""`--fail-on`: three forms, read strictly; what could not be checked is not passed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.compare.compare import compare_diagnoses
from advisor.compare.thresholds import Threshold, check, parse
from advisor.knowledge.base import catalog
from advisor.records.errors import UsageError
from tests.changed import replace

NUMBERS = st.floats(0, 1e6, allow_nan=False).map(lambda x: round(x, 3))


def test_the_three_forms() -> None:
    cat = catalog()
    assert parse("duration>5%", cat) == Threshold("duration>5%", "relative", "duration_ns", 0.05)
    assert parse("dram_pct>+5", cat) == Threshold("dram_pct>+5", "absolute", "dram_pct", 5.0)
    assert parse(" dram_pct < -5 ", cat).limit == -5.0
    assert parse("finding:bank_conflicts", cat) == Threshold("finding:bank_conflicts", "finding", "bank_conflicts")
    assert parse("dram_bytes>10%", cat) == Threshold("dram_bytes>10%", "relative", "dram_bytes", 0.1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not one of 'duration>5%'"),
        ("duration", "is not one of 'duration>5%'"),
        ("duration>>5%", "is not one of"),
        ("duration>5%%", "is not one of"),
        ("duration>five%", "is not one of"),
        ("duration=5%", "is not one of"),
        ("duration>5", "write duration>5%"),
        ("duration>-5%", "> needs a positive change"),
        ("dram_pct<5", "< needs a negative change"),
        ("dram_pct>5%", "in points, without %"),
        ("dram_pc>5", "did you mean 'dram_pct'"),
        ("finding:bank_conflict", "did you mean 'bank_conflicts'"),
        ("finding:", "is not one of"),
        ("duration>1e999%", "too large"),
        ("duration>nan%", "is not one of"),
        ("duration>5%\n", None),
    ],
)
def test_what_is_wrong_is_told_and_how_to_write_it(text: str, says: str | None) -> None:
    if says is None:
        assert parse(text, catalog()).limit == 0.05
        return
    with pytest.raises(UsageError) as caught:
        parse(text, catalog())
    assert says in str(caught.value)


@given(st.text(max_size=40))
def test_any_text_is_a_threshold_or_one_clear_error(text: str) -> None:
    try:
        found = parse(text, catalog())
    except UsageError as error:
        assert "--fail-on" in str(error)
    else:
        assert math.isfinite(found.limit)


@given(NUMBERS, st.sampled_from(["<-", ">", ">+"]), st.sampled_from(["", " "]), st.booleans())
def test_every_well_formed_threshold_is_read_as_it_says(number: float, sign: str, gap: str, relative: bool) -> None:
    name = "dram_bytes" if relative else "dram_pct"
    text = f"{name}{gap}{sign}{number}{'%' if relative else ''}"
    found = parse(text, catalog())
    wanted = (-number if "-" in sign else number) / (100 if relative else 1)
    assert found.limit == pytest.approx(wanted)
    assert found.kind == ("relative" if relative else "absolute")


def pair_of(tour: Any, before: int, after: int, **values: float | None) -> Any:
    """Two launches of the bundled report as a pair, some metrics of the current one replaced (None: unknown)."""
    whole = tour.diagnosis
    metrics = {**whole.launches[after].metrics, **{k: v for k, v in values.items() if v is not None}}
    for name, value in values.items():
        if value is None:
            metrics.pop(name, None)
    current = replace(whole, launches=(replace(whole.launches[after], metrics=metrics),))
    base = replace(whole, launches=(whole.launches[before],))
    return compare_diagnoses(base, current, tour.catalog).pairs[0]


@pytest.mark.parametrize(
    ("before", "after", "text", "crossed"),
    [
        (1, 2, "duration>5%", False),
        (2, 1, "duration>5%", True),
        (1, 2, "duration<-5%", True),
        (1, 1, "duration>0%", False),
        (1, 2, "dram_pct<-5", True),
        (1, 2, "dram_pct>+5", False),
        (2, 1, "dram_bytes>400%", True),
        (2, 1, "dram_bytes>500%", False),
        (1, 2, "finding:uncoalesced_access", False),
        (2, 1, "finding:uncoalesced_access", True),
        (1, 1, "finding:uncoalesced_access", False),
        (1, 2, "finding:bank_conflicts", False),
    ],
)
def test_thresholds_on_real_launches(tour: Any, before: int, after: int, text: str, crossed: bool) -> None:
    outcome = check(parse(text, tour.catalog), pair_of(tour, before, after), tour.catalog)
    assert outcome.crossed is crossed, outcome.text


def test_a_metric_that_a_side_lacks_could_not_be_checked(tour: Any) -> None:
    pair = pair_of(tour, 1, 2, dram_pct=None)
    outcome = check(parse("dram_pct>+5", tour.catalog), pair, tour.catalog)
    assert outcome.crossed is None and "unknown in the current report" in outcome.text


def test_a_relative_change_from_nothing_could_not_be_checked(tour: Any) -> None:
    pair = pair_of(tour, 1, 2, local_sectors=5.0)
    assert check(parse("local_sectors>10%", tour.catalog), pair, tour.catalog).crossed is None
    assert check(parse("local_sectors>+1", tour.catalog), pair, tour.catalog).crossed is True


def test_a_crossing_within_the_noise_crosses_and_says_so(tour: Any) -> None:
    whole = tour.diagnosis
    base = replace(whole, launches=(whole.launches[1],))
    slower = replace(whole.launches[1], duration_ns=whole.launches[1].duration_ns * 1.02)
    pair = compare_diagnoses(base, replace(whole, launches=(slower,)), tour.catalog).pairs[0]
    outcome = check(parse("duration>1%", tour.catalog), pair, tour.catalog)
    assert outcome.crossed is True and "within the noise" in outcome.text
