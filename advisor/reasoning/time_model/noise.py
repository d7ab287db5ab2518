"""Decide whether two sets of run times differ by more than their noise.

Times are in nanoseconds. The constants and their sources are in knowledge/noise.yaml.

A set is represented by its median, so that one cold or disturbed run does not move it. The possible error of the
median, as a share of it, is calculated in one of two ways:

- From `enough` runs (5) on: `confidence * 1.2533 * 1.4826 * MAD / (median * sqrt(n))`. MAD is the median absolute
  deviation; times 1.4826 it estimates the standard deviation of normal noise and ignores outliers; the median of n
  values has 1.2533 times the standard error of their mean. `confidence` is 2.58: two equal kernels are reported as
  different about once in a hundred times. The result is never less than `floor.runs`, because drift between two series
  (temperature, clocks, memory placement) does not show within one.
- With fewer runs: half their range, because a deviation of so few is unreliable, and never less than `floor.single`,
  which is how much repeated profiles of one launch differ in practice.

Two sets differ if the ratio of their medians is outside `1 +- sqrt(noise_a^2 + noise_b^2)`, on a log scale so that
their order makes no difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import median
from typing import Literal

import msgspec
from msgspec import Struct

from advisor.knowledge.loader import load
from advisor.records import resources

Word = Literal["faster", "slower", "same"]
_MAD_TO_SIGMA = 1.4826  # of a normal distribution
_MEDIAN_TO_MEAN = 1.2533  # sqrt(pi / 2): standard error of a median over that of a mean


class Floor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The minimum noise of a time: a share of it (0.02 is 2 %) plus nanoseconds."""

    share: float
    ns: float
    cites: tuple[str, ...] = ()

    def of(self, time_ns: float) -> float:
        """Return the minimum noise as a share of this time."""
        return self.share + self.ns / time_ns


class Floors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Minimum noise of a single run (or a few), and of the median of many."""

    single: Floor
    runs: Floor


class Confidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many standard errors two medians must differ by, and the number of runs needed to calculate them."""

    errors: float
    enough: int
    cites: tuple[str, ...] = ()


class Noise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of knowledge/noise.yaml."""

    floor: Floors
    confidence: Confidence


class Spread(Struct, frozen=True):
    """Run times in ns: median, smallest, largest and count; `noise`: possible error of the median (0.03 is 3 %)."""

    median: float
    low: float
    high: float
    runs: int
    noise: float


class Judged(Struct, frozen=True):
    """The second set compared with the first. speedup: old median / new; noise: up to this share they are equal."""

    word: Word
    speedup: float
    noise: float

    @property
    def change(self) -> float:
        """Return the relative change of the time: -0.25 is a quarter less, 0.1 is a tenth more."""
        return 1 / self.speedup - 1


@lru_cache(maxsize=1)
def constants() -> Noise:
    """Return the noise constants; raises KnowledgeError with file and line if the file is invalid."""
    return load(resources.folder("knowledge") / "noise.yaml", Noise)


def spread(times_ns: Sequence[float]) -> Spread:
    """Return the spread of run times; raises ValueError if there is none or one is not positive and finite."""
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
    """Return faster, slower, or the same within the noise; `verdict(a, b)` mirrors `verdict(b, a)`."""
    noise = math.hypot(before.noise, after.noise)
    ratio = math.log(before.median / after.median)
    word: Word = "same" if abs(ratio) <= math.log1p(noise) else "faster" if ratio > 0 else "slower"
    return Judged(word, math.exp(ratio), noise)
