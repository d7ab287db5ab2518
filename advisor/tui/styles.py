"""How things look: theme colours, and the style and mark of each kind of line. A mark or a word always says it too."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

DARK: Final = Theme(
    name="advisor-dark",
    primary="#5aa9e6",
    secondary="#8fa3bf",
    accent="#f2b950",
    warning="#f2a65a",
    error="#ee6a6a",
    success="#7cc47f",
    foreground="#dde3ea",
    background="#12161c",
    surface="#191f27",
    panel="#232b36",
    dark=True,
    variables={"quiet": "#8b98a7"},
)
LIGHT: Final = Theme(
    name="advisor-light",
    primary="#1f6fb2",
    secondary="#5b6b7f",
    accent="#a86a00",
    warning="#b45a00",
    error="#b3261e",
    success="#2f7d32",
    foreground="#1c2430",
    background="#fbfbf8",
    surface="#f1f2ef",
    panel="#e4e7e6",
    dark=False,
    variables={"quiet": "#66707c"},
)

CARDS: Final = {
    "overview": "$text-primary",
    "class": "$text-primary",
    "finding": "$text-warning",
    "trust": "$text-warning",
    "fix": "$text-success",
    "next": "$text-success",
    "question": "$text-accent",
    "answer": "$text-secondary",
    "change": "$text-accent",
    "napkin": "$text-accent",
    "error": "$text-error",
    "step": "$text-accent",
    "steps": "$text-accent",
    "compared": "$text-success",
    "log": "$text-success",
    "timeline": "$text-primary",
}
OTHER_CARDS: Final = "$text-secondary"
LINES: Final = {
    "strong": "bold",
    "quiet": "$quiet",
    "holds": "$text-success",
    "fails": "$text-error",
    "unknown": "$quiet italic",
    "warning": "",
}
MARKS: Final = {"holds": "✓", "fails": "✗", "unknown": "?", "warning": "!"}
PLAIN_MARKS: Final = {"holds": "+", "fails": "x", "unknown": "?", "warning": "!"}
BARS: Final = {
    "high": "$error",
    "busy": "$warning",
    "quiet": "$primary",
    "total": "$secondary",
    "stall": "$primary",
    "unknown": "$quiet",
}
LANES: Final = {
    "kernels": "$success",
    "communication": "$accent",
    "copies": "$primary",
    "migrations": "$primary",
    "other": "$secondary",
    "busy": "$foreground",
    "idle": "$warning",
    "stream": "$secondary",
}
# Roles of pictures in text cells (view/text_canvas.py).
ROLES: Final = {
    "roof": "$primary",
    "now": "bold $text-warning",
    "then": "bold $text-secondary",
    "paper": "bold $text-accent",
    "axis": "$quiet",
    "box": "$secondary",
    "title": "bold",
    "high": "bold $text-error",
    "busy": "$text-warning",
    "quiet": "$quiet",
    "unknown": "$quiet italic",
}
