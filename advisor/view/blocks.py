"""A report for people as blocks, which the writers of HTML and Markdown lay out: each thing is said once.

Every text here is plain: names from a report and words of the knowledge alike. The writers escape them, and set what
stands between two backticks as code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.view.svg import Chart

Tone = Literal["plain", "good", "warn", "bad", "lead", "dim"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and what there is to say of it."""

    label: str
    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels with their texts, one under another."""

    rows: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences, or steps where their order counts."""

    items: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table. key: what it is sorted by, where that is not its text; link: the section that it leads to."""

    text: str
    key: float | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading; numbers stand at the right. A sort begins with the largest number, or with the letter A."""

    name: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, as many as there are columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sortable: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of source from line `start` on; hot: the number of the line that counts."""

    caption: str
    start: int
    lines: tuple[str, ...]
    hot: int


@dataclass(frozen=True, slots=True)
class Command:
    """What to type, to be copied as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class BarRow:
    """One bar. share: 0 to 1 of the full length, None where it is unknown; text: the value as it is written."""

    label: str
    share: float | None
    text: str
    note: str = ""
    total: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars under a caption; marks: shares at which a line is drawn, and what they mean is said in the caption."""

    caption: str
    rows: tuple[BarRow, ...]
    marks: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing. Markdown shows its `text` instead, rows of plain characters; without any it goes without the picture,
    and what it shows stands in words beside it."""

    chart: Chart
    text: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A line under a turn, `depth` levels deep. label: what kind of line it is, in a word or two."""

    text: str
    depth: int = 0
    label: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a conversation. label: who speaks, or what kind of answer it is; said: whether the user spoke.

    aside: a remark beside the title.
    """

    label: str
    title: str
    items: tuple[Item, ...] = ()
    said: bool = False
    aside: str = ""


Block = Paragraph | Facts | Bullets | Table | Code | Command | Bars | Picture | Turn


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading. id: by which links find it; folded: shown on demand; level: 2 or 3."""

    title: str
    blocks: tuple[Block, ...]
    id: str = ""
    level: int = 2
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report: title, what it was made of, sections. `made`: blocks between title and sections."""

    title: str
    made: tuple[Block, ...]
    sections: tuple[Section, ...]


def facts(*rows: tuple[str, str] | Fact | None) -> Facts:
    """Facts of pairs; None is left out."""
    return Facts(tuple(row if isinstance(row, Fact) else Fact(*row) for row in rows if row is not None))


def section(
    title: str, blocks: Sequence[Block | None], *, name: str = "", level: int = 2, folded: bool = False
) -> Section:
    """A section of the blocks that are there; name: its id."""
    return Section(title, tuple(block for block in blocks if block is not None), name, level, folded)
