"""The result of a triage: totals, groups ranked by the time a fix saves, and unreadable files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from advisor.knowledge.base import Catalog, workloads
from advisor.knowledge.schemas import DiagnosisDef
from advisor.records.diagnosis import Budget, Finding, LaunchGpu, MeasuredCeilings, Verdict
from advisor.records.record import Count, Gain, NotNegative, Pairs, Percent, Record, Share, named
from advisor.triage.files import File
from advisor.triage.tally import PS, CauseTally, Example, Key, Part, Row, Tally, back_of, fix_of, leading


class Cause(Record):
    """A diagnosis in a group. launches: number that have it; first: number in which it is the first diagnosis.

    back_ns: the time that its fix alone saves over all of them, from back_low_ns to back_high_ns; speedup: of the
    group's summed time by that fix, absent if no gain is known.
    """

    id: str
    title: str
    launches: Count
    first: Count
    back_ns: NotNegative
    low_ns: NotNegative = msgspec.field(name="back_low_ns")
    high_ns: NotNegative = msgspec.field(name="back_high_ns")
    speedup: Gain | None = None


class Stand(Record, kw_only=True):
    """The launch that represents a group: the one with the most time to save. finding: its first diagnosis."""

    report: str
    index: Count
    duration_ns: NotNegative | None = None
    back_ns: NotNegative
    verdict: Verdict = msgspec.field(name="class")
    finding: Finding | None = None
    budget: Budget | None = None


class Group(Record, kw_only=True):
    """The launches of one kernel in one shape on one GPU.

    duration_ns: summed over launches, `untimed` of which have none; reports: files that contain them; classes: launches
    by class; first: the first diagnosis in most of the time; fix: the one whose gain counts, absent if there is none;
    back_ns: time that this fix saves; speedup: of the summed time by it; remarks: launches by trust entry or note.
    """

    kernel: str
    kernel_full: str
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    gpu: LaunchGpu
    scope: str
    launches: Count
    reports: Count
    untimed: Count
    duration_ns: NotNegative
    shortest_ns: NotNegative | None = None
    longest_ns: NotNegative | None = None
    classes: Pairs[Count]
    first: str = ""
    fix: str = ""
    back_ns: NotNegative
    low_ns: NotNegative = msgspec.field(name="back_low_ns")
    high_ns: NotNegative = msgspec.field(name="back_high_ns")
    speedup: Gain | None = None
    causes: tuple[Cause, ...]
    remarks: Pairs[Count]
    stands: Stand = msgspec.field(name="example")

    @property
    def gpu_name(self) -> str:
        """The GPU's name in the reports."""
        return self.gpu.name

    @property
    def cc(self) -> str:
        """The GPU's compute capability."""
        return self.gpu.cc

    @property
    def known_as(self) -> str:
        """The GPU's id, empty if the GPU is not known."""
        return self.gpu.known_as


class Report(Record, kw_only=True):
    """A file with a problem. refused: why nothing in it could be read, absent if only part of it is lost.

    launches_missing: absent if not known; again: the machine caused the problem, and another attempt may read the file.
    """

    path: str
    refused: str = ""
    launches: Count
    launches_missing: Count | None = None
    problems: tuple[str, ...]
    again: bool = False


class Totals(Record):
    """The totals of a run. reports: files that were read at least partly; refused: unreadable files; foreign: files in
    the folders that are not profiles; back_ns: time that the fix of each group saves, summed over groups, from
    back_low_ns to back_high_ns: the sums of the ends of the groups' ranges."""

    reports: Count
    incomplete: Count
    refused: Count
    foreign: Count
    launches: Count
    groups: Count
    duration_ns: NotNegative
    back_ns: NotNegative
    low_ns: NotNegative = msgspec.field(name="back_low_ns")
    high_ns: NotNegative = msgspec.field(name="back_high_ns")


class KernelGain(Record, kw_only=True):
    """One kernel. time_ns and launches: in the trace; share_pct: of the whole; profiled: launches in the reports.

    fix: the first fix of its group with the most time to save; speedup: of the kernel by the first fix of each shape;
    speedup_all: by all fixes; back_ns, back_all_ns: time that these save in the trace; gain: of the whole by the first.
    """

    kernel: str
    kernel_full: str
    launches: Count
    time_ns: NotNegative
    share_pct: NotNegative
    profiled: Count
    fix: str = ""
    speedup: Gain
    speedup_all: Gain
    back_ns: NotNegative
    back_all_ns: NotNegative
    gain: Gain


class Application(Record):
    """One GPU of one trace. basis of the whole: run, window (first to last work of the GPU) or kernels (summed).

    gain, gain_all: of the whole by the first fix of every kernel, and by all fixes; overlap: the part of the kernels'
    times that is not shared with another kernel; profiled_pct: of the whole; unprofiled: largest, as (kernel, %).
    """

    trace: str
    gpu: str
    basis: Literal["run", "window", "kernels"]
    whole_ns: NotNegative
    gain: Gain
    gain_all: Gain
    overlap: Share
    profiled_pct: Percent
    kernels: tuple[KernelGain, ...]
    unprofiled: tuple[Annotated[tuple[str, NotNegative], named("kernel", "share_pct")], ...]


# a path and its problem
Why = Annotated[tuple[str, str], named("path", "why")]


class TriageDocument(Record, kw_only=True, tag_field="schema", tag="ncu-advisor/triage/1"):
    """Output of `ncu-advisor triage --format json`: groups by the time that their fix saves.

    applications: the value of the fixes for the programs of traces; troubled: reports that could not be read
    completely; problems: of the run itself.
    """

    totals: Totals
    groups: tuple[Group, ...]
    applications: tuple[Application, ...] = ()
    troubled: tuple[Report, ...]
    foreign: tuple[Why, ...]
    problems: tuple[Why, ...]
    measured_ceilings: tuple[MeasuredCeilings, ...]


class Triage:
    """The result of a run; its size depends on the distinct kernels and shapes, not on the launches.

    unlisted: folders and links that cannot be followed (path, why); machine: problems of what this machine remembers
    (file, why); state: why a later run cannot resume from this one,
    with the state's path; measured: the measured ceilings that were used.
    """

    def __init__(self, catalog: Catalog, rows_of: Callable[[str], list[Row]] | None = None) -> None:
        """Create an empty result. rows_of: returns the launches of an input file, by its path."""
        self.catalog = catalog
        self.unlisted: tuple[tuple[str, str], ...] = ()
        self.machine: tuple[tuple[str, str], ...] = ()
        self.state: tuple[str, str] | None = None
        self.measured: tuple[MeasuredCeilings, ...] = ()
        self.files: dict[str, File] = {}
        self.launches = 0
        self._parts: dict[str, Part] = {}  # without groups and rows
        self._groups: dict[Key, Tally] = {}
        self._rows_of = rows_of

    def add(self, path: str, part: Part) -> None:
        """Add the result of an input file."""
        for key, tally in part.groups:
            known = self._groups.get(key)
            if known is None:
                self._groups[key] = tally
            else:
                known.merge(tally)
        part.groups, part.rows = [], []
        self._parts[path] = part
        self.launches += part.launches

    def has(self, path: str) -> bool:
        """Return whether the result of an input file was added."""
        return path in self._parts

    def clear(self) -> None:
        """Remove the results of all input files."""
        self._parts, self._groups, self.launches = {}, {}, 0

    @property
    def unmatched(self) -> list[str]:
        """Return the kernels of the files of which none matches `--kernel`."""
        return [name for part in self._parts.values() for name in part.unmatched]

    @property
    def used(self) -> list[str]:
        """Return the keys of the measured ceilings that were used."""
        return sorted({key for part in self._parts.values() for key in part.used})

    @property
    def problems(self) -> tuple[tuple[str, str], ...]:
        """Return problems of the run itself (not of a report): path and reason."""
        return (*self.unlisted, *self.machine, *((self.state,) if self.state is not None else ()))

    @property
    def totals(self) -> Totals:
        """Return the sums over files and groups."""
        found = [(file, part) for file, part in self._each() if not _foreign(file, part)]
        fixes = [tally.causes[fix] for tally in self._groups.values() if (fix := fix_of(tally))]
        read = [part for _, part in found if not part.refused]
        return Totals(
            reports=len(read),
            incomplete=sum(not part.complete or bool(part.problems) for part in read),
            refused=len(found) - len(read),
            foreign=len(self._parts) - len(found),
            launches=self.launches,
            groups=len(self._groups),
            duration_ns=sum(tally.duration_ps for tally in self._groups.values()) / PS,
            back_ns=sum(cause.back_ps for cause in fixes) / PS,
            low_ns=sum(cause.low_ps for cause in fixes) / PS,
            high_ns=sum(cause.high_ps for cause in fixes) / PS,
        )

    def groups(self, most: int | None = None) -> Iterator[Group]:
        """Yield the groups, sorted by the time to save, then by total time."""

        def place(item: tuple[Key, Tally]) -> tuple[int, int, bytes]:
            return -back_of(item[1]), -item[1].duration_ps, msgspec.msgpack.encode(item[0])

        for key, tally in sorted(self._groups.items(), key=place)[:most]:
            yield group_of(self.catalog, key, tally)

    def troubled(self) -> Iterator[Report]:
        """Yield each report that could not be read completely."""
        for file, part in self._each():
            if not _foreign(file, part) and (not part.complete or part.problems):
                yield Report(
                    path=file.label,
                    refused=part.refused,
                    launches=part.launches,
                    launches_missing=part.missing,
                    problems=part.problems,
                    again=part.again,
                )

    def foreign(self) -> Iterator[tuple[str, str]]:
        """Yield the files in the folders that are not profiles, and their actual type."""
        yield from ((file.label, part.refused) for file, part in self._each() if _foreign(file, part))

    def document(self, most: int | None, applications: tuple[Application, ...]) -> dict[str, Any]:
        """Return the fields of the TriageDocument; long lists are generators. most: maximum number of groups."""
        return {
            "totals": self.totals,
            "groups": self.groups(most),
            "applications": iter(applications) if applications else (),
            "troubled": self.troubled(),
            "foreign": self.foreign(),
            "problems": iter(self.problems),
            "measured_ceilings": self.measured,
        }

    def rows(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield the launches, file by file, if the run kept them."""
        for file, _ in self._each():
            if self._rows_of is not None and (rows := self._rows_of(file.path)):
                yield file.label, rows

    def _each(self) -> Iterator[tuple[File, Part]]:
        """Yield the finished files, in the order in which they were found."""
        yield from ((file, self._parts[path]) for path, file in self.files.items() if path in self._parts)


def _foreign(file: File, part: Part) -> bool:
    return part.foreign and not part.again and not file.meant


def group_of(catalog: Catalog, key: Key, tally: Tally) -> Group:
    """Build the result for one group."""
    assert tally.example is not None
    time, fix = tally.duration_ps, fix_of(tally)
    causes = sorted(tally.causes.items(), key=lambda item: (item[0] != fix, -item[1].back_ps, -item[1].first, item[0]))
    chosen = tally.causes.get(fix, CauseTally())
    return Group(
        kernel=key.kernel,
        kernel_full=key.kernel_full,
        grid=key.grid,
        block=key.block,
        gpu=LaunchGpu(key.gpu_name, key.cc, key.known_as),
        scope=key.scope,
        launches=tally.launches,
        reports=tally.reports,
        untimed=tally.untimed,
        duration_ns=time / PS,
        shortest_ns=None if tally.shortest_ps is None else tally.shortest_ps / PS,
        longest_ns=None if tally.longest_ps is None else tally.longest_ps / PS,
        classes=tuple(sorted(tally.classes.items(), key=lambda item: (-item[1], item[0]))),
        first=leading(tally),
        fix=fix,
        back_ns=back_of(tally) / PS,
        low_ns=chosen.low_ps / PS,
        high_ns=chosen.high_ps / PS,
        speedup=_speedup(time, chosen.back_ps),
        causes=tuple(_cause(catalog, key, name, cause, time) for name, cause in causes),
        remarks=tuple(sorted(tally.remarks.items(), key=lambda item: (-item[1], item[0]))),
        stands=_stand(tally.example),
    )


def _speedup(time: int, back: int) -> float | None:
    return time / (time - back) if 0 < back < time else None


def _cause(catalog: Catalog, key: Key, name: str, cause: CauseTally, time: int) -> Cause:
    entry = finding_of(catalog, key.scope, name)
    return Cause(
        id=name,
        title=entry.title if entry is not None else name,
        launches=cause.launches,
        first=cause.first,
        back_ns=cause.back_ps / PS,
        low_ns=cause.low_ps / PS,
        high_ns=cause.high_ps / PS,
        speedup=_speedup(time, cause.back_ps),
    )


def finding_of(catalog: Catalog, scope: str, name: str) -> DiagnosisDef | None:
    """Return the entry of a finding in the knowledge of its scope."""
    if scope != catalog.scope:
        return workloads(catalog).findings.get(name)
    return catalog.findings.get(name)


def _stand(example: Example) -> Stand:
    said = example.conclusion
    return Stand(
        report=example.path,
        index=example.index,
        duration_ns=example.duration_ps / PS or None,
        back_ns=example.back_ps / PS,
        verdict=said.verdict,
        finding=said.finding,
        budget=said.budget,
    )
