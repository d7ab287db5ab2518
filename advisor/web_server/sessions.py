"""The processes of the served sessions: one for each open page, in a process group of its own, ended with the page."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from advisor.records.scratch import ScratchFolder

_QUIT_S: Final = 2.0  # seconds that a session has to end by itself, and then after SIGTERM
# Not passed on: settings of an editor, of Textual's developer tools, and those that make Python run other code.
_DROPPED: Final = ("VISUAL", "EDITOR", "TEXTUAL", "TEXTUAL_LOG", "PYTHONSTARTUP", "PYTHONINSPECT", "BROWSER")


class Session(AppService):
    """One session: textual-serve's protocol, with a command that no shell reads and an end that leaves nothing."""

    def __init__(self, command: Sequence[str], folder: Path, downloads: DownloadManager, **send: Any) -> None:
        """folder: its working folder; send: `write_bytes`, `write_str` and `close` of the WebSocket."""
        super().__init__(" ".join(command), download_manager=downloads, **send)
        self._command, self._folder = command, folder
        self._scratch: ScratchFolder | None = None
        self._stopped = False

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        found = super()._build_environment(width, height)
        kept = {name: value for name, value in found.items() if name not in _DROPPED}
        assert self._scratch is not None
        return {**kept, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._scratch.name)}

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        self._scratch = ScratchFolder()
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=self._folder,
            env=self._build_environment(width, height),
            start_new_session=os.name == "posix",
        )
        assert self._process.stdin is not None
        self._stdin = self._process.stdin
        return self._process

    async def stop(self) -> None:
        """End the process and those that it started; return when they are gone. A second call does nothing."""
        if self._stopped:
            return
        self._stopped = True
        process = self._process
        try:
            if process is not None and self._task is not None:
                await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
                with contextlib.suppress(OSError, TimeoutError):
                    await asyncio.wait_for(self.send_meta({"type": "quit"}), _QUIT_S)
                for number in (0, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
                    _signal(process, number)
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(process.wait(), _QUIT_S)
                        break
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._task, _QUIT_S)
        finally:
            if self._scratch is not None:
                await asyncio.to_thread(self._scratch.cleanup)


def _signal(process: Process, number: int) -> None:
    """Send a signal to the whole group of a process; 0 sends none."""
    if not number:
        return
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, number)
        else:
            process.kill()
