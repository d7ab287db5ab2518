"""GPUs by name, by the name that the driver prints, and worked out from a report's own device attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from advisor.errors import UsageError
from advisor.napkin.table import Gpu, Limits, Table, double_rate, is_geforce, key, table, worked_out

__all__ = ["Difference", "Gpu", "Limits", "from_device", "gpu", "ids", "known_as", "limits_of", "resolve"]

_SAME_CLOCK = 0.005  # a difference below this share is rounding of a datasheet
_SAME_BANDWIDTH = 0.02
_LARGEST = 1e15
_REPORT = "the report's own device attributes"
# Attribute of a report -> field of Limits.
_LIMITS = {
    "device_max_warps_per_sm": "warps_per_sm",
    "device_max_blocks_per_sm": "blocks_per_sm",
    "device_registers_per_sm": "registers_per_sm",
    "device_shared_per_sm": "shared_per_sm",
    "device_max_threads_per_block": "threads_per_block",
    "device_schedulers_per_sm": "schedulers",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a report disagrees with the table: the field of Gpu, what the table has, what the report says."""

    field: str
    table: float
    report: float


def ids() -> tuple[str, ...]:
    """The ids of all GPUs of the table, in its order."""
    return tuple(table().cards)


def gpu(name: str) -> Gpu:
    """The GPU of this id, alias or device name, in any case; UsageError names the nearest ids when there is none."""
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
    choice = f"did you mean {' or '.join(list(near)[:3])}?" if near else f"known are {', '.join(known.cards)}"
    return f"no GPU {shown!r} in the table: {choice}"


def known_as(display_name: str, cc: str) -> str:
    """The id of the card that prints this device name, '' when there is none. cc ('9.0'; '' unknown) must agree."""
    found = table().devices.get(key(display_name), "")
    if found and cc and cc != table().cards[found].cc and cc not in table().former_cc.get(found, ()):
        return ""
    return found


def limits_of(cc: str) -> Limits:
    """The limits of an SM of this compute capability; UsageError when the table has none."""
    capability = table().capabilities.get(cc)
    if capability is None:
        raise UsageError(f"no compute capability {cc!r} in the table: known are {', '.join(table().capabilities)}")
    return capability.limits


def _value(attributes: Mapping[str, float], name: str) -> float | None:
    """The attribute, None where it is absent or could not be that of any GPU."""
    value = attributes.get(name)
    return float(value) if value is not None and 1 <= value <= _LARGEST else None


def _cc(attributes: Mapping[str, float]) -> str:
    major, minor = attributes.get("device_cc_major"), attributes.get("device_cc_minor")
    known = major is not None and minor is not None and math.isfinite(major) and math.isfinite(minor)
    return f"{major:.0f}.{minor:.0f}" if known else ""


def _bandwidth(attributes: Mapping[str, float], integrated: bool) -> float | None:
    """Bytes/s; an integrated GPU shares the processor's memory, and its driver prints no clock that would help."""
    if integrated:
        return None
    clock, bus = _value(attributes, "device_memory_clock_hz"), _value(attributes, "device_bus_bits")
    return double_rate(clock, bus) if clock and bus else _value(attributes, "dram_peak_bytes_per_s")


def _limits(attributes: Mapping[str, float], base: Limits | None) -> Limits | None:
    own = {field: int(v) for name, field in _LIMITS.items() if (v := _value(attributes, name)) is not None}
    return msgspec.structs.replace(base, **own) if base else None


def from_device(attributes: Mapping[str, float], name: str, cc: str = "") -> Gpu:
    """A GPU that the table lacks, from the device attributes of a report (canonical device_* metrics); id is ''.

    Peaks are SMs x clock x the capability's rate; what the attributes do not decide stays unknown: peaks of a
    capability that the table lacks, the bandwidth of integrated GPUs, tensor peaks of cards without tensor cores.
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
        if " gtx " in f" {name.lower()} ":  # the GTX cards of capability 7.5 have no tensor cores
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
    """fp64 where the driver says that it is slower than the capability has it (the H800: 1/64 instead of 1/2).

    The other direction is not believed: the driver prints 32 on capability 8.6 and 16 on 12.0, where the counters' own
    peaks say 64.
    """
    ratio, fp32, fp64 = _value(attributes, "device_fp32_fp64_ratio"), peaks.get("fp32"), peaks.get("fp64")
    return {"fp64": fp32 / ratio} if ratio and fp32 and fp64 and fp32 / ratio < 0.9 * fp64 else {}


def resolve(attributes: Mapping[str, float], name: str, cc: str) -> tuple[Gpu, bool, tuple[Difference, ...]]:
    """The GPU of a launch: the table's card, with the report's own attributes winning over it, or one worked out.

    Returns the GPU, whether the table knows it, and where the two disagree. Peaks scale with SMs and clock. Another
    number of SMs on an integrated GPU is another module of the same name: it is worked out, its bandwidth unknown.
    """
    found = known_as(name, cc or _cc(attributes))
    if not found:
        return from_device(attributes, name, cc), False, ()
    card = table().cards[found]
    differences: list[Difference] = []

    def own(field: str, attribute: str, same: float) -> float | None:
        """The report's value, noted where it differs; the table's where the report has none or agrees."""
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
    sources = {**card.sources, **{d.field: _REPORT for d in differences}}
    return (
        msgspec.structs.replace(
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
