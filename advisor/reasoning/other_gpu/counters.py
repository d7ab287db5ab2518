"""The metrics of a launch on another GPU, and what the rules conclude from them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from advisor.hardware.gpus import Gpu
from advisor.knowledge.base import Catalog
from advisor.knowledge.time_model import block_launch_ceiling, dram_ceiling, latencies
from advisor.knowledge.units import compute_units, inner_units, memory_units, parts_of, units
from advisor.reasoning.assemble import Reasoned, reason
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.metrics.derive import derive
from advisor.reasoning.other_gpu.predict import Filling, Prediction
from advisor.records.diagnosis import LaunchDiagnosis

# Metrics that depend on the GPU or that cannot be predicted for another one, including stalls and samples.
_LOST = (
    *("memory_internal_pct", "l1_throughput_pct", "occupancy_achieved_pct", "issue_interval", "eligible_warps"),
    *("active_warps", "no_eligible_pct", "eligible_share", "sm_cycles_active_avg", "sm_cycles_active_max"),
    *("sm_active_pct", "dram_clock_hz", "dram_peak_bytes_per_cycle", "pcie_read_bytes_per_s", "shared_config_bytes"),
    *("nvlink_receive_bytes_per_s", "device_memory_clock_khz", "device_bus_bits", "device_shared_per_sm"),
    *("device_fp32_fp64_ratio", "ncu_verdict", "clock_spread", "clock_of_highest", "first_of_kernel_ratio"),
)
_LOST_KINDS = ("stall_", "samples_", "pc_samples")


class Fit(Struct, frozen=True):
    """Occupancy of a launch there; NaN if unknown. limits: blocks that each resource allows, {} if the same as here."""

    percent: float
    blocks: float
    waves: float
    limits: Mapping[str, int]


def metrics_there(
    metrics: Mapping[str, float], found: Prediction, filled: tuple[Filling, Filling], here: Gpu, there: Gpu, fit: Fit
) -> dict[str, float]:
    """Return the metrics that differ on the GPU `there`; NaN for those that are unknown."""
    out: dict[str, float] = {name: math.nan for name in metrics if name in _LOST or name.startswith(_LOST_KINDS)}
    uneven = filled[1].imbalance / filled[0].imbalance
    for name, unit in units().items():
        if name in metrics and unit.term in found.changes:
            change = found.changes[unit.term].ratio / (uneven if found.per_sm(unit.term) else 1.0)
            out[name] = metrics[name] * change / found.ratio
            if name.endswith("_pct"):
                out[name] = min(100.0, out[name])
    clock = (there.boost_clock_hz or math.nan) / (here.boost_clock_hz or math.nan)
    cycles = found.ratio * clock
    for name in metrics:
        if name.endswith("cycles_elapsed"):
            out[name] = metrics[name] * cycles
        elif name.endswith("_per_cycle") and name not in out:
            out[name] = metrics[name] / cycles
    known = {**metrics, **out}
    if "memory_throughput_pct" in metrics:
        out["memory_throughput_pct"] = _largest(known, (*memory_units(), *parts_of("l2_pct")))
    if "sm_throughput_pct" in metrics:
        out["sm_throughput_pct"] = _largest(known, (*compute_units(), *inner_units()))
    bandwidth = (there.bandwidth or math.nan) / (here.bandwidth or math.nan)
    limits = there.limits
    out |= {
        "duration_ns": metrics.get("duration_ns", math.nan) * found.ratio,
        "sm_clock_hz": metrics.get("sm_clock_hz", math.nan) * clock,
        "dram_peak_bytes_per_s": metrics.get("dram_peak_bytes_per_s", math.nan) * bandwidth,
        "dram_bytes_per_s": metrics.get("dram_bytes_per_s", math.nan) / found.ratio,
        "sm_active_ratio": metrics.get("sm_active_ratio", math.nan) * uneven,
        "block_launch_ceiling": block_launch_ceiling(there.cc) or math.nan,
        **{f"{level}_latency_cycles": cycles for level, cycles in latencies(there.cc).items()},
        **{f"dram_{kind}_ceiling_pct": share for kind, share in dram_ceiling(there.cc).items()},
        "occupancy_theoretical_pct": fit.percent,
        "blocks_per_sm_limit": fit.blocks,
        "waves": fit.waves,
        "sm_count": float(there.sm_count or math.nan),
        "device_sm_count": float(there.sm_count or math.nan),
        "device_clock_khz": (there.boost_clock_hz or math.nan) / 1000,
        "device_l2_bytes": float(there.l2_bytes or math.nan),
        "device_max_warps_per_sm": float(limits.warps_per_sm) if limits else math.nan,
        "device_max_threads_per_sm": 32.0 * limits.warps_per_sm if limits else math.nan,
        "device_max_blocks_per_sm": float(limits.blocks_per_sm) if limits else math.nan,
        "device_registers_per_sm": float(limits.registers_per_sm) if limits else math.nan,
        "device_schedulers_per_sm": float(limits.schedulers) if limits else math.nan,
    }
    major, _, minor = there.cc.partition(".")
    out |= {"device_cc_major": float(major), "device_cc_minor": float(minor)}
    out |= {f"occupancy_limit_{name}": float(count) for name, count in fit.limits.items()}
    return out


def _largest(known: Mapping[str, float], names: tuple[str, ...]) -> float:
    values = [known[name] for name in names if math.isfinite(known.get(name, math.nan))]
    return max(values, default=math.nan)


def concluded(
    catalog: Catalog, inputs: Inputs, reasoned: Reasoned, there: Gpu, values: Mapping[int, Mapping[str, float]]
) -> dict[int, LaunchDiagnosis]:
    """Diagnose the launches at some positions with the metrics of the GPU `there`."""
    at = list(values)
    frame = reasoned.frame.iloc[at].reset_index(drop=True)
    names = [name for name in dict.fromkeys(n for one in values.values() for n in one) if name in catalog.metrics]
    # A metric that one launch has and another lacks stays unknown for the latter.
    frame = frame.assign(**{name: [values[p].get(name, math.nan) for p in at] for name in names})
    frame["gpu_name"], frame["cc"] = there.name, there.cc
    # The verdicts of ncu's own rules are about the GPU that they were made on.
    frame["rules"] = [()] * len(at)
    frame = derive(frame, keep=tuple(names), metrics=catalog.metrics)
    answers = {None: inputs.answers.get(None, {})} | {i: inputs.answers.get(p, {}) for i, p in enumerate(at)}
    some = replace(inputs, frame=inputs.frame.iloc[at].reset_index(drop=True), answers=answers)
    launches = reason(catalog, some, frame, (there.id,) * len(at)).launches
    return dict(zip(at, launches, strict=True))
