"""The prompt: completion, history, and forwarding of keys that were pressed in other widgets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Event, Key, Paste
from textual.message import Message
from textual.screen import Screen
from textual.suggester import Suggester
from textual.widgets import Input, Static

from advisor.tui.drawing import unstacked

_KEPT: Final = 500


class History:
    """History of sent lines; stepping forward ends at the line that is being typed."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._at = 0
        self._draft = ""

    def add(self, line: str) -> None:
        """Add a sent line; keep repeated lines once."""
        if line.strip() and (not self._lines or self._lines[-1] != line):
            self._lines = [*self._lines, line][-_KEPT:]
        self._at = len(self._lines)
        self._draft = ""

    def step(self, by: int, now: str) -> str | None:
        if self._at == len(self._lines):
            self._draft = now
        at = self._at + by
        if not 0 <= at <= len(self._lines):
            return None
        self._at = at
        return self._draft if at == len(self._lines) else self._lines[at]


Completer = Callable[[str], tuple[str, ...]]


def _of(words: tuple[str, ...]) -> Completer:
    return lambda text: tuple(word for word in words if word.casefold().startswith(text.casefold())) if text else ()


class _Completions(Suggester):
    """Suggester that shows the first completion after the cursor."""

    def __init__(self, complete: Completer) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._complete = complete

    async def get_suggestion(self, value: str) -> str | None:
        return next((line for line in self._complete(value) if line.startswith(value)), None) if value else None


class Prompt(Input):
    """An input with completion and history; it leaves the up and down arrow keys to the list of choices."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Choose", tooltip="Take the highlighted choice or launch, or submit the typed line"),
        Binding("up", "step(-1)", "Up", show=False),
        Binding("down", "step(1)", "Down", show=False),
        Binding("alt+up", "recall(-1)", "Previous line", show=False),
        Binding("alt+down", "recall(1)", "Next line", show=False),
        Binding("tab", "complete", "Complete", show=False),
    ]

    class Stepped(Message):
        """The user pressed up (-1) or down (1)."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(
        self,
        words: tuple[str, ...] | Completer = (),
        *,
        placeholder: str = "",
        ident: str | None = None,
        history: History | None = None,
        pasted: Callable[[str], bool] = lambda text: False,
    ) -> None:
        """words: completions of a line, or a function that gives them for the typed text, most likely first.

        pasted: takes pasted text of several lines, and returns whether it used it; otherwise its first line is kept.
        """
        self._pasted = pasted
        self._complete = _of(words) if isinstance(words, tuple) else words
        self._history = history
        self._offered: tuple[str, ...] = ()
        # Even a long kernel name has fewer than 4,000 characters; longer text is a file pasted by accident.
        super().__init__(
            placeholder=placeholder,
            suggester=_Completions(self._complete),
            max_length=4000,
            compact=True,
            id=ident,
            select_on_focus=False,  # do not select the text, so that the user can continue typing
        )

    def _on_paste(self, event: Paste) -> None:
        """Use several pasted lines at once: an input holds only one."""
        lines = [line for line in event.text.splitlines() if line.strip()]
        if len(lines) > 1 and not self.value and self._pasted(event.text):
            event.prevent_default()
            event.stop()

    async def _on_key(self, event: Key) -> None:
        if event.character == "?" and not self.value:
            event.stop()
            event.prevent_default()  # else the input types it
            await self.run_action("app.help")

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Leave `?` to the help while the prompt is empty, as the line of keys says; type any other character."""
        return (character != "?" or bool(self.value)) and super().check_consume_key(key, character)

    def watch_value(self, before: str, now: str) -> None:
        """Show in the line of keys whether `?` opens the help or is typed."""
        if bool(before) is not bool(now) and self.is_attached:
            self.screen.refresh_bindings()

    def validate_value(self, value: str) -> str:
        kept = value if value.isprintable() else "".join(c for c in value if c.isprintable())
        return kept if kept.isascii() else unstacked(kept)

    def action_step(self, by: int) -> None:
        self.post_message(self.Stepped(by))

    async def action_submit(self) -> None:
        if self._history is not None:
            self._history.add(self.value)
        await super().action_submit()

    def action_recall(self, by: int) -> None:
        line = None if self._history is None else self._history.step(by, self.value)
        if line is not None:
            self.write(line)

    def action_complete(self) -> None:
        if self.value in self._offered and len(self._offered) > 1:
            at = self._offered.index(self.value) + 1
            self.write(self._offered[at % len(self._offered)])
            return
        self._offered = self._complete(self.value) if self.value and self.cursor_at_end else ()
        if self._offered:
            self.write(self._offered[0])
        elif not self.value.startswith("/"):
            self.screen.focus_next()

    def write(self, line: str) -> None:
        """Replace the text, and put the cursor at its end."""
        self.value = line
        self.cursor_position = len(line)


class PromptLine(Horizontal):
    """The prompt with its sign to the left."""

    def __init__(self, prompt: Prompt, *, blocks: bool = True) -> None:
        super().__init__(Static("› " if blocks else "> ", id="sign", markup=False), prompt, id="ask")


def forward_to_prompt(screen: Screen[Any], event: Event, *, at_once: bool = False) -> bool:
    """Focus the screen's prompt if a key or pasted text belongs there; return whether the event is fully handled.

    A screen with a prompt has a method `to_line`. It returns the text that a key puts there, or None for other keys.
    at_once: the key is a character of text that arrived at once, whatever else it means.
    """
    ask = getattr(screen, "to_line", None)
    if ask is None or not isinstance(event, Key | Paste) or event.is_forwarded:
        return False
    if isinstance(screen.focused, Input):
        return False
    line = next((line for line in screen.query(Prompt) if line.focusable), None)
    text = "" if isinstance(event, Paste) else ask(event)
    if text is None and at_once and isinstance(event, Key):
        text = event.character
    if text is None or line is None:
        return False
    screen.set_focus(line)
    if isinstance(event, Paste):
        return False  # the app sends the event to the widget that now has the focus
    line.insert_text_at_cursor(text)
    return True
