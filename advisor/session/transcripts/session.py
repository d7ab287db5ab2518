"""The saving of one running program: what /save writes, and the session of the moment as it is kept by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from advisor.session.executor import Desk, Sources
from advisor.session.state import State
from advisor.session.transcripts.attachments import Memory
from advisor.session.transcripts.autosave import CLOSING_S, Keeper, Writer, writer
from advisor.session.transcripts.sandbox import Stage


class Saving:
    """Follows the session of a program, also where another one takes its place. place: the folder, the user's own where
    None; problem: told one line, once, in another thread, when a session cannot be kept.
    """

    def __init__(
        self,
        knowledge: tuple[Path, ...] = (),
        *,
        place: Path | None = None,
        problem: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.memory = Memory(knowledge)
        self.problem = problem
        self._place = place
        self._keeper: Keeper | None = None

    def sources(self, live: Sources, others: Mapping[str, Writer] | None = None) -> Sources:
        """The sources with what is read remembered and Write done. others: what writes the other kinds of files."""
        return replace(self.memory.watching(live), write=writer(self.memory, others))

    def keep(self, state: State) -> None:
        """Save the session as it is now, soon; costs next to nothing."""
        if self._keeper is None:
            self._keeper = Keeper(self.memory, place=self._place, problem=lambda text: self.problem(text))
        self._keeper.keep(state)

    def go_on(self, state: State, desk: Desk) -> None:
        """A session that was replayed is the user's from now on; from its end on it is the same one, else a new one."""
        self.close()
        if isinstance(desk, Stage):
            self.memory.take(desk.memory)
            same = desk.kept if desk.end is state else ""
            self._keeper = Keeper(self.memory, place=self._place, problem=self.problem, continued=same)
        self.keep(state)

    def flush(self, seconds: float = CLOSING_S) -> bool:
        """Wait until all is saved, for so long; whether it is."""
        return self._keeper is None or self._keeper.flush(seconds)

    def close(self) -> None:
        """The session is over: save what is left of it and let go of it."""
        if self._keeper is not None:
            self._keeper.close()
            self._keeper = None
