"""A session driven from a test: lines as they are typed, on the factory's data or on real ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tui.factory import sources as made_up

from advisor.session import events as e
from advisor.session.executor import Executor, Sources
from advisor.session.language.understand import understand
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.session.transcripts.attachments import Memory
from advisor.session.transcripts.autosave import Saving
from advisor.session.transcripts.player import settle

CSV = Path(__file__).parents[2] / "data" / "tour_raw.csv.xz"


@dataclass
class Talk:
    """What is said is done at once. saving: kept in this folder by itself, where one is given."""

    sources: Sources = field(default_factory=made_up)
    place: Path | None = None
    state: State = field(default_factory=State)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.saving = Saving(place=self.place or Path("unused"), problem=self.problems.append)
        self.desk = Executor(self.saving.sources(self.sources))

    @property
    def memory(self) -> Memory:
        return self.saving.memory

    def do(self, event: e.Event) -> Talk:
        after = reduce(self.state, event)
        assert after is not self.state, f"nothing came of {event}"
        self.state, _ = settle(after, self.desk)
        if self.place is not None:
            self.saving.keep(self.state)
        return self

    def begin(self, *paths: str) -> Talk:
        return self.do(e.Began(paths))

    def say(self, *lines: str) -> Talk:
        for line in lines:
            event = understand(line, self.state)
            assert event is not None and not isinstance(event, e.NotUnderstood), (line, event)
            self.do(event)
        return self


def real(place: Path | None = None) -> Talk:
    """On the real sources."""
    from advisor.session.executor import sources

    return Talk(sources(), place)
