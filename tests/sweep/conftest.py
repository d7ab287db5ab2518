"""A machine whose compiler and ncu need no GPU."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sweep_machine import STANDIN, TILES, Machine, cut


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the report of each point."""
    folder = tmp_path_factory.mktemp("reports")
    for name, launch in TILES.items():
        (folder / name).write_bytes(cut("occupancy-trap", launch))
    return folder


@pytest.fixture
def machine(tmp_path: Path, reports: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.cu").write_text('#include "tile.cuh"\n', encoding="utf-8")
    (tmp_path / "tile.cuh").write_text("// a tile\n", encoding="utf-8")
    made = Machine(tmp_path, monkeypatch)
    made.environment(
        PATH=f"{STANDIN}{os.pathsep}{os.environ['PATH']}",
        STANDIN_LOG=str(tmp_path / "log"),
        STANDIN_REPORTS=str(reports),
        STANDIN_NCU="",
        STANDIN_STOP="",
    )
    return made
