"""Try every patch on a source, and keep those whose results are equal and whose promised counter falls."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from advisor.emulator.counts import Counted
from advisor.emulator.launch import Pointer
from advisor.emulator.program import Program, RefusedError
from advisor.emulator.state import FaultError
from advisor.knowledge.patches import PatchDef, patch_kinds
from advisor.patches.counters import COUNTERS, balance, lines, totals
from advisor.patches.kinds import kinds
from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.records import Changed, FixDocument, Patch, Rejected
from advisor.patches.stages import Results, Stage, fault_text
from advisor.patches.syntax import Source, plain_name
from advisor.reasoning.emulated_counts import emulated_document
from advisor.records.errors import InputError, UsageError

# A smaller fall does not justify a change of the source: the noise of a measured time is a few percent.
LEAST_FALL = 0.05
_OF_A_KIND = 3  # places of one kind that are tried, the most costly lines first
_SHOWN_CHANGE = 0.02

RESULTS_DIFFER = "results differ"
NOT_FALLEN = "counter did not fall"
NOT_COMPILED = "does not compile"
REFUSED = "refused by the emulator"
MEMORY_ERROR = "memory error"
COSTS_MORE = "adds more work than it saves"
UNSUITED = "unsuited"


@dataclass
class _Baseline:
    """The source as it is: its counts, the results of the small problem, and the findings from its counts."""

    programs: dict[str, Program]
    counted: list[Counted]
    totals: dict[str, float]
    results: Results
    findings: tuple[str, ...]


def fix(
    stage: Stage, text: str, wanted: Collection[str] = (), progress: Callable[[str], None] = lambda _: None
) -> FixDocument:
    """Try patches on a source. wanted: kinds, all if empty; progress: is called with a line before each trial.

    Raises UsageError for an unknown kind, InputError in one line if the source itself does not compile, cannot be
    emulated, or has a memory error.
    """
    known = patch_kinds()
    for name in wanted:
        if name not in known:
            raise UsageError(f"there is no kind of patch {name!r}; known: {', '.join(sorted(known))}")
    source = Source(text, stage.path.name)
    progress("executing the source as it is")
    base = _baseline(stage, text)
    offered: list[tuple[Proposal, Patch]] = []
    rejected: list[Rejected] = []
    for name, found in _proposals(stage, source, base, wanted or tuple(known)):
        if isinstance(found, Unsuited):
            rejected.append(Rejected(name, found.line, UNSUITED, found.reason))
            continue
        progress(f"{name}, line {found.line}")
        outcome = _try(stage, source, base, name, known[name], found)
        if isinstance(outcome, Rejected):
            rejected.append(outcome)
        else:
            offered.append((found, outcome))
    order = {name: place for place, name in enumerate(base.findings)}
    offered.sort(key=lambda pair: _rank(pair[1], order))
    first = stage.real.launches[0]
    return FixDocument(
        source=str(stage.path),
        kernels=tuple(dict.fromkeys(one.kernel for one in stage.real.launches)),
        arch=stage.arch,
        grid=first.grid,
        block=first.block,
        findings=base.findings,
        patches=tuple(patch for _, patch in offered),
        rejected=tuple(dict.fromkeys(rejected)),
    )


def _rank(patch: Patch, order: Mapping[str, int]) -> tuple[int, float]:
    """Sort patches of the first finding first, then by the share of the counter that is left."""
    place = min((order[name] for name in patch.diagnoses if name in order), default=len(order))
    return place, patch.promised.after / patch.promised.before


def _baseline(stage: Stage, text: str) -> _Baseline:
    programs = stage.programs(text)
    try:
        counted = stage.counted(programs)
        results = stage.results(programs)
    except FaultError as e:
        raise InputError(f"the source itself has an error: {fault_text(e, programs)}") from None
    wrong = stage.wrong(results)
    if wrong:
        raise InputError(f"the results of the source itself are wrong: {wrong}")
    names = tuple(dict.fromkeys(one.id for each in counted for one in emulated_document(each).findings))
    return _Baseline(programs, counted, totals(counted), results, names)


def _proposals(
    stage: Stage, source: Source, base: _Baseline, wanted: Collection[str]
) -> Iterator[tuple[str, Proposal | Unsuited]]:
    """Yield the kind and place of patches whose counter is not zero: the most costly lines of each kind."""
    known = patch_kinds()
    launches = {one.kernel: one for one in stage.real.launches}
    for name, propose in kinds().items():
        if name not in wanted or base.totals[known[name].counter] <= 0:
            continue
        share = lines(base.counted, known[name].counter, str(stage.path))
        found: list[Proposal | Unsuited] = []
        for kernel, launch in launches.items():
            function = source.function(plain_name(kernel))
            if function is None:
                continue
            names = [a.name if isinstance(a, Pointer) else None for a in launch.arguments]
            twice = frozenset(i for i, a in enumerate(names) if a is not None and names.count(a) > 1)
            found += propose(source, Cause(function, launch.grid, launch.block, share, twice))
        tried = [one for one in found if isinstance(one, Proposal)]
        tried.sort(key=lambda one: -share.get(one.line, 0.0))
        unique = list({tuple(one.edits): one for one in tried}.values())
        for one in unique[:_OF_A_KIND]:
            yield name, one
        for other in found:
            if isinstance(other, Unsuited):
                yield name, other


def _try(
    stage: Stage, source: Source, base: _Baseline, name: str, known: PatchDef, proposal: Proposal
) -> Patch | Rejected:
    def no(reason: str, detail: str) -> Rejected:
        return Rejected(name, proposal.line, reason, detail, proposal.says)

    try:
        text = source.edited(proposal.edits)
    except ValueError:
        return no(UNSUITED, "its edits overlap")
    try:
        programs = stage.programs(text)
    except RefusedError as e:
        return no(NOT_COMPILED, str(e))
    try:
        counted = stage.counted(programs)
        after = totals(counted)
        before, now = base.totals[known.counter], after[known.counter]
        title = COUNTERS[known.counter].title
        if now > before * (1 - LEAST_FALL):
            return no(NOT_FALLEN, f"{title}: {before:,.0f} before, {now:,.0f} after")
        saved, added, most = balance(known.counter, base.totals, after)
        if added >= saved:
            return no(
                COSTS_MORE,
                f"{title}: {before:,.0f} before, {now:,.0f} after; "
                f"{COUNTERS[most].title}: {base.totals[most]:,.0f} before, {after[most]:,.0f} after",
            )
        verdict = stage.judge(base.results, stage.results(programs), known.rounds)
    except FaultError as e:
        return no(MEMORY_ERROR, fault_text(e, programs))
    except RefusedError as e:
        return no(REFUSED, str(e))
    if verdict.wrong:
        return no(RESULTS_DIFFER, verdict.wrong)
    first = next(iter(base.programs))
    return Patch(
        kind=name,
        title=known.title,
        line=proposal.line,
        says=proposal.says,
        diagnoses=known.diagnoses,
        promised=Changed(known.counter, title, before, now),
        results=verdict.how,
        compared=stage.compared,
        costs=known.costs,
        cites=known.cites,
        diff=diff(source.text.decode("utf-8", "surrogateescape"), text, stage.path),
        text=text,
        others=tuple(_others(known.counter, base.totals, after)),
        registers_before=base.programs[first].registers,
        registers_after=programs[first].registers,
    )


def _others(promised: str, before: Mapping[str, float], after: Mapping[str, float]) -> Iterator[Changed]:
    for name, counter in COUNTERS.items():
        old, new = before[name], after[name]
        if name != promised and abs(new - old) > _SHOWN_CHANGE * max(old, new) and not math.isclose(old, new):
            yield Changed(name, counter.title, old, new)


def diff(before: str, after: str, path: Path) -> str:
    """Return a unified diff that `patch -p1` applies in the folder of the file."""
    rows = difflib.unified_diff(_rows(before), _rows(after), f"a/{path.name}", f"b/{path.name}")
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _rows(text: str) -> list[str]:
    rows = [f"{row}\n" for row in text.split("\n")]
    last = rows.pop()[:-1]
    return [*rows, last] if last else rows
