"""Read rows of ncu's tables that were pasted without the kernel's line, and perhaps without headings and sections."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from itertools import dropwhile, islice

from advisor.readers.console import NO_NAME, pasted_rule
from advisor.readers.formats import ROW
from advisor.readers.fragment import LONGEST, MOST_LINES, Row, paragraphs, rows_by_line
from advisor.readers.frame import Contents, Launch, Metric, convert, keys_of, names_wanted
from advisor.readers.numbers import Value

_COMMENT = re.compile(r"^\s*(?://|#(?!\s*(?:SMs|TPCs)\b)|>|\*)\s?")  # of code or of a quotation, around pasted rows
_FEWEST = 3  # rows; fewer may be anybody's words
_ROWS = "the text has rows of ncu's tables, but no kernel: they are taken as one launch, up to a row that comes again"


def read_rows(lines: Iterable[str], metrics: Mapping[str, Metric]) -> Contents:
    """Return one launch without a name, whose numbers are the known rows of the text; no launch if there are too few.

    A row belongs to its section. Without one, its label and its unit say which metric is meant.
    """
    begun = dropwhile(lambda line: not (ROW.match(line) or "Section: " in line[:40]), lines)
    text = "\n".join(_COMMENT.sub("", line[:LONGEST]) for line in islice(begun, MOST_LINES))
    sections: dict[str, dict[str, Metric]] = {}
    for metric in metrics.values():
        for pair in metric.text:
            for section, label in keys_of(pair):
                sections.setdefault(label, {})[section] = metric
    known = sections.keys() | {*names_wanted(metrics.values())}
    values: dict[str, Value] = {}
    labels: dict[tuple[str, str], Value] = {}
    for row in rows_by_line(text, known.__contains__):
        value = row.value, row.unit
        if row.label not in sections:
            first = values.setdefault(row.label, value)
        elif (of := _section_of(row, sections[row.label])) is not None:
            first = labels.setdefault((of, row.label), value)
        else:
            continue
        if first != value:  # of the next launch
            break
    found = Contents()
    if len(values) + len(labels) >= _FEWEST:
        rules = tuple(pasted_rule(paragraph) for paragraph in paragraphs(text))
        found.launches.append(Launch(0, NO_NAME, NO_NAME, values=values, labels=labels, rules=rules))
        found.problems.append(_ROWS)
        found.missing = None
    return found


def _section_of(row: Row, sections: Mapping[str, Metric]) -> str | None:
    """Return the section that a row belongs to: its own, else the first one where it has such a unit."""
    if row.section in sections:
        return row.section
    return next((s for s, metric in sections.items() if math.isfinite(convert(row.value, row.unit, metric.unit))), None)
