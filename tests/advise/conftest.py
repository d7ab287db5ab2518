from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "program"))
from program_machine import Machine, environment, prepare


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    prepare(folder)
    return folder


@pytest.fixture
def machine(tmp_path: Path, recorded: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.chdir(tmp_path)
    made = Machine(tmp_path, monkeypatch)
    made.environment(**environment(tmp_path, recorded))
    return made
