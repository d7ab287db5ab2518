"""The rules of each area, and how often they fire on the bundled recordings: `python -m tests.bench.rules_by_area`.

Every recorded kernel profile, and every timeline of the exercises, goes through the engine. An area is what a rule
concludes: the class of a launch, a cause, whether the profile can be trusted, what suits as a fix, what follows from an
estimated gain, a pattern of a timeline. Columns: rules, how many of them fired at all, firings, and how many firings
rest on the conclusion of another rule (`chained`: a condition is a class, a finding, or the word of an estimate).
"""

from __future__ import annotations

import lzma
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from advisor.knowledge.base import Catalog
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.engine.program import CompiledRule, kind_of
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.engine.trace import Trace
from advisor.records import resources
from advisor.timeline.analyse import analyse as analyse_timeline

Seen = list[tuple[Engine, list[Trace]]]


def watched(seen: Seen) -> None:
    """From now on, every engine adds what it concluded to `seen`."""
    original = Engine.conclude_many

    def conclude_many(self: Engine, *given: Any, **named: Any) -> list[Trace]:
        traces = original(self, *given, **named)
        seen.append((self, traces))
        return traces

    Engine.conclude_many = conclude_many  # type: ignore[method-assign]


def area(catalog: Catalog, rule: CompiledRule) -> str:
    """The area of a rule, by what it concludes and from what."""
    kind = kind_of(rule.concludes)
    if kind in ("class", "fix"):
        return "class" if kind == "class" else "fix"
    if any(kind_of(name) == "gain" for name in (*rule.when, *rule.unless)):
        return "estimated gain"
    return catalog.findings[rule.concludes].kind


def counted(seen: Seen, of: str) -> list[tuple[str, int, int, int, int]]:
    """Rows of the table: area, rules, rules that fired, firings, chained firings. of: what a row without a kind is."""
    rules: dict[str, str] = {}
    fired: Counter[str] = Counter()
    chained: Counter[str] = Counter()
    by_id: dict[str, CompiledRule] = {}
    for engine, traces in seen:
        for rule in engine.program.rules:
            by_id[rule.id] = rule
            rules[rule.id] = of or area(engine.catalog, rule)
        for trace in traces:
            for one in trace.fired:
                fired[one.rule_id] += 1
                conditions = (*by_id[one.rule_id].when, *by_id[one.rule_id].unless)
                chained[one.rule_id] += any(kind_of(name) in ("found", "class", "gain") for name in conditions)
    out = []
    for name in sorted(set(rules.values())):
        ids = [rule for rule, where in rules.items() if where == name]
        on_others = sum(chained[i] for i in ids)
        out.append((name, len(ids), sum(fired[i] > 0 for i in ids), sum(fired[i] for i in ids), on_others))
    return out


def last_pass(seen: Seen) -> Seen:
    """Without the first pass of each launch: the second, which has the words of the estimates, repeats it."""
    return seen[1::2]


def main() -> int:
    """Print the table."""
    kernels: Seen = []
    watched(kernels)
    folder = Path(resources.folder("kernels"))
    profiles = sorted(folder.glob("*/recorded/*/*.ncu-rep.xz"))
    launches = sum(len(analyse([path]).diagnosis.launches) for path in profiles)
    split = len(kernels)
    traces = [path for path in sorted(folder.glob("*/*.xz")) if ".sqlite" in path.name]
    with tempfile.TemporaryDirectory() as unpacked:
        for number, path in enumerate(traces):
            plain = Path(unpacked) / f"{number}.sqlite"
            plain.write_bytes(lzma.decompress(path.read_bytes()))
            analyse_timeline([plain])
    rows = counted(last_pass(kernels[:split]), "") + counted(kernels[split:], "timeline pattern")
    print(f"{len(profiles)} profiles with {launches} launches, {len(traces)} timelines")
    print(f"{'area':<20}{'rules':>8}{'fired':>8}{'firings':>10}{'chained':>10}")
    for name, number, some, firings, on_others in rows:
        print(f"{name:<20}{number:>8}{some:>8}{firings:>10,}{on_others:>10,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
