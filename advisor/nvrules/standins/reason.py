"""Chain the rules without experta, for one launch: advisor.reasoning.engine.reason.

The rules are in the order of their steps, and a rule reads only what earlier ones conclude, so one pass in that order
concludes what experta does. A test compares both on the
launches of the tour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import TRUE, UNKNOWN
from advisor.reasoning.engine.program import CompiledRule, Program, compile_rules, kind_of
from advisor.reasoning.engine.trace import Trace, build_trace


def chain(
    rules: Sequence[CompiledRule], state: Mapping[str, int], answers: Iterable[str], concluded: Iterable[str]
) -> list[str]:
    """Return the ids of the rules that fire, in their order. concluded: what an earlier pass concluded."""
    known = {*answers, *concluded}

    def holds(name: str) -> bool:
        return state.get(name, UNKNOWN) == TRUE if kind_of(name) == "observation" else name in known

    out = []
    for rule in sorted(rules, key=lambda r: (r.step, r.place, r.id)):
        if rule.is_class and any(name.startswith("class.") for name in known):
            continue  # the first class of the list that holds
        if all(map(holds, rule.when)) and not any(map(holds, rule.unless)):
            out.append(rule.id)
            known.add(rule.name)
    return out


class Engine:
    """Reason over the launch rules of a catalogue, as the engine of the program does."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.program: Program = compile_rules(catalog)

    def conclude_many(
        self, observed: Any, answers: Any = frozenset(), quantified: Any = None, rows: range | None = None
    ) -> list[Trace]:
        """Return the conclusions of each row; quantified: the codes of each row, None for the first pass."""
        places = range(len(observed.truth)) if rows is None else rows
        return [
            self._conclude(observed, row, None if quantified is None else quantified[at])
            for at, row in enumerate(places)
        ]

    def _conclude(self, observed: Any, row: int, quantified: bytes | None) -> Trace:
        place = observed.place
        state = {n: int(observed.truth[row, place[n]]) if n in place else UNKNOWN for n in self.program.observations}
        before = None
        if quantified is not None:
            before = self._conclude(observed, row, None)
            state |= zip(self.program.quantified, quantified)
        rules = self.program.of_pass(quantified is not None)
        fired = chain(rules, state, (), before.concluded if before else ())
        return build_trace(rules, fired, state, frozenset(), self.program.explains, before)
