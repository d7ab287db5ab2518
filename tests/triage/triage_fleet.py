"""Small fleets of reports for the tests of triage, and processes that die or hang over certain files."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from advisor.triage import run
from advisor.triage.one_file import Part, examine_packed
from advisor.triage.results import Triage, TriageDocument
from advisor.triage.run import Progress, triage
from advisor.view.writers.json import document_parts
from tests.bench.triage.generate import raw_rows, table

LAUNCHES = 3


def fleet(folder: Path, count: int) -> list[Path]:
    """So many raw CSV files of three launches each, no two alike."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = raw_rows()
    out = []
    for number in range(count):
        out.append(folder / f"run{number:02}.csv")
        out[-1].write_text(table(rows, random.Random(number), LAUNCHES))
    return out


def document(result: Triage) -> dict[str, Any]:
    """The JSON of a result."""
    found: dict[str, Any] = json.loads("".join(document_parts(TriageDocument, result.document(None, ()))))
    return found


def outcome(folder: Path, **options: Any) -> dict[str, Any]:
    """The JSON of a whole run, with a ledger in memory unless a state is given."""
    with triage([folder], **{"keep_state": "state" in options, "jobs": 1, **options}) as result:
        return document(result)


class Here:
    """Reads in this process, one file after the other: for what does not depend on who reads."""

    room = 2

    def __init__(self, _: int, settings: bytes) -> None:
        self._settings = settings
        self._waiting: list[tuple[int, str, str]] = []

    def put(self, number: int, path: str, label: str) -> None:
        self._waiting.append((number, path, label))

    def get(self, _: float) -> tuple[int, Part]:
        number, path, label = self._waiting.pop(0)
        return number, msgspec.msgpack.decode(examine_packed(path, label, self._settings), type=Part)

    def stop(self) -> None:
        self._waiting.clear()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process."""
    monkeypatch.setattr(run, "Pool", Here)


class Stop:
    """Ends a run from inside, as Ctrl-C does, once so many files are done; without a number only listens."""

    def __init__(self, after: int | None = None) -> None:
        self.after = after
        self.seen: list[Progress] = []

    def __call__(self, progress: Progress) -> None:
        self.seen.append(progress)
        if self.after is not None and progress.files_done >= self.after:
            raise KeyboardInterrupt


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of six reports."""
    folder = tmp_path_factory.mktemp("fleet") / "reports"
    fleet(folder, 6)
    yield folder


# A process that looks at the path first: DEADLY kills it always, ONCE while its mark is there, SILENT never answers.
WORKER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from advisor.triage import workers as worker
before = worker._answer
def answer(task, settings):
    name = Path(task.path).name
    mark = Path(task.path).with_suffix(".mark")
    if "silent" in name:
        sys.stdin.buffer.read(1)  # which never comes
    if "deadly" in name or ("once" in name and mark.exists()):
        mark.unlink(missing_ok=True)
        os._exit(9)
    return before(task, settings)
worker._answer = answer
worker.main()
"""
