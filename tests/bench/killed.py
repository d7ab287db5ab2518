"""kill -9 at a random moment, many times: the saved session must be whole, with every step that was finished before.

    python -m tests.bench.killed [--times 50] [--seed 1] [REPORT]

The real program runs on a pseudo-terminal (80×24) on a report, by default the bundled one. A step is finished when its
card stands on the screen; the next is typed then, and the kill comes at a random moment of some step: while it is
typed, worked on, drawn, saved, or at rest. Afterwards the file must be one that can be read, hold each finished step
with what was concluded, and be offered again. Prints a line a kill and the sums; exit 1 when any kill lost a step.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import random
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

from advisor.records import resources
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.autosave import unfinished

_START_S, _STEP_S = 60.0, 20.0
# What is typed, and words that stand in its card and nowhere else on the screen.
STEPS = (
    ("/whynot tail_effect", "Tail effect"),
    ("/whynot bank_conflicts", "Shared-memory bank conflicts"),
    *((f"/whatif dram_pct={value}", f"= {value}.0 %") for value in (20, 35, 40, 55, 70, 97)),
)


@dataclass
class Terminal:
    """The program on a pseudo-terminal."""

    process: int
    fd: int
    seen: str = ""

    @classmethod
    def start(cls, report: Path, home: Path) -> Terminal:
        """The program in a child process, with folders of its own."""
        process, fd = pty.fork()
        if process == 0:
            os.environ |= {"XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home)}
            os.environ |= {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
            os.execv(sys.executable, [sys.executable, "-m", "advisor", "open", str(report)])
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        return cls(process, fd)

    def read(self, seconds: float) -> bool:
        """Take what is drawn within so much time; whether anything was."""
        if not select.select([self.fd], [], [], max(0.0, seconds))[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data.decode("utf-8", "replace")
        return bool(data)

    def until(self, words: str, end: float) -> bool:
        """Wait until the words are drawn; whether they were before `end`."""
        while words not in self.seen:
            left = end - time.monotonic()
            if left <= 0:
                return False
            self.read(left)
        return True

    def type(self, text: str) -> None:
        """Type a line; what was drawn before it does not count."""
        self.seen = ""
        os.write(self.fd, text.encode() + b"\r")

    def kill(self) -> None:
        """kill -9."""
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.fd)


def once(report: Path, home: Path, chance: random.Random) -> tuple[int, int, str]:
    """One kill: steps finished before it, steps in the file, and what is wrong ('' if nothing)."""
    steps = chance.sample(STEPS, len(STEPS))
    terminal = Terminal.start(report, home)
    finished = 0
    try:
        if not terminal.until(" launches · ", time.monotonic() + _START_S):
            return 0, 0, "the program did not start"
        terminal.type("/kernel 1")
        if not terminal.until("launch 1 · ", time.monotonic() + _STEP_S):
            return 0, 0, "no launch was shown"
        finished = 1
        last, at = chance.randrange(0, len(steps)), chance.uniform(0.0, 0.6)
        for number, (line, words) in enumerate(steps):
            terminal.type(line)
            if number == last:
                end = time.monotonic() + at
                if terminal.until(words, end):
                    finished += 1
                    while time.monotonic() < end:
                        terminal.read(end - time.monotonic())
                break
            if not terminal.until(words, time.monotonic() + _STEP_S):
                return finished, 0, f"{line} was not shown"
            finished += 1
    finally:
        terminal.kill()
    return finished, *judged(home / "ncu-advisor" / "sessions")


def judged(place: Path) -> tuple[int, str]:
    """Steps in the file that was left, and what is wrong with it."""
    found = unfinished((), place)
    if len(found) != 1:
        return 0, f"{len(found)} sessions are offered"
    try:
        entries = serialize.load(found[0].path).entries
    except Exception as problem:
        return 0, str(problem)
    # A step that was worked on when the kill came has no conclusion yet; any before it must have one.
    without = [entry.event.verb for entry in entries[1:-1] if not entry.concluded]
    return len(entries) - 1, f"steps without a conclusion: {without}" if without else ""


def main() -> int:
    """Kill as often as asked; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("report", nargs="?", type=Path)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    report = given.report or resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"
    lost = wrong = steps = during = 0
    for number in range(given.times):
        with tempfile.TemporaryDirectory() as home:
            finished, kept, problem = once(report, Path(home), random.Random(given.seed * 1000 + number))
        missing = max(0, finished - kept)
        steps, lost, wrong = steps + finished, lost + missing, wrong + bool(problem)
        during += kept > finished
        print(f"{number + 1:3}: {finished} steps finished, {kept} in the file {problem}", flush=True)
    print(
        f"{given.times} kills: {steps} steps finished, {lost} lost, {wrong} files wrong; {during} times a step that was"
    )
    print("not yet drawn was saved already")
    return 1 if lost or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
