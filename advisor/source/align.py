"""The instructions of two launches laid side by side: where the code is the same, where it was replaced."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from advisor.source.listing import Listing, Row

BY = ("opcode", "instruction")
# What difflib does grows with the pairs of equal entries; more than this takes longer than a user waits.
_MOST_PAIRS = 6_000_000
_ADDRESS = re.compile(r"0x[0-9a-f]{6,16}\b")
_LABEL = re.compile(r"`?\(\.?\w+\)`?")


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch that differs: the rows before and now with their values; either side may be empty."""

    before: tuple[tuple[Row, float], ...]
    now: tuple[tuple[Row, float], ...]

    @property
    def change(self) -> float:
        """By how much the measure grew in it."""
        return sum(value for _, value in self.now) - sum(value for _, value in self.before)


@dataclass(frozen=True, slots=True)
class Alignment:
    """by: opcode or instruction; same: how many both have in the same order; hunks: in the order of the code."""

    by: str
    same: int
    hunks: tuple[Hunk, ...]


def align(a: tuple[Listing, Sequence[float]], b: tuple[Listing, Sequence[float]], by: str) -> Alignment | None:
    """Aligns two launches by opcode, or by whole instruction without addresses of branches.

    None where a side has no code, or both are so long and alike that it would take minutes.
    """
    if not (a[0].has_code and b[0].has_code):
        return None
    left, right = ([_token(row, by) for row in listing.rows] for listing, _ in (a, b))
    head = next((i for i, (x, y) in enumerate(zip(left, right, strict=False)) if x != y), min(len(left), len(right)))
    rest = min(len(left), len(right)) - head
    backwards = zip(reversed(left), reversed(right), strict=False)
    tail = min(rest, next((i for i, (x, y) in enumerate(backwards) if x != y), rest))
    middle = (left[head : len(left) - tail], right[head : len(right) - tail])
    counts = [Counter(part) for part in middle]
    if sum(count * counts[1][token] for token, count in counts[0].items()) > _MOST_PAIRS:
        return None
    same, hunks = head + tail, []
    for kind, i, j, k, m in SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
        if kind == "equal":
            same += j - i
            continue
        hunks.append(Hunk(_side(a, head + i, head + j), _side(b, head + k, head + m)))
    return Alignment(by, same, tuple(hunks))


def _side(side: tuple[Listing, Sequence[float]], start: int, end: int) -> tuple[tuple[Row, float], ...]:
    return tuple(zip(side[0].rows[start:end], side[1][start:end], strict=True))


def _token(row: Row, by: str) -> str:
    return row.opcode if by == "opcode" else _ADDRESS.sub("", _LABEL.sub("", row.sass))
