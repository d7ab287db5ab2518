"""Compile the exercises' sources and compare the counts with the recorded ones.

    python -m tests.bench.emulated.compiled [EXERCISE…]

The recorded code was made by CuPy with the NVRTC of the CUDA version that the recording names; here the installed NVRTC
compiles for the recorded architecture with CuPy's options. A source agrees if all sums of its launches are within 2 %.
Where they are not, the opcodes whose executions differ most say what the compilers do differently.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from pathlib import Path

from advisor.emulator.compile import compile_cubin
from advisor.emulator.counts import METRICS, count
from advisor.emulator.cubin import read_cubin
from advisor.emulator.report import ReportedCode, read_launch, unpacked
from advisor.emulator.state import FaultError
from advisor.practice import emulated, manifest
from advisor.practice.validation import launches_of, problem_of, recorded_names
from advisor.records.errors import AdvisorError

SECONDS = 20.0
WITHIN = 0.02
_COMPARED = ("executed", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts", "local_sectors")


def by_opcode(pairs: list[tuple[str, float]]) -> Counter[str]:
    """Sum executions by opcode without its modifiers."""
    out: Counter[str] = Counter()
    for text, number in pairs:
        words = [w for w in text.split() if not w.startswith("@")]
        out[words[0].split(".")[0]] += round(number)
    return out


def main(names: list[str]) -> None:
    """Print a line for each launch and the sums over sources."""
    sources: dict[tuple[str, str], bool | None] = {}
    for name in names or recorded_names():
        record = manifest.recording(manifest.exercise(name))
        assert record is not None
        arch = "sm_" + record.record.card.cc.replace(".", "")
        made = emulated.bench(
            manifest.case(name), record.record.card, record.record.sizes, recorded_seed=record.record.seed
        )
        with unpacked(record.report) as report:
            for launch, step, index in launches_of(name):
                key, definition = (name, step), manifest.exercise(name).step_of(step)
                paths = [p for p in (definition.source, *definition.extra) if p.endswith(".cu")]
                if not paths:
                    continue
                source = manifest.home(name) / paths[0]
                try:
                    code = read_launch(report, launch, tuple(METRICS.values()))
                    words = compared(source, arch, name, step, index, code, made)
                except (AdvisorError, FaultError) as e:
                    print(f"{name}#{launch} {step} refused: {e}", flush=True)
                    sources.setdefault(key, None)
                    continue
                sources[key] = sources.get(key, True) is not False and not words
                print(f"{name}#{launch} {step} {words or 'within 2 %'}", flush=True)
    known = [right for right in sources.values() if right is not None]
    print(f"{sum(known)} of {len(known)} sources within 2 %, {len(sources) - len(known)} refused")


def compared(
    source: Path, arch: str, name: str, step: str, index: int, code: ReportedCode, made: emulated.Bench
) -> str:
    """Return '' if all sums are within 2 %, else what differs."""
    program = read_cubin(
        compile_cubin(source.read_text(encoding="utf-8"), source.name, arch, emulated.OPTIONS), code.program.kernel
    )
    counted = count(problem_of(name, step, index, program, made), seconds=SECONDS)
    out = []
    for field in _COMPARED:
        recorded = math.fsum(code.counts.get(METRICS[field], {}).values())
        have = math.fsum(getattr(i, field) or 0.0 for i in counted.instructions if i.space != "constant")
        if abs(have - recorded) > WITHIN * max(recorded, 1.0):
            out.append(f"{field} {have / recorded - 1:+.1%}" if recorded else f"{field} {have:g} instead of 0")
    if not out:
        return ""
    executed = code.counts[METRICS["executed"]]
    before = by_opcode([(i.text, executed.get(i.address, 0.0)) for i in code.program.code])
    after = by_opcode([(i.text, i.executed) for i in counted.instructions])
    moved = sorted({*before, *after}, key=lambda op: -abs(after[op] - before[op]))[:4]
    total = max(sum(before.values()), 1)
    changes = ", ".join(f"{op} {(after[op] - before[op]) / total:+.1%}" for op in moved)
    return f"{', '.join(out)}; of all executions: {changes}"


if __name__ == "__main__":
    main(sys.argv[1:])
