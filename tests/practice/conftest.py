"""A learner at a stand-in machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import learner as room
import pytest


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test read of a kernels folder of its own is not there for the next."""
    yield
    room.forget()


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> room.Learner:
    return room.at(tmp_path, monkeypatch)
