"""unseen.sh and run.py with stand-ins for CuPy, the cases and ncu: parts, limits, going on, reports that never came."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
STANDIN = HERE.parents[1] / "practice" / "standin"
OURS, LIBRARIES = [f"kernel_{i}" for i in range(7)], ["call_0", "call_1"]
DEVICE = """
import os, sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
FILES, HERE = ("tiles",), Path(__file__).parent
class Tools:
    def __init__(self, cubins, xp, dry): self.xp = xp
@dataclass
class Case:
    slow: Any
    check: Any
    cured: Any = None
    reset: Any = None
def measure(cp, call, reset): return [2.0, 1.0, 3.0]
def say(text): print(text, file=sys.stderr, flush=True)
def case(name):
    def launch(profiled=[]):
        profiled.append(name)
        if name == os.environ.get("ENDS") and len(profiled) == 3:  # after two to warm up
            os._exit(9)
        if name == os.environ.get("RAISES"):
            raise RuntimeError("an illegal address")
    return lambda tools: Case(launch, lambda: None, launch)
"""
# ncu's report comes when its program has ended, as the real one's does.
NCU = """#!/usr/bin/env bash
while [ "$1" != timeout ]; do [ "$1" = -o ] && report=$2; shift; done
"$@"
code=$?
[ -n "${NO_REPORT:-}" ] || printf 'NVR' >"$report.ncu-rep"
exit $code
"""


class Bench:
    """A copy of the bench with made-up cases, and the folder that it fills."""

    def __init__(self, folder: Path) -> None:
        self.here, self.out, self.log = folder / "bench", folder / "out", folder / "log"
        self.here.mkdir()
        for name in ("unseen.sh", "run.py"):
            shutil.copy(HERE / name, self.here)
        (self.here / "device.py").write_text(DEVICE)
        parts = {"ours_data": OURS[:3], "ours_math": OURS[3:4], "second_memory": OURS[4:5], "second_compute": OURS[5:]}
        parts |= {"libraries": LIBRARIES[:1], "second_libraries": LIBRARIES[1:]}
        for module, names in parts.items():
            made = f"from device import case\nCASES = {{name: case(name) for name in {names}}}\n"
            (self.here / f"{module}.py").write_text(made)
        entries = [
            f"- id: {n}\n  part: {part}\n" for part, of in (("ours", OURS), ("libraries", LIBRARIES)) for n in of
        ]
        (self.here / "causes.yaml").write_text("launches:\n" + "".join(entries))
        (self.here / "tiles.cu").write_text("")
        self.cubins = folder / "cubins"
        self.cubins.mkdir()
        (self.cubins / "tiles.cubin").write_bytes(b"\x7fELF")
        self.ncu = folder / "ncu"
        self.ncu.write_text(NCU)
        self.ncu.chmod(0o755)

    def run(self, **words: str) -> str:
        env = {**os.environ, "CUBINS": str(self.cubins), "NCU": str(self.ncu), "NVCC": "false", "MOST": "3"}
        env |= {"PYTHON": sys.executable, "PYTHONPATH": str(STANDIN), "STANDIN_LOG": str(self.log), **words}
        command = ["bash", str(self.here / "unseen.sh"), str(self.out)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    def content(self, name: str) -> dict[str, Any]:
        path = self.out / name
        return json.loads(path.read_text()) if path.exists() else {}

    def reports(self) -> list[str]:
        return sorted(path.name for path in self.out.glob("*.ncu-rep"))

    def places(self, part: str) -> dict[str, tuple[str, int]]:
        done = self.content(f"profiled-{part}.json")
        return {name: (p["report"], p["launch"]) for name, p in done.items() if "broken" not in p}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def in_parts(names: list[str], part: str, most: int = 3) -> dict[str, tuple[str, int]]:
    return {name: (f"unseen-{part}-{i // most + 1}", i % most) for i, name in enumerate(names)}


def test_all_are_timed_and_profiled_in_parts(bench):
    said = bench.run()
    assert bench.places("ours") == in_parts(OURS, "ours") and bench.places("libraries") == in_parts(
        LIBRARIES, "libraries"
    )
    assert bench.reports() == ["unseen-libraries-1.ncu-rep", *(f"unseen-ours-{i}.ncu-rep" for i in (1, 2, 3))]
    times = bench.content("times.json")
    assert (
        set(times) == {*OURS, *LIBRARIES} and times["kernel_0"]["slow"] == 2.0 and times["kernel_0"]["speedup"] == 1.0
    )
    assert "push unseen kernel_3\nprofiler start\nprofiler stop\npop\n" in bench.log.read_text()
    assert "does not build" not in said  # the cubins were there


def test_after_the_limit_nothing_is_started(bench):
    bench.run(LIMIT_S="0")
    assert not bench.log.exists() and not bench.reports() and not bench.content("times.json")


def test_times_that_did_not_fit_before_profiling_come_last(bench):
    bench.run(TIME_S="0")
    assert set(bench.content("times.json")) == {*OURS, *LIBRARIES}
    assert len(bench.reports()) == 4
    logs = [(bench.out / name).stat().st_mtime_ns for name in ("profile-libraries-1.log", "times.log")]
    assert logs == sorted(logs)


@pytest.mark.parametrize("mode", ["time", "profile"])
def test_neither_starts_anything_after_its_time(bench, mode):
    bench.out.mkdir()
    out = bench.out / "out.json"
    words = [sys.executable, str(bench.here / "run.py"), mode, str(bench.cubins), str(out), "--part", "ours"]
    env = {**os.environ, "PYTHONPATH": str(STANDIN)}
    subprocess.run([*words, "--until", "1"], env=env, check=True)
    assert not out.exists()
    subprocess.run([*words, "--until", "9e9"], env=env, check=True)
    assert out.exists()


def test_a_second_run_goes_on_with_reports_of_its_own(bench):
    bench.run()
    done = bench.content("profiled-ours.json")
    for name in OURS[4:]:
        del done[name]
    (bench.out / "profiled-ours.json").write_text(json.dumps(done))
    for path in bench.out.glob("*.log"):  # as where only the data came along
        path.unlink()
    (bench.out / "unseen-ours-1.ncu-rep").write_text("first")
    bench.run()
    assert bench.places("ours")["kernel_6"] == ("unseen-ours-3", 2)
    assert (bench.out / "unseen-ours-1.ncu-rep").read_text() == "first"
    before = bench.log.read_text()
    bench.run()
    assert bench.log.read_text() == before


def test_a_launch_that_ends_the_process_costs_the_others_nothing(bench):
    said = bench.run(ENDS="kernel_1", ONLY="profile")
    assert "unseen: ncu reports an error, see profile-ours-1.log" in said
    assert bench.content("profiled-ours.json")["kernel_1"]["broken"] == "the process ended"
    rest = in_parts(OURS[2:], "ours")
    later = {name: (f"unseen-ours-{int(report[-1]) + 1}", launch) for name, (report, launch) in rest.items()}
    assert bench.places("ours") == {"kernel_0": ("unseen-ours-1", 0), **later}


def test_a_launch_that_fails_does_not_count_in_the_report(bench):
    bench.run(RAISES="kernel_0")
    assert bench.content("times.json")["kernel_0"] == {"broken": "RuntimeError: an illegal address"}
    assert bench.places("ours") == in_parts(OURS[1:], "ours")  # it was not even tried again
    shutil.rmtree(bench.out)
    bench.run(RAISES="kernel_0", ONLY="profile")
    assert bench.content("profiled-ours.json")["kernel_0"]["broken"] == "RuntimeError: an illegal address"
    assert bench.places("ours")["kernel_1"] == ("unseen-ours-1", 0)


def test_what_a_report_that_never_came_held_is_left_again(bench):
    bench.run(NO_REPORT="1", ONLY="profile")
    assert bench.content("profiled-ours.json") == {} and not bench.reports()
    logs = sorted(path.name for path in bench.out.glob("profile-*.log"))
    assert logs == [f"profile-{part}-{n}.log" for part in ("libraries", "ours") for n in (1, 2)]  # two tries, no more
    bench.run(ONLY="profile")
    assert set(bench.places("ours")) == set(OURS) and "unseen-ours-3.ncu-rep" in bench.reports()


def test_the_device_needs_no_more_than_is_asked_for() -> None:
    """A machine that has CuPy alone, without NVTX, must do for ours."""
    from run import named

    pushed: list[Any] = []
    lacking: Callable[..., Any] = pushed.append
    cp = type(
        "cp", (), {"cuda": type("cuda", (), {"nvtx": type("nvtx", (), {"available": False, "RangePush": lacking})})}
    )
    with named(cp, "kernel_0"):
        pass
    assert pushed == []
