"""What ncu sampled over the run of a kernel, and its phases."""

from __future__ import annotations

from statistics import fmean
from typing import Literal

from advisor.records.record import Count, NotNegative, Record, Share, written


class SampledSeries(Record):
    """A metric over the run: the means of parts of equal length, in the order of time, in percent.

    scale: of the unit's peak (`percent`), or of the largest part (`largest`) where there is no peak.
    """

    id: str
    title: str
    scale: Literal["percent", "largest"]
    values: tuple[float, ...]

    def part(self, at: int, count: int) -> float:
        """Return the mean of part `at` of `count`; of fewer values than that, a value stands for several parts."""
        first = at * len(self.values) // count
        return fmean(self.values[first : max(first + 1, (at + 1) * len(self.values) // count)])


class Phase(Record):
    """A part of the run. start, end: shares of the run's time; means: of the series in it, by id, in percent."""

    id: str
    title: str
    says: str
    start: Share
    end: Share
    means: dict[str, float]


class Sampling(Record):
    """The samples of a launch and its phases, in the order of time.

    interval_ns: between two samples, absent if unknown; samples: within the kernel; runs: of the kernel, since each
    pass of the sampler is one; dropped: samples that were lost.
    """

    interval_ns: NotNegative | None
    samples: Count
    runs: Count
    dropped: Count
    series: tuple[SampledSeries, ...]
    phases: tuple[Phase, ...] = written(())

    @property
    def duration_ns(self) -> float | None:
        """The sampled time of the run in ns; None if the interval is unknown."""
        return self.interval_ns * self.samples if self.interval_ns else None
