"""End a child process together with its parent, so that a hanging child never outlives the program."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """Make the system end this process when the thread that started it ends (Linux); no effect elsewhere.

    parent: the process that started it. If that has ended already, no signal would come, so this one ends at once.
    """
    if sys.platform != "linux":
        return
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
