"""Times and profiles the unseen launches, or looks without a GPU whether they could be started.

    python run.py time CUBINS OUT.json [--part ours|libraries]
        20 runs of each launch, and whether its outputs are right
    python run.py profile CUBINS DONE.json --part ours|libraries
        each launch once between profiler start and stop, under ncu
    python run.py left CUBINS DONE.json --part ours|libraries
        exit status 1 while launches are left to profile
    python run.py forget CUBINS DONE.json --report NAME
        that ncu did not write: what is in it is left again, but for the launch that the process ended at
    python run.py dry CUBINS
        ids, kernels, parameters, grids; NumPy stands in for CuPy

A case that fails is reported and the others go on; one that breaks the CUDA context ends the process, and `time` starts
another for the rest. `profile` leaves out what OUT.json (--times) calls broken and what DONE.json says was profiled.
After --until neither starts anything more.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from device import FILES, HERE, Tools, measure, say

PARTS = {
    "ours": ("ours_data", "ours_math", "second_memory", "second_compute"),
    "libraries": ("libraries", "second_libraries"),
}


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


def time_all(cubins: Path, out: Path, part: str, until: float) -> int:
    """Times what out does not yet hold; 3 where the context broke and a fresh process should go on."""
    import cupy as cp

    tools, done = Tools(cubins, cp, False), read(out)
    for name in ids(part):
        if name in done:
            continue
        if time.time() > until:
            break
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


def forget(done_file: Path, report: str) -> None:
    """Takes the launches of a report that was never written out of done_file."""
    done = read(done_file)
    write(done_file, {k: v for k, v in done.items() if v["report"] != report or "broken" in v})


def profile(
    cubins: Path, done_file: Path, part: str, times: dict[str, Any], until: float, most: int, report: str
) -> None:
    """Stops by itself after some launches or at a time (s since the epoch), as ncu writes its report at the end.

    done_file: of each id the report and which launch (for a library: which call) of it, from 0.
    """
    import cupy as cp

    tools, done, launches = Tools(cubins, cp, False), read(done_file), 0
    for name in left(done_file, part, times)[:most]:
        if time.time() > until:
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
            with named(cp, name):
                cp.cuda.profiler.start()
                case.slow()
                cp.cuda.Device().synchronize()
                cp.cuda.profiler.stop()
            del done[name]["broken"]
            launches += 1
        except Exception as error:
            done[name]["broken"] = f"{type(error).__name__}: {error}"[:500]
            cp.cuda.profiler.stop()
        write(done_file, done)
        say(f"profiled {report} {done[name]['launch']}: {name} {done[name].get('broken', '')}")
        case = None
        free(cp)


@contextmanager
def named(cp: Any, name: str) -> Iterator[None]:
    """An NVTX range with the id, since a library's call may launch several kernels: CuPy's or torch's, or none."""
    nvtx = getattr(cp.cuda, "nvtx", None)
    push, pop = (lambda _: None), (lambda: None)
    if nvtx is not None and getattr(nvtx, "available", True):
        push, pop = nvtx.RangePush, nvtx.RangePop
    elif "torch" in sys.modules:
        push, pop = sys.modules["torch"].cuda.nvtx.range_push, sys.modules["torch"].cuda.nvtx.range_pop
    push(f"unseen {name}")
    try:
        yield
    finally:
        pop()


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
    parser.add_argument("mode", choices=("time", "profile", "left", "forget", "dry"))
    parser.add_argument("cubins", type=Path, help=f"folder with {', '.join(f + '.cubin' for f in FILES)}")
    parser.add_argument("out", type=Path, nargs="?", default=Path("unseen.json"))
    parser.add_argument("--part", choices=tuple(PARTS))
    parser.add_argument("--times", type=Path, default=Path("none.json"))
    parser.add_argument(
        "--until", type=float, default=float("inf"), help="seconds since the epoch; no launch starts later"
    )
    parser.add_argument("--most", type=int, default=10, help="launches of one report")
    parser.add_argument("--report", default="", help="the name of the report that ncu writes, for the record")
    parser.add_argument("--once", action="store_true", help="do not start another process for the rest")
    given = parser.parse_args()
    if given.mode == "dry":
        return dry(given.cubins)
    if given.mode == "profile":
        part, times = given.part or "ours", read(given.times)
        profile(given.cubins, given.out, part, times, given.until, given.most, given.report)
        return 0
    if given.mode == "forget":
        forget(given.out, given.report)
        return 0
    if given.mode == "left":
        return int(bool(left(given.out, given.part or "ours", read(given.times))))
    if given.once:
        return time_all(given.cubins, given.out, given.part, given.until)
    for part in (given.part,) if given.part else PARTS:
        for _ in range(12):
            missing = set(ids(part)) - set(read(given.out))
            again = [sys.executable, __file__, "time", str(given.cubins), str(given.out), "--part", part, "--once"]
            again += ["--until", str(given.until)]
            if not missing or time.time() > given.until:
                break
            subprocess.run(again, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
