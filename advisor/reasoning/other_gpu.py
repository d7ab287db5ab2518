"""`diagnose --on GPU`: predict a launch's time and counters on another GPU, and diagnose those counters.

If a unit's rate there is r times its rate here, the same work needs 1 / r of the time. Rates come from the GPU table:
DRAM bandwidth, SMs x clock for the units of an SM, peaks by data type for the arithmetic pipes. L2 slices scale with
the memory bus width among GPUs of one compute capability (counter peaks: 2 sectors per cycle for each 64 bits of bus on
both an H100 PCIe and an H200). If a rate is unknown, the time is assumed to be between two bounds and the estimate is
their geometric mean:

- L2 of another architecture: unchanged, or scaled like SMs x clock.
- The width of an SM unit of another architecture: the same, half or double.
- Load latency: the same in nanoseconds (DRAM has its own clock), or the same in SM cycles.

Time that the model cannot account for here is assumed unchanged. The range covers the bounds, more and less overlap
between units, and the model's own error for the part of the time that changes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from advisor.hardware import gpus
from advisor.hardware.gpus import Gpu
from advisor.hardware.occupancy import Occupancy, occupancy
from advisor.hardware.sass import multiply_adds
from advisor.knowledge.base import Catalog
from advisor.knowledge.loader import load
from advisor.knowledge.texts import fill
from advisor.knowledge.time_model import block_launch_ceiling, dram_ceiling, latencies, time_model
from advisor.knowledge.units import compute_units, inner_units, memory_units, parts_of, units
from advisor.reasoning.assemble import Reasoned, reason
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.metrics.derive import derive
from advisor.reasoning.time_model import model as speedup_model
from advisor.reasoning.time_model.model import Model, limiter, new_time
from advisor.reasoning.time_model.terms import LATENCY, Array, Needs
from advisor.records import resources
from advisor.records.diagnosis import Caveat, LaunchDiagnosis, OtherGpu, Unit
from advisor.records.errors import UsageError
from advisor.records.readings import CodeCounts

# A term that needs at least this part of the largest need also determines the time.
CARRIES = 0.7
_WIDTHS = 2.0


class Change(Struct, frozen=True):
    """Time for the same work there / here, from `low` to `high`.

    known: `rate` if both rates are known, `bounds` if only bounds are, `` if neither is: unchanged.
    """

    low: float
    high: float
    known: str = "rate"

    @property
    def ratio(self) -> float:
        """Return the middle on a log scale."""
        return math.sqrt(self.low * self.high)


class Filling(Struct, frozen=True):
    """How a grid fills a GPU. imbalance: work of the busiest SM / average; rounds: rounds of warps on that SM."""

    imbalance: float = 1.0
    rounds: float = 1.0


class Prediction(Struct, frozen=True):
    """Time there / here with its range, and the need (a share of the time there) and the change of each term."""

    ratio: float
    low: float
    high: float
    leader: str
    needs: Mapping[str, float]
    changes: Mapping[str, Change]

    @staticmethod
    def per_sm(term: str) -> bool:
        """Whether the busiest SM decides how long a term's work takes."""
        return time_model().terms[term].per_sm

    def carrying(self) -> tuple[str, ...]:
        """Return the terms that determine the time there, or may."""
        most = max(self.needs.values(), default=0.0)
        return tuple(name for name, need in self.needs.items() if need >= CARRIES * most > 0)


def _over(here: float | None, there: float | None) -> Change:
    return Change(here / there, here / there) if here and there else Change(1.0, 1.0, "")


def _between(*ratios: float) -> Change:
    return Change(min(ratios), max(ratios), "bounds")


def _sms(here: Gpu, there: Gpu) -> Change:
    """Return the change of SMs x clock; within one architecture the fp32 peaks have the same ratio."""
    one, other = ((c.sm_count or 0) * (c.boost_clock_hz or 0.0) for c in (here, there))
    if one and other:
        return _over(one, other)
    return _over(here.peaks.get("fp32"), there.peaks.get("fp32")) if here.cc == there.cc else Change(1.0, 1.0, "")


def changes(
    here: Gpu, there: Gpu, tensor: str = "fp16_tensor", fma: Mapping[str, float] | None = None
) -> dict[str, Change]:
    """Return the change of every term's work, apart from how the grid fills the GPU.

    tensor: the peak of the matrix work; fma: shares of the FMA pipe's work by peak, "" for integers.
    """
    if here == there:
        return dict.fromkeys(time_model().terms, Change(1.0, 1.0))
    sms, clock = _sms(here, there), _over(here.boost_clock_hz, there.boost_clock_hz)
    alike = here.cc == there.cc
    unit = sms if alike or not sms.known else _between(sms.ratio / _WIDTHS, sms.ratio * _WIDTHS)
    out = {name: unit for name, term in time_model().terms.items() if term.per_sm}
    out["issue"] = sms
    if here.limits and there.limits and sms.known:
        schedulers = here.limits.schedulers / there.limits.schedulers
        out["issue"] = Change(sms.low * schedulers, sms.high * schedulers)

    def at_peak(peak: str) -> Change:
        return _over(here.peaks.get(peak), there.peaks.get(peak))

    out["fma"] = _mixed([(share, at_peak(peak) if peak else unit) for peak, share in (fma or {"fp32": 1.0}).items()])
    out["fp64"], out["tensor"] = at_peak("fp64"), at_peak(tensor)
    out["dram"] = _over(here.bandwidth, there.bandwidth)
    out["l2"] = out["l2_fill"] = _l2(here, there, sms, clock)
    # Of the link between the partitions of L2 nothing is published; half of what DRAM sends crosses it.
    out["l2_fabric"] = out["dram"]
    out["in_turn"] = sms  # phases of two units of an SM, at its clock
    # One slice works at L2's clock, independent of the number of slices.
    out["atomics"] = _between(1.0, clock.ratio) if clock.known else clock
    starts = ((block_launch_ceiling(c.cc) or 0.0) * (c.boost_clock_hz or 0.0) for c in (here, there))
    out["block_launch"] = _over(*starts)
    for name in LATENCY:
        out[name] = clock
    if clock.known:
        out["latency_memory"] = _between(1.0, clock.ratio)
    return out


def _mixed(parts: Sequence[tuple[float, Change]]) -> Change:
    """Combine several kinds of work on one unit, each with its share and its change: the times add up."""
    kinds = {change.known for share, change in parts if share > 0}
    known = "" if "" in kinds else "bounds" if "bounds" in kinds else "rate"
    return Change(sum(s * c.low for s, c in parts), sum(s * c.high for s, c in parts), known)


def _l2(here: Gpu, there: Gpu, sms: Change, clock: Change) -> Change:
    if here.cc == there.cc and here.bus_bits and there.bus_bits and clock.known:
        return _over(here.bus_bits, there.bus_bits / clock.ratio)
    return _between(1.0, sms.ratio) if sms.known else sms


def filling(grid: float, warps: float, sms: float, slots: float, spread: float = 1.0) -> Filling:
    """Return how a grid of `grid` blocks and `warps` warps fills `sms` SMs with `slots` warp slots each.

    spread: work of the busiest SM / average, apart from the effect of whole blocks. Unknown (NaN) counts as even.
    """
    if not (grid > 0 and sms > 0):
        return Filling()
    imbalance = max(1.0, math.ceil(grid / sms) / (grid / sms) * spread)
    rounds = warps / sms * imbalance / slots if warps > 0 and slots > 0 else 1.0
    return Filling(imbalance, max(1.0, rounds))


@np.errstate(all="ignore")
def predict(
    model: Model, row: int, changed: Mapping[str, Change], here: Filling, there: Filling, floor: float = 0.0
) -> Prediction:
    """Predict the time of one row of the model on the other GPU. floor: the lowest ratio that the bytes allow."""
    now = model.now.at([row])
    described = time_model().terms
    filled: dict[str, float] = {}
    for name in now.terms:
        factor = there.imbalance / here.imbalance if described[name].per_sm else _crowding(now, name, here, there)
        filled[name] = there.rounds / here.rounds if name in LATENCY else factor

    def after(pick: str) -> dict[str, Array]:
        return {name: need * getattr(changed[name], pick) * filled[name] for name, need in now.terms.items()}

    constants = time_model()
    norm = constants.norm
    middle = after("ratio")
    norms = (norm.low, norm.estimate, norm.high)
    ratio = max(floor, float(new_time(now, middle, norm.estimate, same_work=True)[0]))
    low = min(float(new_time(now, after("low"), n, same_work=True)[0]) for n in norms)
    high = max(float(new_time(now, after("high"), n, same_work=True)[0]) for n in norms)
    # The unchanged part was measured: the model's error applies to the rest only.
    low, high = (r * constants.accuracy.within ** (sign * (1 - min(r, 1 / r))) for r, sign in ((low, -1), (high, 1)))
    leader = limiter(middle, 0)
    return Prediction(
        ratio,
        min(max(floor, low), ratio),
        max(high, ratio),
        leader,
        {name: float(need[0]) / ratio for name, need in middle.items()},
        {
            name: Change(c.low * filled[name], c.high * filled[name], c.known)
            for name, c in changed.items()
            if name in filled
        },
    )


def _crowding(now: Needs, name: str, here: Filling, there: Filling) -> float:
    """Return how the need of a unit that all SMs share changes where its SMs end more or less apart."""
    more = float(now.crowded[name][0]) if name in now.crowded else 1.0
    apart = here.imbalance - 1
    return (1 + (more - 1) * min(1.0, (there.imbalance - 1) / apart)) / more if apart > 0 else 1.0


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


_SHORT_NS = 10_000.0  # CATALOG, launch_overhead
_SHOWN = 0.01
# Prefixes of matrix opcodes, and the peak that limits them if their name does not contain a type.
_TENSOR = {
    **dict.fromkeys(("HMMA", "HGMMA", "UTCHMMA"), "fp16_tensor"),
    **dict.fromkeys(("IMMA", "IGMMA", "UTCIMMA"), "int8_tensor"),
    **dict.fromkeys(("QMMA", "QGMMA", "UTCQMMA"), "fp8_tensor"),
    **dict.fromkeys(("OMMA", "UTCOMMA"), "fp4_tensor"),
    "DMMA": "fp64_tensor",
}
# Of a matrix instruction whose name has no shape: 16 x 8 x 16.
_USUAL_MULTIPLY_ADDS = 2048
# Prefixes of opcodes and the compute capability that they need.
_FEATURES = (("LDGSTS", (8, 0)), ("UBLKCP", (9, 0)), ("UTMALDG", (9, 0)), ("UTMASTG", (9, 0)), ("LDSM", (7, 5)))


def matrix_peak(opcodes: Mapping[str, float]) -> str:
    """Return the peak that limits most multiply-adds of the matrix instructions; "" without any."""
    count: dict[str, float] = {}
    for opcode, number in opcodes.items():
        kind = _TENSOR.get(opcode.partition(".")[0])
        if kind == "fp16_tensor":
            kind = "bf16_tensor" if ".BF16" in opcode else "tf32_tensor" if ".TF32" in opcode else kind
        if kind:
            count[kind] = count.get(kind, 0.0) + number * (multiply_adds(opcode) or _USUAL_MULTIPLY_ADDS)
    return max(count, key=lambda kind: count[kind], default="")


class CaveatDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text of knowledge/elsewhere.yaml."""

    text: str
    cites: tuple[str, ...]


@lru_cache(maxsize=1)
def caveats() -> dict[str, CaveatDef]:
    """Return the texts about what a prediction may leave open, by id."""
    return load(resources.folder("knowledge") / "elsewhere.yaml", dict[str, CaveatDef])


def elsewhere(
    catalog: Catalog, inputs: Inputs, reasoned: Reasoned, positions: Sequence[int], there: Gpu
) -> tuple[OtherGpu, ...]:
    """Return the predictions of some launches on another GPU.

    Raises UsageError if neither the report nor --gpu describes well enough the GPU that one of them ran on.
    """
    model = speedup_model.build(reasoned.observed.measured, len(reasoned.launches))
    moves = []
    for position in positions:
        here = _here(reasoned.launches[position], inputs.gpu)
        moves.append(_Move(inputs, reasoned, position, here, here if here.id == there.id else there))
    numbers = {move.position: move.predicted(model) for move in moves}
    others = {position: values for position, values in numbers.items() if values}
    judged = concluded(catalog, inputs, reasoned, there, others) if others else {}
    return tuple(move.result(judged.get(move.position)) for move in moves)


def _here(launch: LaunchDiagnosis, named: str | None) -> Gpu:
    """Return the GPU by the report's own attributes; if they are missing, the one that --gpu names."""
    if launch.scope != "launch":
        raise UsageError(f"{launch.kernel!r} is typed in: --on needs the counters of a profiled launch")
    if launch.gpu_name:
        card = gpus.resolve(launch.metrics, launch.gpu_name, launch.cc)[0]
        if card.sm_count and card.boost_clock_hz and card.bandwidth:
            return card
        if card.id:  # the GPU table has this GPU, with some of its numbers unknown
            return card
    if named or launch.known_as:
        return gpus.gpu(named or launch.known_as)
    what = f"its GPU, {launch.gpu_name}, is not in the table" if launch.gpu_name else "its GPU is unknown"
    raise UsageError(f"launch {launch.index} cannot be estimated for another GPU: {what}; name it with --gpu")


class _Move:
    """The prediction of one launch on another GPU."""

    def __init__(self, inputs: Inputs, reasoned: Reasoned, position: int, here: Gpu, there: Gpu) -> None:
        self.position, self.launch, self.here, self.there = position, reasoned.launches[position], here, there
        self.caveat_values: dict[str, dict[str, float | str]] = {}
        self.found: Prediction | None = None
        self.fits: Occupancy | None = None
        opcodes = inputs.frame["opcodes"].iat[position]
        code = inputs.frame["code"].iat[position] if "code" in inputs.frame else None
        self.opcodes: Mapping[str, float] = code.opcodes if isinstance(code, CodeCounts) else {}
        if isinstance(opcodes, dict):
            self.opcodes = opcodes

    def get(self, name: str) -> float:
        """Return a metric of the launch, NaN if unknown."""
        return self.launch.metrics.get(name, math.nan)

    def predicted(self, model: speedup_model.Model) -> dict[str, float]:
        """Return the metrics there, for the rules; {} if there are none or the GPU is the same."""
        if self.launch.verdict.id == "undetermined":
            self.caveat_values["no_counters"] = {}
            return {}
        try:
            self.fits = self._occupancy()
        except UsageError as e:
            self.caveat_values = {"cannot_launch": {"why": str(e).removesuffix(" on this GPU")}}
            return {}
        changed = changes(self.here, self.there, self._tensor(), self._fma())
        needs = {name: float(need[self.position]) for name, need in model.now.terms.items()}
        blind = [n for n, need in needs.items() if not changed[n].known and need >= CARRIES * max(needs.values())]
        if blind:
            self.caveat_values = {"no_rate": {"units": _names(blind)}}
            return {}
        filled = self._fillings()
        self.found = predict(model, self.position, changed, *filled, self._floor())
        if self.here == self.there:
            return {}
        self._caveats(self.found, changed)
        limits = dict(self.fits.limits) if self.fits is not None else {}
        fit = Fit(_or_nan(self._percent()), self._blocks(), _or_nan(self._waves()), limits)
        return metrics_there(self.launch.metrics, self.found, filled, self.here, self.there, fit)

    def result(self, judged: LaunchDiagnosis | None) -> OtherGpu:
        """Return the prediction, or what prevents it. judged: the diagnosis of the launch there."""
        found, duration = self.found, self.launch.duration_ns
        here, there = (card.id or card.name for card in (self.here, self.there))
        if found is None:
            return OtherGpu(there, here, cannot=self._texts())
        launch = judged or self.launch
        # `unexplained` means that no cause was found, and most evidence of a cause cannot be predicted for another GPU.
        diagnoses = (f.id for f in launch.findings if f.kind == "diagnosis" and f.id != "unexplained")
        times = [duration * ratio if duration else None for ratio in (found.ratio, found.low, found.high)]
        return OtherGpu(
            gpu=there,
            here=here,
            ratio=found.ratio,
            low=found.low,
            high=found.high,
            duration_ns=times[0],
            duration_low_ns=times[1],
            duration_high_ns=times[2],
            leader=found.leader,
            units=_units(found),
            occupancy_pct=self._percent(),
            waves=self._waves(),
            class_id=launch.verdict.id,
            class_title=launch.verdict.title,
            findings=tuple(diagnoses),
            cannot=self._texts(),
        )

    # How the grid fills the GPU

    def _occupancy(self) -> Occupancy | None:
        """Return the occupancy there; None if registers, shared or block size are unknown or the limits are equal."""
        limits = self.there.limits
        if limits is None or limits == self.here.limits:
            return None
        block, registers = self.get("block_size"), self.get("registers_per_thread")
        shared = self.get("shared_static_bytes") + self.get("shared_dynamic_bytes")
        if not math.isfinite(shared) and self.here.limits:
            shared = self.get("shared_bytes_per_block") - self.here.limits.shared_reserved
        if not (block >= 1 and registers >= 0 and math.isfinite(shared)):
            self.caveat_values["occupancy"] = {}
            return None
        return occupancy(limits, int(block), int(registers), max(0, int(shared)))

    def _slots(self) -> float:
        """Return the warps of this launch that an SM there holds."""
        if self.fits is not None:
            return float(self.fits.warps)
        own = self.get("occupancy_theoretical_pct") / 100 * self.get("device_max_warps_per_sm")
        most = self.there.max_warps_per_sm
        return min(own, most) if math.isfinite(own) and most else own

    def _percent(self) -> float | None:
        most = self.there.max_warps_per_sm
        slots = self._slots()
        return 100 * slots / most if most and math.isfinite(slots) else None

    def _blocks(self) -> float:
        return float(self.fits.blocks) if self.fits is not None else self.get("blocks_per_sm_limit")

    def _waves(self) -> float | None:
        full = (self.there.sm_count or math.nan) * self._blocks()
        waves = self.get("grid_size") / full if full > 0 else math.nan
        return waves if math.isfinite(waves) else None

    def _fillings(self) -> tuple[Filling, Filling]:
        """Return how the grid fills both GPUs; imbalance that whole blocks do not explain stays the same."""
        grid, warps = self.get("grid_size"), self.get("warps")
        sms = self.get("sm_count")
        own = max(1.0, self.get("sm_active_ratio")) if math.isfinite(self.get("sm_active_ratio")) else 1.0
        slots = self.get("occupancy_theoretical_pct") / 100 * self.get("device_max_warps_per_sm")
        if not (grid > 0 and sms > 0 and self.there.sm_count):
            return Filling(), Filling()
        spread = own / (math.ceil(grid / sms) / (grid / sms))
        there = float(sms if self.there is self.here else self.there.sm_count)
        return filling(grid, warps, sms, slots, spread), filling(grid, warps, there, self._slots(), spread)

    def _floor(self) -> float:
        """Return the lowest ratio of times that the algorithm's bytes allow; 0 if unknown or already exceeded here."""
        reach = time_model().terms["dram"].ceiling * (self.there.bandwidth or math.nan)
        least = self.get("theoretical_bytes") / reach * 1e9 / self.get("duration_ns")
        same = self.there.bandwidth == self.here.bandwidth
        return least if math.isfinite(least) and not (same and least > 1) else 0.0

    # Requirements of the launch's code

    def _tensor(self) -> str:
        """Return the peak that limits the matrix instructions."""
        if not self.get("pipe_tensor_pct") > 1:
            return "fp16_tensor"
        return matrix_peak(self.opcodes) or "fp16_tensor"

    def _fma(self) -> dict[str, float]:
        """Return shares of FMA pipe instructions by the peak that limits them; only fp32 if counts are missing."""
        single = sum(self.get(f"{op}_inst") for op in ("ffma", "fadd", "fmul"))
        half, whole = self.get("half_math_inst"), self.get("fma_pipe_inst")
        if not (math.isfinite(single + half) and whole > 0):
            return {"fp32": 1.0}
        total = max(whole, single + half)
        return {"fp32": single / total, "fp16": half / total, "": 1 - (single + half) / total}

    def _features(self) -> None:
        version = tuple(int(part) for part in self.there.cc.split(".")) if self.there.cc else (0, 0)
        heads = {opcode.partition(".")[0] for opcode in self.opcodes}
        if version != (9, 0) and any(head.endswith("GMMA") for head in heads):
            self.caveat_values["hopper_only"] = {}
        if version[0] not in (10, 11) and any(head.startswith("UTC") and head.endswith("MMA") for head in heads):
            self.caveat_values["tensor_memory_only"] = {}
        for head, needs in _FEATURES:
            if head in heads and version < needs:
                self.caveat_values["newer_feature"] = {"feature": head, "needs": f"{needs[0]}.{needs[1]}"}

    # Caveats of the prediction

    def _caveats(self, found: Prediction, changed: Mapping[str, Change]) -> None:
        here, there = self.here, self.there
        self.caveat_values["clocks"] = self.caveat_values["stalls"] = {}
        if here.cc != there.cc:
            self.caveat_values["other_code"] = {"cc_there": there.cc}
            self._features()
        hit = self.get("l2_hit_pct")
        if hit >= 1 and here.l2_bytes != there.l2_bytes:
            if there.l2_bytes and here.l2_bytes:
                sizes: dict[str, float | str] = {"l2_there": there.l2_bytes / 2**20, "l2_here": here.l2_bytes / 2**20}
                self.caveat_values["l2_size"] = {**sizes, "l2_hit_pct": hit}
            else:
                self.caveat_values["l2_unknown"] = {"l2_hit_pct": hit}
        carrying = found.carrying()
        units = [name for name in carrying if name not in LATENCY]
        wide = [n for n in units if changed[n].known == "bounds" and changed[n].high > 1.01 * changed[n].low]
        for caveat, names in (("bounds", wide), ("rates", [n for n in units if not changed[n].known])):
            if names:
                self.caveat_values[caveat] = {"units": _names(names)}
        if any(name in LATENCY for name in carrying):
            self.caveat_values["latencies"] = {}
        self._tensor_caveats(carrying, changed)
        if (self.launch.duration_ns or math.inf) * min(1.0, found.ratio) < _SHORT_NS:
            self.caveat_values["launch"] = {}
        if any(f.id == "remote_memory_traffic" for f in self.launch.findings):
            self.caveat_values["outside"] = {}
        if there.integrated:
            self.caveat_values["shared_memory"] = {}

    def _tensor_caveats(self, carrying: tuple[str, ...], changed: Mapping[str, Change]) -> None:
        matrix = any(opcode.partition(".")[0] in _TENSOR for opcode in self.opcodes)
        if matrix and not changed["tensor"].known:
            self.caveat_values["tensor_missing"] = {"type": self._tensor().removesuffix("_tensor")}
        elif "tensor" in carrying and not matrix:
            self.caveat_values["tensor_guessed"] = {}

    def _texts(self) -> tuple[Caveat, ...]:
        cards: dict[str, float | str] = {"there": self.there.name, "here": self.here.name}
        known = caveats()
        chosen = {i: {**cards, **values} for i, values in self.caveat_values.items()}
        return tuple(Caveat(i, fill(known[i].text, chosen[i])) for i in known if i in chosen)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _units(found: Prediction) -> tuple[Unit, ...]:
    names = sorted((n for n, need in found.needs.items() if need >= _SHOWN), key=lambda n: (-found.needs[n], n))
    described = time_model().terms
    return tuple(
        Unit(n, described[n].name, found.needs[n], c.ratio, c.low, c.high) for n in names if (c := found.changes[n])
    )


def _names(terms: list[str]) -> str:
    described = time_model().terms
    return ", ".join(described[name].name for name in terms)
