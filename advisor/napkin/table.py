"""knowledge/gpus.yaml as objects in SI units: cards with their peaks, and the limits of each compute capability."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from advisor import resources
from advisor.catalog.loader import key_line, load
from advisor.errors import KnowledgeError

# Peak rates by their keys; plain cores first, then tensor cores (dense, fp32 accumulation; int8 in OP/s).
PEAKS = (
    *("fp64", "fp32", "fp16", "bf16"),
    *("fp64_tensor", "tf32_tensor", "fp16_tensor", "bf16_tensor", "fp8_tensor", "int8_tensor"),
)
# A number of the file -> the field of Gpu that it becomes, where the names differ.
_FIELDS = {
    "gb_per_s": "bandwidth",
    "boost_mhz": "boost_clock_hz",
    "memory_mhz": "memory_clock_hz",
    "l2_kib": "l2_bytes",
}
WORKED_OUT = "worked out: SMs x clock x rate of the compute capability"
_MIG = re.compile(r"\s+mig\s.*$", re.IGNORECASE)
_MAKERS = re.compile(r"\b(nvidia|geforce|tesla|gpu)\b", re.IGNORECASE)


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document or measurement that numbers were taken from."""

    title: str
    cites: str


class CapabilityFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one source says of a compute capability. flop: FLOP per cycle and SM by peak."""

    warps_per_sm: int | None = None
    blocks_per_sm: int | None = None
    registers_per_sm: int | None = None
    registers_per_thread: int | None = None
    threads_per_block: int | None = None
    schedulers: int | None = None
    shared_per_sm_kib: int | None = None
    shared_per_block_kib: int | None = None
    shared_reserved: int | None = None
    register_unit: int | None = None
    shared_unit: int | None = None
    barriers_per_sm: int | None = None
    tensor_clock: float | None = None
    flop: dict[str, float] = {}
    flop_geforce: dict[str, float] = {}


class CapabilityDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A compute capability as the file has it."""

    facts: dict[str, CapabilityFacts]
    note: str = ""


class CardFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one source says of a card, in the units of its datasheet."""

    sm_count: int | None = None
    boost_mhz: float | None = None
    memory_mhz: float | None = None
    bus_bits: int | None = None
    gb_per_s: float | None = None
    l2_kib: int | None = None
    tflops: dict[str, float] = {}


class CardDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card as the file has it."""

    name: str
    cc: str
    facts: dict[str, CardFacts]
    devices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    former_cc: tuple[str, ...] = ()
    integrated: bool = False
    unknown: tuple[str, ...] = ()
    note: str = ""


class TableDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    sources: dict[str, Source]
    capabilities: dict[str, CapabilityDef]
    cards: dict[str, CardDef]


class Limits(msgspec.Struct, frozen=True):
    """Limits of an SM. Shared memory in bytes; register_unit: registers that a warp is given at a time (a multiple of
    8 for each thread); shared_unit: bytes that a block is given at a time; shared_reserved: bytes that the system takes
    of each block; barriers_per_sm: None where unknown.
    """

    warps_per_sm: int
    blocks_per_sm: int
    registers_per_sm: int
    registers_per_thread: int
    threads_per_block: int
    schedulers: int
    shared_per_sm: int
    shared_per_block: int
    shared_reserved: int
    register_unit: int = 256
    shared_unit: int = 128
    barriers_per_sm: int | None = None


class Capability(msgspec.Struct, frozen=True):
    """A compute capability. flop and flop_geforce: FLOP per cycle and SM by peak; sources: number to source key."""

    cc: str
    limits: Limits
    flop: dict[str, float]
    flop_geforce: dict[str, float]
    tensor_clock: float
    sources: dict[str, str]
    note: str

    def rates(self, geforce: bool) -> dict[str, float]:
        """FLOP per cycle and SM by peak, on a GeForce card or on another."""
        return {**self.flop, **self.flop_geforce} if geforce else dict(self.flop)


class Gpu(msgspec.Struct, frozen=True):
    """A GPU. bandwidth: DRAM peak, bytes/s; clocks in Hz; peaks: FLOP/s by the keys of PEAKS, dense; None and absent
    peaks are unknown. sources: number (`bandwidth`, `peaks.fp32`, …) to where it comes from; note: what was left out.
    """

    id: str
    name: str
    cc: str
    sm_count: int | None = None
    boost_clock_hz: float | None = None
    memory_clock_hz: float | None = None
    bus_bits: int | None = None
    bandwidth: float | None = None
    l2_bytes: int | None = None
    peaks: dict[str, float] = {}
    limits: Limits | None = None
    integrated: bool = False
    sources: dict[str, str] = {}
    cites: tuple[str, ...] = ()
    note: str = ""

    def ridge(self, peak: str) -> float | None:
        """The ridge point, FLOP/byte: peak rate over DRAM bandwidth (Williams, Waterman, Patterson 2009)."""
        rate = self.peaks.get(peak)
        return rate / self.bandwidth if rate and self.bandwidth else None

    @property
    def max_warps_per_sm(self) -> int | None:
        """Warps that fit an SM."""
        return self.limits.warps_per_sm if self.limits else None

    @property
    def max_blocks_per_sm(self) -> int | None:
        """Blocks that fit an SM."""
        return self.limits.blocks_per_sm if self.limits else None

    @property
    def registers_per_sm(self) -> int | None:
        """32-bit registers of an SM."""
        return self.limits.registers_per_sm if self.limits else None

    @property
    def shared_per_sm(self) -> int | None:
        """Shared memory of an SM, bytes."""
        return self.limits.shared_per_sm if self.limits else None

    @property
    def schedulers_per_sm(self) -> int | None:
        """Warp schedulers of an SM."""
        return self.limits.schedulers if self.limits else None


class Table(msgspec.Struct, frozen=True):
    """All of it; `index` maps a name as `key` makes it to a card's id, `devices` a device name to one."""

    sources: dict[str, Source]
    capabilities: dict[str, Capability]
    cards: dict[str, Gpu]
    former_cc: dict[str, tuple[str, ...]]
    index: dict[str, str]
    devices: dict[str, str]


class _MistakeError(ValueError):
    """Something in the file that its schema cannot see; begins with the entry's id."""


def key(name: str) -> str:
    """A name for comparing: without maker, MIG profile, case and punctuation."""
    return re.sub(r"[^a-z0-9]+", "", _MAKERS.sub(" ", _MIG.sub("", name)).lower())


def is_geforce(name: str) -> bool:
    """Whether a device name is that of a GeForce card, whose tensor cores accumulate in fp32 at half speed."""
    return "geforce" in name.lower()


def _once(
    where: str, facts: dict[str, CapabilityFacts] | dict[str, CardFacts], known: dict[str, Source]
) -> dict[str, tuple[float, str]]:
    """Number name to (value, source key); a number under two sources, or a source that is not listed, is a mistake."""
    out: dict[str, tuple[float, str]] = {}
    for source, fact in facts.items():
        if source not in known:
            raise _MistakeError(f"{where}: no source {source!r}")
        for field in fact.__struct_fields__:
            value = getattr(fact, field)
            items = {f"{field}.{k}": v for k, v in value.items()} if isinstance(value, dict) else {field: value}
            for name, one in items.items():
                if one is None:
                    continue
                if name in out:
                    raise _MistakeError(f"{where}: {name} under {source!r} and {out[name][1]!r}")
                if "." in name and name.partition(".")[2] not in PEAKS:
                    raise _MistakeError(f"{where}: no peak {name!r}; there are {', '.join(PEAKS)}")
                out[name] = (float(one), source)
    return out


def _capability(cc: str, entry: CapabilityDef, known: dict[str, Source]) -> Capability:
    numbers = _once(cc, entry.facts, known)
    plain = {
        name.removesuffix("_kib"): int(value) * (1024 if name.endswith("_kib") else 1)
        for name, (value, _) in numbers.items()
        if "." not in name and name != "tensor_clock"
    }
    try:
        limits = msgspec.convert(plain, Limits)
    except msgspec.ValidationError as e:
        raise _MistakeError(f"{cc}: {e}") from None
    rates: dict[str, dict[str, float]] = {"flop": {}, "flop_geforce": {}}
    for name, (value, _) in numbers.items():
        group, _, peak = name.partition(".")
        if peak:
            rates[group][peak] = value
    clock = numbers.get("tensor_clock", (1.0, ""))[0]
    return Capability(
        cc, limits, rates["flop"], rates["flop_geforce"], clock, {n: s for n, (_, s) in numbers.items()}, entry.note
    )


def worked_out(capability: Capability, geforce: bool, sm_count: int | None, clock_hz: float | None) -> dict[str, float]:
    """Peaks in FLOP/s from SMs, clock and the capability's rates; {} when SMs or clock are unknown.

    tensor_clock does not apply to fp64, whose tensor peak NVIDIA quotes at the full boost clock.
    """
    if not sm_count or not clock_hz:
        return {}
    slower = {peak for peak in capability.flop if peak.endswith("_tensor") and peak != "fp64_tensor"}
    return {
        peak: rate * sm_count * clock_hz * (capability.tensor_clock if peak in slower else 1.0)
        for peak, rate in capability.rates(geforce).items()
    }


def _card(card_id: str, entry: CardDef, capabilities: dict[str, Capability], known: dict[str, Source]) -> Gpu:
    if entry.cc not in capabilities:
        raise _MistakeError(f"{card_id}: no compute capability {entry.cc!r}")
    numbers = _once(card_id, entry.facts, known)

    def number(name: str, scale: float) -> float | None:
        return numbers[name][0] * scale if name in numbers else None

    sources = {
        _FIELDS.get(name, name.replace("tflops.", "peaks.")): known[source].title
        for name, (_, source) in numbers.items()
    }
    sm_count, boost = number("sm_count", 1), number("boost_mhz", 1e6)
    memory, bus = number("memory_mhz", 1e6), number("bus_bits", 1)
    bandwidth = number("gb_per_s", 1e9)
    if bandwidth is None and memory and bus:
        bandwidth = double_rate(memory, bus)
        sources["bandwidth"] = "worked out: 2 x memory clock x bus width / 8"
    given = {name.partition(".")[2]: value * 1e12 for name, (value, _) in numbers.items() if "." in name}
    geforce = any(map(is_geforce, (entry.name, *entry.devices)))
    peaks = worked_out(capabilities[entry.cc], geforce, int(sm_count) if sm_count else None, boost)
    for peak in peaks:
        if peak not in given and peak not in entry.unknown:
            given[peak] = peaks[peak]
            sources[f"peaks.{peak}"] = WORKED_OUT
    l2 = number("l2_kib", 1024)
    return Gpu(
        id=card_id,
        name=entry.name,
        cc=entry.cc,
        sm_count=int(sm_count) if sm_count else None,
        boost_clock_hz=boost,
        memory_clock_hz=memory,
        bus_bits=int(bus) if bus else None,
        bandwidth=bandwidth,
        l2_bytes=int(l2) if l2 else None,
        peaks={peak: given[peak] for peak in PEAKS if peak in given},
        limits=capabilities[entry.cc].limits,
        integrated=entry.integrated,
        sources=sources,
        cites=tuple(dict.fromkeys(known[source].cites for source in entry.facts)),
        note=entry.note,
    )


def double_rate(memory_clock_hz: float, bus_bits: float) -> float:
    """DRAM peak in bytes/s from the memory clock that the driver prints (half the data rate) and the bus width.

    Agrees with the counters' own peak (dram__bytes.sum.peak_sustained x DRAM clock) within 0.5 % on the HBM cards and
    3 % on the GDDR cards, T4 to H200, whose reports were at hand.
    """
    return 2 * memory_clock_hz * bus_bits / 8


@lru_cache(maxsize=1)
def table() -> Table:
    """The table of knowledge/gpus.yaml; KnowledgeError says what is wrong with it."""
    path = resources.folder("knowledge") / "gpus.yaml"
    raw = load(path, TableDef)
    try:
        return _table(raw)
    except _MistakeError as e:
        entry = str(e).partition(":")[0]
        line = key_line(path, "cards", entry) if entry in raw.cards else key_line(path, "capabilities")
        raise KnowledgeError(f"{path}:{line}: {e}") from None


def _table(raw: TableDef) -> Table:
    capabilities = {cc: _capability(cc, entry, raw.sources) for cc, entry in raw.capabilities.items()}
    cards = {card_id: _card(card_id, entry, capabilities, raw.sources) for card_id, entry in raw.cards.items()}
    index: dict[str, str] = {}
    devices: dict[str, str] = {}
    for card_id, entry in raw.cards.items():
        names = (card_id, entry.name, *entry.aliases, *entry.devices)
        for form, target in (*((key(n), index) for n in names), *((key(n), devices) for n in entry.devices)):
            if target.setdefault(form, card_id) != card_id:
                raise _MistakeError(f"{card_id}: the name {form!r} is already {target[form]}'s")
    former = {card_id: entry.former_cc for card_id, entry in raw.cards.items() if entry.former_cc}
    return Table(raw.sources, capabilities, cards, former, index, devices)
