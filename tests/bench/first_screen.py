"""How soon the session is there: `python -m tests.bench.first_screen [REPORT…]`, on a pseudo-terminal of 80 x 24.

Prints, for `demo` and for each report given, the seconds from the start of the process to the first screen, to the list
of launches (or the only launch), and from a key to the screen that it leads to; median and largest of five runs.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

RUNS = 5
PATIENCE = 60.0
FIRST = b"ncu-advisor"
READY = (b" launches, in ", b"Class")  # the line under the list; a card of the only launch
OPENED = (b"from the nearest threshold", b"Fix first", b"Nothing to fix", b"What next")


def wait_for(terminal: int, texts: tuple[bytes, ...], since: float) -> float:
    """Seconds from `since` until one of the texts stands in the output."""
    seen = b""
    while time.perf_counter() - since < PATIENCE:
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65536)
            plain = strip(seen)
            if any(text in plain for text in texts):
                return time.perf_counter() - since
    raise TimeoutError(f"none of {texts} within {PATIENCE} s; the output ends with {strip(seen)[-300:]!r}")


def strip(data: bytes) -> bytes:
    """The output without its escape sequences."""
    return re.sub(rb"\x1b(\[[0-?]*[ -/]*[@-~]|[()][0-9A-B]|[=>PX^_].*?\x1b\\|\][^\x07]*\x07)", b"", data)


def once(arguments: list[str]) -> tuple[float, float, float]:
    """First screen, list of launches, and the opening of the first launch, in seconds."""
    mine, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "advisor", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        first = wait_for(mine, (FIRST,), start)
        ready = wait_for(mine, READY, start)
        time.sleep(0.2)
        pressed = time.perf_counter()
        os.write(mine, b"\r")
        opened = wait_for(mine, OPENED, pressed)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(mine)
    return first, ready, opened


def main() -> None:
    """Print the table."""
    print(f"{'':<32} {'first screen':>18} {'launches':>18} {'key to card':>18}   median and largest of {RUNS}, s")
    for arguments in [["demo"]] + [["open", path] for path in sys.argv[1:]]:
        columns = zip(*(once(arguments) for _ in range(RUNS)), strict=True)
        cells = [f"{statistics.median(times):8.3f} {max(times):8.3f}" for times in columns]
        print(f"{Path(arguments[-1]).name:<32} {'  '.join(cells)}")


if __name__ == "__main__":
    main()
