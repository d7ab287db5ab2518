"""Every signal at every moment of a run: `python -m tests.bench.signals [--times 1] [--scene NAME]`.

The real program runs with a temporary folder of its own, and is sent INT, TERM, HUP, QUIT and PIPE while it starts,
unpacks, reads, reasons, waits in a session, and runs a kernel that never ends. For PIPE the reader of the output goes
away first: the terminal, where there is one. Afterwards no process and no folder may be left, the terminal must be as
it was, and the exit code 128 + the signal's number (minus the number before the program can handle signals).
Prints a line for each run; exit 1 when anything was left.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.records import resources
from advisor.records.child import schedule_of

REPORT = resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"
SIGNALS = ("INT", "TERM", "HUP", "QUIT", "PIPE")
MOST_S = 12.0
_LONGEST_S = 60.0  # on a machine that is busy with other things
_TRIES = 5
_MARK = "NCU_ADVISOR_BENCH"
# When its terminal or its reader is gone: done, refused, by SIGPIPE, or as if hung up.
_GONE = {0, 2, 141, 129}
_MODES = (1049, 1000, 1002, 1003, 1006, 1004, 2004)
_ROOT = Path(__file__).resolve().parents[2]
_PRACTICE = """
import sys
from pathlib import Path
from advisor.cli.main import main
from advisor.records import resources
real, kernels = resources.folder, Path(sys.argv.pop(1))
resources.folder = lambda name: kernels if name == "kernels" else real(name)
main()
"""
# The real program, in which one function is called again and again: on any machine the signal comes while it works.
_AGAIN = """
import importlib, sys
from advisor.cli.main import main
module, _, name = sys.argv.pop(1).partition(":")
module = importlib.import_module(module)
real = getattr(module, name)

def again(*given, **options):
    while True:
        real(*given, **options)

setattr(module, name, again)
main()
"""


@dataclass
class Run:
    """One run of the program. place: its temporary folder; terminal: whether it has one."""

    arguments: list[str]
    home: Path
    terminal: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    seen: bytes = b""

    def __post_init__(self) -> None:
        self.place = self.home / "tmp"
        self.place.mkdir(parents=True, exist_ok=True)
        self.mark = uuid.uuid4().hex
        folders = {f"XDG_{name}_HOME": str(self.home / "xdg") for name in ("DATA", "CONFIG", "CACHE")}
        more = {"TMPDIR": str(self.place), _MARK: self.mark, "TERM": "xterm-256color"} | folders | self.environment
        paths = (str(_ROOT), more.get("PYTHONPATH", ""), os.environ.get("PYTHONPATH", ""))
        more["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        environment = {**os.environ, **more}
        command = [sys.executable, *self.arguments]
        if self.terminal:
            self.ours, self.theirs = pty.openpty()
            fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            self.before = termios.tcgetattr(self.theirs)
            streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), self.theirs)
        else:
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen(command, env=environment, start_new_session=True, **streams)
        if not self.terminal:
            assert self.process.stdout is not None
            self.ours = self.process.stdout.fileno()
        os.set_blocking(self.ours, False)

    def read(self, seconds: float = 0.02) -> None:
        """Take what was written."""
        if select.select([self.ours], [], [], seconds)[0]:
            with contextlib.suppress(OSError):
                self.seen += os.read(self.ours, 1 << 16)

    def until(self, there: Callable[[Run], bool], seconds: float = 60.0) -> bool:
        """Wait for a moment; False where the program ended before it."""
        end = time.monotonic() + seconds
        while not there(self):
            if self.process.poll() is not None or time.monotonic() > end:
                return False
            self.read(0.002)
        return True

    def files(self, pattern: str) -> list[Path]:
        """What lies in its temporary folders."""
        return list(self.place.glob(pattern))

    def send(self, name: str) -> None:
        """A signal; before PIPE the reader of the output goes."""
        if name == "PIPE":
            if self.terminal:
                os.close(self.theirs)
                os.close(self.ours)
            else:
                assert self.process.stdout is not None
                self.process.stdout.close()
        self.process.send_signal(getattr(signal, f"SIG{name}"))

    def ended(self, name: str) -> tuple[int | None, float]:
        """Exit code and seconds; None where it had to be killed."""
        start, used = time.monotonic(), schedule_of(self.process.pid)[1]
        while self.process.poll() is None and (time.monotonic() - start < MOST_S or self._starves(start, used)):
            if name == "PIPE":
                time.sleep(0.02)
            else:
                self.read()
        seconds = time.monotonic() - start
        code = self.process.poll()
        if name != "PIPE":
            self.read(0)
        return code, seconds

    def _starves(self, start: float, used: float) -> bool:
        """Whether others keep the program from ending: it would run, and has had less than half of the limit."""
        state, now = schedule_of(self.process.pid)
        return state in ("R", "D") and now - used < MOST_S / 2 and time.monotonic() - start < _LONGEST_S

    def wrong_modes(self) -> list[str]:
        """What is not as it was in the terminal."""
        on: dict[int, bool] = {}
        for modes, letter in re.findall(rb"\x1b\[\?([\d;]+)([hl])", self.seen):
            on.update({int(mode): letter == b"h" for mode in modes.split(b";")})
        wrong = [f"mode {mode} left on" for mode in _MODES if on.get(mode)]
        wrong += ["cursor hidden"] if on.get(25) is False else []
        return wrong + ([] if termios.tcgetattr(self.theirs) == self.before else ["terminal left raw"])

    def left_over(self) -> list[str]:
        """Processes, after three seconds in which they may end, and files; a killed one needs the processor to end."""
        end = time.monotonic() + 3.0
        longest = end + _LONGEST_S
        begun = {pid: schedule_of(pid)[1] for pid in processes(self.mark)}
        while found := processes(self.mark):
            now = time.monotonic()
            kept = [schedule_of(pid) for pid in found]
            starve = all(
                state in ("R", "D") and used - begun.get(pid, 0.0) < 0.5
                for pid, (state, used) in zip(found, kept, strict=True)
            )
            if now > longest or (now > end and not starve):
                break
            time.sleep(0.05)
        wrong = [f"process {pid} left" for pid in found]
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return wrong + [f"left {path.name}" for path in self.place.iterdir()]

    def close(self) -> None:
        """Whatever happened: no process stays."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.terminal:
            for handle in (self.ours, self.theirs):
                with contextlib.suppress(OSError):
                    os.close(handle)
        elif self.process.stdout is not None:
            self.process.stdout.close()


def processes(mark: str) -> list[int]:
    """The processes that have the mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and f"{_MARK}={mark}".encode() in (path / "environ").read_bytes():
                found.append(int(path.name))
    return found


def _advisor(*arguments: str) -> list[str]:
    return ["-m", "advisor", *arguments]


def _start(home: Path) -> Run:
    run = Run(_advisor("demo"), home, terminal=True)
    run.until(lambda _: False, 0.05 + (int(run.mark[:4], 16) / 0xFFFF) * 1.2)
    return run


def _again(home: Path, function: str, *arguments: str) -> Run:
    program = home / "again.py"
    program.write_text(_AGAIN)
    return Run([str(program), function, *arguments], home)


def _unpacking(home: Path) -> Run:
    run = _again(home, "advisor.reasoning.diagnose:read_many", "diagnose", str(REPORT))
    run.until(lambda r: bool(r.files("*/unpacked")))
    return run


def _reading(home: Path) -> Run:
    run = _again(home, "advisor.reasoning.diagnose:read_many", "diagnose", str(REPORT))
    run.until(lambda r: bool(r.files("*/*.ncu-rep")))
    return run


def _reasoning(home: Path) -> Run:
    run = _again(home, "advisor.cli.diagnose:analyse_frame", "diagnose", str(REPORT), "--jobs", "2")
    run.until(lambda r: bool(r.files("*/unpacked")))
    run.until(lambda r: not r.files("*"))
    run.until(lambda _: False, 0.1)
    return run


def _session(home: Path) -> Run:
    run = Run(_advisor("demo"), home, terminal=True)
    run.until(lambda r: b"Register spilling" in r.seen)
    run.until(lambda _: False, 1.0)
    return run


def _session_reading(home: Path) -> Run:
    run = Run(_advisor("open", str(REPORT)), home, terminal=True)
    run.until(lambda r: bool(r.files("*/unpacked")))
    return run


def _replay(home: Path) -> Run:
    transcript = next(iter(sorted(resources.folder("transcripts").glob("*.jsonl"))))
    run = Run(_advisor("replay", str(transcript)), home, terminal=True)
    run.until(lambda r: b"\x1b[?1049h" in r.seen)
    run.until(lambda _: False, 2.0)
    return run


def _triage(home: Path) -> Run:
    folder = home / "reports"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.ncu-rep.xz").symlink_to(REPORT) if number == 0 else (
            folder / f"{number}.ncu-rep.xz"
        ).write_bytes(REPORT.read_bytes())
    run = Run(_advisor("triage", str(folder), "--jobs", "2"), home)
    run.until(lambda r: len(r.files("*/unpacked")) > 0)
    return run


def _kernel(home: Path) -> Run:
    sys.path.insert(0, str(_ROOT / "tests" / "practice"))
    sys.path.insert(0, str(_ROOT / "tests"))
    import learner
    from standin_runs import STANDIN, source

    kernels = learner.kernels(home / "kernels")
    program = home / "practice.py"
    program.write_text(_PRACTICE)
    environment = {"PYTHONPATH": str(STANDIN)}
    start = Run([str(program), str(kernels), "practice", "start", learner.NAME], home, environment=environment)
    start.until(lambda _: False, 30.0)
    start.close()
    running = home / "running.npy"
    (edited,) = (home / "xdg").rglob("*.cu")
    edited.write_text(source(f"np.save({str(running)!r}, 0); errors.forever()"))
    run = Run([str(program), str(kernels), "practice", "check", learner.NAME], home, environment=environment)
    run.until(lambda _: running.exists())
    return run


SCENES: dict[str, Callable[[Path], Run]] = {
    "start": _start,
    "unpacking": _unpacking,
    "reading": _reading,
    "reasoning": _reasoning,
    "session idle": _session,
    "kernel running": _kernel,
    "session reading": _session_reading,
    "replay": _replay,
    "triage": _triage,
}


def once(scene: str, name: str) -> tuple[int | None, float, list[str]]:
    """One run: its exit code, the seconds that it took to end, and all that is wrong.

    On a busy machine the program may be done before the signal is sent: then it runs again.
    """
    for _ in range(_TRIES - 1):
        found = _once(scene, name)
        if found is not None:
            return found
    return _once(scene, name) or (0, 0.0, [f"ended by itself before the signal, {_TRIES} times"])


def _once(scene: str, name: str) -> tuple[int | None, float, list[str]] | None:
    with tempfile.TemporaryDirectory() as folder:
        run = SCENES[scene](Path(folder))
        try:
            early = run.process.poll()
            if early == 0:
                return None
            if early is not None:
                return early, 0.0, [f"ended by itself with {early} before the signal: {run.seen[-300:]!r}"]
            run.send(name)
            code, seconds = run.ended(name)
            wrong = [] if code is not None else ["did not end"]
            number = int(getattr(signal, f"SIG{name}"))
            fine = _GONE if name == "PIPE" else {128 + number}
            if scene == "start":
                fine = fine | {-number}
            if code is not None and code not in fine:
                wrong.append(f"exit code {code}")
            if b"Traceback" in run.seen:
                wrong.append(f"traceback: {run.seen[run.seen.index(b'Traceback') :][-2000:].decode(errors='replace')}")
            if run.terminal and name != "PIPE" and code is not None:
                wrong += run.wrong_modes()
            return code, seconds, wrong + run.left_over()
        finally:
            run.close()


def main() -> int:
    """Prints the table; 1 if anything was left or wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--scene", choices=SCENES, action="append")
    parser.add_argument("--signal", choices=SIGNALS, action="append")
    given = parser.parse_args()
    # A shell starts a background job with these ignored, and programs that it starts inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("QUIT", "HUP"):
        signal.signal(getattr(signal, f"SIG{name}"), signal.SIG_DFL)
    runs = bad = 0
    slowest = 0.0
    for scene in given.scene or SCENES:
        for name in given.signal or SIGNALS:
            for _ in range(given.times):
                code, seconds, wrong = once(scene, name)
                runs, bad, slowest = runs + 1, bad + bool(wrong), max(slowest, seconds)
                print(f"{scene:16} {name:5} exit {code!s:5} {seconds:6.2f} s  {'; '.join(wrong)}", flush=True)
    print(f"{runs} runs, {bad} wrong, slowest end {slowest:.2f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
