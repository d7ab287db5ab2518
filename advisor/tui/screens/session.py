"""The conversation about one launch, its evidence beside it or in its place, choices and prompt below."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Key, Resize
from textual.screen import Screen
from textual.widgets import Input

from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.language.understand import event_of
from advisor.session.numbers import UNIT_HINTS
from advisor.session.state import State
from advisor.tui.drawing import safe
from advisor.tui.screens.base import footer, report_line, view_bindings
from advisor.tui.widgets.evidence import Evidence
from advisor.tui.widgets.evidence_pages import PAGES
from advisor.tui.widgets.lists import Choices
from advisor.tui.widgets.prompt import Prompt, PromptLine, typed
from advisor.tui.widgets.text import Banner, Busy, Conversation, Note

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp

WIDE = 110  # columns from which the evidence is beside the conversation
TALL = 36  # rows from which all choices are visible at once
LOW = 20  # rows below which the choices shrink in favour of the conversation


class SessionScreen(Screen[None]):
    """The conversation about one launch, its evidence, the choices and the prompt."""

    app: AdvisorApp
    AUTO_FOCUS = "Prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", tooltip="Keys and commands"),
        Binding("f2", "launches", "Launches", tooltip="Back to the list of launches"),
        Binding("f3", "evidence", "Evidence", tooltip="Show or hide the evidence: speed of light, stalls, numbers"),
        Binding("f4", "app.undo", "Back", tooltip="Undo the last action"),
        Binding(
            *("shift+f6,alt+left", "evidence_page(-1)", "Previous page"),
            show=False,
            id="session.evidence_before",
            tooltip="Previous evidence page",
        ),
        *(
            # With priority over the prompt, which would type the letter.
            Binding(
                *(key, f"evidence_take('{page}')", name),
                show=False,
                id=f"session.evidence_{page}",
                tooltip=what,
                priority=True,
            )
            for page, (_, key, name, what, _) in PAGES.items()
        ),
        *view_bindings("session", show=True),
        Binding("f6,alt+right", "evidence_page(1)", "Page", tooltip="Next evidence page"),
        # In the prompt, Tab completes.
        Binding("tab", "line_again", "To line", tooltip="Focus the prompt"),
        Binding("escape", "escape", "Cancel", show=False, tooltip="Cancel / focus the prompt / clear it"),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("ctrl+up", "line(-1)", "Line up", show=False),
        Binding("ctrl+down", "line(1)", "Line down", show=False),
        Binding("ctrl+home", "ends(-1)", "First card", show=False),
        Binding("ctrl+end", "ends(1)", "Last card", show=False),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks
        self._position: int | None = None

    def compose(self) -> ComposeResult:
        yield Banner()
        with Horizontal(id="columns"):
            with Vertical(id="talk"):
                yield Conversation(blocks=self._blocks, ident="conversation")
                yield Note("asked")
                yield Choices()
            yield Evidence(blocks=self._blocks, ident="evidence")
        yield Busy(blocks=self._blocks)
        yield PromptLine(Prompt(self.app.complete, history=self.app.history, ident="prompt"), blocks=self._blocks)
        yield footer()

    def on_mount(self) -> None:
        self.query_one(Prompt).focus()
        self.show(self.app.state)

    def on_screen_resume(self) -> None:
        self.show(self.app.state)
        self.call_after_refresh(self.query_one(Conversation).reveal)

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.height >= TALL, "-tall")
        self.set_class(event.size.height < LOW, "-low")

    def show(self, state: State) -> None:
        """Show the state."""
        if state.position != self._position:
            self._position = state.position
            self.remove_class("-evidence")
        self.query_one(Banner).show(report_line(state))
        self.query_one(Conversation).show(state.conversation)
        self.query_one(Evidence).show(state)
        asked = _asked(state)
        self.query_one("#asked", Note).say([Content(asked)])
        self.set_class(bool(asked), "-asked")
        number = state.ask is not None and state.ask.kind == "number"
        # An accidental Enter must not be an answer.
        marked = state.ask is None or state.ask.usual is not None
        self.query_one(Choices).show(choices(state), numbered=not number, marked=marked)
        self.query_one(Prompt).placeholder = _placeholder(state)
        self.app.offer(self)

    # User actions

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value
        event.input.clear()
        if text.strip():
            self.app.say(text)
        else:
            self._take(self.query_one(Choices).marked)

    def to_line(self, key: Key) -> str | None:
        """Send typed characters to the prompt wherever the focus is, except the keys of the focused widget."""
        return typed(self, key)

    @on(Prompt.Stepped)
    def _stepped(self, event: Prompt.Stepped) -> None:
        self.query_one(Choices).step(event.by)

    @on(Choices.Taken)
    def _taken(self, event: Choices.Taken) -> None:
        self._take(event.choice)
        self.query_one(Prompt).focus()

    def _take(self, choice: str | None) -> None:
        event = event_of(choice, self.app.state) if choice else None
        if event is not None:
            self.remove_class("-evidence")
            self.app.dispatch(event)

    def action_launches(self) -> None:
        self.app.say("/kernels")

    def action_evidence(self) -> None:
        self.toggle_class("-alone" if self.has_class("-wide") else "-evidence")

    def action_view(self, view: str) -> None:
        self.app.dispatch(e.ViewShown(view))

    def action_evidence_page(self, by: int) -> None:
        if not self._reveal_evidence():
            self.query_one(Evidence).action_turn(by)

    def action_evidence_take(self, page: str) -> None:
        self._reveal_evidence()
        self.query_one(Evidence).turn_to(page)

    def _reveal_evidence(self) -> bool:
        """Show the evidence; returns whether it was hidden."""
        hidden = not self.query_one(Evidence).display
        if hidden:
            self.action_evidence()
        return hidden

    def action_line_again(self) -> None:
        self.query_one(Prompt).focus()

    def action_escape(self) -> None:
        prompt = self.query_one(Prompt)
        if self.app.cancel_work():
            return
        if not prompt.has_focus:
            prompt.focus()
        elif prompt.value:
            prompt.clear()
        else:
            self.remove_class("-evidence")

    def _scrolled(self) -> Conversation | Evidence:
        hidden = self.has_class("-evidence") and not self.has_class("-wide")
        evidence, conversation = self.query_one(Evidence), self.query_one(Conversation)
        if hidden or evidence.has_focus or evidence.has_focus_within:
            return evidence
        conversation.let_go()
        return conversation

    def action_page(self, by: int) -> None:
        view = self._scrolled()
        view.scroll_relative(y=by * max(view.size.height - 1, 1), animate=False)

    def action_line(self, by: int) -> None:
        self._scrolled().scroll_relative(y=by, animate=False)

    def action_ends(self, by: int) -> None:
        view = self._scrolled()
        view.scroll_home(animate=False) if by < 0 else view.scroll_end(animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        state = self.app.state
        if action == "line_again":
            return self.is_mounted and not self.query_one(Prompt).has_focus
        if action == "launches":
            return state.diagnosis is not None and len(state.diagnosis.launches) > 1
        if action in ("evidence", "evidence_page", "evidence_take"):
            return state.launch is not None
        return True


def _placeholder(state: State) -> str:
    """The placeholder of the prompt."""
    if state.ask is not None and state.ask.kind == "number":
        text = "{hint}; d for don't know" if state.ask.optional else "{hint}"
        return text.format(hint=UNIT_HINTS.get(state.ask.unit, UNIT_HINTS["count"]))
    if state.ask is not None:
        return "a number, a name or its beginning; Enter takes the highlighted one"
    return (
        "one moment"
        if state.waiting and state.launch is None
        else "a choice, a question such as: what is occupancy, or /help"
    )


def _asked(state: State) -> str:
    """The open question in one line, if something else was said since it was asked; else empty."""
    ask, cards = state.ask, state.conversation
    if ask is None or not cards or (cards[-1].kind == "question" and cards[-1].finding == ask.id):
        return ""
    return f"Open question: {safe(' '.join(ask.ask.split()))}"
