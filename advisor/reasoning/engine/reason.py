"""The engine that the rest of the program uses: a pure, cached function from observed states to conclusions."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.reasoning.engine.program import CompiledRule, Program, compile_rules
from advisor.reasoning.engine.trace import Trace, build_trace

if TYPE_CHECKING:
    from advisor.reasoning.observations import Observed

Array = np.ndarray[Any, Any]
_CHUNK = 4096  # rows whose keys are derived at once: bounds the memory of the index arrays
_NONE: frozenset[str] = frozenset()


class Engine:
    """Reason over the launch rules of a catalogue; raises KnowledgeError with file and line if they are invalid.

    A rule fires when every `when` is true and no `unless` is true. An unknown `when`, with none false and no `unless`
    true, leaves it undecided; an unknown `unless` lets it fire and is recorded. A finding that no rule concluded is
    itself unknown while one of its rules is undecided, unless that rarely applies (`seldom`). The class is the first of
    the list that holds, where an earlier undecided one counts as an unknown `unless`; it is `undetermined` if none
    holds. Safe for several threads.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.program: Program = compile_rules(catalog)
        self._lock = threading.RLock()
        self._cache: dict[tuple[bytes, frozenset[str], bytes | None], Trace] = {}
        column = {name: at for at, name in enumerate(self.program.observations)}
        rules = self.program.rules
        self._when, self._unless = _conditions(rules, column)
        self._passes = [_Pass(self.program, second) for second in (False, True)]
        # The fixes of a finding that the observations refute leave the conclusions unchanged.
        of: dict[str, list[int]] = {}
        for at, rule in enumerate(rules):
            of.setdefault(rule.concludes, []).append(at)
        self._fixes = np.array([at for at, rule in enumerate(rules) if rule.fixes], dtype=np.intp)
        self._fixed = _indices([of.get(rules[at].fixes, []) for at in self._fixes], len(rules))
        self._questions = {name.rpartition(".")[0] for name in self.program.answers}

    @property
    def observations(self) -> tuple[str, ...]:
        """Return the observations that some rule reads, sorted."""
        return self.program.observations

    def forget(self, most: int) -> None:
        """Clear the cached conclusions if there are more than `most`; for processes that analyse files continuously."""
        with self._lock:
            if len(self._cache) > most:
                self._cache.clear()

    def conclude(
        self, state: Mapping[str, int], answers: Iterable[str] = _NONE, quantified: Mapping[str, int] | None = None
    ) -> Trace:
        """Return the conclusions for one set of observations.

        state: observation id to FALSE (0), UNKNOWN (1) or TRUE (2), an absent one is unknown; answers: by the names
        that rules use (`answer.dtype.f32`); quantified: the observations on the numbers of the quantification. Without
        it only the steps before the quantification run; with it the later steps run too, and the earlier conclusions
        stay the same and come first.
        """
        row = np.array([[state.get(name, UNKNOWN) for name in self.program.observations]], dtype=np.int8)
        late = None if quantified is None else self.codes(quantified)
        return self._conclude(self._keys(row)[0], row[0], self._relevant(answers), late)

    def codes(self, quantified: Mapping[str, int]) -> bytes:
        """Return the truth codes of the observations on the quantification, as `conclude_many` takes them."""
        return bytes(quantified.get(name, UNKNOWN) for name in self.program.quantified)

    def conclude_many(
        self,
        observed: Observed,
        answers: frozenset[str] | Sequence[frozenset[str]] = _NONE,
        quantified: Sequence[bytes] | None = None,
        rows: range | None = None,
    ) -> list[Trace]:
        """Return the conclusions for each row of `observed`; each distinct key is reasoned about once.

        rows: the rows to use, all by default; answers: one set for all rows, or one for each; quantified: the codes of
        each row, None for the first pass.
        """
        truth = self._truth(observed)[slice(None) if rows is None else slice(rows.start, rows.stop)]
        shared = self._relevant(answers) if isinstance(answers, frozenset) else None
        out = []
        for at, key in enumerate(self._keys(truth)):
            given = shared if shared is not None else self._relevant(answers[at])  # type: ignore[index]
            out.append(self._conclude(key, truth[at], given, None if quantified is None else quantified[at]))
        return out

    def keys(self, observed: Observed) -> list[bytes]:
        """Return, for each row, the key that its conclusions depend on, apart from answers and quantification.

        The key records which rules no observation refutes and which of their observations are unknown. Rows that differ
        only in observations of refuted rules have equal keys and identical traces.
        """
        return self._keys(self._truth(observed))

    def _truth(self, observed: Observed) -> Array:
        """Return truth codes, shape (rows, observations that rules read); UNKNOWN for one that was not evaluated."""
        column = {name: at for at, name in enumerate(observed.names)}
        truth = np.full((len(observed.truth), len(self.program.observations)), UNKNOWN, dtype=np.int8)
        for at, name in enumerate(self.program.observations):
            if name in column:
                truth[:, at] = observed.truth[:, column[name]]
        return truth

    def _keys(self, truth: Array) -> list[bytes]:
        keys: list[bytes] = []
        for start in range(0, len(truth), _CHUNK):
            part = truth[start : start + _CHUNK]
            rows = len(part)
            ends = [np.full((rows, 1), TRUE, np.int8), np.full((rows, 1), FALSE, np.int8)]
            wide = np.concatenate([part, *ends], axis=1)  # as _conditions pads
            when, unless = wide[:, self._when], wide[:, self._unless]
            alive = (when != FALSE).all(axis=2) & (unless != TRUE).all(axis=2)
            findings = np.concatenate([alive, np.zeros((rows, 1), dtype=bool)], axis=1)
            alive[:, self._fixes] &= findings[:, self._fixed].any(axis=2)
            unknown = [((side == UNKNOWN) & alive[:, :, None]).reshape(rows, -1) for side in (when, unless)]
            packed = np.packbits(np.concatenate([alive, *unknown], axis=1), axis=1)
            keys += [row.tobytes() for row in packed]
        return keys

    def _relevant(self, answers: Iterable[str]) -> frozenset[str]:
        return frozenset(a for a in answers if a.rpartition(".")[0] in self._questions)

    def _conclude(self, key: bytes, truth: Array, answers: frozenset[str], quantified: bytes | None) -> Trace:
        with self._lock:
            cached = self._cache.get((key, answers, quantified))
            if cached is None:
                cached = self._cache[key, answers, quantified] = self._reason(key, truth, answers, quantified)
            return cached

    def _reason(self, key: bytes, truth: Array, answers: frozenset[str], quantified: bytes | None) -> Trace:
        from advisor.reasoning.engine.chain import Chain  # loads experta: a session starts without it

        second = quantified is not None
        before = self._conclude(key, truth, answers, None) if second else None
        now = self._passes[second]
        state = dict(zip(self.program.observations, truth.tolist(), strict=True))
        state |= zip(self.program.quantified, quantified or b"", strict=second)
        possible, holding = now.split(truth, quantified or b"")
        chain = Chain(holding, first_pass=not second)
        fired = chain.conclude(state, answers, before.concluded if before else ())
        return build_trace(possible, fired, state, answers, self.program.explains, before)


class _Pass:
    """The rules of a pass. A chain is built from those that the observations of a launch let fire, some twenty: to
    build one from all of them takes as long as reading a report.
    """

    def __init__(self, program: Program, second: bool) -> None:
        self.rules = program.of_pass(second)
        names = (*program.observations, *(program.quantified if second else ()))
        self._when, self._unless = _conditions(self.rules, {name: at for at, name in enumerate(names)})

    def split(self, truth: Array, quantified: bytes) -> tuple[list[CompiledRule], list[CompiledRule]]:
        """Return the rules that no observation refutes, and those of them of which every observation of `when` holds.

        An unknown `unless` lets a rule fire.
        """
        wide = np.concatenate([truth, np.frombuffer(quantified, np.int8), np.array([TRUE, FALSE], np.int8)])
        when = wide[self._when]
        possible = (when != FALSE).all(axis=1) & (wide[self._unless] != TRUE).all(axis=1)
        holding = possible & (when == TRUE).all(axis=1)
        return [self.rules[at] for at in np.flatnonzero(possible)], [self.rules[at] for at in np.flatnonzero(holding)]


def _conditions(rules: Sequence[CompiledRule], column: Mapping[str, int]) -> tuple[Array, Array]:
    """Return the columns of the observations in `when` and in `unless` of each rule.

    Two extra columns mean "no condition here": the first is always true, the second always false.
    """
    when = _indices([[column[n] for n in r.when if n in column] for r in rules], len(column))
    unless = _indices([[column[n] for n in r.unless if n in column] for r in rules], len(column) + 1)
    return when, unless


def _indices(lists: list[list[int]], pad: int) -> Array:
    """Return the column numbers of each rule's conditions, shape (rules, longest), padded with `pad`."""
    longest = max((len(one) for one in lists), default=0) or 1
    out = np.full((len(lists), longest), pad, dtype=np.intp)
    for at, one in enumerate(lists):
        out[at, : len(one)] = one
    return out
