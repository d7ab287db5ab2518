"""A sweep varies one thing at a time, checks every point, and names a best one only beyond the noise."""

from __future__ import annotations

from pathlib import Path

import pytest
from standin_runs import RIGHT, STANDIN, exercise, runner, source

from advisor.practice.sweep import AXES, Sweep, label, profiled, sweep, variations
from advisor.practice.tasks import Task, Variation
from advisor.records.errors import UsageError
from tests.changed import replace

LAUNCH = "scale<<<ceil(n / block), 256>>>(x, y, a, n)"


def task(tmp_path: Path, micro: str = "10", python: str = RIGHT) -> Task:
    return exercise(tmp_path, {"mine": source(python, f"// microseconds scale: {micro}", launch=LAUNCH)})


def swept(tmp_path: Path, micro: str = "10", python: str = RIGHT, axis: str = "block") -> Sweep:
    return sweep(task(tmp_path, micro, python), (axis,), runner(), runs=6)  # type: ignore[arg-type]


def test_the_fastest_block_is_found(tmp_path: Path) -> None:
    found = swept(tmp_path, "10 + abs(block[0] - 128) / 16")
    assert [p.label for p in found.points] == ["as written", *(f"block {b}" for b in AXES["block"])]
    assert found.best is not None and found.best.vary == Variation(block=128)
    assert found.best.time is not None and found.best.time.median == 10_000.0
    assert found.best.judged is not None and found.best.judged.speedup == pytest.approx(1.8)


def test_where_all_points_are_alike_none_is_best(tmp_path: Path) -> None:
    found = swept(tmp_path)
    assert found.best is None and found.failure is None
    assert {p.judged.word for p in found.points if p.judged is not None} == {"same"}


def test_a_point_that_cannot_run_or_is_wrong_is_a_row_that_says_so(tmp_path: Path) -> None:
    python = (
        "block[0] > 512 and errors.driver('CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES'); "
        "block[0] == 32 and errors.later('cudaErrorIllegalAddress'); "
        "args[1][:] = args[0] * args[2]; args[1][7:] += block[0] == 64"
    )
    found = swept(tmp_path, "block[0] / 10", python)
    said = {p.label: p.problem for p in found.points}
    assert "does not fit on an SM" in said["block 1024"] and "outside the arrays" in said["block 32"]
    assert said["block 64"].startswith("wrong result: y[7] is ")
    assert found.best is not None and found.best.label == "block 96"


def test_registers_are_capped_and_shown(tmp_path: Path) -> None:
    found = swept(tmp_path, "registers", axis="registers")
    assert {p.label: p.registers for p in found.points}["24 registers"] == 24
    assert found.points[0].registers == 24 and found.best is None


def test_a_source_as_written_that_fails_ends_the_sweep(tmp_path: Path) -> None:
    found = swept(tmp_path, python="errors.later('cudaErrorIllegalAddress')")
    assert found.failure is not None and found.failure.kind == "illegal_address" and found.points == ()
    assert [j.step for j in found.outcome.jobs] == ["as written"]  # no time limit is waited for at every point


def test_a_machine_without_a_gpu_says_so(tmp_path: Path) -> None:
    found = sweep(task(tmp_path), ("block",), runner(STANDIN_CUPY="no_gpu"))
    assert found.failure is not None and found.failure.kind == "no_gpu"


def test_a_block_of_two_dimensions_and_a_fixed_grid_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(source(launch="scale<<<16, (32, 8)>>>(x, y, a, n)"), encoding="utf-8")
    points, notes = variations(path, ("block", "carveout"))
    assert [p.carveout for p in points] == list(AXES["carveout"]) and "more than one dimension" in notes[0]
    path.write_text(source(launch="scale<<<16, 256>>>(x, y, a, n)"), encoding="utf-8")
    points, notes = variations(path, ("block",))
    assert len(points) == len(AXES["block"]) and "does not depend on `block`" in notes[0]


def test_only_a_cu_can_be_swept(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"only a \.cu can be swept: its launch lines"):
        variations(tmp_path / "a.py")


def test_a_label_names_all_that_is_varied() -> None:
    assert label(Variation(64, 25, 32)) == "block 64, 25 % shared memory, 32 registers"


def test_a_profile_adds_its_metrics_to_the_points_that_ran(tmp_path: Path) -> None:
    one = task(tmp_path, "block[0]", f"block[0] > 512 and errors.driver('LAUNCH_OUT_OF_RESOURCES'); {RIGHT}")
    with_log = runner(STANDIN_LOG=str(tmp_path / "log"))
    found = sweep(one, ("block",), runner(), runs=6)

    def reader(report: Path) -> list[dict[str, float]]:
        assert report == tmp_path / "sweep.ncu-rep"
        return [{"occupancy_achieved_pct": float(i)} for i in range(9)]

    table = profiled(found, one, tmp_path / "sweep", with_log, ncu=STANDIN / "ncu", reader=reader)
    assert table.failure is None and table.report == tmp_path / "sweep.ncu-rep"
    metrics = {p.label: dict(p.metrics) for p in table.points}
    assert (
        metrics["as written"] == {"occupancy_achieved_pct": 0.0}
        and metrics["block 32"]["occupancy_achieved_pct"] == 1.0
    )
    assert metrics["block 768"] == {} and metrics["block 512"]["occupancy_achieved_pct"] == 8.0
    assert table.best is not None and dict(table.best.metrics) == {"occupancy_achieved_pct": 1.0}
    short = profiled(
        found,
        one,
        tmp_path / "s",
        with_log,
        ncu=STANDIN / "ncu",
        reader=lambda r: reader(tmp_path / "sweep.ncu-rep")[1:],
    )
    assert short.failure is not None and "has 8 launches, but 9 were profiled" in short.failure.words


def test_a_profile_that_fails_keeps_the_table(tmp_path: Path) -> None:
    one = task(tmp_path)
    found = sweep(one, ("carveout",), runner(), runs=6)
    forbidden = replace(runner(STANDIN_LOG=str(tmp_path / "log"), STANDIN_NCU="forbidden"))
    table = profiled(found, one, tmp_path / "s", forbidden, ncu=STANDIN / "ncu")
    assert table.points == found.points and table.failure is not None and table.failure.kind == "counters_forbidden"
