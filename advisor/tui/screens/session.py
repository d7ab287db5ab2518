"""The session screen: the conversation about a launch, its evidence beside or instead of it, choices and prompt."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Key
from textual.widgets import Input

from advisor.session import events as e
from advisor.session.choices import choices, misread
from advisor.session.language.asking import ncu_rule
from advisor.session.language.understand import event_of, understand
from advisor.session.records import UNIT_HINTS, Ask
from advisor.session.state import State
from advisor.tui.drawing import safe
from advisor.tui.screens.base import (
    PAGE_KEYS,
    ChoiceScreen,
    hidden,
    letter_bindings,
    report_line,
)
from advisor.tui.widgets.evidence import Evidence
from advisor.tui.widgets.evidence_pages import PAGES
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.lists import Choices
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import Banner, Conversation, Note

_EVIDENCE: Final = "Evidence: pages by digit or ←→; again hides it"
# The letters of the choices that only questions have.
_ANSWERS: Final = (
    ("d", "Don't know", "I don't know the answer, or do not have this section"),
    ("q", "Why asked", "Why the open question is asked"),
    ("a", "Later", "Answer the open question later"),
    ("x", "Diagnosis", "Show the diagnosis from the numbers so far"),
)


class SessionScreen(ChoiceScreen):
    """The conversation about one launch, its evidence, the choices and the prompt."""

    AUTO_FOCUS = "Choices"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,colon", "ask", "Ask", key_display="/", tooltip="Type a question, a number or a command"),
        *letter_bindings(),
        Binding("v", "evidence", "Evidence", tooltip=_EVIDENCE),
        hidden("f3", "evidence", "Evidence", _EVIDENCE),
        Binding("u", "app.undo", "Undo", tooltip="Undo the last action"),
        hidden("f4", "app.undo", "Undo", "Undo the last action"),
        *(hidden(letter, f"row('{letter}')", name, says) for letter, name, says in _ANSWERS),
        Binding("y", "app.copy_collect", "Copy", show=False, tooltip="Copy the command that collects what is missing"),
        hidden("f2", "launches", "Launches", "Back to the list of launches"),
        hidden("shift+f6,alt+left", "evidence_page(-1)", "Previous page", "Previous evidence page"),
        # These bindings need priority over the prompt, which would insert the letter.
        *(
            hidden(page.key, f"evidence_take('{name}')", page.name, page.says, priority=True)
            for name, page in PAGES.items()
        ),
        hidden("f6,alt+right", "evidence_page(1)", "Page", "Next evidence page"),
        Binding(
            "escape", "escape", "Back", tooltip="Back one level: cancel, leave the prompt, the evidence, the launch"
        ),
        *PAGE_KEYS,
        hidden("ctrl+up", "line(-1)", "Line up"),
        hidden("ctrl+down", "line(1)", "Line down"),
        hidden("ctrl+home", "ends(-1)", "First entry"),
        hidden("ctrl+end", "ends(1)", "Last entry"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._position: int | None = None
        self._ask: Ask | None = None

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        with Horizontal(id="columns"):
            with Vertical(id="talk"):
                yield Conversation(blocks=self.blocks, ident="conversation")
                yield Note("asked")
                yield Choices(focus=True)
            yield Evidence(blocks=self.blocks, ident="evidence")
        yield self.prompt_line(Prompt(self.app.complete, history=self.app.history, ident="prompt", pasted=self._pasted))
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(Conversation).can_focus = False
        self.focus_home()
        self.show(self.app.state)

    def focus_home(self) -> None:
        """Focus the choices, where letters act; a question for a line of text, such as a path, opens the prompt."""
        ask = self.app.state.ask
        self.query_one(Prompt if ask is not None and ask.kind == "text" else Choices).focus()

    def on_screen_resume(self) -> None:
        self.call_after_refresh(self.query_one(Conversation).reveal)

    def show(self, state: State) -> None:
        if state.position != self._position:
            self._position = state.position
            self.remove_class("-evidence")
        self.query_one(Banner).show(report_line(state))
        self.query_one(Conversation).show(state.conversation)
        self.query_one(Evidence).show(state)
        asked = _asked(state)
        self.query_one("#asked", Note).say([Content(asked)])
        self.set_class(bool(asked), "-asked")
        if state.ask is not self._ask:
            self._ask = state.ask
            self.focus_home()
        # An accidental Enter must not count as an answer, and must not take a suggestion after a line that failed.
        marked = (state.ask is None or state.ask.usual is not None) and not misread(state)
        chosen, text = (state.ask is not None and state.ask.kind == kind for kind in ("choice", "text"))
        self.query_one(Choices).show(choices(state), numbered=chosen, marked=marked, letters=not text)
        self.query_one(Prompt).placeholder = _placeholder(state)
        self.refresh_bindings()
        if self.app.held and state.numbers and state.ask is not None and not state.waiting:
            self.call_after_refresh(self._take_held)

    # User actions

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.input.clear()
        if event.value.strip():
            self.remove_class("-evidence")
            self.app.say(event.value)
        else:
            self.take(self.query_one(Choices).marked)
        self.focus_home()

    def _pasted(self, text: str) -> bool:
        """Handle pasted metric rows or a pasted rule message of ncu; return whether the text was recognised."""
        event = understand(text, self.app.state)
        rule = isinstance(event, e.QuestionAsked) and (
            ncu_rule(text, self.app.state) is not None or ncu_rule(event.text, self.app.state) is not None
        )
        if event is None or not (rule or isinstance(event, e.PageRead | e.Volunteered)):
            return False
        self.app.do(event)
        return True

    def _take_held(self) -> None:
        text, self.app.held = self.app.held, ""
        if text and not self._pasted(text):
            self.app.warn("No number was recognised in the pasted text.")

    def to_line(self, key: Key) -> str | None:
        """Return nothing for `/` and `:`, which open the prompt, and a key that has no use while a question is open."""
        if key.character == "/" and self.query_one(Evidence).searches:
            return None
        if key.character in ("/", ":"):
            return ""
        answers = self.app.state.ask is not None and key.is_printable and key.key not in self.active_bindings
        return key.character if answers else None

    def action_ask(self) -> None:
        self.query_one(Prompt).focus()

    def take(self, choice: str | None) -> None:
        event = event_of(choice, self.app.state) if choice else None
        if event is not None:
            self.remove_class("-evidence")
            self.app.dispatch(event)

    def action_command(self, name: str) -> None:
        """Run a command; its result is in the conversation, which a narrow evidence pane would cover."""
        self.remove_class("-evidence")
        super().action_command(name)

    def action_launches(self) -> None:
        self.app.say("/kernels")

    def action_evidence(self) -> None:
        """Show the evidence and give it the keys, so that a digit shows its page; hide it if it has them.

        It is shown beside the conversation if there is room, else instead of it. The prompt keeps the keys.
        """
        evidence, prompt = self.query_one(Evidence), self.query_one(Prompt)
        hide = evidence.display and (evidence.has_focus or evidence.has_focus_within or prompt.has_focus)
        wide = self.has_class("-wide")
        self.set_class(hide if wide else not hide, "-alone" if wide else "-evidence")
        if not prompt.has_focus:
            self.focus_home() if hide else evidence.focus()

    def action_evidence_page(self, by: int) -> None:
        if not self._reveal_evidence():
            self.query_one(Evidence).action_turn(by)

    def action_evidence_take(self, page: str) -> None:
        self._reveal_evidence()
        self.query_one(Evidence).turn_to(page)

    def _reveal_evidence(self) -> bool:
        hidden = not self.query_one(Evidence).display
        if hidden:
            self.action_evidence()
        return hidden

    def _row(self, letter: str) -> str | None:
        """Return the choice with this letter, or None."""
        return next((one.id for one in choices(self.app.state) if letter in one.words), None)

    def action_row(self, letter: str) -> None:
        self.take(self._row(letter))
        self.focus_home()

    def action_escape(self) -> None:
        """Do the first that applies: cancel the running work, leave the prompt, the evidence, the open question, the
        answer on top of the diagnosis, or the launch.
        """
        prompt, state = self.query_one(Prompt), self.app.state
        text = state.ask is not None and state.ask.kind == "text"
        if self.app.cancel_work():
            return
        if prompt.value or (prompt.has_focus and not text):
            prompt.clear()
            self.focus_home()
        elif text:
            self.app.action_undo()
        elif self.query_one(Evidence).has_focus_within or self.has_class("-evidence"):
            self.remove_class("-evidence")
            self.focus_home()
        elif state.ask is not None and not state.numbers and state.ask.group != "expect":
            self.app.dispatch(e.Skipped(state.ask.id))
        elif self.check_action("launches", ()) and not self.query_one(Conversation).to_start():
            self.action_launches()

    def scrolled(self) -> Conversation | Evidence:
        replaced = self.has_class("-evidence") and not self.has_class("-wide")
        evidence, conversation = self.query_one(Evidence), self.query_one(Conversation)
        if replaced or evidence.has_focus or evidence.has_focus_within:
            return evidence
        conversation.let_go()
        return conversation

    def action_line(self, by: int) -> None:
        self.scrolled().scroll_relative(y=by, animate=False)

    def action_ends(self, by: int) -> None:
        view = self.scrolled()
        view.scroll_home(animate=False) if by < 0 else view.scroll_end(animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        state = self.app.state
        several = state.diagnosis is not None and len(state.diagnosis.launches) > 1
        if action == "launches" or (action, *parameters) == ("command", "kernels"):
            return several
        if action == "ask":
            return not self.is_mounted or not self.query_one(Prompt).has_focus
        if action == "command":
            return state.launch is not None
        if action == "row":
            return self._row(str(parameters[0])) is not None
        return state.launch is not None if action in ("evidence", "evidence_page", "evidence_take") else True


def _placeholder(state: State) -> str:
    ask = state.ask
    if ask is not None and ask.kind == "page":
        return "numbers in this order, or pasted rows; names after /; d: no such section"
    if ask is not None and ask.kind == "number":
        return UNIT_HINTS.get(ask.unit, UNIT_HINTS["count"]) + ("; d for don't know" if ask.optional else "")
    if ask is not None and ask.kind == "text":
        return "a path; Tab completes, Esc goes back"
    if ask is not None:
        marked = ask.usual is not None and not misread(state)
        how = "Enter takes the highlighted one" if marked else "or choose with ↓ and Enter"
        return f"1 to {len(choices(state))}, / and a name or its beginning; {how}"
    if state.waiting and state.launch is None:
        return "reading"
    if misread(state):
        return "press / and type it in other words, or choose with ↓ and Enter"
    return "press / and type a question: why is it slow, what is occupancy, dram 83%"


def _asked(state: State) -> str:
    """Return the open question in one line if other cards have followed it, else an empty text."""
    ask, cards = state.ask, state.conversation
    if ask is None or not cards or (cards[-1].kind == "question" and cards[-1].finding == ask.id):
        return ""
    return f"Open question: {safe(' '.join(ask.ask.split()))}"
