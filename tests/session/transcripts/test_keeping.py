"""Sessions that the program saves by itself: whole after kill -9, offered again, apart from each other, few."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from session.transcripts.talk import CSV, Talk, real
from tui.factory import diagnosis

from advisor.records.errors import InputError
from advisor.records.readings import CodeAccess, CodeCounts
from advisor.session import events as e
from advisor.session import services
from advisor.session.transcripts import attachments
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.autosave import MOST_KEPT, Saving, forget, is_running, kept, prune, unfinished
from advisor.session.transcripts.player import Player

CHILD = Path(__file__).with_name("child_session.py")


def talked(place: Path, *more: e.Event) -> Talk:
    talk = Talk(place=place).begin("tour.ncu-rep").do(e.LaunchSelected(1))
    for event in more:
        talk.do(event)
    assert talk.saving.flush()
    return talk


def verbs(place: Path) -> list[str]:
    [path] = place.glob("*.jsonl")
    return [entry.event.verb for entry in serialize.load(path).entries]


def test_each_step_is_saved_and_an_undone_one_goes(tmp_path: Path) -> None:
    talk = talked(tmp_path)
    assert verbs(tmp_path) == ["begin", "launch"]
    talk.do(e.FixShown()).saving.flush()
    assert verbs(tmp_path) == ["begin", "launch", "fix"]
    talk.do(e.Back()).saving.flush()
    assert verbs(tmp_path) == ["begin", "launch"]
    talk.saving.close()


def test_what_was_kept_is_what_save_would_write_but_for_the_readings(tmp_path: Path) -> None:
    talk = talked(tmp_path, e.HowAsked(), e.FixShown(), e.Back(), e.EvidenceShown())
    talk.do(e.WriteAsked("transcript", str(tmp_path / "elsewhere" / ".." / "own.txt")))
    talk.saving.flush()
    own = serialize.load(tmp_path / "own.txt").entries
    [path] = tmp_path.glob("*.jsonl")
    assert serialize.load(path).entries[: len(own) - 1] == own[:-1]
    talk.saving.close()


def test_nothing_is_kept_before_anything_was_done(tmp_path: Path) -> None:
    talk = Talk(place=tmp_path).begin("tour.ncu-rep")
    talk.saving.flush()
    talk.saving.close()
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_is_open_is_not_offered_and_one_that_was_left_neither(tmp_path: Path) -> None:
    talk = talked(tmp_path)
    [one] = kept(tmp_path)
    assert one.running and not one.finished and unfinished((), tmp_path) == ()
    talk.do(e.Quit())
    talk.saving.close()
    [one] = kept(tmp_path)
    assert one.finished and not one.running and unfinished((), tmp_path) == ()
    assert not list(tmp_path.glob("*.lock"))


def test_a_session_that_was_broken_off_is_offered_for_its_own_reports(tmp_path: Path) -> None:
    talk = talked(tmp_path, e.Asked("dtype"), e.Answered("dtype", "f32"))
    talk.saving.close()
    [one] = unfinished((), tmp_path)
    assert one.paths == ("tour.ncu-rep",) and one.answers == 1 and one.actions == 3
    assert unfinished(("tour.ncu-rep",), tmp_path) == (one,)
    assert unfinished(("other.ncu-rep",), tmp_path) == ()
    forget(one.path)
    assert list(tmp_path.iterdir()) == []


def test_two_sessions_at_once_are_two_files(tmp_path: Path) -> None:
    one, other = talked(tmp_path), talked(tmp_path, e.FixShown())
    assert len(list(tmp_path.glob("*.jsonl"))) == 2 and all(k.running for k in kept(tmp_path))
    one.saving.close()
    assert sorted(k.running for k in kept(tmp_path)) == [False, True]
    other.saving.close()


def test_only_the_latest_are_kept_and_none_that_is_open_goes(tmp_path: Path) -> None:
    talk = talked(tmp_path)
    [open_one] = tmp_path.glob("*.jsonl")
    os.utime(open_one, (1, 1))
    for number in range(MOST_KEPT + 3):
        path = tmp_path / f"{number:012d}.jsonl"
        path.write_text(serialize.text_of(serialize.Transcript(serialize.Header())), encoding="utf-8")
        path.with_suffix(".here").write_text("{}", encoding="utf-8")
        os.utime(path, (100 + number, 100 + number))
    (tmp_path / ".000000000001.jsonl.abcdef").write_text("half", encoding="utf-8")
    prune(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert open_one.name in left and is_running(open_one)
    assert len([name for name in left if name.endswith(".jsonl")]) == MOST_KEPT + 1
    assert f"{MOST_KEPT + 2:012d}.jsonl" in left and not any(name.startswith(".0") for name in left)
    talk.saving.close()


def test_files_that_are_damaged_or_foreign_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{", encoding="utf-8")
    (tmp_path / "odd.here").write_text("[" * 10_000, encoding="utf-8")
    good = tmp_path / "odd.jsonl"
    good.write_text('{"format": "ncu-advisor/transcript/1"}\n{"do": "begin", "paths": ["x"]}\n', encoding="utf-8")
    assert [one.id for one in kept(tmp_path)] == ["odd"]
    assert [one.id for one in unfinished(("x",), tmp_path)] == []


def test_a_place_that_cannot_be_written_is_told_once_and_the_session_goes_on(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("a file where the folder should be", encoding="utf-8")
    talk = Talk(place=tmp_path / "sessions").begin("tour.ncu-rep").do(e.LaunchSelected(1))
    for event in (e.FixShown(), e.EvidenceShown(), e.HelpAsked()):
        talk.do(event)
        talk.saving.flush()
    talk.saving.close()
    assert len(talk.problems) == 1 and "\n" not in talk.problems[0]
    assert talk.state.place == "launch"


def test_a_disk_that_is_full_is_told_and_saved_to_again_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from advisor.records.errors import UsageError
    from advisor.session.transcripts import autosave

    room = threading.Event()
    whole = autosave.write_whole

    def write(path: Path, text: str) -> None:
        if not room.is_set():
            raise UsageError(f"{path}: cannot be written: No space left on device")
        whole(path, text)

    monkeypatch.setattr(autosave, "write_whole", write)
    talk = Talk(place=tmp_path).begin("tour.ncu-rep").do(e.LaunchSelected(1))
    talk.saving.flush()
    talk.do(e.FixShown())
    talk.saving.flush()
    assert len(talk.problems) == 1 and "No space left" in talk.problems[0]
    room.set()
    talk.do(e.EvidenceShown())
    talk.saving.close()
    assert verbs(tmp_path) == ["begin", "launch", "fix", "evidence"]


def test_a_large_report_is_not_written_at_each_step(tmp_path: Path) -> None:
    talk = real(tmp_path).begin(str(CSV)).do(e.LaunchSelected(1))
    talk.do(e.WriteAsked("transcript", str(tmp_path / "whole.txt")))
    talk.saving.flush()
    [path] = tmp_path.glob("*.jsonl")
    assert path.stat().st_size < (tmp_path / "whole.txt").stat().st_size / 3
    assert serialize.load(path).header.readings[0].kept == "absent"
    assert serialize.load(path).header.readings[0].reports[0].sha256
    talk.saving.close()


# Gone on with


def gone_on(path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Player, Saving]:
    from advisor.session.transcripts import autosave

    monkeypatch.setattr(autosave, "folder", lambda: place)
    player = Player.load(path)
    saving = Saving(place=place)
    saving.go_on(player.state(len(player)), player.executor)
    return player, saving


def test_a_broken_off_session_goes_on_in_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "mine.csv.xz"
    report.write_bytes(CSV.read_bytes())
    place = tmp_path / "sessions"
    monkeypatch.chdir(tmp_path)
    talk = real(place).begin("mine.csv.xz").do(e.LaunchSelected(1)).do(e.HowAsked())
    talk.saving.close()
    [path] = place.glob("*.jsonl")
    before, text = talk.state, path.read_text(encoding="utf-8")
    assert json.loads(path.with_suffix(".here").read_text(encoding="utf-8")) == {"paths": {"mine.csv.xz": str(report)}}
    monkeypatch.chdir("/")  # another folder: the path that was typed does not lead there any more
    player, saving = gone_on(path, place, monkeypatch)
    state = player.state(len(player))
    assert state.cards == before.cards and state.position == before.position
    assert player.changed == ()
    saving.keep(state)
    saving.flush()
    # The path is now the whole one; all else stands as it was.
    assert is_running(path) and path.read_text(encoding="utf-8").splitlines()[2:] == text.splitlines()[2:]
    saving.close()
    assert [one.id for one in unfinished((str(report),), place)] == [path.stem]


def test_what_has_changed_since_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "mine.csv.xz"
    report.write_bytes(CSV.read_bytes())
    place = tmp_path / "sessions"
    real(place).begin(str(report)).do(e.LaunchSelected(1)).saving.close()
    [path] = place.glob("*.jsonl")
    import lzma

    report.write_bytes(lzma.compress(lzma.decompress(CSV.read_bytes())))
    player, saving = gone_on(path, place, monkeypatch)
    assert len(player.changed) == 1 and "has changed since" in player.changed[0]
    saving.close()


def test_a_session_whose_report_is_gone_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "mine.csv.xz"
    report.write_bytes(CSV.read_bytes())
    place = tmp_path / "sessions"
    real(place).begin(str(report)).do(e.LaunchSelected(1)).saving.close()
    [path] = place.glob("*.jsonl")
    text = path.read_text(encoding="utf-8")
    report.unlink()
    with pytest.raises(InputError):
        gone_on(path, place, monkeypatch)
    assert path.read_text(encoding="utf-8") == text


def test_from_the_middle_of_a_session_it_goes_on_as_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "mine.csv.xz"
    report.write_bytes(CSV.read_bytes())
    place = tmp_path / "sessions"
    real(place).begin(str(report)).do(e.LaunchSelected(1)).do(e.FixShown()).saving.close()
    [path] = place.glob("*.jsonl")
    text = path.read_text(encoding="utf-8")
    player, saving = gone_on(path, place, monkeypatch)
    saving.close()
    again = Saving(place=place)
    again.go_on(player.state(2), player.executor)
    again.close()
    assert path.read_text(encoding="utf-8").splitlines()[1:] == text.splitlines()[1:]
    assert len(list(place.glob("*.jsonl"))) == 2


def test_a_session_that_another_terminal_took_goes_on_as_a_copy(tmp_path: Path) -> None:
    talk = talked(tmp_path)
    [path] = tmp_path.glob("*.jsonl")
    text = path.read_text(encoding="utf-8")
    from advisor.session.transcripts.autosave import Keeper

    second = Keeper(talk.memory, place=tmp_path, continued=path.stem)
    second.keep(talk.state)
    second.close()
    assert path.read_text(encoding="utf-8") == text and len(list(tmp_path.glob("*.jsonl"))) == 2
    talk.saving.close()


# Killed


@pytest.mark.parametrize("seed", range(5))
def test_kill_9_at_any_moment_leaves_all_finished_steps(seed: int, tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, str(CHILD), str(tmp_path), str(seed)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    wanted, done = random.Random(seed).randrange(3, 60), 0
    for line in child.stdout:
        done = int(line)
        if done >= wanted:
            break
    child.send_signal(signal.SIGKILL)
    done = max([done, *(int(line) for line in child.stdout.read().split())])  # said before the signal came
    child.wait()
    [one] = unfinished((), tmp_path)
    assert one.actions >= done
    player = serialize.load(one.path)
    assert [entry.event.text.split()[1] for entry in player.entries[2:]] == [  # type: ignore[union-attr]
        str(number) for number in range(2, one.actions + 1)
    ]


def test_sixty_launches_cost_little_at_each_step(tmp_path: Path) -> None:
    """Many steps over a large report: what is written grows with the steps, not with the report times the steps."""
    launches = diagnosis().launches
    many = diagnosis(*(launches[n % len(launches)] for n in range(60)))
    from tui.factory import Analysis, sources

    talk = Talk(sources(analyse=lambda *_: Analysis(many)), tmp_path).begin("tour.ncu-rep").do(e.LaunchSelected(1))
    for number in range(30):
        talk.do(e.NotUnderstood(f"{number}"))
    talk.saving.flush()
    [path] = tmp_path.glob("*.jsonl")
    assert path.read_text(encoding="utf-8").count('"launches":') == 1
    talk.saving.close()


def test_what_the_code_tells_comes_back_whole() -> None:
    access = CodeAccess("global", "load", 32, True, 1.0, 32.0, 4.0, 4.0, 1.0)
    code = CodeCounts({"LDG.E": 2.0}, (access,), 1.0, 2.0, 0.25, 12.0, {"x": 128.0, "?": 4.0}, 3.0)
    assert services._code(attachments._code(code)) == code
