"""The words of the experiment log and of the comparison after a fix.

A comparison and the log of versions, as cards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.compare.records import FindingChange, Pair
from advisor.compare.words import amount, percent, plain_percent, times
from advisor.records.diagnosis import ENDS, LaunchDiagnosis
from advisor.session import strings
from advisor.session.cards import sentence
from advisor.session.records import Card, Experiment, Line
from advisor.session.state import State, main_finding

VERSION: Final = "v{number}"


NEW: Final = "New version"


COMPARED: Final = "Compared"


JUDGED: Final = {
    "faster": "Faster: {speed} as fast",
    "slower": "Slower: it takes {speed} as long",
    "same": "No difference that could be told from noise",
    "unknown": "Without both times nothing can be said of faster or slower",
}


TIMES: Final = "{before} → {after} ({change}; noise {noise})"


TIME: Final = "Time"


CLASS: Final = "Class"


CLASS_AS_BEFORE: Final = "{title}, as before"


GONE: Final = "Gone"


STAYED: Final = "Stayed"


CAME: Final = "Came"


PROMISE: Final = "Promised"


NEXT: Final = "Next"


TRAP: Final = "Mind"


CAREFUL: Final = "Careful"


MOVED: Final = "Moved"


MOVED_TEXT: Final = "{metric}: {before} → {after}"


LOG: Final = "Log"


LOG_TITLE: Final = "The versions so far"


LOG_EMPTY: Final = (
    "There is one version so far. After a change give the new report (/compare REPORT), and it becomes a row here."
)


LOG_RATIO: Final = ", {ratio:.2f} times as fast as the version before"


LOG_CHANGE: Final = "Change"


LOG_SEEN: Final = "Seen"


LOG_NEXT: Final = "Next"


LOG_TOTAL: Final = "Together"


LOG_TOTAL_TEXT: Final = "{ratio:.2f} times as fast as {first}"


SEEN: Final = "{verdict}; {finding}"


SEEN_ONLY: Final = "{verdict}"


SAME_SEEN: Final = "; no difference in time beyond noise"


ADVICE: Final = {
    "go_on": "go on: {title}",
    "stop": "stop",
    "go_back": "take the change back",
    "look": "look at what differs first",
}


BEGUN: Final = "The numbers of {version} are kept. Type those of the new version: what is asked is asked anew."


NO_MATCH: Final = "{report} holds no launch of {kernel}: name the launch that is meant as {report}#N"


NOT_COMPARED: Final = "The new version is not concluded yet: give its numbers first."


NO_INDEX: Final = "{report} has no launch {launch}: they count from 0 to {highest}"


OF_REPORT: Final = "A new version of a report is a new report: /compare FILE. /version is for typed numbers."


_MOST: Final = 4


_STATES: Final = (("gone", GONE, "holds"), ("stayed", STAYED, "text"), ("came", CAME, "warning"))


def compared_card(pair: Pair, version: str, position: int) -> Card:
    """The time first and whether it is beyond noise; then the promise, what to do, findings, traps, what moved."""
    word = pair.judged.word if pair.judged is not None else "unknown"
    speed = "" if pair.judged is None else times(max(pair.judged.speedup, 1 / pair.judged.speedup))
    lines = [*_time(pair)]
    lines += [Line(sentence(item.text), "warning", CAREFUL) for item in pair.conditions]
    old, new = pair.base.launch.verdict, pair.current.launch.verdict
    kept = CLASS_AS_BEFORE.format(title=new.title)
    lines.append(Line(kept if old.id == new.id else f"{old.title} → {new.title}", "fact", CLASS))
    lines += [Line(sentence(pair.promise.text), "fact", PROMISE)] if pair.promise is not None else []
    lines.append(Line(sentence(pair.next.text), "strong", NEXT))
    lines += _findings(pair.findings)
    lines += [Line(sentence(trap.text), "quiet", TRAP) for trap in pair.traps]
    shown = [row for row in pair.metrics if row.shown][:_MOST]
    for row in shown:
        before, after = amount(row.before, row.unit), amount(row.after, row.unit)
        told = MOVED_TEXT.format(metric=row.metric, before=before, after=after)
        lines.append(Line(told, "quiet", MOVED if row is shown[0] else " "))
    title = JUDGED[word].format(speed=speed)
    return Card("compared", title, tuple(lines), position, version, COMPARED, version, detail=pair)


def _time(pair: Pair) -> list[Line]:
    sides = [amount(runs.times.median, "ns") if runs.times else "unknown" for runs in (pair.base, pair.current)]
    if pair.judged is None:
        return [Line(f"{sides[0]} → {sides[1]}", "unknown", TIME)]
    change, noise = percent(pair.judged.change), plain_percent(pair.judged.noise)
    told = TIMES.format(before=sides[0], after=sides[1], change=change, noise=noise)
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
    seen = SEEN if finding else SEEN_ONLY
    same = pair is not None and pair.judged is not None and pair.judged.word == "same"
    judged = pair.judged if pair is not None else None
    return Experiment(
        version=version,
        change=change,
        duration_ns=launch.duration_ns,
        ratio=judged.speedup if judged is not None else None,
        class_id=launch.verdict.id,
        finding=first.id if first is not None and finding else "",
        observation=seen.format(verdict=launch.verdict.title, finding=finding) + (SAME_SEEN if same else ""),
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
        ratio = "" if row.ratio is None else LOG_RATIO.format(ratio=row.ratio)
        lines.append(Line(f"{strings.duration_text(row.duration_ns)}{ratio}", "strong", row.version))
        for label, text in (
            (LOG_CHANGE, row.change),
            (LOG_SEEN, row.observation),
            (LOG_NEXT, row.next_step),
        ):
            lines += [Line(text, "fact", label, 1)] if text else []
    if len(state.experiments) > 2:
        first, last = state.experiments[0], state.experiments[-1]
        if first.duration_ns and last.duration_ns:
            whole = first.duration_ns / last.duration_ns
            lines.append(Line(LOG_TOTAL_TEXT.format(ratio=whole, first=first.version), "strong", LOG_TOTAL))
    return tuple(lines)


def log_card(state: State) -> Card:
    """The log as a card."""
    lines = log_lines(state) or (Line(LOG_EMPTY, "quiet"),)
    return Card("log", LOG_TITLE, lines, state.position, label=LOG)


def past(card: Card, position: int) -> Card:
    """The card as one about a former version."""
    return replace(card, position=position, past=True)
