from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from advisor.readers.read import read
from advisor.reasoning.metrics.derive import derive


@pytest.fixture(scope="session")
def base(tour_path: Path) -> pd.DataFrame:
    """What the reader makes of the bundled report: 22 launches, nothing derived, and known to be a report."""
    return read(tour_path).frame.assign(report_complete=1.0)


@pytest.fixture(scope="session")
def derived(base: pd.DataFrame) -> pd.DataFrame:
    return derive(base)


@pytest.fixture
def launch(derived: pd.DataFrame) -> Callable[[str], pd.Series]:
    """A launch of the tour by its kernel's name."""
    by_kernel = derived.set_index("kernel")
    return lambda kernel: by_kernel.loc[kernel]


@pytest.fixture
def frame() -> Callable[..., pd.DataFrame]:
    """A frame of one launch with the given columns; what is not given is unknown."""

    def make(**columns: Any) -> pd.DataFrame:
        row: dict[str, Any] = {
            "report": 0,
            "index": 0,
            "kernel": "k",
            "kernel_full": "k()",
            "grid": None,
            "block": None,
            "gpu_name": "",
            "cc": "",
            "opcodes": None,
            "accesses": None,
            "rules": (),
        }
        row |= {name: math.nan if value is None else value for name, value in columns.items()}
        return pd.DataFrame([row])

    return make
