"""Views over the conversation: what opens them, what they wait for, how they are left and undone."""

from __future__ import annotations

from typing import Any

import pytest
from tui.factory import INDEX, diagnosis

from advisor.records.diagnosis import main_finding
from advisor.session import events as e
from advisor.session.reducer import can_go_back, reduce, replay
from advisor.session.state import VIEWS, State, best_position
from advisor.session.views import is_for_view as of_view
from tests.changed import replace

READ = e.Read(("a.ncu-rep",))


def after(*events: e.Event, launch: int | None = 1) -> State:
    """A session on the factory's launches, at one of them."""
    opened = (e.Began(READ.paths), e.Opened(READ, diagnosis(), INDEX))
    chosen = () if launch is None else (e.LaunchSelected(launch), e.Expected(None))
    return replay((*opened, *chosen, *events))


def told(state: State, result: Any = "result") -> State:
    """The first request answered."""
    return reduce(state, e.Completed(state.waiting[0], result))


def test_a_view_waits_for_its_result_and_keeps_it_without_a_card():
    state = after(e.ViewShown("proof", "bank_conflicts"))
    (request,) = state.waiting
    assert request == e.Prove("how", 1, "bank_conflicts", quiet=True)
    done = told(state)
    assert done.result(request) == "result" and not done.waiting
    assert done.cards == state.cards, "the conversation gets no card"
    again = reduce(reduce(done, e.ViewLeft()), e.ViewShown("proof", "bank_conflicts"))
    assert not again.waiting, "what is known is not asked for again"


def test_a_proof_of_what_was_not_concluded_asks_why_not():
    assert after(e.ViewShown("proof", "tail_effect")).waiting == (e.Prove("why_not", 1, "tail_effect", quiet=True),)


@pytest.mark.parametrize("view", ["source", "proof", "whatif"])
def test_views_of_a_launch_need_one(view: str):
    state = after(launch=None)
    assert reduce(state, e.ViewShown(view)) is state


@pytest.mark.parametrize("view", [*VIEWS, "nonsense", ""])
def test_every_view_opens_or_says_why_not_and_is_left_to_where_it_was_opened(view: str):
    before = after()
    state = reduce(before, e.ViewShown(view))
    if not state.view:
        assert state is before or state.cards[-1].kind == "error"
        return
    assert state.view == view
    left = reduce(state, e.ViewLeft())
    assert not left.view and left.cards == before.cards
    assert not [request for request in left.waiting if of_view(request)], "nobody waits for what no view shows"


def test_source_of_typed_numbers_is_a_note():
    index = replace(INDEX, interview=())
    state = replay((e.Began(()), e.Opened(e.Read(()), diagnosis(), index)))
    asked = reduce(state, e.ViewShown("source"))
    assert not asked.view and (asked is state or "report" in asked.cards[-1].lines[0].text)


def test_escape_goes_back_from_view_to_view_and_a_view_opened_twice_lies_there_once():
    state = after(e.ViewShown("steps"), e.ViewShown("proof"), e.ViewShown("knowledge", "occupancy"))
    assert [name for name, _ in state.view_stack] == ["steps", "proof"]
    assert reduce(state, e.ViewLeft()).view == "proof"
    up = reduce(state, e.ViewShown("steps"))
    assert up.view == "steps" and up.view_stack == ()


def test_what_is_done_in_the_conversation_leaves_all_views():
    state = after(e.ViewShown("steps"), e.ViewShown("proof"))
    done = reduce(state, e.FixShown())
    assert (done.view, done.view_stack) == ("", ()) and done.cards[-1].kind in ("fix", "next")
    assert reduce(state, e.NotUnderstood("x")) is state, "no card would be seen there"


def test_only_the_latest_values_are_waited_for():
    one, two = (("dram_pct", 50.0),), (("dram_pct", 51.0),)
    state = after(e.ViewShown("whatif"), e.Supposed(one), e.Supposed(two))
    suppositions = [request for request in state.waiting if isinstance(request, e.Suppose)]
    assert suppositions == [e.Suppose(1, two, quiet=True)]
    late = reduce(state, e.Completed(e.Suppose(1, one, quiet=True), "late"))
    assert late is state
    assert not [r for r in reduce(state, e.Supposed(())).waiting if isinstance(r, e.Suppose)]
    assert reduce(state, e.Supposed(two)) is state


def test_results_are_bounded():
    state = after(e.ViewShown("whatif"))
    while state.waiting:
        state = told(state)
    for step in range(40):
        state = told(reduce(state, e.Supposed((("dram_pct", float(step)),))))
    kept = [request for request, _ in state.results if isinstance(request, e.Suppose)]
    assert len(kept) <= 12 and kept[-1] == e.Suppose(1, (("dram_pct", 39.0),), quiet=True)


def test_source_is_sought_with_filters_and_remembers_them_for_its_finding():
    state = told(after(e.ViewShown("source")))
    assert state.source_query == e.Locate(1, finding="bank_conflicts")
    state = told(reduce(state, e.SourceSought("samples", "LDG", ("share>5%",), "stalls")))
    sought = e.Locate(1, "samples", "LDG", ("share>5%",), "stalls", "bank_conflicts")
    assert state.source_query == sought
    again = reduce(reduce(state, e.ViewLeft()), e.ViewShown("source"))
    assert again.source_query == sought and not again.waiting
    other = reduce(again, e.ViewShown("source", "narrow_accesses"))
    assert other.source_query == e.Locate(1, finding="narrow_accesses")
    closed = after()
    assert reduce(closed, e.SourceSought("samples")) is closed, "there is no view that could show it"


def test_a_failure_is_the_views_own_and_asking_again_tries_again():
    state = after(e.ViewShown("source"))
    (request,) = state.waiting
    failed = reduce(state, e.Failed(request, "no instructions"))
    assert failed.cards == state.cards and failed.stalled is None
    assert failed.result(request) == e.Failed(request, "no instructions")
    again = reduce(failed, e.SourceSought())
    assert again.waiting == (request,) and again.result(request) is None
    called_off = reduce(again, e.Cancelled())
    assert not called_off.waiting and called_off.cards == state.cards


def test_new_conclusions_drop_what_was_told_of_the_old_ones_and_ask_again():
    state = told(after(e.ViewShown("proof", "bank_conflicts")))
    wanted = e.Conclude(((1, "dtype", "f32"),), 1)
    state = replace(state, waiting=(wanted,))
    done = reduce(state, e.Concluded(wanted, diagnosis()))
    assert done.waiting == (e.Prove("how", 1, "bank_conflicts", quiet=True),)


def test_undo_in_a_view_goes_step_by_step_and_outside_passes_over_views_that_were_left():
    state = told(after(e.FixShown(), e.ViewShown("source")))
    state = reduce(reduce(state, e.SourceSought(search="LDG")), e.Back())
    assert state.view == "source" and state.source_query == e.Locate(1, finding="bank_conflicts")
    closed = reduce(state, e.Back())
    assert not closed.view and closed.has_card("fix", "bank_conflicts")
    left = reduce(reduce(closed, e.ViewShown("source")), e.ViewLeft())
    undone = reduce(left, e.Back())
    assert not undone.view and not undone.has_card("fix", "bank_conflicts")
    assert replay(undone.log) == undone


def test_looking_at_views_alone_is_nothing_to_undo():
    state = after(e.ViewShown("steps"), e.ViewLeft(), launch=None)
    assert not can_go_back(state) and reduce(state, e.Back()) is state


def test_a_session_with_views_replays_to_itself():
    state = reduce(told(after(e.ViewShown("proof"))), e.ViewShown("knowledge", "occupancy"))
    state = reduce(reduce(state, e.ViewLeft()), e.ViewShown("whatif"))
    assert replay(state.log) == state


def test_the_list_of_launches_asks_for_the_hot_lines_of_the_launch_whose_fix_saves_most_time():
    made = diagnosis()
    first = main_finding(made.launches[best_position(made.launches)])
    assert first is not None
    begun = e.Began(READ.paths, predict=False)
    listed = replay((begun, e.Opened(READ, made, replace(INDEX, placed=(first.id,)))))
    assert listed.place == "launches"
    assert [type(one).__name__ for one in listed.waiting] == ["Locate"]
