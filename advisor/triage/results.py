"""What a triage tells: totals, groups ranked by what their fix gives back, and what could not be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from advisor.records.diagnosis import Budget, Finding, LaunchGpu, MeasuredCeilings, Verdict
from advisor.records.record import Count, Gain, NotNegative, Pairs, Record, named
from advisor.triage.application import Application
from advisor.triage.ledger import AGAIN, DONE, FOREIGN, OPEN
from advisor.triage.tally import PS, CauseTally, Example, Key, Tally, back_of, fix_of, leading

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.knowledge.schemas import DiagnosisDef
    from advisor.triage.ledger import Ledger
    from advisor.triage.one_file import Row


class Cause(Record):
    """A diagnosis in a group. launches: in which it was found; first: in which it stands first.

    back_ns: what its fix alone gives back over all of them, from back_low_ns to back_high_ns; speedup: of the group's
    summed time by that, absent where no gain is known.
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
    """The launch that stands for a group: the one with the most to give back. finding: its first diagnosis."""

    report: str
    index: Count
    duration_ns: NotNegative | None = None
    back_ns: NotNegative
    verdict: Verdict = msgspec.field(name="class")
    finding: Finding | None = None
    budget: Budget | None = None


class Group(Record, kw_only=True):
    """The launches of one kernel in one shape on one GPU.

    duration_ns: summed over launches, `untimed` of which have none; reports: files they are in; classes: launches by
    class; first: the diagnosis that stands first in most of the time; fix: the one whose gain counts, absent without
    any; back_ns: what that fix gives back; speedup: of the summed time by it; remarks: launches by trust entry or note.
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
        """The GPU's id, empty for one that is not known."""
        return self.gpu.known_as


class Report(Record, kw_only=True):
    """A file with a problem. refused: why nothing of it could be read, absent where only some is lost.

    launches_missing: absent when unknowable; again: the machine was to blame, and another try may read it.
    """

    path: str
    refused: str = ""
    launches: Count
    launches_missing: Count | None = None
    problems: tuple[str, ...]
    again: bool = False


class Totals(Record):
    """Of the whole run. reports: files of which something was read; refused: of which nothing was; foreign: files in
    the folders that hold no profile; back_ns: what the fix of each group gives back, summed over groups."""

    reports: Count
    incomplete: Count
    refused: Count
    foreign: Count
    launches: Count
    groups: Count
    duration_ns: NotNegative
    back_ns: NotNegative


# A path and what is wrong with it.
Why = Annotated[tuple[str, str], named("path", "why")]


class TriageDocument(Record, kw_only=True, tag_field="schema", tag="ncu-advisor/triage/1"):
    """Output of `ncu-advisor triage --format json`: groups by the time that their fix gives back.

    applications: what the fixes are worth to the programs of traces; troubled: reports that could not be read, or not
    wholly; problems: of the run itself.
    """

    totals: Totals
    groups: tuple[Group, ...]
    applications: tuple[Application, ...] = ()
    troubled: tuple[Report, ...]
    foreign: tuple[Why, ...]
    problems: tuple[Why, ...]
    measured_ceilings: tuple[MeasuredCeilings, ...]


class Triage:
    """The outcome of a run, read off its ledger bit by bit, so that it takes no more memory for more reports.

    unlisted: folders and links that cannot be followed (path, why); state: why a later run cannot go on from this one,
    with the state's path; measured: the measured ceilings that decided.
    """

    def __init__(
        self,
        catalog: Catalog,
        ledger: Ledger,
        unlisted: tuple[tuple[str, str], ...] = (),
        state: tuple[str, str] | None = None,
        measured: tuple[MeasuredCeilings, ...] = (),
    ) -> None:
        self.catalog = catalog
        self.unlisted = unlisted
        self.state = state
        self.measured = measured
        self._ledger = ledger

    @property
    def problems(self) -> tuple[tuple[str, str], ...]:
        """What is wrong with the run itself rather than with a report: path and why."""
        return (*self.unlisted, *((self.state,) if self.state is not None else ()))

    @property
    def totals(self) -> Totals:
        """Sums over files and groups."""
        (read, incomplete, refused, foreign, launches) = next(
            self._ledger.select(
                "SELECT sum(state = ?), sum(state = ? AND (complete = 0 OR problems != '[]')), "
                "sum(state NOT IN (?, ?, ?)), sum(state = ?), sum(launches) FROM files",
                (DONE, DONE, DONE, OPEN, FOREIGN, FOREIGN),
            )
        )
        groups, time, back = next(self._ledger.select("SELECT count(*), total(time), total(back) FROM groups"))
        whole = (read or 0, incomplete or 0, refused or 0, foreign or 0, launches or 0, groups)
        return Totals(*whole, duration_ns=time / PS, back_ns=back / PS)

    def groups(self, most: int | None = None) -> Iterator[Group]:
        """The groups, the most time given back first."""
        for key, tally in self._ledger.groups(most):
            yield group_of(self.catalog, key, tally)

    def troubled(self) -> Iterator[Report]:
        """Each report that could not be read, or not wholly."""
        sql = (
            "SELECT label, refused, launches, missing, problems, state FROM files WHERE state NOT IN (?, ?) AND "
            "(complete = 0 OR problems != '[]') ORDER BY id"
        )
        for label, refused, launches, missing, problems, state in self._ledger.select(sql, (OPEN, FOREIGN)):
            told = tuple(json.loads(problems or "[]"))
            yield Report(
                path=label,
                refused=refused or "",
                launches=launches,
                launches_missing=missing,
                problems=told,
                again=state == AGAIN,
            )

    def foreign(self) -> Iterator[tuple[str, str]]:
        """Files in the folders that hold no profile, and what they are instead."""
        yield from self._ledger.select("SELECT label, refused FROM files WHERE state = ? ORDER BY id", (FOREIGN,))

    def document(self, most: int | None, applications: tuple[Application, ...]) -> dict[str, Any]:
        """The fields of the TriageDocument; what is long is read while it is written. most: only the first groups."""
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
        """The launches, file by file; only where the run was asked for them."""
        yield from self._ledger.rows()


def group_of(catalog: Catalog, key: Key, tally: Tally) -> Group:
    """A group as the faces show it."""
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
    """The entry of a finding in the knowledge of its scope."""
    if scope != catalog.scope:
        from advisor.knowledge.base import workloads

        return workloads(catalog).findings.get(name)
    return catalog.findings.get(name)


def _stand(example: Example) -> Stand:
    return Stand(
        report=example.path,
        index=example.index,
        duration_ns=example.duration_ps / PS or None,
        back_ns=example.back_ps / PS,
        verdict=example.verdict,
        finding=example.finding,
        budget=example.budget,
    )
