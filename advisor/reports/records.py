"""One launch as a reader found it, in the file's own names and units, and the frame made of many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from advisor.model import IDENTITY, Access, RuleResult
from advisor.reports.units import convert

if TYPE_CHECKING:
    import pandas as pd

Shape = tuple[int, int, int]
Value = tuple[float, str]
# The parts of a throughput in the tables of `--print-details all` are metrics by another name.
_BREAKDOWN = {"SM": "sm", "L1": "l1tex", "L2": "lts", "DRAM": "dram", "GPU": "gpu", "IDC": "idc", "SYSLTS": "syslts"}


class Metric(Protocol):
    """What the readers use of a catalog entry."""

    @property
    def unit(self) -> str:
        """The canonical unit."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that ncu gives it, best first."""

    @property
    def combine(self) -> str:
        """What several present names make: first, max or sum."""

    @property
    def text(self) -> tuple[str, ...]:
        """`Section/Label` pairs of console text and details CSV."""


@dataclass(slots=True)
class Launch:
    """values: ncu metric name -> (value, unit in the file); labels: (section, label) -> the same, for console text and
    details CSV; known: canonical metrics that the reader worked out itself, in their canonical unit."""

    index: int
    kernel: str
    kernel_full: str
    grid: Shape | None = None
    block: Shape | None = None
    gpu_name: str = ""
    cc: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    labels: dict[tuple[str, str], Value] = field(default_factory=dict)
    known: dict[str, float] = field(default_factory=dict)
    opcodes: dict[str, float] | None = None
    accesses: tuple[Access, ...] | None = None
    rules: tuple[RuleResult, ...] = ()


@dataclass(slots=True)
class Contents:
    """What a reader found in a file. missing: launches known to be lost, or None if their number cannot be known."""

    launches: list[Launch] = field(default_factory=list)
    tool: str = "ncu"
    problems: list[str] = field(default_factory=list)
    missing: int | None = 0

    @property
    def complete(self) -> bool:
        """Whether every launch of the file was read."""
        return self.missing == 0


def breakdown_name(label: str) -> str:
    """The metric behind a breakdown label: `SM: Pipe Fma Cycles Active` is sm__pipe_fma_cycles_active in % of peak."""
    unit, _, words = label.partition(": ")
    if unit not in _BREAKDOWN or not words:
        return ""
    return f"{_BREAKDOWN[unit]}__{words.lower().replace(' ', '_')}.avg.pct_of_peak_sustained_elapsed"


def base_value(metric: Metric, launch: Launch, names: Sequence[str], labels: Sequence[tuple[str, str]]) -> float:
    """The metric of one launch in its canonical unit, from `names` and then `labels`; NaN when the file lacks it.

    The first name that is present and finite counts, or the largest or the sum of all present ones, as the entry says.
    """
    found = []
    for name in names:
        if name in launch.values:
            value = convert(*launch.values[name], metric.unit)
            if math.isfinite(value):
                if metric.combine == "first":
                    return value
                found.append(value)
    if found:
        return max(found) if metric.combine == "max" else math.fsum(found)
    for label in labels:
        if label in launch.labels:
            value = convert(*launch.labels[label], metric.unit)
            if math.isfinite(value):
                return value
    return math.nan


def _keys(pair: str) -> Iterator[tuple[str, str]]:
    """`Section/Label` as a key; a section or a label may itself hold a slash."""
    section, _, label = pair.partition("/")
    yield section, label
    section, _, label = pair.rpartition("/")
    yield section, label


def frame(launches: Sequence[Launch], metrics: Mapping[str, Metric], report: int = 0) -> pd.DataFrame:
    """One row a launch: the columns of model.IDENTITY and one float64 column for each metric that any launch has."""
    import pandas as pd

    columns: dict[str, object] = {
        "report": pd.Series([report] * len(launches), dtype="int64"),
        "index": pd.Series([x.index for x in launches], dtype="int64"),
    }
    for name in IDENTITY[2:]:
        columns[name] = pd.Series([getattr(x, name) for x in launches], dtype=object)
    shown = {name for x in launches for name in x.values}
    labelled = {label for x in launches for label in x.labels}
    known = {name for x in launches for name in x.known}
    for name, metric in metrics.items():
        if metric.names or metric.text or name in known:
            names = [n for n in metric.names if n in shown]
            labels = [key for pair in metric.text for key in _keys(pair) if key in labelled]
            values = (
                [base_value(metric, x, names, labels) for x in launches]
                if names or labels
                else [math.nan] * len(launches)
            )
            if name in known:
                values = [x.known.get(name, v) if math.isnan(v) else v for x, v in zip(launches, values, strict=True)]
            columns[name] = pd.Series(values, dtype="float64")
    return pd.DataFrame(columns)


def names_wanted(metrics: Iterable[Metric]) -> list[str]:
    """Every ncu name that some metric can be read from, once."""
    return list(dict.fromkeys(name for metric in metrics for name in metric.names))
