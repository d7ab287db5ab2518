"""What all tests share: the bundled report and its analysis, read once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor import resources


@pytest.fixture(scope="session")
def tour_path() -> Path:
    return resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"


@pytest.fixture(scope="session")
def tour(tour_path: Path) -> Any:
    """The analysis of the bundled report."""
    from advisor.pipelines.diagnose import analyse

    return analyse([tour_path])
