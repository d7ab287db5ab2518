"""Sessions on real sources, driven as a face would: what the tests of the method and of experiments share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from advisor.records import resources
from advisor.session import events as e
from advisor.session.executor import Executor, sources
from advisor.session.reducer import reduce
from advisor.session.services import knowledge_index
from advisor.session.state import State
from tests.changed import replace


def quiet(what: str, done: int, total: int) -> None:
    """No progress wanted."""


class Session:
    """A state and the desk that works for it."""

    def __init__(self, desk: Executor | None = None) -> None:
        self.desk = desk or Executor(replace(sources(), knowledge=INDEX))
        self.state = State()

    def do(self, *deeds: e.Event) -> State:
        """The events one by one, each with all work that it brings done."""
        for deed in deeds:
            self.state = reduce(self.state, deed)
            while self.state.waiting:
                outcome = self.desk.perform(self.state.waiting[0], self.state, quiet)
                self.state = reduce(self.state, outcome)
        return self.state

    @property
    def last(self) -> Any:
        """The newest card."""
        return self.state.cards[-1]

    def texts(self) -> list[str]:
        """The lines of the newest card."""
        return [line.text for line in self.last.lines]

    def launch(self, position: int) -> State:
        """A launch looked at and its conclusion shown, without a word about what was expected."""
        state = self.do(e.LaunchSelected(position))
        return state if state.has_card("class") else self.do(e.Expected(None, again=False), *self._skip())

    def _skip(self) -> tuple[e.Event, ...]:
        return () if self.state.ask is None else (e.Skipped(self.state.ask.id),)


_INDEX = knowledge_index()


def INDEX() -> Any:  # noqa: N802  (a source that is a constant)
    """The real index, read once."""
    return _INDEX


def recorded(exercise: str) -> str:
    """The bundled report of an exercise."""
    return str(resources.folder("kernels") / exercise / "recorded" / "h200" / "profile.ncu-rep.xz")


def on(analysis: Any, *, predict: bool = True) -> Session:
    """A session on an analysis that is there already."""
    made = Session(Executor(replace(sources(), knowledge=INDEX, analyse=lambda *_: analysis)))
    made.do(e.Began(("tour.ncu-rep",), predict=predict))
    return made


def answer_all(session: Session, values: dict[str, float | str], most: int = 90) -> State:
    """An interview with these numbers; whatever else is asked is not known."""
    for _ in range(most):
        ask = session.state.ask
        if ask is None:
            break
        if ask.group == "expect":
            session.do(e.Expected(None))
        elif ask.group == "napkin":
            session.do(e.Skipped(ask.id))
        elif ask.kind == "page":
            known = tuple((row.id, float(values[row.id])) for row in ask.rows if row.id in values)
            session.do(e.PageRead(ask.id, known) if known else e.Answered(ask.id, None))
        else:
            session.do(e.Answered(ask.id, values.get(ask.id)))
    return session.state


def trace(planted: Any, folder: Path) -> str:
    """A planted trace as a file."""
    return str(planted.write(folder / "planted.sqlite"))
