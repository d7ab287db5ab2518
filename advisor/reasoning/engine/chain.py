"""The only module that imports experta; docs/architecture.md explains each workaround.

The input is one wide fact of observations, the output is conclusions in a deterministic order. experta fires rules of
equal salience in random order and may fire a rule whose NOT no longer holds, because its agenda removes inexactly. Here
each step has its own salience band, the agenda is totally ordered by salience, facts and rule id, and removal is exact.
"""

from __future__ import annotations

import collections
import collections.abc
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from advisor.knowledge.expressions import TRUE
from advisor.reasoning.engine.program import UNDETERMINED, CompiledRule, kind_of


def _import() -> Any:
    """Import experta without side effects on the standard library or the root logger.

    frozendict 1.2, which experta 1.9.4 pins, subclasses `collections.Mapping`, which Python 3.10 removed: define the
    name during the import only. Both experta.engine and experta.watchers call `logging.basicConfig()`, which does
    nothing while the root logger has a handler; without one it would write to the terminal.
    """
    root, quiet = logging.getLogger(), logging.NullHandler()
    borrowed = not hasattr(collections, "Mapping")
    if borrowed:
        collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]
    root.addHandler(quiet)
    try:
        import experta
        import experta.abstract
        import experta.matchers
    finally:
        root.removeHandler(quiet)
        if borrowed:
            del collections.Mapping  # type: ignore[attr-defined]
    # Its __init__ swallows ImportError, so a partially imported package looks like success.
    if not hasattr(experta, "KnowledgeEngine"):
        raise ImportError("experta could not be imported completely: is frozendict 1.2 installed?")
    log = logging.getLogger("experta")
    log.addHandler(logging.NullHandler())
    log.propagate = False
    return experta


_experta = _import()
KnowledgeEngine: Any = _experta.KnowledgeEngine
Fact: Any = _experta.Fact
Rule: Any = _experta.Rule
L: Any = _experta.L
NOT: Any = _experta.NOT
Strategy: Any = _experta.abstract.Strategy
ReteMatcher: Any = _experta.matchers.ReteMatcher
NoMemory: Any = _experta.matchers.rete.mixins.NoMemory
NotNode: Any = _experta.matchers.rete.nodes.NotNode
OrdinaryMatchNode: Any = _experta.matchers.rete.nodes.OrdinaryMatchNode
ConflictSetNode: Any = _experta.matchers.rete.nodes.ConflictSetNode
SameContextCheck: Any = _experta.matchers.rete.check.SameContextCheck
_BAND = 1000


class State(Fact):  # type: ignore[misc]
    """Every observation that some rule reads, in one fact: name to FALSE, UNKNOWN or TRUE."""


class Answer(Fact):  # type: ignore[misc]
    """A choice that the user made, by the name that rules use."""


class Concluded(Fact):  # type: ignore[misc]
    """A conclusion. name: as rules spell it; kind: found, class, napkin or gain."""


class _Ordered(Strategy):  # type: ignore[misc]
    """An agenda in a total order that removes exactly what the matcher withdrew."""

    def _update_agenda(self, agenda: Any, added: Iterable[Any], removed: Iterable[Any]) -> None:
        gone = {_key(activation) for activation in removed}
        if gone:
            agenda.activations = [a for a in agenda.activations if a.key not in gone]
        for activation in added:
            activation.key = _key(activation)
            agenda.activations.append(activation)
        agenda.activations.sort(key=lambda a: a.key, reverse=True)  # the engine takes from the end


def _key(activation: Any) -> tuple[int, tuple[int, ...], str]:
    facts = tuple(sorted(f.__factid__ for f in activation.facts))
    return (-activation.rule.salience, facts, activation.rule.__name__)


class _Matcher(ReteMatcher):  # type: ignore[misc]
    """experta's matcher for rules of a State, then facts and NOTs; it looks its nodes up once."""

    def __init__(self, engine: Any) -> None:
        self._nodes: list[Any] | None = None  # those with a memory
        self._ends: list[Any] = []
        super().__init__(engine)

    def _remembering(self) -> list[Any]:
        if self._nodes is None:
            seen: dict[int, Any] = {}
            stack = [self.root_node]
            while stack:
                node = stack.pop()
                if id(node) not in seen:
                    seen[id(node)] = node
                    stack.extend(child.node for child in node.children)
            self._nodes = [n for n in seen.values() if not isinstance(n, NoMemory)]
            self._ends = [n for n in self._nodes if hasattr(n, "get_activations")]
        return self._nodes

    def _get_conflict_set_nodes(self) -> list[Any]:
        self._remembering()
        return [end for end in self._ends if end.added or end.removed]

    @staticmethod
    def build_beta_part(ruleset: Iterable[Any], alpha_terminals: Mapping[Any, Any]) -> None:
        """Join the facts of each rule in their order; experta's own method makes a dispatcher for each rule."""
        for rule in ruleset:
            first, *rest = rule
            last = alpha_terminals[first]
            for element in rest:
                barred = isinstance(element, NOT)
                join = (NotNode if barred else OrdinaryMatchNode)(SameContextCheck())
                last.add_child(join, join.activate_left)
                alpha_terminals[element[0] if barred else element].add_child(join, join.activate_right)
                last = join
            end = ConflictSetNode(rule)
            last.add_child(end, end.activate)

    @staticmethod
    def prepare_ruleset(engine: Any) -> set[Any]:
        """Return the rules unchanged: a State, then facts and NOTs, is already the form that experta needs."""
        return set(engine.get_rules())

    def reset(self) -> None:
        """Remove all facts and what an interrupted run left for the agenda."""
        for node in self._remembering():
            node._reset()
        for end in self._ends:
            end.get_activations()


class Chain(KnowledgeEngine):  # type: ignore[misc]
    """An experta engine over some rules. Reset for each run; not safe for two threads at once."""

    __matcher__ = _Matcher
    __strategy__ = _Ordered

    def __init__(self, rules: Sequence[CompiledRule], first_pass: bool = True) -> None:
        # A conclusion that no rule reads is recorded without a fact, because each fact is matched against every rule.
        self._read = frozenset(name for rule in rules for name in (*rule.when, *rule.unless))
        self._rules = [_experta_rule(rule, self._read) for rule in rules]
        if first_pass:
            self._rules.append(_fallback())
        self.fired: list[str] = []
        super().__init__()

    def get_rules(self) -> list[Any]:
        """Return the rules; experta's own method evaluates every attribute of the engine."""
        return self._rules

    def get_deffacts(self) -> list[Any]:
        """Return no initial facts: every rule begins with a State. experta's method evaluates every attribute too."""
        return []

    def conclude(
        self,
        state: Mapping[str, int],
        answers: Iterable[str] = (),
        concluded: Iterable[str] = (),
    ) -> list[str]:
        """Return the ids of the rules that fire, in the order of firing.

        state: every observation that a rule reads; concluded: the conclusions of an earlier pass, as rules spell them.
        """
        self.fired = []
        self.reset()
        facts = [State(**state)]
        facts += [Answer(name=name) for name in sorted(answers)]
        facts += [_concluded(name) for name in sorted(concluded) if name in self._read]
        self.declare(*facts)
        self.run()
        return self.fired


def _concluded(name: str) -> Any:
    return Concluded(name=name, kind=kind_of(name))


def _fact(name: str) -> Any:
    return Answer(name=name) if kind_of(name) == "answer" else Concluded(name=name)


def _experta_rule(rule: CompiledRule, read: frozenset[str]) -> Any:
    # A `when` must be TRUE; an `unless` must be FALSE or UNKNOWN: an unknown `unless` lets the rule fire.
    fields = {name: L(TRUE) for name in rule.observed(rule.when)}
    fields |= {name: ~L(TRUE) for name in rule.observed(rule.unless)}
    needs = [_fact(name) for name in rule.when if kind_of(name) != "observation"]
    bars = [NOT(_fact(name)) for name in rule.unless if kind_of(name) != "observation"]
    if rule.is_class:  # the first class of the list that holds
        bars.append(NOT(Concluded(kind="class")))
    name = rule.name

    def act(engine: Any) -> None:
        engine.fired.append(rule.id)
        if rule.is_class or name in read:
            engine.declare(_concluded(name))

    act.__name__ = rule.id
    return Rule(State(**fields), *needs, *bars, salience=-_BAND * rule.step - rule.place)(act)


def _fallback() -> Any:
    def act(engine: Any) -> None:
        engine.fired.append(UNDETERMINED)
        engine.declare(_concluded(UNDETERMINED))

    act.__name__ = UNDETERMINED
    return Rule(State(), NOT(Concluded(kind="class")), salience=-_BAND * 3 + 1)(act)
