"""The rules of each area, and how often they fire on the bundled recordings: `python -m tests.bench.rules_by_area`.

Every recorded kernel profile goes through the engine twice: alone, and with the bytes and operations that its exercise
says the algorithm needs, as a user would enter them; then every timeline of the exercises. An area is what a rule
concludes: napkin math, the class of a launch, a cause, whether the profile can be trusted, a verdict that rests on
estimated gains, the estimates and the advice of the quantification, what suits as a fix, a pattern of a timeline.

Columns: rules, how many of them fired at all, firings, how many firings rest on the conclusion of another rule
(`chained`: a condition is such a conclusion, be it that it must not hold), and the most rules in one chain through a
rule of the area, each of which concludes a condition of the next (`chain`).
"""

from __future__ import annotations

import lzma
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from advisor.hardware import gpus
from advisor.knowledge.base import Catalog, catalog
from advisor.practice.manifest import answers, exercise, names, work_of
from advisor.practice.selfcheck import Measured, of_recording
from advisor.readers.read import read_many
from advisor.reasoning.analysis import Analysis
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.engine.program import CompiledRule, kind_of
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.inputs import Answer, Inputs, checked_answers
from advisor.records import resources
from advisor.timeline.analyse import analyse as analyse_timeline

Seen = list[tuple[Engine, list[Trace]]]
_READS = ("found", "class", "napkin", "gain")


def watched(seen: Seen) -> None:
    """From now on, every engine adds what it concluded to `seen`."""
    original = Engine.conclude_many

    def conclude_many(self: Engine, *given: Any, **named: Any) -> list[Trace]:
        traces = original(self, *given, **named)
        seen.append((self, traces))
        return traces

    Engine.conclude_many = conclude_many  # type: ignore[method-assign]


def area(known: Catalog, rule: CompiledRule) -> str:
    """The area of a rule, by what it concludes and from what."""
    kind = kind_of(rule.concludes)
    if kind in ("class", "fix"):
        return "class" if kind == "class" else "fix"
    if kind in ("napkin", "gain", "advice"):
        return "napkin math" if kind == "napkin" else f"quantification: {kind}"
    if any(kind_of(name) == "gain" for name in (*rule.when, *rule.unless)):
        return "verdict on gains"
    return known.findings[rule.concludes].kind


def chains(trace: Trace, by_id: dict[str, CompiledRule]) -> dict[str, int]:
    """For each rule that fired, the most rules in one chain through it: each concludes a condition of the next."""
    fired = [by_id[one.rule_id] for one in trace.fired if one.rule_id in by_id]
    concluding: dict[str, list[CompiledRule]] = {}
    reading: dict[str, list[CompiledRule]] = {}
    for rule in fired:
        concluding.setdefault(rule.name, []).append(rule)
        for name in rule.when:
            reading.setdefault(name, []).append(rule)

    @cache
    def below(rule: CompiledRule) -> int:
        return 1 + max((below(one) for name in rule.when for one in concluding.get(name, ())), default=0)

    @cache
    def above(rule: CompiledRule) -> int:
        return 1 + max((above(one) for one in reading.get(rule.name, ())), default=0)

    return {rule.id: below(rule) + above(rule) - 1 for rule in fired}


def counted(seen: Seen, of: str) -> list[tuple[str, int, int, int, int, int]]:
    """Rows of the table: area and its five numbers. of: what a row without a kind is."""
    rules: dict[str, str] = {}
    fired: Counter[str] = Counter()
    chained: Counter[str] = Counter()
    longest: dict[str, int] = {}
    for engine, traces in seen:
        by_id = {rule.id: rule for rule in engine.program.rules}
        rules |= {rule.id: of or area(engine.catalog, rule) for rule in engine.program.rules}
        for trace in traces:
            for rule_id, length in chains(trace, by_id).items():
                rule = by_id[rule_id]
                fired[rule_id] += 1
                chained[rule_id] += any(kind_of(name) in _READS for name in (*rule.when, *rule.unless))
                longest[rule_id] = max(length, longest.get(rule_id, 0))
    out = []
    for name in sorted(set(rules.values())):
        ids = [rule for rule, where in rules.items() if where == name]
        sums = (sum(fired[i] > 0 for i in ids), sum(fired[i] for i in ids), sum(chained[i] for i in ids))
        out.append((name, len(ids), *sums, max(longest.get(i, 0) for i in ids)))
    return out


def last_pass(seen: Seen) -> Seen:
    """Without the first pass of each launch: the second, which has the estimates, repeats it."""
    return seen[1::2]


def known_work(m: Measured, step: str, launches: int) -> dict[str, Answer]:
    """What a user knows of a step's algorithm: each of its launches does an equal part of the work."""
    work = work_of(m.exercise.name, step, dict(m.sizes))
    given: dict[str, Any] = {"theoretical_bytes": work.bytes / launches}
    if work.flop > 0:
        given["theoretical_flop"] = work.flop / launches
        card = gpus.known_as(m.gpu, "9.0")
        given["napkin_ridge"] = (gpus.gpu(card).ridge("fp32") if card else None) or 14.0
    return checked_answers(catalog(), {**given, **answers(m.exercise.name, step, dict(m.sizes))})


def with_work(m: Measured) -> Analysis:
    """The recording of an exercise with what its algorithm needs."""
    frame, infos = read_many([m.report], jobs=1)
    frame = frame.reset_index(drop=True)
    given: dict[int | None, dict[str, Answer]] = {}
    for step, data in m.steps.items():
        for at, index in enumerate(frame["index"]):
            if index in data.launches:
                given[at] = known_work(m, step, len(data.launches))
    return Analysis(catalog(), Inputs(frame, infos, None, given))


def table(rows: list[tuple[str, int, int, int, int, int]]) -> None:
    """Print rows of `counted`."""
    print(f"{'area':<24}{'rules':>8}{'fired':>8}{'firings':>10}{'chained':>10}{'chain':>8}")
    for name, number, some, firings, on_others, longest in rows:
        print(f"{name:<24}{number:>8}{some:>8}{firings:>10,}{on_others:>10,}{longest:>8}")


def main() -> int:
    """Print the tables."""
    seen: Seen = []
    watched(seen)
    folder = Path(resources.folder("kernels"))
    profiles = sorted(folder.glob("*/recorded/*/*.ncu-rep.xz"))
    launches = sum(len(analyse([path]).diagnosis.launches) for path in profiles)
    alone, seen[:] = last_pass(seen), []
    recorded = [m for m in map(of_recording, map(exercise, names())) if m is not None]
    for m in recorded:
        with_work(m)
    told, seen[:] = last_pass(seen), []
    traces = [path for path in sorted(folder.glob("*/*.xz")) if ".sqlite" in path.name]
    with tempfile.TemporaryDirectory() as unpacked:
        for number, path in enumerate(traces):
            plain = Path(unpacked) / f"{number}.sqlite"
            plain.write_bytes(lzma.decompress(path.read_bytes()))
            analyse_timeline([plain])
    print(f"{len(profiles)} profiles with {launches} launches, {len(traces)} timelines\n")
    table(counted(alone, "") + counted(seen, "timeline pattern"))
    print(f"\nThe {len(recorded)} recordings of exercises, with the bytes and operations that the algorithm needs\n")
    table(counted(told, ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
