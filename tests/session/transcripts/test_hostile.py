"""Files from strangers: one line that says what is wrong, and nothing is opened, written or run."""

from __future__ import annotations

import contextlib
import json
import zlib
from pathlib import Path

import pytest
from tui.factory import sources

from advisor.records.errors import InputError, UsageError
from advisor.session import events as e
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.player import Player
from advisor.session.transcripts.sandbox import harmless

HEAD = '{"format": "ncu-advisor/transcript/1"}'


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"hello", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (zlib.compress(b"0" * 10**6), "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"{}", "has no format"),
        (b'{"format": 7}', "has no format"),
        (b'{"format": "ncu-advisor/transcript/2"}', "update ncu-advisor"),
        (b'{"format": "ncu-advisor/transcript/1", "readings": 3}', "line 1"),
        (b"[" * 100_000, "not JSON"),
        (HEAD.encode() + b"\n{", "line 2"),
        (HEAD.encode() + b'\n{"do": "answer", "question": 1}', "line 2"),
        (HEAD.encode() + b'\n{"do": "whatif", "values": [["a", NaN]]}', "line 2"),
        (HEAD.encode() + b'\n{"do": "whatif", "values": [["a", 1e999]]}', "line 2"),
        (HEAD.encode() + b'\n{"concluded": {}}', "a conclusion without an action"),
        (HEAD.encode() + b'\n{"launch": {"reading": 0}}', "line 2"),
        (HEAD.encode() + b'\n{"do": "fix", "failed": {"x": "y"}}', "must map outcome numbers"),
        (HEAD.encode() + b'\n{"do": "fix", "settled": "x"}', "line 2"),
        (HEAD.encode() + b"\n" * 200_000, "lines"),
        (HEAD.encode() + b'\n{"do": "fix"}' * 20_000, "actions"),
        (HEAD.encode() + b'\n{"do": "' + b"x" * (9 << 20) + b'"}', "in one line"),
    ],
)
def test_what_is_no_transcript_is_one_line(raw: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(raw)
    with pytest.raises(InputError) as caught:
        serialize.load(path)
    assert says in str(caught.value) and "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_folders_and_absent_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        serialize.load(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        serialize.load(tmp_path / "no.jsonl")


def test_kinds_that_are_not_known_are_skipped_with_a_note_and_their_conclusion_with_them() -> None:
    lines = [HEAD, '{"do": "dance"}', '{"concluded": {"class": "x"}}', '{"moon": 1}', '{"do": "fix"}']
    found = serialize.parse("\n".join(lines).encode())
    assert [entry.event.verb for entry in found.entries] == ["fix"]
    assert len(found.notes) == 2 and "dance" in found.notes[0] and "line 4" in found.notes[1]


def written(tmp_path: Path, *lines: dict[str, object], **header: object) -> Path:
    path = tmp_path / "x.jsonl"
    head = {"format": "ncu-advisor/transcript/1", **header}
    path.write_text("\n".join(json.dumps(line) for line in (head, *lines)), encoding="utf-8")
    return path


@pytest.mark.parametrize("kept", ["absent", "bundled", "embedded"])
def test_a_report_that_a_transcript_names_is_not_read(kept: str, tmp_path: Path, tour_path: Path) -> None:
    """It lies on this disk and could be read; the session was saved without it."""
    secret = tmp_path / "secret.ncu-rep.xz"
    secret.write_bytes(tour_path.read_bytes())
    reading = {"paths": [str(secret)], "kept": kept, "reports": [{"path": str(secret)}]}
    player = Player.load(written(tmp_path, {"do": "begin", "paths": [str(secret)]}, readings=[reading]))
    state = player.state(1)
    assert state.diagnosis is None
    failed = state.log[-1]
    assert isinstance(failed, e.Failed) and "\n" not in failed.message


@pytest.mark.parametrize("name", ["kernels:../pyproject.toml", "kernels:/etc/passwd", "kernels:nothing", "kernels:"])
def test_a_bundled_name_does_not_lead_out_of_the_folder(name: str, tmp_path: Path) -> None:
    player = Player.load(written(tmp_path, {"do": "begin", "paths": [name]}))
    failed = player.state(1).log[-1]
    assert isinstance(failed, e.Failed) and "this version of ncu-advisor has no such file" in failed.message


def test_a_trace_that_a_transcript_names_is_not_read(tmp_path: Path) -> None:
    trace = tmp_path / "x.csv"
    trace.write_text("Time (%),Total Time (ns)\n", encoding="utf-8")
    player = Player.load(written(tmp_path, {"do": "begin", "traces": [str(trace)]}))
    failed = [event for event in player.state(1).log if isinstance(event, e.Failed)]
    assert len(failed) == 1 and "saved without it" in failed[0].message


@pytest.mark.parametrize(
    "name", ["../x.yaml", "/etc/x.yaml", "a/../../x.yaml", "x.py", ".hidden.yaml", "a\\b.yaml", ""]
)
def test_rules_stay_in_their_folder(name: str, tmp_path: Path) -> None:
    item = {"kind": "rules", "name": name, "sha256": "", "text": "x: 1"}
    with pytest.raises(InputError, match="is not a file name"):
        Player.load(written(tmp_path, {"attached": item}))


def test_rules_that_are_wrong_are_one_line(tmp_path: Path) -> None:
    item = {"kind": "rules", "name": "observations/x.yaml", "sha256": "", "text": "}{"}
    with pytest.raises(InputError, match="refused") as caught:
        Player.load(written(tmp_path, {"attached": item}))
    assert "\n" not in str(caught.value)


def test_nothing_is_written_by_a_replay(tmp_path: Path) -> None:
    """A saved session says where it was written; a replay must not write there."""
    victim = tmp_path / "victim.jsonl"
    lines = [{"do": "begin"}, {"do": "write", "what": "transcript", "path": str(victim)}]
    player = Player.load(written(tmp_path, *lines))
    player.state(2)
    assert not victim.exists()


def test_exercises_are_looked_at_by_a_replay_and_never_run() -> None:
    asked: list[str] = []

    def practise(request: e.Practise, progress: object) -> str:
        asked.append(request.action)
        return request.action

    safe = harmless(sources(practise=practise))
    for action in ("list", "open", "start", "check", "measure", "hint", "predict", "reset", "quiz", "anything"):
        with contextlib.suppress(UsageError):
            safe.practise(e.Practise(action, "bank-conflicts"), lambda *_: None)
    assert asked == ["list", "open"]


def test_an_embedded_launch_of_a_stranger_is_refused_or_harmless(tmp_path: Path) -> None:
    reading = {"paths": ["x"], "kept": "embedded", "reports": [{"path": "x", "format": "ncu-rep"}]}
    launch = {
        "reading": 0,
        "report": 7,
        "index": 0,
        "kernel": "[bold]\u001b[2J",
        "kernel_full": "k",
        "metrics": {"no_such_metric": 1.0, "dram_pct": 1e308},
    }
    path = written(tmp_path, {"launch": launch}, {"do": "begin", "paths": ["x"]}, readings=[reading])
    failed = Player.load(path).state(1).log[-1]
    assert isinstance(failed, e.Failed) and "report that it does not name" in failed.message
    launch["report"] = 0
    path = written(tmp_path, {"launch": launch}, {"do": "begin", "paths": ["x"]}, readings=[reading])
    state = Player.load(path).state(1)
    assert state.launch is not None and "\x1b" not in state.launch.kernel
    assert "no_such_metric" not in state.launch.metrics
