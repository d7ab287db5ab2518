from __future__ import annotations

from pathlib import Path

import pytest
from program_machine import Machine, environment, prepare


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the report and the names of its launches."""
    folder = tmp_path_factory.mktemp("recorded")
    prepare(folder)
    return folder


@pytest.fixture
def machine(tmp_path: Path, recorded: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.chdir(tmp_path)
    made = Machine(tmp_path, monkeypatch)
    made.environment(**environment(tmp_path, recorded))
    return made
