"""A session without a face: deeds in, all work done at once, states out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from advisor.dialogue import deeds as d
from advisor.dialogue import events as e
from advisor.dialogue.desk import Desk
from advisor.dialogue.reducer import reduce
from advisor.dialogue.state import State
from advisor.dialogue.transcripts.form import Entry

_MOST_OUTCOMES: Final = 200  # of one deed: more would mean that work asks for work without end
Watch = Callable[[str, int, int], None]


def quiet(what: str, done: int, total: int) -> None:
    """Nobody watches the progress."""


def settle(
    state: State, desk: Desk, entry: Entry | None = None, watch: Watch = quiet
) -> tuple[State, tuple[e.Outcome, ...]]:
    """The state after the work that it waits for, and the outcomes; of an entry: as many as came then, and failures as
    they were.
    """
    most = _MOST_OUTCOMES if entry is None or entry.settled is None else min(entry.settled, _MOST_OUTCOMES)
    failed = {} if entry is None else entry.failed
    outcomes: list[e.Outcome] = []
    while state.waiting and len(outcomes) < most:
        request, at = state.waiting[0], len(outcomes)
        outcome = e.Failed(request, failed[at]) if at in failed else desk.perform(request, state, watch)
        after = reduce(state, outcome)
        if after is state:
            break
        state = after
        outcomes.append(outcome)
    return state, tuple(outcomes)


def deed_of(entry: Entry, state: State) -> d.Deed | None:
    """The entry's deed in this state; None where nothing is there to be called off."""
    if entry.deed is not None:
        return entry.deed
    return e.Cancelled(state.waiting[0]) if state.waiting else None


def do(state: State, entry: Entry, desk: Desk, watch: Watch = quiet) -> tuple[State, tuple[e.Outcome, ...]]:
    """The state after an entry's deed and its work, and the outcomes."""
    deed = deed_of(entry, state)
    return settle(state if deed is None else reduce(state, deed), desk, entry, watch)
