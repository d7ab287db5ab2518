"""Phases of a run by what ncu sampled: what a performance engineer reads off the rows of the sampler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.base import catalog
from advisor.knowledge.sampling import sampling_knowledge
from advisor.readers.sampling import MOST, bare_name, joined, sampled
from advisor.reasoning.phases import phases_of, with_phases
from advisor.records.sampling import SampledSeries, Sampling
from advisor.view.charts.over_time import chart, picture

BUSY = 60.0


def samples(**series: list[float]) -> Sampling:
    known = sampling_knowledge().series
    made = tuple(
        SampledSeries(name, known[name].title, known[name].scale, tuple(values)) for name, values in series.items()
    )
    return Sampling(1000.0, len(made[0].values), 1, 0, made)


def kinds(sampling: Sampling) -> list[tuple[str, float, float]]:
    return [(phase.id, round(phase.start, 2), round(phase.end, 2)) for phase in phases_of(sampling, BUSY)]


def test_an_even_run_is_one_phase():
    assert kinds(samples(dram=[90.0] * 40, sm=[10.0] * 40, active=[100.0] * 40)) == [("memory", 0, 1)]


def test_loading_and_computing_are_two_phases():
    found = kinds(samples(dram=[90.0] * 20 + [3.0] * 20, sm=[5.0] * 20 + [95.0] * 20, active=[100.0] * 40))
    assert found == [("memory", 0, 0.5), ("compute", 0.5, 1)]


def test_a_last_wave_on_few_sms_is_a_tail_and_an_early_dip_is_not():
    busy, alone = [95.0] * 30, [4.0] * 10
    assert kinds(samples(dram=[1.0] * 40, sm=busy + alone, active=[100.0] * 30 + [3.0] * 10)) == [
        ("compute", 0, 0.75),
        ("tail", 0.75, 1),
    ]
    dip = [95.0] * 15 + [4.0] * 10 + [95.0] * 15
    found = kinds(samples(dram=[1.0] * 40, sm=dip, active=[100.0] * 15 + [3.0] * 10 + [100.0] * 15))
    assert [kind for kind, _, _ in found] == ["compute", "pause", "compute"]


def test_no_unit_at_work_is_waiting():
    assert kinds(samples(dram=[30.0] * 40, sm=[20.0] * 40)) == [("latency", 0, 1)]


def test_a_low_sample_is_no_waiting_if_the_unit_that_leads_was_not_sampled():
    """L1 runs at 86 % by its counter, and only DRAM and the issue slots were sampled."""
    low = samples(dram=[5.0] * 40, sm=[9.0] * 40, active=[100.0] * 40)

    def phases(**measured: float) -> list[str]:
        found = with_phases(catalog(), low, None, measured)
        assert found is not None
        return [phase.id for phase in found.phases]

    assert phases(memory_pct=86, compute_pct=38) == []
    assert phases(memory_pct=7, compute_pct=12) == ["latency"]
    assert phases() == ["latency"]
    busy = samples(dram=[5.0] * 40, sm=[90.0] * 40, active=[100.0] * 40)
    found = with_phases(catalog(), busy, None, {"memory_pct": 86.0, "compute_pct": 90.0})
    assert found is not None and [phase.id for phase in found.phases] == ["compute"]


def test_a_short_change_is_no_phase():
    dram = [90.0] * 20 + [20.0] + [90.0] * 19
    assert kinds(samples(dram=dram, sm=[5.0] * 40)) == [("memory", 0, 1)]


def test_without_one_of_the_sides_nothing_is_said():
    assert kinds(samples(dram=[90.0] * 40, active=[100.0] * 40)) == []
    assert kinds(samples(sm=[90.0] * 40)) == []
    assert kinds(samples(dram=[90.0] * 5, sm=[90.0] * 5)) == []


@pytest.mark.parametrize(
    "wrong",
    [
        Sampling(1.0, 9, 1, 0, (SampledSeries("dram", "x", "percent", ()),)),
        Sampling(1.0, 9, 1, 0, (SampledSeries("no such series", "x", "percent", (1.0,) * 9),)),
        Sampling(1.0, 9, 1, 0, (SampledSeries("dram", "x", "percent", (float("nan"),) * 9),)),
        Sampling(1.0, 9, 1, 0, (SampledSeries("dram", "x", "percent", (1e308,) * 9),)),
    ],
)
def test_samples_that_cannot_be_are_left_out(wrong: Sampling):
    assert with_phases(catalog(), wrong) is None


def test_samples_over_another_time_than_the_launch_are_not_its_own():
    sampling = samples(dram=[90.0] * 40, sm=[5.0] * 40)  # 40 samples, 1 µs apart
    assert with_phases(catalog(), sampling, 42_000.0) is not None
    assert with_phases(catalog(), sampling, 600.0) is None and with_phases(catalog(), sampling, 100_000.0) is None


def test_a_title_from_a_file_is_not_shown():
    made = with_phases(catalog(), Sampling(1.0, 9, 1, 0, (SampledSeries("dram", "\x1b[2J", "largest", (1.0,) * 9),)))
    assert made is not None and (made.series[0].title, made.series[0].scale) == ("DRAM throughput", "percent")


@given(
    st.lists(st.tuples(st.floats(0, 120), st.floats(0, 120), st.floats(0, 100)), min_size=1, max_size=80),
    st.integers(20, 200),
    st.booleans(),
)
def test_phases_cover_the_run_in_order_and_every_row_fits(rows: list[Any], width: int, blocks: bool):
    dram, sm, active = (list(values) for values in zip(*rows, strict=True))
    made = with_phases(catalog(), samples(dram=dram, sm=sm, active=active))
    assert made is not None
    for before, after in zip(made.phases, made.phases[1:], strict=False):
        assert before.end <= after.start and before.id != after.id
    assert all(0 <= phase.start < phase.end <= 1 for phase in made.phases)
    assert all(len(row) <= max(width, 40) for row in picture(made, width, blocks))
    assert chart(made).height > 0


@pytest.mark.parametrize(
    ("name", "series"),
    [
        ("FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed", "dram"),
        ("TriageSCG.sm__throughput.avg.pct_of_peak_sustained_elapsed", "sm"),
        ("pmsampling:sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed", "tensor"),
        ("dram__throughput.avg.pct_of_peak_sustained_elapsed", ""),  # the average over the run, not a series
    ],
)
def test_a_name_of_every_generation_is_known(name: str, series: str):
    from advisor.knowledge.sampling import sampled_names

    assert sampled_names().get(bare_name(name), "") == series


class Metric:
    """A metric of ncu_report: the total at time 0, then samples from `first` on, in steps of 1500 ns."""

    def __init__(self, values: list[float], first: int) -> None:
        self._values, self._times = [0.0, *values], [0, *(first + 1500 * at for at in range(len(values)))]

    def num_instances(self) -> int:
        return len(self._values)

    def as_double(self, at: int) -> float:
        return self._values[at]

    def has_correlation_ids(self) -> bool:
        return True

    def correlation_ids(self) -> Any:
        return self

    def as_uint64(self, at: int) -> int:
        return self._times[at]

    def value(self) -> float:
        return 1500.0


class Action:
    def __init__(self, **metrics: Metric) -> None:
        self._metrics = metrics

    def metric_by_name(self, name: str) -> Metric | None:
        return self._metrics.get(name)


def test_passes_are_cut_to_the_kernel_and_drawn_above_each_other():
    idle = [0.0] * 30
    action = Action(
        a=Metric(idle + [90.0] * 100 + idle, 10**18),
        b=Metric(idle + [100.0] * 99 + [0.8] + idle, 10**18),
        c=Metric([0.0] * 5 + [40.0] * 98 + idle, 2 * 10**18),
    )
    found = sampled(action, {"a": "dram", "b": "active", "c": "sm"})
    # Samples of two runs cannot be subtracted from each other.
    assert found is not None and (found["runs"], found["samples"], found["phases"]) == (2, 100, None)
    assert {name: len(values) for name, values in found["series"].items()} == {"dram": MOST, "active": MOST, "sm": MOST}
    # One SM that works alone is part of the run.
    assert 0 < found["series"]["active"][-1] < 60 and min(found["series"]["sm"]) == 40


def test_a_run_of_few_samples_has_none():
    assert sampled(Action(a=Metric([50.0] * 7, 10**18)), {"a": "dram"}) is None
    assert sampled(Action(), {"a": "dram"}) is None


def test_parts_are_means():
    assert joined([1.0, 3.0] * MOST) == [2.0] * MOST


def test_the_tail_of_the_bundled_report_is_half_of_its_run(tour: Any, tour_path: Path):
    launch = next(one for one in tour.diagnosis.launches if one.kernel == "one_block_too_many")
    assert [phase.id for phase in launch.sampling.phases] == ["compute", "tail"]
    assert launch.sampling.phases[1].start == pytest.approx(0.5, abs=0.05)
    assert launch.sampling.duration_ns == pytest.approx(launch.duration_ns, rel=0.05)


def test_a_wide_page_draws_the_strip_as_a_page_of_78_columns_does():
    """So that a screen and a document of the same launch can be compared, character by character."""
    made = with_phases(catalog(), samples(dram=[90.0] * 40, sm=[5.0] * 40))
    assert made is not None
    assert picture(made, 200, True) == picture(made, 78, True) != picture(made, 60, True)
