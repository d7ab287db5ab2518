"""What is said beside the class: the leading unit, units that limit together, the band, and the guide's plain table.

What the reasoning needs to know that no counter tells: the card, the file, the neighbours of a launch, the user.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from advisor.hardware import gpus
from advisor.hardware.ceilings import Cards, dram_percentages, key_of
from advisor.knowledge.loader import load, load_mapping
from advisor.knowledge.texts import fill, within_sentence
from advisor.reasoning.time_model.terms import block_launch_ceiling, time_model
from advisor.records import resources
from advisor.records.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from advisor.knowledge.base import Catalog
    from advisor.records.readings import ReportInfo

# The units that can lead, by canonical metric; the texts call them by the metrics' own names.
UNITS = (
    *("pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "pipe_tensor_pct", "issue_pct"),
    *("lsu_pct", "adu_pct", "idc_pct", "mio_pct", "l1_wavefronts_pct", "l1_requests_pct", "l2_pct", "dram_pct"),
)
_CLUSTER_POINTS = 10.0


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text with its sources."""

    text: str
    cites: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def _texts() -> dict[str, Note]:
    return load_mapping(resources.folder("knowledge") / "class_notes.yaml", Note)


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    return load(resources.folder("knowledge") / "unit_names.yaml", dict[str, str])


def unit_name(metric: str) -> str:
    """`pipe_fma_pct` -> `FMA pipe`: a unit's name for people; the metric itself where it has none."""
    return _names().get(metric, metric)


def _plain_class(sm: float, memory: float, dram: float) -> str:
    """The guide's table of step 1 on the two headline numbers; empty where it is silent."""
    if sm >= 60 and memory >= 60:
        return "balanced"
    if sm >= 60:
        return "compute_bound"
    if memory >= 60:
        return "dram_bound" if dram > 60 else "internal_congestion" if dram < 30 else ""
    return "latency_bound" if sm < 40 and memory < 40 else ""


def class_notes(catalog: Catalog, class_id: str, values: Mapping[str, float]) -> tuple[str, ...]:
    """The notes of one launch, in the order in which they are read; nothing is said of what is unknown."""
    texts, out = _texts(), []
    units = sorted(((values[u], u) for u in UNITS if u in values), reverse=True)
    if units:
        top = units[0][0]
        out.append(fill(texts["leader"].text, {"leader": unit_name(units[0][1]), "leader_pct": f"{top:.0f}"}))
        together = [unit_name(u) for value, u in units if top - value <= _CLUSTER_POINTS and top >= 60]
        if len(together) > 1:
            out.append(fill(texts["cluster"].text, {"names": ", ".join(together)}))
        band = "band_high" if top > 80 else "band_low" if top < 60 else "band_middle"
        out.append(texts[band].text)
    if class_id == "latency_bound" and max(values.get("compute_pct", 0), values.get("memory_pct", 0)) >= 40:
        out.append(texts["likely"].text)
    if values.get("compute_from_breakdown") == 0:
        out.append(texts["unbroken"].text)
    sm, memory = values.get("sm_throughput_pct", math.nan), values.get("memory_throughput_pct", math.nan)
    plain = _plain_class(sm, memory, values.get("dram_pct", math.nan))
    if plain and plain != class_id and class_id != "undetermined":
        title = within_sentence(catalog.classes[plain].title)
        out.append(fill(texts["plain_table"].text, {"sm_pct": f"{sm:.0f}", "plain": title}))
    return tuple(out)


Array = np.ndarray[Any, Any]
# The titles that Nsight Compute's SOLBottleneck rule has used, and the opening words of its untitled older messages.
_VERDICTS = {
    "Latency Issue": 1,
    "Small Grid": 1,
    "Balanced Throughput": 2,
    "High Compute Throughput": 3,
    "High Memory Throughput": 4,
    "High Throughput": 5,
}
_OPENINGS = {
    "This kernel exhibits low compute throughput": 1,
    "This workload exhibits low compute throughput": 1,
    "This kernel grid is too small": 1,
    "Compute and Memory are well-balanced": 2,
    "Compute is more heavily utilized": 3,
    "Memory is more heavily utilized": 4,
    "The kernel is utilizing greater than 80.0%": 5,
    "This workload is utilizing greater than 80.0%": 5,
}
# Attributes of the card that a report may lack, from the table of GPUs: canonical metric -> field of its SM's limits.
_LIMITS = {
    "device_max_warps_per_sm": "warps_per_sm",
    "device_max_blocks_per_sm": "blocks_per_sm",
    "device_registers_per_sm": "registers_per_sm",
    "device_schedulers_per_sm": "schedulers",
}
_CARD = {"device_sm_count": "sm_count", "device_clock_hz": "boost_clock_hz", "dram_peak_bytes_per_s": "bandwidth"}
# Runs of one kernel on one input execute the same instructions, but for spin loops and early exits.
_SAME_WORK = 0.05


def _verdict(rules: Any) -> float:
    for rule in rules if isinstance(rules, tuple) else ():
        # Console text names no rule: there the title is the section, and the opening words must tell.
        if rule.id in ("SOLBottleneck", ""):
            if rule.title in _VERDICTS:
                return _VERDICTS[rule.title]
            found = next((code for start, code in _OPENINGS.items() if rule.message.startswith(start)), None)
            if found is not None:
                return found
    return math.nan


def _clock_reads(opcodes: Any) -> float:
    """The share of CS2R.32, which is how the clock is read; the 64-bit form mostly clears registers."""
    if not isinstance(opcodes, dict) or not opcodes:
        return math.nan
    total = sum(opcodes.values())
    return sum(n for op, n in opcodes.items() if op.startswith("CS2R.32")) / total if total else math.nan


def add_base(
    frame: pd.DataFrame, infos: tuple[ReportInfo, ...], gpu_name: str | None
) -> tuple[pd.DataFrame, list[str]]:
    """Columns that derived metrics build on. Returns the frame and each row's GPU id, empty for one unknown."""
    rows = len(frame)
    added: dict[str, Array] = {
        name: frame[name].to_numpy(dtype=float).copy() if name in frame else np.full(rows, np.nan)
        for name in (*_LIMITS, *_CARD)
    }
    ceiling, in_table = np.full(rows, np.nan), np.full(rows, np.nan)
    named = gpus.gpu(gpu_name) if gpu_name else None
    cards: dict[tuple[str, str], gpus.Gpu | None] = {}
    known: list[str] = []
    versions, whole = list(frame["cc"]), np.full(rows, np.nan)
    for row, (name, cc) in enumerate(zip(frame["gpu_name"], frame["cc"], strict=True)):
        key = (str(name or ""), str(cc or ""))
        if key not in cards:
            found = gpus.known_as(*key)
            # The report knows its own card best: a name given beside it is for reports that do not tell.
            cards[key] = gpus.gpu(found) if found else (named if not key[0] else None)
        card = cards[key]
        known.append(card.id if card is not None else "")
        if card is not None or key[0]:
            in_table[row] = 1.0 if card is not None else 0.0
        ceiling[row] = block_launch_ceiling(card.cc if card is not None else key[1])
        _complete(added, row, card, key[1])
        if card is not None and not any(key):
            # Numbers without a report: the card that the user named, whole.
            versions[row], whole[row] = card.cc, float(card.sm_count or math.nan)
    usual = time_model().dram_ceiling
    complete = {i: 1.0 if info.complete else 0.0 for i, info in enumerate(infos)}
    told = {
        **added,
        **({} if "sm_count" in frame else {"sm_count": whole}),
        "block_launch_ceiling": ceiling,
        "dram_read_ceiling_pct": np.full(rows, usual.read),
        "dram_copy_ceiling_pct": np.full(rows, usual.copy),
        "gpu_known": in_table,
        "report_complete": np.array([complete.get(int(r), math.nan) for r in frame["report"]], dtype=float),
        "ncu_verdict": np.array([_verdict(rules) for rules in frame["rules"]], dtype=float),
        "clock_reads_share": np.array([_clock_reads(opcodes) for opcodes in frame["opcodes"]], dtype=float),
    }
    return with_numbers(frame.assign(cc=versions), told), known


def with_numbers(frame: pd.DataFrame, columns: Mapping[str, Array]) -> pd.DataFrame:
    """A copy of the frame with these columns of numbers, in place of its own of the same names.

    All at once: put in one by one, a column costs more than what is computed of it.
    """
    import pandas as pd

    if not columns:
        return frame.copy()
    rest = frame.drop(columns=[name for name in columns if name in frame])
    numbers = pd.DataFrame(np.array(list(columns.values())).T, index=frame.index, columns=list(columns))
    return pd.concat((rest, numbers), axis=1)


def _complete(added: Mapping[str, Array], row: int, card: gpus.Gpu | None, cc: str) -> None:
    """Fill what the report lacks of the card; the limits of an SM follow from the compute capability alone."""
    limits = card.limits if card is not None else None
    if limits is None and cc:
        try:
            limits = gpus.limits_of(cc)
        except UsageError:
            limits = None
    for sources, fields in ((limits, _LIMITS), (card, _CARD)):
        for column, field in fields.items():
            value = getattr(sources, field, None) if sources is not None else None
            if value and not math.isfinite(added[column][row]):
                added[column][row] = float(value)


def add_neighbours(frame: pd.DataFrame) -> pd.DataFrame:
    """What a launch looks like beside the others of its kernel: first and slow, or at another clock."""
    rows = len(frame)
    first, spread = np.full(rows, np.nan), np.full(rows, np.nan)
    frame = frame.copy()
    if rows and "duration_ns" in frame:
        durations = frame["duration_ns"].to_numpy(dtype=float)
        keys = list(zip(frame["report"], frame["kernel_full"], frame["grid"], frame["block"], strict=True))
        work = frame["inst_executed"].to_numpy(dtype=float) if "inst_executed" in frame else np.full(rows, np.nan)
        same: dict[Any, list[int]] = {}
        for row, key in enumerate(keys):
            same.setdefault(key, []).append(row)
        for members in same.values():
            # Other code or other data of the same name and shape is no later run of the first.
            if len(members) >= 3 and not _differs(work[members[0]], float(np.median(work[members[1:]]))):
                later = np.median(durations[members[1:]])
                first[members[0]] = durations[members[0]] / later if later > 0 else np.nan
        if "sm_clock_hz" in frame:
            clocks = frame["sm_clock_hz"].to_numpy(dtype=float)
            by_kernel: dict[Any, list[int]] = {}
            for row, (name, device) in enumerate(zip(frame["kernel_full"], frame["gpu_name"], strict=True)):
                by_kernel.setdefault((name, device), []).append(row)
            for members in by_kernel.values():
                seen = clocks[members][np.isfinite(clocks[members])]
                # Launches of a few microseconds have no meaningful clock of their own.
                long_enough = np.isfinite(durations[members]) & (durations[members] >= 10_000)
                if len(seen) == len(members) >= 2 and long_enough.all() and seen.min() > 0:
                    spread[members] = seen.max() / seen.min()
    frame["first_of_kernel_ratio"] = first
    frame["clock_spread"] = spread
    return frame


def _differs(first: float, later: float) -> bool:
    """Whether two counts of executed instructions are of different work; False where one is unknown."""
    return abs(first - later) > _SAME_WORK * later


def add_measured(frame: pd.DataFrame, measured: Cards) -> bool:
    """What this machine's cards were measured to reach, in place of the usual, on launches of the very same cards.

    The frame is a derived one; whether anything in it changed, so that what depends on it must be derived again.
    """
    found = [measured.get(key_of(str(n), str(cc))) for n, cc in zip(frame["gpu_name"], frame["cc"], strict=True)]
    read, copy = (
        frame[name].to_numpy(dtype=float).copy() for name in ("dram_read_ceiling_pct", "dram_copy_ceiling_pct")
    )
    changed = False
    for row, (card, peak) in enumerate(zip(found, frame["dram_peak_bytes_per_s"], strict=True)):
        if card is not None and peak > 0:
            read[row], copy[row] = dram_percentages(card, float(peak))
            changed = True
    frame["dram_read_ceiling_pct"], frame["dram_copy_ceiling_pct"] = read, copy
    return changed


def add_known(frame: pd.DataFrame) -> pd.DataFrame:
    """What a derived frame tells about itself: whether the ideal number of shared wavefronts is there."""
    ideal = frame["shared_wavefronts_ideal"].to_numpy(dtype=float)
    frame["shared_ideal_known"] = np.where(np.isfinite(ideal), 1.0, 0.0)
    return frame


def add_numbers(frame: pd.DataFrame, numbers: Mapping[str, float], rows: list[int] | None = None) -> pd.DataFrame:
    """Numbers that the user gave, as metrics of all rows or of some."""
    columns: dict[str, Array] = {}
    for name, value in numbers.items():
        columns[name] = frame[name].to_numpy(dtype=float).copy() if name in frame else np.full(len(frame), np.nan)
        columns[name][slice(None) if rows is None else rows] = value
    return with_numbers(frame, columns) if columns else frame
