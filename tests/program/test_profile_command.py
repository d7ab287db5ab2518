"""`ncu-advisor profile` with an ncu that needs no GPU."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest
from program_machine import ROOT, Machine, environment

from advisor.cli.json_schema import schema
from advisor.program.run import Line, parse_progress, program
from advisor.program.watch import stamp, until_changed
from advisor.records.errors import AdvisorError, UsageError


def test_from_a_program_to_the_diagnosis_of_its_longest_kernels(machine: Machine) -> None:
    text = machine.does("--most", "3", "--", machine.script("sleep 0.1"))
    assert "* eight_blocks" in text and "* private_bins" in text and "  gemm_one_output" in text
    assert "Arrays in local memory" in text and "Grid too small" in text
    survey, collected = machine.log
    assert "--metrics gpu__time_duration.sum" in survey and "--cache-control none" in survey
    assert "--kernel-name regex:^(eight_blocks|private_bins|capped_moments)$" in collected
    assert "--section NcuAdvisor" in collected and "--import-source yes" in collected
    assert f"ncu-advisor {machine.home / 'made.ncu-rep'}" in text.replace("\n", " ")


def test_the_document_follows_its_schema(machine: Machine) -> None:
    found = machine.document("--most", "2", "--", machine.script("exit 0"))
    jsonschema.validate(found, schema("profile"))
    assert [k["kernel"] for k in found["kernels"] if k.get("profiled")] == ["eight_blocks", "private_bins"]
    assert {launch["kernel"] for launch in found["diagnosis"]["launches"]} == {"eight_blocks", "private_bins"}
    assert found["launches"] == 22 and found["complete"]
    assert found["runs"][0]["report"] == str(machine.home / "made.ncu-rep")


def test_a_program_whose_time_is_elsewhere_is_told_so(machine: Machine) -> None:
    text = machine.does("--survey-only", "--", machine.script("sleep 0.4"))
    assert "Most of the time is outside of kernels" in text and "nsys profile" in text
    assert len(machine.log) == 1 and "Reports" not in text


def test_launches_that_were_not_all_timed_give_no_share(machine: Machine) -> None:
    found = machine.document("--survey", "5", "--survey-only", "--", machine.script("exit 0"))
    assert found["gpu_share"] is None and not found["complete"] and found["diagnosis"] is None


def test_only_kernels_whose_name_matches(machine: Machine) -> None:
    found = machine.document("--kernel", "^chain_", "--most", "1", "--", machine.script("exit 0"))
    assert [launch["kernel"] for launch in found["diagnosis"]["launches"]] == ["chain_registers"]
    said = machine.refuses("--kernel", "nosuch", "--", machine.script("exit 0"))
    assert "no kernel matches --kernel 'nosuch'" in said and "eight_blocks" in said


def test_arguments_of_the_program_are_its_own(machine: Machine) -> None:
    app = machine.script('test "$1 $2" = "--format x"')
    machine.does("--most", "1", "--", app, "--format", "x")
    machine.does("--most", "1", app, "--format", "x")


def test_every_run_gets_the_same_standard_input(machine: Machine, recorded: Path) -> None:
    app = machine.script('test "$(cat)" = "some numbers"')
    command = [sys.executable, "-P", "-m", "advisor", "profile", "--survey-only", "--", app]
    env = {**os.environ, **environment(machine.home, recorded), "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, input="some numbers", env=env, capture_output=True, text=True, timeout=240, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "eight_blocks" in ran.stdout


@pytest.mark.parametrize(
    ("limit", "script", "words"),
    [
        ("60", "echo bad size >&2; exit 3", "ended with exit code 3: bad size; without the profiler too"),
        ("60", "kill -SEGV $$", "was ended by SIGSEGV; without the profiler too"),
        ("1", "sleep 600", "does not end within 1 s without the profiler"),
    ],
)
def test_a_program_that_fails_by_itself_is_not_profiled(machine: Machine, limit: str, script: str, words: str) -> None:
    assert words in machine.refuses("--limit-s", limit, "--", machine.script(script))
    assert machine.log == []


@pytest.mark.parametrize("name", ["", "/", "."])
def test_a_report_without_a_name_is_refused(machine: Machine, name: str) -> None:
    result = machine.says("--report", name, "--", machine.script("exit 0"))
    assert isinstance(result.exception, AdvisorError) and "is no name of a file" in str(result.exception)


def test_a_program_that_fails_only_under_ncu_says_so(machine: Machine) -> None:
    app = machine.script(f"test -e {machine.home}/log && exit 7; exit 0")
    said = machine.refuses("--", app)
    assert "exit code 7" in said and "without the profiler it ends well" in said


def test_a_program_that_stands_still_under_ncu(machine: Machine) -> None:
    app = machine.script(f"test -e {machine.home}/log && sleep 600; exit 0")
    said = machine.refuses("--limit-s", "6", "--", app)
    assert "stands still under ncu" in said and "app-range" in said


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("survey: ERR_NVGPUCTRPERM - no permission", "NVreg_RestrictProfilingToAdminUsers=0"),
        ("survey: Cuda driver is not compatible with Nsight Compute", "are incompatible"),
        ("survey: Profiling is not supported on this GPU", "does not support this GPU"),
        ("survey: Failed to access lock file nsight-compute-lock", "another Nsight Compute is running"),
        ("collect: out of memory", "too little memory"),
    ],
)
def test_each_failure_of_ncu_has_its_own_words(machine: Machine, error: str, words: str) -> None:
    machine.environment(STANDIN_FAILS=error)
    assert words in machine.refuses("--most", "1", "--", machine.script("exit 0"))


def test_application_replay_is_tried_if_kernel_replay_fails(machine: Machine) -> None:
    machine.environment(STANDIN_FAILS="kernel: out of memory")
    found = machine.document("--most", "1", "--", machine.script("exit 0"))
    assert found["runs"][0]["replay"] == "application"
    assert "kernel replay failed" in found["runs"][0]["notes"][0]
    assert "kernel replay failed" in machine.does("--most", "1", "--", machine.script("exit 0"))


def test_a_replay_that_was_asked_for_is_the_only_one(machine: Machine) -> None:
    machine.environment(STANDIN_FAILS="kernel: out of memory")
    assert "too little memory" in machine.refuses("--replay", "kernel", "--", machine.script("exit 0"))


def test_a_program_without_kernels(machine: Machine) -> None:
    (machine.home / "none").write_text("", encoding="utf-8")
    machine.environment(STANDIN_NAMES=str(machine.home / "none"))
    assert "did not launch a kernel on the GPU" in machine.refuses("--", machine.script("exit 0"))


def test_a_machine_without_ncu(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.program.collect.find_ncu", lambda: None)
    assert "ncu (Nsight Compute) is not on the PATH" in machine.refuses("--", machine.script("exit 0"))


def test_a_program_that_does_not_exist_or_cannot_run(machine: Machine) -> None:
    assert "'nosuch' is not a program here" in machine.refuses("--", "nosuch")
    (machine.home / "app.py").write_text("", encoding="utf-8")
    assert "put the interpreter before it" in machine.refuses("--", "./app.py")
    with pytest.raises(UsageError):
        program(["nosuch"], machine.home)


def test_a_place_that_cannot_hold_the_report(machine: Machine) -> None:
    (machine.home / "file").write_text("", encoding="utf-8")
    result = machine.says("--report", machine.home / "file" / "x", "--", machine.script("exit 0"))
    assert isinstance(result.exception, UsageError) and "cannot write a report there" in str(result.exception)
    assert machine.log == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--build", "make"], "belong to --watch"),
        (["--watch", "--format", "json"], "--watch prints text"),
        (["--watch", "--depends", "nosuch"], "there is no such file"),
        (["--watch"], "names no file that could change"),
    ],
)
def test_options_that_contradict_each_other(machine: Machine, options: list[str], words: str) -> None:
    words_of_program = ["true"] if words.startswith("names") else [machine.script("exit 0")]
    assert words in machine.refuses("--most", "1", *options, "--", *words_of_program)


def test_progress_of_ncu_is_parsed() -> None:
    assert parse_progress('==PROF== Profiling "scale" - 0: 0%') == Line("scale", 1, 0.0)
    assert parse_progress('==PROF== Profiling "a" - 12: 0%....50%....100% - 41 passes') == Line("a", 13, 1.0)
    assert parse_progress('==PROF== Profiling "say "x" - 3" - 7: 0%....50%') == Line('say "x" - 3', 8, 0.5)
    assert parse_progress("==PROF== Connected to process 1") is None
    assert parse_progress('==PROF== Profiling "x') is None


def test_a_change_is_noticed_when_the_files_are_quiet(tmp_path: Path) -> None:
    file = tmp_path / "app"
    file.write_text("1", encoding="utf-8")
    seen, slept = stamp([file]), []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 2:
            file.unlink()
        if len(slept) == 3:
            file.write_text("changed", encoding="utf-8")

    until_changed([file], seen, sleep)
    assert len(slept) == 4 and file.read_text(encoding="utf-8") == "changed"


def test_watch_builds_profiles_and_compares_after_a_change(machine: Machine, recorded: Path) -> None:
    source, app = machine.home / "app.cu", machine.script("exit 0")
    source.write_text("1", encoding="utf-8")
    built = machine.script(f"echo built >>{machine.home}/builds", "build")
    command = [sys.executable, "-P", "-m", "advisor", "profile", "--most", "1", "--watch", "--build", built]
    command += ["--depends", str(source), "--", app]
    env = {**os.environ, **environment(machine.home, recorded), "PYTHONPATH": str(ROOT), "HOME": str(machine.home)}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
        assert child.stdout is not None
        lines = []
        for line in child.stdout:
            lines.append(line)
            if "waiting for a change of app, app.cu" in line:
                if source.read_text(encoding="utf-8") == "2":
                    break
                time.sleep(0.05)
                source.write_text("2", encoding="utf-8")
        child.terminate()
        child.wait(240)
    text = "".join(lines)
    assert (machine.home / "builds").read_text(encoding="utf-8") == "built\n"
    assert "Grid too small" in text and "eight_blocks" in text
    assert text.count("waiting for a change") == 2 and "unchanged" in text.lower(), text[-3000:]
