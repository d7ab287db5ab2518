"""Parse numbers with names in a line of text: `dram = 70 %, l2 41%`, `37.5 achieved occupancy`, in any order."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Final

from msgspec import Struct

from advisor.records.errors import AdvisorError
from advisor.records.quantities import is_unit, parse_metric
from advisor.session.language.names import metrics_of, near_metrics, plain, rows_named
from advisor.session.language.tables import cell, shown, unused
from advisor.session.records import UNIT_HINTS, KnowledgeIndex

_MOST: Final = 40  # numbers in a typed line
_LONGEST: Final = 4000
_DIGITS: Final = re.compile(
    r"(?<![\w.,])[+-]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:_\d+)*|(?=\.\d))(?:\.\d+)?(?:e[+-]?\d+)?(?:\s*(?:\^|\*\*)\s*\d{1,3})?",
    re.IGNORECASE | re.ASCII,
)
_UNIT: Final = re.compile(r"\s*(%|[^\W\d_]+(?:/[^\W\d_]+)?)(?![\w.])")
# Units that users omit; a time or a size without its unit is ambiguous.
_BARE: Final = ("%", "count", "ratio", "cycle", "inst", "warp", "thread", "register", "block", "sector")
# Separators of two pairs. A comma between digits belongs to the number.
_APART: Final = re.compile(r"[;\n]|,(?!\d{3}(?!\d))|\s+and\s+", re.IGNORECASE)
# Filler words around the names of numbers.
_FILLERS: Final = frozenset(
    (
        *("a", "about", "almost", "and", "approximately", "are", "around", "at", "equals", "from", "gives", "had"),
        *("has", "have", "i", "is", "it", "its", "kernel", "me", "my", "ncu", "nearly", "of", "on", "our", "percent"),
        *("reads", "roughly", "runs", "said", "says", "shows", "than", "that", "the", "there", "to", "value", "was"),
        *("we", "were", "with"),
    )
)


class Said(Struct, frozen=True):
    """A number and its name, both as typed."""

    name: str
    value: str


class Understood(Struct, frozen=True):
    """The result of parsing. values: (metric, value in its canonical unit) in the order typed; because: the reason why
    a part is not understood; meant: suggestions, whole lines; several: whether a name is ambiguous; unread: each part
    that is not understood, with what would be.
    """

    values: tuple[tuple[str, float], ...] = ()
    because: str = ""
    meant: tuple[str, ...] = ()
    several: bool = False
    unread: tuple[str, ...] = ()


def said(text: str) -> tuple[Said, ...]:
    """Return the numbers of a line with their names; () if one has no name or if there is no number."""
    out: list[Said] = []
    for part in _APART.split(text[:_LONGEST]):
        found = _part(part)
        if found is None or len(out) + len(found) > _MOST:
            return ()
        out += found
    return tuple(out)


def bare_number(text: str) -> str:
    """Return the only number of a line without a name, with its unit (`about 83 %`); empty for any other line."""
    found = _numbers(text[:_LONGEST])
    if len(found) != 1:
        return ""
    start, end = found[0]
    return "" if _name(text[:start]) or _name(text[end:]) else text[start:end]


def _numbers(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each number with its unit; digits next to other letters are part of a word."""
    out = []
    for match in _DIGITS.finditer(text):
        unit = _UNIT.match(text, match.end())
        known = unit is not None and is_unit(unit[1])
        following = text[match.end() : match.end() + 1]
        if match[0] and (known or not (following.isalnum() or following == "_")):
            out.append((match.start(), unit.end() if unit is not None and known else match.end()))
    return out


def _part(part: str) -> list[Said] | None:
    """Return the pairs of a part without a separator; None for a number without a name or a name without a number."""
    numbers = _numbers(part)
    if not numbers:
        return None if _name(part) else []
    ends = [0, *(end for _, end in numbers)]
    starts = [*(start for start, _ in numbers), len(part)]
    between = [_name(part[end:start]) for end, start in zip(ends, starts, strict=True)]
    values = [part[start:end] for start, end in numbers]
    if len(values) == 1:
        name = " ".join(word for word in between if word)
        return [Said(name, values[0])] if name else None
    if all(between) and all(cell(plain(f"{between[0]} {name}")) for name in between[1:]):
        # The row of a table, then numbers before the names of its columns: `shared loads 1M requests 8M wavefronts`.
        return [Said(f"{between[0]} {name}", value) for name, value in zip(between[1:], values, strict=True)]
    names = between[:-1] if between[0] else between[1:]
    rest = between[-1] if between[0] else between[0]
    if rest or not all(names):
        return None
    return [Said(name, value) for name, value in zip(names, values, strict=True)]


def _name(text: str) -> str:
    """Return a name without the filler words and signs around it."""
    kept = [word.strip(" \t=:~≈<>\"'()[]?!,;") for word in text.split()]
    kept = [word for word in kept if word and any(c.isalnum() for c in word)]
    while kept and kept[0].casefold() in _FILLERS:
        kept.pop(0)
    while kept and kept[-1].casefold() in _FILLERS:
        kept.pop()
    return " ".join(kept)


def understood(
    pairs: tuple[Said, ...],
    index: KnowledgeIndex,
    form: str = "{pairs}",
    likely: Collection[str] = (),
    given: Collection[str] = (),
    beside: tuple[Said, ...] = (),
) -> Understood:
    """Return the pairs as metrics and values. form: the line around {pairs} in suggestions.

    likely: the metrics of the open page, which an ambiguous name means first; given: those with a number already, which
    it means last. beside: all numbers of the line, if these are some of them. A pair that is not understood leaves out
    no other one; because and meant are about the first such pair.
    """
    values: dict[str, float] = {}
    unread: list[str] = []
    because, meant, several = "", tuple[str, ...](), False
    as_typed = [pair.name for pair in pairs]
    pairs = tuple(Said(_whole_name(pair, beside or pairs, index, bool(likely)), pair.value) for pair in pairs)
    asked = {metric for page in index.pages for metric, _, _ in page.rows} if likely else frozenset[str]()
    for at, pair in enumerate(pairs):
        typed = f"{as_typed[at]} {pair.value.strip()}"
        why = unused(plain(pair.name), _count(pair.value))
        if why:
            because = because or f"{pair.name} is {why}."
            unread.append(f"{typed}: {why}")
            continue
        found = metrics_of(pair.name, index, lambda metric, pair=pair: _takes(metric, pair.value, index))  # type: ignore[misc]
        if len(found) > 1 and pair.value.strip()[-1:].isdigit():
            found = tuple(metric for metric in found if index.unit(metric) in _BARE) or found
        for fitting in (
            tuple(metric for metric in found if metric in likely),
            tuple(metric for metric in found if metric in asked),
            tuple(metric for metric in found if metric not in values and metric not in given),
        ):
            found = fitting if fitting and len(found) > 1 else found
        if len(found) != 1:
            near = found or near_metrics(pair.name, index)
            names = " or ".join(near[:3])
            if not unread:
                because = "Several metrics match: choose one." if found else f"No metric is called {pair.name}."
                meant, several = _lines(near, at, pairs, form), bool(found)
            wrong = "several metrics match; type" if found else "no metric has this name; did you mean"
            unread.append(f"{typed}: {wrong} {names}" if names else f"{typed}: no metric has this name")
            continue
        unit = index.unit(found[0]) or ""
        if likely and unit == "ns" and pair.value.strip()[-1:].isdigit() and plain(pair.name) != plain(found[0]):
            because = because or "A time needs its unit."
            unread.append(f"{typed}: type its unit, such as {pair.value.strip()} us or {pair.value.strip()} ms")
            continue
        try:
            values[found[0]] = parse_metric(pair.value, unit)
        except AdvisorError as problem:
            because = because if unread else str(problem)
            unread.append(f"{typed}: {expected(unit)}")
    return Understood(tuple(values.items()), because, meant, several, tuple(unread))


def _whole_name(pair: Said, pairs: tuple[Said, ...], index: KnowledgeIndex, interview: bool) -> str:
    """Return the name with what people leave out: the row of a table that the other names of the line agree on.

    The name of a column alone belongs to the row named before it: `shared load requests 8, wavefronts 16`. In an
    interview, the short name of a summary row means that row, and the name of a cell the number that a page asks for.
    """
    name, units = pair.name, {metric for metric, _, _ in index.metrics}
    wanted = plain(name)
    if interview and wanted in shown():
        return shown()[wanted]
    named = rows_named(index.pages).get(wanted, ()) if interview else ()
    if len(named) == 1 and named[0] in units and index.unit(named[0]) != "ns":  # a time is known by its unit too
        return named[0]
    here = cell(wanted)
    if here is None:
        before = pairs[: pairs.index(pair)] if pair in pairs else ()
        row = next((found for one in reversed(before) if (found := cell(plain(one.name))) is not None), None)
        of_row = None if row is None else cell(f"{row.table} {wanted}", row.row)
        return name if of_row is None else of_row.metric if of_row.metric in units else f"{row.table} {name}"  # type: ignore[union-attr]
    if here.row or here.unused:
        return here.metric if interview and here.metric in units else name
    others = [found for pair in pairs if (found := cell(plain(pair.name))) is not None and found.table == here.table]
    rows = {found.row for found in others if found.row}
    whole = cell(wanted, next(iter(rows))) if len(rows) == 1 else None
    return whole.metric if whole is not None and whole.row and whole.metric in units else name


def _count(value: str) -> float:
    try:
        return parse_metric(value, "count")
    except AdvisorError:
        return math.nan


def expected(unit: str) -> str:
    """Return the form of a number in a unit that would be understood: `expected a percentage, such as 83%`."""
    return f"expected {UNIT_HINTS.get(unit, UNIT_HINTS['ratio'])}"


def _takes(metric: str, value: str, index: KnowledgeIndex) -> bool:
    if "%" in value and index.unit(metric) not in ("%", "ratio"):
        return False
    try:
        parse_metric(value, index.unit(metric) or "")
    except AdvisorError:
        return False
    return True


def _lines(metrics: tuple[str, ...], at: int, pairs: tuple[Said, ...], form: str) -> tuple[str, ...]:
    """Return lines with each possible name in place of the ambiguous one."""
    out = []
    for metric in metrics[:3]:
        named = [metric if here == at else pair.name for here, pair in enumerate(pairs)]
        parts = ", ".join(f"{name} = {pair.value.strip()}" for name, pair in zip(named, pairs, strict=True))
        out.append(form.format(pairs=parts))
    return tuple(out)
