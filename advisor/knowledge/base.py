"""The knowledge base as objects: the bundled folder, then a team's directories with the same layout.

Timelines and workloads have separate catalogues, which share the metrics and sources of the base. A diagnosis of a
workload may have the same id as one of a kernel: it is the same cause, detected from other metrics, with another fix.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import structs

from advisor.knowledge.expressions import parse_test
from advisor.knowledge.libraries import FILE as LIBRARIES
from advisor.knowledge.libraries import libraries, with_library_fixes
from advisor.knowledge.library_calls import (
    CallDef,
    call_metrics,
    call_observations,
    calls,
    with_other_calls,
    with_own_calls,
)
from advisor.knowledge.loader import load, load_mapping
from advisor.knowledge.schemas import (
    ClassDef,
    DiagnosisDef,
    MetricDef,
    ObservationDef,
    QuantityDef,
    QuestionDef,
    SourceDef,
    Topic,
    WordDef,
)
from advisor.records import resources
from advisor.records.errors import KnowledgeError

S = TypeVar("S", bound=msgspec.Struct)
# The files of the words that rules conclude, by area.
WORD_FILES = {
    "napkin": "napkin/rules.yaml",
    "gain": "quantification/gains.yaml",
    "advice": "quantification/advice.yaml",
}
_ACRONYMS = frozenset(("sm", "l1", "l2", "dram", "fma", "alu", "lsu", "xu", "fp16", "fp32", "fp64"))
_TITLE = 48  # characters of a metric's title; a longer meaning is prose


class Catalog:
    """A knowledge base whose parts are loaded on first use. Later folders may add entries but not replace the bundled
    ones.

    scope: the subject of its rules; only diagnoses of this scope are used.
    """

    scope = "launch"

    def __init__(self, folders: Iterable[Path]) -> None:
        self.folders = tuple(folders)

    def _files(self, pattern: str) -> list[Path]:
        return [path for folder in self.folders for path in sorted(folder.glob(pattern))]

    def _mapping(self, pattern: str, kind: type[S]) -> dict[str, S]:
        out: dict[str, S] = {}
        where: dict[str, Path] = {}
        for path in self._files(pattern):
            for key, entry in load_mapping(path, kind).items():
                if key in out:
                    raise KnowledgeError(f"{path}:1: {key!r} is already defined in {where[key].name}")
                out[key] = structs.replace(entry, id=key) if hasattr(entry, "id") else entry
                where[key] = path
        return out

    def _each(self, pattern: str) -> dict[str, DiagnosisDef]:
        out: dict[str, DiagnosisDef] = {}
        for path in self._files(pattern):
            entry = load(path, DiagnosisDef)
            if entry.id != path.stem:
                raise KnowledgeError(f"{path}:1: the id {entry.id!r} must equal the file's name")
            if entry.id in out:
                raise KnowledgeError(f"{path}:1: {entry.id!r} is already defined")
            if entry.scope == "launch" and any(fix.changes for fix in entry.fixes):
                raise KnowledgeError(f"{path}:1: a fix of a launch has operators: `leave` takes what `changes` named")
            out[entry.id] = entry
        return out

    @cached_property
    def metrics(self) -> dict[str, MetricDef]:
        """Canonical metrics by id, with those of the calls of libraries."""
        return {**self._mapping("metrics*.yaml", MetricDef), **call_metrics(self.calls)}

    @cached_property
    def observations(self) -> dict[str, ObservationDef]:
        """Named tests by id, with those of the calls of libraries."""
        return {**self._mapping("observations/*.yaml", ObservationDef), **call_observations(self.calls)}

    @cached_property
    def calls(self) -> Mapping[str, CallDef]:
        """The calls of libraries by id: those of the first folder."""
        return calls(self.folders[0])

    @cached_property
    def diagnoses(self) -> dict[str, DiagnosisDef]:
        """Diagnoses and notes of a launch, by id; with the rules and fixes for kernels of libraries."""
        found = self._each("diagnoses/*.yaml")
        if not (self.folders[0] / LIBRARIES).is_file():
            return found
        known = libraries(self.folders[0])
        whole = {name: with_library_fixes(entry, known) for name, entry in found.items()}
        others = {name: with_other_calls(entry, self.calls, known.reach) for name, entry in whole.items()}
        return {name: with_own_calls(entry, self.calls) for name, entry in others.items()}

    @cached_property
    def trust(self) -> dict[str, DiagnosisDef]:
        """Trust entries by id."""
        return self._each("trust/*.yaml")

    @cached_property
    def findings(self) -> dict[str, DiagnosisDef]:
        """Everything a rule can conclude: trust entries and diagnoses."""
        return {**self.trust, **self.diagnoses}

    @cached_property
    def words(self) -> dict[str, WordDef]:
        """The conclusions of napkin math and quantification, by `<area>.<id>`."""
        out = {}
        for area, pattern in WORD_FILES.items():
            for key, entry in self._mapping(pattern, WordDef).items():
                out[f"{area}.{key}"] = structs.replace(entry, id=f"{area}.{key}")
        return out

    @cached_property
    def quantified(self) -> frozenset[str]:
        """The metrics that the quantification gives, which are known only after the first rules."""
        return frozenset(name for name, entry in self.metrics.items() if entry.source == "quantification")

    @cached_property
    def concluded(self) -> dict[str, DiagnosisDef | WordDef]:
        """Everything that rules with several conditions conclude: findings and words."""
        return {**self.findings, **self.words}

    @cached_property
    def classes(self) -> dict[str, ClassDef]:
        """The classes in the order of the decision list."""
        return self._mapping("classification.yaml", ClassDef)

    @cached_property
    def questions(self) -> dict[str, QuestionDef]:
        """Questions by id."""
        return self._mapping("questions.yaml", QuestionDef)

    @cached_property
    def quantities(self) -> dict[str, QuantityDef]:
        """Formulas of step 3 by id."""
        return self._mapping("quantities.yaml", QuantityDef)

    @cached_property
    def sources(self) -> dict[str, SourceDef]:
        """Sources by key."""
        return self._mapping("sources.yaml", SourceDef)

    def topic_file(self, name: str) -> dict[str, Topic]:
        """All entries of one file of topics/."""
        out: dict[str, Topic] = {}
        for path in self._files(f"topics/{name}.yaml"):
            out.update(load(path, dict[str, Topic]))
        return out

    def threshold(self, observation: str) -> float:
        """Return the constant in the first comparison of an observation."""
        return parse_test(self.observations[observation].test).comparisons[0].right.scalar({})

    def cite(self, key: str) -> str | None:
        """Return the title of a citation key, or None if the key has no entry."""
        head, _, place = key.partition(".")
        source = self.sources.get(head)
        if source is None or (place and place not in source.places):
            return None
        return f"{source.title}: {source.places[place]}" if place else source.title


def catalog(extra: tuple[Path, ...] = ()) -> Catalog:
    """Return the bundled knowledge base plus a team's directories. Raises KnowledgeError if a directory is missing."""
    return _opened(extra)  # so that `catalog()` and `catalog(())` share one cache entry


@lru_cache(maxsize=8)
def _opened(extra: tuple[Path, ...]) -> Catalog:
    for folder in extra:
        if not folder.is_dir():
            raise KnowledgeError(f"{folder}:1: no such knowledge directory")
    return Catalog((resources.folder("knowledge"), *extra))


def metrics() -> dict[str, MetricDef]:
    """Canonical metrics of the bundled knowledge base."""
    return catalog().metrics


def finding_title(name: str) -> str:
    """Return the title of a finding or class by its id; of any other name, its words."""
    known = catalog()
    entry = known.findings.get(name) or known.classes.get(name)
    return entry.title if entry is not None else name.replace("_", " ")


def condition_title(name: str) -> str:
    """Return the words for a condition of a rule: a finding or class by its title, an observation by what it states."""
    known = catalog().observations.get(name)
    return known.states if known is not None and known.states else finding_title(name.partition(".")[2] or name)


def unknown_text(names: Iterable[str]) -> str:
    """Return what is unknown of some conditions: `whether the kernel has shared memory`.

    Of observations on the same metrics, such as one and its opposite, the first is named.
    """
    known, questions = catalog().observations, catalog().questions
    stated: dict[frozenset[str] | str, str] = {}
    for name in names:
        question = name.split(".")[1] if name.startswith("answer.") else ""
        if question in questions:
            stated.setdefault(question, f"your answer to `{questions[question].ask}`")
        elif name in known:
            text = condition_title(name)
            stated.setdefault(parse_test(known[name].test).names, f"whether {text}" if known[name].states else text)
        else:
            stated.setdefault(name, f"whether “{condition_title(name)}” applies")
    return ", ".join(stated.values())


@lru_cache(maxsize=1024)
def metric_title(name: str) -> str:
    """Return the name of a metric for a reader: ncu's label, else the start of its meaning, else its id in words."""
    entry = catalog().metrics.get(name)
    if entry is None:
        return name
    label = entry.text[0].partition("/")[2] if entry.text else ""
    meanings = (re.split(ends, entry.means)[0].strip() for ends in (r"[;:(]", r"[;:(,]"))
    title = entry.title or label or next((text for text in meanings if 0 < len(text) <= _TITLE), "")
    if not title:
        words = re.sub(r"_(?:pct|ns|hz)$", "", name).split("_")
        title = " ".join(word.upper() if word in _ACRONYMS else word for word in words)
    return title if title[:2].isupper() else title[:1].upper() + title[1:]


class PartCatalog(Catalog):
    """A catalogue of separate files that uses the metrics and sources of `base`."""

    def __init__(self, base: Catalog, folders: Iterable[Path]) -> None:
        super().__init__(folders)
        self.base = base

    @cached_property
    def metrics(self) -> dict[str, MetricDef]:
        """Canonical metrics by id, including those of kernels."""
        return self.base.metrics

    @cached_property
    def sources(self) -> dict[str, SourceDef]:
        """Sources by key."""
        return self.base.sources

    @cached_property
    def questions(self) -> dict[str, QuestionDef]:
        """No questions: the file already contains everything that a user could answer."""
        return {}


DECISIONS = "timeline_decisions.yaml"
TIMELINE_FOLDER = "timeline"


class TimelineCatalog(PartCatalog):
    """The part of a knowledge base about timelines. Its classes are the decisions: drill down, or not yet."""

    scope = "timeline"

    def __init__(self, base: Catalog) -> None:
        super().__init__(base, base.folders)

    @cached_property
    def observations(self) -> dict[str, ObservationDef]:
        """Named tests by id."""
        return self.base.observations

    @cached_property
    def diagnoses(self) -> dict[str, DiagnosisDef]:
        """The patterns by id."""
        return self._each(f"{TIMELINE_FOLDER}/*.yaml")

    @cached_property
    def trust(self) -> dict[str, DiagnosisDef]:
        """No trust entries."""
        return {}

    @cached_property
    def words(self) -> dict[str, WordDef]:
        """No words: a timeline has its own estimates."""
        return {}

    @cached_property
    def classes(self) -> dict[str, ClassDef]:
        """The decisions in the order of the decision list."""
        return self._mapping(DECISIONS, ClassDef)


@lru_cache(maxsize=8)
def timelines(base: Catalog) -> TimelineCatalog:
    """Return the timeline catalogue of a knowledge base."""
    return base if isinstance(base, TimelineCatalog) else TimelineCatalog(base)


WORKLOAD_FOLDER = "graphics"


class WorkloadCatalog(PartCatalog):
    """The part of a knowledge base about workloads: the folder `graphics` of the bundled knowledge."""

    scope = "workload"

    def __init__(self, base: Catalog) -> None:
        super().__init__(base, [base.folders[0] / WORKLOAD_FOLDER])

    @cached_property
    def words(self) -> dict[str, WordDef]:
        """Those of kernels, without what depends on conclusions that a workload does not have."""
        return shared_words(self.base, {f"found.{name}" for name in self.findings})

    @cached_property
    def observations(self) -> dict[str, ObservationDef]:
        """Named tests by id: its own, and those that its words read."""
        own = self._mapping("observations/*.yaml", ObservationDef)
        read = {n for word in self.words.values() for rule in word.seen for n in (*rule.when, *rule.unless)}
        return {**{name: one for name, one in self.base.observations.items() if name in read}, **own}

    def topic_file(self, name: str) -> dict[str, Topic]:
        """All entries of one file of topics/."""
        return self.base.topic_file(name)


def shared_words(base: Catalog, found: Collection[str]) -> dict[str, WordDef]:
    """Return the words of the quantification for another scope with these findings (`found.<id>`).

    A rule that needs a finding or napkin math that the scope does not have is left out; as an exception it never holds.
    """

    def lacks(name: str) -> bool:
        kind = name.partition(".")[0]
        return kind == "napkin" or (kind == "found" and name not in found)

    out = {}
    for name, word in base.words.items():
        rules = tuple(
            structs.replace(rule, unless=tuple(n for n in rule.unless if not lacks(n)))
            for rule in word.seen
            if not any(map(lacks, rule.when))
        )
        if rules and word.area != "napkin":
            out[name] = structs.replace(word, seen=rules)
    return out


@lru_cache(maxsize=8)
def workloads(base: Catalog) -> WorkloadCatalog:
    """Return the workload catalogue of a knowledge base."""
    return base if isinstance(base, WorkloadCatalog) else WorkloadCatalog(base)
