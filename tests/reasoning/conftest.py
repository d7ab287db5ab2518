"""A small knowledge base made in memory, so that each test states the rules that it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import FALSE, TRUE
from advisor.knowledge.schemas import ClassDef, DiagnosisDef, MetricDef, ObservationDef, QuestionDef, RuleDef, WordDef

Rules = Sequence[tuple[str, int, Sequence[str], Sequence[str]]]


def make_catalog(
    rules: Rules = (),
    classes: Mapping[str, tuple[Sequence[str], Sequence[str]]] | None = None,
    tests: Mapping[str, str] | None = None,
    explains: Mapping[str, Sequence[str]] | None = None,
    choices: Mapping[str, Sequence[str]] | None = None,
    metrics: Mapping[str, MetricDef] | None = None,
) -> Catalog:
    """rules: (rule id, step, when, unless), where the finding is what stands before the rule id's first dot.

    Every observation named and not given in `tests` tests the metric `m_<its name>` for > 10. Every word `gain.<x>`
    named is concluded from the observation `late_<x>` on a number of the quantification, every `napkin.<x>` from
    `first_<x>`.
    """
    classes = {} if classes is None else classes
    used = [n for _, _, when, unless in rules for n in (*when, *unless)]
    used += [n for when, unless in classes.values() for n in (*when, *unless)]
    plain = {n for n in used if n.partition(".")[0] not in ("found", "class", "answer", "gain", "napkin", "advice")}
    words = {n for n in used if n.partition(".")[0] in ("gain", "napkin")}
    late = {word_observation(n) for n in words if n.startswith("gain.")}
    plain |= {word_observation(n) for n in words}
    given = {n: f"m_{n} > 10" for n in sorted(plain)} | dict(tests or {})
    steps: dict[str, int] = {}
    seen: dict[str, list[RuleDef]] = {}
    for rule_id, step, when, unless in rules:
        finding = rule_id.partition(".")[0]
        steps[finding] = step
        seen.setdefault(finding, []).append(
            RuleDef(id=rule_id, when=tuple(when), unless=tuple(unless), because=f"because {rule_id}", cites=("doc.a",))
        )
    found = {
        name: DiagnosisDef(
            id=name,
            title=name.title(),
            step=steps[name],
            seen=tuple(rs),
            explains=tuple((explains or {}).get(name, ())),
        )
        for name, rs in seen.items()
    }
    out = Catalog(())
    out.__dict__.update(
        metrics={**(metrics or {}), **{f"m_{n}": MetricDef(source="quantification") for n in late}},
        words={
            n: WordDef(
                id=n,
                title=n,
                kind="estimate" if n.startswith("gain.") else "distance",
                what=n,
                seen=(RuleDef(id=f"{n}.r", when=(word_observation(n),), because=f"because {n}", cites=("doc.a",)),),
            )
            for n in sorted(words)
        },
        observations={n: ObservationDef(id=n, test=t, says=n, cites=("doc.b",)) for n, t in given.items()},
        diagnoses=found,
        trust={},
        findings=found,
        classes={
            **{n: ClassDef(id=n, title=n, when=tuple(w), unless=tuple(u)) for n, (w, u) in classes.items()},
            "undetermined": ClassDef(id="undetermined", title="undetermined"),
        },
        questions={
            q: QuestionDef(id=q, kind="choice", choices={c: c for c in cs}) for q, cs in (choices or {}).items()
        },
        sources={},
    )
    return out


def word_observation(word: str) -> str:
    """The observation that concludes a word of a made base."""
    kind, _, name = word.partition(".")
    return f"{'late' if kind == 'gain' else 'first'}_{name}"


def late_state(*words: str) -> dict[str, int]:
    """What the second pass is given for these words `gain.<x>` to hold and the others not."""
    known = dict.fromkeys(("late_large", "late_any", "late_g"), FALSE)
    return known | dict.fromkeys(map(word_observation, words), TRUE)


@pytest.fixture
def make() -> Callable[..., Catalog]:
    return make_catalog


@pytest.fixture
def quantified() -> Callable[..., dict[str, int]]:
    return late_state
