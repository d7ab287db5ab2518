"""ncu-advisor explains why a CUDA kernel is slow and how to fix it.

The public functions import the implementation when they are called, so that `import advisor` costs no pandas.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.records.result import Diagnosis

if TYPE_CHECKING:
    from advisor.records.readings import Progress, Reading

__version__ = "0.2.0"
__all__ = ["Diagnosis", "__version__", "advise", "diagnose", "load_ipython_extension", "read"]


def diagnose(
    *paths: str | Path,
    answers: Mapping[str, float | str] | None = None,
    gpu: str | None = None,
    knowledge: Sequence[str | Path] = (),
    ptxas: str | Path | None = None,
    kernel: str | None = None,
    launches: Collection[int] | None = None,
    jobs: int = 2,
    progress: Progress | None = None,
) -> Diagnosis:
    """Diagnose one or more reports, as `ncu-advisor diagnose` does.

    answers: question or metric id -> value in its unit; gpu: the GPU, if a report does not name it; knowledge: a team's
    folders (installed packs are not added); ptxas: a log of `ptxas -v`; kernel: a regular expression that names must
    match; launches: numbers of launches, from 0; jobs: child processes that read; progress: called with a stage, the
    count done and the total. Raises InputError if no report can be read, UsageError for a wrong option, KnowledgeError
    for a mistake in `knowledge`, each with a one-line message.
    """
    from advisor.reasoning.diagnose import analyse
    from advisor.records.errors import UsageError

    try:
        pattern = None if kernel is None else re.compile(kernel)
    except re.error as e:
        raise UsageError(f"kernel {kernel!r} is not a regular expression: {e}") from None
    analysis = analyse(
        [Path(path) for path in paths],
        answers=answers,
        gpu=gpu,
        knowledge=tuple(map(Path, knowledge)),
        ptxas=None if ptxas is None else Path(ptxas),
        kernel=pattern,
        launches=None if launches is None else frozenset(launches),
        jobs=jobs,
        progress=progress,
    )
    return analysis.diagnosis


def read(path: Path, *, metric_filter: Collection[str] | None = None, **options: Any) -> Reading:
    """Read one report into a frame: one row per launch, one column per canonical metric.

    metric_filter: the metric ids to read (default: all). For the options see `advisor.readers.read.read`. Raises
    InputError, with a one-line message, if no launch can be read.
    """
    from advisor.readers.read import read as read_report

    return read_report(path, metric_filter=metric_filter, **options)


def advise(*function: Any, **options: Any) -> Any:
    """Decorate a function, or open a block, whose kernels are to be diagnosed; see `advisor.python.advise.advise`."""
    from advisor.python.advise import advise as advise_python

    return advise_python(*function, **options)


def load_ipython_extension(shell: Any) -> None:
    """Add `%%advise` to a notebook: `%load_ext advisor`."""
    from advisor.python.magic import register

    register(shell)
