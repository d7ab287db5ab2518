"""Contradictions between typed numbers and counters, and among typed numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Final

from advisor.knowledge.stated import is_refuted
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.records import Card, KnowledgeIndex
from advisor.session.state import State
from advisor.view.blocks import Line
from advisor.view.numbers import amount_text

# Tolerance for rounding: users type at least three digits for precise numbers, and whole percentages.
_SHARE, _POINTS = 0.01, 0.51
_CHECK = "The answer is used; check it before you trust the diagnosis."
# Counters of one launch come from several passes, so a smaller difference is not a contradiction.
_PASSES: Final = 1.05
_ROUNDED: Final = 1.0
# Pairs of part and whole: the part cannot exceed the whole.
_PARTS: Final = (
    ("dram_pct", "memory_throughput_pct"),
    ("l2_pct", "memory_throughput_pct"),
    ("l1_wavefronts_pct", "memory_throughput_pct"),
    ("l1_requests_pct", "memory_throughput_pct"),
    ("pipe_fma_pct", "sm_throughput_pct"),
    ("pipe_alu_pct", "sm_throughput_pct"),
    ("pipe_fp64_pct", "sm_throughput_pct"),
    ("pipe_xu_pct", "sm_throughput_pct"),
    ("pipe_tensor_pct", "sm_throughput_pct"),
    ("issue_pct", "sm_throughput_pct"),
    ("lsu_pct", "sm_throughput_pct"),
    ("idc_pct", "sm_throughput_pct"),
    ("occupancy_achieved_pct", "occupancy_theoretical_pct"),
    ("eligible_warps", "active_warps"),
    ("global_sectors_ideal", "global_sectors"),
    ("shared_wavefronts_ideal", "shared_wavefronts"),
)
# The same pairs for a workload, whose numbers are those of the whole GPU.
_WORKLOAD_PARTS: Final = (("sm_throughput_pct", "sm_active_pct"), ("shader_warps", "shader_warp_slots"))
_WHOLES: Final = ("occupancy_theoretical_pct", "occupancy_achieved_pct", "sm_active_pct", "graphics_idle_pct")


def agrees(said: float, known: float, unit: str) -> bool:
    """Return whether a typed number equals the known one after rounding."""
    off = abs(said - known)
    return off <= max(_SHARE * abs(known), _POINTS if unit == "%" else 0.0)


def against_report(state: State, metric: str, said: float, known: float) -> Card:
    """Return the card for a number that differs from the report's."""
    unit = state.knowledge.unit(metric) or ""
    yours, theirs = amount_text(said, unit, 4), amount_text(known, unit, 4)
    text = f"The report's value is used. To see the effect of yours: /whatif {metric}={yours.replace(' ', '')}"
    lines = (Line(f"{metric}: you typed {yours}, the report has {theirs}", "warning"), Line(text, "quiet"))
    return Card("trust", _meaning(state.knowledge, metric), lines, state.position, metric, "Contradiction")


def of_answer(state: State, question: str, value: float) -> Card | None:
    """Return the card for an answer about the algorithm that contradicts the counters; None if it is possible."""
    launch = state.launch
    said = "" if launch is None else _impossible(launch, question, value)
    if not said:
        return None
    dropped = launch is not None and is_refuted(question, value, launch.metrics)
    use = "The diagnosis does not use the answer." if dropped else _CHECK
    lines = (Line(said, "warning"), Line(use, "quiet"))
    return Card("trust", _meaning(state.knowledge, question), lines, state.position, question, "Contradiction")


def _impossible(launch: LaunchDiagnosis, question: str, value: float) -> str:
    duration, peak = launch.duration_ns, launch.metrics.get("dram_peak_bytes_per_s")
    if question == "theoretical_bytes" and duration and peak:
        least = 1e9 * value / peak
        moved = launch.metrics.get("dram_bytes")
        # Bytes that did not come from DRAM may have come from L2.
        if least > _PASSES * duration and moved is not None and value > _PASSES * moved:
            texts = (amount_text(value, "byte", 4), amount_text(least, "ns", 4), amount_text(duration, "ns", 4))
            return f"{texts[0]} at the GPU's peak take {texts[1]}, more than the {texts[2]} of the kernel"
    executed = launch.metrics.get("flop")
    if question == "theoretical_flop" and executed and value > _PASSES * executed:
        least_flop, done = amount_text(value, "FLOP", 4), amount_text(executed, "FLOP", 4)
        return f"the kernel executes {done}, fewer than the {least_flop} that you typed"
    return ""


def together(state: State, fresh: Collection[str]) -> Card | None:
    """In an interview, return the card of typed numbers that contradict a new one; None if there are none."""
    given = {q: float(v) for _, q, v in state.answers if not isinstance(v, str) and math.isfinite(v)}
    workload = state.answer("subject") == "workload"
    found = [text for names, text in _clashes(given, state.knowledge, workload) if set(names) & set(fresh)]
    if not found:
        return None
    name = next(iter(fresh))
    example = f"{name} = {amount_text(given.get(name), state.knowledge.unit(name) or '', 4)}"
    lines = tuple(Line(text, "warning") for text in found)
    said = Line(
        f"Both are kept as typed, and the diagnosis uses them. To correct one, type it again: {example}", "quiet"
    )
    return Card("trust", "These numbers cannot be true together", (*lines, said), state.position, name, "Contradiction")


def _clashes(given: Mapping[str, float], index: KnowledgeIndex, workload: bool) -> list[tuple[tuple[str, ...], str]]:
    """Return the contradictions: the names in each, and the text."""
    out: list[tuple[tuple[str, ...], str]] = []
    for part, whole in _WORKLOAD_PARTS if workload else _PARTS:
        if part in given and whole in given and given[part] > given[whole] * _PASSES + _slack(part, index):
            text = _text("{part} = {value} is more than {whole} = {most}, which includes it", index, part, given, whole)
            out.append(((part, whole), text))
    over = [name for name in _WHOLES if given.get(name, 0.0) > 100.0 + _ROUNDED]
    out += [((name,), _text("{part} = {value} is more than 100 %", index, name, given)) for name in over]
    shares = [n for n in given if n.startswith("stall_") and n.endswith("_pct") and "_not_issued" not in n]
    if (total := sum(given[n] for n in shares)) > 100.0 + _ROUNDED:
        text = f"the stall shares add up to {amount_text(total, '%', 4)}, more than 100 % of a warp's time"
        out.append((tuple(shares), text))
    cycles = [n for n in given if n.startswith("stall_") and not n.endswith("_pct")]
    interval = given.get("issue_interval", math.inf)
    if (total := sum(given[n] for n in cycles)) > interval * _PASSES:
        text = (
            f"the stall cycles add up to {amount_text(total, 'cycle', 4)}, but a warp issues every "
            f"{amount_text(interval, 'cycle', 4)}"
        )
        out.append(((*cycles, "issue_interval"), text))
    active, idle = given.get("sm_active_pct", 0.0), given.get("graphics_idle_pct", 0.0)
    if workload and active + idle > 100.0 * _PASSES:
        text = (
            f"active {amount_text(active, '%', 4)} and idle {amount_text(idle, '%', 4)}: no SM is active while the "
            "pipeline is idle"
        )
        out.append((("sm_active_pct", "graphics_idle_pct"), text))
    return out


def _slack(metric: str, index: KnowledgeIndex) -> float:
    return _ROUNDED if index.unit(metric) == "%" else 0.0


def _text(form: str, index: KnowledgeIndex, part: str, given: Mapping[str, float], whole: str = "") -> str:
    value, most = amount_text(given[part], index.unit(part) or "", 4), ""
    if whole:
        most = amount_text(given[whole], index.unit(whole) or "", 4)
    return form.format(part=part, value=value, whole=whole, most=most)


def _meaning(index: KnowledgeIndex, metric: str) -> str:
    found = next((means for name, _, means in index.metrics if name == metric), "")
    return found[:1].upper() + found[1:] if found else metric
