"""The ceilings of a card: measured by checked kernels, kept in one file, read by name and compute capability."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from standin_runs import runner

from advisor.hardware.ceilings import FILE, Ceiling, Ceilings, measured, shares
from advisor.practice import calibrate as room
from advisor.practice.api import Card, Work
from advisor.practice.bench import compare
from advisor.practice.calibrate import KERNELS, calibrate, keep, request
from advisor.practice.launchlines import read_lines
from advisor.practice.run import JobResult, Outcome, Problem
from advisor.practice.tasks import load_case
from advisor.records import resources
from advisor.records.errors import InputError

FOLDER = resources.folder("kernels") / "ceilings"
SMALL = Card("Stand-in GPU", "9.0", 1, 1 << 20, 1 << 12, 1 << 17, 1 << 17)


def now() -> datetime:
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def some(gpu: str = "Stand-in GPU", rate: float = 4e12) -> Ceilings:
    one = Ceiling(rate, rate * 0.99, rate * 1.01, 0.01, 20)
    return Ceilings(gpu, "9.0", "2026-01-02T03:04:05+00:00", "13000", one, one, one, one)


def emulated(name: str, data: dict[str, Any], n: dict[str, int], case: Any) -> dict[str, Any]:
    """What the kernel writes, in the arithmetic that it uses."""
    if name == "copy":
        return {"y": data["x"].copy()}
    if name == "read":
        lines = data["x"].reshape(-1, 4)
        sums = np.zeros(n["threads"], np.float32)
        for at in range(0, n["n"], n["threads"]):
            part = lines[at : at + n["threads"]].sum(axis=1, dtype=np.float32)
            sums[: len(part)] += part
        return {"sums": sums}
    a, b = case.scalars(n).values()
    v = ((np.arange(n["threads"])[:, None] + np.arange(8)[None, :]) % 1024).astype(type(a))
    for _ in range(n["rounds"]):
        v = v * a + b
    return {"y": v.sum(axis=1, dtype=type(a))}


@pytest.mark.parametrize("name", KERNELS)
def test_the_reference_of_a_ceiling_agrees_with_its_kernel(name: str) -> None:
    case = load_case(FOLDER / f"{name}.py")
    n = case.sizes(SMALL)
    data = case.inputs(np, np.random.default_rng(3), n)
    out = emulated(name, data, n, case)
    part = getattr(case, "checked", lambda o, _: o)(out, n)
    for key, want in case.reference(np, data, n).items():
        assert compare(np, key, part[key], want, case.TOLERANCES[key], True) is None
        spoiled = part[key].copy()
        spoiled[-1] *= np.float32(1.01)
        assert compare(np, key, spoiled, want, case.TOLERANCES[key], True) is not None
    assert getattr(case.work(n), KERNELS[name]) > 0


@pytest.mark.parametrize("name", KERNELS)
def test_a_ceiling_leaves_room_on_a_small_card(name: str) -> None:
    case = load_case(FOLDER / f"{name}.py")
    n = case.sizes(Card("small", "7.5", 40, 4 << 30, 4 << 20, 1 << 16, 1 << 16))
    assert case.work(n).bytes <= 0.4 * (4 << 30)
    read_lines((FOLDER / f"{name}.cu").read_text(encoding="utf-8"), name)


def test_rates_are_work_over_the_median(monkeypatch: pytest.MonkeyPatch) -> None:
    times = (900.0, 1000.0, 1000.0, 1000.0, 1100.0)
    jobs = tuple(JobResult(k, k, correct=True, times_ns=times) for k in KERNELS)
    problems = tuple((k, Problem({}, Work(2000.0, 4000.0))) for k in KERNELS)
    outcome = Outcome(SMALL, (("driver", "13000"),), None, problems, jobs)
    monkeypatch.setattr(room, "run", lambda request, runner, show: outcome)
    found = calibrate(1, now).ceilings
    assert found is not None
    assert (found.copy.rate, found.fp32.rate) == (2000 / 1e-6, 4000 / 1e-6)
    assert found.read.low == pytest.approx(2000 / 1.1e-6) and found.read.high == pytest.approx(2000 / 0.9e-6)
    assert (found.gpu, found.cc, found.measured, found.driver) == (
        "Stand-in GPU",
        "9.0",
        "2026-01-02T03:04:05+00:00",
        "13000",
    )


def test_a_wrong_kernel_gives_no_ceiling() -> None:
    """The stand-in's kernels do nothing, so their outputs stay poison."""
    found = calibrate(1, now, runner(STANDIN_MEMORY=str(1 << 28)))
    assert found.ceilings is None and found.failure is not None
    assert (
        found.failure.kind == "wrong"
        and "read: wrong result, no ceiling stored: sums[0] was never written" in found.failure.words
    )


def test_without_a_gpu_the_reason_is_told() -> None:
    found = calibrate(1, now, runner(STANDIN_CUPY="no_gpu"))
    assert found.failure is not None and found.failure.kind == "no_gpu" and found.ceilings is None


def test_the_request_names_files_that_are_there() -> None:
    asked = request(5)
    assert asked.runs == 20 and [t.exercise for t in asked.tasks] == list(KERNELS)
    for task in asked.tasks:
        assert Path(task.case).is_file() and Path(task.jobs[0].source).is_file() and task.seed == 5


def test_what_is_kept_is_found_by_name_and_capability(tmp_path: Path) -> None:
    assert measured("Stand-in GPU", "9.0", tmp_path) is None
    assert keep(some(), tmp_path) == tmp_path / FILE
    keep(some("Other GPU", 1e12), tmp_path)
    keep(some(rate=5e12), tmp_path)
    found, other = measured("Stand-in GPU", "9.0", tmp_path), measured("Other GPU", "9.0", tmp_path)
    assert found is not None and found.copy.rate == 5e12
    assert other is not None and other.copy.rate == 1e12
    assert measured("Stand-in GPU", "8.0", tmp_path) is None


def test_measured_rates_become_shares_of_the_peaks() -> None:
    assert shares(some(rate=4e12), 5e12, 3e12) == {"memory": 0.8, "plain": 1.0}
    assert shares(some(), 5e12, None) == {"memory": 0.8}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "damaged"),
        ('{"schema": "other/1", "cards": {}}', "not written by this version"),
        ('{"schema": "ncu-advisor/ceilings/1", "cards": {"a": {}}}', "damaged"),
        ('{"schema": "ncu-advisor/ceilings/1", "cards": [], "more": 1}', "damaged"),
    ],
)
def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(InputError, match=words):
        measured("a", "9.0", tmp_path)
    with pytest.raises(InputError, match=words):
        keep(some(), tmp_path)
    assert (tmp_path / FILE).read_text() == text
