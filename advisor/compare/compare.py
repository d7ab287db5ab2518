"""The two sides of a comparison, read side by side: a report, or one launch of it written as `REPORT#3`.

Before and after: two analyses in, matched kernels with what changed and what to do next out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.compare.changes import finding_changes, leading_units, metric_changes
from advisor.compare.conditions import of_pair, of_reports, other_gpu, other_kernel
from advisor.compare.matching import Couple, match, runs_of
from advisor.compare.outlook import promise, traps, what_next
from advisor.compare.records import Compared, Condition, Pair
from advisor.hardware.ceilings import kept
from advisor.knowledge.base import Catalog
from advisor.knowledge.base import catalog as open_catalog
from advisor.reasoning.diagnose import analyse_frame
from advisor.reasoning.inputs import Answer, Inputs, checked_answers
from advisor.reasoning.time_model.noise import Judged, verdict
from advisor.records.diagnosis import Diagnosis
from advisor.records.errors import InputError, UsageError
from advisor.records.readings import Progress, Reading

if TYPE_CHECKING:
    from advisor.reasoning.analysis import Analysis

_ONE = re.compile(r"(?P<path>.+)#(?P<launch>[^#]*)", re.DOTALL)


# The largest number that a launch could have: what is longer is no index, and would not fit a frame.
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Side:
    """A report, and the index of the launch that is meant; None: all of them."""

    path: Path
    launch: int | None = None

    def __str__(self) -> str:
        return str(self.path) if self.launch is None else f"{self.path}#{self.launch}"


def parse_side(text: str) -> Side:
    """`REPORT` or `REPORT#3`. A file that is really called so is meant before a launch; UsageError otherwise."""
    whole = Path(text)
    match = _ONE.fullmatch(text)
    if match is None or whole.exists():
        return Side(whole)
    path, number = Path(match["path"]), match["launch"]
    if not path.exists():
        # Neither exists: the reader names the one that was most likely meant.
        return Side(path if number.isdecimal() else whole)
    if not (number.isdecimal() and number.isascii() and len(number) <= _MOST_DIGITS):
        raise UsageError(f"{text!r}: after # comes the number of a launch, from 0, such as {path.name}#0")
    return Side(path, int(number))


def read_sides(
    base: Side,
    current: Side,
    *,
    answers: Mapping[str, Answer] | None = None,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    kernel: re.Pattern[str] | None = None,
    progress: Progress | None = None,
) -> tuple[Analysis, Analysis]:
    """Read both reports at once (one, where both sides are launches of it) and reason about each.

    InputError when either cannot be read, UsageError when a launch is not there or `kernel` matches none on a side.
    """
    # Not before it is needed: a session names sides from its start.
    from advisor.readers.read import read
    from advisor.reasoning.inputs import knowledge_for

    cat = open_catalog(knowledge)
    answered = checked_answers(cat, answers or {})
    # Loaded here, so that two threads do not load it twice.
    open_catalog().metrics  # noqa: B018
    paths = list(dict.fromkeys((base.path, current.path)))
    if progress is not None:
        progress("read", 0, len(paths))
    with ThreadPoolExecutor(len(paths)) as pool:
        tellers = _together(progress, len(paths))
        readings = dict(zip(paths, pool.map(lambda path, say: read(path, progress=say), paths, tellers), strict=True))
    if progress is not None:
        progress("reason", 0, 1)
    cat = knowledge_for(cat, [reading.info for reading in readings.values()])
    sides = (base, current)
    made = [_analysis(cat, readings[side.path], side, gpu, answered, kernel) for side in sides]
    return made[0], made[1]


def _together(progress: Progress | None, count: int) -> list[Progress | None]:
    """What each of several readings at a time tells: how far all of them are."""
    if progress is None:
        return [None] * count
    states = [(0, 0)] * count

    def teller(at: int) -> Progress:
        def tell(what: str, done: int, total: int) -> None:
            states[at] = done, total
            progress(what, sum(one for one, _ in states), sum(all_ for _, all_ in states))

        return tell

    return [teller(at) for at in range(count)]


def _analysis(
    cat: Catalog,
    reading: Reading,
    side: Side,
    gpu: str | None,
    answers: Mapping[str, Answer],
    kernel: re.Pattern[str] | None,
) -> Analysis:
    from advisor.reasoning.enrich import add_neighbours

    # Before any filter, as in `analyse`: what the other launches say of one does not depend on what is looked at.
    frame = add_neighbours(reading.frame)
    if not len(frame):
        raise InputError(f"{side.path}: no kernel launch in it can be read")
    if side.launch is not None:
        highest = int(frame["index"].max())
        frame = frame[frame["index"] == side.launch]
        if not len(frame):
            raise UsageError(f"{side}: there is no launch {side.launch}: they count from 0 to {highest}")
    if kernel is not None:
        frame = frame[[bool(kernel.search(str(name))) for name in frame["kernel_full"]]]
        if not len(frame):
            raise UsageError(f"{side}: no launch matches --kernel: the names are those that `diagnose` prints")
    info = replace(reading.info, path=str(side))
    return analyse_frame(cat, Inputs(frame.reset_index(drop=True), (info,), gpu, {None: dict(answers)}, kept()))


def compare(
    base: Analysis,
    current: Analysis,
    *,
    maps: Sequence[str] = (),
    runs: tuple[Sequence[float], Sequence[float]] | None = None,
    force: bool = False,
) -> Compared:
    """Compare the launches of two analyses, each of one report.

    maps: `OLD=NEW` for renamed kernels. runs: run times in ns measured outside the profiler, base and current, that
    replace the profiles' durations where each side holds one kernel. force: compare different GPUs all the same.

    UsageError when nothing matches, a map names no kernel, the GPUs differ without `force`, or `runs` come with more
    than one kernel.
    """
    return compare_diagnoses(base.diagnosis, current.diagnosis, base.catalog, maps=maps, runs=runs, force=force)


def compare_diagnoses(
    base: Diagnosis,
    current: Diagnosis,
    catalog: Catalog,
    *,
    maps: Sequence[str] = (),
    runs: tuple[Sequence[float], Sequence[float]] | None = None,
    force: bool = False,
) -> Compared:
    """The same of two diagnoses, which is all that a comparison looks at."""
    old = runs_of(base.launches, runs[0] if runs is not None else None)
    new = runs_of(current.launches, runs[1] if runs is not None else None)
    if runs is not None and (len(old) != 1 or len(new) != 1):
        raise UsageError("measured run times belong to one kernel on each side: name a launch with REPORT#N")
    couples, left, right = match(old, new, maps)
    if not couples:
        names = [", ".join(dict.fromkeys(repr(r.launch.kernel[:40]) for r in side[:3])) for side in (old, new)]
        raise UsageError(
            f"no kernel is in both: the base holds {names[0]}, the current report {names[1]}; "
            "say which is which with --map OLD=NEW"
        )
    if not force:
        for one, other, _ in couples:
            if found := other_gpu(one, other):
                raise UsageError(f"{found.text}; --force compares them all the same")
    return Compared(
        base=base.reports[0],
        current=current.reports[0],
        conditions=of_reports(base.reports[0], current.reports[0]),
        pairs=tuple(_pair(catalog, couple) for couple in couples),
        base_only=tuple(left),
        current_only=tuple(right),
        ceilings=_ceilings(base, current),
    )


def _ceilings(*sides: Diagnosis) -> tuple[Mapping[str, Any], ...]:
    """The measured ceilings that decided on either side, each card once."""
    used = [card for side in sides for card in side.extra.get("measured_ceilings", ())]
    return tuple({(card["gpu"], card["cc"]): card for card in used}.values())


def _pair(catalog: Catalog, couple: Couple) -> Pair:
    base, current, matched = couple
    judged = verdict(base.times, current.times) if base.times is not None and current.times is not None else None
    conditions, by_cycles = of_pair(base, current, judged)
    if matched == "only":
        conditions += other_kernel(base, current)
    findings = finding_changes(base.launch, current.launch)
    doubt = _doubtful(conditions, judged, by_cycles)
    return Pair(
        base=base,
        current=current,
        matched=matched,
        judged=judged,
        by_cycles=by_cycles,
        conditions=conditions,
        metrics=metric_changes(catalog, base.launch, current.launch, findings),
        findings=findings,
        units=leading_units(base.launch, current.launch),
        traps=traps(base.launch, current.launch, judged),
        promise=None if doubt else promise(base, current, judged, findings),
        next=what_next(current, judged, findings, doubt),
    )


def _doubtful(conditions: Sequence[Condition], judged: Judged | None, by_cycles: Judged | None) -> str:
    """What makes the two times mean different things: size, gpu, clock or kernel; empty when nothing does.

    Another kernel counts where it is slower: a faster one that does the same work is what many a fix looks like.
    """
    for item in conditions:
        if item.id in ("size", "gpu") and judged is not None:
            return item.id
    if judged is not None and judged.word == "slower" and any(item.id == "kernel" for item in conditions):
        return "kernel"
    return "clock" if by_cycles is not None and judged is not None and by_cycles.word != judged.word else ""
