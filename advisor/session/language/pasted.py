"""Parse numbers that are pasted from ncu or typed for a page: rows of tables, CSV, names with numbers, bare numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from advisor.readers.fragment import Row, read_fragment
from advisor.readers.frame import breakdown_name, convert
from advisor.records.errors import AdvisorError
from advisor.records.quantities import is_unit, parse_metric
from advisor.session.language.names import called, plain, rows_named
from advisor.session.language.tables import cell, memory_tables, unused
from advisor.session.language.values import Said, bare_number, expected, said, understood
from advisor.session.records import Ask, KnowledgeIndex
from advisor.view.numbers import amount_text

_DURATION: Final = "duration_ns"
_CYCLES: Final = "sm_cycles_elapsed"
_CLOCK: Final = (0.1, 5.0)  # GHz: the SM clocks of all GPUs, idle and boosted
_MOST_UNREAD: Final = 5
_FEW_BYTES: Final = 1e5  # of more bytes, rounding leaves a fraction
_MOST_TYPED: Final = 12  # lines without a known label that are tried as typed names, which takes a search for each
# A value of a list in the order of a page; a dash and similar signs stand for an unknown number.
_ITEM: Final = re.compile(
    r"(?P<value>[+-]?\d(?:[\d.,]*\d)?(?:e[+-]?\d+)?(?:\s*(?:%|[a-zµμ]+(?:/[a-z]+)?))?)|(?P<unknown>n/a|unknown|[-–—?x])",
    re.IGNORECASE,
)
# A word of such a list, where a number is expected.
_WORD: Final = re.compile(r"[^\W\d]+(?=\s*(?:;|,\s|$))")
# A name with a lone dash: the page does not show that row.
_NOT_SHOWN: Final = re.compile(r"(^|[,;\n])[^,;\n\d]*?\s[-–—](?=[ \t]*(?:[,;\n]|$))")
_BETWEEN: Final = re.compile(r"\s*(?:;|,(?=\s)|\s)\s*")
_AMONG: Final = re.compile(r"[;\n]|,(?!\d)|,(?=\d{3}(?!\d)[\d,]*[a-z])", re.IGNORECASE)


class Pasted(Struct, frozen=True):
    """The numbers of a text as (metric, value in its canonical unit), and what was not understood, one line each.

    remark: how a number without its unit was read.
    """

    values: tuple[tuple[str, float], ...] = ()
    unread: tuple[str, ...] = ()
    remark: str = ""


@lru_cache(maxsize=4)
def _labels(labels: tuple[tuple[str, str, str], ...]) -> dict[tuple[str, str], str]:
    return {(section, label): metric for section, label, metric in labels}


@lru_cache(maxsize=4)
def _of_sections(labels: tuple[tuple[str, str, str], ...]) -> dict[str, tuple[str, ...]]:
    """Return the metrics by the labels of all sections: two sections have a row Memory Throughput, in other units."""
    out: dict[str, tuple[str, ...]] = {}
    for section, label, metric in labels:
        if section:
            out[plain(label)] = (*out.get(plain(label), ()), metric)
    return out


@lru_cache(maxsize=4)
def _own_names(labels: tuple[tuple[str, str, str], ...]) -> frozenset[str]:
    return frozenset(label for section, label, _ in labels if not section)


def in_order(text: str, rows: Sequence[Ask]) -> Pasted | None:
    """Return the numbers of a list without names, in the order of the rows; None for any other text."""
    at, found, words = 0, list[str](), dict[int, str]()
    text = text.strip()
    while at < len(text):
        match = _ITEM.match(text, at) or _WORD.match(text, at)
        if match is None:
            return None
        if match.re is _WORD:
            words[len(found)] = match[0]
        found.append(match.groupdict().get("value") or "")
        gap = _BETWEEN.match(text, match.end())
        at = match.end() if gap is None else gap.end()
        if gap is None and at < len(text):
            return None
    # More words than numbers are names of numbers, or prose.
    if not any(found) or len(words) >= sum(map(bool, found)):
        return None
    values: list[tuple[str, float]] = []
    unread = [f"{len(found)} numbers for {len(rows)} rows: the last are not used"] if len(found) > len(rows) else []
    bare = [
        at for at, row in enumerate(rows[: len(found)]) if row.unit == "ns" and found[at].isascii() and _bare(found[at])
    ]
    if bare and len(found) < len(rows):
        # Nobody leaves out the unit of a time but for another row, and the others would all be in the wrong rows.
        name, value = rows[bare[0]].row, found[bare[0]]
        why = f"{name} {value}: which row is it? Type names with numbers, or a dash for each row without a number"
        return Pasted((), (why,))
    few = f"{len(found)} numbers for {len(rows)} rows are read as the first {len(found)}"
    remark = few if 1 < len(found) < len(rows) else ""
    for at, (row, value) in enumerate(zip(rows, found, strict=False)):
        if at in words:
            unread.append(f"{row.row or row.id} {words[at]}: {expected(row.unit)}")
        elif at in bare:
            time = _by_clock(value, rows, found)
            if time >= (row.low or 0.0):
                values.append((row.id, time))
                cycles = _cycles(rows, found)
                remark = (
                    f"{row.row or row.id} {value} is read as {amount_text(time, row.unit, 4)}: "
                    f"{cycles:,.0f} elapsed cycles are then a clock of {cycles / time:.2f} GHz"
                )
            else:
                unread.append(f"{row.row or row.id} {value}: type its unit, such as {value} us")
        elif value.endswith("%") and row.unit not in ("%", "ratio"):
            unread.append(f"{row.row or row.id} {value}: {expected(row.unit)}")
        elif value:
            _keep(values, unread, row.id, _typed(value, row.unit), f"{row.row or row.id} {value}", row)
    return Pasted(tuple(values), tuple(unread), remark)


def _bare(value: str) -> bool:
    """Return whether a number has no unit."""
    return bool(value) and value[-1].isdigit()


def _by_clock(value: str, rows: Sequence[Ask], found: Sequence[str]) -> float:
    """Return a time without its unit in ns: the unit with which the elapsed cycles give a possible clock, or NaN."""
    cycles = _cycles(rows, found)
    times = (_typed(f"{value} {unit}", "ns") for unit in ("ns", "us", "ms", "s"))
    return next((time for time in times if time > 0 and _CLOCK[0] <= cycles / time <= _CLOCK[1]), math.nan)


def _cycles(rows: Sequence[Ask], found: Sequence[str]) -> float:
    """Return the elapsed cycles of a list, or NaN."""
    return next((_typed(v, r.unit) for r, v in zip(rows, found, strict=False) if r.id == _CYCLES and v), math.nan)


def read(text: str, index: KnowledgeIndex, rows: Sequence[Ask] = (), given: Collection[str] = ()) -> Pasted:
    """Return the numbers of any text; nothing raises.

    rows: those of the open page, whose names come first; given: the metrics with a number, which an ambiguous name
    means last.
    """
    known = cache(lambda label: bool(_meant(label, "", index, rows)))
    asks = {ask.id: ask for ask in (*index.interview, *rows)}
    values: list[tuple[str, float]] = []
    unread: list[str] = []
    text, in_tables = memory_tables(_NOT_SHOWN.sub(r"\1", text))
    several, combined = dict[str, float](), dict(index.combined)
    for label, value in in_tables:
        metric = next(iter(_meant(label, "", index, rows)), "")
        if metric in several and combined.get(metric) == "sum":
            value += several[metric]
            values = [one for one in values if one[0] != metric]
        if metric:
            several.setdefault(metric, value)
            _keep(values, unread, metric, value, label, asks.get(metric))
    fragment = read_fragment(text, _own_names(index.labels), known)
    several.clear()
    for row in fragment.rows:
        if why := unused(plain(row.label), row.value):
            unread.append(f"{row.label} {row.value:,g}: {why}")
            continue
        metrics = _meant(row.label, row.section, index, rows)
        fitting = [(m, v) for m in metrics if math.isfinite(v := _converted(row, index.unit(m) or ""))]
        for likely in ({ask.id for ask in rows}, {a.id for a in index.interview if a.group == "metric"}):
            fitting = [one for one in fitting if one[0] in likely] or fitting
        if len({metric for metric, _ in fitting}) == 1:
            metric, value = fitting[0]
            if metric in several and metric in combined:
                value = several[metric] + value if combined[metric] == "sum" else max(several[metric], value)
                values = [one for one in values if one[0] != metric]
            several.setdefault(metric, value)
            _keep(values, unread, metric, value, row.label, asks.get(metric))
        elif fitting:
            unread.append(f"{row.label}: several metrics match ({', '.join(metric for metric, _ in fitting[:3])})")
        elif metrics and (row.section or row.unit) and not _is_own_name(index, row.label):
            typed = f"{row.label} {row.value:g} {row.unit}".rstrip()
            unread.append(f"{typed}: {expected(index.unit(metrics[0]) or '')}")
    # A line of several names with numbers is no row of a table.
    lines = fragment.unread if fragment.rows or "\n" in text.strip() else tuple(filter(None, (text.strip(),)))
    parts = [part for line in lines[:_MOST_TYPED] for part in _AMONG.split(line) if part.strip()]
    beside = tuple(pair for part in parts for pair in said(part))
    for text_ in parts:
        part = _named(text_, index, rows, asks, {*given, *dict(values)}, beside)
        values += [one for one in part.values if one[0] not in dict(values)]
        unread += part.unread
    more = len(unread) - _MOST_UNREAD + max(0, len(lines) - _MOST_TYPED)
    unread = unread[:_MOST_UNREAD] + ([f"and {more} more lines"] if more > 0 else [])
    return Pasted(tuple(values), tuple(unread))


def _is_own_name(index: KnowledgeIndex, label: str) -> bool:
    """Return whether the label is one of ncu's own names, which a table repeats with other units."""
    return label in _own_names(index.labels)


def _named(
    part: str,
    index: KnowledgeIndex,
    rows: Collection[Ask],
    asks: dict[str, Ask],
    given: Collection[str],
    beside: tuple[Said, ...],
) -> Pasted:
    """Return the typed numbers with names in a part of a line: `dram 83%`, `about 40 registers`. beside: all parts."""
    pairs = said(part)
    # A time without a name is the duration: ncu shows no other.
    time = bare_number(part) if not pairs and rows else ""
    if time and not _bare(time) and math.isfinite(_typed(time, "ns")) and _DURATION not in given:
        pairs = (Said(_DURATION, time),)
    if not pairs:
        return Pasted((), (f"{part.strip()}: expected a name with a number, such as dram 83%",))
    found = understood(pairs, index, likely=[row.id for row in rows], given=given, beside=beside)
    values: list[tuple[str, float]] = []
    unread = list(found.unread)
    for metric, value in found.values:
        _keep(values, unread, metric, value, metric, asks.get(metric))
    return Pasted(tuple(values), tuple(unread))


def _keep(
    values: list[tuple[str, float]], unread: list[str], metric: str, value: float, name: str, ask: Ask | None
) -> None:
    """Add a number if it is possible, else the reason why not; the first of several for one metric counts."""
    unit = "" if ask is None else ask.unit
    if not math.isfinite(value):
        unread.append(f"{name}: {expected(unit)}")
    elif unit == "byte" and value < _FEW_BYTES and value % 1:
        unread.append(f"{name} {value:g}: bytes are whole; type its unit, such as {value:g} MB")
    elif ask is not None and ask.low and value < ask.low:
        unread.append(f"{name}: {amount_text(value, unit)} is less than {amount_text(ask.low, unit)}; type its unit")
    elif value < 0 or (ask is not None and ask.high is not None and value > ask.high):
        most = "0 or more" if ask is None or ask.high is None else f"0 to {amount_text(ask.high, unit)}"
        unread.append(f"{name}: {amount_text(value, unit)} is outside the possible range, {most}")
    elif metric not in dict(values):
        values.append((metric, value))


def _meant(label: str, section: str, index: KnowledgeIndex, rows: Collection[Ask]) -> tuple[str, ...]:
    """Return the metrics that a label can mean: by ncu's name, a row of the page, the section, or its name alone."""
    labels = _labels(index.labels)
    own = labels.get(("", label)) or labels.get(("", breakdown_name(label)))
    if own:
        return (own,)
    if (section, label) in labels:
        return (labels[section, label],)
    wanted = plain(label)
    exact = rows_named(index.pages).get(wanted, ())
    if len(exact) == 1 and len({*exact, *_of_sections(index.labels).get(wanted, ())}) == 1:
        return exact
    in_table = cell(wanted) if wanted else None
    if in_table is not None and in_table.metric and index.unit(in_table.metric) is not None:
        return (in_table.metric,)
    on_page = tuple(row.id for row in rows if wanted and wanted in (plain(row.row), plain(row.id)))
    return (
        tuple(dict.fromkeys((*on_page, *called(label, index), *exact, *_of_sections(index.labels).get(wanted, ()))))
        if wanted
        else ()
    )


def _converted(row: Row, unit: str) -> float:
    """Return a number of a row in a metric's unit, NaN if the units differ."""
    if row.unit and is_unit(row.unit) and row.unit.casefold() not in (unit.casefold(), "%"):
        value = _typed(f"{row.value!r} {row.unit}", unit)
        if math.isfinite(value):
            return value
    return convert(row.value, row.unit, unit)


def _typed(text: str, unit: str) -> float:
    """Return a typed number in a unit, with a decimal point or a comma; NaN if it is none."""
    comma = re.match(r"\s*[+-]?\d+,(?:\d{1,2}|\d{4,})(?!\d)", text) and "." not in text
    try:
        return parse_metric(text.replace(",", ".", 1) if comma else text, unit)
    except AdvisorError:
        return math.nan
