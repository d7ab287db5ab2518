"""The bench on arrays: poison, comparison, constants, timing; with the stand-in in place of CuPy."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from standin_runs import CASE, RIGHT, STANDIN, source

from advisor.practice import bench as outcome
from advisor.practice.api import Card, Tolerance
from advisor.practice.bench import Bench, card, compare, poison
from advisor.practice.tasks import load_case
from advisor.records.errors import KnowledgeError, UsageError

EXACT = Tolerance(0.0, 0.0, "exact")


@pytest.fixture
def cp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The stand-in, imported anew and forgotten afterwards."""
    monkeypatch.syspath_prepend(str(STANDIN))
    for name in [m for m in sys.modules if m.split(".")[0] == "cupy"]:
        monkeypatch.delitem(sys.modules, name)
    import cupy

    yield cupy
    for name in [m for m in sys.modules if m.split(".")[0] == "cupy"]:
        del sys.modules[name]


def bench(cp: Any, tmp_path: Path, case: str = CASE, seed: int = 7) -> Bench:
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    folder.mkdir()
    (folder / "case.py").write_text(case)
    return Bench(cp, load_case(folder / "case.py"), seed)


def written(tmp_path: Path, text: str, name: str = "mine.cu") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_the_card_is_what_the_runtime_says(cp: Any) -> None:
    assert card(cp) == Card("Stand-in GPU", "9.0", 4, 8 << 30, 1 << 12, 232448, 233472)


def test_inputs_depend_on_the_seed_alone(cp: Any, tmp_path: Path) -> None:
    same = [bench(cp, tmp_path, seed=s).data["x"] for s in (1, 1, 2)]
    assert (same[0] == same[1]).all() and not (same[0] == same[2]).all()


def test_what_starts_at_zero_is_not_poisoned(cp: Any, tmp_path: Path) -> None:
    one = bench(cp, tmp_path, CASE.replace("ZEROED = ()", 'ZEROED = ("y",)'))
    step = one.build(written(tmp_path, source("args[1][:] += args[0] * args[2]")))
    assert one.check(step) is None and one.check(step) is None
    one.time(step, runs=3)
    assert one.check(step) is None


def test_the_reference_is_worked_out_before_any_kernel_ran(cp: Any, tmp_path: Path) -> None:
    one = bench(cp, tmp_path)
    spoiled = one.check(one.build(written(tmp_path, source("args[0][:] = 1; args[1][:] = 2"))))
    assert spoiled is not None and spoiled.wrong == spoiled.total and one.changed() == ("x",)


def test_a_constant_is_copied_into_its_symbol(cp: Any, tmp_path: Path) -> None:
    case = CASE.replace('"x": rng', '"table": xp.arange(8, dtype=xp.float32), "x": rng')
    one = bench(cp, tmp_path, case)
    one.build(written(tmp_path, source(RIGHT, "// constant: weights = table")))
    assert (cp.cuda.constants["weights"][:8] == np.arange(8)).all()
    with pytest.raises(UsageError, match=r"mine.cu:4: no array is called 'tables'"):
        one.build(written(tmp_path, source(RIGHT, "// constant: weights = tables")))


def test_much_shared_memory_is_asked_for(cp: Any, tmp_path: Path) -> None:
    launch = "scale<<<ceil(n / 256), 256, 100 * 1024>>>(x, y, a, n)"
    one = bench(cp, tmp_path)
    assert one.check(one.build(written(tmp_path, source(launch=launch)))) is None
    less = "// launch: scale<<<ceil(n / 256), 256, 60 * 1024>>>(x, y, a, n)"
    assert one.check(one.build(written(tmp_path, source(RIGHT, less, launch=launch)))) is None


def test_a_python_step_gets_its_arrays_and_kernels(cp: Any, tmp_path: Path) -> None:
    kernels = written(tmp_path, source(), "kernels.cu")
    text = (
        "def prepare(cp, data, out, n, kernel):\n"
        "    scale = kernel('scale')\n"
        "    scale.preferred_shared_memory_carveout = 10\n"
        "    assert scale.num_regs == 24\n"
        "    return lambda: scale((16,), (256,), (data['x'], out['y'], cp.float32(2), n['n']))\n"
    )
    one = bench(cp, tmp_path)
    step = one.build(written(tmp_path, text, "step.py"), (kernels,))
    assert one.check(step) is None and step.launches is None and step.kernels[0].name == "scale"
    with pytest.raises(UsageError, match="no kernel is called 'other'"):
        one.build(written(tmp_path, text.replace("'scale'", "'other'"), "other.py"), (kernels,))


def test_a_python_step_may_show_a_profiler_something_else(
    cp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("STANDIN_LOG", str(log))
    text = (
        "def prepare(cp, data, out, n, kernel):\n"
        "    def run(times=3):\n"
        "        for _ in range(times): kernel('scale')((16,), (256,), (data['x'], out['y'], cp.float32(2), n['n']))\n"
        "    run.profiled = lambda: run(1)\n"
        "    return run\n"
    )
    one = bench(cp, tmp_path)
    step = one.build(written(tmp_path, text, "step.py"), (written(tmp_path, source(), "k.cu"),))
    one.warm(step)
    assert one.profile(step, 9) is None
    rows = log.read_text().splitlines()
    assert [r.split()[0] for r in rows] == ["launch"] * 3 + ["profiler", "launch", "profiler"]


def test_slow_runs_are_fewer_but_never_under_five(cp: Any, tmp_path: Path) -> None:
    clock = iter(float(i) for i in range(1000))
    one = bench(cp, tmp_path)
    step = one.build(written(tmp_path, source()))
    assert len(one.time(step, runs=20, budget_s=0.5, clock=lambda: next(clock))) == 5
    assert len(one.time(step, runs=20, budget_s=7.5, clock=lambda: next(clock))) == 12
    assert one.time(step, runs=3) == [10_000.0] * 3


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint32, np.int64, np.complex64])
def test_poison_is_known_again(dtype: Any) -> None:
    have, want = np.zeros(10, dtype), np.ones(10, dtype)
    poison(have)
    found = compare(np, "y", have, want, EXACT, True)
    assert found is not None and found.unwritten and found.wrong == 10
    zeroed = compare(np, "y", np.zeros(10, dtype), want, EXACT, False)
    assert zeroed is not None and not zeroed.unwritten


def test_the_first_wrong_element_is_found_in_any_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "PIECE", 7)
    want = np.arange(60.0).reshape(3, 4, 5)
    have = want.astype(np.float32)
    assert compare(np, "y", have, want, EXACT, True) is None
    have[2, 1, 3], have[2, 3, 4] = 0.5, 0.5
    found = compare(np, "y", have, want, EXACT, True)
    assert found is not None
    assert (found.index, found.expected, found.got, found.wrong, found.total) == ((2, 1, 3), 48.0, 0.5, 2, 60)


@pytest.mark.parametrize(
    ("have", "want", "tolerance", "right"),
    [
        ([1.001], [1.0], Tolerance(1e-2, 0, "w"), True),
        ([1.02], [1.0], Tolerance(1e-2, 0, "w"), False),
        ([1e-9], [0.0], Tolerance(0, 1e-8, "w"), True),
        ([np.nan], [np.nan], Tolerance(1, 1, "w"), False),
        ([np.inf], [1.0], Tolerance(1, 1, "w"), False),
        ([5], [6], Tolerance(0, 1, "w"), True),
        ([5], [7], Tolerance(0, 1, "w"), False),
        ([2**53 + 1], [2**53], EXACT, False),
    ],
)
def test_tolerances_are_kept(have: list[Any], want: list[Any], tolerance: Tolerance, right: bool) -> None:
    assert (compare(np, "y", np.array(have), np.array(want), tolerance, True) is None) is right


def test_a_reference_of_another_shape_is_the_authors_mistake() -> None:
    with pytest.raises(KnowledgeError, match=r"the reference of 'y' has the shape \(3, 1\), the output \(3,\)"):
        compare(np, "y", np.zeros(3), np.zeros((3, 1)), EXACT, True)


def test_a_case_that_lacks_a_part_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "TOLERANCES = {}", "case.py")
    with pytest.raises(KnowledgeError, match="lacks sizes, work, inputs, outputs, reference"):
        load_case(path)
    assert isinstance(load_case(written(tmp_path, CASE, "other.py")), types.ModuleType)
