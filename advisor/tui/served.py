"""A session for a browser, started by `advisor.web_server`: Textual's web driver draws it, and it is confined."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
from textual.drivers.web_driver import WebDriver

from advisor.readers.kinds import DEMO, Opening, sort_out
from advisor.records import resources
from advisor.records.errors import AdvisorError
from advisor.records.guard import confine, is_within
from advisor.session.confined import confined
from advisor.session.executor import Executor, sources
from advisor.session.language.files import has_ending
from advisor.session.transcripts.attachments import Memory
from advisor.tui.app import AdvisorApp
from advisor.tui.opening import StartOptions, cases, theme_for

_MOST_LISTED: Final = 200  # reports of the folder on the start screen
_MOST_SEEN: Final = 5000  # entries of the folder and of those below it that are looked at
# Files that are listed; a folder of results has many texts, and a typed path opens any file.
_LISTED: Final = (".ncu-rep", ".ncu-repz", ".csv", ".sqlite", ".jsonl")
_READER: Final = "from advisor.readers.child import main; main()"


class Settings(msgspec.Struct, frozen=True):
    """What a session is started with, as JSON in its first argument. report: empty for the start screen."""

    root: str
    report: str = ""
    gpu: str = ""
    theme: str = ""
    predict: bool = False
    knowledge: tuple[str, ...] = ()


class _Driver(WebDriver):
    """The web driver with whole packets: the thread of the input sends downloads while the main thread sends frames."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._write = partial(_write_whole, threading.Lock(), self.fileno)


def _write_whole(lock: threading.Lock, fileno: int, data: bytes) -> int:
    """Write all of a packet before another thread writes; return its size in bytes."""
    left = memoryview(data)
    with lock:
        while left:
            left = left[os.write(fileno, left) :]
    return len(data)


class _ServedApp(AdvisorApp):
    """The app with exports that the browser downloads."""

    def get_driver_class(self) -> type[WebDriver]:
        return _Driver

    def deliver(self, name: str, text: str) -> None:
        """Send a file to the browser; called in the thread of a request."""
        file = io.BytesIO(text.encode("utf-8", "replace"))
        # With a type, since Textual would look for one in files of the system.
        kind = "application/octet-stream"
        self.call_from_thread(self.deliver_binary, file, save_filename=name, mime_type=kind)


def may_start(command: Sequence[str]) -> bool:
    """Return whether a command is the program's own reader of reports in a child process."""
    return command[:1] == [sys.executable] and "-c" in command and command[command.index("-c") + 1].endswith(_READER)


def listed(root: Path) -> tuple[str, ...]:
    """Return the reports, traces and saved sessions of a folder and of the folders in it, relative to it, by name."""
    found: list[str] = []
    seen = 0
    folders = [root]
    while folders:
        at = folders.pop(0)
        try:
            entries = sorted(os.scandir(at), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if seen > _MOST_SEEN or len(found) >= _MOST_LISTED:
                return tuple(found)
            if entry.name.startswith(".") or not entry.name.isprintable():
                continue
            if entry.is_dir(follow_symlinks=False):
                if at == root:
                    folders.append(Path(entry.path))
            elif has_ending(entry.name, _LISTED) and is_within(entry.path, root):
                found.append(str(Path(entry.path).relative_to(root)))
    return tuple(found)


def main() -> None:
    """Run the session until its browser leaves."""
    given = msgspec.json.decode(sys.argv[1], type=Settings)
    root, knowledge = Path(given.root), tuple(map(Path, given.knowledge))
    os.chdir(root)
    confine((root, *knowledge), may_start)
    memory = Memory(knowledge)
    live = memory.watching(sources(knowledge))
    opening = sort_out([given.report]) if given.report else Opening()
    try:
        bundled = cases(resources.folder("transcripts"))
    except AdvisorError:
        bundled = ()
    start = StartOptions(resources.folder("kernels") / DEMO, listed(root), cases=bundled, root=root)
    app = _ServedApp(
        Executor(confined(live, root, memory, lambda name, text: app.deliver(name, text))),
        opening.reports,
        traces=opening.traces,
        gpu=given.gpu,
        theme=theme_for(given.theme, "", os.environ),
        predict=given.predict,
        start_options=None if opening.reports or opening.traces else start,  # a saved session is one of its choices
    )
    sys.exit(app.run())
