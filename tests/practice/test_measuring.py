"""`practice sweep` and `practice calibrate` as a learner meets them, with stand-ins for CuPy and ncu."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from learner import DONE, NAME, TILE, Learner, cut
from standin_runs import RIGHT, source

from advisor.hardware.ceilings import FILE, measured


def test_a_sweep_shows_every_point_and_the_best(learner: Learner) -> None:
    learner.edits(
        source(RIGHT, "// microseconds scale: 20 - block[0] / 64", launch="scale<<<ceil(n / block), 256>>>(x, y, a, n)")
    )
    text = learner.does("sweep", NAME, "--vary", "block")
    lines = [line for line in text.splitlines() if "block" in line[:10] or "as written" in line]
    rows = {re.split(r"\s{2,}", line[2:])[0]: line for line in lines}
    assert rows["as written"].split()[2:4] == ["16", "µs"]
    assert rows["block 1024"].startswith("* ") and "4.0×" in rows["block 1024"]
    assert "0.82×" in rows["block 32"]
    assert "Best: block 1024, a speedup of 4.0× over the source." in text
    assert "practice check 1" in text


def test_a_point_that_cannot_run_has_its_reason_in_its_row(learner: Learner) -> None:
    learner.edits(source(f"block[0] > 512 and errors.driver('LAUNCH_OUT_OF_RESOURCES'); {RIGHT}"))
    text = learner.does("sweep", NAME, "--vary", "block")
    assert re.search(r"^  block 768 +- ", text, re.MULTILINE) and "the block does not fit on an SM" in " ".join(
        text.split()
    )
    assert "No point is faster" in text


def test_a_sweep_of_what_does_not_compile_is_a_failed_check(learner: Learner) -> None:
    learner.edits(source(RIGHT, "y; // compiler: error: y"))
    assert "a-vector-doubled.cu:4: y" in learner.does("sweep", NAME, "--vary", "carveout", code=1)


def test_a_sweep_without_a_gpu_is_one_line(learner: Learner) -> None:
    learner.edits(source())
    learner.environment(STANDIN_CUPY="no_gpu")
    assert "no NVIDIA GPU can be used here" in learner.fails("sweep", NAME)


def test_a_sweep_may_be_profiled(learner: Learner, tmp_path: Path) -> None:
    learner.edits(source())
    (tmp_path / "six.ncu-rep").write_bytes(cut(0, 1, 2, 3, TILE, DONE))
    learner.environment(STANDIN_REPORT=str(tmp_path / "six.ncu-rep"))
    text = learner.does("sweep", NAME, "--vary", "carveout", "--profile")
    rows = [line for line in text.splitlines() if "shared memory" in line or "as written" in line[:12]]
    assert "Occupancy" in text and len([row for row in rows if row.endswith("%")]) == 6
    learner.environment(STANDIN_NCU="forbidden")
    result = learner.says("sweep", NAME, "--vary", "carveout", "--profile")
    assert result.return_value == 2 and "as written" in result.stdout
    assert "NVreg_RestrictProfilingToAdminUsers=0" in result.stderr


def test_ceilings_are_measured_shown_and_kept(learner: Learner) -> None:
    text = learner.does("calibrate")
    assert "Stand-in GPU (CC 9.0)" in text and re.search(r"^read .* 20$", text, re.MULTILINE)
    assert str(learner.data / FILE) in text
    found = measured("Stand-in GPU", "9.0")
    assert found is not None and found.copy.rate == pytest.approx(8 * 4096 / 10e-6)


def test_a_calibration_that_cannot_be_run_keeps_nothing(learner: Learner) -> None:
    learner.environment(STANDIN_CUPY="no_gpu")
    assert "no NVIDIA GPU can be used here" in learner.fails("calibrate")
    assert not (learner.data / FILE).exists()
