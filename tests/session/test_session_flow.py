"""A session as its events: what each leads to."""

from __future__ import annotations

import pytest
from tui.factory import desk, diagnosis, launch
from tui.talk import begin, kinds, look, say, settle

from advisor.records.diagnosis import Location, Place, main_finding
from advisor.session import events as e
from advisor.session.actions.answer import fits
from advisor.session.cards import finding_card
from advisor.session.choices import choices
from advisor.session.language.understand import event_of, understand
from advisor.session.records import Ask
from advisor.session.reducer import can_go_back, reduce, replay
from tests.changed import replace

PLACE = Location(
    "a.cu", 4, 16, "LDS R6, [R6]", "excess_wavefronts", 0.97, (Place("b.cuh", 14), Place("a.cu", 20)), 0.25
)


def test_a_report_with_several_launches_opens_the_list():
    state, _ = begin("tour.ncu-rep")
    assert (state.place, state.position, state.cards) == ("launches", None, ())


def test_a_report_with_one_launch_opens_it_at_once():
    class One:
        diagnosis = diagnosis(launch(0, "alone"))

    state, _ = begin("one.ncu-rep", at=desk(analyse=lambda paths, gpu, progress: One()))
    assert (state.place, state.position) == ("launch", 0)


def test_a_launch_tells_its_class_then_what_to_fix_first_then_how_far_to_trust_it():
    state, _ = begin("tour.ncu-rep")
    state = look(state, 1)
    assert kinds(state) == ["overview", "class", "finding", "trust", "note"]
    finding = state.conversation[2]
    assert (finding.label, finding.title) == ("Fix first", "Shared-memory bank conflicts")
    gain = next(line.text for line in finding.lines if line.label == "Speedup")
    assert gain == "2.2× (1.9–2.6×) estimated, then limited by DRAM"


def test_a_place_in_inlined_code_is_told_with_its_call():
    one = launch(0, "alone")
    inlined, plain = (
        line.text
        for place in (PLACE, replace(PLACE, calls=()))
        for line in finding_card(one, replace(one.findings[0], locations=(place, PLACE)), 0).lines
        if line.label == "Hot line"
    )
    assert plain == "a.cu:4 (97 % of shared-memory wavefronts beyond the ideal; LDS R6, [R6] alone 25 %)"
    assert inlined == f"{plain}, inlined at b.cuh:14"


def test_a_kernel_that_is_done_says_that_there_is_nothing_to_fix():
    state, _ = begin("tour.ncu-rep")
    state = look(state, 0)
    assert state.conversation[2].label == "Nothing to fix"


def test_a_launch_without_findings_still_has_a_card_and_choices():
    state, _ = begin("tour.ncu-rep")
    state = look(state, 5)
    assert kinds(state) == ["overview", "class", "note", "note"]
    assert choices(state)


def test_choosing_the_first_choice_again_and_again_leads_through_fix_and_proof_and_comes_to_an_end():
    state, at = begin("tour.ncu-rep")
    state = look(state, 1)
    seen = []
    for _ in range(3):
        seen.append(choices(state)[0].id)
        event = event_of(choices(state)[0].id, state)
        assert event is not None
        state = settle(reduce(state, event), at)
    assert seen == ["fix", "how", "finding"]
    assert {"fix", "next", "proof"} <= set(kinds(state))


def test_the_proof_names_rule_numbers_distance_and_source_in_words():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "/how")
    text = "\n".join(f"{line.label} {line.text}" for line in state.cards[-1].lines)
    assert "bank_conflicts.excess" in text
    assert "shared_wavefront_ratio = 16.5, test > 1.1, 15× the threshold" in text
    assert "The guide: step 3" in text


def test_an_answer_that_changes_something_says_what():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "dtype", "double")
    change = state.cards[-1]
    assert change.kind == "change"
    assert ("Gone", "Narrow accesses") in [(line.label, line.text) for line in change.lines]
    assert [f.id for f in state.launch.findings] == ["bank_conflicts", "line_info_missing"]


def test_an_answer_that_changes_nothing_says_so():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "dtype", "single")
    assert state.cards[-1].title == "Nothing changed"


def test_i_dont_know_is_an_answer_and_the_question_is_not_asked_again():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "dtype", "d")
    assert state.ask is None
    assert "ask:dtype" not in [c.id for c in choices(state)]
    assert state.answers == ()


def test_a_question_put_off_stays_among_the_choices_behind_the_others():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "dtype", "/skip")
    assert [c.id for c in choices(state) if c.id.startswith("ask:")] == ["ask:theoretical_bytes", "ask:dtype"]


def test_why_tells_the_reason_of_the_question_that_is_open_and_else_of_the_first_finding_and_the_class():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "dtype", "/why")
    assert state.cards[-1].lines[0].text == "The peak that counts depends on it."
    state = say(state, at, "/skip", "why?")
    assert state.launch is not None
    first, why = main_finding(state.launch), state.cards[-1]
    assert first is not None and first.kind == "diagnosis"
    assert (why.kind, why.label, why.finding) == ("proof", "Why", first.id)
    assert why.lines[0].label == "Because" and why.lines[-1].label == "Class"
    assert why.lines[-1].text.startswith("L1/shared-memory-bound: ")
    # The proof of the class is a step further.
    state = say(state, at, "/how internal_congestion")
    assert (state.cards[-1].kind, state.cards[-1].finding) == ("proof", "internal_congestion")
    assert "Memory utilisation = 60.0 % (now 96.1 %)" in [line.text for line in state.cards[-1].lines]


def test_numbers_are_taken_with_their_units_in_the_units_of_the_question():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "theoretical_bytes", "64 MiB")
    assert state.answers == ((1, "theoretical_bytes", 64.0 * 2**20),)


def test_a_number_out_of_range_or_with_a_foreign_unit_is_refused_with_the_reason():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "theoretical_bytes")
    for text in ("0", "12 ms", "many"):
        refused = understand(text, state)
        assert isinstance(refused, e.NotUnderstood) and refused.because, text
    assert reduce(state, e.Answered("theoretical_bytes", float("inf"))) is state


def test_the_napkin_asks_for_algorithm_and_parameters_then_compares_and_concludes():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "compare", "transpose", "4096")
    assert state.ask is not None and state.ask.step == (2, 2)
    state = say(state, at, "f32")
    assert state.napkin_input is None and state.ask is None
    assert [k for k in kinds(state) if k in ("napkin", "change")] == ["napkin", "change"]
    assert (1, "theoretical_bytes", 8.59e9) in state.answers


def test_what_if_shows_what_would_change_and_changes_nothing():
    state, at = begin("tour.ncu-rep")
    state = look(state, 1)
    asked = say(state, at, "/whatif dram_pct=70")
    assert asked.cards[-1].lines[0].text == "L1/shared-memory-bound → DRAM-bound"
    assert asked.diagnosis == state.diagnosis
    assert say(state, at, "what if l2_pct = 50%").cards[-1].lines[0].text.startswith("Class, findings")


def test_work_that_fails_is_a_card_with_its_reason_and_can_be_tried_again():
    state, _ = begin("broken.ncu-rep")
    assert (state.place, state.cards[-1].title) == ("start", "broken.ncu-rep is cut off: copy it again")
    assert [c.id for c in choices(state)] == ["retry", "quit"]
    again = reduce(state, e.Retried())
    assert again.waiting == (e.Read(("broken.ncu-rep",)),)


def test_a_defect_of_ours_is_a_card_too():
    state, _ = begin("crash.ncu-rep")
    assert "RuntimeError: a defect of ours" in state.cards[-1].title


def test_a_report_without_launches_says_so():
    class Nothing:
        diagnosis = diagnosis().__class__((), ())

    state, _ = begin("empty.ncu-rep", at=desk(analyse=lambda paths, gpu, progress: Nothing()))
    assert state.cards[-1].kind == "error" and state.place == "start"


def test_outcomes_that_nobody_waits_for_are_ignored():
    state, _ = begin("tour.ncu-rep")
    late = e.Concluded(e.Conclude((), 1), diagnosis())
    assert reduce(state, late) is state
    assert reduce(state, e.Failed(e.Explain("x"), "too late")) is state


def test_called_off_work_leaves_the_session_as_it_was_and_can_be_taken_up_again():
    state, at = begin("tour.ncu-rep")
    state = look(state, 1)
    waiting = reduce(state, e.HowAsked())
    off = reduce(waiting, e.Cancelled())
    assert off.waiting == () and choices(off)[0].id == "retry"
    assert settle(reduce(off, e.Retried()), at).cards[-1].kind == "proof"


def test_work_wanted_twice_is_waited_for_once():
    state, _ = begin("tour.ncu-rep")
    state = reduce(reduce(look(state, 1), e.HowAsked()), e.HowAsked())
    assert state.waiting == (e.Prove("how", 1, "bank_conflicts"),)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), "many", ""])
def test_what_is_no_number_is_never_an_answer_to_a_number_even_without_a_range(value: float | str):
    assert not fits(Ask("x", "How many?", ""), value)
    assert fits(Ask("x", "How many?", ""), -1e300)


def test_a_condition_that_would_prevent_a_conclusion_and_is_false_counts_for_it():
    state, at = begin("tour.ncu-rep")
    state = say(look(state, 1), at, "/how")
    line = next(line for line in state.cards[-1].lines if line.text == "excess_on_atomics")
    assert (line.label, line.style) == ("Not the case", "holds")


def test_back_takes_away_the_last_answer_with_all_that_followed_from_it():
    state, at = begin("tour.ncu-rep")
    asked = say(look(state, 1), at, "dtype")
    assert reduce(say(asked, at, "double"), e.Back()) == asked


def test_back_to_the_very_beginning_and_no_further():
    state, at = begin("tour.ncu-rep")
    later = say(look(state, 1), at, "/how", "/help")
    for _ in range(4):
        assert can_go_back(later)
        later = reduce(later, e.Back())
    assert later == state
    assert not can_go_back(later) and reduce(later, e.Back()) is later


def test_work_asked_for_before_the_undone_step_keeps_its_outcome():
    state, at = begin("tour.ncu-rep")
    waiting = reduce(look(state, 1), e.HowAsked())
    proof = at.perform(waiting.waiting[0], waiting, lambda *_: None)
    helped = reduce(reduce(waiting, e.HelpAsked()), proof)
    assert reduce(helped, e.Back()) == reduce(waiting, proof)


def test_each_launch_keeps_its_own_conversation():
    state, at = begin("tour.ncu-rep")
    first = say(look(state, 1), at, "/how")
    other = say(first, at, "/kernel gemm")
    assert "proof" not in kinds(other) and other.launch.kernel == "gemm_one_output"
    assert say(other, at, "/kernel 1").conversation == first.conversation


def test_after_quitting_nothing_happens_any_more():
    state, _ = begin("tour.ncu-rep")
    closed = reduce(state, e.Quit())
    assert closed.place == "closed" and reduce(closed, e.LaunchSelected(1)) is closed


# Without a report


def test_without_a_report_the_numbers_are_asked_for_one_by_one():
    state, at = begin()
    assert (state.place, state.numbers, state.ask.id) == ("launch", True, "expect")
    state = say(state, at, "skip")
    assert state.ask.id == "duration_ns"
    state = say(state, at, "12.5us")
    assert state.answers == ((None, "duration_ns", 12_500.0),)
    assert state.ask.id == "dram_pct"


def test_the_class_is_told_as_soon_as_the_numbers_decide_it():
    state, at = begin()
    state = say(state, at, "skip", "12.5us")
    assert "class" not in kinds(state)
    state = say(state, at, "83%")
    assert [c.title for c in state.cards if c.kind in ("class", "change")] == ["The answer changed the conclusion"]
    assert state.launch.verdict.id == "dram_bound"


def test_an_unknown_number_is_passed_over_and_one_put_off_comes_again_once():
    state, at = begin()
    state = say(state, at, "skip", "d", "/skip")
    assert state.ask.id == "l2_pct"
    state = say(state, at, "40")
    assert state.ask.id == "dram_pct"
    state = say(state, at, "/skip")
    assert state.ask is None


def test_enough_numbers_lead_to_the_conclusion_and_more_can_be_given():
    state, at = begin()
    state = say(state, at, "skip", "1 ms", "83", "enough")
    assert state.ask is None and kinds(state)[-2:] == ["class", "finding"]
    state = say(state, at, "more")
    assert state.ask.id == "l2_pct"


def test_the_last_number_leads_to_the_conclusion():
    state, at = begin()
    state = say(state, at, "skip", "1 ms", "83", "40%")
    assert state.ask is None and kinds(state)[-2:] == ["class", "finding"]


# Replay


@pytest.mark.parametrize("paths", [("tour.ncu-rep",), ()])
def test_replaying_the_log_gives_the_same_state(paths: tuple[str, ...]):
    state, at = begin(*paths)
    texts = ["/help", "d", "/why"] if not paths else ["/kernel 1", "1", "how", "dtype", "2", "/explain occupancy"]
    state = say(state, at, *texts)
    assert replay(state.log) == state
