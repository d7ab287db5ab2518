"""A machine with an ncu that needs no GPU, whose programs launch the kernels of the bundled tour."""

from __future__ import annotations

import json
import lzma
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from advisor.cli import main
from advisor.readers.read import read
from advisor.records import resources
from advisor.records.errors import AdvisorError

STANDIN = Path(__file__).parent / "standin"
ROOT = Path(__file__).parents[2]


def tour() -> bytes:
    """The bundled report of 22 kernels, one launch each."""
    return lzma.decompress(
        (resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz").read_bytes()
    )


def prepare(home: Path) -> None:
    """Write the report and the names of its launches, which the stand-in reads."""
    (home / "tour.ncu-rep").write_bytes(tour())
    names = read(home / "tour.ncu-rep", metric_filter=("duration_ns",)).frame["kernel"]
    (home / "names").write_text("\n".join(names) + "\n", encoding="utf-8")


@dataclass
class Machine:
    """A folder, in which programs are profiled. log: the command lines of ncu."""

    home: Path
    monkeypatch: pytest.MonkeyPatch

    def environment(self, **values: str) -> None:
        for name, value in values.items():
            self.monkeypatch.setenv(name, value)

    @property
    def log(self) -> list[str]:
        path = self.home / "log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def script(self, text: str, name: str = "app") -> str:
        """Write a program and return its path."""
        path = self.home / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def says(self, *arguments: object) -> Result:
        return CliRunner().invoke(main.cli, ["profile", *map(str, arguments)], standalone_mode=False)

    def does(self, *arguments: object) -> str:
        """The output of a run that ends well."""
        result = self.says("--report", self.home / "made", *arguments)
        assert result.exception is None, result.exception
        return str(result.output)

    def document(self, *arguments: object) -> dict[str, Any]:
        self.does("--format", "json", "--out", self.home / "out.json", *arguments)
        found = json.loads((self.home / "out.json").read_text(encoding="utf-8"))
        assert isinstance(found, dict)
        return found

    def refuses(self, *arguments: object) -> str:
        """The one line of an error with exit code 2."""
        result = self.says("--report", self.home / "made", *arguments)
        assert isinstance(result.exception, AdvisorError), (result.exception, result.output)
        assert result.exception.exit_code == 2 and "\n" not in str(result.exception)
        return str(result.exception)


def environment(home: Path, data: Path) -> dict[str, str]:
    """The variables of the stand-in."""
    return {
        "PATH": f"{STANDIN}{os.pathsep}{os.environ['PATH']}",
        "STANDIN_PYTHON": sys.executable,
        "STANDIN_ROOT": str(ROOT),
        "STANDIN_LOG": str(home / "log"),
        "STANDIN_REPORT": str(data / "tour.ncu-rep"),
        "STANDIN_NAMES": str(data / "names"),
        "STANDIN_FAILS": "",
    }


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
