"""Find GPUs of knowledge/gpus.yaml by name, in SI units, or derive them from a report's device attributes."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from functools import lru_cache

import msgspec
from msgspec import Struct, structs

from advisor.knowledge.loader import key_line, load
from advisor.records import resources
from advisor.records.errors import KnowledgeError, UsageError

# Peak rates by their keys; plain cores first, then tensor cores (dense, fp32 accumulation; int8 in OP/s).
PEAKS = (
    *("fp64", "fp32", "fp16", "bf16"),
    *("fp64_tensor", "tf32_tensor", "fp16_tensor", "bf16_tensor", "fp8_tensor", "fp4_tensor", "int8_tensor"),
)
# Number in the file -> field of Gpu, if the names differ.
_FIELDS = {
    "gb_per_s": "bandwidth",
    "boost_mhz": "boost_clock_hz",
    "memory_mhz": "memory_clock_hz",
    "l2_kib": "l2_bytes",
}
WORKED_OUT = "computed: SMs x clock x rate of the compute capability"
SCALED = "computed: the listed {} peak x the ratio of the two rates of the compute capability"
_MIG = re.compile(r"(?<!\s)\s+mig\s.*$", re.IGNORECASE)
_MAKERS = re.compile(r"\b(nvidia|geforce|tesla|gpu)\b", re.IGNORECASE)


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document or measurement that numbers were taken from."""

    title: str
    cites: str


class CapabilityFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts that one source gives about a compute capability. flop: FLOP per cycle and SM by peak."""

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
    cycles_per_request: int | None = None
    tensor_clock: float | None = None
    flop: dict[str, float] = {}
    flop_geforce: dict[str, float] = {}


class CapabilityDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A compute capability as written in the file."""

    facts: dict[str, CapabilityFacts]
    note: str = ""


class CardFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts that one source gives about a GPU, in the units of its datasheet."""

    sm_count: int | None = None
    boost_mhz: float | None = None
    memory_mhz: float | None = None
    bus_bits: int | None = None
    gb_per_s: float | None = None
    l2_kib: int | None = None
    tflops: dict[str, float] = {}


class GpuDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A GPU as written in the file. unknown: peaks left out; differs: peaks at another rate than the capability's."""

    name: str
    cc: str
    facts: dict[str, CardFacts]
    devices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    former_cc: tuple[str, ...] = ()
    integrated: bool = False
    unknown: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    note: str = ""


class TableDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the whole file."""

    sources: dict[str, Source]
    capabilities: dict[str, CapabilityDef]
    cards: dict[str, GpuDef]


class Limits(msgspec.Struct, frozen=True):
    """Limits of an SM. Shared memory in bytes; register_unit: allocation unit of a warp's registers (a multiple of
    8 for each thread); shared_unit: allocation unit of a block in bytes; shared_reserved: bytes that the system takes
    in each block; barriers_per_sm: None if unknown; cycles_per_request: of the load/store path of L1, at the peak
    rate that its counter of requests states, or None.
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
    cycles_per_request: int | None = None


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
        """FLOP per cycle and SM by peak, on a GeForce GPU or on another."""
        return {**self.flop, **self.flop_geforce} if geforce else dict(self.flop)


class Gpu(msgspec.Struct, frozen=True):
    """A GPU. bandwidth: DRAM peak, bytes/s; clocks in Hz; peaks: FLOP/s by the keys of PEAKS, dense; None and absent
    peaks are unknown. sources: number (`bandwidth`, `peaks.fp32`, …) to its source; differs: peaks at another rate than
    the capability's; note: numbers that were left out.
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
    differs: tuple[str, ...] = ()
    note: str = ""

    def ridge(self, peak: str) -> float | None:
        """Return the ridge point in FLOP/byte: peak rate over DRAM bandwidth (Williams, Waterman, Patterson 2009)."""
        rate = self.peaks.get(peak)
        return rate / self.bandwidth if rate and self.bandwidth else None

    @property
    def fp32_fp64_ratio(self) -> float | None:
        """Ratio of the fp32 rate to the fp64 rate, None if one of them is unknown."""
        single, double = self.peaks.get("fp32"), self.peaks.get("fp64")
        return round(single / double) if single and double else None

    @property
    def max_warps_per_sm(self) -> int | None:
        """Maximum number of warps on an SM."""
        return self.limits.warps_per_sm if self.limits else None

    @property
    def registers_per_sm(self) -> int | None:
        """Number of 32-bit registers of an SM."""
        return self.limits.registers_per_sm if self.limits else None

    @property
    def shared_per_sm(self) -> int | None:
        """Shared memory of an SM in bytes."""
        return self.limits.shared_per_sm if self.limits else None


class Table(msgspec.Struct, frozen=True):
    """The whole table. `index` maps a name made by `key` to a GPU's id; `devices` maps a device name to an id."""

    sources: dict[str, Source]
    capabilities: dict[str, Capability]
    cards: dict[str, Gpu]
    former_cc: dict[str, tuple[str, ...]]
    index: dict[str, str]
    devices: dict[str, str]


class _MistakeError(ValueError):
    """A mistake in the file that its schema cannot detect; the message begins with the entry's id."""


def key(name: str) -> str:
    """Return a name for comparison: without vendor, MIG profile, case and punctuation."""
    return re.sub(r"[^a-z0-9]+", "", _MAKERS.sub(" ", _MIG.sub("", name)).lower())


def is_geforce(name: str) -> bool:
    """Return whether this device name is a GeForce GPU, whose tensor cores accumulate in fp32 at half speed."""
    return "geforce" in name.lower()


def _once(
    where: str, facts: dict[str, CapabilityFacts] | dict[str, CardFacts], known: dict[str, Source]
) -> dict[str, tuple[float, str]]:
    """Map each number to (value, source key). Two sources for one number, or an unlisted source, are a mistake."""
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
    """Return peaks in FLOP/s from SMs, clock and the capability's rates; empty if SMs or clock are unknown.

    tensor_clock does not apply to fp64, whose tensor peak NVIDIA quotes at the full boost clock.
    """
    if not sm_count or not clock_hz:
        return {}
    return {peak: rate * sm_count * clock_hz for peak, rate in _quoted(capability, geforce).items()}


def _quoted(capability: Capability, geforce: bool) -> dict[str, float]:
    """Return FLOP per SM and boost cycle as NVIDIA quotes peaks: tensor rates are at a share of the boost clock."""
    slower = {peak for peak in PEAKS if peak.endswith("_tensor") and peak != "fp64_tensor"}
    rates = capability.rates(geforce).items()
    return {peak: rate * (capability.tensor_clock if peak in slower else 1.0) for peak, rate in rates}


def _scaled(
    capability: Capability, geforce: bool, given: Mapping[str, float], differs: Collection[str]
) -> tuple[dict[str, float], str]:
    """Return peaks in FLOP/s of a GPU without a known clock, and the listed peak from whose rate they follow."""
    rates = _quoted(capability, geforce)
    known = next(
        (peak for peak in ("fp32", "fp4_tensor") if peak in given and peak in rates and peak not in differs), ""
    )
    return ({peak: given[known] * rate / rates[known] for peak, rate in rates.items()} if known else {}), known


def _card(card_id: str, entry: GpuDef, capabilities: dict[str, Capability], known: dict[str, Source]) -> Gpu:
    if entry.cc not in capabilities:
        raise _MistakeError(f"{card_id}: no compute capability {entry.cc!r}")
    numbers = _once(card_id, entry.facts, known)
    for names, expected in ((entry.unknown, False), (entry.differs, True)):
        for peak in names:
            if peak not in PEAKS or (f"tflops.{peak}" in numbers) != expected:
                raise _MistakeError(f"{card_id}: {peak!r} is no peak, is listed although unknown, or differs unlisted")

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
        sources["bandwidth"] = "computed: 2 x memory clock x bus width / 8"
    given = {name.partition(".")[2]: value * 1e12 for name, (value, _) in numbers.items() if "." in name}
    geforce = any(map(is_geforce, (entry.name, *entry.devices)))
    capability, how = capabilities[entry.cc], WORKED_OUT
    peaks = worked_out(capability, geforce, int(sm_count) if sm_count else None, boost)
    if not peaks:
        peaks, listed = _scaled(capability, geforce, given, entry.differs)
        how = SCALED.format(listed)
    for peak in peaks:
        if peak not in given and peak not in entry.unknown:
            given[peak] = peaks[peak]
            sources[f"peaks.{peak}"] = how
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
        differs=entry.differs,
        note=entry.note,
    )


def double_rate(memory_clock_hz: float, bus_bits: float) -> float:
    """Return the DRAM peak in bytes/s from the driver's memory clock (half the data rate) and the bus width.

    It agrees with the counters' own peak (dram__bytes.sum.peak_sustained x DRAM clock) within 0.5 % on the HBM GPUs and
    3 % on the GDDR GPUs, T4 to H200, whose reports were available.
    """
    return 2 * memory_clock_hz * bus_bits / 8


@lru_cache(maxsize=1)
def table() -> Table:
    """Return the table of knowledge/gpus.yaml. Raises KnowledgeError that names the mistake in it."""
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


_SAME_CLOCK = 0.005  # a difference below this share is a rounding error of a datasheet
_SAME_BANDWIDTH = 0.02
_LARGEST = 1e15
_REPORT = "the report's own device attributes"
# Device attribute in a report -> field of Limits.
_LIMITS = {
    "device_max_warps_per_sm": "warps_per_sm",
    "device_max_blocks_per_sm": "blocks_per_sm",
    "device_registers_per_sm": "registers_per_sm",
    "device_shared_per_sm": "shared_per_sm",
    "device_max_threads_per_block": "threads_per_block",
    "device_schedulers_per_sm": "schedulers",
}


class Difference(Struct, frozen=True):
    """A disagreement of a report with the table: the field of Gpu, the table's value, the report's value."""

    field: str
    table: float
    report: float


def ids() -> tuple[str, ...]:
    """Return the ids of all GPUs in the order of the table."""
    return tuple(table().cards)


def gpu(name: str) -> Gpu:
    """Return the GPU with this id, alias or device name, in any case. Raises UsageError that names the nearest ids."""
    found = table().index.get(key(name))
    if found is None:
        raise UsageError(_unknown(name, table()))
    return table().cards[found]


def _unknown(name: str, known: Table) -> str:
    from difflib import get_close_matches

    shown = name if len(name) <= 40 else name[:40] + "…"
    near = dict.fromkeys(known.index[k] for k in get_close_matches(key(name), known.index, n=5, cutoff=0.5))
    if not near and key(name):
        near = dict.fromkeys(card for form, card in known.index.items() if key(name) in form)
    listed = f"`ncu-advisor explain gpus` lists all {len(known.cards)}"
    choice = f"did you mean {' or '.join(list(near)[:3])}?" if near else listed
    return f"no GPU {shown!r} in the table: {choice}"


def known_as(display_name: str, cc: str) -> str:
    """Return the id of the GPU with this device name, or ''. cc ('9.0'; '' if unknown) must agree."""
    found = table().devices.get(key(display_name), "")
    if found and cc and cc != table().cards[found].cc and cc not in table().former_cc.get(found, ()):
        return ""
    return found


def limits_of(cc: str) -> Limits:
    """Return the SM limits of this compute capability. Raises UsageError if the table has none."""
    capability = table().capabilities.get(cc)
    if capability is None:
        raise UsageError(f"no compute capability {cc!r} in the table; known: {', '.join(table().capabilities)}")
    return capability.limits


def _value(attributes: Mapping[str, float], name: str) -> float | None:
    """Return the attribute, or None if it is absent or impossible for any GPU."""
    value = attributes.get(name)
    return float(value) if value is not None and 1 <= value <= _LARGEST else None


def _cc(attributes: Mapping[str, float]) -> str:
    major, minor = attributes.get("device_cc_major"), attributes.get("device_cc_minor")
    known = major is not None and minor is not None and math.isfinite(major) and math.isfinite(minor)
    return f"{major:.0f}.{minor:.0f}" if known else ""


def _bandwidth(attributes: Mapping[str, float], integrated: bool) -> float | None:
    """Return bytes/s, unknown for an integrated GPU: it uses the CPU's memory and its driver prints no usable clock."""
    if integrated:
        return None
    clock, bus = _value(attributes, "device_memory_clock_hz"), _value(attributes, "device_bus_bits")
    return double_rate(clock, bus) if clock and bus else _value(attributes, "dram_peak_bytes_per_s")


def _limits(attributes: Mapping[str, float], base: Limits | None) -> Limits | None:
    own = {field: int(v) for name, field in _LIMITS.items() if (v := _value(attributes, name)) is not None}
    return structs.replace(base, **own) if base else None


def from_device(attributes: Mapping[str, float], name: str, cc: str = "") -> Gpu:
    """Derive a GPU that the table lacks from a report's device attributes (canonical device_* metrics); its id is ''.

    Peaks are SMs x clock x the capability's rate. Values that the attributes do not determine stay unknown: peaks of a
    capability that the table lacks, the bandwidth of integrated GPUs, tensor peaks of GPUs without tensor cores.
    """
    cc = cc or _cc(attributes)
    capability = table().capabilities.get(cc)
    sm_count, clock = _value(attributes, "device_sm_count"), _value(attributes, "device_clock_hz")
    integrated = any(
        card.integrated and cc in (card.cc, *table().former_cc.get(i, ())) for i, card in table().cards.items()
    )
    peaks: dict[str, float] = {}
    if capability:
        peaks = worked_out(capability, is_geforce(name), int(sm_count) if sm_count else None, clock)
        if " gtx " in f" {name.lower()} ":  # the GTX GPUs of capability 7.5 have no tensor cores
            peaks = {peak: rate for peak, rate in peaks.items() if not peak.endswith("_tensor")}
        peaks.update(_slower_fp64(attributes, peaks))
    l2 = _value(attributes, "device_l2_bytes")
    bus = _value(attributes, "device_bus_bits")
    return Gpu(
        id="",
        name=name,
        cc=cc,
        sm_count=int(sm_count) if sm_count else None,
        boost_clock_hz=clock,
        memory_clock_hz=None if integrated else _value(attributes, "device_memory_clock_hz"),
        bus_bits=int(bus) if bus and not integrated else None,
        bandwidth=_bandwidth(attributes, integrated),
        l2_bytes=int(l2) if l2 else None,
        peaks=peaks,
        limits=_limits(attributes, capability.limits if capability else None),
        integrated=integrated,
        sources=dict.fromkeys(("sm_count", "boost_clock_hz", "bandwidth", "l2_bytes", "limits"), _REPORT),
    )


def _slower_fp64(attributes: Mapping[str, float], peaks: Mapping[str, float]) -> dict[str, float]:
    """Return the fp64 peak if the driver reports a lower rate than the capability's (H800: 1/64 instead of 1/2).

    A higher rate is ignored: the driver prints 32 on capability 8.6 and 16 on 12.0, where the counters' own
    peaks say 64.
    """
    ratio, fp32, fp64 = _value(attributes, "device_fp32_fp64_ratio"), peaks.get("fp32"), peaks.get("fp64")
    return {"fp64": fp32 / ratio} if ratio and fp32 and fp64 and fp32 / ratio < 0.9 * fp64 else {}


def resolve(attributes: Mapping[str, float], name: str, cc: str) -> tuple[Gpu, bool, tuple[Difference, ...]]:
    """Return the GPU of a launch: the table's GPU, overridden by the report's attributes, or a derived one.

    Also returns whether the table has it, and the disagreements. Peaks scale with SMs and clock. An integrated GPU
    with another number of SMs is another module of the same name: it is derived, and its bandwidth is unknown.
    """
    found = known_as(name, cc or _cc(attributes))
    if not found:
        return from_device(attributes, name, cc), False, ()
    card = table().cards[found]
    differences: list[Difference] = []

    def own(field: str, attribute: str, same: float) -> float | None:
        """Return the report's value and record any difference; the table's value if the report has none or agrees."""
        given: float | None = getattr(card, field)
        value = _value(attributes, attribute)
        if value is None or (given and abs(value / given - 1) <= same):
            return given
        if given:
            differences.append(Difference(field, given, value))
        return value

    sm_count = own("sm_count", "device_sm_count", 0.0)
    if card.integrated and any(d.field == "sm_count" for d in differences):
        return from_device(attributes, name, cc), False, tuple(differences)
    clock = own("boost_clock_hz", "device_clock_hz", _SAME_CLOCK)
    l2 = own("l2_bytes", "device_l2_bytes", 0.0)
    bandwidth = card.bandwidth
    theirs = _bandwidth(attributes, card.integrated)
    if theirs and not (bandwidth and abs(theirs / bandwidth - 1) <= _SAME_BANDWIDTH):
        if bandwidth:
            differences.append(Difference("bandwidth", bandwidth, theirs))
        bandwidth = theirs
    scale = 1.0
    if card.sm_count and card.boost_clock_hz and sm_count and clock:
        scale = sm_count * clock / (card.sm_count * card.boost_clock_hz)
    own_numbers = {"sm_count": sm_count, "boost_clock_hz": clock, "bandwidth": bandwidth, "l2_bytes": l2}
    read = {field for field, value in own_numbers.items() if value is not None and value != getattr(card, field)}
    sources = {**card.sources, **dict.fromkeys(sorted(read), _REPORT)}
    return (
        structs.replace(
            card,
            sm_count=int(sm_count) if sm_count else None,
            boost_clock_hz=clock,
            bandwidth=bandwidth,
            l2_bytes=int(l2) if l2 else None,
            peaks={peak: rate * scale for peak, rate in card.peaks.items()} if scale != 1.0 else card.peaks,
            limits=_limits(attributes, card.limits),
            sources=sources,
        ),
        True,
        tuple(differences),
    )
