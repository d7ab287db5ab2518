"""`ncu-advisor sweep` on a machine whose compiler and ncu are stand-ins: what is run, kept, shown and refused."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import click
import jsonschema
import pytest
from sweep_machine import BUILD, RUN, Machine

from advisor.cli.json_schema import schema
from advisor.view.pages.sweep import sweep_page
from advisor.view.writers import page_writer
from advisor.view.writers.terminal import terminal_text

FORBIDDEN = "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters"
ONE = ("--over", "TILE=2", "--run", "echo {TILE}")


def document(machine: Machine, *arguments: object) -> dict[str, object]:
    text = machine.does("--read", "sweep", "--format", "json", *arguments).stdout
    found: dict[str, object] = json.loads(text)
    jsonschema.Draft202012Validator(schema("sweep")).validate(found)
    return found


def test_points_are_built_run_and_profiled_and_the_best_is_picked(machine: Machine) -> None:
    judged = machine.judged()
    result = machine.sweeps("2,4,8", "--kernel", "^scores$", "--format", "json", repeat=2)
    profiles = [line for line in machine.log if line.startswith("ncu ")]
    assert all("--clock-control none" in line and "regex:^scores$" in line for line in profiles)
    assert ["SourceCounters" in line for line in profiles] == [True] * 3 + [False] * 3, (
        "repeats measure the duration alone"
    )
    found = json.loads(result.stdout)
    jsonschema.Draft202012Validator(schema("sweep")).validate(found)
    assert [p["values"]["TILE"] for p in found["points"]] == ["8", "4", "2"]
    best = found["points"][0]
    assert (best["registers_per_thread"], best["spill_inst"], best["time"]["runs"]) == (128, 0, 2)
    assert best["picked"] and best["class"] == "compute_bound" and best["first"] == "near_compute_roofline"
    assert found["worst_to_pick"]["verdict"] == "faster"
    page = sweep_page(judged[0])
    text = " ".join(terminal_text(page, width=100, colour=False, blocks=True).split())
    assert "Pick TILE=8: the fastest, 750 µs" in text and "2.5× over the first point, TILE=2" in text
    assert "extend the range of TILE: the best value, 8, is the largest tried" in text
    assert "the clocks were not locked (--clock-control none)" in text and "another problem size" not in text
    assert text.index("* TILE=8") < text.index("TILE=4") < text.rindex("TILE=2")
    assert page_writer("markdown")(page).startswith("# scores") and "<title>" in page_writer("html")(page)


def test_a_point_that_fails_stays_with_its_reason_and_never_wins(machine: Machine) -> None:
    check = "sh -c 'case {out} in *TILE-8) echo y[7] is 3, expected 4; exit 1; esac'"
    machine.only_measures()
    machine.sweeps("broken,crash,hang,16,8,4", "--limit-s", 12, "--check", check)
    found = document(machine)
    assert [p["values"]["TILE"] for p in found["points"] if p["picked"]] == ["4"]  # type: ignore[attr-defined]
    problems = {p["values"]["TILE"]: p.get("problem", "") for p in found["points"]}  # type: ignore[attr-defined]
    assert problems == {
        "4": "",
        "broken": 'app.cu:7: error: expected a ";"',
        "crash": "the program ended with exit code 3: CUDA error: misaligned address",
        "hang": "the program did not finish within 12 s",
        "16": "ncu profiled no kernel: check --kernel, and whether one is launched",
        "8": "wrong result: the check ended with exit code 1: y[7] is 3, expected 4",
    }


def test_where_no_point_can_be_measured_the_reason_is_one_line_and_the_exit_code_2(machine: Machine) -> None:
    result = machine.sweeps("broken", "--format", "markdown", code=2)
    assert "app.cu:7: error:" in result.stdout and "0 of 1 point measured" in result.stdout
    assert result.stderr.splitlines()[-1] == 'ncu-advisor: no point was measured: app.cu:7: error: expected a ";"'


def test_only_what_changed_is_measured_again(machine: Machine) -> None:
    machine.only_measures()
    machine.sweeps("4,8")
    machine.forget()
    again = machine.sweeps("4,8,2")
    assert "2 of 3 points were measured before" in again.stderr
    assert [line.split(" -o ")[0] for line in machine.log if line.startswith("nvcc")] == ["nvcc -O3 -DTILE=2"]
    machine.forget()
    machine.sweeps("4,8")
    assert machine.log == [], "a narrower range needs nothing"
    (machine.home / "tile.cuh").write_text("// an included file changed\n", encoding="utf-8")
    machine.sweeps("4,8")
    assert sum(line.startswith("nvcc") for line in machine.log) == 2


def test_after_ctrl_c_the_same_command_goes_on(machine: Machine) -> None:
    machine.only_measures()
    machine.environment(STANDIN_STOP="TILE-8", STANDIN_PARENT=str(os.getpid()))
    stopped = machine.says("--over", "TILE=4,8", "--build", BUILD, "--run", RUN, "--repeat", 1)
    assert isinstance(stopped.exception, click.Abort) and "the same command goes on" in stopped.stderr
    machine.environment(STANDIN_STOP="")
    machine.forget()
    machine.sweeps("4,8")
    assert [line.split()[2] for line in machine.log if line.startswith("nvcc")] == ["-DTILE=8"]


def test_the_script_measures_the_same_without_this_program(machine: Machine) -> None:
    script = ("--script", "all.sh", "--check", "true", "--limit-s", 12)
    result = machine.sweeps("4,8,broken,hang", *script, repeat=2)
    assert machine.log == [] and not (machine.home / "sweep").exists(), "nothing ran"
    assert "ncu-advisor sweep --read sweep" in result.stderr
    subprocess.run(["sh", "all.sh"], check=True, capture_output=True, timeout=120)
    found = document(machine)
    rows = [(p["values"]["TILE"], p.get("problem", "")) for p in found["points"]]  # type: ignore[attr-defined]
    assert rows == [
        ("8", ""),
        ("4", ""),
        ("broken", 'app.cu:7: error: expected a ";"'),
        ("hang", "the program did not finish within the time limit"),
    ]
    assert found["points"][0]["time"]["runs"] == 2  # type: ignore[index]


def test_words_with_blanks_quotes_and_braces_reach_the_program_in_both_ways(machine: Machine) -> None:
    machine.environment(STANDIN_REPORTS=str(machine.home))
    over = "it's a {b}; $(touch pwned)"
    run = 'sh -c \'printf "%s|" "$@" >"$0.seen"; echo {{V}} >>"$0.seen"\' {out}/x {V} -D={V} "a b"'
    machine.only_measures()
    arguments = ("--over", f"V={over}", "--run", run, "--folder", "a folder")
    seen = f"{over}|-D={over}|a b|" + "{V}\n"
    machine.does(*arguments)
    assert next(Path("a folder").glob("*/x.seen")).read_text(encoding="utf-8") == seen
    machine.does(*arguments, "--script", "s.sh", "--folder", "b folder")
    subprocess.run(["sh", "s.sh"], check=True, capture_output=True, timeout=120)
    assert next(Path("b folder").glob("*/x.seen")).read_text(encoding="utf-8") == seen
    assert not Path("pwned").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--run", "x"), "nothing to vary"),
        (("--over", "TILE=2"), "give --run COMMAND"),
        (("--over", "TILE=", "--run", "x {TILE}"), "no value in the list"),
        (("--over", "TILE=2,,4", "--run", "x {TILE}"), "an empty value in the list"),
        (("--over", "TILE=2,4,2", "--run", "x {TILE}"), "'2' is in the list twice"),
        (("--over", "MY TILE=2", "--run", "x"), "'MY TILE' is no name"),
        (("--over", "2", "--run", "x"), "there is no ="),
        (("--over", "out=2", "--run", "x {out}"), "{out} is the folder"),
        ((*ONE, "--over", "TILE=3"), "TILE is given twice"),
        (("--over", f"A={','.join(map(str, range(40)))}", "--over", f"B={','.join(map(str, range(26)))}", "--run", "x"),
         "1,040 points are too many"),
        (("--over", "TILE=2", "--run", "x {TILES}"), "{TILES} is not a placeholder: there are {TILE}, {out}"),
        (("--over", "TILE=2", "--run", "x"), "no command contains {TILE}"),
        (("--over", "TILE=2", "--run", "x 'a {TILE}"), "cannot be split into words: no closing quotation"),
        (("--over", "TILE=2", "--run", "x {TILE} | tail"), "contains '|', but no shell runs it"),
        (("--over", "TILE=2", "--run", "x {TILE} $HOME"), "contains '$HOME', but no shell runs it"),
        (("--over", "TILE=2", "--run", "A=1 x {TILE}"), "or env A=1"),
        (("--over", "TILE=2", "--run", ""), "--run is empty"),
        (("--over", "TILE=2", "--build", "make T={TILE}", "--run", "./app"), "--build does not contain {out}"),
        ((*ONE, "--kernel", "("), "is not a regular expression"),
        ((*ONE, "--depends", "nowhere"), "--depends nowhere: is not a file"),
        (("--over", "TILE=2", "--build", "nosuchcc {TILE} {out}", "--run", "{out}/app"), "'nosuchcc' is not a program"),
        (("--read", "nowhere"), "has no sweep.json"),
        (("--read", "nowhere", "--over", "TILE=2"), "--read only reads reports"),
        ((*ONE, "--folder", "."), "holds other files and no sweep.json"),
    ],
)  # fmt: skip
def test_what_cannot_be_swept_is_one_line(machine: Machine, arguments: tuple[object, ...], says: str) -> None:
    assert says in machine.refuses(*arguments)
    assert machine.log == []


def test_a_machine_that_cannot_profile_stops_at_the_first_point(machine: Machine) -> None:
    usual = ("--over", "TILE=2,4", "--build", BUILD, "--run", RUN)
    machine.environment(STANDIN_NCU=FORBIDDEN)
    assert "NVreg_RestrictProfilingToAdminUsers=0" in machine.refuses(*usual)
    assert sum(line.startswith("ncu") for line in machine.log) == 1
    machine.monkeypatch.setattr("advisor.sweep.drive.find_ncu", lambda: None)
    assert "ncu (Nsight Compute) is not on the PATH" in machine.refuses(*usual)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not the manifest of a sweep"),
        ('{"format": "other/9", "points": []}', "has the format"),
        ('{"points": []}', "lists 0 points"),
        ('{"points": [{"name": "../../etc", "values": [["A", "1"]]}]}', "is not one that a sweep writes"),
        (
            '{"points": [{"name": "a", "values": [["A", "1"]]}, {"name": "A", "values": [["A", "2"]]}]}',
            "lists 2 points",
        ),
    ],
)
def test_a_strange_manifest_is_one_line(machine: Machine, content: str, says: str) -> None:
    (machine.home / "sweep").mkdir()
    (machine.home / "sweep" / "sweep.json").write_text(content, encoding="utf-8")
    assert says in machine.refuses("--read", "sweep")


def test_an_unreadable_report_is_a_problem_of_its_point(machine: Machine, reports: Path) -> None:
    (machine.home / "TILE-4").write_bytes((reports / "TILE-4").read_bytes())
    (machine.home / "TILE-8").write_bytes(b"NVR\0")
    machine.environment(STANDIN_REPORTS=str(machine.home))
    machine.only_measures()
    machine.sweeps("4,8")
    rows = document(machine)["points"]
    assert [p["values"]["TILE"] for p in rows] == ["4", "8"]  # type: ignore[attr-defined]
    assert rows[1]["problem"].startswith("unreadable report: ")  # type: ignore[index]
