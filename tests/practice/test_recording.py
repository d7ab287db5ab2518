"""What a run on a GPU measured becomes a folder of its own: a report cut to the exercise, and its record."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from learner import NAME, TILE, TOUR, kernels, tour, use

from advisor.practice import manifest as recorded
from advisor.practice import selfcheck
from advisor.practice.api import Card
from advisor.practice.manifest import RECORD, REPORT, digest, exercise
from advisor.practice.selfcheck import Measured, StepData, of_recording
from advisor.readers.read import read
from advisor.records.errors import InputError, KnowledgeError
from advisor.records.readings import IDENTITY
from tests.changed import replace

SAID = selfcheck.Circumstances(
    Card("Stand-in GPU", "9.0", 4, 8 << 30, 1 << 12, 232448, 233472),
    "580.1", "13.0", "14.2.0", "2025.3.1", 1.98e9, 3.2e9, "2026-01-02", 7,
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use(monkeypatch, kernels(tmp_path / "kernels"))
    return tmp_path / "kernels" / NAME


def whole(tmp_path: Path) -> Path:
    """The bundled report, not packed."""
    path = tmp_path / "all.ncu-rep"
    path.write_bytes(tour())
    return path


def measured(tmp_path: Path, slow: tuple[int, ...] = (9, 10), fast: tuple[int, ...] = (TILE,)) -> Measured:
    steps = {"slow": StepData((20000.04, 20001.0) * 10, slow), "fast": StepData((10000.0,) * 20, fast)}
    return Measured(exercise(NAME), "Stand-in GPU", 4e12, {"n": 4096}, steps, whole(tmp_path))


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is written of a measurement: packing that takes two seconds."""
    place = tmp_path_factory.mktemp("recorded")
    with pytest.MonkeyPatch.context() as patch:
        use(patch, kernels(place / "kernels"))
        selfcheck.write(measured(place), SAID, place / "h200")
    return place / "h200"


@pytest.fixture
def written(packed: Path, folder: Path) -> Path:
    """The folder of the exercise, with that."""
    shutil.copytree(packed, folder / "recorded" / "h200")
    return folder


def test_the_report_is_cut_to_the_launches_with_all_that_they_measured(written: Path) -> None:
    cut = read(written / "recorded" / "h200" / REPORT)
    assert cut.info.complete and cut.info.problems == ()
    before = read(TOUR).frame
    before = before[before["index"].isin([TILE, 9, 10])].reset_index(drop=True)
    after = cut.frame.reset_index(drop=True)
    assert list(after["index"]) == [0, 1, 2]
    numbers = [c for c in before.columns if c not in IDENTITY and before[c].notna().any()]
    assert len(numbers) > 100
    for name in numbers:
        np.testing.assert_array_equal(before[name].to_numpy(), after[name].to_numpy(), err_msg=name)
    assert list(before["kernel_full"]) == list(after["kernel_full"])
    assert list(before["opcodes"]) == list(after["opcodes"])


def test_the_record_says_which_launch_is_whose_and_where_it_was_made(written: Path) -> None:
    found = recorded.recording(exercise(NAME))
    assert found is not None
    record = found.record
    assert {k: v.launches for k, v in record.steps.items()} == {"slow": (1, 2), "fast": (0,)}
    assert record.steps["slow"].times_ns == (20000.0, 20001.0) * 10
    assert record.steps["slow"].code == digest(exercise(NAME), exercise(NAME).step_of("slow"))
    assert (record.driver, record.ncu, record.date) == ("580.1", "2025.3.1", "2026-01-02")
    assert (record.sizes, record.seed) == ({"n": 4096}, 7)
    assert record.card == SAID.card
    again = of_recording(exercise(NAME))
    assert again is not None and again.steps["fast"].launches == (0,) and again.copy == 4e12


def test_what_was_not_profiled_or_timed_is_not_recorded(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "recorded"
    for broken in (
        replace(measured(tmp_path), steps={"slow": StepData((1.0,), (0,))}),
        measured(tmp_path, slow=()),
        measured(tmp_path, slow=(500,)),
    ):
        with pytest.raises(InputError):
            selfcheck.write(broken, SAID, place)
    assert not place.exists()


def test_a_damaged_report_is_not_recorded(folder: Path, tmp_path: Path) -> None:
    m = measured(tmp_path)
    m.report.write_bytes(m.report.read_bytes()[:100_000])
    with pytest.raises(InputError, match="profile again"):
        selfcheck.write(m, SAID, tmp_path / "recorded")


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("// Doubles a vector.", "// Doubles it.", True),
        ("  if (i < n)", "  /* inside */ if (i < n)", True),
        ("  if (i < n)", "\n\n      if (i  <  n)", True),
        ("y[i] = a * x[i]", "y[i] = x[i] * a", False),
        ("ceil(n / 256), 256", "ceil(n / 128), 128", False),
    ],
)
def test_the_digest_follows_the_code_and_not_its_comments(folder: Path, old: str, new: str, same: bool) -> None:
    one = exercise(NAME)
    before = digest(one, one.steps[0])
    source = folder / "1-slow.cu"
    text = source.read_text(encoding="utf-8")
    assert old in text
    source.write_text(text.replace(old, new), encoding="utf-8")
    assert (digest(one, one.steps[0]) == before) is same


def test_a_folder_without_a_recording_has_none(folder: Path) -> None:
    assert recorded.recording(exercise(NAME)) is None


def test_a_damaged_record_is_named(written: Path, tmp_path: Path) -> None:
    place = written / "recorded" / "h200"
    (place / REPORT).rename(tmp_path / "gone")
    with pytest.raises(KnowledgeError, match="missing beside"):
        recorded.recording(exercise(NAME))
    (place / RECORD).write_text("{", encoding="utf-8")
    with pytest.raises(KnowledgeError, match=f"{RECORD}:1"):
        recorded.recording(exercise(NAME))


def test_versions_are_as_people_write_them() -> None:
    assert selfcheck.versions_of({"runtime": "12090", "cupy": "14.2.0"}) == ("12.9", "14.2.0")
    assert selfcheck.versions_of({}) == ("", "")


def test_without_nvidia_smi_the_driver_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert selfcheck.driver_version() == ""


def test_the_driver_is_that_of_the_first_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smi = tmp_path / "nvidia-smi"
    smi.write_text("#!/bin/sh\necho '580.1'\necho '570.0'\n", encoding="utf-8")
    smi.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert selfcheck.driver_version() == "580.1"


def test_clocks_are_those_of_the_launches() -> None:
    frame = pd.DataFrame({"sm_clock_hz": [1.97e9, 1.98e9, 0.35e9], "dram_clock_hz": [math.nan] * 3})
    assert selfcheck.clocks(frame) == (1.97e9, 0.0)
    assert selfcheck.clocks(frame[["dram_clock_hz"]]) == (0.0, 0.0)


def test_all_recordings_are_written_and_told(tmp_path: Path, folder: Path) -> None:
    told: list[str] = []
    selfcheck.write_all([measured(tmp_path)], SAID, "stand-in", told.append)
    assert told == [NAME]
    assert (folder / "recorded" / "stand-in" / RECORD).is_file()
