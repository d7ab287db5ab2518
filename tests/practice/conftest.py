"""A learner at a stand-in machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import learner as room
import pytest
from bench.calibration import analysed


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test read of a kernels folder of its own is not there for the next."""
    yield
    room.forget()


@pytest.fixture(scope="session")
def recorded() -> Any:
    """The analysis of all recordings, and every exercise judged by it."""
    return analysed()


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> room.Learner:
    return room.at(tmp_path, monkeypatch)
