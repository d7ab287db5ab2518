"""Time and memory of the engine on 10,000 launches with 40, 400 and 4,000 distinct keys.

`python tests/bench/engine.py` prints the table. Each size runs in a fresh process, on random metrics (seeded) repeated.
Timed from a cold engine: the first pass (keys, reasoning once a key, traces) and the second (with the quantification's
words). `grown` is what both passes added to the process's largest memory.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

LAUNCHES = 10_000
SIZES = (40, 400, 4_000)
GOAL_SECONDS = 4.0  # for 400 keys
_MIB = 1 << (20 if sys.platform == "darwin" else 10)  # ru_maxrss counts bytes on macOS, KiB elsewhere


def peak_mib() -> float:
    """The largest memory that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MIB


def measure(keys: int) -> dict[str, float]:
    """Times in seconds and memory in MiB for LAUNCHES launches with so many distinct keys."""
    import numpy as np
    import pandas as pd

    from advisor.knowledge.base import catalog
    from advisor.knowledge.expressions import TRUE
    from advisor.reasoning.engine.reason import Engine
    from advisor.reasoning.observations import observe, tests_of

    known = catalog()
    start = time.perf_counter()
    engine = Engine(known)
    compiled = time.perf_counter() - start
    names = sorted({n for test in tests_of(known).values() for n in test.names})
    draw = np.random.default_rng(7)
    kinds = pd.DataFrame(10 ** draw.uniform(-1, 2.3, (2 * keys, len(names))), columns=names)
    kinds = kinds.mask(draw.random(kinds.shape) < 0.05)
    first_of = {key: row for row, key in reversed(list(enumerate(engine.keys(observe(kinds, known)))))}
    chosen = sorted(first_of.values())[:keys]
    frame = kinds.iloc[(chosen * (LAUNCHES // len(chosen) + 1))[:LAUNCHES]].reset_index(drop=True)
    before = peak_mib()
    start = time.perf_counter()
    observed = observe(frame, known)
    observing = time.perf_counter() - start
    distinct = len(set(engine.keys(observed)))
    start = time.perf_counter()
    engine.conclude_many(observed)
    first = time.perf_counter() - start
    start = time.perf_counter()
    engine.conclude_many(observed, quantified=[engine.codes({"gain_worth_fixing": TRUE})] * LAUNCHES)
    second = time.perf_counter() - start
    rules = len(engine.program.rules)
    return {
        "rules": rules,
        "keys": distinct,
        "compile": compiled,
        "observe": observing,
        "first": first,
        "second": second,
        "before": before,
        "peak": peak_mib(),
    }


def main() -> None:
    """Print the table."""
    heads = ("compile", "observe", "pass 1", "pass 2")
    print(f"{'keys':>6} {'rules':>6} {' '.join(f'{h:>9}' for h in heads)} {'ms/key':>8} {'MiB':>6} {'grown':>6}")
    for size in SIZES:
        command = [sys.executable, __file__, str(size)]
        m = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        each = 1000 * (m["first"] + m["second"]) / m["keys"]
        times = " ".join(f"{m[part]:8.2f}s" for part in ("compile", "observe", "first", "second"))
        grown = m["peak"] - m["before"]
        print(f"{m['keys']:>6} {m['rules']:>6} {times} {each:8.2f} {m['peak']:6.0f} {grown:6.0f}")
        if size == 400:
            met = m["first"] + m["second"] < GOAL_SECONDS
            print(f"       goal for 400 keys: under {GOAL_SECONDS:.0f} s: {'met' if met else 'missed'}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        main()
