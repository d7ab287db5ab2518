"""How a line that is being typed could go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from session.test_commands import opened

from advisor.session import events as e
from advisor.session.actions import COMMANDS as DOES
from advisor.session.language.files import listed
from advisor.session.language.understand import completions, understand
from advisor.session.records import Step
from advisor.session.state import State
from tests.changed import replace


def state() -> State:
    now = opened()
    steps = (Step("1", "Classify", "…"), Step("1b", "Place under the roofline", "…"))
    return replace(now, knowledge=replace(now.knowledge, steps=steps))


def files(typed: str, endings: tuple[str, ...]) -> tuple[str, ...]:
    found = ("a.ncu-rep", "a.sqlite", "folder/")
    return tuple(name for name in found if name.startswith(typed) and name.endswith((*endings, "/")))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("/ex", "/explain "),
        ("/wha", "/whatif "),
        ("/EV", "/evidence"),
        ("/how na", "/how narrow_accesses"),
        ("/how ", "/how bank_conflicts"),
        ("/whynot t", "/whynot tail_effect"),
        ("/whatif dra", "/whatif dram_pct = "),
        ("/whatif dram_pct = 70, l", "/whatif dram_pct = 70, l2_pct = "),
        ("/goto 1", "/goto 1b"),
        ("/explain long", "/explain long_scoreboard"),
        ("/explain score", "/explain long_scoreboard"),
        ("/practice b", "/practice bank-conflicts"),
        ("/kernel gem", "/kernel gemm_one_output"),
        ("/compare a", "/compare a.ncu-rep"),
        ("/timeline a", "/timeline a.sqlite"),
        ("/save ", "/save tour-session.jsonl"),
        ("/export h", "/export html "),
        ("/export html ", "/export html tour-session.html"),
        ("what is occ", "what is occupancy"),
    ],
)
def test_the_likeliest_line_comes_first(text: str, line: str):
    assert completions(text, state(), files)[0] == line


@pytest.mark.parametrize("text", ["", "hello", "/fix ", "/nothing a", "/whatif dram_pct = 7", "what is zzz", "83%"])
def test_what_cannot_go_on_is_left_alone(text: str):
    assert completions(text, state(), files) == ()


def test_findings_that_are_here_are_completed_for_how_and_the_others_for_why_not():
    assert set(completions("/how ", state())) == {
        "/how bank_conflicts",
        "/how narrow_accesses",
        "/how line_info_missing",
    }
    assert completions("/whynot ", state()) == ("/whynot tail_effect",)


def test_each_completed_command_is_understood():
    for name in DOES:
        for line in completions(f"/{name} ", state(), files):
            event = understand(line.rstrip("= ") + (" = 1" if name == "whatif" else ""), state())
            assert event is not None
            assert not isinstance(event, e.NotUnderstood) or name == "export", line


def test_files_are_listed_as_typed_folders_with_a_slash_hidden_and_odd_ones_left_out(tmp_path: Path):
    (tmp_path / "runs").mkdir()
    for name in ("run1.ncu-rep", "run2.ncu-rep.xz", "run.txt.bak", ".run.ncu-rep", "run\x1b[2J.ncu-rep"):
        (tmp_path / name).write_text("")
    lead = f"{tmp_path}/"
    found = listed(lead + "r", (".ncu-rep",))
    assert [name.removeprefix(lead) for name in found] == ["run1.ncu-rep", "run2.ncu-rep.xz", "runs/"]
    assert listed(str(tmp_path / "nowhere" / "x")) == ()
    assert listed("\0") == ()
