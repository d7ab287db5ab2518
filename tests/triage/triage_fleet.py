"""Small fleets of reports for the tests of triage, and processes that die or hang over certain files."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from concurrent.futures import Future
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
    """The JSON of a whole run, with no state file unless a state is given."""
    with triage([folder], **{"keep_state": "state" in options, "jobs": 1, **options}) as result:
        return document(result)


class Here:
    """Reads in this process, one file at a time: for what does not depend on who reads."""

    room = 2

    def __init__(self, _: int, settings: bytes) -> None:
        self._settings = settings

    def submit(self, path: str, label: str) -> Future[bytes]:
        future: Future[bytes] = Future()
        future.set_result(examine_packed(path, label, self._settings))
        return future

    def part(self, future: Future[bytes]) -> Part:
        return msgspec.msgpack.decode(future.result(), type=Part)

    def stop(self) -> None:
        """Nothing is running."""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process."""
    monkeypatch.setattr(run, "Processes", Here)


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
from pathlib import Path
sys.path[:0] = sys.argv.pop(1).split(os.pathsep)
from advisor.triage import one_file
before = one_file.examine_packed
def examine(path, label, settings):
    mark = Path(path).with_suffix(".mark")
    if "silent" in Path(path).name:
        sys.stdin.buffer.read(1)  # which never comes
    if "deadly" in Path(path).name or ("once" in Path(path).name and mark.exists()):
        mark.unlink(missing_ok=True)
        os._exit(9)
    return before(path, label, settings)
one_file.examine_packed = examine
one_file.main()
"""


def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read by processes that run WORKER."""
    made = run.python_command

    def command(module: str) -> list[str]:
        line = made(module)
        line[line.index("-c") + 1] = WORKER
        return line

    monkeypatch.setattr(run, "python_command", command)
