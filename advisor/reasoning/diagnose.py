"""Analyse report files, or numbers that a user typed.

The reasoning loads pandas, numpy and experta, which takes as long as reading a report. Therefore child processes read
while the parent imports them, and this module imports none of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from advisor.hardware import ceilings
from advisor.knowledge.base import Catalog
from advisor.knowledge.base import catalog as open_catalog
from advisor.readers.read import read_many
from advisor.reasoning.inputs import FORM, Answer, Inputs, checked_answers, knowledge_for
from advisor.records.diagnosis import Diagnosis
from advisor.records.errors import InputError, UsageError
from advisor.records.readings import Progress, ReportInfo

if TYPE_CHECKING:
    import pandas as pd

    from advisor.reasoning.analysis import Analysis


def analyse(
    paths: Sequence[Path],
    *,
    answers: Mapping[str, Answer] | None = None,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    ptxas: Path | None = None,
    kernel: re.Pattern[str] | None = None,
    launches: frozenset[int] | None = None,
    jobs: int = 2,
    forks: int = 1,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> Analysis:
    """Read reports and reason about every launch in them, or those selected by `kernel` or `launches`.

    jobs: child processes that read; forks: processes that share the reasoning (see fork_map), for single-threaded
    programs only. meanwhile: called while child processes read, if there are any. Unreadable reports are named in
    `diagnosis.reports`. Raises InputError if none could be read.
    """
    catalog, inputs = gather(
        paths,
        answers=answers,
        gpu=gpu,
        knowledge=knowledge,
        ptxas=ptxas,
        kernel=kernel,
        launches=launches,
        jobs=jobs,
        progress=progress,
        meanwhile=meanwhile,
    )
    return analyse_frame(catalog, inputs, forks)


def gather(
    paths: Sequence[Path],
    *,
    answers: Mapping[str, Answer] | None = None,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    ptxas: Path | None = None,
    kernel: re.Pattern[str] | None = None,
    launches: frozenset[int] | None = None,
    jobs: int = 2,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> tuple[Catalog, Inputs]:
    """Read reports, and return what `analyse` reasons about, with the knowledge base for it."""
    catalog = open_catalog(knowledge)
    frame, infos = read_many(
        paths, ptxas=ptxas, jobs=jobs, progress=progress, meanwhile=partial(_prepare, catalog, meanwhile)
    )
    if not len(frame):
        lines = [f"{i.path}: {p}" if not p.startswith(i.path) else p for i in infos for p in i.problems[:1]]
        raise InputError(
            lines[0] if len(lines) == 1 else "no report could be read: " + "; ".join(lines or ["none given"])
        )
    frame = _chosen(frame, kernel, launches)
    if progress is not None:
        progress("reason", 0, 1)
    catalog = knowledge_for(catalog, infos)
    said: dict[int | None, dict[str, Answer]] = {None: checked_answers(catalog, answers or {})}
    cards, problem = ceilings.kept_or_problem()
    if problem:
        infos = tuple(replace(info, problems=(*info.problems, problem)) for info in infos)
    return catalog, Inputs(frame.reset_index(drop=True), tuple(infos), gpu, said, cards)


def _chosen(frame: pd.DataFrame, kernel: re.Pattern[str] | None, launches: frozenset[int] | None) -> pd.DataFrame:
    """Return the selected rows, compared with all launches of their kernel; raises UsageError if there are none."""
    from advisor.reasoning.enrich import add_neighbours, of_kernels, unmatched  # loads numpy, see above

    frame = add_neighbours(frame)
    if kernel is not None:
        found = of_kernels(frame, kernel)
        if not len(found):
            raise UsageError(unmatched(frame, kernel))
        frame = found
    if launches is not None:
        absent = sorted(launches - {int(i) for i in frame["index"]})
        if absent:
            raise UsageError(f"there is no launch {absent[0]}: launches are numbered 0 to {int(frame['index'].max())}")
        frame = frame[frame["index"].isin(launches)]
    if not len(frame):
        raise UsageError("no launch is both one of --launch and one of --kernel")
    return frame


def _prepare(catalog: Catalog, more: Callable[[], None]) -> None:
    from advisor.reasoning.assemble import make_ready  # loads experta, see above

    make_ready(catalog)
    more()


def analyse_frame(catalog: Catalog, inputs: Inputs, forks: int = 1) -> Analysis:
    """Reason about the launches of a frame."""
    from advisor.reasoning.analysis import Analysis  # loads pandas, see above

    return Analysis(catalog, inputs, forks=forks)


# Launches that are reasoned about together where only their diagnoses are wanted.
PART = 1000


def diagnose_in_parts(catalog: Catalog, inputs: Inputs, forks: int = 1, rows: int = PART) -> Iterator[Diagnosis]:
    """Yield the diagnoses of the launches, `rows` at a time.

    The numbers behind a diagnosis take ten times its memory, and those of one part are dropped before the next. A
    launch is compared with the others of its kernel when it is gathered, so the parts do not change what is concluded.
    inputs: answers are for all launches, since a part counts its launches from 0.
    """
    if any(position is not None for position in inputs.answers):
        raise ValueError("answers for single launches")
    for start in range(0, len(inputs.frame), rows):
        part = inputs.frame.iloc[start : start + rows].reset_index(drop=True)
        yield analyse_frame(catalog, replace(inputs, frame=part), forks).diagnosis


def analyse_numbers(
    values: Mapping[str, float],
    *,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    name: str = "typed",
    workload: bool = False,
) -> Analysis:
    """Reason about numbers that a user typed: canonical metric id -> value in the metric's unit.

    workload: the numbers describe a draw or dispatch in Nsight Graphics, not a kernel in ncu.
    """
    import pandas as pd

    form = FORM if workload else "numbers"
    info = ReportInfo(path=name, sha256="", tool="typed", format=form)
    catalog = knowledge_for(open_catalog(knowledge), (info,))
    row: dict[str, Any] = {"report": 0, "index": 0, "kernel": name, "kernel_full": name, "gpu_name": "", "cc": ""}
    row |= {"grid": None, "block": None, "opcodes": None, "accesses": None, "rules": ()}
    return analyse_frame(catalog, Inputs(pd.DataFrame([row]), (info,), gpu, {None: checked_answers(catalog, values)}))
