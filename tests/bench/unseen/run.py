"""Times and profiles the unseen launches, or looks without a GPU whether they could be started.

    python run.py time CUBINS OUT.json [--part ours|libraries]
        20 runs of each launch, and whether its outputs are right
    python run.py profile CUBINS DONE.json --part ours|libraries
        each launch once between profiler start and stop, under ncu
    python run.py left CUBINS DONE.json --part ours|libraries
        exit status 1 while launches are left to profile
    python run.py dry CUBINS
        ids, kernels, parameters, grids; NumPy stands in for CuPy

A case that fails is reported and the others go on; one that breaks the CUDA context ends the process, and `time` starts
another for the rest. `profile` leaves out what OUT.json (--times) calls broken and what DONE.json says was profiled.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from device import FILES, HERE, Tools, measure, say

PARTS = {"ours": ("ours_data", "ours_math"), "libraries": ("libraries",)}


def ids(part: str) -> list[str]:
    """In the order of causes.yaml."""
    text = (HERE / "causes.yaml").read_text()
    return re.findall(rf"^- id: (\w+)\n  part: {part}$", text, re.MULTILINE)


def cases(part: str) -> dict[str, Any]:
    return {k: v for module in PARTS[part] for k, v in importlib.import_module(module).CASES.items()}


def read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text())) if path.exists() else {}


def write(path: Path, what: dict[str, Any]) -> None:
    path.write_text(json.dumps(what, indent=1) + "\n")


def time_one(tools: Tools, make: Any) -> dict[str, Any]:
    """slow, cured: median milliseconds; slow_runs, cured_runs; speedup; wrong_slow, wrong_cured: the check's words."""
    case, cp, result = make(tools), tools.xp, {}
    for which in ("slow", "cured"):
        call = getattr(case, which)
        if call is None:
            continue
        for _ in range(2):
            if case.reset:
                case.reset()
            call()
        cp.cuda.Device().synchronize()
        try:
            case.check()
        except Exception as error:  # told, not fatal, unless the context is broken
            cp.cuda.Device().synchronize()
            result[f"wrong_{which}"] = f"{type(error).__name__}: {error}"
        runs = measure(cp, call, case.reset)
        result[which], result[f"{which}_runs"] = statistics.median(runs), runs
    if "cured" in result:
        result["speedup"] = result["slow"] / result["cured"]
    return result


def free(cp: Any) -> None:
    gc.collect()
    cp.get_default_memory_pool().free_all_blocks()
    cp.get_default_pinned_memory_pool().free_all_blocks()
    if "torch" in sys.modules:
        sys.modules["torch"].cuda.empty_cache()


def time_all(cubins: Path, out: Path, part: str) -> int:
    """Times what out does not yet hold; 3 where the context broke and a fresh process should go on."""
    import cupy as cp

    tools, done = Tools(cubins, cp, False), read(out)
    for name in ids(part):
        if name in done:
            continue
        done[name] = {"broken": "the process ended"}  # stands if it does
        write(out, done)
        try:
            done[name] = time_one(tools, cases(part)[name])
        except Exception as error:
            done[name] = {"broken": f"{type(error).__name__}: {error}"[:500]}
        write(out, done)
        brief = [f"{k} {v if isinstance(v, str) else round(v, 4)}" for k, v in done[name].items() if "_runs" not in k]
        say(f"{name}: {', '.join(brief)}")
        try:
            cp.cuda.Device().synchronize()
            free(cp)
        except Exception:
            return 3
    return 0


def left(done_file: Path, part: str, times: dict[str, Any]) -> list[str]:
    done = read(done_file)
    return [name for name in ids(part) if name not in done and "broken" not in times.get(name, {})]


def profile(cubins: Path, done_file: Path, part: str, times: dict[str, Any], seconds: float, report: str) -> None:
    """Stops by itself after some seconds, since ncu writes its report when the process ends.

    done_file: of each id the report and which launch (for a library: which call) of it, from 0.
    """
    import cupy as cp

    tools, done, start, launches = Tools(cubins, cp, False), read(done_file), time.monotonic(), 0
    for name in left(done_file, part, times):
        if time.monotonic() - start > seconds:
            return
        done[name] = {"report": report, "launch": launches, "broken": "the process ended"}
        write(done_file, done)
        try:
            case = cases(part)[name](tools)
            for _ in range(2):
                if case.reset:
                    case.reset()
                case.slow()
            if case.reset:
                case.reset()
            cp.cuda.Device().synchronize()
            push_range(part, name)
            cp.cuda.profiler.start()
            case.slow()
            cp.cuda.Device().synchronize()
            cp.cuda.profiler.stop()
            push_range(part, None)
            del done[name]["broken"]
            launches += 1
        except Exception as error:
            done[name]["broken"] = f"{type(error).__name__}: {error}"[:500]
            cp.cuda.profiler.stop()
        write(done_file, done)
        say(f"profiled {report} {done[name]['launch']}: {name} {done[name].get('broken', '')}")
        case = None
        free(cp)


def push_range(part: str, name: str | None) -> None:
    """An NVTX range with the id around a library's call, which may launch several kernels."""
    if part == "libraries":
        nvtx = importlib.import_module("torch").cuda.nvtx
        nvtx.range_push(f"unseen {name}") if name else nvtx.range_pop()


def dry(cubins: Path) -> int:
    import numpy as np

    wrong = 0
    for part in PARTS:
        if set(ids(part)) != set(cases(part)):
            say(f"{part}: {sorted(set(ids(part)) ^ set(cases(part)))} stand in one of causes.yaml and the code only")
            wrong = 1
    tools = Tools(cubins, np, True)
    for name in ids("ours"):
        try:
            case = cases("ours")[name](tools)
            for call in (case.reset, case.slow, case.cured):
                if call:
                    call()
            try:
                case.check()
                verdict = "the check passes though nothing ran"
            except AssertionError as error:
                verdict = f"check works ({error})"
            say(f"{name}: {verdict}")
        except Exception as error:
            say(f"{name}: {type(error).__name__}: {error}")
            wrong = 1
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("time", "profile", "left", "dry"))
    parser.add_argument("cubins", type=Path, help=f"folder with {', '.join(f + '.cubin' for f in FILES)}")
    parser.add_argument("out", type=Path, nargs="?", default=Path("unseen.json"))
    parser.add_argument("--part", choices=tuple(PARTS))
    parser.add_argument("--times", type=Path, default=Path("none.json"))
    parser.add_argument("--seconds", type=float, default=180.0, help="after which profile starts no further launch")
    parser.add_argument("--report", default="", help="the name of the report that ncu writes, for the record")
    parser.add_argument("--once", action="store_true", help="do not start another process for the rest")
    given = parser.parse_args()
    if given.mode == "dry":
        return dry(given.cubins)
    if given.mode == "profile":
        profile(given.cubins, given.out, given.part or "ours", read(given.times), given.seconds, given.report)
        return 0
    if given.mode == "left":
        return int(bool(left(given.out, given.part or "ours", read(given.times))))
    if given.once:
        return time_all(given.cubins, given.out, given.part)
    for part in (given.part,) if given.part else PARTS:
        for _ in range(12):
            missing = set(ids(part)) - set(read(given.out))
            again = [sys.executable, __file__, "time", str(given.cubins), str(given.out), "--part", part, "--once"]
            if not missing:
                break
            subprocess.run(again, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
