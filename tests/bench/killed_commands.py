"""kill -9 of the commands at random moments: `python -m tests.bench.killed_commands [--times 30] [--scene S]`.

A scene starts the real program (or a loop over the function that stores something) with folders of its own, kills it
with its process group alone at a random moment, and then looks: no process that it started may live three seconds
later, the same command must give the bytes of an undisturbed run, what was acknowledged before the kill must be
stored, and the next start must have removed the temporary folders. Prints a line for each failure and the sums; exit 1
after any. Sessions on a terminal: tests/bench/killed.py.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from advisor.hardware.ceilings import FILE, read_file
from advisor.knowledge.loader import FILE as CACHE
from advisor.practice.state import Store
from tests.bench import signals
from tests.bench.signals import Run, processes

_REPORTS = 6
_STORE = """
import sys
from pathlib import Path
from advisor.practice.state import Store
store = Store(Path(sys.argv[1]))
store.change("other", lambda record: setattr(record, "hints", 3))
for number in range(1, 100000):
    store.change("one", lambda record: setattr(record, "attempts", number))
    print(number, flush=True)
"""
_CEILINGS = """
import sys
from pathlib import Path
from advisor.hardware.ceilings import Ceiling, Ceilings
from advisor.practice.calibrate import keep
for number in range(1, 100000):
    rate = Ceiling(float(number), 0.9 * number, 1.1 * number, 0.01, 20)
    for gpu in ("A", "B"):
        keep(Ceilings(gpu, "9.0", "2026-01-02T03:04:05+00:00", "13000", rate, rate, rate, rate), Path(sys.argv[1]))
    print(number, flush=True)
"""


def _killed(run: Run, after: float) -> list[str]:
    """Kill the process itself, not its children, after so many seconds; the processes that are left."""
    run.until(lambda _: False, after)
    run.process.kill()
    run.process.wait()
    run.read(0)
    left = _wait(run)
    return [f"process {pid} left" for pid in left]


def _wait(run: Run) -> list[int]:
    found = processes(run.mark)
    for _ in range(60):
        if not found:
            break
        run.process.poll()
        time.sleep(0.05)
        found = processes(run.mark)
    return found


def _again(arguments: list[str], home: Path) -> bytes:
    """A command to its end, with the folders of a run before."""
    more = Run(arguments, home)
    more.until(lambda _: False, 120.0)
    while True:
        before = len(more.seen)
        more.read(0.01)
        if len(more.seen) == before:
            break
    more.close()
    return more.seen[more.seen.find(b"\n{") + 1 :]  # without what is said before a document


def _swept(run: Run) -> list[str]:
    return [f"left {path.name}" for path in run.place.iterdir()]


@lru_cache(maxsize=4)
def _whole(*arguments: str) -> bytes:
    """The output of an undisturbed run."""
    with tempfile.TemporaryDirectory() as folder:
        return _again(list(arguments), Path(folder))


def _same(run: Run, home: Path) -> list[str]:
    whole, again = _whole(*run.arguments), _again(run.arguments, home)
    return [] if whole == again and whole.startswith(b"{") else [f"the next run differs: {again[-200:]!r}"]


def _advisor(*arguments: str) -> list[str]:
    return ["-m", "advisor", *arguments]


@lru_cache(maxsize=1)
def _reports() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="killed-"))
    small = Path(__file__).resolve().parents[1] / "data" / "section_report.ncu-rep.xz"
    for number in range(_REPORTS):
        (folder / f"{number}.ncu-rep.xz").write_bytes(small.read_bytes())
    return folder


def triage(home: Path, chance: random.Random) -> list[str]:
    """A folder of reports: the repeated command goes on and says what an undisturbed one says."""
    run = Run(_advisor("triage", str(_reports()), "--jobs", "2", "--format", "json"), home)
    wrong = _killed(run, chance.uniform(0.2, 5.0))
    run.close()
    return wrong + _same(run, home) + _swept(run)


def diagnose(home: Path, chance: random.Random) -> list[str]:
    """A compressed report: unpacked and read by children."""
    run = Run(_advisor("diagnose", str(_reports() / "0.ncu-rep.xz"), "--format", "json"), home)
    wrong = _killed(run, chance.uniform(0.2, 2.5))
    run.close()
    return wrong + _same(run, home) + _swept(run)


def cache(home: Path, chance: random.Random) -> list[str]:
    """The cache of parsed knowledge while it is written first."""
    run = Run(_advisor("explain", "bank_conflicts", "--format", "json"), home)
    wrong = _killed(run, chance.uniform(0.1, 1.6))
    run.close()
    wrong += _same(run, home)
    if not (home / "xdg" / "ncu-advisor" / CACHE).is_file():
        wrong.append("no cache after a whole run")
    return wrong


def practice_state(home: Path, chance: random.Random) -> list[str]:
    """The learner's progress: each change that was acknowledged is there, and so is the other exercise."""
    run = Run(["-c", _STORE, str(home / "state")], home)
    run.until(lambda r: b"\n" in r.seen)
    wrong = _killed(run, chance.uniform(0.0, 0.3))
    said = max(map(int, run.seen.decode().split()), default=0)
    run.close()
    store = Store(home / "state")
    found = store.read().exercises
    if not said <= found["one"].attempts <= said + 1 or found["other"].hints != 3:
        wrong.append(f"{said} acknowledged, {found['one'].attempts} stored, {found['other'].hints} hints")
    store.change("one", lambda record: setattr(record, "attempts", 7))
    return wrong + ([] if store.record("one").attempts == 7 else ["the next change is not stored"])


def calibrate(home: Path, chance: random.Random) -> list[str]:
    """The file of ceilings: whole, with every GPU, at the last acknowledged rate or the one after it."""
    run = Run(["-c", _CEILINGS, str(home / "state")], home)
    run.until(lambda r: b"\n" in r.seen)
    wrong = _killed(run, chance.uniform(0.0, 0.3))
    said = max(map(int, run.seen.decode().split()), default=0)
    run.close()
    cards = read_file(home / "state" / FILE).cards
    rates = sorted(card.read.rate for card in cards.values())
    return wrong + ([] if len(rates) == 2 and said <= rates[0] <= rates[1] <= said + 1 else [f"{said} said, {rates}"])


def practice_kernel(home: Path, chance: random.Random) -> list[str]:
    """A learner's kernel that never ends: it ends with the program."""
    run = signals.SCENES["kernel running"](home)
    wrong = _killed(run, chance.uniform(0.0, 0.3))
    run.close()
    _again(_advisor("napkin", "gemm", "--m", "64", "--n", "64", "--k", "64"), home)
    return wrong + _swept(run)


Scene = Callable[[Path, random.Random], list[str]]
SCENES: dict[str, Scene] = {
    scene.__name__: scene for scene in (triage, diagnose, cache, practice_state, calibrate, practice_kernel)
}


def main() -> int:
    """Prints failures and sums; 1 after any failure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scene", choices=SCENES, action="append")
    given = parser.parse_args()
    sums: dict[str, list[int]] = {}
    for name in given.scene or SCENES:
        wrong_ones = 0
        for number in range(given.times):
            with tempfile.TemporaryDirectory() as folder:
                wrong = SCENES[name](Path(folder), random.Random(f"{given.seed}/{name}/{number}"))
            wrong_ones += bool(wrong)
            if wrong:
                print(f"{name} {number}: {'; '.join(wrong)}", flush=True)
        sums[name] = [given.times, wrong_ones]
        print(f"{name:16} {given.times:4} kills  wrong {wrong_ones}", flush=True)
    print(json.dumps({"kills": sum(n for n, _ in sums.values()), "wrong": sum(n for _, n in sums.values())}))
    return 1 if any(n for _, n in sums.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
