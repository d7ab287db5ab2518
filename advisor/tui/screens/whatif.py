"""The what-if screen: the user tries other metric values and sees which conclusions change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content

from advisor.knowledge.base import metric_title
from advisor.knowledge.schemas import checked, most_of
from advisor.records.diagnosis import LaunchDiagnosis, Speedup, main_finding
from advisor.records.errors import UsageError
from advisor.records.quantities import parse_metric
from advisor.session import events as e
from advisor.session.language.names import pick
from advisor.session.records import KnowledgeIndex, Proved
from advisor.session.state import State
from advisor.session.views import requests_of
from advisor.tui.drawing import styled
from advisor.tui.screens.base import PanelScreen, hidden
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.lists import Rows
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import Banner, Note
from advisor.view.numbers import amount_text, short_gain_text
from advisor.view.pages.answers.occupancy import beyond_theoretical

_HEADS: Final = ("Metric", "Measured", "Tried", "Flips at")

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_MORE: Final = 6  # maximum number of extra digits; values that differ only in further digits count as equal
_DIGITS: Final = 6  # significant digits of a stepped value; more would clutter a transcript
_BEYOND: Final = 1e-3  # distance of a jump beyond a flip value, as a share of that value
_VISIBLE: Final = 0.005  # smallest change of a gain that is visible
# Change of a conclusion -> its sign, always shown with a word, and its style.
SIGNS: Final = {"stays": "=", "comes": "+", "goes": "-", "gain": "~", "class": "!", "first": "!"}
STYLES: Final = {"comes": "$text-success", "goes": "$text-error", "stays": "$quiet"}


class Metric(Struct, frozen=True):
    """A metric for which the user can try other values.

    measured: None if the report lacks it; flips: ascending values that flip a conclusion; in the canonical unit.
    """

    id: str
    unit: str
    means: str
    measured: float | None
    flips: tuple[float, ...] = ()

    @property
    def title(self) -> str:
        """The name for a reader."""
        return metric_title(self.id)

    def nearest(self, value: float, up: bool) -> float | None:
        """Return the next flip value above or below a value, or None if there is none."""
        found = [flip for flip in self.flips if (flip > value if up else flip < value)]
        return (min(found) if up else max(found)) if found else None

    def beyond(self, value: float, up: bool) -> float | None:
        """Return a value just beyond the next flip value, or None if there is none."""
        flip = self.nearest(value, up)
        if flip is None:
            return None
        away = max(abs(flip) * _BEYOND, 1e-9)
        out = self.kept_in(flip + away if up else flip - away)
        return out if (out > flip if up else out < flip) else None

    def stepped(self, value: float, share: float) -> float:
        """Change a value by a share of the measured value (by a share of 100 if that is 0 or unknown)."""
        step = abs(self.measured or 0.0) or 100.0
        return self.kept_in(value + share * step)

    def kept_in(self, value: float) -> float:
        """Limit the value to at least 0, and percentages and shares to the whole or, if larger, the measured value."""
        most = most_of(self.id, self.unit)
        most = float("inf") if most is None else max(most, self.measured or 0.0)
        return float(f"{min(max(value, 0.0), most):.{_DIGITS}g}")

    def text(self, value: float, of: float | None = None) -> str:
        """Format a value with enough digits to distinguish it (or the value `of`) from the nearest flip values."""
        at = value if of is None else of
        near = [flip for flip in (self.nearest(at, False), self.nearest(at, True)) if flip is not None]
        more = 0
        while more < _MORE and amount_text(at, self.unit, 4 + more) in [
            amount_text(flip, self.unit, 4 + more) for flip in near
        ]:
            more += 1
        return amount_text(value, self.unit, 4 + more)


def metrics_of(
    launch: LaunchDiagnosis, proved: object, index: KnowledgeIndex, tried: Iterable[str] = ()
) -> tuple[Metric, ...]:
    """Return the relevant metrics: those behind class and findings, those missing for undecided rules, those tried.

    proved: the proof of the class with its flip values (records.Proved), anything else while it is not known.
    """
    known = {name: (unit, means) for name, unit, means in index.metrics}
    evidence = [*launch.verdict.evidence, *(item for finding in launch.findings for item in finding.evidence)]
    flips: dict[str, set[float]] = {}
    order: dict[str, None] = {}
    for item in evidence:
        order |= dict.fromkeys(name for name in _NAME.findall(item.metric) if name in known)
        if item.metric in known and item.threshold is not None:
            flips.setdefault(item.metric, set()).add(item.threshold)
    for name, values in proved.turns.items() if isinstance(proved, Proved) else ():
        order.setdefault(name)
        flips.setdefault(name, set()).update(values)
    for name in (*(lack.metric for lack in launch.missing), *tried):
        order.setdefault(name)
    return tuple(
        Metric(name, *known[name], launch.metrics.get(name), tuple(sorted(flips.get(name, ()))))
        for name in order
        if name in known
    )


class Change(Struct, frozen=True):
    """The change of a conclusion: a key of SIGNS, the word for it, and the text."""

    kind: str
    word: str
    text: str


def outcome(before: LaunchDiagnosis, after: LaunchDiagnosis) -> tuple[Change, ...]:
    """Return changes of class and first finding, then of all findings: current ones in order, then removed ones."""
    out = []
    if before.verdict.id != after.verdict.id:
        out.append(Change("class", "class", f"{before.verdict.title} → {after.verdict.title}"))
    old_first, new_first = main_finding(before), main_finding(after)
    if new_first is not None and (old_first is None or old_first.id != new_first.id):
        was = "" if old_first is None else f"{old_first.title} → "
        out.append(Change("first", "first", f"{was}{new_first.title}"))
    old = {finding.id: finding for finding in before.findings}
    new = {finding.id for finding in after.findings}
    for finding in after.findings:
        if finding.id not in old:
            out.append(Change("comes", "new", f"{finding.title}{_gain(finding.speedup)}"))
        elif _moved(old[finding.id].speedup, finding.speedup):
            had, has = short_gain_text(old[finding.id].speedup), short_gain_text(finding.speedup)
            out.append(Change("gain", "gain", f"{finding.title}  {had} → {has}"))
        else:
            out.append(Change("stays", "stays", f"{finding.title}{_gain(finding.speedup)}"))
    gone = [finding for finding in before.findings if finding.id not in new]
    return (*out, *(Change("goes", "gone", f"{f.title}{_gain(f.speedup)}") for f in gone))


def changed(rows: Iterable[Change]) -> bool:
    """Return whether anything differs from the measured outcome."""
    return any(row.kind != "stays" for row in rows)


def _gain(speedup: Speedup | None) -> str:
    return "" if speedup is None else f"  {short_gain_text(speedup)}"


def _moved(had: Speedup | None, has: Speedup | None) -> bool:
    if had is None or has is None:
        return (had is None) != (has is None)
    return abs(had.estimate - has.estimate) >= _VISIBLE


_NAME_CELLS, _VALUE, _FLIPS = 28, 14, 22  # smallest widths of the table columns
_STEP: Final = 0.01  # share of the measured value by which an arrow key changes a value
_FLIP = "Go just past the next value that flips a conclusion"


class WhatIfScreen(PanelScreen):
    """The what-if screen. The table has the focus; typing a digit starts a value in the prompt."""

    opens: ClassVar[Mapping[str, str]] = {**{begin: begin for begin in "0123456789./"}, ":": ""}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", f"step(-{_STEP})", "Less", tooltip="1 % less (Shift: 10 %)"),
        Binding("right", f"step({_STEP})", "More", tooltip="1 % more (Shift: 10 %)"),
        hidden("shift+left,minus", "step(-0.1)", "Less", "10 % less"),
        hidden("shift+right,plus", "step(0.1)", "More", "10 % more"),
        Binding("greater_than_sign,right_square_bracket", "beyond(1)", "Flip", tooltip=f"{_FLIP} (< and >)"),
        hidden(
            "less_than_sign,left_square_bracket",
            "beyond(0)",
            "Flip below",
            "Go just past the next lower value that flips a conclusion",
        ),
        Binding("backspace", "reset(False)", "Reset", tooltip="Reset to the measured value (x: all of them)"),
        hidden("x", "reset(True)", "Reset all", "Reset all to the measured values"),
        Binding("a", "note", "Add note", tooltip="Add the tried values to the conversation"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._metrics: tuple[Metric, ...] = ()
        self._of: object = None
        self._before: LaunchDiagnosis | None = None
        self._after: LaunchDiagnosis | None = None

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        yield Note("about")
        with Container(id="panes"):
            yield Rows(blocks=self.blocks, ident="metrics")
            with VerticalScroll(id="side", can_focus=False):
                yield Note("outcome")
        yield self.prompt_line(Prompt((), ident="prompt"))
        yield KeyLine()

    # Showing

    def show(self, state: State) -> None:
        """Show the tried values and the latest outcome; mark an outdated outcome."""
        launch = state.launch
        if launch is None or state.position is None:
            return
        self.banner("What if", launch.kernel)
        if launch is not self._before:
            self._before, self._after = launch, None
        self._list(state, launch)
        result = state.result(e.Suppose(state.position, state.supposing, quiet=True)) if state.supposing else launch
        if isinstance(result, LaunchDiagnosis):
            self._after = result
        self._about(state, result)
        self._outcome(launch, stale=not isinstance(result, LaunchDiagnosis))
        metric = self._metric
        if metric is not None:
            hint = f"a value for {metric.title}, with its unit, or metric=value; Enter tries it"
            self.query_one(Prompt).placeholder = hint
        self.refresh_bindings()
        self.prepare_soon()

    def prepare(self, state: State) -> None:
        """Diagnose with the values that the next key would try, if the user does nothing else meanwhile."""
        metric, position = self._metric, state.position
        value = None if metric is None else dict(state.supposing).get(metric.id, metric.measured)
        if metric is None or value is None or position is None:
            return
        steps = (metric.stepped(value, _STEP), metric.stepped(value, -_STEP))
        jumps = (metric.beyond(value, True), metric.beyond(value, False))
        tried = (self._trying(state, metric.id, at) for at in (*steps, *jumps) if at is not None)
        self.app.runner.prepare(e.Suppose(position, values, quiet=True) for values in tried if values)

    def _list(self, state: State, launch: LaunchDiagnosis) -> None:
        tried = dict(state.supposing)
        proved = next((state.result(r) for r in requests_of(state) if isinstance(r, e.Prove)), None)
        names = {name for name in tried if name not in {metric.id for metric in self._metrics}}
        if (launch, proved) != self._of or names:
            self._of = (launch, proved)
            self._metrics = metrics_of(launch, proved, state.knowledge, tried)
        metrics, rows = self._metrics, self.query_one(Rows)
        longest = max((len(metric.title) for metric in metrics), default=_NAME_CELLS)
        flips = max((len(_flips(metric, tried.get(metric.id), self.blocks)) for metric in metrics), default=0)

        def room(width: int) -> int:
            return max(min(longest, width - 2 * _VALUE - max(flips + 3, _FLIPS)), 8)

        def head(width: int) -> Content:
            name, measured, now, flips = _HEADS
            return styled(f"{name:<{room(width)}}{measured:>{_VALUE}}{now:>{_VALUE}}   {flips}", "")

        def draw(at: int, width: int) -> Content:
            return _row(metrics[at], tried.get(metrics[at].id), room(width), self.blocks)

        rows.show(len(metrics), draw, head=head)

    def _about(self, state: State, result: object) -> None:
        metric = self._metric
        lines = [(f"{metric.id}: {metric.means}" if metric.means else metric.id, "$quiet")] if metric else []
        if isinstance(result, e.Failed):
            lines.insert(0, (f"! {result.message}", "$text-error"))
        elif not state.supposing:
            lines.insert(0, ("No value is changed yet. Left and right change the metric under the cursor.", ""))
        else:
            known = {metric.id: metric for metric in self._metrics}
            tried = [(known[name], value) for name, value in state.supposing if name in known]
            text = ", ".join(f"{metric.title} = {metric.text(value)}" for metric, value in tried)
            lines.insert(0, (text, "bold"))
        self.query_one("#about", Note).say(lines)

    def _outcome(self, launch: LaunchDiagnosis, *, stale: bool) -> None:
        after = self._after or launch
        rows = outcome(launch, after)
        head = "measured → tried"
        head += " (diagnosing again; the outcome below is the previous one)" if stale else ""
        lines: list[Content] = [styled(head, "bold $text-primary")]
        if not any(row.kind == "class" for row in rows):
            rows = (Change("stays", "class", after.verdict.title), *rows)
        lines += [_change_line(row) for row in rows]
        for text in beyond_theoretical(launch, self.app.state.supposing):
            lines.append(styled(f"! {text}", "$text-warning"))
        if self.app.state.supposing and not changed(rows):
            lines.insert(1, styled("Class, findings and gains are unchanged.", ""))
        self.query_one("#outcome", Note).say(lines)

    @property
    def _metric(self) -> Metric | None:
        at = self.query_one(Rows).at
        return self._metrics[at] if at < len(self._metrics) else None

    # User actions

    @on(Rows.Moved)
    def _moved(self) -> None:
        self.show(self.app.state)

    @on(Rows.Taken)
    def _taken(self) -> None:
        self.query_one(Prompt).focus()

    def _suppose(self, name: str, value: float | None) -> None:
        self.app.dispatch(e.Supposed(self._trying(self.app.state, name, value)))

    def _trying(self, state: State, name: str, value: float | None) -> tuple[tuple[str, float], ...]:
        """Return the tried values with this one for a metric; None and the measured value leave the metric out."""
        tried = dict(state.supposing)
        tried.pop(name, None)
        metric = next((m for m in self._metrics if m.id == name), None)
        if value is not None and (metric is None or value != metric.measured):
            tried[name] = value
        return tuple(tried.items())

    def action_step(self, share: float) -> None:
        metric, value = self._metric, self._value
        if metric is not None and value is not None:
            self._suppose(metric.id, metric.stepped(value, share))

    def action_beyond(self, up: int) -> None:
        metric, value = self._metric, self._value
        if metric is None or value is None:
            return
        beyond = metric.beyond(value, bool(up))
        if beyond is None:
            self.notify("No conclusion flips in that direction.", markup=False)
        else:
            self._suppose(metric.id, beyond)

    @property
    def _value(self) -> float | None:
        """The value of the current metric; if it has none, show a note."""
        metric = self._metric
        if metric is None:
            return None
        value = dict(self.app.state.supposing).get(metric.id, metric.measured)
        if value is None:
            self.app.warn("No value is known: type one first.")
        return value

    def action_reset(self, everything: bool) -> None:
        metric = self._metric
        if everything:
            self.app.dispatch(e.Supposed(()))
        elif metric is not None:
            self._suppose(metric.id, None)

    def action_note(self) -> None:
        if self.app.state.supposing:
            self.app.dispatch(e.WhatIfAsked(self.app.state.supposing))
        else:
            self.app.warn("No value is changed: there is nothing to note.")

    def typed(self, text: str) -> None:
        left, sign, right = text.rpartition("=")
        state, metric = self.app.state, self._metric
        name = _named(left.strip(), state) if sign else metric.id if metric is not None else None
        unit = state.knowledge.unit(name) if name is not None else None
        if name is None or unit is None:
            self.app.warn(f"{left.strip()[:80]} is not a metric.")
            return
        try:
            measured = None if state.launch is None else state.launch.metrics.get(name)
            value = checked(name, unit, parse_metric(right.strip(), unit), measured)
        except UsageError as problem:
            self.app.warn(str(problem))
            return
        self._suppose(name, value)
        at = next((n for n, each in enumerate(self._metrics) if each.id == name), None)
        if at is not None:
            self.query_one(Rows).move(at)

    def action_leave(self) -> None:
        """Leave the prompt; if the prompt has no focus, leave the screen, even while work is running."""
        prompt = self.query_one(Prompt)
        if prompt.has_focus:
            prompt.clear()
            self.focus_home()
        else:
            self.app.dispatch(e.ViewLeft())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self.app.state.supposing) if action in ("note", "reset") else True


def _row(metric: Metric, tried: float | None, room: int, blocks: bool) -> Content:
    """Return a row of the table: the metric's name, its values, and its flip values."""
    name = metric.title if len(metric.title) <= room else metric.title[: room - 1] + "…"
    measured = "unknown" if metric.measured is None else metric.text(metric.measured)
    now = "" if tried is None else metric.text(tried)
    return (
        styled(f"{name:<{room}}", "bold" if tried is not None else "")
        + styled(f" {measured:>{_VALUE - 1}}", "$quiet" if tried is not None else "")
        + styled(f" {now:>{_VALUE - 1}}", "bold $text-accent")
        + styled(f"   {_flips(metric, tried, blocks)}", "$quiet")
    )


def _flips(metric: Metric, tried: float | None, blocks: bool) -> str:
    """Return the nearest values below and above the current one that flip a conclusion."""
    at = metric.measured if tried is None else tried
    down, up = ("↓", "↑") if blocks else ("-", "+")
    around = [] if at is None else [(metric.nearest(at, False), down), (metric.nearest(at, True), up)]
    return "  ".join(f"{sign} {metric.text(flip, at)}" for flip, sign in around if flip is not None)


def _change_line(row: Change) -> Content:
    sign = styled(f"{SIGNS[row.kind]} {row.word:<6} ", STYLES.get(row.kind, "bold $text-accent"))
    return sign + styled(row.text, "$quiet" if row.kind == "stays" else "")


def _named(text: str, state: State) -> str | None:
    """Return the metric with this name, or the only metric whose name starts with it, or None."""
    found = pick(text, (name for name, *_ in state.knowledge.metrics))
    return found[0] if len(found) == 1 else None
