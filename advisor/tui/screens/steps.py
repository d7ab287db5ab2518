"""The steps of the method: where the session is among them, and what each says."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content

from advisor.session import events as e
from advisor.session.method.progress import rows as step_rows
from advisor.session.records import KnowledgeIndex, Step
from advisor.session.state import State
from advisor.tui import words_views as words
from advisor.tui.layout import styled
from advisor.tui.screens.panel import RowsScreen
from advisor.tui.widgets.note import Note
from advisor.tui.widgets.rows import Rows

_SIGNS = {"done": ("✓", "+"), "here": ("●", "*"), "skipped": ("–", "-"), "read": ("○", "o"), "open": ("·", ".")}
_STYLES = {"done": "$text-success", "here": "bold $text-accent", "skipped": "", "read": "", "open": "$quiet"}
_WORDS = {
    "done": words.DONE,
    "here": words.HERE,
    "skipped": words.SKIPPED,
    "read": words.READ,
    "open": words.OPEN,
}


class StepRows(Rows):
    """Rows whose Enter stands in the footer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(binding for binding in Rows.BINDINGS if isinstance(binding, Binding) and binding.id != "rows.take"),
        Binding("enter", "take", "Go there", id="steps.go", tooltip=words.TIP_GO),
    ]


class StepsScreen(RowsScreen):
    """Enter goes to the step under the cursor."""

    rows: ClassVar[str] = "steps"
    kind: ClassVar[type[Rows]] = StepRows

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "explain", "Explain", id="steps.explain", tooltip=words.TIP_SEE),
        Binding("space", "scroll_side", "Read on", show=False, id="steps.on", tooltip=words.TIP_READ_ON),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._steps: tuple[Step, ...] = ()
        self._step = ""

    def show(self, state: State) -> None:
        """Show the steps; the cursor begins where the session is."""
        self.banner(words.STEPS, state.step)
        steps, rows = state.knowledge.steps, self.query_one(Rows)
        at = None
        if steps != self._steps or state.step != self._step:
            at = next((n for n, step in enumerate(steps) if step.id == (state.view_subject or state.step)), 0)
        self._steps, self._step = steps, state.step
        wide = max((len(step.id) for step in steps), default=1)

        listed = step_rows(state)

        def draw(row: int, width: int) -> Content:
            step = steps[row]
            became = listed[row].status
            sign = _SIGNS[became][0 if self.blocks else 1]
            return styled(f"{sign} {_WORDS[became]:<7} ", _STYLES[became]) + styled(
                f"{step.id:<{wide}}  {step.title}", "bold" if became == "here" else ""
            )

        rows.show(len(steps), draw, at=at)
        self._detail(state.knowledge)
        self.app.offer(self)

    def _detail(self, index: KnowledgeIndex) -> None:
        at = self.query_one(Rows).at
        lines = step_lines(self._steps[at], index) if at < len(self._steps) else [styled(words.NO_STEPS, "$quiet")]
        self.query_one("#detail", Note).say(lines)
        self.query_one("#side").scroll_home(animate=False)

    @on(Rows.Moved)
    def _moved(self, event: Rows.Moved) -> None:
        self._detail(self.app.state.knowledge)

    @on(Rows.Taken)
    def _taken(self, event: Rows.Taken) -> None:
        before = self.app.state
        self.app.dispatch(e.StepShown(self._steps[event.at].id))
        if self.app.state is before:
            self.notify(words.STEP_NEEDS_LAUNCH, severity="warning", markup=False)

    def action_explain(self) -> None:
        """The first entry that the step points to, in the knowledge view."""
        at = self.query_one(Rows).at
        see = self._steps[at].see if at < len(self._steps) else ()
        if see:
            self.app.dispatch(e.ViewShown("knowledge", see[0]))

    def action_scroll_side(self) -> None:
        """On in the step's text, from its beginning again after its end."""
        side = self.query_one("#side", VerticalScroll)
        if side.scroll_offset.y >= side.max_scroll_y:
            side.scroll_home(animate=False)
        else:
            side.scroll_page_down(animate=False)


def step_lines(step: Step, index: KnowledgeIndex) -> list[Content]:
    """All that a step says, its parts by name."""
    lines = [styled(step.title, "bold"), styled(step.what, "")]
    for part, name in words.STEP_PARTS.items():
        value = getattr(step, part)
        texts = (value,) if isinstance(value, str) else value
        texts = tuple(index.source(key) for key in texts) if part == "cites" else texts
        if any(texts):
            lines += [Content(""), styled(name, "bold $text-primary")]
            lines += [styled(f"{n}. {text}" if part == "steps" else text, "") for n, text in enumerate(texts, 1)]
    return lines
