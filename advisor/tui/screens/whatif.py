"""Other values tried, and which conclusions turn: live, and without a card unless one is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from advisor.knowledge.schemas import checked
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import UsageError
from advisor.session import events as e
from advisor.session.language.names import pick
from advisor.session.numbers import number
from advisor.session.state import State
from advisor.session.views import requests_of
from advisor.tui import words_views as words
from advisor.tui.layout import safe, styled
from advisor.tui.screens.panel import PanelScreen
from advisor.tui.whatif_model import SIGNS, STYLES, Became, Metric, changed, metrics_of, outcome
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.note import Note
from advisor.tui.widgets.placed import Panes, Side
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.rows import Rows

_NAME, _VALUE, _TURNS = 28, 12, 22  # cells of the table's columns at the least


class WhatIfScreen(PanelScreen):
    """The table has the keys; a digit begins a value in the line below."""

    opens: ClassVar[Mapping[str, str]] = {begin: begin for begin in "0123456789./"}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-0.01)", "Less", id="whatif.less", tooltip=words.TIP_LESS),
        Binding("right", "step(0.01)", "More", id="whatif.more", tooltip=words.TIP_MORE),
        Binding(
            *("shift+left,minus", "step(-0.1)", "Less"), show=False, id="whatif.much_less", tooltip=words.TIP_MUCH_LESS
        ),
        Binding(
            *("shift+right,plus", "step(0.1)", "More"), show=False, id="whatif.much_more", tooltip=words.TIP_MUCH_MORE
        ),
        Binding("greater_than_sign,right_square_bracket", "beyond(1)", "Turn", id="whatif.up", tooltip=words.TIP_TURN),
        Binding(
            *("less_than_sign,left_square_bracket", "beyond(0)", "Turn below"),
            show=False,
            id="whatif.down",
            tooltip=words.TIP_TURN_BELOW,
        ),
        Binding("r", "reset(False)", "Reset", id="whatif.reset", tooltip=words.TIP_RESET),
        Binding("R", "reset(True)", "Reset all", show=False, id="whatif.reset_all", tooltip=words.TIP_RESET),
        Binding("n", "note", "Note it", id="whatif.note", tooltip=words.TIP_NOTE),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._metrics: tuple[Metric, ...] = ()
        self._of: object = None
        self._before: LaunchDiagnosis | None = None
        self._after: LaunchDiagnosis | None = None

    def compose(self) -> ComposeResult:
        """The metrics, under or beside them what is concluded; the prompt."""
        yield Banner()
        yield Note("about")
        with Panes():
            yield Rows(blocks=self.blocks, ident="metrics")
            with Side():
                yield Note("outcome")
        with Horizontal(id="ask"):
            yield Static("› " if self.blocks else "> ", id="sign", markup=False)
            yield Prompt((), ident="prompt")
        yield self.footer()

    def on_mount(self) -> None:
        """Keys go to the table."""
        self.query_one(Rows).focus()
        self.show(self.app.state)

    # Showing

    def show(self, state: State) -> None:
        """Show what is tried, and the newest outcome that there is; an older one is marked so."""
        launch = state.launch
        if launch is None or state.position is None:
            return
        self.banner(words.WHATIF, launch.kernel)
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
            self.query_one(Prompt).placeholder = words.VALUE_PROMPT.format(metric=metric.id)
        self.app.offer(self)

    def _list(self, state: State, launch: LaunchDiagnosis) -> None:
        tried = dict(state.supposing)
        proved = next((state.result(r) for r in requests_of(state) if isinstance(r, e.Prove)), None)
        names = {name for name in tried if name not in {metric.id for metric in self._metrics}}
        if (launch, proved) != self._of or names:
            self._of = (launch, proved)
            self._metrics = metrics_of(launch, proved, state.knowledge, tried)
        metrics = self._metrics
        name = max((len(metric.id) for metric in metrics), default=_NAME)

        def draw(at: int, width: int) -> Content:
            room = max(min(name, width - 2 * _VALUE - _TURNS), 8)
            return _row(metrics[at], tried.get(metrics[at].id), room, self.blocks)

        room = max(min(name, self.query_one(Rows).size.width - 2 - 2 * _VALUE - _TURNS), 8)
        titles = words.HEADS
        head = f"{titles[0]:<{room}}{titles[1]:>{_VALUE}}{titles[2]:>{_VALUE}}   {titles[3]}"
        self.query_one(Rows).show(len(metrics), draw, head=styled(head, ""))

    def _about(self, state: State, result: object) -> None:
        metric = self._metric
        lines = [(f"{metric.id}: {metric.means}" if metric.means else metric.id, "$quiet")] if metric else []
        if isinstance(result, e.Failed):
            lines.insert(0, (f"! {result.message}", "$text-error"))
        elif not state.supposing:
            lines.insert(0, (words.AS_MEASURED, ""))
        else:
            known = {metric.id: metric for metric in self._metrics}
            told = ", ".join(f"{name} = {known[name].text(value)}" for name, value in state.supposing if name in known)
            lines.insert(0, (told, "bold"))
        self.query_one("#about", Note).say(lines)

    def _outcome(self, launch: LaunchDiagnosis, *, stale: bool) -> None:
        after = self._after or launch
        rows = outcome(launch, after)
        head = words.BEFORE_AFTER if not stale else f"{words.BEFORE_AFTER} ({words.CONCLUDING})"
        lines: list[Content] = [styled(head, "bold $text-primary")]
        if not any(row.kind == "class" for row in rows):
            rows = (Became("stays", words.CLASS, after.verdict.title), *rows)
        lines += [_became(row) for row in rows]
        if self.app.state.supposing and not changed(rows):
            lines.insert(1, styled(words.SAME, ""))
        self.query_one("#outcome", Note).say(lines)

    @property
    def _metric(self) -> Metric | None:
        at = self.query_one(Rows).at
        return self._metrics[at] if at < len(self._metrics) else None

    # What the user does

    @on(Rows.Moved)
    def _moved(self, event: Rows.Moved) -> None:
        self.show(self.app.state)

    @on(Rows.Taken)
    def _taken(self, event: Rows.Taken) -> None:
        self.query_one(Prompt).focus()

    def _suppose(self, name: str, value: float | None) -> None:
        tried = dict(self.app.state.supposing)
        tried.pop(name, None)
        metric = next((m for m in self._metrics if m.id == name), None)
        if value is not None and (metric is None or value != metric.measured):
            tried[name] = value
        self.app.dispatch(e.Supposed(tuple(tried.items())))

    def action_step(self, share: float) -> None:
        """A little less or more."""
        metric, value = self._metric, self._value
        if metric is not None and value is not None:
            self._suppose(metric.id, metric.stepped(value, share))

    def action_beyond(self, up: int) -> None:
        """To just beyond the next turning point."""
        metric, value = self._metric, self._value
        if metric is None or value is None:
            return
        beyond = metric.beyond(value, bool(up))
        if beyond is None:
            self.notify(words.NO_THRESHOLD, markup=False)
        else:
            self._suppose(metric.id, beyond)

    @property
    def _value(self) -> float | None:
        """The value of the metric under the cursor; without one the user is told."""
        metric = self._metric
        if metric is None:
            return None
        value = dict(self.app.state.supposing).get(metric.id, metric.measured)
        if value is None:
            self.notify(words.NO_VALUE, severity="warning", markup=False)
        return value

    def action_reset(self, everything: bool) -> None:
        """The measured value again, or all of them."""
        metric = self._metric
        if everything:
            self.app.dispatch(e.Supposed(()))
        elif metric is not None:
            self._suppose(metric.id, None)

    def action_note(self) -> None:
        """What was tried becomes a card; that is where the screen is left to."""
        if self.app.state.supposing:
            self.app.dispatch(e.WhatIfAsked(self.app.state.supposing))
        else:
            self.notify(words.NOTHING_TRIED, severity="warning", markup=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        event.input.clear()
        if text.startswith("/"):
            self.app.say(text)
            return
        self.query_one(Rows).focus()
        if text:
            self._typed(text)

    def _typed(self, text: str) -> None:
        left, sign, right = text.rpartition("=")
        state, metric = self.app.state, self._metric
        name = _named(left.strip(), state) if sign else metric.id if metric is not None else None
        unit = state.knowledge.unit(name) if name is not None else None
        if name is None or unit is None:
            self.notify(safe(words.NO_METRIC.format(name=left.strip()[:80])), severity="warning", markup=False)
            return
        try:
            measured = None if state.launch is None else state.launch.metrics.get(name)
            value = checked(name, unit, number(right.strip(), unit), measured)
        except UsageError as problem:
            self.notify(safe(str(problem)), severity="warning", markup=False)
            return
        self._suppose(name, value)
        at = next((n for n, each in enumerate(self._metrics) if each.id == name), None)
        if at is not None:
            self.query_one(Rows).move(at)

    def action_leave(self) -> None:
        """Out of the prompt first, then of the screen."""
        prompt = self.query_one(Prompt)
        if prompt.has_focus:
            prompt.clear()
            self.query_one(Rows).focus()
        else:
            self.app.dispatch(e.ViewLeft())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        return bool(self.app.state.supposing) if action in ("note", "reset") else True


@lru_cache(maxsize=1024)
def _row(metric: Metric, tried: float | None, room: int, blocks: bool) -> Content:
    """A metric's name in so many cells, its values, where it turns. Kept: a key changes one row of the table."""
    name = metric.id if len(metric.id) <= room else metric.id[: room - 1] + "…"
    measured = words.UNKNOWN if metric.measured is None else metric.text(metric.measured)
    now = "" if tried is None else metric.text(tried)
    at = metric.measured if tried is None else tried
    down, up = ("↓", "↑") if blocks else ("-", "+")
    around = [] if at is None else [(metric.nearest(at, False), down), (metric.nearest(at, True), up)]
    turns = "  ".join(f"{sign} {metric.text(turn, at)}" for turn, sign in around if turn is not None)
    return (
        styled(f"{name:<{room}}", "bold" if tried is not None else "")
        + styled(f"{measured:>{_VALUE}}", "$quiet" if tried is not None else "")
        + styled(f"{now:>{_VALUE}}", "bold $text-accent")
        + styled(f"   {turns}", "$quiet")
    )


def _became(row: Became) -> Content:
    style = STYLES.get(row.kind, "bold $text-accent")
    return styled(f"{SIGNS[row.kind]} {row.word:<6} ", style) + styled(
        row.text, "$quiet" if row.kind == "stays" else ""
    )


def _named(text: str, state: State) -> str | None:
    """The metric of a name or of the beginning of one, if that is one alone."""
    found = pick(text, (name for name, *_ in state.knowledge.metrics))
    return found[0] if len(found) == 1 else None
