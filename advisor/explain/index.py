"""Index of every entry of the knowledge base that can be explained, by normalised id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from advisor.knowledge.base import WORD_FILES
from advisor.knowledge.libraries import FILE as LIBRARIES
from advisor.knowledge.library_calls import FILES as CALLS
from advisor.knowledge.library_calls import call_metrics, call_observations, call_rule, calls
from advisor.knowledge.loader import entry_line, load
from advisor.knowledge.schemas import MetricDef, ObservationDef
from advisor.records.errors import KnowledgeError

_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)(?::[^{}]*)?\}")
_NAME = re.compile(r"[\w.]+")
_SEARCHES = 100  # searches for a name that take as long as an index of all names
# Fields that can replace the title of an entry without one.
_TITLES = ("title", "ask", "means", "says", "meaning", "what", "name")
# Kind of entry -> files. Files with one entry each:
_ONE_A_FILE: Final = (
    ("diagnosis", "diagnoses/*.yaml"),
    ("trust", "trust/*.yaml"),
    ("pattern", "timeline/*.yaml"),
    ("workload", "graphics/diagnoses/*.yaml"),
)
# Files with many entries, by id:
_MAPPINGS: Final = (
    ("class", "classification.yaml"),
    ("decision", "timeline_decisions.yaml"),
    ("metric", "metrics*.yaml"),
    ("observation", "observations/*.yaml"),
    ("observation", "graphics/observations/*.yaml"),
    ("question", "questions.yaml"),
    ("formula", "quantities.yaml"),
    ("algorithm", "napkin/algorithms.yaml"),
    ("dtype", "napkin/dtypes.yaml"),
    ("topic", "topics/*.yaml"),  # _TOPICS maps the file to the kind
    ("source", "sources.yaml"),
)
# Files of conclusions, whose ids begin with the area, and their rules:
_WORDS: Final = tuple(WORD_FILES.items())
# Files with many entries below one key:
_SECTIONS: Final = (("gpu", "gpus.yaml", "cards"), ("unit", "time_model.yaml", "terms"))
_TOPICS: Final = {
    "stalls": "stall",
    "sass": "opcode",
    "steps": "step",
    "part_three": "step",
    "pitfalls": "pitfall",
    "formulas": "formula",
    "glossary": "term",
    "thresholds": "threshold",
    "ncu_rules": "ncu_rule",
    "cases": "case",
    "errata": "erratum",
}
# If several entries share an id, the kind that comes first here is explained.
ORDER: Final = (
    *("diagnosis", "trust", "pattern", "workload", "class", "decision", "stall", "opcode", "step", "pitfall"),
    *("formula", "topic", "threshold", "ncu_rule", "case", "algorithm", "gpu", "call", "question", "observation"),
    "rule",
    *("fix", "term", "metric", "conclusion", "unit", "dtype", "erratum", "source"),
)
_RANK = {kind: at for at, kind in enumerate(ORDER)}
UNSEARCHED: Final = ("rule", "fix", "source")  # kinds whose entries are shown as a part of others
_WITHOUT_ALIASES = ("diagnosis", "trust", "rule", "fix", "source", "metric", "observation")


def norm(word: str) -> str:
    """Normalise a word for comparison: ignore case, spaces, dashes and underscores."""
    return re.sub(r"[\s_-]+", "_", word.strip().casefold()).strip("_")


def letters(word: str) -> str:
    """Return the letters and digits of a word in lower case."""
    return re.sub(r"[^a-z0-9]+", "", word.casefold())


@dataclass(frozen=True, slots=True)
class Place:
    """One entry: its kind and id, its file, and the content of the entry (of the whole file for rules and fixes)."""

    kind: str
    id: str
    path: Path
    content: Mapping[str, Any] = field(default_factory=dict, compare=False, hash=False, repr=False)


class Index:
    """All entries of one or more knowledge folders, by normalised id."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.places: dict[str, list[Place]] = {}
        self.sources: dict[str, Place] = {}
        self._texts: dict[tuple[str, str, Path], str] = {}
        self._blocks: list[tuple[Place, str]] = []
        self._naming: dict[str, list[Place]] = {}
        self._searches = 0
        for folder in folders:
            if not folder.is_dir():
                raise KnowledgeError(f"{folder}:1: no such knowledge directory")
            for place in _places(folder):
                self.places.setdefault(norm(place.id), []).append(place)
                if place.kind == "source":
                    self.sources.setdefault(place.id, place)
        for found in self.places.values():
            found.sort(key=lambda p: _RANK[p.kind])

    def block(self, place: Place) -> str:
        """Return the full text of an entry, including keys."""
        key = (place.kind, place.id, place.path)
        if key not in self._texts:
            self._texts[key] = "\n".join((f"{place.id}:", *_strings(place.content)))
        return self._texts[key]

    def naming(self, name: str) -> tuple[Place, ...]:
        """Return the entries whose text contains a name, in file order."""
        self._searches += 1
        if self._searches == _SEARCHES:
            self._index_names()
        if self._naming and _NAME.fullmatch(name):
            return tuple(self._naming.get(name, ()))
        pattern = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w.])")
        if not self._blocks:
            self._blocks = [(place, self.block(place)) for place in self.everything()]
        # Finding a text takes far less than the expression.
        return tuple(place for place, text in self._blocks if name in text and pattern.search(text))

    def _index_names(self) -> None:
        """Index the names in all texts."""
        for place in self.everything():
            for name in dict.fromkeys(_NAME.findall(self.block(place))):
                self._naming.setdefault(name, []).append(place)

    def raw(self, place: Place) -> dict[str, Any]:
        """Return a copy of the plain content of one entry."""
        return {str(key): value for key, value in place.content.items()}

    def entry(self, place: Place, kind: type[Any]) -> Any:
        """Return an entry of a mapping file as a `kind`, with its id. Raises KnowledgeError with file and line."""
        try:
            made = msgspec.convert(place.content, kind)
        except msgspec.ValidationError as e:
            raise KnowledgeError(f"{place.path}:{entry_line(place.path, place.id)}: {place.id}: {e}") from None
        return structs.replace(made, id=place.id) if hasattr(made, "id") else made

    def of(self, word: str, kind: str = "") -> Place | None:
        """Return the first entry with this id, of one kind if given, or None."""
        return next((p for p in self.places.get(norm(word), ()) if not kind or p.kind == kind), None)

    def everything(self) -> Iterator[Place]:
        """Yield all entries."""
        for found in self.places.values():
            yield from found

    def title(self, place: Place) -> str:
        """Return one line that names the entry, empty for a rule."""
        if place.kind == "rule":
            return ""
        content: Mapping[str, Any] = place.content
        if place.kind == "fix":
            content = next(fix for fix in _fixes(place.content) if str(fix.get("id")) == place.id)
        names = ("summary",) if place.kind == "fix" else _TITLES
        found = next((content[n] for n in names if isinstance(content.get(n), str)), "")
        return fields_named(" ".join(found.split()))

    @cached_property
    def searched(self) -> tuple[tuple[Place, str, str], ...]:
        """The entries that a search looks through, each with its full text and its id in lower case."""
        return tuple(
            (place, self.block(place).casefold(), place.id.casefold())
            for place in self.everything()
            if place.kind not in UNSEARCHED
        )

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Map the normalised ids and aliases of these entries to ids."""
        found = {norm(place.id): place.id for place, _, _ in self.searched}
        return found | {norm(name): place.id for name, place in self.aliases}

    @cached_property
    def aliases(self) -> tuple[tuple[str, Place], ...]:
        """Other names of entries: `aliases` and `devices` lists, and the product names of GPUs."""
        return tuple(self._aliases())

    @cached_property
    def called(self) -> Mapping[str, Place]:
        """Map each alias in lower case without punctuation to the first entry that has it."""
        found: dict[str, Place] = {}
        for name, place in self.aliases:
            found.setdefault(letters(name), place)
        return found

    def _aliases(self) -> Iterator[tuple[str, Place]]:
        for place in self.everything():
            if place.kind in _WITHOUT_ALIASES:
                continue
            for key in ("aliases", "devices"):
                names = place.content.get(key)
                if isinstance(names, list):
                    yield from ((str(name), place) for name in names)
            if place.kind == "gpu" and isinstance(name := place.content.get("name"), str):
                yield name, place

    def source_title(self, key: str) -> str | None:
        """Return the title of a citation key, or None if it is not in sources.yaml."""
        head, _, at = key.partition(".")
        source = self.sources.get(head)
        if source is None:
            return None
        title = self.title(source) or head
        if not at:
            return title
        places = source.content.get("places")
        return f"{title}: {places[at]}" if isinstance(places, dict) and at in places else None

    def measured(self, key: str) -> str:
        """Return what was measured at a place of a measurement; empty for others."""
        head, _, at = key.partition(".")
        source = self.sources.get(head)
        said = source.content.get("measured") if source is not None else None
        return str(said.get(at, "")) if isinstance(said, dict) else ""

    def source_link(self, key: str) -> tuple[str, str] | None:
        """Return title and address of the page with a cited place, else of its source; None without address."""
        head, _, at = key.partition(".")
        source = self.sources.get(head)
        if source is None:
            return None
        title = self.title(source) or head
        while at:
            for page in source.content.get("pages") or ():
                if at in page.get("places", ()):
                    return f"{title}: {page['title']}", str(page["url"])
            at = at.rpartition(".")[0]
        url = str(source.content.get("url") or "")
        return (title, url) if url else None


def _places(folder: Path) -> Iterator[Place]:
    for kind, pattern in _ONE_A_FILE:
        for path in sorted(folder.glob(pattern)):
            content = load(path, dict[str, Any])
            yield Place(kind, path.stem, path, content)
            rules = content.get("seen")
            for rule in rules if isinstance(rules, list) else ():
                if isinstance(rule, dict) and rule.get("id"):
                    yield Place("rule", str(rule["id"]), path, content)
            yield from (Place("fix", str(fix["id"]), path, content) for fix in _fixes(content) if fix.get("id"))
    if (folder / LIBRARIES).is_file():
        content = load(folder / LIBRARIES, dict[str, Any])
        yield from (Place("fix", str(fix["id"]), folder / LIBRARIES, content) for fix in _fixes(content))
    yield from _calls(folder)
    for kind, pattern in _MAPPINGS:
        for path in sorted(folder.glob(pattern)):
            yield from _entries(path, _TOPICS.get(path.stem, kind) if kind == "topic" else kind, load(path, dict))
    for area, name in _WORDS:
        if (folder / name).is_file():
            for place in _entries(folder / name, "conclusion", load(folder / name, dict)):
                yield replace(place, id=f"{area}.{place.id}")
                yield from (Place("rule", str(r["id"]), place.path, place.content) for r in place.content["seen"])
    for kind, name, section in _SECTIONS:
        path = folder / name
        if path.exists():
            yield from _entries(path, kind, load(path, dict).get(section) or {})


def _calls(folder: Path) -> Iterator[Place]:
    """Yield the calls of libraries, and the metric, observation, rule and fix that each stands for."""
    known = calls(folder)
    made: dict[str, Mapping[str, MetricDef | ObservationDef]] = {
        "metric": call_metrics(known),
        "observation": call_observations(known),
    }
    for path in sorted(folder.glob(CALLS)):
        for place in _entries(path, "call", load(path, dict)):
            # A search is for words, not for the expressions of names.
            yield replace(place, content={k: v for k, v in place.content.items() if k not in ("names", "types")})
            call = known[place.id]
            for kind, name in (("metric", call.metric), ("observation", call.observation)):
                yield Place(kind, name, path, msgspec.to_builtins(structs.replace(made[kind][name], id="")))
            if (rule := call_rule(call)) is not None:
                yield Place("rule", rule.id, path, place.content)
            yield from (Place("fix", str(fix["id"]), path, place.content) for fix in _fixes(place.content))


def _fixes(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fixes of an entry: `fix` is one of them or a list."""
    given = content.get("fix")
    return [fix for fix in (given if isinstance(given, list) else [given]) if isinstance(fix, dict)]


def _entries(path: Path, kind: str, content: Mapping[Any, Any]) -> Iterator[Place]:
    for key, entry in content.items():
        if not isinstance(entry, dict):
            raise KnowledgeError(f"{path}:{entry_line(path, str(key))}: {key}: an entry must be a mapping")
        yield Place(kind, str(key), path, entry)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield f"{key}:"
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
    elif value is not None:
        yield str(value)


def fields_named(text: str) -> str:
    """Replace the `{metric:format}` fields of a text with `<metric>`."""
    return _FIELD.sub(lambda m: f"<{m[1]}>", text)
