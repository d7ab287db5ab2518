"""Whether two sets of run times differ by more than the runs do among themselves.

Times are in nanoseconds. The constants and their sources are in knowledge/noise.yaml.

The middle of a set is its median: one cold or disturbed run must not move it. How far the median may be off, as a share
of it, is calculated in one of two ways:

- From `enough` runs (5) on: `confidence * 1.2533 * 1.4826 * MAD / (median * sqrt(n))`. MAD is the median absolute
  deviation; times 1.4826 it estimates the standard deviation of normal noise and ignores outliers; the median of n
  values has 1.2533 times the standard error of their mean. `confidence` is 2.58: two equal kernels are taken for
  different about once in a hundred times. Never less than `floor.runs`: what drifts between two series (temperature,
  clocks, memory placement) does not show within one.
- With fewer: half the runs' range says more than any deviation of so few, and no less than `floor.single` is taken,
  which is how far repeated profiles of one launch are apart in practice.

Two sets differ when their medians' ratio is outside `1 +- sqrt(noise_a^2 + noise_b^2)`, taken on a log scale so that
it makes no difference which of them came first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median
from typing import Literal

import msgspec

from advisor.knowledge.loader import load
from advisor.records import resources

Word = Literal["faster", "slower", "same"]
_MAD_TO_SIGMA = 1.4826  # of a normal distribution
_MEDIAN_TO_MEAN = 1.2533  # sqrt(pi / 2): standard error of a median over that of a mean


class Floor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The least noise of a time: a share of it (0.02 is 2 %) plus nanoseconds."""

    share: float
    ns: float
    cites: tuple[str, ...] = ()

    def of(self, time_ns: float) -> float:
        """The floor as a share of this time."""
        return self.share + self.ns / time_ns


class Floors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Noise that is always assumed: of a single run (or a few), and of the median of many."""

    single: Floor
    runs: Floor


class Confidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many standard errors two medians must be apart, and from how many runs on they are calculated."""

    errors: float
    enough: int
    cites: tuple[str, ...] = ()


class Noise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """knowledge/noise.yaml."""

    floor: Floors
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Spread:
    """Run times in ns: median, smallest, largest, how many; `noise`: how far the median may be off (0.03 is 3 %)."""

    median: float
    low: float
    high: float
    runs: int
    noise: float


@dataclass(frozen=True, slots=True)
class Judged:
    """The second set against the first. `speedup`: old median over new; `noise`: they are the same up to it."""

    word: Word
    speedup: float
    noise: float

    @property
    def change(self) -> float:
        """Relative change of the time: -0.25 is a quarter less, 0.1 is a tenth more."""
        return 1 / self.speedup - 1


@lru_cache(maxsize=1)
def constants() -> Noise:
    """What noise is assumed; KnowledgeError with file and line when the file is wrong."""
    return load(resources.folder("knowledge") / "noise.yaml", Noise)


def spread(times_ns: Sequence[float]) -> Spread:
    """The spread of run times; ValueError when there is none, or one is no positive finite number."""
    times = [float(t) for t in times_ns]
    if not times:
        raise ValueError("no run times")
    if any(not math.isfinite(t) or t <= 0 for t in times):
        raise ValueError("a run time must be above 0")
    middle = median(times)
    low, high = min(times), max(times)
    known = constants()
    if len(times) < known.confidence.enough:
        noise = max(known.floor.single.of(middle), (high - low) / 2 / middle)
    else:
        sigma = _MAD_TO_SIGMA * median(abs(t - middle) for t in times)
        error = _MEDIAN_TO_MEAN * sigma / math.sqrt(len(times))
        noise = max(known.floor.runs.of(middle), known.confidence.errors * error / middle)
    return Spread(middle, low, high, len(times), noise)


def verdict(before: Spread, after: Spread) -> Judged:
    """Faster, slower, or the same within the noise; `verdict(a, b)` mirrors `verdict(b, a)`."""
    noise = math.hypot(before.noise, after.noise)
    ratio = math.log(before.median / after.median)
    word: Word = "same" if abs(ratio) <= math.log1p(noise) else "faster" if ratio > 0 else "slower"
    return Judged(word, math.exp(ratio), noise)
