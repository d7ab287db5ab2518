"""Check, time and profile exercises on a machine that has only NumPy, CuPy and ncu.

    python3 tests/bench/recording/measure.py OUTDIR LIMIT_S NAME...

OUTDIR gets result.json.xz (the results of the runs, and which report has which exercise), profile-N.ncu-rep.xz with
four exercises each, and log.txt.xz. `python -m tests.bench.recording.place OUTDIR` makes recordings of them elsewhere.
The name of a step is that of its source without number. A failed exercise costs itself, and its step's later ones.
Nothing new begins after LIMIT_S seconds. Needs no package beside NumPy and CuPy.
"""

from __future__ import annotations

import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PLACE = Path("/tmp/ncu-advisor")  # what a recording names as the place of its sources
PER_REPORT = 4
RUN_S, REPORT_S = 15.0, 30.0  # seconds after which a child without progress is ended
SEED = 1


def job(source: Path, do: list[str]) -> dict[str, Any]:
    """Return the job of one source."""
    return {"step": source.stem.split("-", 1)[-1], "source": str(source), "do": do}


def task(name: str, do: list[str]) -> dict[str, Any]:
    """Return the task of one exercise, with a job for each source."""
    folder = PLACE / "kernels" / name
    jobs = [job(source, do) for source in sorted(folder.glob("[0-9]-*.*"))]
    return {"exercise": name, "case": str(folder / "case.py"), "jobs": jobs, "seed": SEED}


def copy_task() -> dict[str, Any]:
    """Return the task of the large copy, the reference for bandwidths."""
    folder = PLACE / "kernels" / "ceilings"
    jobs = [{"step": s.stem, "source": str(s), "do": ["check", "time"]} for s in (folder / "copy.cu",)]
    return {"exercise": "copy", "case": str(folder / "copy.py"), "jobs": jobs, "seed": SEED}


def run(tasks: list[dict[str, Any]], before: list[str], idle_s: float, log: Path) -> tuple[dict[str, Any], int]:
    """Run tasks in one child, after the words of a profiler; return its result and exit code (124: it stood still)."""
    asked, made = PLACE / "request.json", PLACE / "made.json"
    asked.write_text(json.dumps({"tasks": tasks, "runs": 20, "budget_s": 3.0}), encoding="utf-8")
    made.unlink(missing_ok=True)
    command = [*before, sys.executable, "-m", "advisor.practice.worker", str(asked), str(made)]
    with log.open("a", encoding="utf-8") as f:
        child = subprocess.Popen(command, cwd=PLACE, stdout=f, stderr=subprocess.STDOUT, start_new_session=True)
        while (code := child.poll()) is None:
            time.sleep(0.1)
            begun = max(p.stat().st_mtime for p in (asked, made) if p.is_file())
            if time.time() - begun > idle_s:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                code = 124
                break
    return json.loads(made.read_text(encoding="utf-8")) if made.is_file() else {}, code


def timed(names: list[str], log: Path) -> dict[str, Any]:
    """Check and time all exercises; one that ends its child is left out of the next child."""
    left = [copy_task(), *(task(name, ["check", "time"]) for name in names)]
    whole: dict[str, Any] = {"exercises": {}, "jobs": []}
    while left:
        made, code = run(left, [], RUN_S, log)
        whole["exercises"] |= made.get("exercises", {})
        whole["jobs"] += made.get("jobs", [])
        whole |= {k: made[k] for k in ("card", "versions") if made.get(k)}
        if code == 0 or not made:
            break
        tried = {j["exercise"] for j in made["jobs"]} | {(made.get("now") or {}).get("exercise")}
        left = [t for t in left if t["exercise"] not in tried]
    return whole


def table(jobs: list[dict[str, Any]]) -> None:
    """Print the median time and the correctness of each step."""
    for j in jobs:
        times = sorted(j["times_ns"])
        middle = f"{times[len(times) // 2] / 1e3:10.1f} us" if times else "   no time"
        failure = (j["failure"] or {}).get("words", "") if j["failure"] else ""
        wrong = "" if j["correct"] else f"  WRONG {j['mismatch'] or j['changed'] or failure}"[:160]
        print(f"{j['exercise']:22} {j['step']:20} {middle}{wrong}", flush=True)


def pack(path: Path) -> None:
    """Compress a file and remove it."""
    Path(f"{path}.xz").write_bytes(lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
    path.unlink()


def found_ncu() -> str:
    """Return ncu from the PATH, or of the newest installation."""
    installed = [*Path("/opt/nvidia/nsight-compute").glob("*/ncu"), *Path("/usr/local").glob("cuda*/bin/ncu")]
    return shutil.which("ncu") or str(max(installed, default=Path("ncu")))


def said(command: list[str]) -> str:
    """Return what a program prints, or nothing if it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=20).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def main(out: Path, limit_s: float, names: list[str]) -> None:
    """Do all of it; see the module's docstring."""
    end = time.monotonic() + limit_s
    shutil.rmtree(PLACE, ignore_errors=True)
    for folder in ("advisor", "kernels"):
        shutil.copytree(ROOT / folder, PLACE / folder, ignore=shutil.ignore_patterns("recorded", "__pycache__"))
    log, ncu = PLACE / "log.txt", found_ncu()
    result = timed(names, log)
    table(result["jobs"])
    good = [n for n in names if any(j["exercise"] == n and not j["failure"] for j in result["jobs"])]
    version = said([ncu, "--version"])
    driver = said(["nvidia-smi", "--query-gpu=driver_version,clocks.sm,clocks.mem", "--format=csv,noheader"])
    result |= {"ncu": version.splitlines()[-1:], "driver": driver, "reports": []}
    with ThreadPoolExecutor(4) as pool:
        waiting = []
        for at in range(0, len(good), PER_REPORT):
            if time.monotonic() > end:
                print(f"no time for {' '.join(good[at:])}")
                break
            report = out / f"profile-{at // PER_REPORT + 1}.ncu-rep"
            options = ["--set", "full", "--import-source", "yes", "--profile-from-start", "off", "--nvtx"]
            options += ["--clock-control", "none", "--force-overwrite", "-o", str(report).removesuffix(".ncu-rep")]
            begun = time.monotonic()
            made, code = run(
                [task(name, ["profile"]) for name in good[at : at + PER_REPORT]], [ncu, *options], REPORT_S, log
            )
            result["reports"].append({"file": f"{report.name}.xz", "code": code, "jobs": made.get("jobs", [])})
            print(f"{report.name}: code {code}, {time.monotonic() - begun:.0f} s", flush=True)
            if report.is_file():
                waiting.append(pool.submit(pack, report))
        for one in waiting:
            one.result()
    for name, text in (
        ("result.json", json.dumps(result)),
        ("log.txt", log.read_text(encoding="utf-8", errors="replace")),
    ):
        (out / name).write_text(text, encoding="utf-8")
        pack(out / name)
    for path in sorted(out.iterdir()):
        print(f"{path.name} {path.stat().st_size}")
    shutil.rmtree(PLACE, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
