"""Drawings as lines, boxes, marks and words with coordinates in a frame: the content of an SVG without markup."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Shape = Literal["circle", "square", "triangle", "diamond", "cross"]


class Line(Struct, frozen=True):
    """A line; kind: axis, grid, roof, mix (its ceiling by instruction mix) or step (from before to after)."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str


class Box(Struct, frozen=True):
    """A filled box of a lane; title: its tooltip."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str = ""


class Word(Struct, frozen=True):
    """Text at a place; anchor: start, middle or end; turned: rotated to run upwards."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    kind: str = "tick"
    turned: bool = False


class Mark(Struct, frozen=True):
    """A point. Its shape has the same meaning as its colour; link: id of a section; hollow: the state before;
    left: whether its label is on the left."""

    x: float
    y: float
    shape: Shape
    kind: str
    title: str
    label: str = ""
    link: str = ""
    hollow: bool = False
    left: bool = False

    @property
    def path(self) -> str:
        """The shape as an SVG path, about ten units wide; all shapes look equally large."""
        return f"M{self.x:.1f} {self.y:.1f}{_PATHS[self.shape]}"

    @property
    def beside(self) -> Word:
        """The label, above on the right, or on the left if `left`."""
        return Word(self.x + (-7 if self.left else 7), self.y - 5, self.label, "end" if self.left else "start", "name")


_PATHS = {
    "circle": "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "square": "m-4.5 -4.5h9v9h-9z",
    "triangle": "m0 -5.5l5.5 10h-11z",
    "diamond": "m0 -6l6 6l-6 6l-6 -6z",
    "cross": "m-2 -5.5h4v3.5h3.5v4h-3.5v3.5h-4v-3.5h-3.5v-4h3.5z",
}


class Key(Struct, frozen=True):
    """An entry of the legend."""

    shape: Shape | None
    kind: str
    text: str

    @property
    def path(self) -> str:
        """The shape in a frame of 14 units."""
        return Mark(7, 7, self.shape or "square", self.kind, "").path


class Chart(Struct, frozen=True):
    """A drawing in a frame of width x height units. says: a text alternative."""

    title: str
    says: str
    width: int
    height: int
    lines: tuple[Line, ...] = ()
    boxes: tuple[Box, ...] = ()
    words: tuple[Word, ...] = ()
    marks: tuple[Mark, ...] = ()
    keys: tuple[Key, ...] = ()
