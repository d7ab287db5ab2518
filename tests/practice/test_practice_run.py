"""A run is a child process: whatever a kernel does to it, the parent gets words for it and lives."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from standin_runs import CASE, RIGHT, STANDIN, asked, exercise, runner, source
from test_practice_child import gone

from advisor.practice.run import JobResult, Limits, Listener, Outcome, Progress, nothing, run
from advisor.practice.tasks import Job, Request, Task, Variation
from advisor.practice.worker import devices
from tests.changed import replace


def one(tmp_path: Path, text: str, do: tuple[str, ...] = ("check", "time"), **env: str) -> JobResult:
    """The result of a single step."""
    outcome = run(asked(exercise(tmp_path, {"mine": text}, do=do)), runner(**env))
    assert outcome.failure is None
    (result,) = outcome.jobs
    return result


def test_a_right_kernel_is_correct_and_timed(tmp_path: Path) -> None:
    seen: list[Progress] = []
    outcome = run(asked(exercise(tmp_path, {"good": source()}, do=("check", "time"))), runner(), seen.append)
    (result,) = outcome.jobs
    assert result.correct is True and result.wrong == "" and result.failure is None
    assert result.times_ns == (10_000.0,) * 6 and result.time_ns == 10_000.0
    assert result.kernels[0].name == "scale" and result.kernels[0].registers == 24
    assert outcome.card is not None and (outcome.card.name, outcome.card.cc, outcome.card.sms) == (
        "Stand-in GPU",
        "9.0",
        4,
    )
    problem = outcome.problem("doubling")
    assert problem is not None and problem.sizes == {"n": 4096} and problem.work.bytes == 8 * 4096
    assert [p.stage for p in seen] == ["start", "inputs", "compile", "reference", "check", "time"]
    assert seen[-1] == Progress("doubling", "good", "time", 1, 1)


def test_a_wrong_result_names_the_first_wrong_element(tmp_path: Path) -> None:
    result = one(tmp_path, source(f"{RIGHT}; args[1][17] = 5; args[1][100] = 5"), do=("check",))
    assert result.correct is False and result.mismatch is not None
    assert (result.mismatch.index, result.mismatch.got, result.mismatch.wrong) == ((17,), 5.0, 2)
    assert result.wrong.startswith("y[17] is 5, expected ") and "2 of 4,096 elements are wrong" in result.wrong


def test_an_element_never_written_is_told_from_a_wrong_one(tmp_path: Path) -> None:
    result = one(tmp_path, source("args[1][:4000] = args[0][:4000] * args[2]"), do=("check",))
    assert result.wrong.startswith("y[4000] was never written") and "96 of 4,096" in result.wrong


def test_a_computed_nan_is_wrong_but_was_written(tmp_path: Path) -> None:
    result = one(tmp_path, source(f"{RIGHT}; args[1][3] = np.float32('nan')"), do=("check",))
    assert result.wrong.startswith("y[3] is nan, expected ")


@pytest.mark.parametrize("write", ["args[0][5] += 1", "args[0][:] = args[0][::-1].copy()", "args[0].sort()"])
def test_an_input_that_was_written_to_is_named(tmp_path: Path, write: str) -> None:
    """Also where its elements only changed places."""
    result = one(tmp_path, source(f"{RIGHT}; {write}"), do=("check",))
    assert result.correct is False and result.wrong == "the kernel writes into its input x"


def test_a_compile_error_has_the_learners_file_and_line(tmp_path: Path) -> None:
    result = one(tmp_path, source(RIGHT, 'y = 3; // compiler: error: identifier "y" is undefined'))
    assert result.failure is not None and result.failure.kind == "compile"
    assert result.failure.words == 'mine.cu:4: error: identifier "y" is undefined'
    assert result.failure.remarks[0].file.endswith("doubling/mine.cu") and result.failure.remarks[0].line == 4


@pytest.mark.parametrize(
    ("launch", "words"),
    [
        ("scale<<<ceil(n / 256), 2048>>>(x, y, a, n)", "mine.cu:2: block 2048 = 2048 is not between 1 and 1024"),
        ("scale<<<n / 300, 256>>>(x, y, a, n)", "is not a whole number: use ceil() or floor()"),
        ("scale<<<ceil(n / 256), 256>>>(x, z, a, n)", "mine.cu:2: no argument is called 'z'"),
        ("scales<<<ceil(n / 256), 256>>>(x, y, a, n)", "mine.cu:2: the file has no kernel 'scales'"),
        ("scale<<<ceil(n / 256)>>>(x)", "mine.cu:2: write a launch line as"),
        (
            "scale<<<ceil(n / 256), 256, 300 * 1024>>>(x, y, a, n)",
            "mine.cu:2: 307328 bytes of shared memory per block, 128 of them static: this GPU has 232448 at most",
        ),
        ("scale<<<1, 256>>>(x, y, a, 2147483648)", "mine.cu:2: 2147483648 does not fit into an int"),
        ("scale<<<1, 256>>>(x, y, a, ²)", "mine.cu:2: no argument is called '²'"),
    ],
)
def test_a_wrong_launch_line_is_named_with_its_line(tmp_path: Path, launch: str, words: str) -> None:
    result = one(tmp_path, source(launch=launch))
    assert result.failure is not None and result.failure.kind == "launch_line" and words in result.failure.words


@pytest.mark.parametrize(
    ("says", "kind", "words"),
    [
        ("cudaErrorIllegalAddress: an illegal memory access was encountered", "illegal_address", "outside the arrays"),
        ("cudaErrorMisalignedAddress: misaligned address", "misaligned_address", "multiple of 16 bytes"),
        ("cudaErrorLaunchFailure: unspecified launch failure", "launch_failed", "aborted the kernel"),
        ("cudaErrorIllegalInstruction: an illegal instruction was encountered", "illegal_instruction", "__trap()"),
        ("cudaErrorAssert: device-side assert triggered", "assertion", "assert()"),
        (
            "cudaErrorInvalidAddressSpace: operation not supported on global/shared address space",
            "illegal_address",
            "outside",
        ),
        ("cudaErrorNobodyHasSeenThis: some day", "cuda", "CUDA reports"),
    ],
)
def test_a_kernel_that_ends_its_context_dies_alone(tmp_path: Path, says: str, kind: str, words: str) -> None:
    steps = {"mine": source(f"errors.later({says!r})"), "fast": source()}
    outcome = run(asked(exercise(tmp_path, steps, do=("check",))), runner(go_on=True))
    mine, fast = outcome.jobs
    assert mine.failure is not None and mine.failure.kind == kind and words in mine.failure.words
    assert fast.failure is None and fast.correct is True


def test_without_go_on_nothing_runs_after_a_broken_context(tmp_path: Path) -> None:
    steps = {"mine": source("errors.later('cudaErrorIllegalAddress: x')"), "fast": source()}
    outcome = run(asked(exercise(tmp_path, steps)), runner())
    assert [j.step for j in outcome.jobs] == ["mine"] and outcome.failure is None


def test_a_block_that_does_not_fit_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    text = "errors.driver('CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: too many resources requested for launch')"
    outcome = run(asked(exercise(tmp_path, {"mine": source(text), "fast": source()})), runner())
    mine, fast = outcome.jobs
    assert mine.failure is not None and mine.failure.kind == "out_of_resources" and "registers" in mine.failure.words
    assert fast.times_ns


def test_a_block_larger_than_its_launch_bounds_is_told_before_it_is_launched(tmp_path: Path) -> None:
    text = source(launch="scale<<<ceil(n / 512), 512>>>(x, y, a, n)").replace(
        "void scale", "void __launch_bounds__(256) scale"
    )
    result = one(tmp_path, text)
    assert result.failure is not None and result.failure.kind == "launch_line"
    assert (
        "mine.cu:2: a block of 512 threads does not fit" in result.failure.words
        and "at most 256" in result.failure.words
    )


def test_a_kernel_that_never_ends_is_ended(tmp_path: Path) -> None:
    steps = {"mine": source("errors.forever()"), "fast": source()}
    outcome = run(asked(exercise(tmp_path, steps)), runner(go_on=True, check=12.0))
    mine, fast = outcome.jobs
    assert mine.failure is not None and mine.failure.kind == "never_ends"
    assert "a loop whose condition never becomes false" in mine.failure.words
    assert "the GPU can take a moment" in mine.failure.words
    assert fast.correct is True


@pytest.mark.parametrize("code", [0, 3, 4])
def test_a_child_that_ends_itself_is_told_whatever_its_exit_code(tmp_path: Path, code: int) -> None:
    """3 is what the worker itself ends with after a broken context, which its last job then says."""
    steps = {"mine": source(f"import os; os._exit({code})"), "fast": source()}
    mine, fast = run(asked(exercise(tmp_path, steps, do=("check",))), runner(go_on=True)).jobs
    assert mine.failure is not None and mine.failure.kind == "crashed"
    assert mine.failure.words == f"the child process ended during `check` with exit code {code}"
    assert fast.correct is True


def test_a_step_that_calls_exit_fails_alone(tmp_path: Path) -> None:
    steps = {"mine": source("raise SystemExit(3)"), "fast": source()}
    mine, fast = run(asked(exercise(tmp_path, steps, do=("check",))), runner()).jobs
    assert mine.failure is not None and mine.failure.words == "mine.cu: SystemExit: 3"
    assert fast.correct is True


def test_a_signal_without_a_name_is_told_by_its_number(tmp_path: Path) -> None:
    result = one(tmp_path, source("import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 6)"))
    assert result.failure is not None and result.failure.words == (
        "the child process was ended by signal 40 during `check`"
    )


@pytest.mark.parametrize(
    "line",
    [
        {"exercise": 1, "step": 2, "stage": 3, "job": 1},
        {"exercise": "e", "step": "s", "stage": "check", "job": "first"},
        {"exercise": "e", "step": "s", "stage": "of", "job": 1},
        {"exercise": "e"},
    ],
)
def test_a_kernel_that_prints_like_the_worker_harms_nobody(tmp_path: Path, line: dict[str, object]) -> None:
    text = source(f"print({json.dumps({'advisor': 'now', **line})!r}); {RIGHT}")
    outcome = run(asked(exercise(tmp_path, {"mine": text}, do=("check",))), runner())
    assert outcome.failure is None and outcome.jobs[0].correct is True


def test_a_kernel_that_prints_progress_for_ever_is_ended(tmp_path: Path) -> None:
    said = json.dumps({"advisor": "now", "exercise": "doubling", "step": "mine", "stage": "check", "job": 1})
    code = f"import time\nwhile True:\n print({said!r}, flush=True)\n time.sleep(0.02)"
    step = f"import base64; exec(base64.b64decode({base64.b64encode(code.encode())!r}))"
    task = exercise(tmp_path, {"mine": source(step), "fast": source()}, do=("check",))
    mine, fast = run(asked(task), runner(go_on=True, check=12.0)).jobs
    assert mine.failure is not None and mine.failure.kind == "never_ends"
    assert fast.correct is True


def test_progress_gives_more_time_only_as_it_goes_on() -> None:
    def said(stage: str, job: int = 1) -> str:
        return json.dumps({"advisor": "now", "exercise": "e", "step": "s", "stage": stage, "job": job})

    listener = Listener(nothing, Limits(), 0, 2)
    assert listener(said("check"), True) == 30.0
    assert [listener(said(stage), True) for stage in ("check", "compile", "no stage")] == [None] * 3
    assert (listener(said("time"), True), listener(said("inputs", 2), True)) == (120.0, 180.0)
    assert listener(said("inputs", 9), True) is None
    listener.begun -= listener.limits.all(2)
    assert listener(said("check", 2), True) == 0.0


@pytest.mark.parametrize("text", ["{" * 1000, '{"jobs": [{"exercise": 5}], "done": true}', ""])
def test_a_step_that_destroys_the_results_is_named_and_the_rest_goes_on(tmp_path: Path, text: str) -> None:
    step = f"import os, sys; open(sys.argv[2], 'w').write({text!r}); os._exit(0)"
    steps = {"mine": source(step), "fast": source()}
    mine, fast = run(asked(exercise(tmp_path, steps, do=("check",))), runner(go_on=True)).jobs
    assert mine.step == "mine" and mine.failure is not None and mine.failure.kind == "crashed"
    assert fast.correct is True


def test_a_mistake_in_a_step_of_python_has_its_line(tmp_path: Path) -> None:
    task = exercise(tmp_path, {"fast": source()}, do=("check",))
    for name, text in (("late", "\ndef prepare(*args):\n    return missing\n"), ("wrong", "x = 1\nx = = 2\n")):
        path = tmp_path / "doubling" / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        job = replace(task.jobs[0], source=str(path))
        (result,) = run(asked(replace(task, jobs=(job,))), runner()).jobs
        failure = result.failure
        assert failure is not None and [r.file for r in failure.remarks] == [str(path)]
        line, said = (3, "NameError") if name == "late" else (2, "SyntaxError")
        assert failure.words.startswith(f"{name}.py:{line}: {said}: ") and failure.remarks[0].line == line


def test_a_child_that_crashes_is_told_with_its_signal(tmp_path: Path) -> None:
    result = one(tmp_path, source("errors.crash()"))
    assert result.failure is not None and result.failure.kind == "crashed"
    assert result.failure.words == "the child process was ended by SIGABRT during `check`"


def test_a_small_gpu_runs_out_of_memory_in_words(tmp_path: Path) -> None:
    result = one(tmp_path, source(), STANDIN_MEMORY="1000")
    assert result.failure is not None and result.failure.kind == "out_of_memory"
    assert "`nvidia-smi` lists them" in result.failure.words


def test_results_before_a_death_are_kept(tmp_path: Path) -> None:
    steps = {"slow": source(), "mine": source("errors.crash()"), "fast": source()}
    outcome = run(asked(exercise(tmp_path, steps)), runner(go_on=True))
    assert [(j.step, j.failure is None) for j in outcome.jobs] == [("slow", True), ("mine", False), ("fast", True)]


def test_several_exercises_share_one_child_and_free_their_arrays(tmp_path: Path) -> None:
    log = tmp_path / "log"
    tasks = [exercise(tmp_path, {"only": source()}, name=name, do=("check",)) for name in ("one", "two")]
    outcome = run(asked(*tasks), runner(STANDIN_LOG=str(log)))
    assert [(j.exercise, j.correct) for j in outcome.jobs] == [("one", True), ("two", True)]
    lines = [row.split()[0] for row in log.read_text().splitlines()]
    assert lines == ["launch", "free", "free", "launch", "free", "free"]


def test_a_case_that_raises_fails_alone_with_its_own_words(tmp_path: Path) -> None:
    bad = exercise(tmp_path, {"only": source()}, CASE.replace('data["x"]', 'data["q"]'), "bad")
    good = exercise(tmp_path, {"only": source()}, name="good")
    first, second = run(asked(bad, good), runner()).jobs
    assert first.failure is not None and first.failure.kind == "case" and "KeyError: 'q'" in first.failure.words
    assert second.correct is True


@pytest.mark.parametrize(
    ("state", "kind", "words"),
    [
        ("no_gpu", "no_gpu", "no NVIDIA GPU can be used here"),
        ("old_driver", "old_driver", "the NVIDIA driver is too old"),
        ("no_driver", "no_gpu", "no NVIDIA driver is installed here"),
        ("other_cuda", "wrong_cupy", "for another CUDA version"),
    ],
)
def test_a_machine_that_cannot_run_says_why(tmp_path: Path, state: str, kind: str, words: str) -> None:
    outcome = run(asked(exercise(tmp_path, {"mine": source()})), runner(STANDIN_CUPY=state))
    assert outcome.failure is not None and outcome.failure.kind == kind and words in outcome.failure.words
    assert outcome.jobs == ()


def test_without_cupy_one_line_says_what_to_install(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "cupy.py").write_text("raise ModuleNotFoundError(\"No module named 'cupy'\", name='cupy')")
    outcome = run(asked(exercise(tmp_path, {"mine": source()})), runner(PYTHONPATH=str(hidden)))
    assert outcome.failure is not None and outcome.failure.kind == ("no_cupy" if devices() else "no_gpu")
    assert "`pip install '.[cuda13]'`" in outcome.failure.words


def test_an_interpreter_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    outcome = run(asked(exercise(tmp_path, {"mine": source()})), replace(runner(), python=str(tmp_path / "python")))
    assert outcome.failure is not None and outcome.failure.kind == "no_child"
    assert "cannot be started: No such file or directory" in outcome.failure.words


def test_where_no_temporary_file_can_be_written_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    outcome = run(asked(exercise(tmp_path, {"mine": source()})), runner())
    assert outcome.failure is not None and outcome.failure.kind == "no_child"
    assert "(No such file or directory)" in outcome.failure.words and "TMPDIR" in outcome.failure.words


def test_what_kernels_print_is_kept_and_disturbs_nothing(tmp_path: Path) -> None:
    outcome = run(asked(exercise(tmp_path, {"mine": source(f"print('i = 3'); {RIGHT}")}, do=("check",))), runner())
    assert outcome.printed == ("i = 3",) and outcome.jobs[0].correct is True


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process that left its group is not found")
def test_what_a_step_starts_and_sets_free_ends_with_the_run(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    free = f"open({str(place)!r}, 'w').write(str(os.getpid())), [os.close(n) for n in (0, 1, 2)], time.sleep(600)"
    daemon = f"import os, time; os.fork() or (os.setsid(), os.fork() or ({free}), os._exit(0)); os.wait(); {RIGHT}"
    step = daemon + f"; [time.sleep(0.01) for _ in range(6000) if not os.path.exists({str(place)!r})]"
    assert one(tmp_path, source(step), do=("check",)).correct is True
    assert gone(int(place.read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="the rank of a process when memory runs out is Linux's")
def test_when_memory_runs_out_the_child_is_ended_before_the_session(tmp_path: Path) -> None:
    text = source(f"print(open('/proc/self/oom_score_adj').read().strip()); {RIGHT}")
    assert run(asked(exercise(tmp_path, {"mine": text}, do=("check",))), runner()).printed == ("1000",)


def test_a_flood_of_print_is_cut(tmp_path: Path) -> None:
    flood = f"[print('x' * 50) for _ in range(20000)]; print('y' * 300000); {RIGHT}"
    outcome = run(asked(exercise(tmp_path, {"mine": source(flood)}, do=("check",))), runner())
    assert len(outcome.printed) == 100 and outcome.jobs[0].correct is True


def test_a_variation_reaches_block_registers_and_carveout(tmp_path: Path) -> None:
    task = exercise(tmp_path, {"mine": source(f"print(block, registers, carveout); {RIGHT}")}, do=("check",))
    job = replace(task.jobs[0], vary=Variation(block=64, carveout=50, registers=16))
    outcome = run(asked(replace(task, jobs=(job,))), runner())
    assert outcome.printed == ("(64, 1, 1) 16 50",)
    assert outcome.jobs[0].vary == job.vary


def test_profiling_shows_one_run_after_one_warm_up(tmp_path: Path) -> None:
    log = tmp_path / "log"
    result = one(tmp_path, source(), do=("profile",), STANDIN_LOG=str(log))
    assert result.profiled == 1
    rows = [" ".join(row.split()[:2]) for row in log.read_text().splitlines()]
    assert rows[:7] == [
        "launch scale",
        "push doubling/mine",
        "profiler start",
        "launch scale",
        "profiler stop",
        "profiler stop",
        "pop",
    ]


def test_no_more_launches_are_profiled_than_asked_for(tmp_path: Path) -> None:
    log, line = tmp_path / "log", "// launch: scale<<<ceil(n / 256), 256>>>(x, y, a, n)"
    text = source(RIGHT, line, line, line, line)
    task = exercise(tmp_path, {"mine": text}, do=("profile",), launches=2)
    (result,) = run(asked(task), runner(STANDIN_LOG=str(log))).jobs
    rows = log.read_text().splitlines()
    stretch = rows[rows.index("profiler start") : rows.index("profiler stop")]
    assert result.profiled == 2 and sum(row.startswith("launch") for row in stretch) == 2


def test_a_request_survives_json(tmp_path: Path) -> None:
    job = Job("a", "a.cu", ("check",), ("b.cu",), 3, False, Variation(block=64))
    request = Request((Task("e", "case.py", (job,), 9),), 5, 1.0, 17)
    assert Request.from_json(json.loads(json.dumps(asdict(request)))) == request


def test_the_worker_needs_neither_yaml_nor_msgspec_nor_pandas() -> None:
    code = (
        "import sys, advisor.practice.worker, advisor.practice.bench;"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'yaml', 'msgspec', 'pandas', 'click', 'platformdirs'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_child_without_its_parent_ends(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    task = exercise(tmp_path, {"mine": source("errors.forever()")})
    request = tmp_path / "request.json"
    request.write_text(json.dumps(asdict(replace(asked(task), parent=ended.pid))))
    env = {**os.environ, "PYTHONPATH": f"{STANDIN}:{Path(__file__).parents[2]}"}
    command = [sys.executable, "-m", "advisor.practice.worker", str(request), str(tmp_path / "result.json")]
    assert subprocess.run(command, env=env, timeout=120, stdout=subprocess.DEVNULL).returncode == 3


def test_an_empty_request_gives_an_empty_outcome() -> None:
    assert run(Request(()), runner()) == Outcome()
