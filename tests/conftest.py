"""What all tests share: a data folder of their own, and the bundled report and its analysis, read once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from advisor import resources


@pytest.fixture(scope="session", autouse=True)
def user_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty folder that stands for the user's data folder, in child processes too."""
    folder = tmp_path_factory.mktemp("user-data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        yield folder / "ncu-advisor"


@pytest.fixture(scope="session")
def tour_path() -> Path:
    return resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"


@pytest.fixture(scope="session")
def tour(tour_path: Path) -> Any:
    """The analysis of the bundled report."""
    from advisor.pipelines.diagnose import analyse

    return analyse([tour_path])
