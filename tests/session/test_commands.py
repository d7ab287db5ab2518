"""What is typed, and the event that it means."""

from __future__ import annotations

import pytest
from tui.factory import desk

from advisor.session import events as e
from advisor.session.actions import ACTIONS, BY_EVENT, COMMANDS, RESULTS, SAID
from advisor.session.actions.help import TYPE_HELP
from advisor.session.choices import choices
from advisor.session.language.understand import commands, event_of, understand
from advisor.session.records import Ask, Choice
from advisor.session.reducer import reduce
from advisor.session.requests import Request
from advisor.session.state import State
from tests.changed import replace


def opened(*deeds: e.Event) -> State:
    state, at = reduce(State(), e.Began(("tour.ncu-rep",))), desk()
    for event in (None, e.LaunchSelected(1), e.Skipped("expect"), *deeds):
        state = state if event is None else reduce(state, event)
        while state.waiting:
            state = reduce(state, at.perform(state.waiting[0], state, lambda *_: None))
    return state


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("1", e.FixShown()),
        ("2.", e.HowAsked()),
        ("3)", e.FindingShown("narrow_accesses")),
        ("show the fix", e.FixShown()),
        ("SHOW THE FIX, STEP BY STEP", e.FixShown()),
        ("next", e.FindingShown("narrow_accesses")),
        ("how", e.HowAsked()),
        ("Why?", e.WhyAsked()),
        ("undo", e.Back()),
        ("help", e.HelpAsked()),
        ("exit", e.Quit()),
        ("what is long scoreboard?", e.ExplainAsked("long_scoreboard")),
        ("What does occupancy mean?", e.ExplainAsked("occupancy")),
        ("what if dram_pct = 70%", e.WhatIfAsked((("dram_pct", 70.0),))),
        ("/why", e.WhyAsked()),
        ("/how", e.HowAsked()),
        ("/how narrow", e.HowAsked("narrow_accesses")),
        ("/how Shared-memory bank conflicts", e.HowAsked("bank_conflicts")),
        ("/whynot tail_effect", e.WhyNotAsked("tail_effect")),
        ("/whynot Tail effect", e.WhyNotAsked("tail_effect")),
        ("/whatif dram_pct=70, duration_ns=1 ms", e.WhatIfAsked((("dram_pct", 70.0), ("duration_ns", 1e6)))),
        ("/explain occupancy", e.ExplainAsked("occupancy")),
        ("/explain something new", e.ExplainAsked("something new")),
        ("/kernel 4", e.LaunchSelected(4)),
        ("/kernel #4", e.LaunchSelected(4)),
        ("/kernel gemm", e.LaunchSelected(2)),
        ("/gemm", e.LaunchSelected(2)),
        ("gemm", e.LaunchSelected(2)),
        ("/kernels", e.LaunchesShown()),
        ("/evi", e.EvidenceShown()),
        ("  /FIX  ", e.FixShown()),
        ("/missing", e.MissingShown()),
        ("/whatif", e.ViewShown("whatif")),
        ("/whatif dram=70", e.WhatIfAsked((("dram_pct", 70.0),))),
        ("/proof", e.ViewShown("proof")),
        ("/proof narrow", e.ViewShown("proof", "narrow_accesses")),
        ("/proof tail_effect", e.ViewShown("proof", "tail_effect")),
        ("/explain", e.ViewShown("knowledge")),
        ("/evidence", e.EvidenceShown()),
        ("/collect", e.CollectShown()),
        ("/steps", e.StepsShown()),
        ("/log", e.LogShown()),
        ("/version shared memory", e.VersionBegun("shared memory")),
        ("/napkin", e.NapkinBegun()),
        ("/source", e.ViewShown("source")),
        ("/source /LDG|STG/ share>5%", e.SourceSought(search="LDG|STG", where=("share>5%",))),
        ("/source samples", e.SourceSought(by="samples")),
        ("/source samples stall>=3 share < 20%", e.SourceSought(by="samples", where=("stall>=3", "share<20%"))),
        ("/timeline", e.ViewShown("timeline")),
        ("/timeline my trace.sqlite", e.TraceGiven(("my trace.sqlite",))),
        ("/compare new.ncu-rep", e.ReportGiven("new.ncu-rep")),
        ("/compare a  b.ncu-rep.xz: padded the tile", e.ReportGiven("a  b.ncu-rep.xz", "padded the tile")),
        ("/compare 'it.ncu-rep 2' padded", e.ReportGiven("it.ncu-rep 2", "padded")),
        ("/compare runs/new", e.ReportGiven("runs/new")),
        ("/compare", e.Asked("new_report")),
        ("/next", e.FindingShown("narrow_accesses")),
        ("/predict", e.PredictionsSet(False)),
        ("/predict on", e.PredictionsSet(True)),
        ("/practice", e.ViewShown("practice", "bank-conflicts")),
        ("/practice bank", e.ViewShown("practice", "bank-conflicts")),
        ("/save", e.WriteAsked("transcript", "tour-session.jsonl")),
        ("/save here.jsonl", e.WriteAsked("transcript", "here.jsonl")),
        ("/export md", e.WriteAsked("markdown", "tour-session.md")),
        ("/export html out/page.html", e.WriteAsked("html", "out/page.html")),
        ("/export out.json", e.WriteAsked("json", "out.json")),
        ("/quit", e.Quit()),
    ],
)
def test_a_line_means_an_event(text: str, event: e.Event):
    assert understand(text, opened()) == event


@pytest.mark.parametrize(
    "text",
    [
        "why is it slow",
        "what is occupancy",
        "how do i fix it",
        "why not tail effect",
        "what if dram = 95",
        "dram 70, l2 42%",
        "launch 4",
    ],
)
def test_a_question_or_a_number_after_the_slash_that_opens_the_prompt_means_what_it_means_without(text: str):
    state = opened()
    event = understand(text, state)
    assert event is not None and not isinstance(event, e.NotUnderstood)
    assert understand(f"/{text}", state) == event


def test_compare_without_a_file_asks_for_it_only_where_a_launch_is_open():
    listed = reduce(opened(), e.LaunchesShown())
    event = understand("/compare", listed)
    assert isinstance(event, e.NotUnderstood) and "Name the report" in event.because
    assert understand("/practice", listed) == e.ViewShown("practice", "bank-conflicts")


def test_practice_of_a_finding_without_an_exercise_opens_the_list_of_exercises():
    assert understand("/practice", opened(e.FindingShown("narrow_accesses"))) == e.ViewShown("practice")


@pytest.mark.parametrize("text", ["", "   ", "\t"])
def test_an_empty_line_means_nothing(text: str):
    assert understand(text, opened()) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("/hwo", "/how"),
        ("/explan occupancy", "/explain occupancy"),
        ("/w", "/why"),
        ("/whynot tial efect", "/whynot tail_effect"),
        ("/whatif drum=70", "/whatif dram_pct = 70"),
        ("/export banana", "/export html"),
        ("/practice conflict", "/practice bank-conflicts"),
        ("/goto nowhere", "/steps"),
        ("/how tail_effect", "/whynot tail_effect"),
        ("tail effect", "/whynot tail_effect"),
        ("yes", "Show the fix, step by step"),
        ("banana", "/help"),
        ("/kernel transpse", "/kernel transpose_tile"),
        ("answer", "Answer: Which data type does the kernel compute in?"),
    ],
)
def test_what_is_not_understood_is_answered_with_what_could_have_been_meant(text: str, meant: str):
    event = understand(text, opened())
    assert isinstance(event, e.NotUnderstood)
    assert meant in event.meant


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("/whatif dram_pct", "metric=value"),
        ("/whatif dram_pct=lots", "lots"),
        ("/whatif dram_pct=3 ms", "percentage"),
        ("/skip", "Nothing is being asked"),
        ("/predict maybe", "on or off"),
        ("/export banana", " or json"),
        ("83%", "Name the metric"),
        ("yes", "Nothing is being asked"),
        ("/how tail_effect", "not found on this launch"),
    ],
)
def test_a_command_that_cannot_be_done_says_why(text: str, because: str):
    event = understand(text, opened())
    assert isinstance(event, e.NotUnderstood)
    assert because in event.because


def test_where_a_number_is_asked_for_a_digit_is_the_number_and_not_a_choice():
    state = opened(e.Asked("theoretical_bytes"))
    assert understand("1", state) == e.Answered("theoretical_bytes", 1.0, "1")
    assert understand("1.5 GB", state) == e.Answered("theoretical_bytes", 1.5e9, "1.5 GB")


@pytest.mark.parametrize("text", ["d", "?", "don't know", "I don't know", "no idea"])
def test_not_knowing_can_be_said_in_many_ways(text: str):
    assert understand(text, opened(e.Asked("theoretical_bytes"))) == e.Answered("theoretical_bytes", None, text)


@pytest.mark.parametrize("text", ["2", "f64", "double", "double precision", "DOUBLE"])
def test_a_choice_is_taken_by_number_id_name_or_beginning(text: str):
    answer = understand(text, opened(e.Asked("dtype")))
    assert isinstance(answer, e.Answered) and answer.value == "f64"


def test_a_beginning_that_several_choices_share_is_asked_back():
    event = understand("f", opened(e.Asked("dtype")))
    assert isinstance(event, e.NotUnderstood)
    assert event.meant == ("single precision", "double precision", "half precision")


def test_a_choice_of_the_knowledge_base_cannot_take_the_place_of_a_choice_that_every_question_has():
    state = opened(e.Asked("dtype"))
    assert state.ask is not None
    odd = replace(state, ask=replace(state.ask, choices=(Choice("skip", "a hop"), Choice("dont_know", "doubt"))))
    assert understand("a hop", odd) == e.Answered("dtype", "skip", "a hop")


def test_a_line_of_a_million_characters_is_not_understood_and_nothing_else_happens():
    assert isinstance(understand("x" * 1_000_000, opened()), e.NotUnderstood)
    assert isinstance(understand("9" * 100_000, opened()), e.NotUnderstood)


def test_a_command_is_taken_apart_from_its_rest_and_blanks_and_capitals_do_not_matter():
    state = opened()
    assert understand("  /How   bank   conflicts ", state) == e.HowAsked("bank_conflicts")
    assert understand("  plain   words ", state) == e.NotUnderstood("plain words", ("/help",), TYPE_HELP)


def test_help_completion_and_parser_have_one_list_of_commands():
    assert [f"/{name}" for name in COMMANDS] == [c.usage.split()[0] for c in COMMANDS.values()] == list(commands())
    assert set(SAID.values()) <= set(COMMANDS.values())
    named = [command.name for action in ACTIONS for command in action.commands]
    phrases = [phrase for command in COMMANDS.values() for phrase in command.said]
    assert len(named) == len(set(named)) == len(COMMANDS) and len(phrases) == len(set(phrases)) == len(SAID)


def test_every_event_of_the_user_has_one_action_and_every_request_of_one_a_result():
    assert {action.event for action in ACTIONS} == set(BY_EVENT) and len(BY_EVENT) == len(ACTIONS)
    named = {request.__name__ for request in Request.__subclasses__()}
    assert {request.__name__ for request in RESULTS} == named - {"Read", "Conclude"}


def test_a_kernel_with_several_launches_is_asked_back_by_number():
    state = opened()
    assert state.diagnosis is not None
    twice = tuple(replace(launch, kernel="same") for launch in state.diagnosis.launches)
    event = understand("/kernel same", replace(state, diagnosis=replace(state.diagnosis, launches=twice)))
    assert isinstance(event, e.NotUnderstood) and event.meant[:2] == ("/kernel 0", "/kernel 1")


def test_what_could_have_been_meant_is_ready_to_be_taken():
    state = opened()
    event = understand("/whynot tial efect", state)
    assert event is not None
    unclear = reduce(state, event)
    first = choices(unclear)[0]
    assert first.label == "/whynot tail_effect"
    assert understand("1", unclear) == e.WhyNotAsked("tail_effect") == event_of(first.id, unclear)
    after = reduce(unclear, e.WhyNotAsked("tail_effect"))
    assert "/whynot tail_effect" not in [choice.label for choice in choices(after)]


def test_a_number_typed_where_another_is_asked_for_is_volunteered():
    state = opened(e.Asked("theoretical_bytes"))
    assert understand("dram 83%", state) == e.Volunteered((("dram_pct", 83.0),), "dram 83%")
    assert understand("about 64 MiB", state) == e.Answered("theoretical_bytes", 2.0**26, "about 64 MiB")


def test_any_text_answers_a_question_for_text_but_its_choices_stay():
    state = opened()
    ask = Ask("change", "What did you change?", "", "text", group="text")
    asked = replace(state, ask=ask)
    assert understand("padded the tile", asked) == e.Answered("change", "padded the tile", "padded the tile")
    assert understand("later", asked) == e.Skipped("change")
    assert understand("/help", asked) == e.HelpAsked()


def test_a_home_folder_with_a_nul_byte_is_no_file():
    assert isinstance(understand("~m 54, 70,0 h\0tl", opened()), e.NotUnderstood)


def test_half_characters_become_question_marks():
    event = understand("\ud800 what", opened())
    assert isinstance(event, e.NotUnderstood) and event.text == "? what"
