"""What the fixes give the whole program, against sums done by hand on a planted trace."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advisor.knowledge.base import catalog
from advisor.records.diagnosis import Verdict
from advisor.timeline.analyse import analyse
from advisor.timeline.results import TimelineResult
from advisor.triage.application import applications
from advisor.triage.files import File
from advisor.triage.one_file import Part
from advisor.triage.results import Group, Triage
from advisor.triage.tally import PS, CauseTally, Conclusion, Example, Key, Tally
from tests.timeline.generator import MS, Planted

_CONCLUSION = msgspec.msgpack.encode(Conclusion(Verdict(id="balanced", title="", because="")))


def profiled(*kernels: tuple[str, float, float]) -> Triage:
    """A result with a group for each (full name, ms profiled, ms that its fix gives back)."""
    result = Triage(catalog())
    groups = []
    for name, time, back in kernels:
        time_ps, back_ps = round(time * MS * PS), round(back * MS * PS)
        cause = CauseTally(1, 1, time_ps, 1, time_ps, back_ps, back_ps, back_ps)
        key = Key(f"void {name}(float*)", name, (len(groups) + 1, 1, 1))
        groups.append((key, Tally(1, 1, 0, time_ps, causes={"bank_conflicts": cause}, classes={"balanced": 1})))
        groups[-1][1].example = Example("a", 0, time_ps, back_ps, _CONCLUSION)
    result.files["a"] = File("a", "a", 1, 1, True)
    result.add("a", Part(launches=len(groups), groups=groups))
    return result


def traced(folder: Path, *kernels: tuple[int, int, str, int]) -> TimelineResult:
    """A trace of (start ms, length ms, short name, stream)."""
    trace = Planted()
    for start, length, name, stream in kernels:
        trace.kernel(start * MS, length * MS, f"void {name}(float*)", name, stream=stream)
    path = folder / "trace.sqlite"
    trace.write(path)
    return analyse([path])


def whole_of(timeline: TimelineResult) -> float:
    trace, gpu = timeline.traces[0], timeline.gpus[0]
    assert gpu.window is not None
    return float(trace.run or gpu.window[1] - gpu.window[0])


def test_a_kernel_counts_by_its_share_of_the_program(tmp_path: Path) -> None:
    """60 ms of `hot` give back half, 20 ms of `warm` a quarter; 20 ms are idle or unprofiled."""
    timeline = traced(tmp_path, (0, 60, "hot", 7), (60, 20, "warm", 7), (90, 10, "other", 7))
    (found,) = applications(profiled(("hot", 3, 1.5), ("warm", 8, 2)), timeline)
    whole = whole_of(timeline)
    hot, warm = found.kernels
    assert (hot.kernel, hot.fix, hot.back_ns) == ("hot", "bank_conflicts", pytest.approx(30 * MS))
    assert warm.back_ns == pytest.approx(5 * MS)
    assert hot.gain == pytest.approx(whole / (whole - 30 * MS))
    assert found.gain == pytest.approx(whole / (whole - 35 * MS))
    assert [name for name, _ in found.unprofiled] == ["other"]
    assert found.profiled_pct == pytest.approx(100 * 80 * MS / whole)


def test_kernels_side_by_side_are_not_counted_twice(tmp_path: Path) -> None:
    """Two kernels of 40 ms at the same time take up 40 ms: halving both gives back 20 ms, not 40."""
    timeline = traced(tmp_path, (0, 40, "left", 7), (0, 40, "right", 8), (40, 10, "rest", 7))
    (found,) = applications(profiled(("left", 2, 1), ("right", 2, 1)), timeline)
    whole = whole_of(timeline)
    assert found.overlap == pytest.approx(50 / 90)
    assert found.gain == pytest.approx(whole / (whole - 50 / 90 * 40 * MS))
    assert found.gain < whole / (whole - 40 * MS)


def test_shapes_of_one_kernel_weigh_by_their_time_and_strangers_are_told(tmp_path: Path) -> None:
    timeline = traced(tmp_path, (0, 50, "hot", 7))
    (found,) = applications(profiled(("hot", 1, 0.5), ("hot", 3, 0)), timeline)
    assert found.kernels[0].profiled == 2
    assert found.kernels[0].speedup == pytest.approx(4 / 3.5)
    (none,) = applications(profiled(("cold", 1, 0.5)), timeline)
    assert (none.kernels, none.gain) == ((), 1.0)
    assert none.unprofiled[0][0] == "hot"


def test_groups_read_back_as_they_were_folded() -> None:
    groups: list[Group] = list(profiled(("hot", 3, 1.5), ("warm", 8, 2)).groups())
    assert [(g.kernel, g.back_ns, g.speedup) for g in groups] == [("warm", 2 * MS, 8 / 6), ("hot", 1.5 * MS, 2.0)]
