"""A launch with the names and units of its file, and the frame of all launches.

Kernel names and messages are untrusted: control characters are escaped and long names cut. Units are converted to those
of the canonical metrics; every factor is a power of ten (ncu's Kbyte is 1000 bytes), so a unit consists of an exponent
and a dimension.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from advisor.records.magnitudes import plausible
from advisor.records.readings import IDENTITY, Access, CodeCounts, RuleResult
from advisor.records.sampling import Sampling

if TYPE_CHECKING:
    import pandas as pd

# C0, DEL, C1, line separators, and zero-width characters, and characters that change the direction of text.
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_LINK = re.compile(r"@(section|url|sass|source):(.*?)@", re.DOTALL)
_OPERATOR = re.compile(r"(?:^|::|\s)(operator\s*(?:\(\)|\[\]|[-+*/%^&|~!=<>]{1,3}))$")
_ARGUMENTS = re.compile(r"<(?!unnamed>)|\((?!anonymous namespace\))")
_SPACE = re.compile(r"\s+")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


def clean(text: str, limit: int) -> tuple[str, str]:
    """Return the text without terminal control characters, and a note on the change ('' if unchanged)."""
    done = ""
    cut = text
    if len(text) > limit:
        cut = text[:limit] + f"... ({len(text) - limit:,} more characters)"
        done = f"a name of {len(text):,} characters is truncated to {limit:,}"
    safe = _CONTROL.sub(_escape, cut)
    if safe != cut and not done:
        done = "a name holds control characters, shown escaped"
    return safe, done


def one_line(text: str, limit: int = 4000) -> str:
    """Return a message as one line: whitespace folded, control characters escaped, at most `limit` characters."""
    return clean(_SPACE.sub(" ", text).strip(), limit)[0]


def without_links(message: str) -> str:
    """Replace the links (`@section:…:text@`, `@url:text:…@`, `@sass:…@`, `@source:…@`) of a message by their text."""
    return _LINK.sub(_link_text, message)


def _link_text(match: re.Match[str]) -> str:
    kind, body = match.groups()
    if kind == "url":
        return body.partition(":")[0]
    # section:<id>:<text>, sass:<address>:<text>, source:<file>:<line>:<text>; a file name may contain a colon (C:\...).
    return body.rpartition(":")[2] if kind == "source" else body.partition(":")[2]


def short_name(full: str) -> str:
    """Return the function name in a demangled signature, without return type, scope, template or call arguments.

    >>> short_name("void at::native::<unnamed>::kernel<float, (int)4>(at::Tensor &, T4)")
    'kernel'
    """
    text = _SPACE.sub(" ", full).strip().removesuffix(" const")
    if text.endswith(")"):
        text = _before_group(text, "(", ")")
    if found := _OPERATOR.search(text):
        return found.group(1)
    if text.endswith(">"):
        text = _before_group(text, "<", ">")
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        if text[i] in ")>]" and text[i - 1 : i + 1] != "->":
            depth += 1
        elif text[i] in "(<[":
            depth -= 1
        elif depth == 0 and (text[i - 1 : i + 1] == "::" or text[i] == " "):
            text = text[i + 1 :]
            break
    if not text or any(mark in text for mark in "<>()"):
        # Brackets may not match, since ncu cuts long names anywhere. The name ends before the first arguments.
        text = _ARGUMENTS.split(full, maxsplit=1)[0].rpartition("::")[2].strip().rpartition(" ")[2]
    return text or full


def _before_group(text: str, opening: str, closing: str) -> str:
    """Remove the bracketed group at the end of `text`; unchanged if brackets do not match or nothing would be left."""
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        if text[i] == closing and text[i - 1 : i + 1] != "->":
            depth += 1
        elif text[i] == opening:
            depth -= 1
            if depth == 0:
                return text[:i].rstrip() or text
    return text


_PREFIXES = {"n": -9, "u": -6, "µ": -6, "m": -3, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_SECONDS = {"s", "sec", "second", "seconds"}
_BYTES = {"byte", "bytes", "B"}
_HERTZ = {"hz", "Hz", "HZ", "hertz"}
_PERCENT = {"%", "pct", "percent"}
_NOUN = re.compile(r"[#A-Za-z_ .-]+")
# (exponent of ten, exponent of bytes, exponent of seconds)
Parsed = tuple[int, int, int]


def _atom(text: str) -> Parsed | None:
    if text in ("", "1"):
        return 0, 0, 0
    if text in _PERCENT:
        return -2, 0, 0
    for names, found in ((_SECONDS, (0, 1)), (_BYTES, (1, 0)), (_HERTZ, (0, -1))):
        if text in names:
            return 0, *found
        if text[1:] in names and text[0] in _PREFIXES:
            return _PREFIXES[text[0]], *found
    # Every other noun (inst, sector, warp, register, ...) counts things: no dimension.
    return (0, 0, 0) if _NOUN.fullmatch(text) else None


@lru_cache(maxsize=512)
def parse(unit: str) -> Parsed | None:
    """Return the exponent of ten and the dimension (bytes, seconds) of a unit such as `Gbyte/s`; None if unknown."""
    above, _, below = unit.strip().partition("/")
    top, bottom = _atom(above.strip()), _atom(below.strip())
    if top is None or bottom is None:
        return None
    return top[0] - bottom[0], top[1] - bottom[1], top[2] - bottom[2]


def convert(value: float, unit: str, target: str) -> float:
    """Convert `value` from `unit` to `target`; NaN if their dimensions differ.

    A value without a unit is assumed to be in the metric's own unit (old exports omit units).
    """
    if not unit.strip() or unit == target or math.isnan(value):
        return plausible(value)
    have, want = parse(unit), parse(target)
    if have is None or want is None or have[1:] != want[1:]:
        return math.nan
    if (unit.strip() in _PERCENT) != (target in _PERCENT) and target in _PERCENT:
        return math.nan
    shift = have[0] - want[0]
    return plausible(value * 10.0**shift if shift >= 0 else value / 10.0**-shift)


Shape = tuple[int, int, int]
Value = tuple[float, str]
# `--print-details all` lists the parts of a throughput under other names of metrics.
_BREAKDOWN = {"SM": "sm", "L1": "l1tex", "L2": "lts", "DRAM": "dram", "GPU": "gpu", "IDC": "idc", "SYSLTS": "syslts"}


class Metric(Protocol):
    """The part of a catalog entry that the readers use."""

    @property
    def unit(self) -> str:
        """The canonical unit."""

    @property
    def names(self) -> tuple[str, ...]:
        """ncu's names of the metric, the preferred one first."""

    @property
    def combine(self) -> str:
        """How to combine the values of several names: first, max or sum."""

    @property
    def text(self) -> tuple[str, ...]:
        """`Section/Label` pairs of console text and details CSV."""


class Launch(Struct):
    """A launch. values: ncu metric name -> (value, unit in the file); labels: (section, label) -> the same, in console
    text and details CSV; known: canonical metrics that the reader derived, in their canonical unit."""

    index: int
    kernel: str
    kernel_full: str
    grid: Shape | None = None
    block: Shape | None = None
    gpu_name: str = ""
    cc: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)
    labels: Mapping[tuple[str, str], Value] = field(default_factory=dict)
    known: dict[str, float] = field(default_factory=dict)
    opcodes: dict[str, float] | None = None
    accesses: tuple[Access, ...] | None = None
    code: CodeCounts | None = None
    rules: tuple[RuleResult, ...] = ()
    sampling: Sampling | None = None


class Contents(Struct):
    """The launches and problems in a file. missing: number of lost launches, None if that is unknown."""

    launches: list[Launch] = field(default_factory=list)
    tool: str = "ncu"
    problems: list[str] = field(default_factory=list)
    missing: int | None = 0

    @property
    def complete(self) -> bool:
        """Whether every launch of the file was read."""
        return self.missing == 0


def breakdown_name(label: str) -> str:
    """Return the metric of a breakdown label: `SM: Pipe Fma Cycles Active` is sm__pipe_fma_cycles_active (%)."""
    unit, _, words = label.partition(": ")
    if unit not in _BREAKDOWN or not words:
        return ""
    return f"{_BREAKDOWN[unit]}__{words.lower().replace(' ', '_')}.avg.pct_of_peak_sustained_elapsed"


def base_value(metric: Metric, launch: Launch, names: Sequence[str], labels: Sequence[tuple[str, str]]) -> float:
    """Return the metric of one launch in its canonical unit, from `names`, then `labels`; NaN if the file lacks it.

    The result is the first finite value, or the maximum or the sum of all values, as defined by the entry.
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


def keys_of(pair: str) -> Iterator[tuple[str, str]]:
    """Yield the possible keys of `Section/Label`; a section or a label may contain a slash."""
    section, _, label = pair.partition("/")
    yield section, label
    section, _, label = pair.rpartition("/")
    yield section, label


def frame(launches: Sequence[Launch], metrics: Mapping[str, Metric], report: int = 0) -> pd.DataFrame:
    """Return one row per launch: the columns of model.IDENTITY and a float64 column for each metric of any launch."""
    import numpy as np
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
            labels = [key for pair in metric.text for key in keys_of(pair) if key in labelled]
            values = (
                [base_value(metric, x, names, labels) for x in launches]
                if names or labels
                else [math.nan] * len(launches)
            )
            if name in known:
                values = [x.known.get(name, v) if math.isnan(v) else v for x, v in zip(launches, values, strict=True)]
            columns[name] = np.array(values, dtype=float)  # a Series for each of 300 columns takes longer than reading
    return pd.DataFrame(columns)


def names_wanted(metrics: Iterable[Metric]) -> list[str]:
    """Return all ncu names from which the metrics can be read, without duplicates."""
    return list(dict.fromkeys(name for metric in metrics for name in metric.names))
