"""Settings and results of a triage of one file, with its launches summed by kernel and shape.

Times are whole picoseconds, so that the sums do not depend on the order of the files.
"""

from __future__ import annotations

import msgspec

from advisor import __version__
from advisor.hardware.ceilings import Ceilings
from advisor.records.diagnosis import Budget, Finding, Verdict

PS = 1000  # picoseconds in a nanosecond
# Metrics in a row of the table of launches: utilisation of the units, and limiters.
METRICS = (
    *("compute_pct", "memory_pct", "dram_pct", "l2_pct", "l1_wavefronts_pct", "shared_l1_pct", "issue_pct"),
    *("pipe_fma_pct", "pipe_tensor_pct", "occupancy_achieved_pct", "occupancy_theoretical_pct", "registers_per_thread"),
    *("shared_bytes_per_block", "waves", "dram_bytes", "dram_bytes_per_s", "l1_hit_pct", "l2_hit_pct", "sm_clock_hz"),
)


class Key(msgspec.Struct, frozen=True, order=True):
    """The key of a group of launches. scope: launch, or workload for numbers that a user typed."""

    kernel_full: str
    kernel: str
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    gpu_name: str = ""
    cc: str = ""
    known_as: str = ""
    scope: str = "launch"


class CauseTally(msgspec.Struct):
    """One diagnosis in a group.

    launches: number that have it; first, first_ps: launches in which it is first, and their time; fix, fix_ps: launches
    in which its gain counts, and their time; back_ps: time that its fix saves in all, from low_ps to high_ps.
    """

    launches: int = 0
    first: int = 0
    first_ps: int = 0
    fix: int = 0
    fix_ps: int = 0
    back_ps: int = 0
    low_ps: int = 0
    high_ps: int = 0


class Conclusion(msgspec.Struct, frozen=True):
    """The conclusions about one launch: its class, first diagnosis and budget."""

    verdict: Verdict
    finding: Finding | None = None
    budget: Budget | None = None


class Example(msgspec.Struct, frozen=True):
    """The launch of a group with the most time to save: its location, and its Conclusion as msgpack.

    It stays packed until it is shown, because that takes a tenth of the memory of the objects.
    """

    path: str
    index: int
    duration_ps: int
    back_ps: int
    packed: bytes

    @property
    def conclusion(self) -> Conclusion:
        """Return the conclusions about the launch."""
        return msgspec.msgpack.decode(self.packed, type=Conclusion)


class Tally(msgspec.Struct):
    """One group. untimed: launches without a duration, which no sum of times includes; remarks: trust and notes."""

    launches: int = 0
    reports: int = 0
    untimed: int = 0
    duration_ps: int = 0
    shortest_ps: int | None = None
    longest_ps: int | None = None
    classes: dict[str, int] = {}
    causes: dict[str, CauseTally] = {}
    remarks: dict[str, int] = {}
    example: Example | None = None

    def merge(self, other: Tally) -> None:
        """Add another tally of the same group; neither the order nor the grouping of merges changes the outcome."""
        for name in ("launches", "reports", "untimed", "duration_ps"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.shortest_ps = min(_known(self.shortest_ps, other.shortest_ps), default=None)
        self.longest_ps = max(_known(self.longest_ps, other.longest_ps), default=None)
        for mine, theirs in ((self.classes, other.classes), (self.remarks, other.remarks)):
            for key, count in theirs.items():
                mine[key] = mine.get(key, 0) + count
        for key, cause in other.causes.items():
            add(self.causes.setdefault(key, CauseTally()), cause)
        if other.example is not None and (self.example is None or _rank(other.example) < _rank(self.example)):
            self.example = other.example


def _known(*values: int | None) -> list[int]:
    return [value for value in values if value is not None]


def add(mine: CauseTally, other: CauseTally) -> None:
    """Add the counts and times of another tally of the same diagnosis."""
    for name in CauseTally.__struct_fields__:
        setattr(mine, name, getattr(mine, name) + getattr(other, name))


def _rank(example: Example) -> tuple[int, int, str, int]:
    """Return the sort key of the launch that represents a group, independent of the order of launches."""
    return -example.back_ps, -example.duration_ps, example.path, example.index


def leading(tally: Tally) -> str:
    """Return the first diagnosis in most of the group's time, or `` if there is none."""
    found = {name: cause for name, cause in tally.causes.items() if cause.first}
    return min(found, key=lambda n: (-found[n].first_ps, -found[n].first, n), default="")


def fix_of(tally: Tally) -> str:
    """Return the diagnosis with a gain in most of the group's time, whose fix counts; `` if none has a gain.

    A group has one fix, because its launches run the same code.
    """
    found = {name: cause for name, cause in tally.causes.items() if cause.fix}
    return min(found, key=lambda n: (-found[n].fix_ps, -found[n].fix, -found[n].back_ps, n), default="")


def back_of(tally: Tally) -> int:
    """Return the picoseconds that the group's fix saves, over all launches that have its cause."""
    name = fix_of(tally)
    return tally.causes[name].back_ps if name else 0


class Settings(msgspec.Struct, frozen=True):
    """The settings for every file. version: of the calling program; ceilings: measured on its machine."""

    version: str = __version__
    knowledge: tuple[str, ...] = ()
    gpu: str | None = None
    kernel: str | None = None
    answers: dict[str, float | str] = {}
    ceilings: dict[str, Ceilings] = {}
    rows: bool = False


class Row(msgspec.Struct, frozen=True):
    """One launch as a row of the table of launches; back in ns, None if not known."""

    index: int
    key: Key
    duration_ns: float | None
    class_id: str
    first: str
    fix: str
    speedup: float | None
    back_ns: float | None
    findings: tuple[str, ...]
    metrics: tuple[float | None, ...]


class Part(msgspec.Struct):
    """The result of one file. refused: why nothing in it was read; foreign: it is not a profile at all.

    again: the machine, not the file, caused the problem, so another attempt may succeed. used: measured ceilings.
    unmatched: the kernels of a file of which none matches `--kernel`, by their short names.
    """

    tool: str = ""
    form: str = ""
    sha256: str = ""
    launches: int = 0
    complete: bool = True
    missing: int | None = 0
    problems: tuple[str, ...] = ()
    refused: str = ""
    foreign: bool = False
    again: bool = False
    used: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    groups: list[tuple[Key, Tally]] = []
    rows: list[Row] = []
