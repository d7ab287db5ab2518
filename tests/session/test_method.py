"""The steps of the method: each can be gone to, says what is known of the launch, and never more."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from session.sessions import INDEX, Session, answer_all, on

from advisor.records import resources
from advisor.records.diagnosis import Missing
from advisor.records.errors import InputError
from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.executor import Executor
from advisor.session.language.understand import event_of
from advisor.session.method.steps import far, here, rows
from advisor.session.reducer import progressed, reduce, replay
from advisor.view.numbers import estimate_text
from tests.changed import replace

STEPS = tuple(step.id for step in INDEX().steps)


@pytest.fixture(scope="module")
def session(tour: Any) -> Session:
    made = on(tour)
    made.launch(1)
    return made


def test_the_steps_are_those_of_the_catalogue_in_its_order():
    catalogue = yaml.safe_load((resources.folder("knowledge") / "catalogue.yaml").read_text(encoding="utf-8"))
    assert list(STEPS) == catalogue["steps"]
    assert all(step.title and step.what for step in INDEX().steps)


@pytest.mark.parametrize("step", STEPS)
def test_every_step_can_be_gone_to_with_a_report_and_says_something_of_the_launch(step: str, session: Session):
    before = session.state
    state = reduce(before, e.StepShown(step))
    card = state.cards[-1]
    assert (card.kind, card.finding, state.step) == ("step", step, step)
    assert step in state.visited
    told = here(step, before)
    assert told and all(line.text.strip() for line in told)
    assert "No launch is open yet: open a report or type numbers." not in [line.text for line in told]
    assert "\n" not in "".join(line.text for line in card.lines)
    assert reduce(state, e.Back()) == before


@pytest.mark.parametrize("step", STEPS)
def test_every_step_can_be_gone_to_without_a_report_and_claims_nothing(step: str):
    made = Session()
    made.do(e.Began(()))
    state = made.do(e.StepShown(step))
    assert state.cards[-1].finding == step
    told = here(step, state)
    assert {line.style for line in told} <= {"unknown", "quiet"}, "nothing is known, so nothing is told as known"
    assert choices(state) and all(event_of(choice.id, state) is not None for choice in choices(state))


def test_no_step_raises_on_any_launch_of_the_tour(tour: Any):
    made = on(tour)
    for position in range(len(tour.diagnosis.launches)):
        made.do(e.LaunchesShown())
        state = made.launch(position)
        assert all(here(step, state) for step in STEPS)


@pytest.fixture
def conflicts(tour: Any) -> Session:
    """A session at the transpose with bank conflicts; as it asks for predictions, it reads lines only on request."""
    made = on(tour)
    made.do(e.LaunchSelected(position_of("transpose_tile", tour)), e.Skipped("expect"))
    assert made.state.expects and made.state.has_card("class")
    return made


def position_of(kernel: str, tour: Any) -> int:
    return next(at for at, launch in enumerate(tour.diagnosis.launches) if launch.kernel == kernel)


def lines(session: Session, *deeds: e.Event) -> str:
    """What the newest card about a step, a finding or its fix says after the deeds."""
    session.do(*deeds)
    card = next(c for c in reversed(session.state.cards) if c.kind in ("step", "finding", "fix"))
    return "\n".join(line.text for line in card.lines)


def test_lines_that_are_not_read_yet_are_said_to_be_so_and_told_once_they_are(conflicts: Session):
    told = lines(conflicts, e.StepShown("4"))
    assert "Shared-memory bank conflicts: not read from the report yet; s (or /source) shows" in told
    assert "transpose_tile.cu" not in told and "No finding of this launch points to a line of code." not in told
    assert "No line information: checked, does not apply" in told
    told = lines(conflicts, e.ViewShown("source"), e.ViewLeft(), e.StepShown("4"))
    assert (
        "transpose_tile.cu:8 (100 % of shared-memory wavefronts beyond the ideal; LDS" in told
        and ", array tile" in told
        and "not read" not in told
    )


def test_the_card_of_a_fix_gains_its_line_when_the_code_was_read(conflicts: Session):
    assert "not read from the report yet" in lines(conflicts, e.FixShown())
    conflicts.do(e.ViewShown("source"), e.ViewLeft())
    card = next(c for c in reversed(conflicts.state.cards) if c.kind == "fix")
    told = "\n".join(line.text for line in card.lines)
    assert (
        "transpose_tile.cu:8 (100 % of shared-memory wavefronts beyond the ideal; LDS" in told
        and "not read" not in told
    )


def test_the_fix_names_the_line_and_the_array_whatever_was_searched_for_since(conflicts: Session):
    assert "not read from the report yet" in lines(conflicts, e.FixShown())
    searches = [e.SourceSought("instructions", search=f"LD[GS]|{n}") for n in range(8)]
    told = lines(conflicts, e.ViewShown("source"), *searches, e.ViewLeft(), e.FixShown())
    assert (
        "transpose_tile.cu:8 (100 % of shared-memory wavefronts beyond the ideal; LDS" in told
        and "array tile" in told
        and "not read" not in told
    )
    assert "transpose_tile.cu:8" in lines(conflicts, e.FindingShown("bank_conflicts"))


def test_without_predictions_the_lines_are_read_in_the_background_and_stand_on_the_finding_at_once(tour: Any):
    made = on(tour, predict=False)
    made.launch(position_of("transpose_tile", tour))
    finding = next(card for card in made.state.conversation if card.kind == "finding")
    assert any("transpose_tile.cu:8 (100 % of shared-memory wavefronts" in line.text for line in finding.lines)
    told = lines(made, e.StepShown("4"))
    assert (
        "transpose_tile.cu:8 (100 % of shared-memory wavefronts beyond the ideal; LDS" in told
        and "not read" not in told
    )
    assert "transpose_tile.cu:8" in lines(made, e.FixShown())
    assert replay(made.state.log) == made.state


def test_lines_that_cannot_be_read_in_the_background_leave_the_verdict_and_are_told_with_the_reason(tour: Any):
    failing = replace(on(tour).desk.sources, locate=lambda *_: (_ for _ in ()).throw(InputError("no instructions")))
    made = Session(Executor(failing))
    made.do(e.Began(("tour.ncu-rep",), predict=False))
    state = made.launch(position_of("transpose_tile", tour))
    assert state.has_card("finding", "bank_conflicts") and state.stalled is None and not state.has_card("error")
    assert "Shared-memory bank conflicts: no instructions" in lines(made, e.StepShown("4"))


def test_a_fix_without_a_place_of_its_own_says_nothing_of_lines(tour: Any):
    made = on(tour)
    made.launch(position_of("one_block_too_many", tour))
    assert "read from the report" not in lines(made, e.FixShown())
    assert "No finding of this launch points to a line of code." in lines(made, e.StepShown("4"))


def test_code_that_cannot_be_read_is_said_with_its_reason(conflicts: Session):
    failing = replace(conflicts.desk.sources, locate=lambda *_: (_ for _ in ()).throw(InputError("no instructions")))
    made = Session(Executor(failing))
    made.state = conflicts.state
    assert "Shared-memory bank conflicts: no instructions" in lines(made, e.ViewShown("source"), e.StepShown("4"))


def test_a_step_that_does_not_exist_does_nothing(session: Session):
    assert reduce(session.state, e.StepShown("7")) is session.state
    assert reduce(session.state, e.StepShown("")) is session.state


def test_steps_are_found_in_any_case(session: Session):
    assert reduce(session.state, e.StepShown("iii.L2")).step == "III.l2"
    assert reduce(session.state, e.StepShown("4f")).step == "4F"


def test_the_class_the_gains_and_the_ridges_of_the_launch_are_on_their_steps(session: Session):
    launch = session.state.launch
    assert launch is not None
    assert launch.verdict.title in [line.text for line in here("1", session.state)]
    first = launch.findings[0]
    assert first.speedup is not None
    told = " ".join(line.text for line in here("3", session.state))
    assert first.title in told and estimate_text(first.speedup) in told
    ridges = {line.label: line.text for line in here("B", session.state)}
    assert ridges["fp32"] == "13.96 FLOP/byte"


def test_the_ridges_of_a_gpu_without_an_entry_are_derived_from_the_report_and_marked(session: Session):
    diagnosis = session.state.diagnosis
    assert diagnosis is not None
    device = replace(diagnosis.launches[0].gpu, name="NVIDIA H999", known_as="")
    launches = tuple(replace(launch, gpu=device) for launch in diagnosis.launches)
    state = replace(session.state, diagnosis=replace(diagnosis, launches=launches))
    lines = here("B", state)
    ridges = {line.label: line.text for line in lines}
    assert lines[0].text == "NVIDIA H999"
    assert float(ridges["fp32"].split()[0]) == pytest.approx(13.9, abs=0.1)
    assert lines[-1].text.startswith("This GPU is not in the table: its peaks are derived")


def test_what_waits_for_an_answer_is_not_told_as_looked_for_and_not_found(session: Session):
    told = [line for line in here("III.l2", session.state) if line.text.startswith("More traffic than")]
    assert [line.style for line in told] == ["unknown"]
    assert "How many bytes" in told[0].text


def test_what_the_report_lacks_is_not_told_as_looked_for_and_not_found(session: Session):
    launch, diagnosis = session.state.launch, session.state.diagnosis
    assert launch is not None and diagnosis is not None
    lacking = Missing("l2_atomic_max_pct", ("atomic_contention",), "ncu --section MemoryWorkloadAnalysis_Tables")
    other = replace(launch, missing=(lacking,), metrics={})
    launches = tuple(other if each is launch else each for each in diagnosis.launches)
    state = replace(session.state, diagnosis=replace(diagnosis, launches=launches))
    told = [line.text for line in here("III.atomics", state)]
    assert any("could not be checked" in text and "l2_atomic_max_pct" in text for text in told)
    assert f"Collect it with: {lacking.collect}" in told
    for step in ("1b", "2", "2b", "5b", "III.tensor", "III.balance", "III.mig", "III.graphs"):
        styles = [line.style for line in here(step, state) if not line.text.startswith("/")]
        assert "unknown" in styles, step


def test_pitfalls_that_show_on_the_launch_come_before_the_others(tour: Any):
    made = on(tour)
    at, name = next(
        (at, finding.id)
        for at, launch in enumerate(tour.diagnosis.launches)
        for finding in launch.findings
        if finding.id in {p.found_by for p in INDEX().pitfalls}
    )
    state = made.launch(at)
    title = next(p.title for p in INDEX().pitfalls if p.found_by == name)
    first = here("IV", state)[0]
    assert first.style == "warning" and first.text.startswith(title)


def test_the_list_tells_where_the_session_stands(session: Session):
    state = session.do(e.StepShown("2"), e.StepsShown())
    assert {row.step.id: row.status for row in rows(state)}["2"] == "here"
    lines = {line.label: line.text for line in state.cards[-1].lines}
    assert lines["2"].endswith("(here)") and lines["1"].endswith("(done)") and "(" not in lines["D"]
    assert [line.label for line in state.cards[-1].lines if line.label] == list(STEPS)
    assert reduce(state, e.Back()).step == "2"


def test_the_choices_of_a_step_are_what_it_does_and_the_next_step(session: Session):
    state = session.do(e.StepShown("3"))
    offered = [choice.id for choice in choices(state)[:2]]
    assert offered == ["step:whatif", "step:go:4"]
    assert event_of("step:go:4", state) == e.StepShown("4")


def test_the_session_stands_at_the_step_that_its_deeds_lead_to(tour: Any):
    made = on(tour)
    made.launch(1)
    assert made.state.step == "1"
    walked = []
    for deed in (e.NapkinBegun(), e.Skipped("algorithm"), e.EvidenceShown(), e.FixShown(), e.LogShown()):
        made.do(deed)
        walked.append(made.state.step)
    assert walked[0] == "0" and walked[2:] == ["2", "5", "6"]
    assert set(walked) <= set(made.state.visited)
    assert replay(made.state.log) == made.state


def test_three_times_tell_whether_the_halves_overlap(tour: Any):
    made = on(tour)
    made.launch(1)
    made.do(e.Asked("variants"))
    for name, ns in (("full", 400e3), ("memory", 215e3), ("math", 195e3)):
        assert made.state.ask is not None and made.state.ask.id == name
        made.do(e.Answered(name, ns))
    assert made.texts()[0].startswith("The halves do not overlap")
    assert made.state.step == "0b" and made.state.ask is None
    made.do(e.StepShown("0b"))
    assert any(text.startswith("The halves do not overlap") for text in made.texts())
    for _ in range(5):
        made.do(e.Back())
    assert made.state.has_card("class") and made.state.ask is None


@pytest.mark.parametrize(
    ("times", "begins"),
    [
        ((220e3, 215e3, 100e3), "The halves overlap well"),
        ((600e3, 215e3, 195e3), "The kernel takes longer"),
        ((260e3, 215e3, 100e3), "The halves overlap in part"),
    ],
)
def test_the_verdict_follows_the_times(times: tuple[float, float, float], begins: str, tour: Any):
    made = on(tour)
    made.launch(1)
    made.do(e.Asked("variants"), *map(e.Answered, ("full", "memory", "math"), times))
    assert made.texts()[0].startswith(begins)


def test_collect_gives_the_command_for_what_is_missing_and_says_what_for():
    made = Session()
    made.do(e.Began(()))
    answer_all(made, {"duration_ns": 1e5, "dram_pct": 30.0, "sm_throughput_pct": 20.0, "memory_throughput_pct": 30.0})
    assert made.state.launch is not None
    made.do(e.CollectShown())
    assert made.last.kind == "missing" and made.state.step == "A"


def test_collect_of_a_launch_names_its_kernel_and_the_sections(tour: Any):
    launches = list(tour.diagnosis.launches)
    launches[1] = replace(
        launches[1], kernel="ns::gemm<float>(int)", missing=(Missing("l2_hit_pct", ("poor_cache_reuse",), "ncu …"),)
    )

    class Lacking:
        diagnosis = replace(tour.diagnosis, launches=tuple(launches))

    made = on(Lacking())
    made.launch(1)
    made.do(e.CollectShown())
    command = next(line.text for line in made.last.lines if line.label == "Run")
    assert "--kernel-name 'regex:^gemm$'" in command
    section = next(line for line in made.last.lines if line.label.startswith("MemoryWorkloadAnalysis"))
    assert f"--section {section.label}" in command and section.text == "Poor cache reuse"


def test_where_nothing_is_missing_collect_says_so(session: Session):
    state = session.do(e.CollectShown())
    assert state.cards[-1].lines[0].text == "Every metric that a rule needs is known."


def test_from_the_list_of_launches_the_steps_and_the_log_are_views(tour: Any):
    made = on(tour)
    assert made.state.place == "launches"
    assert made.do(e.StepShown("2")).view == "steps" and made.state.view_subject == "2"
    assert made.do(e.ViewLeft()).view == ""
    assert made.do(e.StepsShown()).view == "steps"
    assert made.do(e.Back(), e.LogShown()).view == "log"


def test_a_step_is_done_by_its_result_and_not_by_standing_at_it(tour: Any):
    made = on(tour)
    made.do(e.LaunchSelected(1), e.Skipped("expect"))
    assert (far(made.state, "0"), far(made.state, "1")) == ("open", "done"), "no napkin was reckoned"
    made.do(e.NapkinBegun())
    assert far(made.state, "0") == "open"
    made.do(e.Skipped("algorithm"))
    assert far(made.state, "0") == "skipped"
    made.do(e.FixShown(), e.StepShown("1b"), e.EvidenceShown())
    assert [far(made.state, step) for step in ("5", "6", "1b", "2", "4")] == ["read", "open", "read", "done", "open"]
    made.do(e.LaunchSelected(2))
    assert [far(made.state, step) for step in ("0", "2")] == ["open", "open"], "on another launch nothing was done yet"
    assert replay(made.state.log) == made.state


def test_a_napkin_that_was_reckoned_is_done_and_holds_for_the_next_version(tour: Any):
    made = on(tour)
    made.do(e.LaunchSelected(1), e.Skipped("expect"))
    skipped = e.Skipped("algorithm")
    done = replace(made.state, progress=(*progressed(made.state, skipped), (1, "0", "done"), (1, "4", "done")))
    assert far(done, "0") == "done"
    after = replace(done, progress=progressed(done, e.Completed(e.CompareVersion("x", 1), None)))
    assert [far(after, step) for step in ("0", "4", "5", "6")] == ["done", "open", "done", "done"]
