"""Listings written by hand: a line of SASS each, with the values that a test needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.hardware.sass import OpClass, classify, parse
from advisor.source.listing import Listing, Row
from advisor.source.measures import Sight

START = 0x1000


def row(at: int, sass: str, values: Mapping[str, float] | None = None, file: str = "k.cu", line: int = 0) -> Row:
    code = parse(sass)
    op = classify(code.opcode, "9.0") if code is not None else OpClass("")
    return Row(START + 16 * at, file if line else "", line, sass, Sight(code, op, dict(values or {})))


def listing(lines: Sequence[tuple[str, Mapping[str, float], int]]) -> Listing:
    """Of (SASS, values, source line) triples at 0x1000, 0x1010, …"""
    return Listing(tuple(row(i, *one[:2], line=one[2]) for i, one in enumerate(lines)), frozenset())


def code(*sass: str) -> tuple[list[object], list[int]]:
    """Parsed instructions and their addresses."""
    return [parse(s) for s in sass], [START + 16 * i for i in range(len(sass))]
