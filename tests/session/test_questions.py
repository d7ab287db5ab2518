"""Plain questions: how they are read, and what is answered."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml
from session.test_commands import opened
from tui.factory import desk

from advisor.explain.explain import words
from advisor.hardware import gpus
from advisor.knowledge.base import catalog
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
from advisor.records.questions import SURE, UNSURE
from advisor.session import events as e
from advisor.session.language import lexicon
from advisor.session.language.asking import read_as
from advisor.session.language.counts import Counts, counts
from advisor.session.language.intents import OUT_OF_SCOPE, intents, recognise
from advisor.session.language.known import known
from advisor.session.language.lexicon import Known, read
from advisor.session.language.meaning import is_understood, meaning_of
from advisor.session.language.understand import understand
from advisor.session.reducer import reduce
from advisor.session.state import State, best_position
from advisor.session.transcripts.format import decode, encode
from advisor.view.pages import answer as pages
from advisor.view.pages.answers.elsewhere import EXAMPLES
from advisor.view.pages.answers.parts import Answer, Answered, Asked
from tests.bench.questions import HELD_BACK, TUNED, judge, summary
from tests.bench.word_counts import counted
from tests.changed import replace

DATA = Path(__file__).parents[1] / "data" / "questions"


@cache
def names() -> Known:
    return known()


@pytest.mark.parametrize(
    ("file", "least", "most_wrong"),
    [
        ("tuning.yaml", 0.97, 0.0),
        ("more.yaml", 0.96, 0.005),
        ("others.yaml", 0.96, 0.005),
        ("d.yaml", 0.97, 0.0),
        ("e.yaml", 0.97, 0.0),
        ("f.yaml", 0.96, 0.0),
        ("g.yaml", 0.93, 0.03),
        ("../held_back_questions.yaml", 0.9, 0.0),  # not used to tune anything
        ("../fresh_questions.yaml", 0.9, 0.0),
    ],
)
def test_questions_are_read_right_fast_and_hardly_ever_wrong_with_confidence(
    file: str, least: float, most_wrong: float
) -> None:
    outcomes = judge(yaml.safe_load((DATA / file).read_text(encoding="utf-8")), names())
    made = summary(outcomes)
    # What is held back is not shown either.
    missed = [o.wanted["text"] for o in outcomes if not o.right and (DATA / file).resolve() not in HELD_BACK]
    assert made["right"] >= least, missed
    assert made["confidently_wrong"] <= most_wrong * len(outcomes)
    assert made["ms"] <= 100


def test_the_word_counts_are_those_of_the_sentences() -> None:
    assert counted(sorted(DATA.glob("*.yaml"))) == counts()


def test_words_without_any_known_meaning_count_for_an_intent() -> None:
    with_words = Counts({"quit": 10, "save": 10}, {"toodl": {"quit": 4}})
    likely = with_words.likelihoods(read("toodle", names()))
    assert likely["quit"] == 0 and likely["save"] < 0


@pytest.mark.parametrize(
    "text",
    [
        "what is the difference between vulkan barriers and dx12 ones",  # another subject
        "is it the memory or is it the math",  # two things
        "can the frobnication hurt",  # nothing that is known
    ],
)
def test_a_doubtful_reading_is_not_certain(text: str) -> None:
    meaning = recognise(text, names())
    assert meaning.intent == OUT_OF_SCOPE or meaning.confidence < SURE


@pytest.mark.parametrize(
    ("text", "intent", "subject"),
    [
        ("i suspect the barrier is the culprit", "is_cause", "barrier"),
        ("my money is on the atomics", "is_cause", "atomics"),
        ("are we limited by the bandwidth of the graphics memory", "is_bound", "dram"),
        ("what would it do on two 3060s", "other_gpu", "RTX-3060"),
        ("open the halo exchange kernel", "other_launch", "halo exchange"),
        ("lts__t_sector_hit_rate.pct?", "value", "l2_hit_rate"),
        ("define l1tex__data_bank_conflicts_pipe_lsu", "explain", "l1tex__data_bank_conflicts_pipe_lsu"),
    ],
)
def test_a_subject_is_named_in_many_ways(text: str, intent: str, subject: str) -> None:
    meaning = recognise(text, names())
    assert (meaning.intent, meaning.subject.id if meaning.subject is not None else "") == (intent, subject)


@pytest.mark.parametrize("name", intents())
def test_the_example_of_each_intent_has_that_intent_for_certain(name: str) -> None:
    example = intents()[name].example
    if name != OUT_OF_SCOPE:
        meaning = recognise(example, names())
        assert (meaning.intent, meaning.confidence >= SURE) == (name, True)


@pytest.mark.parametrize("question", EXAMPLES)
def test_a_question_that_the_program_proposes_is_read_for_certain(question: str) -> None:
    meaning = meaning_of(question, names())
    assert meaning.intent != OUT_OF_SCOPE and meaning.confidence >= SURE and not meaning.alternatives


@pytest.mark.parametrize(
    ("text", "intent", "subject"),
    [
        ("wyh is it slwo", "why_slow", ""),
        ("is it memroy bound", "is_bound", "memory"),
        ("ocupancy too low?", "is_cause", "occupancy"),
        ("whats teh l2 hitrate", "value", "l2_hit_rate"),
        ("bnak conflicts?", "is_cause", "bank_conflicts"),
    ],
)
def test_typing_errors_are_corrected_word_by_word(text: str, intent: str, subject: str) -> None:
    meaning = recognise(text, names())
    assert meaning.intent == intent
    assert (meaning.subject.id if meaning.subject is not None else "") == subject


def test_a_kernel_of_the_report_is_no_typing_error() -> None:
    known_ = replace(names(), kernels=("occupanci",))
    assert read("show occupanci", known_).name == "occupanci"
    assert read("show occupanci", names()).name == ""


def test_a_gpu_is_found_by_its_number_alone() -> None:
    for text, gpu in (("on a 4090", "RTX-4090"), ("on an rtx 3080", "RTX-3080"), ("what about H100 SXM5", "H100-SXM")):
        assert read(text, names()).gpu == gpu
        gpus.gpu(gpu)


def test_any_text_can_be_read() -> None:
    for text in ("", "?!", "....", "\ud800", "😀", "x" * 10_000, "a " * 5_000, "__", "9" * 400):
        meaning = recognise(text, names())
        assert 0 <= meaning.confidence <= 1 and meaning.intent in intents()


def test_a_question_of_two_meanings_is_answered_with_both() -> None:
    meaning = recognise("where do i start", names())
    assert meaning.alternatives and meaning.confidence < SURE
    blocks = pages.answer_blocks(meaning, Answer("Something."))
    text = " ".join(str(getattr(block, "text", "")) for block in blocks)
    assert "I read this as" in text and meaning.alternatives[0].says in text


# The vocabulary
def test_each_thing_names_metrics_findings_and_entries_that_exist() -> None:
    base, explained = catalog(), {*words(), "gpus"}
    for name, entry in lexicon.things().items():
        assert set(entry.metric) <= set(base.metrics), name
        assert set(entry.findings) <= set(base.findings), name
        assert not entry.word or entry.word in explained, (name, entry.word)


def test_each_finding_can_be_asked_about_by_its_title() -> None:
    for name, entry in catalog().diagnoses.items():
        found = read(f"is it {entry.title}", names()).things
        assert any(name in thing.findings for thing in found), name


def test_no_phrase_begins_or_ends_with_a_word_that_is_skipped() -> None:
    phrases = [(name, phrase) for name, found in lexicon.concepts().items() for phrase in found]
    phrases += [(n, p) for n, t in lexicon.things().items() for p in (*t.names, *t.fault, *t.value)]
    for name, phrase in phrases:
        tokens = lexicon.tokens(phrase)
        assert tokens and not {tokens[0], tokens[-1]} & lexicon.SKIPPED, (name, phrase)


# In a session
def asked(text: str, state: State | None = None) -> State:
    state = opened() if state is None else state
    event, at = understand(text, state), desk()
    assert event is not None
    state = reduce(state, event)
    while state.waiting:
        state = reduce(state, at.perform(state.waiting[0], state, lambda *_: None))
    return state


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("how would i repair that", e.FixShown()),
        ("i want to leave", e.Quit()),
        ("can i get this as markdown", e.WriteAsked("markdown", "tour-session.md")),
        ("which sections should i collect with ncu", e.CollectShown()),
        ("what do you lack", e.MissingShown()),
        ("point me to the guilty line", e.ViewShown("source")),
        ("show me the gemm one instead", e.LaunchSelected(2)),
        ("what comes after that", e.FixShown()),
        ("why dont you blame the tail effect", e.WhyNotAsked("tail_effect")),
        ("what would happen if dram was 70", e.WhatIfAsked((("dram_pct", 70.0),))),
        ("is it bound by dram", e.QuestionAsked("is it bound by dram")),
        ("do bank conflicts hurt", e.QuestionAsked("do bank conflicts hurt")),
    ],
)
def test_a_question_means_an_action_or_is_answered(text: str, event: e.Event) -> None:
    assert understand(text, opened()) == event


@pytest.mark.parametrize("text", ["write me a gemm", "what is the weather", "how much is an h100", "banana bread"])
def test_a_question_about_something_else_is_no_action(text: str) -> None:
    assert isinstance(understand(text, opened()), e.NotUnderstood)


def test_an_answer_is_a_card_that_begins_with_yes_or_no_and_its_number() -> None:
    card = asked("do bank conflicts matter here").cards[-1]
    assert card.label == "Answer" and card.lines[0].text.startswith("Yes, it comes first: Shared-memory bank conflicts")
    card = asked("is it dram bound").cards[-1]
    assert card.lines[0].text.startswith("No: DRAM runs at 34.0 %")


def test_in_the_list_of_launches_a_question_is_about_the_launch_with_most_to_gain() -> None:
    state, at = reduce(State(), e.Began(("tour.ncu-rep",))), desk()
    while state.waiting:
        state = reduce(state, at.perform(state.waiting[0], state, lambda *_: None))
    assert state.place == "launches" and state.diagnosis is not None
    best = best_position(state.diagnosis.launches)
    for text in ("what makes it so slow", "how can i fix this"):
        after = asked(text, state)
        assert (after.place, after.position) == ("launch", best) and after.cards[-1].label == "Answer"


def test_a_question_in_a_view_is_answered_in_the_conversation() -> None:
    state = reduce(opened(), e.ViewShown("knowledge"))
    after = asked("is it compute bound", state)
    assert not after.view and after.cards[-1].title == "is it compute bound"


def test_a_question_is_kept_in_a_transcript() -> None:
    event = e.QuestionAsked("is it memory bound")
    assert encode(event) == {"do": "question", "text": "is it memory bound"} and decode(encode(event)) == event


# Answers
def of(text: str, launch: LaunchDiagnosis, **changes: object) -> Answer:
    meaning = recognise(text, names())
    return pages.answered(meaning, Asked((launch,), 0, **changes))  # type: ignore[arg-type]


def first_launch() -> LaunchDiagnosis:
    launch = opened().launch
    assert launch is not None
    return launch


def test_a_number_that_was_not_collected_is_unknown_with_the_command_that_collects_it() -> None:
    launch = replace(first_launch(), metrics={})
    answer = of("what is the l2 hit rate", launch)
    assert (answer.truth, answer.says.startswith("Unknown:")) == ("unknown", True)
    (command,) = answer.run
    assert command.startswith("ncu --section MemoryWorkloadAnalysis --import-source yes --kernel-name")
    assert command.endswith("YOUR_PROGRAM")


def test_without_a_class_a_bound_is_unknown_and_not_false() -> None:
    launch = first_launch()
    undetermined = replace(launch, metrics={}, verdict=replace(launch.verdict, id="undetermined"))
    assert of("is it memory bound", undetermined).truth == "unknown"
    assert of("is it dram bound", undetermined).truth == "unknown"


@pytest.mark.parametrize(
    ("class_id", "text", "truth"),
    [
        ("dram_bound", "is it memory bound", "yes"),
        ("dram_bound", "is it compute bound", "no"),
        ("latency_bound", "is it latency bound", "yes"),
        ("internal_congestion", "is it dram bound", "no"),
        ("internal_congestion", "is l1 the limit", "yes"),
        ("compute_bound", "are the tensor cores the limit", "no"),
    ],
)
def test_what_bounds_it_follows_the_class_and_the_share_of_its_part(class_id: str, text: str, truth: str) -> None:
    launch = first_launch()
    values = {**launch.metrics, "pipe_tensor_pct": 3.0}
    made = replace(launch, metrics=values, verdict=replace(launch.verdict, id=class_id))
    assert of(text, made).truth == truth


def test_the_gain_is_in_the_sentence_with_the_time_that_it_leaves() -> None:
    answer = of("how much faster would it be", first_launch())
    assert "2.2× (1.9–2.6×)" in answer.says and "become about" in answer.says


def test_what_was_asked_next_is_understood() -> None:
    texts: set[str] = set()
    for name, intent in intents().items():
        texts |= set(of(intent.example, first_launch()).then) if name != OUT_OF_SCOPE else set()
    unread = {text for text in texts if recognise(text, names()).intent == OUT_OF_SCOPE}
    assert texts and not unread


def test_the_launch_that_takes_most_time_is_named_over_all_launches() -> None:
    diagnosis = opened().diagnosis
    assert isinstance(diagnosis, Diagnosis)
    longest = max(diagnosis.launches, key=lambda launch: launch.duration_ns or 0)
    meaning = recognise("which kernel takes most time", names())
    answer = pages.answered(meaning, Asked(diagnosis.launches, 0))
    assert answer.says.startswith(longest.kernel)


def test_the_result_of_a_question_holds_its_meaning() -> None:
    state = reduce(opened(), e.QuestionAsked("is it compute bound"))
    outcome = desk().perform(state.waiting[0], state, lambda *_: None)
    assert isinstance(outcome, e.Completed) and isinstance(outcome.result, Answered)
    assert outcome.result.meaning.intent == "is_bound"


# One way for both faces
@cache
def differently_read() -> list[tuple[str, str, str]]:
    """Example sentences that the session does not treat as `ask` does: text, intent, what the session does."""
    state, found = opened(), []
    for text in (row["text"] for file in TUNED for row in yaml.safe_load(file.read_text(encoding="utf-8"))):
        meaning, event = read_as(text, state), understand(text, state)
        # These change something, so only a certain reading is acted on, and the name of a format may be misspelt.
        answered = is_understood(meaning) and meaning.intent not in ("quit", "undo", "save")
        if (answered and isinstance(event, e.NotUnderstood)) or (not answered and isinstance(event, e.QuestionAsked)):
            found.append((text, meaning.intent, repr(event)[:120]))
    return found


def test_the_session_understands_every_sentence_that_ask_answers() -> None:
    assert differently_read() == []


def test_both_faces_offer_the_same_readings_of_a_doubtful_question() -> None:
    text, state = "is that ok", opened()
    meaning = read_as(text, state)
    assert not is_understood(meaning) and len(meaning.readings) == 2
    event = understand(text, state)
    assert isinstance(event, e.NotUnderstood) and event.meant[:2] == meaning.readings
    answer = pages.answered(meaning, Asked((first_launch(),), 0))
    assert answer.says == UNSURE and answer.blocks[0].items == meaning.readings  # type: ignore[union-attr]
    for reading in meaning.readings:
        assert isinstance(understand(reading, state), e.QuestionAsked)
