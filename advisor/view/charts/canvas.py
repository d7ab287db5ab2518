"""A picture in text cells: lines in braille or ASCII, boxes and words, each with a role for colouring.

Coordinates are cells from the upper left corner and may be fractions for lines. Parts outside are cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

# A piece of text and its role; a row of them is one line of the picture.
Run = tuple[str, str]
Row = tuple[Run, ...]

_ACROSS, _DOWN = 2, 4  # dots of a braille cell
_DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_BRAILLE: Final = 0x2800
_MOST_STEPS: Final = 4000


class Canvas:
    """A canvas of `width` by `height` cells. Words cover lines; a later word covers an earlier one."""

    def __init__(self, width: int, height: int, *, blocks: bool = True) -> None:
        self.width, self.height, self.blocks = max(width, 0), max(height, 0), blocks
        self._dots: dict[tuple[int, int], tuple[int, str]] = {}
        self._words: dict[tuple[int, int], Run] = {}

    def line(self, start: tuple[float, float], end: tuple[float, float], role: str, *, gaps: bool = False) -> None:
        """Draw a straight line between two points (x, y); with gaps, only every other dot."""
        (x0, y0), (x1, y1) = start, end
        steps = min(int(max(abs(x1 - x0) * _ACROSS, abs(y1 - y0) * _DOWN)) + 1, _MOST_STEPS)
        plain = "-" if abs(y1 - y0) < 0.5 else "|" if abs(x1 - x0) < 0.5 else "/" if (x1 - x0) * (y1 - y0) < 0 else "\\"
        for at in range(0, steps + 1, 2 if gaps else 1):
            x, y = x0 + (x1 - x0) * at / steps, y0 + (y1 - y0) * at / steps
            column, row = int(x // 1), int(y // 1)
            if not (0 <= column < self.width and 0 <= row < self.height):
                continue
            if self.blocks:
                bit = _DOTS[min(int((y - row) * _DOWN), _DOWN - 1)][min(int((x - column) * _ACROSS), _ACROSS - 1)]
                self._dots[column, row] = (self._dots.get((column, row), (0, ""))[0] | bit, role)
            else:
                self._dots[column, row] = (ord(plain), role)

    def put(self, x: int, y: int, text: str, role: str = "") -> None:
        """Write a word of one-cell-wide characters from (x, y) to the right."""
        for at, character in enumerate(text):
            if 0 <= x + at < self.width and 0 <= y < self.height:
                self._words[x + at, y] = (character, role)

    def free(self, x: int, y: int, length: int = 1) -> bool:
        """Return whether a word of this length fits inside the canvas and covers no other word."""
        inside = x >= 0 and x + length <= self.width and 0 <= y < self.height
        return inside and all((at, y) not in self._words for at in range(x, x + length))

    def box(self, x: int, y: int, width: int, height: int, title: str, role: str = "box") -> None:
        """Draw a frame with its title in the upper edge."""
        corners, across, down = ("┌┐└┘", "─", "│") if self.blocks else ("++++", "-", "|")
        inner = width - 2
        self.put(x, y, corners[0] + across * inner + corners[1], role)
        self.put(x + 1, y, title[:inner], "title")
        for row in range(y + 1, y + height - 1):
            self.put(x, row, down, role)
            self.put(x + width - 1, row, down, role)
        self.put(x, y + height - 1, corners[2] + across * inner + corners[3], role)

    def rows(self) -> list[Row]:
        """Return the picture, one row per line, without trailing blanks."""
        return [self._row(y) for y in range(self.height)]

    def _row(self, y: int) -> Row:
        runs: list[Run] = []
        for x in range(self.width):
            character, role = self._words.get((x, y)) or self._drawn(x, y)
            if runs and runs[-1][1] == role:
                runs[-1] = (runs[-1][0] + character, role)
            else:
                runs.append((character, role))
        while runs and not runs[-1][0].rstrip():
            runs.pop()
        if runs:
            runs[-1] = (runs[-1][0].rstrip(), runs[-1][1])
        return tuple(runs)

    def _drawn(self, x: int, y: int) -> Run:
        bits, role = self._dots.get((x, y), (0, ""))
        if not bits:
            return " ", ""
        return chr(_BRAILLE + bits) if self.blocks else chr(bits), role


def plain(row: Row) -> str:
    """Return the text of a row without its roles."""
    return "".join(text for text, _ in row)


_BLOCKS, _ASCII = " ▁▂▃▄▅▆▇█", " .:-=+*%#"  # shades of a cell


def shaded(shares: Sequence[float], blocks: bool) -> str:
    """Return a cell for each share, 0 to 1, the fuller the higher: blank only for 0, full only for 1."""
    shades = _BLOCKS if blocks else _ASCII
    return "".join(shades[_level(share, len(shades) - 1)] for share in shares)


def _level(share: float, most: int) -> int:
    if share <= 0:
        return 0
    if share >= 0.999:
        return most
    return max(1, min(most - 1, round(share * most)))
