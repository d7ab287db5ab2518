"""`ncu --csv` with the details page or with `--metrics`: a row a metric, and a row a rule."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from advisor.errors import InputError
from advisor.model import RuleResult
from advisor.reports.names import one_line, short_name
from advisor.reports.raw_csv import MIXED
from advisor.reports.records import Contents, Launch, breakdown_name
from advisor.reports.tables import CutShortError, rows, shape
from advisor.reports.values import count_nan, decimal_mark, number

_NEEDED = ("Kernel Name", "Metric Name", "Metric Unit")


class _Table:
    """Where the columns of one header are; they differ by version."""

    def __init__(self, header: list[str], segment: int) -> None:
        self.at = {title: i for i, title in enumerate(header)}
        self.segment = segment
        self.summary = "Average" in self.at and "Metric Value" not in self.at

    def get(self, row: list[str], title: str) -> str:
        """The row's field under a title, '' where the table or the row has none (rows of metrics end early)."""
        i = self.at.get(title)
        return row[i] if i is not None and i < len(row) else ""

    def key(self, row: list[str]) -> tuple[object, ...]:
        """What tells the launches of a file apart."""
        if self.summary:
            parts = ("Process ID", "Kernel Name", "Block Size", "Grid Size", "Device")
            return (self.segment, *(self.get(row, title) for title in parts))
        return (self.segment, self.get(row, "Process ID"), self.get(row, "ID"))


class _Entry:
    """A launch while its rows come in: values still as text, for the decimal mark is known only at the end."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.values: dict[str, tuple[str, str]] = {}
        self.labels: dict[tuple[str, str], tuple[str, str]] = {}
        self.rules: list[RuleResult] = []
        self.sections: dict[str, None] = {}


def read_details_csv(lines: Iterable[str], wanted: Collection[str], most: int) -> Contents:
    """The launches of a details page, at most `most`; `wanted` are found by name, others by section and label."""
    found = Contents()
    entries: dict[tuple[object, ...], _Entry] = {}
    table: _Table | None = None
    segment, averaged = 0, 0
    keep = frozenset(wanted)
    try:
        for row in rows(lines):
            if all(title in row for title in _NEEDED):
                segment += 1
                table = _Table(row, segment)
            elif table is not None and len(row) > table.at["Metric Name"]:
                key = table.key(row)
                if key not in entries:
                    if len(entries) >= most:
                        raise InputError(f"more than {most:,} launches; cut the file into parts")
                    entries[key] = _entry(table, row, len(entries))
                    averaged += int(table.get(row, "Invocations") or 0) if table.summary else 0
                _take(table, row, entries[key], keep)
            elif table is not None:
                found.problems.append(f"a row of only {len(row)} fields is left out")
                found.missing = None
    except CutShortError:
        found.problems.append("the file ends inside a row: it was cut")
        found.missing = None
    if averaged:
        found.problems.append(f"a summary: each kernel stands for the average of its launches ({averaged} in all)")
    cut = last_is_cut([tuple(entry.sections) for entry in entries.values()])
    if cut:
        found.problems.append(cut)
        found.missing = None
    mark = decimal_mark(text for e in entries.values() for part in (e.values, e.labels) for text, _ in part.values())
    if mark is None:
        found.problems.append(MIXED)
    for entry in entries.values():
        launch = entry.launch
        launch.values = {k: (number(text, mark or "."), unit) for k, (text, unit) in entry.values.items()}
        launch.labels = {k: (number(text, mark or "."), unit) for k, (text, unit) in entry.labels.items()}
        launch.known["nan_metrics"] = count_nan(text for text, _ in (*entry.values.values(), *entry.labels.values()))
        launch.rules = tuple(entry.rules)
        found.launches.append(launch)
    return found


def last_is_cut(sections: list[tuple[str, ...]]) -> str:
    """What to say if the last launch lacks the later sections of the one before, as in a file cut between two lines."""
    if len(sections) < 2:
        return ""
    before, last = sections[-2:]
    # The last name may itself be cut.
    if 0 < len(last) < len(before) and before[: len(last) - 1] == last[:-1]:
        return f"the last launch has only {len(last)} of {len(before)} sections: the file seems to be cut"
    return ""


def _entry(table: _Table, row: list[str], index: int) -> _Entry:
    full = table.get(row, "Kernel Name")
    grid, block = shape(table.get(row, "Grid Size")), shape(table.get(row, "Block Size"))
    return _Entry(Launch(index, short_name(full), full, grid, block, cc=table.get(row, "CC")))


def _take(table: _Table, row: list[str], entry: _Entry, keep: frozenset[str]) -> None:
    section, label = table.get(row, "Section Name"), table.get(row, "Metric Name")
    rule = table.get(row, "Rule Name")
    if rule:
        entry.rules.append(_rule(table, row, rule))
    elif label:
        entry.sections[section] = None
        value = (table.get(row, "Average" if table.summary else "Metric Value"), table.get(row, "Metric Unit"))
        name = label if label in keep else breakdown_name(label)
        if name in keep:
            entry.values.setdefault(name, value)
        else:
            entry.labels.setdefault((table.get(row, "Body Item Label") or section, label), value)


def _rule(table: _Table, row: list[str], rule: str) -> RuleResult:
    kind, estimate = table.get(row, "Estimated Speedup Type"), number(table.get(row, "Estimated Speedup"))
    speedup = speedup_of(estimate) if kind == "global" else None
    local = percent_of(estimate) if kind == "local" else None
    return RuleResult(rule, one_line(rule), one_line(table.get(row, "Rule Description")), speedup, local)


def speedup_of(saving: float) -> float | None:
    """Old time over new for an estimate of ncu, which is the % of the kernel's time saved; None if there is none.

    ncu's local estimates are about one part of the kernel and no speedups of it: `percent_of` takes them.
    """
    return 1 / (1 - saving / 100) if 0 <= saving < 100 else None


def percent_of(saving: float) -> float | None:
    """A local estimate of ncu, % of one part of the kernel that can be saved; None if there is none."""
    return saving if 0 <= saving <= 100 else None
