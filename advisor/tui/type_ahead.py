"""What is typed or pasted beside the line of a screen goes into the line, and so does all that follows.

A key reaches a widget as a message, and what the widget does about it takes more of them. Were the focus moved only
then, the keys right behind would be on their way to the old place already, as in a burst over a slow line. So the
program asks here before it sends a key on.
"""

from __future__ import annotations

from typing import Any

from textual.events import Event, Key, Paste
from textual.screen import Screen
from textual.widgets import Input, TextArea

from advisor.tui.widgets.prompt import Prompt


def typed(screen: Screen[Any], key: Key) -> str | None:
    """The character of a key that does nothing else here."""
    return key.character if key.is_printable and key.key not in screen.active_bindings else None


def hand_over(screen: Screen[Any], event: Event) -> bool:
    """Give the focus to the screen's line if the event belongs there; whether nothing is left to do about it.

    A screen with such a line has a method `to_line`: what a key puts there, nothing where it only opens the line, None
    for a key of another use. Pasted text always belongs there.
    """
    ask = getattr(screen, "to_line", None)
    if ask is None or not isinstance(event, Key | Paste) or event.is_forwarded:
        return False
    if isinstance(screen.focused, Input | TextArea):
        return False
    text = "" if isinstance(event, Paste) else ask(event)
    line = next((line for line in screen.query(Prompt) if line.focusable), None)
    if text is None or line is None:
        return False
    screen.set_focus(line)
    if isinstance(event, Paste):
        return False  # the program sends it to what has the focus now
    line.insert_text_at_cursor(text)
    return True
