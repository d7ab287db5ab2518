"""Phases within a kernel, from samples over its run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.readers.sampling import FEWEST, phases


def test_an_even_kernel_has_no_phases() -> None:
    assert phases([0.0] * 10 + [80.0] * 200 + [0.0] * 10, [0.0] * 10 + [20.0] * 200 + [0.0] * 10) == pytest.approx(0)


def test_a_kernel_that_loads_and_then_computes_has_phases() -> None:
    found = phases([90.0] * 100 + [2.0] * 100, [5.0] * 100 + [95.0] * 100)
    assert found is not None and found > 1


def test_too_few_samples_say_nothing() -> None:
    assert phases([90.0] * (FEWEST - 1), [5.0] * (FEWEST - 1)) is None


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), max_size=300))
def test_phases_are_a_share_or_unknown(samples: list[tuple[float, float]]) -> None:
    found = phases([d for d, _ in samples], [s for _, s in samples])
    assert found is None or 0 <= found <= 2


def test_the_second_wave_of_a_single_block_shows_as_a_phase(tour: Any) -> None:
    values = {x.kernel: x.metrics.get("sampling_phases") for x in tour.diagnosis.launches}
    assert values["one_block_too_many"] > 0.5
    assert values["vector_copy"] < 0.1
    assert values["small_saxpy"] is None
