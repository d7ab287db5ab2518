"""Conclusions as data (ids, numbers and gains, never sentences), and the entries of a transcript made from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec import Struct, structs

from advisor.records.diagnosis import Diagnosis, Finding, LaunchDiagnosis, Speedup
from advisor.session import events as e
from advisor.session.interview.choosing import open_questions
from advisor.session.records import NapkinResult, Proved
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.session.transcripts.format import Entry, Scrubber, with_paths
from advisor.view.pages.answers.parts import Answered

_DIGITS: Final = 3
_ALIKE: Final = 0.011  # Numbers are kept to three digits; the last digit may differ by rounding.
_NEAR_ZERO: Final = 1e-9
# Cards that contain a conclusion; the words of the others may change.
_CARDS: Final = ("trust", "finding", "fix", "evidence", "proof", "napkin", "missing", "compared", "timeline", "error")
# Requests whose name in a transcript differs from their class.
_CALLED: Final[dict[type, str]] = {
    e.Explain: "look",
    e.Estimate: "reckon",
    e.CompareVersion: "renew",
    e.BuildCollectCommand: "gather",
}
_MOST: Final = 400  # maximum items of a list that are written
# Requests for data outside the knowledge base: a failure depends on the machine, so it is recorded.
OUTSIDE = (e.Read, e.CompareVersion, e.Trace, e.Write, e.Practise, e.Locate, e.BuildCollectCommand)
_FREE_TEXT: Final = ("said", "text", "because", "change", "search", "subject", "meant", "remark")

Record = Mapping[str, Any]


def summary(state: State) -> dict[str, Any]:
    """Return the state of the session, with a key for each part; only changed parts are written after an action."""
    out: dict[str, Any] = {"place": state.place}
    launch = state.launch
    if state.diagnosis is not None:
        out["launches"] = [_brief(one) for one in state.diagnosis.launches[:_MOST]]
    if launch is not None and state.place != "launches":
        out |= {
            "position": state.position,
            "class": launch.verdict.id,
            "findings": [finding(one) for one in launch.findings],
            # Without a report nearly all metrics are missing, and each answer shortens the list.
            "missing": None if state.numbers else sorted(m.metric for m in launch.missing),
            "questions": [ask.id for ask in open_questions(state)],
        }
    parts = {
        "finding": state.finding,
        "asks": "" if state.ask is None else state.ask.id,
        "step": state.step,
        "view": state.view,
        "stalled": "" if state.stalled is None else _name(state.stalled),
        "experiments": [_experiment(row) for row in state.experiments],
        "expected": [[place, bound] for place, bound in state.expected],
    }
    return {name: value for name, value in (out | parts).items() if value or name == "position"}


def _name(request: e.Request) -> str:
    """Return the kind of a request as transcripts write it."""
    return _CALLED.get(type(request), type(request).__name__.casefold())


def _brief(launch: LaunchDiagnosis) -> dict[str, Any]:
    first = next((f.id for f in launch.findings if f.kind == "diagnosis"), "")
    return {"kernel": launch.kernel, "class": launch.verdict.id} | ({"first": first} if first else {})


def finding(one: Finding) -> dict[str, Any]:
    """Return a finding: kind, confidence, gain, and the numbers that it depends on."""
    out: dict[str, Any] = {"id": one.id, "kind": one.kind, "confidence": number(one.confidence), "rules": [*one.rules]}
    if one.speedup is not None:
        out["speedup"] = _speedup(one.speedup)
    evidence: dict[str, dict[str, Any]] = {}
    for item in one.evidence:
        evidence.setdefault(item.observation, {})[item.metric] = number(item.value)
    return out | ({"evidence": evidence} if evidence else {})


def _speedup(gain: Speedup) -> dict[str, Any]:
    numbers = {"estimate": number(gain.estimate), "low": number(gain.low), "high": number(gain.high)}
    return numbers | ({"next_limiter": gain.next_limiter} if gain.next_limiter else {})


def _experiment(row: Any) -> dict[str, Any]:
    out = {"version": row.version, "class": row.class_id, "finding": row.finding, "ratio": number(row.ratio)}
    return {name: value for name, value in out.items() if value not in (None, "")}


def number(value: Any) -> Any:
    """Return a number rounded to three digits; None for one that is not finite, other values as they are."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    if not math.isfinite(value):
        return None
    if not value:
        return 0
    try:
        rounded = round(value, _DIGITS - 1 - math.floor(math.log10(abs(value))))
    except OverflowError:  # close to the largest float
        return value
    return int(rounded) if float(rounded).is_integer() and abs(rounded) < 1e15 else rounded


def result_of(outcome: e.Outcome) -> dict[str, Any] | None:
    """Return the result of a request; None if the summary already contains it or nothing was concluded."""
    if isinstance(outcome, e.Failed):
        return {"failed": _name(outcome.request)}
    if not isinstance(outcome, e.Completed):
        return None
    request, result = outcome.request, outcome.result
    match request:
        case e.Prove(what="how" | "why") if isinstance(result, Proved):
            flips = [[f.metric, number(f.turns_at)] for f in result.flips[:_MOST]]
            return {"how": request.finding, "rules": [rule.rule_id for rule in result.proof.rules], "flips": flips}
        case e.Prove():
            return {"whynot": request.finding, "rules": _blocked(result)}
        case e.Suppose() if isinstance(result, LaunchDiagnosis):
            values = {name: number(value) for name, value in request.values}
            findings = [_gain(one) for one in result.findings]
            return {"whatif": values, "class": result.verdict.id, "findings": findings}
        case e.Estimate() if isinstance(result, NapkinResult):
            return {"napkin": request.algorithm, "answers": {name: number(v) for name, v in result.answers}}
        case e.Explain():
            return {"explain": request.word}
        case e.CompareVersion():
            return _compared(result)
        case e.Trace():
            return _traced(result)
        case e.BuildCollectCommand():
            return {"collect": True}
        case e.AnswerQuestion() if isinstance(result, Answered):
            return {"answered": result.meaning.intent, "verdict": result.answer.truth}
    return None


def _gain(one: Finding) -> dict[str, Any]:
    return {"id": one.id} | ({} if one.speedup is None else {"estimate": number(one.speedup.estimate)})


def _blocked(rules: Any) -> dict[str, Any]:
    out = {}
    for rule in rules if isinstance(rules, tuple) else ():
        parts = {name: sorted({c.name for c in getattr(rule, name)}) for name in ("failing", "unknown", "blocking")}
        out[rule.rule_id] = {name: names for name, names in parts.items() if names} | (
            {"fired": True} if rule.fired else {}
        )
    return out


def _compared(result: Any) -> dict[str, Any]:
    after = getattr(result, "diagnosis", None)
    out: dict[str, Any] = {"report": [_brief(one) for one in after.launches] if isinstance(after, Diagnosis) else []}
    pairs = getattr(getattr(result, "compared", None), "pairs", ())
    if pairs:
        pair = pairs[0]
        judged = pair.judged
        moved = {f.id: f.state for f in pair.findings}
        out |= {"findings": moved, "next": [pair.next.advice, pair.next.finding]}
        if judged is not None:
            out["time"] = {"word": judged.word, "ratio": number(judged.speedup)}
    return {"compared": out}


def _traced(result: Any) -> dict[str, Any]:
    gpus = [
        {
            "decision": one.decision.id,
            "patterns": [_gain(pattern.finding) for pattern in one.patterns],
            "target": "" if one.target is None else one.target.short,
        }
        for one in getattr(result, "gpus", ())
    ]
    return {"timeline": gpus}


def cards(before: State, after: State) -> list[str]:
    """Return the new cards with conclusions, each as its kind and its subject."""
    same = 0
    for old, new in zip(before.cards, after.cards, strict=False):
        if old is not new and old != new:
            break
        same += 1
    return [f"{c.kind} {c.finding}".strip() for c in after.cards[same:] if c.kind in _CARDS]


def change(before: Record, after: Record) -> dict[str, Any]:
    """Return the parts of a summary that changed, with None for a removed part."""
    names = [*after, *(name for name in before if name not in after)]
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}


class Difference(Struct, frozen=True):
    """One place where two records differ: the expected value and the actual one, None for a missing one."""

    place: str
    expected: Any
    came: Any


def differences(expected: Any, came: Any, place: str = "") -> tuple[Difference, ...]:
    """Return the places where two records differ beyond rounding; items of lists are matched by ids if present."""
    return tuple(_differ(expected, came, place))


def _differ(expected: Any, came: Any, place: str) -> Iterable[Difference]:
    if isinstance(expected, dict) and isinstance(came, dict):
        for name in sorted({*expected, *came}, key=str):
            yield from _differ(expected.get(name), came.get(name), f"{place}.{name}" if place else str(name))
    elif isinstance(expected, list | tuple) and isinstance(came, list | tuple):
        yield from _lists(expected, came, place)
    elif not _same(expected, came):
        yield Difference(place, expected, came)


def _lists(expected: Sequence[Any], came: Sequence[Any], place: str) -> Iterable[Difference]:
    old, new = _ids(expected), _ids(came)
    if old is not None and new is not None:
        if list(old) != list(new):
            yield Difference(place, list(old), list(new))
        for name in old:
            if name in new:
                yield from _differ(old[name], new[name], f"{place}.{name}")
    elif len(expected) != len(came):
        yield Difference(place, expected, came)
    else:
        for at, (one, other) in enumerate(zip(expected, came, strict=True)):
            yield from _differ(one, other, f"{place}[{at}]")


def _ids(items: Sequence[Any]) -> dict[str, Any] | None:
    """Return the items by id, None if an id is missing or occurs twice."""
    found = {item["id"]: item for item in items if isinstance(item, dict) and isinstance(item.get("id"), str)}
    return found if len(found) == len(items) and items else None


def _same(one: Any, other: Any) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (one, other))
    return math.isclose(one, other, rel_tol=_ALIKE, abs_tol=_NEAR_ZERO) if numbers else bool(one == other)


@dataclass
class Span:
    """A user event, the outcomes after it, and the states before the event and after the outcomes."""

    event: e.UserEvent
    before: State
    after: State
    outcomes: list[e.Outcome] = field(default_factory=list)


def scrubbed(event: e.UserEvent, scrubber: Scrubber) -> e.UserEvent:
    """Return the event without home folders, user and host names in its paths and free texts; ids stay."""
    changes: dict[str, Any] = {}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        if name in _FREE_TEXT:
            changes[name] = scrubber.text(value) if isinstance(value, str) else tuple(map(scrubber.text, value))
        elif name == "arguments":
            changes[name] = tuple((key, scrubber.text(text)) for key, text in value)
    return structs.replace(with_paths(event, scrubber.path), **changes)


def entry_of(span: Span, last: bool, scrubber: Scrubber) -> Entry:
    """Return the entry of a user event. last: no event follows, so all of its requests must finish."""
    early = bool(span.after.waiting) and not last
    failed = {
        at: scrubber.text(outcome.message)
        for at, outcome in enumerate(span.outcomes)
        if isinstance(outcome, e.Failed) and isinstance(outcome.request, OUTSIDE)
    }
    record = concluded(span.before, span.after, span.outcomes)
    return Entry(
        scrubbed(span.event, scrubber), len(span.outcomes) if early else None, failed, _kernels(record, scrubber)
    )


def concluded(before: State, after: State, outcomes: Sequence[e.Outcome]) -> dict[str, Any]:
    """Return the changes of an event, with the results of its requests and the new cards."""
    record = change(summary(before), summary(after))
    results = [item for item in map(result_of, outcomes) if item is not None]
    new = cards(before, after)
    return record | ({"told": results} if results else {}) | ({"cards": new} if new else {})


def _kernels(record: Any, scrubber: Scrubber) -> Any:
    """Return the record with the names of kernels scrubbed."""
    if isinstance(record, dict):
        return {
            key: scrubber.text(value)
            if key in ("kernel", "target") and isinstance(value, str)
            else _kernels(value, scrubber)
            for key, value in record.items()
        }
    return [_kernels(item, scrubber) for item in record] if isinstance(record, list) else record


class Recorder:
    """Follows a session's log as it grows, or shrinks by undo."""

    def __init__(self, scrubber: Scrubber) -> None:
        self._scrubber = scrubber
        self._log: tuple[e.Event, ...] = ()
        self._spans: list[Span] = []
        self._entries: list[Entry] = []  # entries of all spans except the last, whose requests may still be open

    def entries(self, log: tuple[e.Event, ...]) -> tuple[Entry, ...]:
        """Return the entries of the whole log."""
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
