"""The knowledge base as objects: our own folder and, after it, a team's directories of the same shape."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar

import msgspec

from advisor import resources
from advisor.catalog.loader import load, load_mapping
from advisor.catalog.schemas import ClassDef, DiagnosisDef, MetricDef, ObservationDef, QuestionDef, SourceDef, Topic
from advisor.errors import KnowledgeError

S = TypeVar("S", bound=msgspec.Struct)


class Catalog:
    """Lazily read: each part is loaded when first asked for. Later folders may add entries, never replace ours.

    `scope`: what its rules speak of; only diagnoses of this scope are reasoned with.
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
                out[key] = msgspec.structs.replace(entry, id=key) if hasattr(entry, "id") else entry
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
            out[entry.id] = entry
        return out

    @cached_property
    def metrics(self) -> dict[str, MetricDef]:
        """Canonical metrics by id."""
        return self._mapping("metrics*.yaml", MetricDef)

    @cached_property
    def observations(self) -> dict[str, ObservationDef]:
        """Named tests by id."""
        return self._mapping("observations/*.yaml", ObservationDef)

    @cached_property
    def diagnoses(self) -> dict[str, DiagnosisDef]:
        """Diagnoses and notes of a launch, by id."""
        return self._each("diagnoses/*.yaml")

    @cached_property
    def trust(self) -> dict[str, DiagnosisDef]:
        """Trust entries by id."""
        return self._each("trust/*.yaml")

    @cached_property
    def findings(self) -> dict[str, DiagnosisDef]:
        """Everything a rule can conclude: trust entries and diagnoses."""
        return {**self.trust, **self.diagnoses}

    @cached_property
    def classes(self) -> dict[str, ClassDef]:
        """The classes in the order of the decision list."""
        return self._mapping("classification.yaml", ClassDef)

    @cached_property
    def questions(self) -> dict[str, QuestionDef]:
        """Questions by id."""
        return self._mapping("questions.yaml", QuestionDef)

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

    def cite(self, key: str) -> str | None:
        """The title of a citation key, or None when it dangles."""
        head, _, place = key.partition(".")
        source = self.sources.get(head)
        if source is None or (place and place not in source.places):
            return None
        return f"{source.title}: {source.places[place]}" if place else source.title


def catalog(extra: tuple[Path, ...] = ()) -> Catalog:
    """The knowledge base with a team's directories after our own; KnowledgeError for a directory that is not there."""
    return _opened(extra)  # one for `catalog()` and `catalog(())`, which a cache on this very function keeps apart


@lru_cache(maxsize=8)
def _opened(extra: tuple[Path, ...]) -> Catalog:
    for folder in extra:
        if not folder.is_dir():
            raise KnowledgeError(f"{folder}:1: no such knowledge directory")
    return Catalog((resources.folder("knowledge"), *extra))


def metrics() -> dict[str, MetricDef]:
    """Canonical metrics of our own knowledge base."""
    return catalog().metrics
