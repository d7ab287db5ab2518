"""`practice check` as a learner meets it, with a stand-in for CuPy: every outcome has its exit code and its words."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from learner import NAME, Learner
from standin_runs import RIGHT, source

from advisor.cli import practice_gpu

CLOCK = "// microseconds scale: "


def test_right_and_fast_is_solved(learner: Learner) -> None:
    learner.edits(source(RIGHT, f"{CLOCK}10"))
    text = learner.does("check", NAME)
    assert "Correct; speedup over the slow version: 2.0×. Solved." in text
    assert "practice profile 1" in text and "practice solution 1" in text.replace("\n", " ")
    assert learner.record.solved and learner.record.attempts == 1
    assert re.search(r"^ +1 +solved +A vector doubled", learner.does("list"), re.MULTILINE)


def test_right_but_slow_is_not(learner: Learner) -> None:
    learner.edits(source(RIGHT, f"{CLOCK}15"))
    text = learner.does("check", NAME, code=1)
    assert "The bundled solution has a speedup of 1.5× over yours." in " ".join(text.split())
    assert not learner.record.solved
    assert re.search(r"^ +1 +tried +A vector doubled", learner.does("list"), re.MULTILINE)


def test_the_times_stand_as_bars_in_place(learner: Learner) -> None:
    learner.edits(source(RIGHT, f"{CLOCK}10"))
    rows = [line for line in learner.does("check", NAME).splitlines() if "█" in line or "#" in line]
    assert [row.split()[0] for row in rows] == ["slow", "yours", "fast"]
    assert len({row.index(" µs ") for row in rows}) == 1 and len({re.search("[█#]", row).start() for row in rows}) == 1
    lengths = [row.count("█") + row.count("#") for row in rows]
    assert lengths[0] == 2 * lengths[1] == 2 * lengths[2] > 0


def test_a_wrong_result_names_the_first_wrong_element(learner: Learner) -> None:
    learner.edits(source(f"{RIGHT}; args[1][7] = 9"))
    text = " ".join(learner.does("check", NAME, code=1).split())
    assert "Wrong result: y[7] is 9, expected " in text
    assert "1 of 4,096 elements are wrong" in text
    row = learner.record.log[-1]
    assert (row.right, row.time_ns) == (False, None)
    assert row.observation.startswith("y[7] is 9")


def test_a_compile_error_shows_the_learners_own_line(learner: Learner) -> None:
    path = learner.edits(source(RIGHT, '  total += y; // compiler: error: identifier "y" is undefined'))
    number = next(i for i, row in enumerate(path.read_text().splitlines(), 1) if "// compiler" in row)
    text = learner.does("check", NAME, code=1)
    assert f'a-vector-doubled.cu:{number}: identifier "y" is undefined' in text
    assert f"  {number}    total += y;" in text
    assert learner.record.log[-1].what == "failed"


def test_an_endless_loop_is_ended_by_the_limit(learner: Learner) -> None:
    learner.edits(source("errors.forever()"))
    text = " ".join(learner.does("check", NAME, "--limit", "1", code=1).split())
    assert "did not finish within the time limit: look for a loop" in text
    learner.edits(source(RIGHT, f"{CLOCK}10"))
    learner.does("check", NAME)


def test_an_illegal_address_is_told_as_such(learner: Learner) -> None:
    learner.edits(source("errors.later('cudaErrorIllegalAddress')"))
    assert "a thread read or wrote outside the arrays" in " ".join(learner.does("check", NAME, code=1).split())


def test_a_wrong_launch_line_names_its_line(learner: Learner) -> None:
    learner.edits(source(launch="scale<<<n, 4096>>>(x, y, a, n)"))
    assert "a-vector-doubled.cu:2: " in learner.does("check", NAME, code=1)


def test_what_a_kernel_prints_is_shown_and_obeyed_not(learner: Learner) -> None:
    learner.edits(source("print('a\\x1b[2Jb'); " + RIGHT))
    text = learner.does("check", NAME)
    assert "The kernel printed:" in text and "a\\x1b[2Jb" in text and "\x1b" not in text


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"STANDIN_CUPY": "no_gpu"}, "no NVIDIA GPU can be used here"),
        ({"STANDIN_CUPY": "no_driver"}, "no NVIDIA driver"),
        ({"STANDIN_CUPY": "other_cuda"}, "it is for another CUDA version"),
        ({"STANDIN_CUPY": "old_driver"}, "driver is too old"),
    ],
)
def test_a_machine_that_cannot_run_it_compiles_it_at_least(learner: Learner, env: dict[str, str], words: str) -> None:
    learner.environment(**env)
    learner.edits(source(RIGHT, "// mine"))
    result = learner.says("check", NAME)
    assert result.return_value == 2
    assert words in result.stderr and result.stderr.count("\n") == 1 and "ncu-advisor: " in result.stderr
    assert "a-vector-doubled.cu compiles for sm_90" in result.stdout
    assert "result and time were not checked" in " ".join(result.stdout.split())
    row = learner.record.log[-1]
    assert (row.what, learner.record.attempts, learner.record.solved) == ("compiled", 1, False)
    assert "registers" in row.observation


def test_without_cupy_one_line_says_what_to_install(learner: Learner, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "cupy.py").write_text("raise ModuleNotFoundError('no cupy', name='cupy')", encoding="utf-8")
    learner.environment(PYTHONPATH=str(tmp_path / "none"))
    learner.edits(source("", "broken"))
    result = learner.says("check", NAME)
    assert "`pip install '.[cuda13]'`" in result.stderr
    assert result.return_value == 1, "it does not compile, and that is known"


def test_too_little_memory_is_the_machines_fault(learner: Learner) -> None:
    learner.environment(STANDIN_MEMORY="1000")
    learner.edits(source())
    assert "too little free memory" in learner.fails("check", NAME)


def test_the_same_seed_gives_the_same_inputs_and_no_seed_others(learner: Learner) -> None:
    learner.edits(source(f"{RIGHT}; args[1][0] = -1"))
    seen = [learner.does("check", NAME, *seed, code=1) for seed in (("--seed", "5"), ("--seed", "5"), (), ())]
    assert seen[0] == seen[1] != seen[2] != seen[3]


def test_two_terminals_at_once_lose_nothing(learner: Learner) -> None:
    learner.edits(source(RIGHT, f"{CLOCK}10"))
    check = practice_gpu.check.callback
    assert check is not None
    with ThreadPoolExecutor(2) as pool:
        codes = pool.map(lambda _: check(name=NAME, seed=None, limit=30, arch=None), range(2))
    assert list(codes) == [0, 0]
    assert learner.record.attempts == 2 and len(learner.record.log) == 1


@pytest.mark.parametrize("arch", ["sm_80", "80", "8.0", "compute_80"])
def test_a_compile_check_takes_an_architecture_as_people_write_it(learner: Learner, arch: str) -> None:
    learner.edits(source())
    assert "compiles for sm_80" in learner.does("check", NAME, "--compile-only", arch)
    assert learner.record.attempts == 1


def test_a_compile_check_of_the_original_is_an_attempt_without_an_entry(learner: Learner) -> None:
    learner.does("start", NAME)
    learner.does("check", NAME, "--compile-only", "sm_80")
    assert learner.record.attempts == 1 and learner.record.log == []


def test_a_compile_error_without_a_gpu_shows_the_line(learner: Learner) -> None:
    path = learner.edits(source() + "broken here;\n")
    number = len(path.read_text().splitlines())
    text = learner.does("check", NAME, "--compile-only", "sm_90", code=1)
    assert f"a-vector-doubled.cu:{number}: " in text and f"  {number}  broken here;" in text
    assert f"a-vector-doubled.cu:{number}: error" in learner.record.log[-1].observation


@pytest.mark.parametrize(("arch", "words"), [("fast", "is not an architecture"), ("sm_10", "does not know sm_10")])
def test_an_architecture_that_there_is_not_is_wrong_use(learner: Learner, arch: str, words: str) -> None:
    learner.edits(source())
    assert words in learner.fails("check", NAME, "--compile-only", arch)


def test_without_a_compiler_one_line_says_what_to_install(learner: Learner, monkeypatch: pytest.MonkeyPatch) -> None:
    learner.edits(source())
    monkeypatch.setattr("advisor.practice.compiling.compiler", lambda: None)
    assert "pip install cuda-bindings" in learner.fails("check", NAME, "--compile-only", "sm_80")


@pytest.mark.parametrize("command", ["check", "profile", "sweep", "reset"])
def test_what_was_not_started_is_said_with_the_command(learner: Learner, command: str) -> None:
    assert "practice start 1" in learner.fails(command, NAME)
