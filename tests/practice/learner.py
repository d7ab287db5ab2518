"""A learner at a machine that is none: one exercise, the stand-in CuPy in the child, commands through click."""

from __future__ import annotations

import functools
import io
import lzma
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from standin_runs import CASE, RIGHT, STANDIN, source

from advisor.cli import main
from advisor.practice import manifest, readings
from advisor.practice.state import Record, Store
from advisor.records import resources
from advisor.records.errors import AdvisorError

NAME = "doubling"
TOUR = resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"
# Launches of the bundled report whose first finding is sure: bank conflicts, and a kernel near its roofline.
TILE, DONE = 4, 21
MANIFEST = """
number: 1
title: A vector doubled
story: Doubles each element of a vector, and takes its time about it.
diagnosis: bank_conflicts
step: "3"
level: 1
licence: MIT
cites: [guide.step3.bank]
napkin:
  - {what: Bytes through DRAM, how: Each element is read once and written once., is: 32 KB}
hints: [Look., Look again., It is the tile.]
quiz:
  - ask: What is two times two?
    answers:
      - {text: four, because: It is., right: true}
      - {text: five, because: It is not.}
steps:
  - {id: slow, source: 1-slow.cu, title: The slow one, says: It is slow., expect: bank_conflicts}
  - id: fast
    source: 2-fast.cu
    title: The fast one
    says: It is fast.
    expect: EXPECTED
    gain: {over: slow, at_least: 1.5}
explanation: It was slow because of its banks.
"""


# Slower than the kernel, so that the kernel's rate counts.
DRIVER_COPY = """
def prepare(xp, data, out, n, kernel):
    def run():
        out["y"][:] = data["x"] * 2
        xp.cuda.spend(50)
    return run
"""


def steps() -> dict[str, str]:
    """The bundled sources: 20 us and 10 us on the stand-in's clock."""
    return {
        "1-slow.cu": source(RIGHT, "// microseconds scale: 20"),
        "2-fast.cu": source(RIGHT, "// microseconds scale: 10"),
    }


def kernels(folder: Path, expected: str = "near_compute_roofline", case: str = CASE) -> Path:
    """A kernels folder with one sound exercise, and ceilings that the stand-in can measure."""
    home = folder / NAME
    home.mkdir(parents=True)
    (home / "exercise.yaml").write_text(MANIFEST.replace("EXPECTED", expected), encoding="utf-8")
    (home / "case.py").write_text(case, encoding="utf-8")
    for name, text in steps().items():
        (home / name).write_text(text, encoding="utf-8")
    ceilings = folder / "ceilings"
    ceilings.mkdir()
    for name in ("read", "copy", "fp32", "fp64"):
        (ceilings / f"{name}.py").write_text(case, encoding="utf-8")
        (ceilings / f"{name}.cu").write_text(source(), encoding="utf-8")
    (ceilings / "driver_copy.py").write_text(DRIVER_COPY, encoding="utf-8")
    return folder


def use(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Put a kernels folder in the place of the bundled one."""
    real = resources.folder
    monkeypatch.setattr("advisor.records.resources.folder", lambda name: folder if name == "kernels" else real(name))
    forget()


def forget() -> None:
    """What was read of another kernels folder."""
    manifest.names.cache_clear()
    manifest.exercise.cache_clear()
    for cached in (readings.reading_names, readings.load_reading, readings.readings):
        cached.cache_clear()


@functools.cache
def tour() -> bytes:
    """The bundled report, not packed."""
    return lzma.decompress(TOUR.read_bytes())


@functools.cache
def cut(*launches: int) -> bytes:
    """A real report of some launches of the bundled one, in the order of that."""
    from advisor.readers.container import extract, walk

    data, out = tour(), io.BytesIO()
    extract(data, walk(data), frozenset(launches), out)
    return out.getvalue()


@dataclass
class Learner:
    """What a learner does. `data`: the data folder; `env`: of the stand-ins, see standin/."""

    data: Path
    monkeypatch: pytest.MonkeyPatch

    def environment(self, **values: str) -> None:
        for name, value in values.items():
            self.monkeypatch.setenv(name, value)

    def says(self, *args: str) -> Result:
        """The command as it is; an error that a user sees is in `exception`."""
        return CliRunner().invoke(main.cli, ["practice", *args], standalone_mode=False)

    def does(self, *args: str, code: int = 0) -> str:
        """What a command prints, which must end with `code`; nothing is wider than the terminal but paths."""
        result = self.says(*args)
        assert result.exception is None, result.exception
        assert result.return_value == code, result.output
        wide = [line for line in result.output.splitlines() if len(line) > 80 and "/" not in line]
        assert wide == []
        return result.output

    def fails(self, *args: str) -> str:
        """The one line of an error with exit code 2: raised, or told on stderr."""
        result = self.says(*args)
        if result.exception is None:
            assert result.return_value == 2, result.output
            return result.stderr
        assert isinstance(result.exception, AdvisorError), result.exception
        assert "\n" not in str(result.exception)
        return str(result.exception)

    def edits(self, text: str) -> Path:
        """Starts the exercise, once, and writes a source into it."""
        self.does("start", NAME)
        path = Path(self.record.folder) / "a-vector-doubled.cu"  # named after the title
        path.write_text(text, encoding="utf-8")
        return path

    @property
    def record(self) -> Record:
        return Store(self.data).record(NAME)


def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: str = "near_compute_roofline") -> Learner:
    """A learner whose machine has the stand-in CuPy and ncu."""
    use(monkeypatch, kernels(tmp_path / "kernels", expected))
    data = tmp_path / "data"
    monkeypatch.setattr("advisor.records.resources.user_data", lambda: data)
    learner = Learner(data, monkeypatch)
    learner.environment(PYTHONPATH=str(STANDIN), STANDIN_LOG=str(tmp_path / "log"))
    monkeypatch.setattr("advisor.practice.profiling.find_ncu", lambda env=None: STANDIN / "ncu")
    monkeypatch.setattr("advisor.cli.practice_gpu.find_ncu", lambda: STANDIN / "ncu")
    return learner
