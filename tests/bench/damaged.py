"""Damaged inputs of every kind that is read, each in a process of its own: `python -m tests.bench.damaged`.

    python -m tests.bench.damaged [--count 3000] [--seed 1] [--jobs 2] [--real DIR] [--kind KIND]... [--keep DIR]
                                   [--results FILE]
    python -m tests.bench.damaged --reports

Each input is given to a command of the program in a fork of a process that has imported everything; one in twenty is
given to a whole new process, under another locale each time. No command may show a traceback, take over 30 s of
processor time or 100 s, hold over 2 GB in any of its processes, or write over three lines on stderr; a document with
fewer launches, or fewer values of them, than the whole file gives must be marked incomplete. Prints each failure, a
table by kind, one by kind and damage, and the costliest inputs. --real: more whole files to damage, in folders ncu-rep,
ncu-csv, ncu-text, nsys-csv, nsys-sqlite, nsys-text; --keep: a folder for the inputs that failed; --results: JSON lines
of what came of each input; an input that the file already has is not run again, so an interrupted run goes on where it
was.

--reports: only the 200 reports of tests/damaged.py, and whether each is refused or read as incomplete. Columns:
outcome, wall seconds of the whole process, peak memory in MB (of the process and twice the largest of its children,
which run two at a time), the kind of damage, the line shown.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.damaged import inputs
from tests.damaged_kinds import KINDS, Case, cases

_LIMIT_S = 60
_READER = """
import json, resource, sys
from pathlib import Path
from advisor.records.errors import InputError
from advisor.readers.read import read
try:
    found = read(Path(sys.argv[1]))
    said = " | ".join(found.info.problems)
    outcome = "COMPLETE" if found.info.complete else f"incomplete, {len(found.frame)} read"
except InputError as error:
    outcome, said = "refused", str(error)
own, children = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({"outcome": outcome, "said": said, "peak_mb": (own + 2 * children) / 1024}))
"""


def read_one(path: Path) -> dict[str, Any]:
    """Reads one file in a fresh process: outcome, said, seconds, peak_mb."""
    start = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, "-c", _READER, str(path)], capture_output=True, text=True, timeout=_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return {"outcome": "HUNG", "said": "", "seconds": float(_LIMIT_S), "peak_mb": 0.0}
    seconds = time.perf_counter() - start
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        return {"outcome": "CRASHED", "said": said[0], "seconds": seconds, "peak_mb": 0.0}
    return {**json.loads(done.stdout), "seconds": seconds}


# Of processor time, which other work on the machine does not lengthen; and of wall time, for what only waits.
_MOST_S, _MOST_WALL_S, _MOST_MB, _MOST_LINES = 30.0, 100.0, 2048.0, 3
_WHOLE_PROCESS = 20  # one in so many
_LOCALES = (
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C.UTF-8"},
    {"LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.ISO-8859-1", "PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "", "LANG": "nowhere", "COLUMNS": "20", "TERM": "dumb"},
)
# Forks a process for each line of standard input, a JSON list: folder for the outcome, then the command line.
_FORKS = """
import gc, json, os, resource, sys, threading, time
from advisor.cli.main import main
from advisor.knowledge.base import catalog
from advisor.records import scratch
import advisor.reasoning.diagnose, advisor.timeline.analyse, advisor.lint.lint, advisor.readers.read
import advisor.session.transcripts.player, advisor.view.writers.sarif, advisor.view.writers.markdown, pandas, sqlite3
known = catalog()
parts = (known.metrics, known.observations, known.findings, known.classes, known.questions, known.sources)
sizes = [len(part) for part in parts]
scratch.sweep = lambda: 0
gc.freeze()
print("ready", flush=True)
for line in sys.stdin:
    folder, *arguments = json.loads(line)
    child = os.fork()
    if child == 0:
        os.setsid()
        for number, name in ((0, os.devnull), (1, f"{folder}/out"), (2, f"{folder}/err")):
            os.dup2(os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["ncu-advisor", *arguments]
        sys.stdin = open(0, closefd=False)
        sys.stdout, sys.stderr = (open(n, "w", encoding="utf-8", errors="replace", closefd=False) for n in (1, 2))
        code = 70
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            import traceback
            traceback.print_exc()
        for stream in (sys.stdout, sys.stderr):
            stream is not None and stream.flush()
        own, below = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        busy = own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime
        with open(f"{folder}/done", "w") as file:
            json.dump([code, max(own.ru_maxrss, below.ru_maxrss) / 1024, busy], file)
        scratch.remove_all()
        os._exit(0)
    print(child, flush=True)
    deadline = time.monotonic() + 120
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.005)
        if time.monotonic() > deadline:
            os.killpg(child, 9); os.waitpid(child, 0)
            break
    print("ended", flush=True)
"""


@dataclass(frozen=True)
class Outcome:
    """What came of one case. wrong: '' where nothing is."""

    kind: str
    damage: str
    command: str
    code: int
    seconds: float
    peak_mb: float
    wrong: str
    said: str


class Forks:
    """Processes that fork one for each case; one for each thread."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._all: list[subprocess.Popen[str]] = []

    def prepare(self) -> subprocess.Popen[str]:
        """The process of this thread, started when it is first asked for."""
        process: subprocess.Popen[str] | None = getattr(self._local, "process", None)
        if process is None:
            process = subprocess.Popen(
                [sys.executable, "-c", _FORKS],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
            self._local.process = process
            self._all.append(process)
            assert process.stdout is not None
            process.stdout.readline()
        return process

    def run(self, arguments: Sequence[str], folder: Path) -> None:
        """The command in a fork, which writes to `folder`."""
        process = self.prepare()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps([str(folder), *arguments]) + "\n")
        process.stdin.flush()
        if not process.stdout.readline() or process.stdout.readline().strip() != "ended":
            raise RuntimeError("the process that forks has died")

    def close(self) -> None:
        """End them."""
        for process in self._all:
            process.kill()
            process.wait()


def _new_process(arguments: Sequence[str], folder: Path, locale: dict[str, str]) -> None:
    program = (
        "import json, resource, subprocess, sys\n"
        "done = subprocess.run([sys.executable, '-m', 'advisor', *sys.argv[2:]], stdin=subprocess.DEVNULL)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "found = [done.returncode, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime]\n"
        "json.dump(found, open(sys.argv[1] + '/done', 'w'))\n"
    )
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(folder), *arguments],
            stdout=out,
            stderr=err,
            start_new_session=True,
            env={**os.environ, **locale},
        )
        try:
            process.wait(_MOST_WALL_S + 15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def judge(case: Case, place: Path, locale: dict[str, str] | None, forks: Forks, keep: Path | None) -> Outcome:
    """Give one case to the program. locale: of a whole new process, None for a fork."""
    folder = Path(tempfile.mkdtemp(dir=place))
    try:
        inside = folder / "in"
        inside.mkdir()
        arguments = case.arguments(inside)
        forks.prepare()
        start = time.perf_counter()
        if locale is None:
            forks.run(arguments, folder)
        if locale is not None or time.perf_counter() - start > _MOST_WALL_S:
            # A fork of a process with threads (numpy and pyarrow start some) can wait for ever on a lock that one of
            # them held, so what took too long in a fork is judged by a process of its own.
            start = time.perf_counter()
            _new_process(arguments, folder, locale or {})
        seconds = time.perf_counter() - start
        code, peak, busy = -1, 0.0, 0.0
        with contextlib.suppress(OSError, ValueError):
            code, peak, busy = json.loads((folder / "done").read_text())
        err = (folder / "err").read_text("utf-8", "replace") if (folder / "err").exists() else ""
        out = (folder / "out").read_text("utf-8", "replace") if (folder / "out").exists() else ""
        wrong = [
            *(["traceback"] if "Traceback (most recent call last)" in err else []),
            *([f"{busy:.0f} s of processor time"] if busy > _MOST_S else []),
            *([f"{seconds:.0f} s"] if seconds > _MOST_WALL_S else []),
            *([f"{peak:.0f} MB"] if peak > _MOST_MB else []),
            *([f"{len(err.splitlines())} lines on stderr"] if len(err.splitlines()) > _MOST_LINES else []),
            *([f"exit code {code}"] if code not in (0, 1, 2, 3) else []),
            *(["characters that are not printed"] if not _all_printed(out, err) else []),
            *([lost] if code == 0 and (lost := _silently_lost(case, out, folder)) else []),
        ]
        if wrong and keep is not None:
            shutil.copytree(folder, keep / folder.name, symlinks=True, ignore=lambda _, names: _special(names))
            (keep / folder.name / "command").write_text(" ".join(arguments))
        said = (err.strip().splitlines() or [""])[-1]
        return Outcome(case.kind, case.damage, " ".join(case.command), code, seconds, peak, ", ".join(wrong), said)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ends_with_a_line(cut: bytes, whole: bytes) -> bool:
    """Whether a cut took only blanks of the line that it is in."""
    begun, rest = cut.rsplit(b"\n", 1)[-1], whole[len(cut) :].split(b"\n", 1)[0]
    return not begun.strip() or (whole.startswith(cut) and not rest.strip())


def _silently_lost(case: Case, out: str, folder: Path) -> str:
    """What the document lacks of the whole file without a word about it."""
    if case.whole is None or case.command[0] != "diagnose" or "json" not in case.command:
        return ""
    (damaged,), whole = (folder / "in").iterdir(), case.whole(folder)
    if (
        whole.suffix != ".ncu-rep"
        and case.damage == "cut"
        and _ends_with_a_line(damaged.read_bytes(), whole.read_bytes())
    ):
        return ""  # lines that are all whole, but for blanks: nothing shows that there were more
    found = json.loads(out)
    if any(one["problems"] or not one["complete"] for one in found["reports"]):
        return ""
    before, now = _amount(whole), _amount(damaged)
    if before is None or now is None or now >= before or (case.damage == "columns" and now[0] == before[0]):
        return ""
    return f"{now[0]} launches with {now[1]} values of {before[0]} with {before[1]} as if complete"


_AMOUNT = """
import sys
from pathlib import Path
from advisor.readers.read import read
found = read(Path(sys.argv[1])).frame
print(len(found), int(found.notna().sum().sum()))
"""
_amounts: dict[str, tuple[int, ...] | None] = {}


def _amount(path: Path) -> tuple[int, ...] | None:
    """Launches and values of a file, None if it cannot be read."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest not in _amounts:
        done = subprocess.run([sys.executable, "-c", _AMOUNT, str(path)], capture_output=True, text=True)
        _amounts[digest] = tuple(map(int, done.stdout.split())) if done.returncode == 0 else None
    return _amounts[digest]


def _special(names: list[str]) -> list[str]:
    return [name for name in names if name.startswith("special")]


def _all_printed(out: str, err: str) -> bool:
    return all(line.isprintable() for text in (out, err) for line in text.split("\n"))


def all_kinds(given: argparse.Namespace) -> int:
    """Prints failures and a table by kind; 1 if anything failed."""
    real = sorted(path for path in given.real.rglob("*") if path.is_file()) if given.real is not None else ()
    chosen = [case for case in cases(given.count, given.seed, real) if not given.kind or case.kind in given.kind]
    forks, found = Forks(), _earlier(given.results)
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as threads:

        def one(numbered: tuple[int, str, Case]) -> tuple[str, Outcome]:
            number, name, case = numbered
            turn, rest = divmod(number, _WHOLE_PROCESS)
            locale = _LOCALES[turn % len(_LOCALES)] if rest == 0 else None
            return name, judge(case, Path(folder), locale, forks, given.keep)

        try:
            for name, outcome in threads.map(one, _not_in(found, chosen, given.seed)):
                found[name] = outcome
                if given.results is not None:
                    with given.results.open("a") as file:
                        file.write(json.dumps({"input": name, **asdict(outcome)}) + "\n")
                if outcome.wrong:
                    print(f"{outcome.kind}, {outcome.damage}: {outcome.wrong}: {outcome.command}: {outcome.said[:200]}")
                    sys.stdout.flush()
        finally:
            forks.close()
    return _table(list(found.values()), given.seed, time.perf_counter() - begun)


def _earlier(results: Path | None) -> dict[str, Outcome]:
    if results is None or not results.exists():
        return {}
    read = [json.loads(line) for line in results.read_text().splitlines()]
    return {one.pop("input"): Outcome(**one) for one in read}


def _not_in(found: dict[str, Outcome], chosen: Sequence[Case], seed: int) -> list[tuple[int, str, Case]]:
    """The cases that are still to be run, each with its number and a name that is the same in every run."""
    numbers: Counter[str] = Counter()
    left = []
    for number, case in enumerate(chosen):
        name = f"{seed}/{case.kind}/{numbers[case.kind]}"
        numbers[case.kind] += 1
        if name not in found:
            left.append((number, name, case))
    return left


def _table(found: Sequence[Outcome], seed: int, seconds: float) -> int:
    for kind in KINDS:
        some = [outcome for outcome in found if outcome.kind == kind]
        if some:
            codes = ", ".join(f"{code}: {n}" for code, n in sorted(Counter(one.code for one in some).items()))
            slow, large = max(one.seconds for one in some), max(one.peak_mb for one in some)
            bad = sum(bool(one.wrong) for one in some)
            print(
                f"{kind:14} {len(some):5} inputs  wrong {bad:3}  slowest {slow:6.2f} s  {large:5.0f} MB  exit {codes}"
            )
    print(f"\n{'kind':14} {'damage':22} inputs refused  read  wrong  slowest")
    for kind, damage in dict.fromkeys((one.kind, one.damage) for one in found):
        some = [one for one in found if (one.kind, one.damage) == (kind, damage)]
        refused, read = (sum(one.code in codes for one in some) for codes in ((1, 2), (0, 3)))
        numbers = f"{len(some):6} {refused:7} {read:5} {sum(bool(one.wrong) for one in some):6}"
        print(f"{kind:14} {damage:22} {numbers} {max(one.seconds for one in some):7.2f} s")
    print("\nThe costliest:")
    for one in sorted(found, key=lambda one: -max(one.seconds / _MOST_S, one.peak_mb / _MOST_MB))[:5]:
        cost = f"{one.seconds:.1f} s, {one.peak_mb:.0f} MB"
        print(f"{one.kind}, {one.damage}: {cost}: {one.command}: {one.said[:150]}")
    bad = sum(bool(one.wrong) for one in found)
    print(f"\n{len(found)} inputs, the last of them in {seconds:.0f} s, seed {seed}: {bad} wrong")
    return 1 if bad else 0


def main() -> int:
    """The bench that is asked for; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--reports", action="store_true")
    given = parser.parse_args()
    return reports() if given.reports else all_kinds(given)


def reports() -> int:
    """Prints the table; 1 if anything crashed, hung, passed for whole, took 20 s or 1.5 GB."""
    outcomes: Counter[str] = Counter()
    worst_s = worst_mb = 0.0
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for item in inputs():
            path = item.write(Path(folder))
            found = read_one(path)
            path.unlink()
            fine = found["outcome"].startswith(("refused", "incomplete")) and "\n" not in found["said"]
            wrong += not (fine and found["seconds"] < 20 and found["peak_mb"] < 1536)
            worst_s, worst_mb = max(worst_s, found["seconds"]), max(worst_mb, found["peak_mb"])
            outcomes[found["outcome"].split(",")[0]] += 1
            cost = f"{found['seconds']:6.2f} {found['peak_mb']:7.0f}"
            print(f"{found['outcome']:20} {cost}  {item.kind:40} {found['said'][:200]}")
    total = f"{sum(outcomes.values())} inputs: {dict(outcomes)}"
    print(f"{total}; slowest {worst_s:.2f} s, largest {worst_mb:.0f} MB; wrong: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
