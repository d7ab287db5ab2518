"""ncu-advisor explains why a CUDA kernel is slow and how to fix it.

The public functions import the implementation when they are called, so that `import advisor` costs no pandas.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from advisor.records.result import Diagnosis

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.records.readings import Reading

__version__ = "0.2.0"
__all__ = ["Diagnosis", "__version__", "advise", "diagnose", "load_ipython_extension", "read"]


def diagnose(*paths: str | Path, **options: Any) -> Diagnosis:
    """Diagnose one or more reports; `advisor.reasoning.diagnose.analyse` describes the options.

    Raises InputError, with a one-line message, if no report can be read.
    """
    from advisor.reasoning.diagnose import diagnose as diagnose_reports

    return diagnose_reports(*paths, **options)


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
