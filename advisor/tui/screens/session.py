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
from textual.widgets import Input, Static

from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.language.understand import event_of
from advisor.session.state import State
from advisor.tui import words, words_evidence, words_views
from advisor.tui.type_ahead import typed
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.busy import Busy
from advisor.tui.widgets.choices import Choices
from advisor.tui.widgets.conversation import Conversation
from advisor.tui.widgets.evidence import Evidence
from advisor.tui.widgets.footer import FittedFooter
from advisor.tui.widgets.note import Note
from advisor.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp

WIDE = 110  # columns from which the evidence stands beside the conversation
TALL = 36  # rows from which all choices can be seen at once
LOW = 20  # rows under which the conversation needs all that the choices can spare


class SessionScreen(Screen[None]):
    """Shows the state's conversation and hands over what is typed or chosen."""

    app: AdvisorApp
    AUTO_FOCUS = "Prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", id="session.help", tooltip=words.TIP_HELP),
        Binding("f2", "launches", "Launches", id="session.launches", tooltip=words.TIP_LAUNCHES),
        Binding("f3", "evidence", "Evidence", id="session.evidence", tooltip=words.TIP_EVIDENCE),
        Binding("f4", "app.undo", "Back", id="session.back", tooltip=words.TIP_UNDO),
        Binding(
            "f6,alt+right", "evidence_page(1)", "Page", id="session.evidence_next", tooltip=words_evidence.TIP_NEXT
        ),
        Binding(
            *("shift+f6,alt+left", "evidence_page(-1)", "Page before"),
            show=False,
            id="session.evidence_before",
            tooltip=words_evidence.TIP_BEFORE,
        ),
        *(
            # Before the prompt, which would type the letter.
            Binding(
                *(key, f"evidence_take('{page}')", name),
                show=False,
                id=f"session.evidence_{page}",
                tooltip=what,
                priority=True,
            )
            for page, key, name, what in words_evidence.PAGES
        ),
        *(
            Binding(key, f"view('{view}')", name, id=f"session.{view}", tooltip=words_views.TIP_VIEWS[view])
            for key, view, name in words_views.VIEW_KEYS
        ),
        # Where the prompt has the focus, Tab is its own.
        Binding("tab", "line_again", "To line", id="session.prompt", tooltip=words.TIP_LINE),
        Binding("escape", "escape", "Call off", show=False, id="session.escape", tooltip=words.TIP_ESCAPE),
        Binding("pageup", "page(-1)", "Page up", show=False, id="session.pageup"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="session.pagedown"),
        Binding("ctrl+up", "line(-1)", "Line up", show=False, id="session.lineup"),
        Binding("ctrl+down", "line(1)", "Line down", show=False, id="session.linedown"),
        Binding("ctrl+home", "ends(-1)", "First card", show=False, id="session.top"),
        Binding("ctrl+end", "ends(1)", "Last card", show=False, id="session.end"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks
        self._position: int | None = None

    def compose(self) -> ComposeResult:
        """Conversation and choices, the evidence beside them; work and prompt below."""
        yield Banner()
        with Horizontal(id="columns"):
            with Vertical(id="talk"):
                yield Conversation(blocks=self._blocks, ident="conversation")
                yield Note("asked")
                yield Choices()
            yield Evidence(blocks=self._blocks, ident="evidence")
        yield Busy(blocks=self._blocks)
        with Horizontal(id="ask"):
            yield Static("› " if self._blocks else "> ", id="sign", markup=False)
            yield Prompt(self.app.complete, history=self.app.history, ident="prompt")
        yield FittedFooter()

    def on_mount(self) -> None:
        """The prompt has the focus; Tab leads to the evidence and back."""
        self.query_one(Prompt).focus()
        self.show(self.app.state)

    def on_screen_resume(self) -> None:
        """Back from another screen: show what holds now, and what came while the other was on top."""
        self.show(self.app.state)
        self.call_after_refresh(self.query_one(Conversation).reveal)

    def on_resize(self, event: Resize) -> None:
        """Side by side from WIDE columns; one in the other's place below."""
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.height >= TALL, "-tall")
        self.set_class(event.size.height < LOW, "-low")

    def show(self, state: State) -> None:
        """Show the state."""
        if state.position != self._position:
            self._position = state.position
            self.remove_class("-evidence")
        self.query_one(Banner).show(words.banner(state))
        self.query_one(Conversation).show(state.conversation)
        self.query_one(Evidence).show(state)
        asked = words.asked(state)
        self.query_one("#asked", Note).say([Content(asked)])
        self.set_class(bool(asked), "-asked")
        number = state.ask is not None and state.ask.kind == "number"
        # An accidental Enter must not be an answer.
        marked = state.ask is None or state.ask.usual is not None
        self.query_one(Choices).show(choices(state), numbered=not number, marked=marked)
        self.query_one(Prompt).placeholder = words.placeholder(state)
        self.app.offer(self)

    # What the user does

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value
        event.input.clear()
        if text.strip():
            self.app.say(text)
        else:
            self._take(self.query_one(Choices).marked)

    def to_line(self, key: Key) -> str | None:
        """What is typed goes to the prompt, wherever the focus is, but for the keys of what has it."""
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
        """Back to the list."""
        self.app.say("/kernels")

    def action_evidence(self) -> None:
        """Show or hide the evidence: beside the conversation where there is room, else in its place."""
        self.toggle_class("-alone" if self.has_class("-wide") else "-evidence")

    def action_view(self, view: str) -> None:
        """Open a view over the conversation."""
        self.app.dispatch(e.ViewShown(view))

    def action_evidence_page(self, by: int) -> None:
        """The next page of the evidence; where it is hidden it is shown first."""
        if not self._reveal_evidence():
            self.query_one(Evidence).action_turn(by)

    def action_evidence_take(self, page: str) -> None:
        """A page of the evidence by its name."""
        self._reveal_evidence()
        self.query_one(Evidence).turn_to(page)

    def _reveal_evidence(self) -> bool:
        """Show the evidence; whether it was hidden."""
        hidden = not self.query_one(Evidence).display
        if hidden:
            self.action_evidence()
        return hidden

    def action_line_again(self) -> None:
        """Keys go to the prompt again."""
        self.query_one(Prompt).focus()

    def action_escape(self) -> None:
        """Call off what is being done; else back to the prompt; else empty the line; else leave the evidence."""
        prompt = self.query_one(Prompt)
        if self.app.call_off():
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
        """A page up or down in what is in view."""
        view = self._scrolled()
        view.scroll_relative(y=by * max(view.size.height - 1, 1), animate=False)

    def action_line(self, by: int) -> None:
        """A line up or down in what is in view."""
        self._scrolled().scroll_relative(y=by, animate=False)

    def action_ends(self, by: int) -> None:
        """To the beginning or the end."""
        view = self._scrolled()
        view.scroll_home(animate=False) if by < 0 else view.scroll_end(animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        state = self.app.state
        if action == "line_again":
            return self.is_mounted and not self.query_one(Prompt).has_focus
        if action == "launches":
            return state.diagnosis is not None and len(state.diagnosis.launches) > 1
        if action in ("evidence", "evidence_page", "evidence_take"):
            return state.launch is not None
        return True
