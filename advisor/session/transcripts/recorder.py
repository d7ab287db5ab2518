"""From the log of a session to the entries of a transcript; what was done before is not gone through again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from advisor.session import events as d
from advisor.session import events as e
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.session.transcripts import conclusions
from advisor.session.transcripts.scrub import Scrubber
from advisor.session.transcripts.serialize import Entry, verb_of

# Work on what lies outside the knowledge base: whether it fails depends on the machine, so a failure is written down.
OUTSIDE = (e.Read, e.Renew, e.Trace, e.Write, e.Practise, e.Locate, e.Gather)
_FREE_TEXT = frozenset({"said", "text", "because", "change", "search", "subject"})


@dataclass
class Span:
    """A deed, the outcomes after it, and the states before it and after them."""

    deed: d.Deed
    before: State
    after: State
    outcomes: list[e.Outcome] = field(default_factory=list)


def scrubbed(deed: d.Deed, scrubber: Scrubber) -> d.Deed:
    """The deed without home folders, user and host names in its free texts; ids stay."""
    changes: dict[str, Any] = {}
    for name in deed.__dataclass_fields__:
        value = getattr(deed, name)
        if name in ("path",) and isinstance(value, str):
            changes[name] = scrubber.path(value)
        elif name in ("paths", "traces"):
            changes[name] = tuple(map(scrubber.path, value))
        elif name in _FREE_TEXT and isinstance(value, str):
            changes[name] = scrubber.text(value)
        elif name == "meant":
            changes[name] = tuple(map(scrubber.text, value))
        elif name == "arguments":
            changes[name] = tuple((key, scrubber.text(text)) for key, text in value)
    return replace(deed, **changes) if changes else deed


def entry_of(span: Span, last: bool, scrubber: Scrubber) -> Entry:
    """The entry of a deed. last: nothing was done after it, so its work is waited for."""
    deed = None if isinstance(span.deed, e.Cancelled) else scrubbed(span.deed, scrubber)
    early = bool(span.after.waiting) and not last
    failed = {
        at: scrubber.text(outcome.message)
        for at, outcome in enumerate(span.outcomes)
        if isinstance(outcome, e.Failed) and isinstance(outcome.request, OUTSIDE)
    }
    record = concluded(span.before, span.after, span.outcomes)
    return Entry(verb_of(span.deed), deed, len(span.outcomes) if early else None, failed, _kernels(record, scrubber))


def concluded(before: State, after: State, outcomes: Sequence[e.Outcome]) -> dict[str, Any]:
    """What a deed changed, with what was told to it and the cards that came."""
    record = conclusions.change(conclusions.standing(before), conclusions.standing(after))
    told = [item for item in map(conclusions.told, outcomes) if item is not None]
    cards = conclusions.cards(before, after)
    return record | ({"told": told} if told else {}) | ({"cards": cards} if cards else {})


def _kernels(record: Any, scrubber: Scrubber) -> Any:
    """The record with the names of kernels scrubbed as those of the launches are."""
    if isinstance(record, dict):
        return {
            key: scrubber.text(value)
            if key in ("kernel", "target") and isinstance(value, str)
            else _kernels(value, scrubber)
            for key, value in record.items()
        }
    return [_kernels(item, scrubber) for item in record] if isinstance(record, list) else record


class Recorder:
    """Follows a session's log as it grows, or shrinks when something is undone."""

    def __init__(self, scrubber: Scrubber) -> None:
        self._scrubber = scrubber
        self._log: tuple[e.Event, ...] = ()
        self._spans: list[Span] = []
        self._entries: list[Entry] = []  # of all spans but the last, whose work may not be done yet
        self._before = State()

    def entries(self, log: tuple[e.Event, ...]) -> tuple[Entry, ...]:
        """The entries of the whole log."""
        same = len(self._log)
        if len(log) < same or any(old is not new for old, new in zip(self._log, log, strict=False)):
            self._spans, self._entries, same = [], [], 0
        for event in log[same:]:
            self._add(event)
        self._log = log
        while len(self._entries) < len(self._spans) - 1:
            self._entries.append(entry_of(self._spans[len(self._entries)], False, self._scrubber))
        last = [entry_of(self._spans[-1], True, self._scrubber)] if self._spans else []
        return (*self._entries, *last)

    def _add(self, event: e.Event) -> None:
        state = self._spans[-1].after if self._spans else State()
        after = reduce(state, event)
        if isinstance(event, e.OUTCOMES):
            if self._spans:
                self._spans[-1].outcomes.append(event)
                self._spans[-1].after = after
        elif not isinstance(event, e.Back):
            self._spans.append(Span(event, state, after))
