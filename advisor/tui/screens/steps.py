"""The steps screen: the steps of the method, the session's current step, and the text of each step."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content

from advisor.session import events as e
from advisor.session.method.steps import rows as step_rows
from advisor.session.records import KnowledgeIndex, Step
from advisor.session.state import State
from advisor.tui.drawing import styled
from advisor.tui.screens.base import RowsScreen, hidden
from advisor.tui.widgets.lists import Rows
from advisor.tui.widgets.text import Note

_PARTS: Final = {
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
# Status of a step -> its sign, its ASCII sign, and its style.
_SIGNS: Final = {
    "done": ("✓", "+", "$text-success"),
    "here": ("●", "*", "bold $text-accent"),
    "skipped": ("–", "-", ""),
    "read": ("○", "o", ""),
    "open": ("·", ".", "$quiet"),
}


class StepRows(Rows):
    """Rows with a footer entry for Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(binding for binding in Rows.BINDINGS if isinstance(binding, Binding) and binding.action != "take"),
        Binding("enter", "take", "Go there", tooltip="Go to the step under the cursor"),
    ]


class StepsScreen(RowsScreen):
    """The list of steps; Enter goes to the step under the cursor."""

    kind: ClassVar[type[Rows]] = StepRows
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "explain", "Explain", tooltip="Open the first knowledge entry that the step refers to"),
        hidden("space", "scroll_side", "Read on", "Scroll the step's text"),
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
        if (steps, state.step) != (self._steps, self._step):
            at = next((n for n, step in enumerate(steps) if step.id == (state.view_subject or state.step)), 0)
        self._steps, self._step = steps, state.step
        longest = max((len(step.id) for step in steps), default=1)
        listed = step_rows(state)

        def draw(row: int, width: int) -> Content:
            status, step = listed[row].status, steps[row]
            sign, plain, style = _SIGNS[status]
            name = styled(f"{step.id:<{longest}}  {step.title}", "bold" if status == "here" else "")
            return styled(f"{sign if self.blocks else plain} {status:<7} ", style) + name

        rows.show(len(steps), draw, at=at)
        self.detail()
        self.refresh_bindings()

    def detail(self) -> None:
        found = self._steps[self.query_one(Rows).at :][:1]
        none = [styled("The knowledge base has no steps.", "$quiet")]
        lines = step_lines(found[0], self.app.state.knowledge) if found else none
        self.query_one("#detail", Note).say(lines)
        self.query_one("#side").scroll_home(animate=False)

    @on(Rows.Taken)
    def _go(self, event: Rows.Taken) -> None:
        before = self.app.state
        self.app.dispatch(e.StepShown(self._steps[event.at].id))
        if self.app.state is before:
            self.app.warn("Choose a launch first: steps apply to one launch.")

    def action_explain(self) -> None:
        for step in self._steps[self.query_one(Rows).at :][:1]:
            if step.see:
                self.app.dispatch(e.ViewShown("knowledge", step.see[0]))

    def action_scroll_side(self) -> None:
        """Scroll the step's text; at its end, return to its beginning."""
        side = self.query_one("#side", VerticalScroll)
        if side.scroll_offset.y >= side.max_scroll_y:
            side.scroll_home(animate=False)
        else:
            side.scroll_page_down(animate=False)


def step_lines(step: Step, index: KnowledgeIndex) -> list[Content]:
    """Return the parts of a step under their headings."""
    lines = [styled(step.title, "bold"), styled(step.what, "")]
    for part, name in _PARTS.items():
        value = getattr(step, part)
        texts = (value,) if isinstance(value, str) else value
        texts = tuple(index.source(key) for key in texts) if part == "cites" else texts
        if any(texts):
            lines += [Content(""), styled(name, "bold $text-primary")]
            lines += [styled(f"{n}. {text}" if part == "steps" else text, "") for n, text in enumerate(texts, 1)]
    return lines
