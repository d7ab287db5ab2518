"""The steps of the method: where the session is among them, and what each says."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content

from advisor.session import events as e
from advisor.session.method.progress import rows as step_rows
from advisor.session.records import KnowledgeIndex, Step
from advisor.session.state import State
from advisor.tui.drawing import styled
from advisor.tui.screens.base import RowsScreen
from advisor.tui.widgets.lists import Rows
from advisor.tui.widgets.text import Note

_STEP_PARTS: Final = {
    "why": "Why",
    "steps": "Do",
    "look": "Look at",
    "commands": "Command",
    "exit": "Done when",
    "misleads": "Caveat",
    "exercise": "Exercise",
    "see": "See",
    "cites": "Source",
}

_SIGNS = {"done": ("✓", "+"), "here": ("●", "*"), "skipped": ("–", "-"), "read": ("○", "o"), "open": ("·", ".")}
_STYLES = {"done": "$text-success", "here": "bold $text-accent", "skipped": "", "read": "", "open": "$quiet"}
_WORDS = {"done": "done", "here": "here", "skipped": "skipped", "read": "read", "open": "open"}


class StepRows(Rows):
    """Rows whose Enter is shown in the footer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(binding for binding in Rows.BINDINGS if isinstance(binding, Binding) and binding.action != "take"),
        Binding("enter", "take", "Go there", tooltip="Go to the step under the cursor"),
    ]


class StepsScreen(RowsScreen):
    """The list of steps; Enter goes to the step under the cursor."""

    rows: ClassVar[str] = "steps"
    kind: ClassVar[type[Rows]] = StepRows

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "explain", "Explain", tooltip="Open the first knowledge entry that the step refers to"),
        Binding("space", "scroll_side", "Read on", show=False, tooltip="Scroll the step's text"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._steps: tuple[Step, ...] = ()
        self._step = ""

    def show(self, state: State) -> None:
        """Show the steps; the cursor starts at the current step."""
        self.banner("Steps of the method", state.step)
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
        lines = (
            step_lines(self._steps[at], index)
            if at < len(self._steps)
            else [styled("The knowledge base has no steps.", "$quiet")]
        )
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
            self.notify("Choose a launch first: steps apply to one launch.", severity="warning", markup=False)

    def action_explain(self) -> None:
        at = self.query_one(Rows).at
        see = self._steps[at].see if at < len(self._steps) else ()
        if see:
            self.app.dispatch(e.ViewShown("knowledge", see[0]))

    def action_scroll_side(self) -> None:
        side = self.query_one("#side", VerticalScroll)
        if side.scroll_offset.y >= side.max_scroll_y:
            side.scroll_home(animate=False)
        else:
            side.scroll_page_down(animate=False)


def step_lines(step: Step, index: KnowledgeIndex) -> list[Content]:
    """The parts of a step under their headings."""
    lines = [styled(step.title, "bold"), styled(step.what, "")]
    for part, name in _STEP_PARTS.items():
        value = getattr(step, part)
        texts = (value,) if isinstance(value, str) else value
        texts = tuple(index.source(key) for key in texts) if part == "cites" else texts
        if any(texts):
            lines += [Content(""), styled(name, "bold $text-primary")]
            lines += [styled(f"{n}. {text}" if part == "steps" else text, "") for n, text in enumerate(texts, 1)]
    return lines
