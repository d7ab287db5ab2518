"""Each number of the sources' worked cases comes out of a replayed session, or a sentence says why it does not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from tests.bench import seed_numbers
from tests.bench.seed_numbers import PAGE, Case, Row, cases, page, texts, value
from tests.read_once import once

ROWS = [
    pytest.param(case, row, id=f"{name}: {row.what} ({row.where})")
    for name, case in cases().items()
    for row in case.rows
]


@pytest.fixture(scope="module", autouse=True)
def replayed_once() -> Iterator[None]:
    """Each session is replayed by one worker of the run."""
    really = seed_numbers.replayed
    with pytest.MonkeyPatch.context() as patch:
        shared = cache(lambda name: once(f"replayed {name}", lambda: really(name)))
        patch.setattr(seed_numbers, "replayed", shared)
        yield


@pytest.mark.parametrize(("case", "row"), ROWS)
def test_a_number_of_the_sources_is_equal_or_explained(case: Case, row: Row) -> None:
    if row.get:
        found = value(case, row)
        assert found == pytest.approx(row.expected, rel=row.within, abs=1e-9)
        # A stated difference is one, and has its sentence.
        assert (row.program is None) or found != pytest.approx(row.seed, rel=min(row.within, 0.002))
    if row.shows:
        assert row.shows in texts(row.session or case.session)
    if row.program is not None or not row.get:
        assert row.why.endswith(".")


def test_most_numbers_are_equal() -> None:
    """The table must not become a list of excuses."""
    rows = [row for case in cases().values() for row in case.rows]
    equal = [row for row in rows if row.get and row.program is None]
    assert len(rows) >= 170 and len(equal) >= 0.8 * len(rows)


def test_the_page_of_the_worked_cases_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
