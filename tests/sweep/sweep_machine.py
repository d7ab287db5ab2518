"""A machine with a compiler and an ncu that need no GPU, whose results are launches of the bundled recordings."""

from __future__ import annotations

import io
import lzma
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from advisor.cli import main, sweep
from advisor.readers.container import extract, walk
from advisor.records import resources
from advisor.records.errors import AdvisorError
from advisor.sweep.records import SweepDocument

STANDIN = Path(__file__).parent / "standin"
BUILD = "nvcc -O3 -DTILE={TILE} -o {out}/app app.cu"
RUN = "{out}/app 4096"
# The steps of the exercise as values of TILE: 1.85 ms with 30 registers, 1.01 ms with 53, 0.75 ms with 128.
TILES = {"TILE-2": 1, "TILE-4": 0, "TILE-8": 2}


def cut(exercise: str, *launches: int) -> bytes:
    """A real report of some launches of an exercise."""
    path = resources.folder("kernels") / exercise / "recorded" / "h200" / "profile.ncu-rep.xz"
    data, out = lzma.decompress(path.read_bytes()), io.BytesIO()
    extract(data, walk(data), frozenset(launches), out)
    return out.getvalue()


@dataclass
class Machine:
    """A project folder, in which commands run. log: the command lines of nvcc and ncu."""

    home: Path
    monkeypatch: pytest.MonkeyPatch

    @property
    def log(self) -> list[str]:
        path = self.home / "log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def forget(self) -> None:
        (self.home / "log").unlink(missing_ok=True)

    def environment(self, **values: str) -> None:
        for name, value in values.items():
            self.monkeypatch.setenv(name, value)

    def only_measures(self) -> None:
        """Measure without reading the reports, which takes the most time of a test."""
        show = sweep._show
        self.monkeypatch.setattr(sweep, "_show", lambda o, *rest: show(o, *rest) if o.read is not None else 0)

    def judged(self) -> list[SweepDocument]:
        """The results that the command shows from now on."""
        out: list[SweepDocument] = []
        judge = sweep.judge
        self.monkeypatch.setattr(sweep, "judge", lambda found: out.append(judge(found)) or out[-1])
        return out

    def says(self, *arguments: object) -> Result:
        return CliRunner().invoke(main.cli, ["sweep", *map(str, arguments)], standalone_mode=False)

    def does(self, *arguments: object, code: int = 0) -> Result:
        result = self.says(*arguments)
        assert result.exception is None, result.exception
        assert result.return_value == code, result.output
        return result

    def sweeps(self, tiles: str, *arguments: object, code: int = 0, repeat: int = 1) -> Result:
        """The usual sweep over TILE."""
        return self.does(
            "--over", f"TILE={tiles}", "--build", BUILD, "--run", RUN, "--repeat", repeat, *arguments, code=code
        )

    def refuses(self, *arguments: object) -> str:
        """The one line of an error with exit code 2."""
        result = self.says(*arguments)
        assert isinstance(result.exception, AdvisorError), (result.exception, result.output)
        assert result.exception.exit_code == 2 and "\n" not in str(result.exception)
        return str(result.exception)
