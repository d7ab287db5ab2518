"""The prediction of a launch on another GPU, its caveats, or what prevents it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from advisor.hardware import gpus
from advisor.hardware.gpus import Gpu
from advisor.hardware.occupancy import Occupancy, occupancy
from advisor.knowledge.base import Catalog
from advisor.knowledge.loader import load
from advisor.knowledge.texts import fill
from advisor.knowledge.time_model import time_model
from advisor.reasoning.assemble import Reasoned
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.other_gpu.counters import Fit, concluded, metrics_there
from advisor.reasoning.other_gpu.predict import CARRIES, Filling, Prediction, filling, predict
from advisor.reasoning.other_gpu.rates import TENSOR, Change, changes, matrix_peak
from advisor.reasoning.time_model import model as speedup_model
from advisor.reasoning.time_model.terms import LATENCY
from advisor.records import resources
from advisor.records.diagnosis import Caveat, LaunchDiagnosis, OtherGpu, Unit
from advisor.records.errors import UsageError
from advisor.records.readings import CodeCounts

_SHORT_NS = 10_000.0  # CATALOG, launch_overhead
_SHOWN = 0.01
# Prefixes of opcodes and the compute capability that they need.
_FEATURES = (("LDGSTS", (8, 0)), ("UBLKCP", (9, 0)), ("UTMALDG", (9, 0)), ("UTMASTG", (9, 0)), ("LDSM", (7, 5)))


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
        matrix = any(opcode.partition(".")[0] in TENSOR for opcode in self.opcodes)
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
