"""Estimate an algorithm's minimum time on a GPU (roofline model), and compare a measured launch with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from advisor.hardware import algorithms
from advisor.hardware.algorithms import Algorithm, Dtype
from advisor.hardware.gpus import Gpu, gpu
from advisor.knowledge.expressions import TRUE, parse_test
from advisor.knowledge.texts import fill
from advisor.records.errors import UsageError
from advisor.records.record import NotNegative, Pairs, Positive, Record, Share

CORES = ("auto", "plain", "tensor")


Cores = Literal["plain", "tensor"]
Bound = Literal["memory", "compute"]
Term = Literal["bytes", "flop"]


class Roof(Record):
    """The roofline of one kind of core (`plain` or `tensor`) at the algorithm's intensity.

    peak: FLOP/s, its key in peak_name; ridge: FLOP/byte; bound: memory (intensity below the ridge) or compute;
    attainable: FLOP/s, min(peak, intensity x bandwidth); times in ns. floor: the larger of bytes / bandwidth and
    FLOP / peak; term: which one it is (`bytes` or `flop`); achievable: floor at the share of each peak that good code
    reaches (knowledge/napkin/ceilings.yaml).
    """

    cores: Cores
    peak_name: str
    peak: Positive
    ridge: Positive
    bound: Bound
    attainable: NotNegative
    bytes_ns: NotNegative
    flop_ns: NotNegative
    floor_ns: NotNegative
    term: Term
    achievable_ns: NotNegative
    achievable_term: Term


class Note(Record):
    """A remark on the numbers, with a text of knowledge/napkin/."""

    id: str
    says: str
    cites: tuple[str, ...]


class Result(Struct, frozen=True):
    """The napkin estimate of an algorithm. flop, bytes: minimum work; intensity: FLOP/byte; derived: intermediate
    quantities; plain, tensor: the roofs, None if the GPU has no such rate or the cores cannot do the work;
    cores: the expected one of the two ('' if neither rate is known: then only the bytes count). bytes_ns: time of the
    bytes at the DRAM peak; bytes_achievable_ns: time at the rate that good code reaches; measured: the shares of the
    peaks that were measured on this GPU and are used as achievable instead of the usual ones.
    """

    algorithm: Algorithm
    parameters: Mapping[str, float]
    derived: Mapping[str, float]
    dtype: Dtype
    gpu: Gpu
    flop: float
    bytes: float
    intensity: float
    bytes_ns: float
    bytes_achievable_ns: float
    plain: Roof | None
    tensor: Roof | None
    cores: str
    notes: tuple[Note, ...] = ()
    cites: tuple[str, ...] = ()
    measured: Mapping[str, float] = field(default_factory=dict)

    @property
    def expected(self) -> Roof | None:
        """The roof of the cores expected to do the work."""
        return {"plain": self.plain, "tensor": self.tensor}.get(self.cores)

    @property
    def bound(self) -> Bound | Literal[""]:
        """`memory`, `compute`, or '' if no arithmetic rate is known."""
        if self.expected:
            return self.expected.bound
        return "memory" if self.flop == 0 else ""

    @property
    def floor_ns(self) -> float:
        """Minimum time at the peak rates; the time of the bytes alone if no arithmetic rate is known."""
        return self.expected.floor_ns if self.expected else self.bytes_ns

    @property
    def achievable_ns(self) -> float:
        """Minimum time at the shares of the peaks that good code reaches."""
        return self.expected.achievable_ns if self.expected else self.bytes_achievable_ns


def estimate(
    name: str,
    parameters: Mapping[str, float] | None = None,
    *,
    dtype: str = "f32",
    gpu_name: str | Gpu,
    cores: str = "auto",
    ceilings: Mapping[str, float] | None = None,
) -> Result:
    """Estimate algorithm `name` with these parameters (default for the others) on a GPU, given by id or as a Gpu.

    cores: `plain`, `tensor`, or `auto`: tensor cores if they can do the work and the GPU has a tensor rate for the
    type. ceilings: measured shares of the peaks (memory, plain, plain_matrix, tensor) instead of the usual ones.
    Raises UsageError for an unknown name, a parameter out of range, cores without a rate, or an unknown bandwidth.
    """
    entry, kind = algorithms.algorithm(name), algorithms.dtype(dtype)
    card = gpu(gpu_name) if isinstance(gpu_name, str) else gpu_name
    if cores not in CORES:
        raise UsageError(f"no cores {cores!r}: choose {', '.join(CORES)}")
    if not card.bandwidth:
        raise UsageError(f"the memory bandwidth of {card.name} is unknown: choose another GPU")
    complete = algorithms.complete(entry, kind.size, parameters or {})
    flop, traffic, derived = algorithms.count(entry, kind.size, complete)
    shares = {key: share.share for key, share in algorithms.ceilings().items()} | dict(ceilings or {})
    peaks: dict[Cores, str] = {"plain": kind.plain, "tensor": kind.tensor if entry.matrix else ""}
    roofs: dict[str, Roof | None] = {
        side: _roof(side, peak, flop, traffic, card, shares, entry.matrix) for side, peak in peaks.items()
    }
    chosen = cores
    if cores == "auto":
        order = ("tensor", "plain") if entry.usually == "tensor" else ("plain", "tensor")
        chosen = next((side for side in order if roofs[side]), "")
    elif roofs[cores] is None:
        why = (
            "this work does not run on them" if cores == "tensor" and not entry.matrix else "the table has no such rate"
        )
        raise UsageError(f"{card.name} has no {kind.title} rate on {cores} cores for {entry.id}: {why}")
    used = ("memory", "plain_matrix" if entry.matrix else "plain", "tensor")
    result = Result(
        algorithm=entry,
        parameters=complete,
        derived=derived,
        dtype=kind,
        gpu=card,
        flop=flop,
        bytes=traffic,
        intensity=flop / traffic,
        bytes_ns=traffic / card.bandwidth * 1e9,
        bytes_achievable_ns=traffic / (card.bandwidth * shares["memory"]) * 1e9,
        plain=roofs["plain"],
        tensor=roofs["tensor"],
        cores=chosen,
        cites=tuple(dict.fromkeys((*entry.cites, *kind.cites, *card.cites))),
        measured={key: share for key, share in (ceilings or {}).items() if key in used},
    )
    return _with_notes(result)


def _roof(
    side: Cores, peak_name: str, flop: float, traffic: float, card: Gpu, shares: Mapping[str, float], matrix: bool
) -> Roof | None:
    peak, bandwidth = card.peaks.get(peak_name), card.bandwidth
    if not peak or not bandwidth:
        return None
    arithmetic = shares["tensor" if side == "tensor" else "plain_matrix" if matrix else "plain"]
    ridge, intensity = peak / bandwidth, flop / traffic
    times: dict[Term, float] = {"bytes": traffic / bandwidth * 1e9, "flop": flop / peak * 1e9}
    reached: dict[Term, float] = {"bytes": times["bytes"] / shares["memory"], "flop": times["flop"] / arithmetic}
    term, reached_term = max(times, key=lambda t: times[t]), max(reached, key=lambda t: reached[t])
    return Roof(
        cores=side,
        peak_name=peak_name,
        peak=peak,
        ridge=ridge,
        bound="compute" if intensity > ridge else "memory",
        attainable=min(peak, intensity * bandwidth),
        bytes_ns=times["bytes"],
        flop_ns=times["flop"],
        floor_ns=times[term],
        term=term,
        achievable_ns=reached[reached_term],
        achievable_term=reached_term,
    )


def names(result: Result) -> dict[str, float]:
    """Return the result's values by the names that knowledge/napkin/notes.yaml uses in tests and texts."""
    out = {
        "size": result.dtype.size,
        "flop": result.flop,
        "bytes": result.bytes,
        "intensity": result.intensity,
        "floor_ns": result.floor_ns,
        "matrix": float(result.algorithm.matrix),
        "has_tensor": float(result.dtype.tensor in result.gpu.peaks),
        "has_rate": float(bool(result.expected)),
        "bandwidth": result.gpu.bandwidth or 0.0,
    }
    if result.gpu.l2_bytes:
        out["l2_bytes"] = result.gpu.l2_bytes
    if result.gpu.cc.replace(".", "", 1).isdigit():
        out["cc"] = float(result.gpu.cc)
    for side, roof in (("plain", result.plain), ("tensor", result.tensor)):
        if roof:
            out[f"{side}_ridge"] = roof.ridge
            out[f"{side}_compute"] = float(roof.bound == "compute")
            out[f"{side}_ns"] = roof.floor_ns
    if result.plain and result.tensor:
        out["tensor_gain"] = result.plain.floor_ns / result.tensor.floor_ns
    return out


def _with_notes(result: Result) -> Result:
    values = names(result)
    notes = tuple(
        Note(key, fill(remark.says, values), remark.cites)
        for key, remark in algorithms.remarks().items()
        if parse_test(remark.test).truth(values) == TRUE
    )
    return replace(result, notes=notes)


class Inconsistency(Record):
    """A disagreement of a measurement with the napkin estimate.

    kind: inconsistency (the kernel does not do what its algorithm should), contradiction (the numbers cannot all be
    right) or distance (from the minimum time); suggests: a diagnosis id; values: the numbers that it is based on.
    """

    id: str
    kind: str
    says: str
    values: Pairs[float]
    cites: tuple[str, ...]
    suggests: str = ""


class NapkinGpu(Record):
    """The GPU of an estimate: bytes/s, bytes."""

    id: str
    name: str
    cc: str
    bandwidth: NotNegative
    l2_bytes: int | None = None


class NapkinDocument(Record, kw_only=True, tag_field="schema", tag="ncu-advisor/napkin/1"):
    """Output of `ncu-advisor napkin ALGORITHM --format json`; units are those of `Result`.

    measured: shares of the peaks that were measured on this GPU and are used as achievable.
    """

    algorithm: str
    title: str
    parameters: Mapping[str, float]
    derived: Mapping[str, float]
    dtype: str
    gpu: NapkinGpu
    flop: NotNegative
    bytes: NotNegative
    intensity: NotNegative
    bytes_ns: NotNegative
    floor_ns: NotNegative
    achievable_ns: NotNegative
    roofs: tuple[Roof, ...]
    notes: tuple[Note, ...]
    checks: tuple[Inconsistency, ...]
    cites: tuple[str, ...]
    measured: Mapping[str, Share] | None = None
    cores: Cores | None = None
    bound: Bound | None = None


def napkin_document(result: Result, checks: Sequence[Inconsistency] = ()) -> NapkinDocument:
    """Return the document of an estimate. checks: disagreements with a measured launch."""
    gpu = result.gpu
    return NapkinDocument(
        algorithm=result.algorithm.id,
        title=result.algorithm.title,
        parameters=result.parameters,
        derived=result.derived,
        dtype=result.dtype.id,
        gpu=NapkinGpu(gpu.id, gpu.name, gpu.cc, gpu.bandwidth or 0.0, gpu.l2_bytes or None),
        flop=result.flop,
        bytes=result.bytes,
        intensity=result.intensity,
        bytes_ns=result.bytes_ns,
        floor_ns=result.floor_ns,
        achievable_ns=result.achievable_ns,
        roofs=tuple(roof for roof in (result.plain, result.tensor) if roof),
        notes=result.notes,
        checks=tuple(checks),
        cites=result.cites,
        measured=result.measured or None,
        cores=result.expected.cores if result.expected else None,
        bound=result.bound or None,
    )
