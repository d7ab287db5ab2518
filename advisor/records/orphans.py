"""End a child process together with its parent, so that a hanging child never outlives the program."""

from __future__ import annotations

import contextlib
import signal
import sys

_PDEATHSIG = 1


def end_with_parent() -> None:
    """Make the system end this process when the thread that started it ends (Linux); no effect elsewhere."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
