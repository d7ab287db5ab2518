"""Add columns that no counter gives: facts about the GPU and the file, other launches, and the user's numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from advisor.hardware import gpus
from advisor.hardware.ceilings import CeilingsByGpu, dram_percentages, key_of
from advisor.hardware.sass import classify, multiply_adds
from advisor.knowledge.libraries import kinds_of, libraries, library_of
from advisor.knowledge.library_calls import calls, calls_of
from advisor.knowledge.time_model import LEVELS, block_launch_ceiling, dram_ceiling, latencies
from advisor.reasoning.collect import kernel_pattern
from advisor.reasoning.messages import completed_by_messages
from advisor.records.errors import UsageError
from advisor.records.names import unmatched_text
from advisor.records.readings import ReportInfo

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray[Any, Any]
# Titles that Nsight Compute's SOLBottleneck rule has used, and the opening words of its untitled older messages.
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
# Attributes of the GPU that a report may lack, from the GPU table: canonical metric -> field of its SM's limits.
_LIMITS = {
    "device_max_warps_per_sm": "warps_per_sm",
    "device_max_blocks_per_sm": "blocks_per_sm",
    "device_registers_per_sm": "registers_per_sm",
    "device_schedulers_per_sm": "schedulers",
}
_CARD = {
    "device_sm_count": "sm_count",
    "device_clock_hz": "boost_clock_hz",
    "dram_peak_bytes_per_s": "bandwidth",
    "device_fp32_fp64_ratio": "fp32_fp64_ratio",
}
# Launches of a few microseconds have no reliable clock of their own.
_CLOCKED_NS = 10_000
# Runs of one kernel on one input execute the same instructions, except for spin loops and early exits.
_SAME_WORK = 0.05


def _verdict(rules: Any) -> float:
    for rule in rules if isinstance(rules, tuple) else ():
        # Console text has the section as title instead of the rule, so the opening words decide.
        if rule.id in ("SOLBottleneck", ""):
            if rule.title in _VERDICTS:
                return _VERDICTS[rule.title]
            found = next((code for start, code in _OPENINGS.items() if rule.message.startswith(start)), None)
            if found is not None:
                return found
    return math.nan


def _clock_reads(opcodes: Any) -> float:
    """Return the share of CS2R.32, the instruction that reads the clock; the 64-bit form mostly clears registers."""
    if not isinstance(opcodes, dict) or not opcodes:
        return math.nan
    total = sum(opcodes.values())
    return sum(n for op, n in opcodes.items() if op.startswith("CS2R.32")) / total if total else math.nan


def tensor_ops(opcodes: Any) -> float:
    """Return the operations of all matrix instructions, NaN if one of them has no shape in its name."""
    if not isinstance(opcodes, dict) or not opcodes:
        return math.nan
    matrix = {op: n for op, n in opcodes.items() if n and classify(op).kind == "tensor"}
    each = [multiply_adds(op) for op in matrix]
    return math.nan if None in each else 2.0 * sum(n * (m or 0) for n, m in zip(matrix.values(), each, strict=True))


def add_base(
    frame: pd.DataFrame, infos: tuple[ReportInfo, ...], gpu_name: str | None
) -> tuple[pd.DataFrame, list[str]]:
    """Add the columns that derived metrics need; also return each row's GPU id, empty if unknown."""
    if stated := completed_by_messages(frame, infos):
        frame = with_numbers(frame, stated)
    rows = len(frame)
    added: dict[str, Array] = {
        name: frame[name].to_numpy(dtype=float).copy() if name in frame else np.full(rows, np.nan)
        for name in (*_LIMITS, *_CARD)
    }
    ceiling, in_table = np.full(rows, np.nan), np.full(rows, np.nan)
    waits = {level: np.full(rows, np.nan) for level in LEVELS}
    reached = {kind: np.full(rows, np.nan) for kind in ("read", "copy")}
    named = gpus.gpu(gpu_name) if gpu_name else None
    cards: dict[tuple[str, str], gpus.Gpu | None] = {}
    known: list[str] = []
    versions, whole = list(frame["cc"]), np.full(rows, np.nan)
    for row, (name, cc) in enumerate(zip(frame["gpu_name"], frame["cc"], strict=True)):
        key = (str(name or ""), str(cc or ""))
        if key not in cards:
            found = gpus.known_as(*key)
            # The GPU in the report has priority: a given name is used only for reports without one.
            cards[key] = gpus.gpu(found) if found else (named if not key[0] else None)
        card = cards[key]
        known.append(card.id if card is not None else "")
        if card is not None or key[0]:
            in_table[row] = 1.0 if card is not None else 0.0
        architecture = card.cc if card is not None else key[1]
        ceiling[row] = block_launch_ceiling(architecture) or math.nan
        for found_there, columns in ((latencies(architecture), waits), (dram_ceiling(architecture), reached)):
            for what, value in found_there.items():
                columns[what][row] = value
        _complete(added, row, card, key[1])
        if card is not None and not any(key):
            # Numbers without a report describe the GPU that the user named, without MIG.
            versions[row], whole[row] = card.cc, float(card.sm_count or math.nan)
    # Typed numbers are no report, which could lack something.
    complete = {i: 1.0 if info.complete else 0.0 for i, info in enumerate(infos) if info.tool != "typed"}
    purposes = [kinds_of(str(name)) for name in frame["kernel_full"]]
    called = [calls_of(str(name)) for name in frame["kernel_full"]]
    known_numbers = {
        **added,
        **({} if "sm_count" in frame else {"sm_count": whole}),
        "block_launch_ceiling": ceiling,
        **{f"{level}_latency_cycles": cycles for level, cycles in waits.items()},
        **{f"dram_{kind}_ceiling_pct": share for kind, share in reached.items()},
        "gpu_known": in_table,
        "report_complete": np.array([complete.get(int(r), math.nan) for r in frame["report"]], dtype=float),
        "ncu_verdict": np.array([_verdict(rules) for rules in frame["rules"]], dtype=float),
        "library_kernel": np.array(
            [1.0 if library_of(str(name)) else 0.0 for name in frame["kernel_full"]], dtype=float
        ),
        **{
            f"{kind}_kernel": np.array([float(kind in found) for found in purposes], dtype=float)
            for kind in libraries().kinds
        },
        **{
            call.metric: np.array([float(call.id in found) for found in called], dtype=float)
            for call in calls().values()
        },
        "tensor_opcode_ops": np.array([tensor_ops(opcodes) for opcodes in frame["opcodes"]], dtype=float),
        "clock_reads_share": np.array([_clock_reads(opcodes) for opcodes in frame["opcodes"]], dtype=float),
    }
    return with_numbers(frame.assign(cc=versions), known_numbers), known


def with_numbers(frame: pd.DataFrame, columns: Mapping[str, Array]) -> pd.DataFrame:
    """Return a copy of the frame with these numeric columns, replacing those of the same names.

    They are added all at once, because inserting columns one by one is slow.
    """
    import pandas as pd

    if not columns:
        return frame.copy()
    rest = frame.drop(columns=[name for name in columns if name in frame])
    numbers = pd.DataFrame(np.array(list(columns.values())).T, index=frame.index, columns=list(columns))
    return pd.concat((rest, numbers), axis=1)


def _complete(added: Mapping[str, Array], row: int, card: gpus.Gpu | None, cc: str) -> None:
    """Fill in missing GPU attributes; the limits of an SM follow from the compute capability alone."""
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


def of_kernels(frame: pd.DataFrame, pattern: re.Pattern[str]) -> pd.DataFrame:
    """Return the launches whose full kernel name matches `--kernel`; possibly none."""
    return frame[[bool(pattern.search(str(name))) for name in frame["kernel_full"]]]


def unmatched(frame: pd.DataFrame, pattern: re.Pattern[str]) -> str:
    """Return the error of a `--kernel` that matches no launch of the frame, with the nearest names."""
    known = unmatched_text(pattern.pattern, [str(name) for name in frame["kernel"]])
    return f"no launch matches --kernel {pattern.pattern[:80]!r}: {known}"


def add_neighbours(frame: pd.DataFrame) -> pd.DataFrame:
    """Compare each launch with others of its kernel (slow first launch, different clocks) and with the one before."""
    rows = len(frame)
    first, spread, of_highest = (np.full(rows, np.nan) for _ in range(3))
    frame = frame.copy()
    if rows and "duration_ns" in frame:
        durations = frame["duration_ns"].to_numpy(dtype=float)
        keys = list(zip(frame["report"], frame["kernel_full"], frame["grid"], frame["block"], strict=True))
        # Other data of the same size executes the same instructions, but scattered accesses take more sectors.
        work = [frame[name].to_numpy(dtype=float) for name in ("inst_executed", "global_load_sectors") if name in frame]
        same: dict[Any, list[int]] = {}
        for row, key in enumerate(keys):
            same.setdefault(key, []).append(row)
        for members in same.values():
            # A launch with other code or data of the same name and shape is not a later run of the first one.
            first_one, others = members[0], members[1:]
            if len(members) >= 3 and not any(_differs(one[first_one], float(np.median(one[others]))) for one in work):
                later = np.median(durations[others])
                first[first_one] = durations[first_one] / later if later > 0 else np.nan
        if "sm_clock_hz" in frame:
            clocks = frame["sm_clock_hz"].to_numpy(dtype=float)
            by_kernel: dict[Any, list[int]] = {}
            for row, (name, device) in enumerate(zip(frame["kernel_full"], frame["gpu_name"], strict=True)):
                by_kernel.setdefault((name, device), []).append(row)
            for members in by_kernel.values():
                seen = clocks[members][np.isfinite(clocks[members])]
                long_enough = np.isfinite(durations[members]) & (durations[members] >= _CLOCKED_NS)
                if len(seen) == len(members) >= 2 and long_enough.all() and seen.min() > 0:
                    spread[members] = seen.max() / seen.min()
            of_highest = _clock_shares(frame, clocks, durations)
    frame["first_of_kernel_ratio"] = first
    frame["clock_spread"], frame["clock_of_highest"] = spread, of_highest
    frame["written_before"] = _written_before(frame)
    frame["read_after"] = _read_after(frame)
    frame["launches_before"] = _launches_before(frame)
    return frame


def _clock_shares(frame: pd.DataFrame, clocks: Array, durations: Array) -> Array:
    """Return each launch's SM clock over the highest in its report; NaN for launches under 10 us or alone in it."""
    out = np.full(len(frame), np.nan)
    usable = np.isfinite(clocks) & (clocks > 0) & (durations >= _CLOCKED_NS)
    places: dict[Any, list[int]] = {}
    for row, place in enumerate(zip(frame["report"], frame["gpu_name"], strict=True)):
        if usable[row]:
            places.setdefault(place, []).append(row)
    for members in places.values():
        if len(members) >= 2:
            out[members] = clocks[members] / clocks[members].max()
    return out


def _launches_before(frame: pd.DataFrame) -> Array:
    """Return how many launches of a kernel of the same short name are before each one in its report: ncu skips these.

    ncu's filter by name matches names without namespaces, template arguments and parameters.
    """
    seen: dict[tuple[Any, str | None], int] = {}
    out = np.full(len(frame), np.nan)
    if len(frame):
        for row, (report, kernel) in enumerate(zip(frame["report"], frame["kernel"], strict=True)):
            key = (report, kernel_pattern(str(kernel)))
            out[row] = seen.get(key, 0)
            seen[key] = seen.get(key, 0) + 1
    return out


def _written_before(frame: pd.DataFrame) -> Array:
    """Return the sectors that the launch before stores per sector that each launch loads; NaN if a count is unknown.

    0 without a launch of another kernel before it in the same report.
    """
    return _of_neighbour(frame, "store", "load", -1)


def _read_after(frame: pd.DataFrame) -> Array:
    """Return the sectors that the next launch loads per sector that each launch stores; NaN if a count is unknown.

    0 without a launch of another kernel after it in the same report that is a library's element-wise operation or
    reduction: into others nothing can be fused.
    """
    found = _of_neighbour(frame, "load", "store", 1)
    fits = ["element_wise" in kinds_of(str(name)) for name in frame["kernel_full"][1:]] if len(frame) else []
    return np.where([*fits, False][: len(frame)], found, 0.0 * found)


def _of_neighbour(frame: pd.DataFrame, theirs: str, own: str, step: int) -> Array:
    out = np.full(len(frame), np.nan)
    if len(frame) and {"global_store_sectors", "global_load_sectors"} <= {*frame.columns}:
        others, mine = (frame[f"global_{kind}_sectors"].to_numpy(dtype=float) for kind in (theirs, own))
        names = list(zip(frame["report"], frame["kernel_full"], strict=True))
        for row, (report, kernel) in enumerate(names):
            at = row + step
            same, other = names[at] if 0 <= at < len(names) else (None, None)
            beside = report == same and kernel != other
            out[row] = others[at] / max(mine[row], 1.0) if beside else 0.0 * mine[row]
    return out


def _differs(first: float, later: float) -> bool:
    """Whether two counts of instructions or sectors belong to different work; False if one is unknown."""
    return abs(first - later) > _SAME_WORK * later


def add_measured(frame: pd.DataFrame, measured: CeilingsByGpu) -> bool:
    """Replace the usual ceilings by those measured on this machine, for launches on the same GPUs.

    frame: a derived frame. Returns whether anything changed, so that dependent metrics must be derived again.
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
    """Record whether the ideal number of shared wavefronts is known."""
    ideal = frame["shared_wavefronts_ideal"].to_numpy(dtype=float)
    frame["shared_ideal_known"] = np.where(np.isfinite(ideal), 1.0, 0.0)
    return frame


def add_numbers(frame: pd.DataFrame, numbers: Mapping[str, float], rows: list[int] | None = None) -> pd.DataFrame:
    """Set numbers that the user gave as metrics of all rows or of some."""
    columns: dict[str, Array] = {}
    for name, value in numbers.items():
        columns[name] = frame[name].to_numpy(dtype=float).copy() if name in frame else np.full(len(frame), np.nan)
        columns[name][slice(None) if rows is None else rows] = value
    return with_numbers(frame, columns) if columns else frame
