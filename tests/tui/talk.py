"""Talks to a session as a face would: lines in, all work done at once."""

from __future__ import annotations

from advisor.session import events as e
from advisor.session.executor import Executor
from advisor.session.language.understand import understand
from advisor.session.reducer import reduce
from advisor.session.state import State
from tui.factory import desk


def settle(state: State, at: Executor) -> State:
    """Performs all work that the state waits for."""
    while state.waiting:
        state = reduce(state, at.perform(state.waiting[0], state, lambda what, done, total: None))
    return state


def begin(*paths: str, at: Executor | None = None) -> tuple[State, Executor]:
    """A session at its start, with what performs its work."""
    at = at or desk()
    return settle(reduce(State(), e.Began(paths)), at), at


def look(state: State, position: int) -> State:
    """A launch, with its diagnosis shown at once: the question what is expected of it is passed over."""
    return reduce(reduce(state, e.LaunchSelected(position)), e.Skipped("expect"))


def say(state: State, at: Executor, *texts: str) -> State:
    """The state after these lines."""
    for text in texts:
        event = understand(text, state)
        assert event is not None, text
        state = settle(reduce(state, event), at)
    return state


def kinds(state: State) -> list[str]:
    """The kinds of the conversation's cards."""
    return [card.kind for card in state.conversation]
