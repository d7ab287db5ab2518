"""Times and profiles the pairs of a round, or looks without a GPU whether they could be started.

ROUND is the round's folder, such as third: causes.yaml, .cu files, and modules named after it, such as third_ours.py,
whose CASES make the pairs; those in ROUND_libraries.py launch no kernel of a .cu file.

    python pairs_run.py ROUND time CUBINS OUT.json [--part ours|libraries] [--until SECONDS]
        2 runs to warm up and 20 timed ones of each call; whether the results of the two agree
    python pairs_run.py ROUND check CUBINS OUT.json [--part ours|libraries] [--until SECONDS]
        whether the slow call's result is that of a reference, for the pairs that OUT.json holds
    python pairs_run.py ROUND profile CUBINS DONE.json --part ours|libraries --times OUT.json --report NAME [--most N]
        the slow and the cured call of each pair once, under ncu, each in the NVTX range
        `unseen ID` or `unseen ID.cured`
    python pairs_run.py ROUND left CUBINS DONE.json --part ours|libraries --times OUT.json
        exit status 1 while pairs are left to profile
    python pairs_run.py ROUND forget CUBINS DONE.json --report NAME
        takes the launches of a report that ncu did not write out of DONE.json
    python pairs_run.py ROUND dry CUBINS
        parameters and grids of the .cu kernels; NumPy stands in for CuPy

A pair that fails is reported and the others go on; one that breaks the CUDA context ends the process, and `time` starts
another for the rest. The files have the form that run.py's have, so that score.py reads
them with --causes ROUND/causes.yaml.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from device import Launch, Tools, measure, say  # noqa: E402
from pair import differ  # noqa: E402
from run import named, read  # noqa: E402

PARTS = ("ours", "libraries")
PAIR_S = int(os.environ.get("PAIR_S", "60"))  # after which a pair is ended, and its process with it


def ids(folder: Path, part: str) -> list[str]:
    """In the order of causes.yaml, or of the modules where a folder has none (other cures of a round's kernels)."""
    if not (folder / "causes.yaml").is_file():
        return list(cases(folder, part))
    return re.findall(rf"^- id: (\w+)\n  part: {part}$", (folder / "causes.yaml").read_text(), re.MULTILINE)


def cases(folder: Path, part: str) -> dict[str, Any]:
    # Other cures of a round's kernels take these and their inputs from the round.
    for one in (folder.with_name(folder.name.removesuffix("_followed")), folder):
        if str(one) not in sys.path:
            sys.path.insert(0, str(one))
    libraries = f"{folder.name}_libraries"
    names = [p.stem for p in sorted(folder.glob(f"{folder.name}_*.py")) if "CASES" in p.read_text()]
    chosen = [name for name in names if (name == libraries) == (part == "libraries")]
    return {k: v for name in chosen for k, v in importlib.import_module(name).CASES.items()}


def write(path: Path, what: dict[str, Any]) -> None:
    path.with_suffix(".new").write_text(json.dumps(what, indent=1) + "\n")
    path.with_suffix(".new").replace(path)


def finish(cp: Any) -> None:
    cp.cuda.Device().synchronize()
    if "torch" in sys.modules:
        sys.modules["torch"].cuda.synchronize()


def free(cp: Any) -> None:
    gc.collect()
    cp.get_default_memory_pool().free_all_blocks()
    if "torch" in sys.modules:
        sys.modules["torch"].cuda.empty_cache()


def result_of(cp: Any, pair: Any, which: str) -> list[Any]:
    """Copies of what a call puts out, from fresh outputs."""
    for _ in range(2):
        if pair.reset:
            pair.reset()
        else:
            for out in pair.outs(which):
                out.fill_(0) if hasattr(out, "fill_") else out.fill(0)
        getattr(pair, which)()
    finish(cp)
    return [o.clone() if hasattr(o, "clone") else o.copy() for o in pair.outs(which)]


def time_one(tools: Tools, make: Any) -> dict[str, Any]:
    """slow, cured: median milliseconds, and all runs; speedup; wrong_cured: what is amiss."""
    pair, cp, result = make(tools), tools.xp, {}
    got = {which: result_of(cp, pair, which) for which in ("slow", "cured")}
    if unlike := differ(got["slow"], got["cured"], pair.near) or ("" if got["slow"] else "no output"):
        result["wrong_cured"] = f"unlike the slow one: {unlike}"
    del got
    free(cp)
    for which in ("slow", "cured"):
        runs = measure(cp, getattr(pair, which), pair.reset)
        result[which], result[f"{which}_runs"] = statistics.median(runs), runs
    result["speedup"] = result["slow"] / result["cured"]
    return result


def check_one(tools: Tools, make: Any) -> dict[str, Any]:
    """wrong_slow or no_reference where the slow call's result is unlike that of other code, or there is none."""
    pair, cp = make(tools), tools.xp
    if pair.ref is None:
        return {"no_reference": "none written"}
    got = result_of(cp, pair, "slow")
    try:
        unlike = differ(got, pair.ref(), pair.near or 1e-12)
    except Exception as error:  # the reference's fault, unless the context is broken
        finish(cp)
        return {"no_reference": f"{type(error).__name__}: {error}"[:300]}
    return {"wrong_slow": f"unlike the reference: {unlike}"} if unlike else {"referenced": True}


def check_all(folder: Path, cubins: Path, out: Path, part: str, until: float) -> None:
    """Adds to each pair that was timed what check_one finds."""
    import cupy as cp

    tools, done = Tools(cubins, cp, False), read(out)
    for name in ids(folder, part):
        if time.time() > until:
            return
        known = done.get(name, {"broken": ""})
        if "broken" in known or {"wrong_slow", "no_reference", "referenced"} & set(known):
            continue
        known["no_reference"] = "the process ended"  # stands if it does
        write(out, done)
        del known["no_reference"]
        try:
            found = check_one(tools, cases(folder, part)[name])
        except Exception as error:
            found = {"no_reference": f"{type(error).__name__}: {error}"[:300]}
        known.update(found)
        write(out, done)
        say(f"{name}: {found}")
        free(cp)


def time_all(folder: Path, cubins: Path, out: Path, part: str, until: float) -> int:
    """Times what out does not yet hold; 3 where the context broke and a fresh process should go on."""
    import cupy as cp

    tools, done = Tools(cubins, cp, False), read(out)
    for name in ids(folder, part):
        if name in done:
            continue
        if time.time() > until:
            break
        done[name] = {"broken": "the process ended"}  # stands if it does
        write(out, done)
        signal.alarm(PAIR_S)  # a kernel that hangs ends the process
        began = time.time()
        try:
            done[name] = time_one(tools, cases(folder, part)[name])
        except Exception as error:
            done[name] = {"broken": f"{type(error).__name__}: {error}"[:500]}
        signal.alarm(0)
        write(out, done)
        brief = [f"{k} {v if isinstance(v, str) else round(v, 4)}" for k, v in done[name].items() if "_runs" not in k]
        say(f"{name}: {', '.join(brief)} ({time.time() - began:.1f} s)")
        try:
            finish(cp)
            free(cp)
        except Exception:
            return 3
    return 0


def left(folder: Path, done_file: Path, part: str, times: dict[str, Any]) -> list[str]:
    done = read(done_file)
    return [name for name in ids(folder, part) if name not in done and "broken" not in times.get(name, {})]


def forget(done_file: Path, report: str) -> None:
    done = read(done_file)
    write(done_file, {k: v for k, v in done.items() if v["report"] != report or "broken" in v})


def profile(given: argparse.Namespace) -> None:
    """Stops by itself after some pairs or at a time (s since the epoch), as ncu writes its report at the end."""
    import cupy as cp

    tools, done, count = Tools(given.cubins, cp, False), read(given.out), 0
    for name in left(given.round, given.out, given.part, read(given.times))[: given.most]:
        if time.time() > given.until:
            return
        began = time.time()
        signal.alarm(PAIR_S)  # a kernel that hangs ends the process; ncu writes what it has
        done[name] = {"report": given.report, "launch": count, "broken": "the process ended"}
        write(given.out, done)
        try:
            pair = cases(given.round, given.part)[name](tools)
            for which, key in (("slow", name), ("cured", f"{name}.cured")):
                reset = pair.reset or (lambda: None)
                reset()
                getattr(pair, which)()  # builds and loads what it needs
                reset()
                finish(cp)
                with named(cp, key):
                    cp.cuda.profiler.start()
                    try:
                        getattr(pair, which)()
                        finish(cp)
                    finally:
                        cp.cuda.profiler.stop()
                done[key] = {"report": given.report, "launch": count}
                count += 1
        except Exception as error:
            for key in (name, f"{name}.cured"):
                done.setdefault(key, {"report": given.report, "launch": count})
            broken = [key for key in (name, f"{name}.cured") if "broken" in done[key]] or [f"{name}.cured"]
            for key in broken:
                done[key]["broken"] = f"{type(error).__name__}: {error}"[:500]
        signal.alarm(0)
        write(given.out, done)
        say(f"profiled {given.report}: {name} {done[name].get('broken', '')} ({time.time() - began:.1f} s)")
        pair = None
        free(cp)


def dry(folder: Path, cubins: Path) -> int:
    import numpy as np

    wrong = 0
    for part in PARTS:
        if alone := set(ids(folder, part)) ^ set(cases(folder, part)):
            say(f"{part}: {sorted(alone)} stand in one of causes.yaml and the code only")
            wrong = 1
    for name, make in cases(folder, "ours").items():
        tools = Tools(cubins, np, True)
        try:
            pair = make(tools)
            for which in ("slow", "cured"):
                if pair.reset:
                    pair.reset()
                if isinstance(getattr(pair, which), Launch):  # a call of a library has no stand-in
                    getattr(pair, which)()
                    [o.copy() for o in pair.outs(which)]
            note = ""
            if pair.ref:
                shapes = [(a.shape, b.shape) for a, b in zip(pair.outs("slow"), pair.ref(), strict=False)]
                note = "" if all(a == b for a, b in shapes) else f"shapes {shapes}"
            say(f"{name}: {note or 'ok'}")
        except Exception as error:
            say(f"{name}: {type(error).__name__}: {error}")
            wrong = 1
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("round", type=lambda text: Path(text).resolve(), help="folder of the round")
    parser.add_argument("mode", choices=("time", "check", "profile", "left", "forget", "dry"))
    parser.add_argument("cubins", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=Path("unseen.json"))
    parser.add_argument("--part", choices=tuple(PARTS))
    parser.add_argument("--times", type=Path, default=Path("none.json"))
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds since the epoch")
    parser.add_argument("--most", type=int, default=12, help="pairs of one report")
    parser.add_argument("--report", default="")
    parser.add_argument("--once", action="store_true", help="do not start another process for the rest")
    given = parser.parse_args()
    if given.mode == "dry":
        return dry(given.round, given.cubins)
    if given.mode == "profile":
        profile(given)
        return 0
    if given.mode == "check":
        for part in (given.part,) if given.part else PARTS:
            check_all(given.round, given.cubins, given.out, part, given.until)
        return 0
    if given.mode == "forget":
        forget(given.out, given.report)
        return 0
    if given.mode == "left":
        return int(bool(left(given.round, given.out, given.part or "ours", read(given.times))))
    if given.once:
        return time_all(given.round, given.cubins, given.out, given.part, given.until)
    for part in (given.part,) if given.part else PARTS:
        for _ in range(12):
            missing = set(ids(given.round, part)) - set(read(given.out))
            if not missing or time.time() > given.until:
                break
            paths = [str(given.cubins), str(given.out)]
            again = [sys.executable, __file__, str(given.round), "time", *paths, "--part", part, "--once"]
            subprocess.run([*again, "--until", str(given.until)], check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
