"""The whole program: a trace in the session, or its numbers typed; decisions that end before a kernel is profiled."""

from __future__ import annotations

from pathlib import Path

import pytest
from session.sessions import Session, recorded, trace
from timeline.generator import US, Planted, starved

from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.experiments import timeline as words
from advisor.session.language.understand import event_of
from advisor.session.method.steps import SYSTEM as STEPS
from advisor.session.method.steps import here
from advisor.session.reducer import reduce, replay

STARVED = {"gpu_busy_pct": 35.0, "computing_pct": 31.0, "top_kernel_pct": 40.0, "input_wait_pct": 50.0}
STARVED |= {"input_wait_count": 30.0, "sync_gap_pct": 3.0, "output_wait_pct": 2.0, "tiny_span_pct": 0.0}
STARVED |= dict.fromkeys(("copy_exposed_pct", "communication_exposed_pct", "migration_pct"), 0.0)
BUSY = {"gpu_busy_pct": 99.0, "computing_pct": 98.0, "top_kernel_pct": 64.0, "tiny_span_pct": 0.0}


def asked(session: Session, values: dict[str, float]) -> list[str]:
    """The questions of the timeline in the order in which they were put; unknown where there is no value."""
    order = []
    session.do(e.Asked("timeline"))
    while session.state.ask is not None and session.state.ask.group == "timeline":
        order.append(session.state.ask.id)
        session.do(e.Answered(order[-1], values.get(order[-1])))
    return order


def test_a_session_that_begins_with_a_trace_tells_what_it_shows_and_decides(tmp_path: Path):
    made = Session()
    state = made.do(e.Began((), traces=(trace(starved(), tmp_path),)))
    assert (state.place, state.launch, state.step) == ("launch", None, "S5")
    assert {"S2", "S4", "S5"} <= set(state.visited)
    assert made.last.kind == "timeline" and made.last.title == "Fix the system first"
    assert "Data loading starves the GPU, at most" in " ".join(made.texts())
    assert ("Profiling one kernel gains little now: fix this first, then capture again.") in made.texts()
    assert replay(state.log) == state


def test_where_a_kernel_is_worth_it_the_command_is_given_and_its_report_can_be_opened(tmp_path: Path):
    made = Session()
    dominated = Planted()
    for at in range(50):
        dominated.kernel(at * 100 * US, 90 * US, "void gemm<float>(float*)", "gemm")
    made.do(e.Began((), traces=(trace(dominated, tmp_path),)))
    command = next(line.text for line in made.last.lines if line.label == "Profile it")
    assert command.startswith("ncu ")
    assert "step:report" in [choice.id for choice in choices(made.state)]
    made.do(e.Asked("report"), e.Answered("report", recorded("good-copy")))
    assert made.state.diagnosis is not None and made.state.timeline is not None
    made.launch(0)
    assert "Profile it" in [line.label for line in here("S5", made.state)]


@pytest.mark.parametrize("step", STEPS)
def test_every_system_step_says_what_the_trace_shows(step: str, tmp_path: Path):
    made = Session()
    made.do(e.Began((), traces=(trace(starved(named=True), tmp_path),)))
    made.do(e.StepShown(step))
    assert made.last.finding == step and made.state.step == step
    told = here(step, made.state)
    assert any(line.style in ("fact", "strong") for line in told)
    assert event_of(choices(made.state)[0].id, made.state) is not None


def test_a_pattern_is_shown_with_its_moments_and_its_fix(tmp_path: Path):
    made = Session()
    made.do(e.Began((), traces=(trace(starved(), tmp_path),)))
    event = event_of(choices(made.state)[0].id, made.state)
    assert event == e.FindingShown("data_loading_starved")
    assert event is not None
    state = made.do(event)
    assert made.last.kind == "fix" and state.step == "S3"
    assert {"Why", "Fix"} <= {line.label for line in made.last.lines}
    assert any("idle between" in line.text for line in made.last.lines)
    assert [line for line in made.last.lines if line.style == "step"]
    assert e.FindingShown("data_loading_starved") != event_of(choices(state)[0].id, state)


def test_a_trace_may_be_opened_beside_a_report(tmp_path: Path):
    made = Session()
    made.do(e.Began((recorded("good-copy"),)))
    before = made.launch(0)
    state = made.do(e.TraceGiven((trace(starved(), tmp_path),)))
    assert made.last.kind == "timeline" and state.position == 0
    assert reduce(state, e.Back()) == before


def test_a_trace_that_cannot_be_read_is_one_line(tmp_path: Path):
    made = Session()
    made.do(e.Began((), traces=(str(tmp_path / "absent.sqlite"),)))
    assert made.last.kind == "error" and "\n" not in made.last.title
    assert made.state.place == "launch" and "step:trace" in [choice.id for choice in choices(made.state)]


def test_a_whole_program_can_be_judged_from_typed_numbers_and_the_session_end_before_a_profile():
    made = Session()
    made.do(e.Began(()), e.Answered("subject", "program"))
    asked(made, STARVED)
    assert made.last.title == "Fix the system first" and made.last.aside == "from typed numbers"
    told = made.texts()
    assert ("Profiling one kernel gains little now: fix this first, then capture again.") in told and any(
        text.startswith("Data loading starves the GPU") for text in told
    )
    assert made.state.step == "S5" and replay(made.state.log) == made.state


def test_what_could_not_matter_is_not_asked():
    made = Session()
    made.do(e.Began(()), e.Answered("subject", "program"))
    order = asked(made, BUSY)
    assert order == ["gpu_busy_pct", "computing_pct", "top_kernel_pct", "tiny_span_pct"]
    assert made.last.title == "Profile the kernel"


def test_what_is_not_known_stays_unknown_and_is_named():
    made = Session()
    made.do(e.Began(()), e.Answered("subject", "program"))
    asked(made, {"gpu_busy_pct": 60.0})
    assert made.last.title == "Undecided"
    unseen = next(line for line in made.last.lines if line.label == "Not known")
    assert unseen.style == "unknown" and "Copies not overlapped" in unseen.text
    assert words.NO_PATTERN not in made.texts()


def test_enough_can_be_said_at_any_number_and_going_back_undoes_answer_by_answer():
    made = Session()
    made.do(e.Began(()), e.Answered("subject", "program"), e.Answered("gpu_busy_pct", 30.0))
    before = made.state
    made.do(e.Answered("computing_pct", 20.0))
    two = made.state
    made.do(e.Skipped("top_kernel_pct"))
    assert made.last.title == "Fix the system first"
    assert reduce(made.state, e.Back()) == two and reduce(two, e.Back()) == before


def test_without_a_trace_the_share_of_the_report_is_told_as_no_more_than_that():
    made = Session()
    made.do(e.Began((recorded("memory-math"),)))
    made.launch(0)
    told = here("S4", made.state)
    assert told[0].style == "unknown"
    assert "only a trace shows its share of the program" in told[-1].text
