"""A report is read once in a run of the tests, by whichever worker needs it first.

Most tests are about what is concluded from a report, not about reading it, which takes half a second, and its
instructions over a second: NVIDIA's library prepares for that in each process. tests/readers and tests/faults read for
themselves, and so does every process that a test starts.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from advisor.readers import launch_code, parent, read
from tests.changed import replace

LARGEST = 16 << 20  # bytes
# Two readings at once would each take the other's stand-in for the real thing, and one would leave it behind.
_alone = threading.RLock()


class Here:
    """In the place of a child that reads a report: its job is done in this process."""

    _one = threading.Lock()
    alive = False  # so it is not kept for the next request

    def __init__(self, _: object) -> None:
        self._lines = deque[bytes]()
        self.pid = os.getpid()

    def send(self, line: bytes) -> None:
        from advisor.readers import child

        with self._one:
            child.run(json.loads(line), lambda message: self._lines.append(json.dumps(message).encode()))

    def read(self) -> tuple[bytes, bool] | None:
        return (self._lines.popleft(), True) if self._lines else None

    def allow(self, seconds: float) -> None:
        pass

    def close(self) -> None:
        pass


def once(key: str, make: Callable[[], Any]) -> Any:
    """What the first worker of this run made under a key, anew each time, so that no test sees another's changes."""
    place = Path(os.environ["XDG_CACHE_HOME"]) / "read-once" / hashlib.sha256(key.encode()).hexdigest()
    if not place.is_file():
        made = pickle.dumps(make())
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_suffix(f".{os.getpid()}")
        part.write_bytes(made)
        part.replace(place)
    return pickle.loads(place.read_bytes())


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """The folder of this name that the first worker of this run filled; the others wait for it and only read it."""
    place = Path(os.environ["XDG_CACHE_HOME"]) / "made-once" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(place.with_suffix(".lock")):
        if not place.is_dir():
            part = place.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)  # of a worker that failed
            part.mkdir()
            make(part)
            part.rename(place)
    return place


def _kept(path: Path, options: object, make: Callable[[], Any]) -> Any:
    """What was made of a file of this name and content."""
    if not path.is_file() or path.stat().st_size > LARGEST:
        return make()

    def made_here() -> Any:
        with _alone, pytest.MonkeyPatch.context() as patch:
            for module in (launch_code, parent, read):
                patch.setattr(module, "start_child", Here)
            return make()

    return once(repr((path.name, hashlib.sha256(path.read_bytes()).hexdigest(), options)), made_here)


def use(patch: pytest.MonkeyPatch) -> None:
    """Reports and their instructions are read once."""
    really, code = read.read, launch_code.CodeReader.read

    def read_once(path: Path, *, meanwhile: Any = None, progress: Any = None, report: int = 0, **options: Any) -> Any:
        if options.get("ptxas") is not None:
            return really(path, meanwhile=meanwhile, progress=progress, report=report, **options)
        limits = options.get("limits")
        chosen = {**options, "limits": limits and replace(limits, children=1)}
        found = _kept(
            Path(path), ("frame", sorted(chosen.items())), lambda: really(path, meanwhile=meanwhile, **options)
        )
        found.frame["report"] = report
        if progress is not None:
            progress("launches", len(found.frame), len(found.frame))
        return replace(found, info=replace(found.info, path=str(path)))

    def code_once(self: Any, index: int, names: Any, with_sass: bool = True) -> Any:
        options = ("code", index, list(names), with_sass, self._limits)

        def alone() -> Any:  # a child that was started for tests before would not be the stand-in
            with launch_code.CodeReader(self.path, self._limits) as reader:
                return code(reader, index, names, with_sass)

        return _kept(self.path, options, alone)

    for module in ("readers.read", "compare.compare", "cli.source", "practice.sweep"):
        patch.setattr(f"advisor.{module}.read", read_once)
    patch.setattr(launch_code.CodeReader, "read", code_once)
