"""The words of the experiment log and of the comparison after a fix.

A comparison and the log of versions, as cards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.compare.records import FindingChange, Pair
from advisor.records.diagnosis import ENDS, LaunchDiagnosis
from advisor.session import strings
from advisor.session.cards import sentence
from advisor.session.records import Card, Experiment, Line
from advisor.session.state import State, main_finding
from advisor.view.numbers import amount_text, change_text, share_text, speedup_text

VERSION: Final = "v{number}"


NEW: Final = "New version"


JUDGED: Final = {
    "faster": "Faster: {speed} as fast",
    "slower": "Slower: it takes {speed} as long",
    "same": "No difference that could be told from noise",
    "unknown": "Without both times nothing can be said of faster or slower",
}


TIME: Final = "Time"


ADVICE: Final = {
    "go_on": "go on: {title}",
    "stop": "stop",
    "go_back": "take the change back",
    "look": "look at what differs first",
}


NOT_COMPARED: Final = "The new version is not concluded yet: give its numbers first."


_MOST: Final = 4


_STATES: Final = (("gone", "Gone", "holds"), ("stayed", "Stayed", "text"), ("came", "Came", "warning"))


def compared_card(pair: Pair, version: str, position: int) -> Card:
    """The time first and whether it is beyond noise; then the promise, what to do, findings, traps, what moved."""
    word = pair.judged.word if pair.judged is not None else "unknown"
    speed = "" if pair.judged is None else speedup_text(max(pair.judged.speedup, 1 / pair.judged.speedup))
    lines = [*_time(pair)]
    lines += [Line(sentence(item.text), "warning", "Careful") for item in pair.conditions]
    old, new = pair.base.launch.verdict, pair.current.launch.verdict
    kept = f"{new.title}, as before"
    lines.append(Line(kept if old.id == new.id else f"{old.title} → {new.title}", "fact", "Class"))
    lines += [Line(sentence(pair.promise.text), "fact", "Promised")] if pair.promise is not None else []
    lines.append(Line(sentence(pair.next.text), "strong", "Next"))
    lines += _findings(pair.findings)
    lines += [Line(sentence(trap.text), "quiet", "Mind") for trap in pair.traps]
    shown = [row for row in pair.metrics if row.shown][:_MOST]
    for row in shown:
        before, after = amount_text(row.before, row.unit), amount_text(row.after, row.unit)
        told = f"{row.metric}: {before} → {after}"
        lines.append(Line(told, "quiet", "Moved" if row is shown[0] else " "))
    title = JUDGED[word].format(speed=speed)
    return Card("compared", title, tuple(lines), position, version, "Compared", version, detail=pair)


def _time(pair: Pair) -> list[Line]:
    sides = [amount_text(runs.times.median, "ns") if runs.times else "unknown" for runs in (pair.base, pair.current)]
    if pair.judged is None:
        return [Line(f"{sides[0]} → {sides[1]}", "unknown", TIME)]
    change, noise = change_text(pair.judged.change), share_text(pair.judged.noise)
    told = f"{sides[0]} → {sides[1]} ({change}; noise {noise})"
    return [Line(told, "strong", TIME)]


def _findings(changes: tuple[FindingChange, ...]) -> list[Line]:
    lines = []
    for state, label, style in _STATES:
        for change in changes:
            if change.state == state and change.kind == "diagnosis":
                side = change.after or change.before
                gain = "" if side is None or side.speedup is None else f" ({strings.gain_text(side.speedup)})"
                gain = "" if state == "gone" else gain
                text = f"; {change.text}" if change.text else ""
                # A limit that is reached is what was wanted.
                shown = "holds" if state == "came" and change.id in ENDS else style
                lines.append(Line(f"{change.title}{gain}{text}", shown, label))
    return lines


def row_of(launch: LaunchDiagnosis, version: str, change: str = "", pair: Pair | None = None) -> Experiment:
    """A version as a row of the log; `pair`: its comparison with the version before."""
    first = main_finding(launch)
    finding = first.title if first is not None and first.kind == "diagnosis" else ""
    seen = "{verdict}; {finding}" if finding else "{verdict}"
    same = pair is not None and pair.judged is not None and pair.judged.word == "same"
    judged = pair.judged if pair is not None else None
    return Experiment(
        version=version,
        change=change,
        duration_ns=launch.duration_ns,
        ratio=judged.speedup if judged is not None else None,
        class_id=launch.verdict.id,
        finding=first.id if first is not None and finding else "",
        observation=seen.format(verdict=launch.verdict.title, finding=finding)
        + ("; no difference in time beyond noise" if same else ""),
        next_step=_next(launch, pair),
    )


def _next(launch: LaunchDiagnosis, pair: Pair | None) -> str:
    first = main_finding(launch)
    title = first.title if first is not None and first.kind == "diagnosis" else ""
    if pair is not None:
        return ADVICE[pair.next.advice].format(title=title).rstrip(": ")
    fix = first.fix if first is not None else None
    return fix.summary if fix is not None else ""


def log_lines(state: State) -> tuple[Line, ...]:
    """The log, a block a version: time and ratio, the change, what was seen, what came next; then all together."""
    lines: list[Line] = []
    for row in state.experiments:
        ratio = "" if row.ratio is None else f", {row.ratio:.2f} times as fast as the version before"
        lines.append(Line(f"{strings.duration_text(row.duration_ns)}{ratio}", "strong", row.version))
        for label, text in (
            ("Change", row.change),
            ("Seen", row.observation),
            ("Next", row.next_step),
        ):
            lines += [Line(text, "fact", label, 1)] if text else []
    if len(state.experiments) > 2:
        first, last = state.experiments[0], state.experiments[-1]
        if first.duration_ns and last.duration_ns:
            whole = first.duration_ns / last.duration_ns
            lines.append(Line(f"{whole:.2f} times as fast as {first.version}", "strong", "Together"))
    return tuple(lines)


def log_card(state: State) -> Card:
    """The log as a card."""
    lines = log_lines(state) or (
        Line(
            (
                "There is one version so far. After a change give the new report (/compare REPORT), and it "
                "becomes a row here."
            ),
            "quiet",
        ),
    )
    return Card("log", "The versions so far", lines, state.position, label="Log")


def past(card: Card, position: int) -> Card:
    """The card as one about a former version."""
    return replace(card, position=position, past=True)
