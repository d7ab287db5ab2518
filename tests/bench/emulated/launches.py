"""The launches of kernels.cu, read from the comments before the kernels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("kernels.cu")
COUNT = 1 << 20  # elements of x and of y
_LAUNCH = re.compile(r"^// ([\d,]+) ([\d,]+) (\d+) (\d+)\nK (\w+)\(", re.MULTILINE)


@dataclass(frozen=True)
class Launch:
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    n: int


def _shape(text: str) -> tuple[int, int, int]:
    x, y, z = (*map(int, text.split(",")), 1, 1)[:3]
    return x, y, z


def launches() -> list[Launch]:
    """Return all launches in the order of the file."""
    text = SOURCE.read_text(encoding="utf-8")
    return [Launch(name, _shape(g), _shape(b), int(s), int(n)) for g, b, s, n, name in _LAUNCH.findall(text)]
