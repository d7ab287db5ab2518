"""Sessions saved and played again: the same conclusions, on a machine without the report, by the same knowledge."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from session.transcripts.talk import CSV, Talk, real

from advisor.hardware.ceilings import Ceiling, Ceilings
from advisor.records import resources
from advisor.records.errors import UsageError
from advisor.session import events as e
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.attachments import transcript_of
from advisor.session.transcripts.format import Scrubber, Transcript
from advisor.session.transcripts.player import Player, settle
from advisor.session.transcripts.recorder import Recorder
from advisor.session.transcripts.sandbox import stage
from tests.bench.thin import DEFAULT, write_thin
from tests.changed import replace

SCRUBBER = Scrubber(Path("/home/marianne"), ["marianne"], ["gpubox"])


def saved(talk: Talk) -> Transcript:
    """Through its text, as a file would be."""
    return serialize.parse(serialize.text_of(transcript_of(talk.state, talk.memory, SCRUBBER)).encode())


def player(transcript: Transcript) -> Player:
    return Player(transcript, stage(transcript))


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Transcript:
    """A session on a report that is gone afterwards."""
    report = tmp_path_factory.mktemp("gone") / "mine.csv.xz"
    shutil.copy(CSV, report)
    talk = real().begin(str(report)).do(e.LaunchSelected(1))
    talk.do(e.HowAsked()).do(e.FixShown()).do(e.WhyNotAsked("tail_effect"))
    talk.do(e.WhatIfAsked((("dram_pct", 95.0),))).do(e.ExplainAsked("occupancy"))
    report.unlink()
    return saved(talk)


def test_a_session_replays_without_its_report(transcript: Transcript) -> None:
    played = player(transcript)
    assert len(transcript.launches) == len(played.state(1).diagnosis.launches)  # type: ignore[union-attr]
    for step in played.steps:
        assert played.at(step.number).done
        assert played.differences(step.number) == ()


def test_what_was_concluded_stands_in_it(transcript: Transcript) -> None:
    looked = transcript.entries[1].concluded
    assert looked["class"] and looked["findings"][0]["id"] and looked["findings"][0]["evidence"]
    told = [item for entry in transcript.entries for item in entry.concluded.get("told", ())]
    assert [next(iter(set(item) & {"how", "whynot", "whatif", "explain"})) for item in told] == [
        "how",
        "whynot",
        "whatif",
        "explain",
    ]


def test_any_other_conclusion_is_a_difference(transcript: Transcript) -> None:
    """What is held against it is the replay's own work, not what the file says twice."""
    at = 1
    looked = dict(transcript.entries[at].concluded)
    changed = [{**looked["findings"][0], "confidence": 0.123}, *looked["findings"][1:]]
    for part, value in (("class", "another"), ("findings", changed), ("findings", []), ("cards", ["fix x"])):
        entries = list(transcript.entries)
        entries[at] = replace(entries[at], concluded={**looked, part: value})
        found = player(replace(transcript, entries=tuple(entries))).differences(at + 1)
        assert found and found[0].place.startswith(part)


def test_numbers_within_rounding_are_the_same(transcript: Transcript) -> None:
    looked = dict(transcript.entries[1].concluded)
    first = dict(looked["findings"][0])
    for factor, same in ((1.005, True), (1.05, False)):
        first["confidence"] = transcript.entries[1].concluded["findings"][0]["confidence"] * factor
        entries = list(transcript.entries)
        entries[1] = replace(entries[1], concluded={**looked, "findings": [first, *looked["findings"][1:]]})
        assert (player(replace(transcript, entries=tuple(entries))).differences(2) == ()) is same


def test_going_back_needs_no_work(transcript: Transcript) -> None:
    played = player(transcript)
    last = played.state(len(played))

    def never(*_: object) -> e.Outcome:
        raise AssertionError("worked again")

    played.executor.perform = never  # type: ignore[method-assign]
    assert played.state(2).launch is not None
    assert played.state(len(played)) is last and played.state(999) is last
    assert played.state(0) == State() and played.ready == len(played)


def test_every_step_is_told_in_words(transcript: Transcript) -> None:
    assert [step.words for step in player(transcript).steps[1:4]] == [
        "opens transpose_tile",
        "asks how this was concluded",
        "asks for the fix",
    ]


def test_accepting_takes_what_came(transcript: Transcript) -> None:
    entries = list(transcript.entries)
    entries[1] = replace(entries[1], concluded={"class": "another"})
    wrong = replace(transcript, entries=tuple(entries))
    accepted = player(wrong).accepted()
    assert accepted.entries == transcript.entries
    assert serialize.text_of(accepted) == serialize.text_of(transcript)


def test_nothing_of_the_machine_stands_in_a_file(tmp_path: Path) -> None:
    home = tmp_path / "marianne"
    home.mkdir()
    report = home / "gpubox.csv.xz"
    shutil.copy(CSV, report)
    talk = real().begin(str(report)).do(e.LaunchSelected(0)).do(e.NotUnderstood("marianne on gpubox"))
    text = serialize.text_of(transcript_of(talk.state, talk.memory, Scrubber(home, ["marianne"], ["gpubox"])))
    for word in ("marianne", "gpubox", str(tmp_path)):
        assert word not in text


def test_no_clock_stands_in_a_file_and_keys_are_sorted(transcript: Transcript) -> None:
    import json

    def ordered(data: object) -> bool:
        if isinstance(data, dict):
            return list(data) == sorted(data) and all(map(ordered, data.values()))
        return all(map(ordered, data)) if isinstance(data, list) else True

    lines = serialize.text_of(transcript).splitlines()
    assert all(ordered(json.loads(line)) for line in lines)
    assert not any(word in line for word in ("2024-", "2025-", "2026-") for line in lines)


def test_the_ceilings_of_the_transcript_count_and_not_those_of_this_machine(user_data: Path) -> None:
    """The same session with a card that was measured to reach little concludes otherwise."""
    low = Ceiling(2.9e12, 2.9e12, 2.9e12, 0.0, 20)
    card = Ceilings("NVIDIA H200", "9.0", "2026-01-01", "13000", low, low, low, low)
    talk = real().begin(str(CSV)).do(e.LaunchSelected(0))
    plain = saved(talk)
    assert plain.header.ceilings == {}
    measured = replace(plain, header=msgspec.structs.replace(plain.header, ceilings={"NVIDIA H200 (9.0)": card}))
    assert player(plain).differences(1) == () and player(plain).differences(2) == ()
    other = player(measured).state(2).launch
    mine = player(plain).state(2).launch
    assert other is not None and mine is not None
    assert other.metrics["dram_achievable_pct"] != mine.metrics["dram_achievable_pct"]
    # The other way round: what this machine measured does not count.
    user_data.mkdir(parents=True, exist_ok=True)
    place = user_data / "ceilings.json"
    try:
        place.write_bytes(
            msgspec.json.encode({"schema": "ncu-advisor/ceilings/1", "cards": {"NVIDIA H200 (9.0)": card}})
        )
        again = player(plain)
        assert again.differences(1) == () and again.differences(2) == ()
        recorded = saved(real().begin(str(CSV)).do(e.LaunchSelected(0)))
        assert recorded.header.ceilings["NVIDIA H200 (9.0)"].measured == ""
    finally:
        place.unlink(missing_ok=True)


def test_a_bundled_report_is_named_and_not_embedded(tour_path: Path) -> None:
    made = saved(Talk().begin(str(tour_path)).do(e.LaunchSelected(1)))
    assert made.header.readings[0].kept == "bundled" and made.launches == ()
    assert made.entries[0].event == e.Began(("kernels:tour/recorded/h200/tour.ncu-rep.xz",))


# What happens while work is under way


def unsettled(*events: e.Event) -> State:
    """Nothing is worked out unless the events say so."""
    state = State()
    for event in events:
        state = reduce(state, event)
    return state


def test_a_deed_while_work_is_under_way_is_replayed_so() -> None:
    talk = Talk().begin("tour.ncu-rep").do(e.LaunchSelected(1))
    asked = reduce(talk.state, e.HowAsked())
    twice = reduce(asked, e.FixShown())
    talk.state, _ = settle(twice, talk.desk)
    entries = Recorder(SCRUBBER).entries(talk.state.log)
    assert [(one.event.verb, one.settled) for one in entries[2:]] == [("how", 0), ("fix", None)]
    assert "told" not in entries[2].concluded and entries[3].concluded["told"][0]["how"]


def test_work_that_was_called_off_stays_called_off() -> None:
    began = unsettled(e.Began(("tour.ncu-rep",)))
    off = reduce(began, e.Cancelled())
    talk = Talk()
    talk.state, _ = settle(reduce(off, e.Retried()), talk.desk)
    entries = Recorder(SCRUBBER).entries(talk.state.log)
    assert [(one.event.verb, one.settled) for one in entries] == [("begin", 0), ("cancel", None), ("retry", None)]
    again = Player(Transcript(serialize.Header(), entries=entries), stage(Transcript(serialize.Header())))
    again.executor.sources = talk.desk.sources
    assert again.state(3) == talk.state


def test_a_failure_of_reading_is_replayed_and_not_tried_again() -> None:
    talk = Talk().begin("broken.ncu-rep")
    entry = Recorder(SCRUBBER).entries(talk.state.log)[0]
    assert "cut off" in entry.failed[0]
    played = player(Transcript(serialize.Header(), entries=(entry,)))
    assert played.state(1).stalled == e.Read(("broken.ncu-rep",)) and played.differences(1) == ()


def test_what_was_undone_does_not_stand_in_a_transcript() -> None:
    talk = Talk().begin("tour.ncu-rep").do(e.LaunchSelected(1)).do(e.FixShown())
    recorder = Recorder(SCRUBBER)
    assert [one.event.verb for one in recorder.entries(talk.state.log)] == ["begin", "launch", "fix"]
    talk.do(e.Back())
    assert [one.event.verb for one in recorder.entries(talk.state.log)] == ["begin", "launch"]
    talk.do(e.EvidenceShown())
    assert recorder.entries(talk.state.log) == Recorder(SCRUBBER).entries(talk.state.log)


# Saved where the user says


def test_save_writes_a_transcript_and_says_where(tmp_path: Path) -> None:
    talk = Talk().begin("tour.ncu-rep").do(e.LaunchSelected(1))
    talk.do(e.WriteAsked("transcript", str(tmp_path / "mine")))
    assert str(tmp_path / "mine.jsonl") in talk.state.cards[-1].lines[0].text
    verbs = [one.event.verb for one in serialize.load(tmp_path / "mine.jsonl").entries]
    assert verbs == ["begin", "launch", "write"]


def test_without_a_path_it_goes_to_a_new_file_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    talk = Talk().begin("tour.ncu-rep").do(e.LaunchSelected(1))
    talk.do(e.WriteAsked("transcript", "")).do(e.WriteAsked("transcript", ""))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["session-2.jsonl", "session.jsonl"]


def test_save_goes_over_its_own_file_and_over_nothing_else(tmp_path: Path) -> None:
    from advisor.session.transcripts.autosave import place_for

    talk = Talk().begin("tour.ncu-rep").do(e.LaunchSelected(1))
    for title in ("Saved", "Saved again to the same file"):
        talk.do(e.WriteAsked("transcript", str(tmp_path / "mine.jsonl")))
        assert talk.state.cards[-1].title == title
    before = (tmp_path / "mine.jsonl").read_bytes()
    another = Talk().begin("tour.ncu-rep").do(e.LaunchSelected(1))
    another.do(e.WriteAsked("transcript", str(tmp_path / "mine")))
    assert (tmp_path / "mine.jsonl").exists() and "holds another session" in another.state.cards[-1].title
    assert (tmp_path / "mine.jsonl").read_bytes() == before
    other = tmp_path / "notes.txt"
    other.write_text("mine\n", encoding="utf-8")
    with pytest.raises(UsageError, match="not a session"):
        place_for(str(other))
    talk.do(e.WriteAsked("transcript", str(other)))
    assert other.read_text(encoding="utf-8") == "mine\n"
    assert "not a session" in talk.state.cards[-1].title


@pytest.mark.parametrize("path", ["no/such/folder/x", "\0", "x" * 5000])
def test_a_place_that_cannot_be_written_is_a_card(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    talk = Talk().begin("tour.ncu-rep").do(e.LaunchSelected(1)).do(e.WriteAsked("transcript", path))
    assert talk.state.cards[-1].kind == "error" and "\n" not in talk.state.cards[-1].title


# A new version, and a session of the user's own


def test_a_new_report_replays_with_the_launch_that_was_named(tmp_path: Path) -> None:
    """Neither report is there any more; the second was given as REPORT#1."""
    for name in ("before", "after"):
        shutil.copy(CSV, tmp_path / f"{name}.csv.xz")
    talk = real().begin(str(tmp_path / "before.csv.xz")).do(e.LaunchSelected(1)).do(e.Expected(None))
    talk.do(e.ReportGiven(f"{tmp_path / 'after.csv.xz'}#1", "padded the tile"))
    assert talk.state.experiments
    for path in tmp_path.iterdir():
        path.unlink()
    made = saved(talk)
    assert [one.kept for one in made.header.readings] == ["embedded", "embedded"]
    played = player(made)
    assert [played.differences(step.number) for step in played.steps] == [()] * len(played)
    assert "compared" in played.at(len(played)).came["told"][0]


def test_a_report_without_counts_replays_with_what_its_code_gave(tmp_path: Path) -> None:
    recording = next(resources.folder("kernels").glob("oscillator-bank/recorded/*/*.ncu-rep.xz"))
    report = write_thin(recording, DEFAULT, tmp_path / "thin.ncu-rep")
    talk = real().begin(str(report)).do(e.LaunchSelected(0))
    report.unlink()
    made = saved(talk)
    assert made.launches[0].opcodes is None
    assert made.launches[0].code is not None and made.launches[0].code.opcodes
    played = player(made)
    assert [played.differences(step.number) for step in played.steps] == [()] * len(played)
    assert any("conversions_saturate" in str(step) for step in played.at(len(played)).came.values())


def test_gone_on_with_it_reads_what_the_user_gives_and_nothing_that_the_transcript_names(
    transcript: Transcript, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.csv.xz"
    shutil.copy(CSV, mine)
    played = player(transcript)
    state = played.state(2)
    live = Talk().desk.sources
    played.executor.take_over(replace(live, analyse=real().desk.sources.analyse))
    located = played.executor.perform(e.Locate(1), state, lambda *_: None)
    assert isinstance(located, e.Failed) and "without the code" in located.message
    renewed = played.executor.perform(e.CompareVersion(str(mine), 1), state, lambda *_: None)
    assert isinstance(renewed, e.Completed), renewed
    again = played.executor.perform(e.Read(state.paths), state, lambda *_: None)
    assert isinstance(again, e.Opened)
