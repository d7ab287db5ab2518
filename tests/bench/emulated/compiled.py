"""Compile the exercises' sources and compare the counts with the recorded ones.

    python -m tests.bench.emulated.compiled [--seconds S] [--jobs N] [EXERCISE…]

The recorded code was made by CuPy with NVRTC; here the installed NVRTC compiles for the recorded architecture with
CuPy's options. Both versions are printed: the code names them. A source agrees if all sums of its launches are within
2 %. Where they are not, the opcodes whose executions differ most say what the compilers do differently; with the NVRTC
of the recording (nvidia-cuda-nvrtc==13.0.88 in an environment of its own) no difference of the compiler is left.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import partial

from advisor.emulator.compile import compile_cubin
from advisor.emulator.counts import METRICS, Problem, count
from advisor.emulator.cubin import read_cubin
from advisor.emulator.report import ReportedCode, read_launch, unpacked
from advisor.emulator.state import FaultError
from advisor.practice import emulated, manifest
from advisor.practice.validation import each, launches_of, problem_of, recorded_names
from advisor.records.errors import AdvisorError
from tests.bench.emulated.options import parser

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


def versions(code: bytes) -> str:
    """Return the versions of the assembler that code names, for instance V13.0.88."""
    found = {m.decode() for m in re.findall(rb"Cuda compilation tools, release [\d.]+, (V[\d.]+)", code)}
    return ", ".join(sorted(found)) or "unknown"


def sources(seconds: float, name: str) -> list[tuple[tuple[str, str], str | None, str]]:
    """Return for each launch of an exercise: its source, what differs ('' if nothing; None if refused), and a line."""
    out: list[tuple[tuple[str, str], str | None, str]] = []
    record = manifest.recording(manifest.exercise(name))
    assert record is not None
    arch = "sm_" + record.record.card.cc.replace(".", "")
    made = emulated.bench(
        manifest.case(name), record.record.card, record.record.sizes, recorded_seed=record.record.seed
    )
    with unpacked(record.report) as report:
        recorded_by = versions(report.read_bytes())
        for launch, step, index in launches_of(name):
            key, definition = (name, step), manifest.exercise(name).step_of(step)
            paths = [p for p in (definition.source, *definition.extra) if p.endswith(".cu")]
            if not paths:
                continue
            source = manifest.home(name) / paths[0]
            try:
                code = read_launch(report, launch, tuple(METRICS.values()))
                cubin = compile_cubin(source.read_text(encoding="utf-8"), source.name, arch, emulated.OPTIONS)
                problem = problem_of(name, step, index, read_cubin(cubin, code.program.kernel), made)
                words = compared(problem, code, seconds)
            except (AdvisorError, FaultError) as e:
                out.append((key, None, f"{name}#{launch} {step} refused: {e}"))
                continue
            by = f" (recorded with {recorded_by}, compiled with {versions(cubin)})" if words else ""
            out.append((key, words, f"{name}#{launch} {step} {words or 'within 2 %'}{by}"))
    return out


def main() -> None:
    """Print a line for each launch and the sums over sources."""
    given = parser(SECONDS).parse_args()
    # Of each launch of a source: what differs, or None if it was refused.
    found: dict[tuple[str, str], list[str | None]] = {}
    for rows in each(partial(sources, given.seconds), given.names or recorded_names(), given.jobs):
        for key, words, line in rows:
            print(line, flush=True)
            found.setdefault(key, []).append(words)
    whole = [one for one in found.values() if None not in one]
    print(
        f"{sum(not any(one) for one in whole)} of {len(whole)} sources within 2 %, "
        f"{len(found) - len(whole)} with a launch that is refused"
    )


def compared(problem: Problem, code: ReportedCode, seconds: float) -> str:
    """Return '' if all sums are within 2 % of the recorded ones, else what differs."""
    counted = count(problem, seconds=seconds)
    out = []
    for field in _COMPARED:
        recorded = math.fsum(code.counts.get(METRICS[field], {}).values())
        have = math.fsum(
            getattr(i, field) or 0.0 for i in counted.instructions if field == "executed" or i.space != "constant"
        )
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
    main()
