"""The section for Nsight Compute: its text, what it lists, and that a diagnosis needs no more than that."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from advisor.cli.main import main
from advisor.knowledge.base import catalog
from advisor.readers import read
from advisor.readers.actions import ALWAYS, ARITHMETIC
from advisor.reasoning.diagnose import analyse
from advisor.source.columns import COLUMNS
from advisor.source.measures import MEASURES
from advisor.view.writers.ncu_section import (
    BREAKDOWNS,
    DRAM,
    FILE,
    OVER_TIME,
    OVER_TIME_FILE,
    SAMPLES,
    SM,
    collected,
    names_of,
    over_time_text,
    section_text,
)

TEXT = section_text(catalog().metrics)
TOKEN = re.compile(r'\s*(?:(?P<key>\w+)\s*(?:(?P<open>\{)|:\s*(?P<value>"[^"\\\n]*"|\w+))|(?P<close>\}))')


def parsed(text: str) -> list[tuple[tuple[str, ...], str]]:
    """(path of the block, value) of every field of a protobuf text; ValueError where it is none."""
    at, path, found = 0, [], []
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None:
            raise ValueError(text[at : at + 40])
        at = match.end()
        if match["open"]:
            path.append(match["key"])
        elif match["close"]:
            path.pop()
        else:
            found.append(((*path, match["key"]), match["value"].strip('"')))
    if path:
        raise ValueError("an open block")
    return found


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(args))
    return int(caught.value.code or 0)


def test_the_text_is_a_section_with_each_metric_once() -> None:
    fields = parsed(TEXT)
    assert [value for path, value in fields if path == ("Identifier",)] == ["NcuAdvisor"]
    names = [value for path, value in fields if path[-2:] == ("Metrics", "Name")]
    assert len(names) == len(set(names)) and set(names) == {*collected(catalog().metrics), *BREAKDOWNS, *SAMPLES}
    labels = [value for path, value in fields if path[-2:] == ("Metrics", "Label")]
    assert len(labels) == len(names) and all(labels)
    # Bounds that Nsight Compute 2024.1 knows: an unknown one would make the file unreadable.
    assert {value for path, value in fields if path[-1] in ("MinArch", "MaxArch")} <= {"CC_75", "CC_80", "CC_90"}


def test_what_is_sampled_over_the_run_has_a_section_of_its_own() -> None:
    fields = parsed(over_time_text())
    assert [value for path, value in fields if path == ("Identifier",)] == [OVER_TIME]
    assert {value for path, value in fields if path[-2:] == ("Metrics", "Name")} == {DRAM, SM}
    assert "Triage" not in TEXT


def test_a_text_that_is_no_section_is_told() -> None:
    for text in ("Header {", "}", 'Name "x"', 'Name: "a\nb"'):
        with pytest.raises((ValueError, IndexError)):
            parsed(text)


def test_what_the_places_in_the_code_need_is_listed() -> None:
    listed = collected(catalog().metrics)
    sought = {need for one in (*MEASURES.values(), *COLUMNS.values()) for need in one.needs}
    grouped = {name for name in sought if name.startswith("smsp__pcsamp_warps_issue_stalled_")}
    assert grouped and sought - grouped <= set(listed)
    # Two names for one count; the device describes itself; lanes by opcode come with the executions; what is sampled
    # over the run has a section of its own.
    twice = ("sass__inst_executed_local", "smsp__inst_executed_op_local_", "sass__thread_inst_executed", "device__")
    spare = {DRAM, SM, *(name for name in ALWAYS if name.startswith(twice))}
    assert set(ALWAYS) - spare <= set(listed)


def parts(name: str) -> bool:
    """Whether ncu measures it with the throughputs that the section breaks down."""
    return name.endswith(".avg.pct_of_peak_sustained_elapsed")


def test_a_report_with_nothing_else_gives_the_same_findings_and_lacks_nothing(
    tour_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cat = catalog()
    listed = {*collected(cat.metrics), *ALWAYS}
    grouped = ("smsp__pcsamp_warp", "device__", *ARITHMETIC)
    known = [n for m in cat.metrics.values() for n in m.names if n in listed or parts(n) or n.startswith(grouped)]
    whole = analyse([tour_path]).diagnosis
    monkeypatch.setattr(read, "names_wanted", lambda metrics: known)
    less = analyse([tour_path]).diagnosis
    unmeasured = {m.id for m in cat.metrics.values() if m.names and m.section and not names_of(m)}
    assert {"tensor_ops", "stall_wait_pct", "lanes_active", "ffma_per_cycle"} <= unmeasured
    for one, two in zip(whole.launches, less.launches, strict=True):
        assert two.verdict.id == one.verdict.id
        assert [f.id for f in two.findings] == [f.id for f in one.findings]
        assert [m.metric for m in two.missing] == [m.metric for m in one.missing]


def test_the_command_writes_the_file_and_names_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "my sections"
    assert run("collect", "--section-file", str(folder), "--kernel", "gemm") == 0
    assert (folder / FILE).read_text() == TEXT
    assert (folder / OVER_TIME_FILE).read_text() == over_time_text()
    line = capsys.readouterr().out.splitlines()[-1]
    words = shlex.split(line)
    assert words[:5] == ["ncu", "--section-folder", str(folder), "--section", "NcuAdvisor"]
    assert "--set" not in words and "regex:gemm" in words


def test_a_wrong_place_is_one_line(tmp_path: Path, tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    for args in ([str(tmp_path / "file")], [str(tmp_path / "none" / "below")], [str(tmp_path), str(tour_path)]):
        assert run("collect", "--section-file", *args) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and len(captured.err.splitlines()) == 1
    assert (tmp_path / "file").read_text() == "x" and not list(tmp_path.glob("*.section"))
