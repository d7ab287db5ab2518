"""Load knowledge folders entry by entry, with the line of every key, so that one run finds all mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import yaml
from msgspec import Struct

from advisor.knowledge.base import WORD_FILES, Catalog
from advisor.knowledge.library_calls import (
    FILES,
    CallDef,
    call_fix,
    call_metrics,
    call_observations,
    call_rule,
    with_own_calls,
)
from advisor.knowledge.loader import load, read_text
from advisor.knowledge.plain_yaml import BoundedLoader, node_line
from advisor.knowledge.schemas import (
    ClassDef,
    DiagnosisDef,
    MetricDef,
    ObservationDef,
    QuantityDef,
    QuestionDef,
    SourceDef,
    WordDef,
)
from advisor.reasoning.engine.program import KINDS
from advisor.records.errors import KnowledgeError

ERROR, WARNING, INFO = "error", "warning", "info"


class Mistake(Struct, frozen=True, order=True):
    """A mistake in a knowledge file. severity: error (blocks a release), warning, or info; line: counted from 1."""

    file: Path
    line: int
    text: str
    severity: str = ERROR

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.severity}: {self.text}"


T = TypeVar("T")
_STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+)\]|\[(\.\.\.)\]")
_PLACED = re.compile(r"(.*):(\d+): (.*)\Z", re.DOTALL)
_DEEPEST = 50
_UNKNOWN_FIELD = re.compile(r"unknown field `([^`]+)`")


def placed(error: KnowledgeError) -> Mistake:
    """Turn an error whose text begins with file:line into a mistake."""
    match = _PLACED.match(str(error))
    return Mistake(Path(match[1]), int(match[2]), match[3]) if match else Mistake(Path("knowledge"), 1, str(error))


@dataclass
class Document:
    """A knowledge file. raw: its plain content, empty if it is unreadable; mistakes: those found while reading it."""

    path: Path
    raw: dict[str, Any] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    _root: Any = None

    def line(self, *keys: str | int) -> int:
        """Return the line, counted from 1, of the deepest of the nested `keys` that the file contains."""
        return node_line(self._root, keys)

    def mistake(self, text: str, *keys: str | int, severity: str = "error") -> Mistake:
        """Return a mistake at the line of `keys`."""
        return Mistake(self.path, self.line(*keys), text, severity)

    def convert(self, value: Any, kind: type[T], *keys: str | int) -> T | None:
        """Convert `value`, located at `keys`, to `kind`; if it does not fit, record a mistake and return None."""
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as e:
            message, _, where = str(e).partition(" - at ")
            path: list[str | int] = []
            for name, index, _any in _STEP.findall(where):
                path.append(int(index) if index else name)
            if unknown := _UNKNOWN_FIELD.search(message):
                path.append(unknown[1])
            head = f"{keys[0]}: " if keys else ""
            self.mistakes.append(self.mistake(head + message, *keys, *path))
            return None

    def scalars(self, key: str) -> Iterator[tuple[str, int]]:
        """Yield every text listed under a `key` anywhere in the file, with its line."""
        stack = [self._root]
        while stack:
            node = stack.pop()
            if isinstance(node, yaml.SequenceNode):
                stack += node.value
            elif isinstance(node, yaml.MappingNode):
                for name, value in node.value:
                    if name.value == key and isinstance(value, yaml.SequenceNode):
                        yield from ((v.value, v.start_mark.line + 1) for v in value.value if v.id == "scalar")
                    else:
                        stack.append(value)


def read(path: Path) -> Document:
    """Read a file that must contain a mapping; record problems of the whole file as mistakes."""
    out = Document(path)
    try:
        text = read_text(path)
        out.mistakes += _beyond_plain(path, text)
        if out.mistakes:  # an alias may expand to any size, so do not parse such a file
            return out
        raw = load(path, dict[str, Any])
    except KnowledgeError as e:
        out.mistakes.append(placed(e))
        return out
    out.raw = raw
    out._root = yaml.compose(text, Loader=BoundedLoader)
    return out


def _beyond_plain(path: Path, text: str) -> list[Mistake]:
    """Report YAML that knowledge files never need: aliases (unlimited size), tags (may name a type), deep nesting."""
    out: list[Mistake] = []
    depth = 0
    try:
        for event in yaml.parse(text, Loader=BoundedLoader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            tag = getattr(event, "tag", None)
            if isinstance(event, yaml.AliasEvent):
                out.append(Mistake(path, line, f"the alias *{event.anchor}: aliases are not allowed, write the value"))
            elif tag:
                out.append(Mistake(path, line, f"the tag {tag}: tags are not allowed, write a plain value"))
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > _DEEPEST:
                    return [*out, Mistake(path, line, f"nested deeper than {_DEEPEST} levels")]
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.YAMLError:
        return []  # the loader reports the error with its line
    return out


S = TypeVar("S", bound=msgspec.Struct)
_METRIC = re.compile(r"[a-z][a-z0-9_]*\Z")


class TeamDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """team.yaml: the prefix of the ids in a team's own directory."""

    prefix: str


class Placed(Struct, Generic[S], frozen=True):
    """An entry with its document and the nested `keys` of its position there.

    moved: parts of it that stand elsewhere, by their keys: the document and the keys there.
    """

    id: str
    value: S
    document: Document
    keys: tuple[str, ...]
    moved: Mapping[tuple[str | int, ...], tuple[Document, tuple[str | int, ...]]] = {}

    def mistake(self, text: str, *keys: str | int, severity: str = "error") -> Mistake:
        """Return a mistake at `keys` below this entry; its text names the entry, unless it begins with a rule's id."""
        named = text if text.startswith(f"{self.id}.") else f"{self.id}: {text}"
        for length in range(len(keys), 0, -1):
            if keys[:length] in self.moved:
                document, place = self.moved[keys[:length]]
                return document.mistake(named, *place, *keys[length:], severity=severity)
        return self.document.mistake(named, *self.keys, *keys, severity=severity)


@dataclass
class Base:
    """All entries that could be loaded. `mistakes` are those found while reading: syntax, schemas, ids.

    `broken`: ids of existing observations, classes, findings and words that are unreadable; naming them is not a
    mistake. `about`: the folders whose mistakes are wanted; the checks that take long leave out other entries.
    """

    folders: tuple[Path, ...]
    about: tuple[Path, ...]
    metrics: dict[str, Placed[MetricDef]] = field(default_factory=dict)
    observations: dict[str, Placed[ObservationDef]] = field(default_factory=dict)
    findings: dict[str, Placed[DiagnosisDef]] = field(default_factory=dict)
    words: dict[str, Placed[WordDef]] = field(default_factory=dict)
    classes: dict[str, Placed[ClassDef]] = field(default_factory=dict)
    questions: dict[str, Placed[QuestionDef]] = field(default_factory=dict)
    quantities: dict[str, Placed[QuantityDef]] = field(default_factory=dict)
    sources: dict[str, Placed[SourceDef]] = field(default_factory=dict)
    calls: dict[str, Placed[CallDef]] = field(default_factory=dict)
    documents: list[Document] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)

    def is_broken(self, name: str) -> bool:
        """Return whether a name in a rule refers to an unreadable entry."""
        return name.removeprefix("found.").removeprefix("class.") in self.broken

    def is_wanted(self, path: Path) -> bool:
        """Return whether the mistakes of a file are wanted."""
        return any(path.is_relative_to(folder) for folder in self.about)

    @property
    def ruled(self) -> dict[str, Placed[DiagnosisDef] | Placed[WordDef]]:
        """The findings and the words: everything that several rules may conclude."""
        return {**self.findings, **self.words}

    def document(self, name: str) -> Document | None:
        """Return the document of our own folder with this name, or None."""
        return next((d for d in self.documents if d.path == self.folders[0] / name), None)

    def cited(self, key: str) -> bool:
        """Return whether a citation key exists."""
        head, _, place = key.partition(".")
        source = self.sources.get(head)
        return source is not None and (not place or place in source.value.places)

    def catalog(
        self,
        findings: dict[str, DiagnosisDef],
        observations: dict[str, ObservationDef],
        words: dict[str, WordDef] | None = None,
    ) -> Catalog:
        """Return a catalogue of valid entries: these findings, observations and words, and all other loaded entries."""
        out = Catalog(self.folders)
        out.__dict__.update(
            words={k: p.value for k, p in self.words.items()} if words is None else words,
            metrics={k: p.value for k, p in self.metrics.items()},
            observations=observations,
            diagnoses={k: f for k, f in findings.items() if f.kind != "trust"},
            trust={k: f for k, f in findings.items() if f.kind == "trust"},
            findings=findings,
            classes={k: p.value for k, p in self.classes.items()},
            questions={k: p.value for k, p in self.questions.items()},
            quantities={k: p.value for k, p in self.quantities.items()},
            sources={k: p.value for k, p in self.sources.items()},
        )
        return out


# Files that contain mappings of entries: file pattern, attribute that stores the entries, and class of an entry.
_MAPPINGS: tuple[tuple[str, str, type[Any]], ...] = (
    ("metrics*.yaml", "metrics", MetricDef),
    ("observations/*.yaml", "observations", ObservationDef),
    ("classification.yaml", "classes", ClassDef),
    ("questions.yaml", "questions", QuestionDef),
    ("quantities.yaml", "quantities", QuantityDef),
    ("sources.yaml", "sources", SourceDef),
    (FILES, "calls", CallDef),
)
_SINGLE = ("diagnoses", "trust")


def load_base(folders: Sequence[Path], about: Sequence[Path] | None = None) -> Base:
    """Load our own folder (the first) and team directories (the others); about: as in `Base`, by default all."""
    base = Base(tuple(folders), tuple(folders if about is None else about))
    for at, folder in enumerate(folders):
        _folder(base, folder, team=at > 0)
        if at == 0:
            _calls(base)
    for document in base.documents:
        base.mistakes += document.mistakes
    return base


def _folder(base: Base, folder: Path, team: bool) -> None:
    documents = {path: read(path) for path in sorted(folder.rglob("*.yaml"))}
    base.documents += documents.values()
    prefix = _prefix(base, folder, documents) if team else ""
    for pattern, name, kind in _MAPPINGS:
        for path in sorted(folder.glob(pattern)):
            document = documents[path]
            if team and pattern == FILES:
                base.mistakes.append(document.mistake("calls of libraries are read from our own knowledge only"))
                continue
            for key, raw in document.raw.items():
                value = document.convert(raw, kind, str(key))
                if value is None:
                    base.broken.add(str(key))
                else:
                    entry = msgspec.structs.replace(value, id=key) if hasattr(value, "id") else value
                    _add(base, getattr(base, name), Placed(str(key), entry, document, (str(key),)), prefix)
    for area, name in WORD_FILES.items():
        if (document_ := documents.get(folder / name)) is not None:
            _words(base, document_, area, prefix)
    for name in _SINGLE:
        for path in sorted(folder.glob(f"{name}/*.yaml")):
            document = documents[path]
            value = None if document.mistakes else document.convert(document.raw, DiagnosisDef)
            if value is None:
                base.broken.add(path.stem)
                continue
            if value.id != path.stem:
                base.mistakes.append(document.mistake(f"the id {value.id!r} must equal the file's name", "id"))
            _add(base, base.findings, Placed(value.id, value, document, ()), prefix)


def _calls(base: Base) -> None:
    """Add what the calls of libraries stand for: their metrics, observations, and the rules and fixes of findings."""
    known = {name: placed.value for name, placed in base.calls.items()}
    for metric, observation, call in zip(
        call_metrics(known).values(), call_observations(known).values(), base.calls.values(), strict=True
    ):
        _add(base, base.metrics, Placed(metric.id, metric, call.document, call.keys), "")
        _add(base, base.observations, Placed(observation.id, observation, call.document, call.keys), "")
    for name, entry in base.findings.items():
        if own := [call for call in base.calls.values() if call.value.finding == name]:
            whole = with_own_calls(entry.value, known)
            base.findings[name] = Placed(name, whole, entry.document, entry.keys, _moved(entry, own))


def _moved(
    entry: Placed[DiagnosisDef], own: Sequence[Placed[CallDef]]
) -> dict[tuple[str | int, ...], tuple[Document, tuple[str | int, ...]]]:
    """Return where the parts of a finding stand that are those of its calls, and where its own fixes do."""
    out: dict[tuple[str | int, ...], tuple[Document, tuple[str | int, ...]]] = {}
    rules = [call for call in own if call_rule(call.value) is not None]
    fixes = [call for call in own if call_fix(call.value, entry.id) is not None]
    for at, call in enumerate(rules, len(entry.value.seen)):
        out["seen", at] = call.document, (*call.keys, "rule")
    for at, call in enumerate(fixes):
        out["fix", at] = call.document, (*call.keys, "fix")
    listed = isinstance(entry.value.fixes_given, tuple)
    for at in range(len(entry.value.fixes)):
        out["fix", len(fixes) + at] = entry.document, (*entry.keys, "fix", *((at,) if listed else ()))
    for kind in ("fires", "silent"):
        first = len(getattr(entry.value.examples, kind))
        places = [(call, at) for call in own for at in range(len(getattr(call.value.examples, kind)))]
        for number, (call, at) in enumerate(places, first):
            out["examples", kind, number] = call.document, (*call.keys, "examples", kind, at)
    return out


def _words(base: Base, document: Document, area: str, prefix: str) -> None:
    for key, raw in document.raw.items():
        name = f"{area}.{key}"
        value = document.convert(raw, WordDef, str(key))
        if value is None:
            base.broken.add(name)
            continue
        entry = Placed(name, msgspec.structs.replace(value, id=name), document, (str(key),))
        if prefix and not str(key).startswith(f"{prefix}_"):
            base.mistakes.append(entry.mistake(f"the ids of a team must begin with {prefix}_"))
        _add(base, base.words, entry, "")


def _prefix(base: Base, folder: Path, documents: dict[Path, Document]) -> str:
    document = documents.get(folder / "team.yaml")
    if document is None:
        base.mistakes.append(Mistake(folder / "team.yaml", 1, "missing: this file sets the prefix of the team's ids"))
        return ""
    team = document.convert(document.raw, TeamDef)
    if team is None:
        return ""
    if not _METRIC.match(team.prefix) or "__" in team.prefix or team.prefix in KINDS:
        base.mistakes.append(
            document.mistake(f"{team.prefix!r} is not a prefix: use lower-case letters and digits", "prefix")
        )
    return team.prefix


def _add(base: Base, into: dict[str, Placed[Any]], entry: Placed[Any], prefix: str) -> None:
    if entry.id in into:
        other = into[entry.id].document.path
        base.mistakes.append(entry.mistake(f"is already defined in {other.parent.name}/{other.name}", "id"))
        return
    if prefix and not entry.id.startswith((f"{prefix}.", f"{prefix}_")):
        base.mistakes.append(entry.mistake(f"the ids of a team must begin with {prefix}. or {prefix}_", "id"))
    into[entry.id] = entry
