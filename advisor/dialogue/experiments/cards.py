"""A comparison and the log of versions, as cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.dialogue import face
from advisor.dialogue.cards import sentence
from advisor.dialogue.experiments import words
from advisor.dialogue.records import Card, Experiment, Line
from advisor.dialogue.state import State, main_finding
from advisor.model import ENDS, LaunchDiagnosis
from advisor.pipelines.compare.records import FindingChange, Pair
from advisor.pipelines.compare.words import amount, percent, plain_percent, times

_MOST: Final = 4
_STATES: Final = (("gone", words.GONE, "holds"), ("stayed", words.STAYED, "text"), ("came", words.CAME, "warning"))


def compared_card(pair: Pair, version: str, position: int) -> Card:
    """The time first and whether it is beyond noise; then the promise, what to do, findings, traps, what moved."""
    word = pair.judged.word if pair.judged is not None else "unknown"
    speed = "" if pair.judged is None else times(max(pair.judged.speedup, 1 / pair.judged.speedup))
    lines = [*_time(pair)]
    lines += [Line(sentence(item.text), "warning", words.CAREFUL) for item in pair.conditions]
    old, new = pair.base.launch.verdict, pair.current.launch.verdict
    kept = words.CLASS_AS_BEFORE.format(title=new.title)
    lines.append(Line(kept if old.id == new.id else f"{old.title} → {new.title}", "fact", words.CLASS))
    lines += [Line(sentence(pair.promise.text), "fact", words.PROMISE)] if pair.promise is not None else []
    lines.append(Line(sentence(pair.next.text), "strong", words.NEXT))
    lines += _findings(pair.findings)
    lines += [Line(sentence(trap.text), "quiet", words.TRAP) for trap in pair.traps]
    shown = [row for row in pair.metrics if row.shown][:_MOST]
    for row in shown:
        before, after = amount(row.before, row.unit), amount(row.after, row.unit)
        told = words.MOVED_TEXT.format(metric=row.metric, before=before, after=after)
        lines.append(Line(told, "quiet", words.MOVED if row is shown[0] else " "))
    title = words.JUDGED[word].format(speed=speed)
    return Card("compared", title, tuple(lines), position, version, words.COMPARED, version, detail=pair)


def _time(pair: Pair) -> list[Line]:
    sides = [amount(runs.times.median, "ns") if runs.times else "unknown" for runs in (pair.base, pair.current)]
    if pair.judged is None:
        return [Line(f"{sides[0]} → {sides[1]}", "unknown", words.TIME)]
    change, noise = percent(pair.judged.change), plain_percent(pair.judged.noise)
    told = words.TIMES.format(before=sides[0], after=sides[1], change=change, noise=noise)
    return [Line(told, "strong", words.TIME)]


def _findings(changes: tuple[FindingChange, ...]) -> list[Line]:
    lines = []
    for state, label, style in _STATES:
        for change in changes:
            if change.state == state and change.kind == "diagnosis":
                side = change.after or change.before
                gain = "" if side is None or side.speedup is None else f" ({face.gain_text(side.speedup)})"
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
    seen = words.SEEN if finding else words.SEEN_ONLY
    same = pair is not None and pair.judged is not None and pair.judged.word == "same"
    judged = pair.judged if pair is not None else None
    return Experiment(
        version=version,
        change=change,
        duration_ns=launch.duration_ns,
        ratio=judged.speedup if judged is not None else None,
        class_id=launch.verdict.id,
        finding=first.id if first is not None and finding else "",
        observation=seen.format(verdict=launch.verdict.title, finding=finding) + (words.SAME_SEEN if same else ""),
        next_step=_next(launch, pair),
    )


def _next(launch: LaunchDiagnosis, pair: Pair | None) -> str:
    first = main_finding(launch)
    title = first.title if first is not None and first.kind == "diagnosis" else ""
    if pair is not None:
        return words.ADVICE[pair.next.advice].format(title=title).rstrip(": ")
    fix = first.fix if first is not None else None
    return fix.summary if fix is not None else ""


def log_lines(state: State) -> tuple[Line, ...]:
    """The log, a block a version: time and ratio, the change, what was seen, what came next; then all together."""
    lines: list[Line] = []
    for row in state.experiments:
        ratio = "" if row.ratio is None else words.LOG_RATIO.format(ratio=row.ratio)
        lines.append(Line(f"{face.duration_text(row.duration_ns)}{ratio}", "strong", row.version))
        for label, text in (
            (words.LOG_CHANGE, row.change),
            (words.LOG_SEEN, row.observation),
            (words.LOG_NEXT, row.next_step),
        ):
            lines += [Line(text, "fact", label, 1)] if text else []
    if len(state.experiments) > 2:
        first, last = state.experiments[0], state.experiments[-1]
        if first.duration_ns and last.duration_ns:
            whole = first.duration_ns / last.duration_ns
            lines.append(Line(words.LOG_TOTAL_TEXT.format(ratio=whole, first=first.version), "strong", words.LOG_TOTAL))
    return tuple(lines)


def log_card(state: State) -> Card:
    """The log as a card."""
    lines = log_lines(state) or (Line(words.LOG_EMPTY, "quiet"),)
    return Card("log", words.LOG_TITLE, lines, state.position, label=words.LOG)


def past(card: Card, position: int) -> Card:
    """The card as one about a former version."""
    return replace(card, position=position, past=True)
