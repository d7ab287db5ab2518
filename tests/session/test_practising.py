"""The practice room in a session, without a screen: pages, choices, what typed lines mean, and what undo takes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tui.factory import sources

from advisor.practice.lessons import Lessons
from advisor.practice.manifest import exercise, names
from advisor.practice.readings import NOTHING, load_reading, reading_names
from advisor.practice.state import Store
from advisor.session import events as e
from advisor.session.executor import Executor
from advisor.session.practice import turn as practice_turn
from advisor.session.practice.exercising import STAGES, Exercising
from advisor.session.practice.pages import page
from advisor.session.reducer import reduce, replay
from advisor.session.state import State

NAME = "bank-conflicts"


class Learner:
    """A session with nothing but the practice room: events in, work done at once."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)
        room = Lessons(self.store)

        def practise(request: e.Practise, progress: Any) -> Any:
            return room.perform(request.action, request.exercise, dict(request.arguments), progress)

        self.desk = Executor(sources(practise=practise))
        self.state = State()
        self.post(e.Began(("tour.ncu-rep",)))

    def post(self, *events: e.Event) -> None:
        for event in events:
            self.state = reduce(self.state, event)
            while self.state.waiting:
                request = self.state.waiting[0]
                self.state = reduce(self.state, self.desk.perform(request, self.state, lambda *_: None))

    @property
    def here(self) -> Exercising:
        assert self.state.exercising is not None
        return self.state.exercising

    @property
    def choices(self) -> list[str]:
        return [choice.id for choice in practice_turn.choices(self.here)]

    @property
    def text(self) -> str:
        cards = page(self.here).cards
        return "\n".join(" ".join((c.label, c.title, *(f"{x.label} {x.text}" for x in c.lines))) for c in cards)

    def choose(self, *ids: str) -> None:
        for choice in ids:
            event = practice_turn.event_of(choice, self.here)
            assert event is not None, f"{choice} is not among {self.choices}"
            self.post(event)

    def says(self, text: str) -> str:
        meant = practice_turn.understand(text, self.here)
        if isinstance(meant, str):
            return meant
        self.post(meant)
        return ""

    def does(self, action: str, **given: str) -> None:
        self.post(e.Practised(action, self.here.name, tuple(given.items())))


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    made = Learner(tmp_path / "data")
    made.post(e.ViewShown("practice", NAME))
    return made


def test_from_the_story_to_the_score_the_first_choice_leads_on(learner: Learner) -> None:
    assert exercise(NAME).story.split()[0] in learner.text
    learner.choose("stage:napkin")
    assert learner.says("1.3 GB") == ""
    assert "Right." in learner.text
    learner.choose("napkin:1", "napkin:2")
    learner.choose(learner.choices[0])
    assert page(learner.here).launch is not None
    learner.choose("stage:predict", "class:mixed_memory_bound", "cause:bank_conflicts")
    assert learner.says("2.4x") == ""
    learner.choose("reveal")
    assert "98 of 100 points" in learner.text
    learner.choose("stage:quiz")
    for at, question in enumerate(exercise(NAME).quiz):
        right = next(i for i, a in enumerate(question.answers) if a.right)
        learner.choose(f"quiz:{at}:{right}")
    assert "3 of 3 right" in learner.text
    learner.does("stage", stage="story")
    assert "3 of 3 quiz answers right" in learner.text
    assert replay(learner.state.log) == learner.state


@pytest.mark.parametrize("name", names())
def test_nothing_names_the_cause_before_it_was_predicted(tmp_path: Path, name: str) -> None:
    learner = Learner(tmp_path)
    learner.post(e.ViewShown("practice", name))
    one = exercise(name)
    given = one.title + one.story + " ".join(n.what + n.how + n.value for n in one.napkin)
    cause = learner.here.title(one.diagnosis)
    told = [learner.text]
    for stage in ("napkin", "numbers", "predict", "reveal"):
        learner.does("stage", stage=stage)
        told.append(learner.text)
        labels = [c.label for c in practice_turn.choices(learner.here) if not c.id.startswith("cause")]
        told += labels
    assert one.diagnosis not in " ".join(told)
    assert cause in given or cause not in " ".join(told)


def test_undo_takes_back_what_was_said_and_chosen(learner: Learner) -> None:
    learner.choose("stage:predict", "class:balanced")
    before = learner.state
    learner.choose("cause:bank_conflicts")
    learner.post(e.Back())
    assert learner.here.pick == {"class": "balanced"}
    assert page(learner.here).cards == page(before.exercising or Exercising()).cards
    learner.post(e.Back(), e.Back(), e.Back())
    assert learner.state.view == ""


def test_what_the_record_holds_is_not_undone(learner: Learner) -> None:
    learner.does("hint")
    learner.post(e.Back())
    assert learner.store.record(NAME).hints == 1
    learner.does("stage", stage="hints")
    learner.does("look")
    assert learner.here.known.hints == 1


@pytest.mark.parametrize(
    "event",
    [
        e.Practised("stage", NAME, (("stage", "nowhere"),)),
        e.Practised("stage", "byte-image", (("stage", "quiz"),)),
        e.Practised("open", "../../etc"),
        e.Practised("class", NAME, (("id", "nothing"),)),
        e.Practised("cause", NAME, (("id", ""),)),
        e.Practised("gain", NAME, (("gain", "2"),)),
        e.Practised("napkin", NAME, (("at", "99"),)),
        e.Practised("napkin", NAME, (("at", "-1"), ("said", "x"))),
        e.Practised("step", NAME, (("step", "nothing"),)),
        e.Practised("step", NAME, (("step", "mine"),)),
        e.Practised("unheard", NAME),
        e.Practised("", ""),
    ],
)
def test_a_deed_that_makes_no_sense_changes_nothing(learner: Learner, event: e.Practised) -> None:
    before = learner.state
    learner.post(event)
    assert learner.state is before


def test_deeds_outside_the_practice_view_are_nothing(tmp_path: Path) -> None:
    learner = Learner(tmp_path)
    before = learner.state
    for action in ("list", "open", "hint", "check"):
        learner.post(e.Practised(action, NAME))
    assert learner.state is before


def test_an_unknown_exercise_says_so_and_can_be_left(tmp_path: Path) -> None:
    learner = Learner(tmp_path)
    learner.post(e.ViewShown("practice", "bank-conflict"))
    assert "did you mean bank-conflicts" in learner.text
    learner.post(e.ViewLeft())
    assert learner.state.view == ""


def test_work_that_fails_or_is_called_off_stands_on_the_page(learner: Learner) -> None:
    learner.does("check")
    assert "not started" in learner.text
    request = e.Practise("check", NAME)
    learner.state = reduce(learner.state, e.Practised("check", NAME))
    assert learner.state.waiting == (request,)
    learner.state = reduce(learner.state, e.Cancelled())
    assert not learner.state.waiting
    assert "Cancelled." in learner.text


def test_every_stage_has_a_page_and_a_way_on_from_the_beginning(learner: Learner) -> None:
    for stage in STAGES:
        learner.does("stage", stage=stage)
        shown = page(learner.here)
        assert shown.cards or shown.compared is not None
        assert learner.choices[-1] == "leave" and len(learner.choices) > 1
        assert len({c.label for c in practice_turn.choices(learner.here)}) == len(learner.choices)


def test_an_exercise_of_the_list_leads_back_to_it(tmp_path: Path) -> None:
    learner = Learner(tmp_path)
    learner.post(e.ViewShown("practice"), e.Practised("open", NAME))
    assert learner.state.view_subject == NAME
    assert learner.choices[-1] == "list"
    learner.choose("list")
    assert learner.here.name == "" and len(learner.here.rows) == len(names()) + len(reading_names())


@pytest.mark.parametrize(
    ("stage", "line", "action"),
    [
        ("story", "quiz", "stage"),
        ("story", "HINTS", "stage"),
        ("story", "2", "stage"),
        ("hints", "next", "hint"),
        ("quiz", "a", "quiz"),
        ("quiz", "32", "quiz"),
        ("napkin", "12 GB", "napkin"),
        ("napkin", "way", "napkin"),
        ("edit", "start", "start"),
    ],
)
def test_a_typed_line_means_what_the_page_asks(learner: Learner, stage: str, line: str, action: str) -> None:
    learner.does("stage", stage=stage)
    meant = practice_turn.understand(line, learner.here)
    assert isinstance(meant, e.Practised) and meant.action == action


@pytest.mark.parametrize(
    ("at", "line", "asked"),
    [
        (0, "250us", "a size"),
        (0, "w", "a size"),
        (0, "why", "a size"),
        (0, "s", "a size"),
        (0, "no number", "a size"),
        (1, "537MB", "a time"),
        (1, "0 us", "a time"),
        (2, "250us", "a number without a unit"),
    ],
)
def test_what_is_no_such_number_spends_no_napkin_question(learner: Learner, at: int, line: str, asked: str) -> None:
    learner.does("stage", stage="napkin")
    for _ in range(at):
        learner.says("way")
    before = learner.state
    assert f"expects {asked}" in learner.says(line)
    assert learner.state == before and practice_turn.next_number(learner.here) == at


@pytest.mark.parametrize("name", names())
def test_a_napkin_question_gives_no_example_that_is_its_answer(tmp_path: Path, name: str) -> None:
    learner = Learner(tmp_path)
    learner.post(e.ViewShown("practice", name))
    learner.does("stage", stage="napkin")
    for _ in exercise(name).napkin:
        assert not any(c.isdigit() for c in practice_turn.expected_kind(learner.here))
        learner.says("way")


def test_the_classes_to_predict_show_their_limits(learner: Learner) -> None:
    learner.does("stage", stage="predict")
    notes = {choice.id: choice.note for choice in practice_turn.choices(learner.here)}
    assert notes["class:internal_congestion"] == "compute < 60, memory >= 60, dram < 30, dram < memory - 10"
    assert notes["class:mixed_memory_bound"].startswith("compute < 60, memory >= 60, dram >= 30")


def test_a_number_with_a_suffix_is_told_in_full(learner: Learner) -> None:
    learner.does("stage", stage="napkin")
    learner.says("way")
    learner.says("0.3 ms")
    assert "Your answer 0.3 ms\n" in f"{learner.text}\n" or "Your answer 0.3 ms " in learner.text
    learner.says("8k")
    assert "Your answer 8k (that is 8,000)" in learner.text


def test_a_page_that_asks_for_a_number_numbers_no_choices(learner: Learner) -> None:
    learner.does("stage", stage="napkin")
    assert not practice_turn.numbered(learner.here)
    for _ in range(3):
        learner.says("way")
    assert practice_turn.numbered(learner.here), "no number is asked for any more"
    learner.does("stage", stage="predict")
    learner.does("class", id="dram_bound")
    assert practice_turn.numbered(learner.here)
    learner.does("cause", id="bank_conflicts")
    assert not practice_turn.numbered(learner.here), "the gain is asked for"


def test_the_answer_says_which_gain_was_measured_and_which_is_an_estimate(learner: Learner) -> None:
    learner.does("stage", stage="predict")
    learner.does("class", id="mixed_memory_bound")
    learner.does("cause", id="bank_conflicts")
    learner.does("gain", gain="2.4")
    learner.choose("reveal")
    score, diagnosis = (card for card in page(learner.here).cards)
    measured = next(line.text for line in score.lines if line.label == "Speedup")
    estimate = next(line.text for line in diagnosis.lines if line.label == "Speedup")
    assert measured.startswith("2.4×; measured: 2.2×")
    assert "× (" in estimate and estimate.endswith(", estimated from the profile")
    assert any("not against an estimate" in line.text for line in score.lines)


def test_the_exercises_of_a_session_are_remembered_in_their_order(learner: Learner) -> None:
    learner.does("hint")
    learner.post(e.ViewShown("practice"), e.Practised("open", "good-copy"), e.Practised("list"))
    learner.post(e.Practised("open", NAME), e.Practised("hint", NAME), e.Practised("list"))
    worked = learner.here.worked
    assert [(one.exercise.name, one.record.hints) for one in worked] == [(NAME, 2), ("good-copy", 0)]
    assert all(one.result is None for one in worked), "profiles and comparisons are not held on to"


@pytest.mark.parametrize("stage", STAGES)
def test_garbage_is_answered_with_a_line(learner: Learner, stage: str) -> None:
    learner.does("stage", stage=stage)
    for line in ("", "[bold]", "\x1b[2J", "99999999999999999999", "xyzzy plugh", "a" * 10_000, "مرحبا", "١"):
        meant = practice_turn.understand(line, learner.here)
        assert isinstance(meant, str | e.Practised), line


def test_an_answer_of_the_quiz_stays(learner: Learner) -> None:
    learner.does("quiz", at="0", chosen="0")
    learner.post(e.Back())
    learner.does("quiz", at="0", chosen="2")
    assert learner.here.known.quiz == {"0": 0}


def test_the_reset_asks_first_and_keeps_what_was_there(learner: Learner) -> None:
    learner.does("start")
    yours = learner.here.lesson.yours
    yours.source.write_text("// mine\n", "utf-8")
    learner.does("look")
    assert "+// mine" in [line.text for card in page(learner.here).cards for line in card.lines]
    learner.choose("sure:all")
    assert "are deleted" in learner.text
    assert yours.source.read_text("utf-8") == "// mine\n"
    learner.choose("reset:1")
    assert yours.source.read_text("utf-8") != "// mine\n"
    assert "before-reset" in learner.text


def test_the_fix_of_a_finding_leads_to_its_exercise(tmp_path: Path) -> None:
    from advisor.session.choices import choices
    from advisor.session.language.understand import event_of

    learner = Learner(tmp_path)
    learner.post(e.LaunchSelected(1))
    for event in (event_of("reveal", learner.state), e.FixShown()):
        if event is not None:
            learner.post(event)
    assert f"practise:{NAME}" in [c.id for c in choices(learner.state)]
    event = event_of(f"practise:{NAME}", learner.state)
    assert event is not None
    learner.post(event)
    assert (learner.state.view, learner.here.name) == ("practice", NAME)
    learner.post(e.ViewLeft())
    assert learner.state.place == "launch" and learner.state.view == ""


# Exercises that are read


@pytest.fixture
def reader(tmp_path: Path) -> Learner:
    made = Learner(tmp_path / "data")
    made.post(e.ViewShown("practice", "heat-plate"))
    return made


def test_a_timeline_from_the_story_to_the_score_the_first_choice_leads_on(reader: Learner) -> None:
    one = load_reading("heat-plate")
    assert one.story.split()[0] in reader.text and "a timeline to read" in reader.text
    reader.choose(reader.choices[0])
    assert "cudaDeviceSynchronize" in reader.text and "899 gaps" in reader.text
    reader.choose(reader.choices[0], "cause:sync_between_kernels")
    assert "not a time" in reader.says("7")
    assert reader.says("18 ms") == ""
    reader.choose("reveal")
    assert "of 100 points" in reader.text and "sync_between_kernels.gaps" in reader.text
    assert reader.here.known.solved
    reader.does("stage", stage="log")
    assert "18 ms" in reader.text
    assert reader.says("because: each function waits") == ""
    assert "each function waits" in reader.text
    reader.does("stage", stage="story")
    assert "100 points for the answer" in reader.text
    assert replay(reader.state.log) == reader.state


def test_a_profile_is_judged_without_a_number(tmp_path: Path) -> None:
    reader = Learner(tmp_path / "data")
    reader.post(e.ViewShown("practice", "price-update"))
    reader.choose("stage:predict", "cause:mig_or_green_context", "reveal")
    assert "100 of 100 points" in reader.text and "60 of 132 SMs" in reader.text


def test_an_exercise_that_is_read_has_no_stage_to_edit_or_run(reader: Learner) -> None:
    for stage in ("edit", "run", "napkin", "quiz", "solution", "compare"):
        before = reader.here.stage
        reader.does("stage", stage=stage)
        assert reader.here.stage == before
    assert "not one of the choices" in reader.says("quiz")


def test_an_answer_can_be_seen_without_one_and_scores_nothing(reader: Learner) -> None:
    reader.choose("stage:predict")
    reader.does("stage", stage="reveal")
    assert "hidden" in reader.text
    reader.choose("reveal")
    assert "no score" in reader.text and reader.here.known.predictions == []


@pytest.mark.parametrize("name", reading_names())
def test_nothing_names_the_answer_of_a_recording_before_it_was_given(tmp_path: Path, name: str) -> None:
    reader = Learner(tmp_path)
    reader.post(e.ViewShown("practice", name))
    told = [reader.text]
    for stage in ("numbers", "predict", "reveal", "log"):
        reader.does("stage", stage=stage)
        told.append(reader.text)
        told += [c.label for c in practice_turn.choices(reader.here) if not c.id.startswith("cause")]
    one, text = load_reading(name), " ".join(told)
    assert one.expect == NOTHING or one.expect not in text
    assert reader.here.title(one.expect).casefold() not in text.casefold()
