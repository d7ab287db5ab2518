"""Write a section file for Nsight Compute, in the format of its customization guide, with the advisor's metrics.

A metric that a chip lacks causes only a warning; filters avoid it. The metrics of each chip (CC 7.0 to 12.0), and the
metrics that are collected together, are from the host library of CUDA 13.0. Nsight Compute 2024.1 and later
read section files with source metrics and a sampled timeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.knowledge.schemas import MetricDef
from advisor.readers.actions import ALWAYS
from advisor.reasoning.metrics.fills import SAMPLED
from advisor.source.columns import COLUMNS
from advisor.source.measures import LOST, MEASURES

IDENTIFIER = "NcuAdvisor"
FILE = f"{IDENTIFIER}.section"
# Sampling over the run decides no finding, only whether one number represents all phases, and needs three more passes
# on CC 9.0, so it is a separate section.
OVER_TIME = "NcuAdvisorOverTime"
OVER_TIME_FILE = f"{OVER_TIME}.section"
DRAM = "FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed"
SM = "TPC.TriageCompute.sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed"
# The parts of these two are measured with them, under any name on a chip.
BREAKDOWNS = (
    "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "breakdown:gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
)
# Samples by reason, all of them and those of warps that could not issue.
SAMPLES = ("group:smsp__pcsamp_warp_stall_reasons", "group:smsp__pcsamp_warp_stall_reasons_not_issued")
_GROUPED = "smsp__pcsamp_warp"
# Metrics that the advisor reads if present, but that need passes and decide nothing more.
LEFT_OUT = {
    "tensor_ops": "a pass and more for each type of operand; the opcodes and the tensor pipe utilisation show its use",
    "shared_atomic_inst": "a pass; the opcodes count them",
    "shared_matrix_inst": "a pass; the opcodes count them",
    **dict.fromkeys(
        [f"{op}_per_cycle" for op in ("ffma", "fadd", "fmul", "dfma", "dadd", "dmul", "hfma", "hadd", "hmul")],
        "a pass; the lanes per opcode, collected with the executions, give the same counts",
    ),
    **dict.fromkeys(("bytes_per_sector_load", "bytes_per_sector_store"), "the sectors per instruction show it"),
    **dict.fromkeys(("divergent_branches", "branch_efficiency_pct"), "the branches per instruction show it"),
    **dict.fromkeys(("lanes_active", "lanes_pred_on"), "the sum of the executions per instruction gives it"),
    **dict.fromkeys(("global_load_requests", "global_store_requests"), "one per load or store"),
    **dict.fromkeys(("stall_sleeping", "stall_tex_throttle"), "no rule reads it; the samples by reason show it"),
    **dict.fromkeys([f"stall_{reason}" for reason in SAMPLED], "the samples by reason show its share"),
    "stall_not_selected": "the eligible warps minus the one that issues",
    "branch_inst": "the opcodes count them",
    "stall_selected": "always one per issue, by definition",
    "stall_warpgroup_arrive": "renamed to gmma",
}
# Name endings of metrics that formulas derive from other collected metrics, and that would need extra counters.
_RECKONED = ("_per_warp_active.pct", "_pred_on.sum")
_SHOWN = (
    *("duration_ns", "sm_throughput_pct", "memory_throughput_pct", "dram_pct"),
    *("occupancy_achieved_pct", "issue_active", "registers_per_thread"),
)
# Part of a name -> first and last architecture that has it, 0 for no bound.
_ARCHITECTURES: Mapping[str, tuple[int, int]] = {
    "_stalled_gmma_": (90, 90),
    "_stalled_imc_miss_": (0, 90),
    "_aperture_": (0, 90),
    "sm__icc_": (75, 0),
    ".TriageCompute.": (90, 90),
}


def names_of(metric: MetricDef) -> tuple[str, ...]:
    """Return the names to collect for a metric: its first, or all combined ones; none if another metric includes it."""
    if not metric.section or metric.id in LEFT_OUT:
        return ()
    names = metric.names if metric.combine != "first" else metric.names[:1]
    return tuple(
        n for n in names if not n.startswith(_GROUPED) and not n.endswith(_RECKONED) and not _in_breakdown(metric, n)
    )


def collected(metrics: Mapping[str, MetricDef]) -> dict[str, str]:
    """Return ncu name -> label (the metric's id or the name again) for every name that the section lists."""
    found = {name: metric.id for metric in metrics.values() for name in names_of(metric)}
    needs = (*(m.needs for m in (*MEASURES.values(), *LOST.values())), *(c.needs for c in COLUMNS.values()))
    sought = (name for names in needs for name in names)
    # Of several names for one count, which are sums, one is listed already; lanes come with the executions by opcode.
    single = {name for name in {*ALWAYS, *sought} if "." not in name}
    skipped = (_GROUPED, "device__", "sass__inst_executed_local", "sass__thread_inst_executed")
    return found | {name: name for name in sorted(single) if name not in found and not name.startswith(skipped)}


def section_text(metrics: Mapping[str, MetricDef]) -> str:
    """Return the text of the section file."""
    listed = collected(metrics)
    header = {name: listed[name] for metric in _SHOWN for name in names_of(metrics[metric])}
    source = {n: label for n, label in listed.items() if "." not in n and "__" not in n} | {
        n: label for n, label in listed.items() if n.startswith(("smsp__branch_targets", "smsp__pcsamp_sample"))
    }
    rest = {n: label for n, label in listed.items() if n not in header | source}
    lines = [
        "# Written by `ncu-advisor collect --section-file`: the metrics that its rules and its source view read.",
        f'Identifier: "{IDENTIFIER}"',
        'DisplayName: "What ncu-advisor reads"',
        'Description: "Counters, executions and samples of each instruction. `ncu-advisor diagnose` reads the report."',
        "Order: 5",
        *_block("Header", _metrics(header)),
        *_block("Metrics", _metrics(rest)),
        *_block("SourceMetrics", [*_metrics(source), *_metrics(dict.fromkeys(SAMPLES, "Samples by reason"))]),
        *_block("Body", ['DisplayName: "Breakdown"', *(line for name in BREAKDOWNS for line in _table(name))]),
    ]
    return "\n".join(lines) + "\n"


def over_time_text() -> str:
    """Return the text of the second file: DRAM and SM sampled over the run."""
    lines = [
        "# Written by `ncu-advisor collect --section-file`: whether the kernel's phases differ.",
        f'Identifier: "{OVER_TIME}"',
        'DisplayName: "What ncu-advisor reads, over the run"',
        'Description: "DRAM and SM activity in samples. `ncu-advisor diagnose` reads the report."',
        "Order: 6",
        *_block("Body", ['DisplayName: "Over the run"', *_timeline()]),
    ]
    return "\n".join(lines) + "\n"


def _in_breakdown(metric: MetricDef, name: str) -> bool:
    parts = metric.section == "SpeedOfLight" and name.endswith(".avg.pct_of_peak_sustained_elapsed")
    return parts and "throughput." not in name and name != "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"


def _block(name: str, inside: Iterable[str]) -> list[str]:
    return [f"{name} {{", *(f"  {line}" for line in inside), "}"]


def _metrics(named: Mapping[str, str]) -> list[str]:
    return [line for name, label in named.items() for line in _metric(name, label)]


def _metric(name: str, label: str, *more: str) -> list[str]:
    return _block("Metrics", [f'Name: "{name}"', f'Label: "{label}"', *more, *_filter(name)])


def _filter(name: str) -> list[str]:
    first, last = next((bounds for part, bounds in _ARCHITECTURES.items() if part in name), (0, 0))
    bounds = [f"MinArch: CC_{first}"] * bool(first) + [f"MaxArch: CC_{last}"] * bool(last)
    return _block("Filter", bounds) if bounds else []


def _table(name: str) -> list[str]:
    label = "Compute" if "sm__" in name else "Memory"
    table = [f'Label: "{label}"', "Columns: 1", *_metric(name, "{UNIT}: {COMPOUND_NAME}")]
    return _block("Items", _block("Table", table))


def _timeline() -> list[str]:
    titles = {DRAM: "DRAM", SM: "SM"}
    rows = [_block("MetricRows", _metric(name, title, 'Groups: "ncu_advisor"')) for name, title in titles.items()]
    group = _block("MetricGroups", ['Label: "DRAM and SM"', *(line for row in rows for line in row)])
    return _block("Items", [*_block("Timeline", group), *_filter(DRAM)])
