"""The result of a sweep; all numbers are in canonical units, and None is unknown."""

from __future__ import annotations

from typing import Literal

import msgspec

from advisor.compare.records import Condition, Pair, Runs, Times
from advisor.records.diagnosis import LaunchGpu
from advisor.records.record import Count, Internal, NotNegative, Pairs, Percent, Positive, Record, Shape, written

Why = Literal["fastest", "fewer_registers", "no_spills"]


class SweepPoint(Record, kw_only=True):
    """A point. problem: why it was not measured, then it has no numbers; report: the file of its first run.

    speedup: over the first point; tied: whether its time is within the noise of the fastest; spill_inst: executed
    instructions that spill or reload registers; first: its first finding of kind diagnosis.
    """

    values: Pairs[str]
    picked: bool = written(False)
    tied: bool = written(False)
    problem: str = ""
    report: str = ""
    kernel: str = ""
    grid: Shape | None = None
    block: Shape | None = None
    time: Times | None = None
    speedup: Positive | None = None
    registers_per_thread: NotNegative | None = None
    occupancy_theoretical_pct: Percent | None = None
    occupancy_achieved_pct: Percent | None = None
    spill_inst: NotNegative | None = None
    waves: NotNegative | None = None
    class_id: str = msgspec.field(default="", name="class")
    class_title: Internal[str] = ""
    first: str = ""
    first_title: Internal[str] = ""
    runs: Internal[Runs | None] = msgspec.field(default=None, name="_runs")

    @property
    def label(self) -> str:
        """`BLOCK=64 UNROLL=2`: its values."""
        return " ".join(f"{name}={value}" for name, value in self.values)


class Pick(Record):
    """The point to use. reason: why it, and not another one within the noise of the fastest; noise: that noise."""

    values: Pairs[str]
    reason: Why
    noise: NotNegative
    text: str
    cites: tuple[str, ...]


class SweepDocument(Record, tag_field="schema", tag="ncu-advisor/sweep/1", kw_only=True):
    """Output of `ncu-advisor sweep --format json`: points by time, then those without; first: the values of the first.

    pick: absent if nothing was measured; worst_to_pick: what changed from the slowest point, absent if no difference
    is beyond the noise.
    """

    parameters: Pairs[tuple[str, ...]]
    kernel: str = written("")
    gpu: LaunchGpu | None = None
    points: tuple[SweepPoint, ...]
    first: Pairs[str]
    measured: Count
    pick: Pick | None = None
    notes: tuple[Condition, ...]
    change: Pair | None = msgspec.field(default=None, name="worst_to_pick")
    worst: Pairs[str] = written(())
