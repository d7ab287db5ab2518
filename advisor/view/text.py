"""Wrap and cut text in columns. Control characters in names from a report are escaped."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from advisor.records.diagnosis import LaunchDiagnosis

NAME_WIDTH = 60  # characters of a kernel's name in a line; the full name is in the JSON


def shown(data: str) -> str:
    """Return data from a report for printing: control characters become escapes."""
    if data.isprintable():
        return data
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in data)


def sentence_start(text: str) -> str:
    """Return the text with a capital at its start."""
    # Names of tools keep their case.
    return text if text.startswith(("ncu", "nsys", "nvcc")) else text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """Return the text with a capital at its start and a full stop at its end."""
    text = text.strip()
    return sentence_start(text) + ("" if not text or text[-1] in ".!?:" else ".")


def cut(text: str, width: int) -> str:
    """Cut the text to `width` characters; an ellipsis replaces the end of a longer text."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def cut_start(text: str, width: int) -> str:
    """Cut the text to `width` characters; an ellipsis replaces the beginning of a longer text, such as a path."""
    return text if len(text) <= width else "…" + text[len(text) - max(0, width - 1) :]


def file_name(path: str) -> str:
    """Return the last part of a path of any operating system."""
    return path.replace("\\", "/").rpartition("/")[2]


def place_text(file: str, line: int) -> str:
    """Return `kernel.cu:13`, without the folders; `no line` without line information."""
    return f"{shown(file_name(file))}:{line}" if line else "no line"


def source_line(text: str) -> str:
    """Return a source line for display: tabs as blanks, control characters escaped."""
    return shown(text.expandtabs(4).strip())


def title_text(launch: LaunchDiagnosis, width: int, *more: str) -> str:
    """Return the kernel, the launch (or that it is a workload), then `more`; only a long name is cut.

    width: columns, or 0 to limit only the name.
    """
    which = launch.scope if launch.scope != "launch" else f"launch {launch.index}"
    rest = "".join(f" · {part}" for part in (which, *more))
    room = min(NAME_WIDTH, max(12, width - len(rest))) if width else NAME_WIDTH
    return cut(f"{cut(shown(launch.kernel), room)}{rest}", width or len(rest) + room)


def wrap(text: str, width: int, indent: int = 0, hang: int | None = None) -> list[str]:
    """Wrap to lines of up to `width` columns, the first indented by `indent`, the others by `hang` (default: same)."""
    return textwrap.wrap(
        text,
        width=max(20, width),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent if hang is None else hang),
        break_on_hyphens=False,
    ) or [""]


CODE_HANG = 4  # columns by which the continuation of a line of code is indented further
_RUN: Final = re.compile(r"\S+\s*")
_TOKEN: Final = re.compile(r"\w+\s*|(?://|::|->|<<<|>>>|[-+*/=<>&|!]=|&&|\|\||\S)\s*")


def wrap_code(text: str, width: int, hang: int) -> list[str]:
    """Wrap a line of code to `width` columns; what continues it is indented by `hang` more columns than its start.

    It breaks at blanks, in a longer run between tokens, inside a name only if the name itself is too long. The
    indentation of the line is kept; of what continues it, it is at most half of the width.
    """
    if len(text) <= width:
        return [text]
    lead = text[: len(text) - len(text.lstrip())]
    inside = " " * min(len(lead) + hang, width // 2)
    lines, line = [], lead
    for run in _RUN.findall(text[len(lead) :]):
        fits = len(run.rstrip()) <= width - len(inside)
        for piece in (run,) if fits else _TOKEN.findall(run):
            if line.strip() and len(line) + len(piece.rstrip()) > width:
                lines.append(line.rstrip())
                line = inside
            line += piece
            while len(line.rstrip()) > width:
                lines.append(line[:width])
                line = inside + line[width:]
    return [*lines, line.rstrip()] if line.strip() else lines


# What a fix is on a launch; the first of those that suit is the chosen one.
_FIX_STATUS = {
    "suits": "another fix that suits",
    "general": "general fix, without conditions",
    "unknown": "may suit: a condition is unknown",
    "unsuitable": "does not suit",
}


def fix_status(status: str, chosen: bool) -> str:
    """Return what a fix is on a launch, in a few words. status: of engine.FixProof; chosen: whether it is the first."""
    return "chosen" if chosen and status == "suits" else _FIX_STATUS[status]
