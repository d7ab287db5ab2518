"""ncu runs on the child process: what it says is understood, and its report lies where the caller named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from standin_runs import STANDIN, asked, exercise, runner, source

from advisor.practice.profiling import NcuListener, Profile, ncu_command, profile
from advisor.practice.run import Limits, Progress
from advisor.profiling.ncu import find_ncu, ncu_failure
from tests.changed import replace

NCU = STANDIN / "ncu"


def profiled(tmp_path: Path, state: str = "", text: str | None = None, **more: object) -> Profile:
    task = exercise(tmp_path, {"mine": text or source()}, do=("profile",))
    one = runner(STANDIN_LOG=str(tmp_path / "log"), STANDIN_NCU=state)
    return profile(asked(task), tmp_path / "after.ncu-rep", one, ncu=NCU, **more)  # type: ignore[arg-type]


def test_a_profile_gives_its_report_and_its_launches(tmp_path: Path) -> None:
    seen: list[Progress] = []
    found = profiled(tmp_path, show=seen.append)
    assert found.failure is None and found.report == tmp_path / "after.ncu-rep" and found.report.is_file()
    assert [(p.exercise, p.step, p.kernel, p.passes) for p in found.launches] == [("doubling", "mine", "scale", 38)]
    assert found.outcome.jobs[0].profiled == 1
    ours = [(p.percent, p.passes) for p in seen if p.kernel == "scale"]
    assert ours[-1] == (100, 38)


def test_the_command_asks_for_a_full_set_with_sources_of_the_bracketed_run(tmp_path: Path) -> None:
    command = ncu_command(Path("/opt/ncu"), Path("/data/50%/a.b.ncu-rep"))
    assert command == (
        "/opt/ncu",
        *("--set", "full", "--import-source", "yes", "--profile-from-start", "off", "--nvtx"),
        *("--force-overwrite", "-o", "/data/50%%/a.b"),
    )
    assert ncu_command(Path("ncu"), Path("a"), "none")[8:10] == ("--clock-control", "none")


@pytest.mark.parametrize(
    ("state", "kind", "words"),
    [
        ("forbidden", "counters_forbidden", "options nvidia NVreg_RestrictProfilingToAdminUsers=0"),
        ("busy", "profiler_busy", "dcgmi profile --pause"),
        ("locked", "profiler_busy", "/tmp/nsight-compute-lock"),
        ("driver", "ncu_driver", "are incompatible"),
        ("mig", "clocks", "--clock-control none"),
        ("other", "ncu", "Nsight Compute reports: An error was reported by the driver"),
    ],
)
def test_what_ncu_complains_of_has_its_own_words(tmp_path: Path, state: str, kind: str, words: str) -> None:
    found = profiled(tmp_path, state)
    assert found.failure is not None and found.failure.kind == kind and words in found.failure.words
    assert found.report is None and "\n" not in found.failure.words


def test_a_source_that_does_not_compile_is_told_as_such_under_ncu(tmp_path: Path) -> None:
    found = profiled(tmp_path, text=source("pass", "y; // compiler: error: y"))
    assert (
        found.failure is not None and found.failure.kind == "compile" and found.failure.words == "mine.cu:4: error: y"
    )


def test_a_profile_without_launches_says_so(tmp_path: Path) -> None:
    task = exercise(tmp_path, {"mine": source()}, do=("check",))
    found = profile(asked(task), tmp_path / "r", runner(STANDIN_LOG=str(tmp_path / "log")), ncu=NCU)
    assert found.failure is not None and found.failure.kind == "nothing_profiled"


def test_a_kernel_that_never_ends_is_no_fault_of_ncu(tmp_path: Path) -> None:
    task = exercise(tmp_path, {"mine": source("errors.forever()")}, do=("profile",))
    one = replace(runner(STANDIN_LOG=str(tmp_path / "log")), limits=Limits(warm=0.2))
    found = profile(asked(task), tmp_path / "r", one, ncu=NCU)
    assert found.failure is not None and found.failure.kind == "never_ends"


def test_an_ncu_that_hangs_is_ended(tmp_path: Path) -> None:
    task = exercise(tmp_path, {"mine": source()}, do=("profile",))
    one = replace(runner(STANDIN_LOG=str(tmp_path / "log"), STANDIN_NCU="hangs"), limits=Limits(start=0.1))
    found = profile(asked(task), tmp_path / "r", one, ncu=NCU)
    assert found.failure is not None and found.failure.kind == "ncu_hangs" and "ncu --version" in found.failure.words


def test_an_old_report_is_never_taken_for_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "after.ncu-rep").write_bytes(b"old")
    assert profiled(tmp_path, "forbidden").report is None
    assert not (tmp_path / "after.ncu-rep").exists()


def test_without_ncu_one_line_says_where_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.practice.profiling.find_ncu", lambda env: None)
    task = exercise(tmp_path, {"mine": source()}, do=("profile",))
    found = profile(asked(task), tmp_path / "r", runner())
    assert found.failure is not None and found.failure.kind == "no_ncu"
    assert "developer.nvidia.com/nsight-compute" in found.failure.words


def test_ncu_is_found_where_installers_put_it_the_newest_first(tmp_path: Path) -> None:
    paths = [tmp_path / "local" / f"cuda-{v}" / "bin" / "ncu" for v in ("12.9", "13.0", "9.2")]
    paths += [tmp_path / "opt" / v / "ncu" for v in ("2025.3.1", "2024.1.0")]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    places = ((str(tmp_path / "local"), "cuda*/bin/ncu"), (str(tmp_path / "opt"), "*/ncu"))
    assert find_ncu({"PATH": ""}, places) == paths[1]
    assert find_ncu({"PATH": ""}, places[1:]) == paths[3]
    assert find_ncu({"PATH": "", "CUDA_HOME": str(tmp_path / "local" / "cuda-9.2")}, places) == paths[2]
    assert find_ncu({"PATH": f"{tmp_path}{os.pathsep}{paths[0].parent}"}, places) == paths[0]
    assert find_ncu({"PATH": ""}, ()) is None


def heard(*pieces: tuple[str, bool]) -> tuple[NcuListener, list[Progress]]:
    seen: list[Progress] = []
    listener = NcuListener(seen.append, Limits(), 0, 9)
    for text, whole in pieces:
        listener(text, whole)
    return listener, seen


def now(step: str) -> str:
    return f'{{"advisor": "now", "exercise": "e", "step": "{step}", "stage": "profile", "job": 1, "of": 9}}'


def test_a_launch_belongs_to_the_step_at_which_it_began() -> None:
    """The last words about a launch may come when the child is at the next step already, even in the same line."""
    begun = '==PROF== Profiling "void f<int>("x")" - 3 (1/3): 0%'
    listener, seen = heard(
        (now("slow"), True),
        (begun, False),
        (now("fast"), True),
        (f"{begun}....50%....100%{now('fast')}", True),
        ('==PROF== Profiling "g" - 4: 0%....50%....100% - 1 pass', True),
    )
    assert [(p.step, p.kernel, p.passes) for p in listener.launches] == [
        ("slow", 'void f<int>("x")', 0),
        ("fast", "g", 1),
    ]
    assert seen[-1].percent == 100 and listener.printed == []


def test_passes_may_stand_in_a_line_of_their_own() -> None:
    listener, seen = heard(
        (now("a"), True),
        ('==PROF== Profiling "add_kernel" - 0: ', True),
        ("0%....50%", False),
        ("0%....50%....100% - 9 passes", True),
        ("100% right", True),
    )
    assert [(p.kernel, p.passes) for p in listener.launches] == [("add_kernel", 9)]
    assert [p.percent for p in seen] == [0, 0, 50, 100] and listener.printed == ["100% right"]


def test_the_exit_code_of_the_child_is_no_complaint_of_ncu() -> None:
    listener, _ = heard(("==ERROR== The application returned an error code (3).", True), ("==ERROR== Real", True))
    assert listener.said.errors == ["Real"]


def test_no_complaint_is_no_failure() -> None:
    assert ncu_failure([]) is None
