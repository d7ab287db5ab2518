"""The block types of pages: a result is a page of blocks; the writers (terminal, HTML, Markdown) lay them out.

Every text is plain, from a report or from the knowledge base. Writers escape it, and show text between two backticks
as code.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from advisor.view.charts.drawing import Chart

Tone = Literal["plain", "good", "warn", "bad", "lead", "dim"]
Style = Literal["text", "strong", "fact", "step", "quiet", "warning", "holds", "fails", "unknown"]


class Paragraph(Struct, frozen=True):
    """Running text."""

    text: str
    tone: Tone = "plain"


class Fact(Struct, frozen=True):
    """A label and its text, such as `Class` and `DRAM-bound: …`."""

    label: str
    text: str
    tone: Tone = "plain"


class Facts(Struct, frozen=True):
    """A list of labels with texts, one per line. The first Facts block of a page is its verdict."""

    rows: tuple[Fact, ...]


class Bullets(Struct, frozen=True):
    """A list of sentences or numbered steps."""

    items: tuple[str, ...]
    ordered: bool = False


class Cell(Struct, frozen=True):
    """A cell of a table. key: the sort key of a number; link: the id of the target section."""

    text: str
    key: float | None = None
    link: str = ""
    tone: Tone = "plain"


class Column(Struct, frozen=True):
    """A column's heading. numeric: right-aligned, sorted from the largest number.

    keep: the end of a long text to keep when it is cut (`end` for paths); spare: a narrow terminal omits the columns
    with the highest number first, never those with 0; from 3 on also if texts would be cut to under 32 columns.
    """

    name: str
    numeric: bool = False
    keep: Literal["start", "end"] = "start"
    spare: int = 0


class Table(Struct, frozen=True):
    """A table: rows with one cell per column. prose: cells are sentences, which a terminal shows as a list.

    notes: lines under each row; a terminal also puts omitted columns there.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sortable: bool = False
    prose: bool = False
    notes: tuple[tuple[str, ...], ...] = ()


class Code(Struct, frozen=True):
    """Lines of source from line `start` on (0: without numbers); hot: the line to highlight, 0 for none.

    diff: lines that begin with + or - are additions or deletions, without numbers.
    """

    caption: str
    start: int
    lines: tuple[str, ...]
    hot: int = 0
    diff: bool = False


class Command(Struct, frozen=True):
    """A command line to copy. fold: whether a terminal may wrap it with shell continuations."""

    text: str
    fold: bool = False


class BarRow(Struct, frozen=True):
    """One bar. share: 0 to 1 of the full length, None if unknown; text: the formatted value."""

    label: str
    share: float | None
    text: str
    note: str = ""
    total: bool = False


class Bars(Struct, frozen=True):
    """Bars under a caption. marks: shares at which a line is drawn; the caption explains them."""

    caption: str
    rows: tuple[BarRow, ...]
    marks: tuple[float, ...] = ()


class Picture(Struct, frozen=True):
    """A drawing. draw: renders it as text of a given width, in block characters or ASCII; None: HTML only."""

    chart: Chart | None
    draw: Callable[[int, bool], Sequence[str]] | None = None


class Plain(Struct, frozen=True):
    """Preformatted lines of text: drawings in characters, output of a program.

    whole: lines to copy, which a terminal must not cut.
    """

    lines: tuple[str, ...]
    whole: bool = False


_TONES: dict[str, Tone] = {
    "strong": "lead", "quiet": "dim", "warning": "warn", "holds": "good", "fails": "bad", "unknown": "warn"
}  # fmt: skip
_STYLES: dict[Tone, Style] = {"good": "holds", "warn": "warning", "bad": "fails", "lead": "strong", "dim": "quiet"}
# The outcome of a test is shown by a sign, not only by colour.
SIGNS = {"holds": "✓", "fails": "✗", "unknown": "?", "warning": "!"}


class Line(Struct, frozen=True):
    """One line of an outline or a turn at level `depth`. label: the kind of line, in a word or two.

    style: text, strong, fact (a text for its label), step (of numbered steps), quiet, warning, or the outcome of a
    test: holds, fails, unknown.
    """

    text: str
    style: Style = "text"
    label: str = ""
    depth: int = 0

    @property
    def tone(self) -> Tone:
        """The tone of its style."""
        return _TONES.get(self.style, "plain")

    @property
    def signed(self) -> str:
        """The text after the sign of its style."""
        sign = SIGNS.get(self.style, "")
        return f"{sign} {self.text}" if sign else self.text


class Outline(Struct, frozen=True):
    """Nested lines, each with its depth."""

    lines: tuple[Line, ...]


class Turn(Struct, frozen=True):
    """A turn of a conversation. label: the speaker or kind of answer; said: by the user; aside: after the title."""

    label: str
    title: str
    lines: tuple[Line, ...] = ()
    said: bool = False
    aside: str = ""


Block = Paragraph | Facts | Bullets | Table | Code | Command | Bars | Picture | Plain | Outline | Turn | Line


class Section(Struct, frozen=True):
    """Blocks under a heading. id: the target of links; folded: shown on demand in HTML; level: 2 or 3."""

    title: str
    blocks: tuple[Block, ...]
    id: str = ""
    level: int = 2
    folded: bool = False


class Page(Struct, frozen=True):
    """A page with a result: title, sources and answer in `made`, then sections."""

    title: str
    made: tuple[Block, ...]
    sections: tuple[Section, ...]


def map_texts(part: Any, change: Callable[[str], str], fixed: frozenset[str] = frozenset()) -> Any:
    """Return blocks, or any part of a page, with every text changed but those in the fields named by `fixed`."""
    if isinstance(part, str):
        return change(part)
    if isinstance(part, tuple):
        return tuple(map_texts(item, change, fixed) for item in part)
    if isinstance(part, Struct):
        names = [name for name in part.__struct_fields__ if name not in fixed]
        return replace(part, **{name: map_texts(getattr(part, name), change, fixed) for name in names})
    return part


# Fields of blocks whose texts are names for programs.
FIXED: Final = frozenset({"tone", "style", "kind", "shape", "anchor", "id", "link"})
_REPORT: Final = re.compile(r"(ncu-advisor [a-z-]+ )REPORT\b")


def for_report(part: Any, path: str) -> Any:
    """Return blocks with the open report in the commands to copy, quoted for a shell, where it is not known: REPORT."""
    argument = shlex.quote(path)
    return map_texts(part, lambda text: _REPORT.sub(lambda match: match[1] + argument, text), FIXED) if path else part


def facts(*rows: tuple[str, str] | Fact | None) -> Facts:
    """Return Facts of (label, text) pairs without None."""
    return Facts(tuple(row if isinstance(row, Fact) else Fact(*row) for row in rows if row is not None))


def paragraphs(text: str) -> list[Paragraph]:
    """Return a paragraph for each line of the text."""
    return [Paragraph(line) for line in text.splitlines() if line.strip()]


def section(
    title: str, blocks: Sequence[Block | None], *, name: str = "", level: int = 2, folded: bool = False
) -> Section:
    """Return a section of the blocks that are not None. name: its id."""
    return Section(title, tuple(block for block in blocks if block is not None), name, level, folded)


def in_lines(blocks: Sequence[Block]) -> tuple[Line, ...]:
    """Convert the blocks to lines, for a list, a search or a document for programs. Drawings have no lines."""
    return tuple(line for block in blocks for line in _lines(block))


def _lines(block: Block) -> Sequence[Line]:
    match block:
        case Line():
            return (block,)
        case Paragraph(text, tone):
            return (Line(text, _STYLES.get(tone, "text")),)
        case Facts(rows):
            return [Line(row.text, _STYLES.get(row.tone, "fact"), row.label) for row in rows]
        case Bullets(items, ordered):
            return [Line(item, "step" if ordered else "text") for item in items]
        case Table(columns, cells):
            return [
                Line(cell.text, "fact" if at else "strong", column.name if at else "", min(at, 1))
                for row in cells
                for at, (column, cell) in enumerate(zip(columns, row, strict=True))
                if cell.text
            ]
        case Code(caption, _, lines):
            return [*([Line(caption, "strong")] if caption else []), *(Line(line) for line in lines)]
        case Command(text):
            return (Line(text, "strong", "Run"),)
        case Bars(caption, bars):
            return [Line(caption, "strong"), *(Line(bar.text, "fact", bar.label) for bar in bars)]
        case Plain(lines):
            return [Line(line) for line in lines]
        case Outline(lines):
            return lines
        case Turn(label, title, lines):
            return [Line(title, "strong", label), *lines]
    return ()


def flat(sections: Sequence[Section]) -> tuple[Block, ...]:
    """Return the blocks of all sections, each section after a line with its title."""
    return tuple(
        block for part in sections for block in (*((Line(part.title, "strong"),) if part.title else ()), *part.blocks)
    )
