"""A terminal that vanishes: `python -m tests.bench.vanished`. Seconds and processor time until the session has ended.

Each run has a terminal that closes at some moment, with and without a hang-up signal, as the controlling terminal or
not. The session must end within three seconds, or eight while it starts, and not be busy until then.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from advisor.records import resources

REPORT = str(resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz")
_MOST_S, _MOST_CPU_S, _GIVEN_UP_S = 8.0, 4.0, 20.0
RUNS: tuple[tuple[tuple[str, ...], float, bytes], ...] = (
    *((("open", REPORT), wait, b"") for wait in (0.3, 0.8, 1.2, 1.6, 2.0, 3.0)),
    (("demo",), 6.0, b""),
    (("demo",), 6.0, b"/why is it slow\r"),
    ((), 4.0, b""),
    (("replay", "lattice-collision"), 4.0, b""),
)


def _processor(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
        found = file.read().rpartition(")")[2].split()
    return (int(found[11]) + int(found[12])) / os.sysconf("SC_CLK_TCK")


def once(arguments: tuple[str, ...], wait: float, typed: bytes, silent: bool, controls: bool) -> tuple[float, float]:
    """Seconds and processor seconds after the terminal closed; silent: the signal is ignored."""

    def prepare() -> None:
        os.setsid()
        if controls:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        if silent:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with tempfile.TemporaryDirectory() as home:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        folders = {f"XDG_{name}_HOME": home for name in ("DATA", "CONFIG", "CACHE")}
        process = subprocess.Popen(
            [sys.executable, "-m", "advisor", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            preexec_fn=prepare,
            env={**os.environ, **folders, "TERM": "xterm-256color"},
        )
        os.close(theirs)
        end = time.monotonic() + wait
        while time.monotonic() < end:
            if select.select([ours], [], [], 0.05)[0]:
                with contextlib.suppress(OSError):
                    os.read(ours, 1 << 16)
        if typed:
            os.write(ours, typed)
        before = now = _processor(process.pid)
        os.close(ours)
        start = time.monotonic()
        while process.poll() is None and time.monotonic() - start < _GIVEN_UP_S:
            with contextlib.suppress(OSError):
                now = _processor(process.pid)
            time.sleep(0.05)
        seconds = time.monotonic() - start
        process.kill()
        process.wait()
        return seconds, now - before


def main() -> int:
    """Prints a line for each run; 1 if any took too long or was busy."""
    bad = runs = 0
    for arguments, wait, typed in RUNS:
        for silent, controls in ((True, True), (True, False), (False, True)):
            seconds, busy = once(arguments, wait, typed, silent, controls)
            wrong = seconds > _MOST_S or busy > _MOST_CPU_S
            runs, bad = runs + 1, bad + wrong
            words = " ".join(arguments).replace(REPORT, "REPORT")
            signals = "no signal" if silent else "hang-up"
            print(
                f"{words:26} after {wait:3.1f} s  {signals:9} {'controls' if controls else 'input only':10} "
                f"ended in {seconds:5.1f} s, busy {busy:4.1f} s  {'WRONG' if wrong else ''}",
                flush=True,
            )
    print(f"{runs} runs, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
