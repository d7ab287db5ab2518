"""Rates that `practice calibrate` measured on this machine's GPUs, and their shares of the peak rates.

They are read from one file in the user's data folder; this module writes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import msgspec

from advisor.hardware import algorithms
from advisor.hardware.gpus import Gpu, known_as
from advisor.records import resources
from advisor.records.diagnosis import MeasuredCeilings
from advisor.records.errors import AdvisorError, InputError
from advisor.records.own_files import read_own

FILE = "ceilings.json"
SCHEMA = "ncu-advisor/ceilings/1"
_LARGEST = 1 << 20


class Ceiling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rate in bytes/s or FLOP/s: of the median, slowest and fastest run. `noise` is a share of the rate."""

    rate: float
    low: float
    high: float
    noise: float
    runs: int


class Ceilings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The measured rates of one GPU. read and copy (reads and writes together) in bytes/s, fp32 and fp64 in FLOP/s.

    measured: date and time in ISO 8601; driver: CUDA version of the driver, 13000 is 13.0.
    """

    gpu: str
    cc: str
    measured: str
    driver: str
    read: Ceiling
    copy: Ceiling
    fp32: Ceiling
    fp64: Ceiling


class CeilingsFile(msgspec.Struct, forbid_unknown_fields=True):
    """The content of the whole file: GPUs by `key_of`."""

    schema: str = SCHEMA
    cards: dict[str, Ceilings] = {}


# Measured GPUs by name and compute capability.
CeilingsByGpu = Mapping[str, Ceilings]


def key_of(gpu: str, cc: str) -> str:
    """Return the key of a GPU in the file: its driver's device name and its compute capability (`9.0`)."""
    return f"{gpu} ({cc})"


def read_file(path: Path) -> CeilingsFile:
    """Return the file's content, empty if there is no file yet. Raises InputError if it cannot be parsed."""
    try:
        raw = read_own(path, _LARGEST)
    except FileNotFoundError:
        return CeilingsFile()
    except OSError as e:
        raise InputError(f"{path}: cannot be read: {e.strerror}") from None
    try:
        found = msgspec.json.decode(raw, type=CeilingsFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as e:
        raise InputError(f"{path}: damaged ({e}): delete it and run `ncu-advisor practice calibrate` again") from None
    rates = [c.rate for cards in found.cards.values() for c in (cards.read, cards.copy, cards.fp32, cards.fp64)]
    if found.schema != SCHEMA or not all(math.isfinite(r) and r > 0 for r in rates):
        raise InputError(
            f"{path}: not written by this version: delete it and run `ncu-advisor practice calibrate` again"
        )
    return found


_INSTEAD: ContextVar[CeilingsByGpu | None] = ContextVar("ceilings instead of this machine's", default=None)


@contextmanager
def using(cards: CeilingsByGpu) -> Iterator[None]:
    """Use these ceilings instead of this machine's, within the block and only in its thread."""
    token = _INSTEAD.set(cards)
    try:
        yield
    finally:
        _INSTEAD.reset(token)


def kept(folder: Path | None = None) -> CeilingsByGpu:
    """Return all GPUs measured on this machine (none without a home folder). folder: replaces the user data folder."""
    instead = _INSTEAD.get()
    if instead is not None and folder is None:
        return instead
    try:
        place = folder or resources.user_data()
    except AdvisorError:
        return {}
    return read_file(place / FILE).cards


def kept_or_problem() -> tuple[CeilingsByGpu, str]:
    """Return all GPUs measured on this machine, or none and why their file cannot be used."""
    try:
        return kept(), ""
    except InputError as error:
        return {}, f"{error}; the peaks of the GPU's specification are used instead"


def measured(gpu: str, cc: str, folder: Path | None = None) -> Ceilings | None:
    """Return the measurements of the GPU with this name and compute capability (`9.0`), or None if there are none.

    Raises InputError if the file exists but cannot be parsed.
    """
    return kept(folder).get(key_of(gpu, cc))


def of_model(card: Gpu, cards: CeilingsByGpu) -> Ceilings | None:
    """Return the latest measurements on a GPU of this model, or None if there are none."""
    found = [c for c in cards.values() if known_as(c.gpu, c.cc) == card.id] if card.id else []
    return max(found, key=lambda c: c.measured, default=None)


def shares(found: Ceilings, bandwidth: float | None, plain_peak: float | None, plain: str = "fp32") -> dict[str, float]:
    """Return the measured shares of the peaks, at most 1, for `roofline.estimate`: memory (of a copy), plain.

    bandwidth in bytes/s, plain_peak in FLOP/s of `plain` (fp32 or fp64; other rates are not measured). A rate without a
    peak is left out.
    """
    rate = {"fp32": found.fp32.rate, "fp64": found.fp64.rate}.get(plain)
    pairs = (("memory", found.copy.rate, bandwidth), ("plain", rate, plain_peak))
    return {name: min(1.0, rate / peak) for name, rate, peak in pairs if peak and rate}


def for_roofline(found: Ceilings | None, card: Gpu, dtype: str) -> dict[str, float]:
    """Return the shares for `roofline.estimate` on this GPU and data type; empty if nothing was measured."""
    if found is None:
        return {}
    plain = algorithms.dtype(dtype).plain
    return shares(found, card.bandwidth, card.peaks.get(plain), plain)


def dram_percentages(found: Ceilings, peak: float) -> tuple[float, float]:
    """Return the measured read and copy rates in percent of a DRAM peak in bytes/s, at most 100."""
    return min(100.0, 100 * found.read.rate / peak), min(100.0, 100 * found.copy.rate / peak)


def as_used(found: Ceilings) -> MeasuredCeilings:
    """Return the record of the measured ceilings that a result used."""
    rates = (found.read.rate, found.copy.rate, found.fp32.rate, found.fp64.rate)
    return MeasuredCeilings(found.gpu, found.cc, found.measured, *rates)
