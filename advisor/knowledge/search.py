"""Where each explainable word stands in knowledge/, by a line scan: no file is parsed before an entry is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import yaml

from advisor.knowledge.loader import Loader, load, load_mapping, read_text
from advisor.records.errors import KnowledgeError

_KEY = r"(?:\"([^\"]+)\"|'([^']+)'|([A-Za-z0-9_][\w.+-]*)):(?=[ \n])"
_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)(?::[^{}]*)?\}")
_TOP = re.compile(rf"^{_KEY}", re.MULTILINE)
_INNER = re.compile(rf"^  {_KEY}", re.MULTILINE)
_PLACE = re.compile(rf"^    {_KEY}", re.MULTILINE)
_RULE = re.compile(r"\bid: *[\"']?([A-Za-z_]\w*\.[\w.]+)")
_FIX = re.compile(r"^  id: *[\"']?(\w+)", re.MULTILINE)
_ALIASES = re.compile(r"\b(?:aliases|devices): *\[([^\]]*)\]")
_NAME = re.compile(r"^ +name: *[\"']?([^\n\"']+)", re.MULTILINE)
# A field of a block on a line of its own, or of a mapping in braces.
_QUOTED = r"\"(?:[^\"\\]|\\.)*\"|'[^']*'"
_TITLE = re.compile(rf"^ *title: *(?P<block>.*)$|[{{,] *title: *(?P<flow>{_QUOTED}|[^,}}\n]*)", re.MULTILINE)
_SAYS = re.compile(
    rf"^ *(?:ask|means|says|meaning|what|name): *(?P<block>.*)$"
    rf"|[{{,] *(?:ask|means|says|meaning|what|name): *(?P<flow>{_QUOTED}|[^,}}\n]*)",
    re.MULTILINE,
)

# What a file holds, and in which order kinds answer to the same word.
_TOPICS = {
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
ORDER = (
    "diagnosis",
    "trust",
    "pattern",
    "workload",
    "class",
    "decision",
    "stall",
    "opcode",
    "step",
    "pitfall",
    "formula",
    "topic",
    "threshold",
    "ncu_rule",
    "case",
    "algorithm",
    "gpu",
    "question",
    "observation",
    "rule",
    "fix",
    "term",
    "metric",
    "unit",
    "dtype",
    "erratum",
    "source",
)
_RANK = {kind: at for at, kind in enumerate(ORDER)}


def norm(word: str) -> str:
    """A word for comparing: case, spaces, dashes and underscores do not matter."""
    return re.sub(r"[\s_-]+", "_", word.strip().casefold()).strip("_")


@dataclass(frozen=True, slots=True)
class Place:
    """One entry: its kind and id, its file, and where its block stands in the file's text (offsets in characters)."""

    kind: str
    id: str
    path: Path
    start: int
    end: int


class Index:
    """All places of some knowledge folders, by id as `norm` makes it."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.texts: dict[Path, str] = {}
        self.places: dict[str, list[Place]] = {}
        self.sources: dict[str, Place] = {}
        for folder in folders:
            if not folder.is_dir():
                raise KnowledgeError(f"{folder}:1: no such knowledge directory")
            for place in self._scan(folder):
                self.places.setdefault(norm(place.id), []).append(place)
        for found in self.places.values():
            found.sort(key=lambda p: _RANK[p.kind])

    def _scan(self, folder: Path) -> Iterator[Place]:
        for kind, pattern in (
            ("diagnosis", "diagnoses/*.yaml"),
            ("trust", "trust/*.yaml"),
            ("pattern", "timeline/*.yaml"),
            ("workload", "graphics/diagnoses/*.yaml"),
        ):
            for path in sorted(folder.glob(pattern)):
                text = self._text(path)
                yield Place(kind, path.stem, path, 0, len(text))
                for rule, found in (("rule", _RULE.finditer(text)), ("fix", _FIX.finditer(text))):
                    yield from (Place(rule, m[1], path, 0, len(text)) for m in found)
        for kind, pattern in (
            ("class", "classification.yaml"),
            ("decision", "timeline_decisions.yaml"),
            ("metric", "metrics*.yaml"),
            ("observation", "observations/*.yaml"),
            ("observation", "graphics/observations/*.yaml"),
            ("question", "questions.yaml"),
            ("algorithm", "napkin/algorithms.yaml"),
            ("dtype", "napkin/dtypes.yaml"),
        ):
            for path in sorted(folder.glob(pattern)):
                yield from self._keys(path, kind)
        for path in sorted(folder.glob("topics/*.yaml")):
            yield from self._keys(path, _TOPICS.get(path.stem, "topic"))
        for path in sorted(folder.glob("sources.yaml")):
            for source in self._keys(path, "source"):
                self.sources.setdefault(source.id, source)
                yield source
        for kind, name, section in (("gpu", "gpus.yaml", "cards"), ("unit", "time_model.yaml", "terms")):
            if (folder / name).exists():
                yield from self._inner(folder / name, kind, section)

    def _text(self, path: Path) -> str:
        if path not in self.texts:
            self.texts[path] = read_text(path)
        return self.texts[path]

    def _keys(self, path: Path, kind: str) -> Iterator[Place]:
        text = self._text(path)
        marks = [(m.start(), m[1] or m[2] or m[3]) for m in _TOP.finditer(text)]
        ends = [start for start, _ in marks[1:]] + [len(text)]
        for (start, key), end in zip(marks, ends, strict=True):
            yield Place(kind, key, path, start, end)

    def _inner(self, path: Path, kind: str, section: str) -> Iterator[Place]:
        for block in self._keys(path, kind):
            if block.id != section:
                continue
            text = self.texts[path][block.start : block.end]
            marks = [(m.start(), m[1] or m[2] or m[3]) for m in _INNER.finditer(text)]
            ends = [start for start, _ in marks[1:]] + [len(text)]
            for (start, key), end in zip(marks, ends, strict=True):
                yield Place(kind, key, path, block.start + start, block.start + end)

    def block(self, place: Place) -> str:
        """The text of the entry."""
        return self.texts[place.path][place.start : place.end]

    def raw(self, place: Place) -> dict[str, Any]:
        """The plain content of one entry; a mistake in it is a KnowledgeError with file and line."""
        try:
            content = yaml.load(self.block(place), Loader=Loader)
        except yaml.YAMLError:
            load(place.path, dict)
            raise KnowledgeError(f"{place.path}:1: {place.id}: not valid YAML") from None
        entry = content.get(place.id) if isinstance(content, dict) else None
        if not isinstance(entry, dict):
            line = self.texts[place.path].count("\n", 0, place.start) + 1
            raise KnowledgeError(f"{place.path}:{line}: {place.id}: an entry must be a mapping")
        return {str(key): value for key, value in entry.items()}

    def entry(self, place: Place, kind: type[Any]) -> Any:
        """One entry of a mapping file as its schema, with its id."""
        try:
            made = msgspec.convert(self.raw(place), kind)
        except msgspec.ValidationError:
            load_mapping(place.path, kind)
            raise
        return msgspec.structs.replace(made, id=place.id) if hasattr(made, "id") else made

    def of(self, word: str, kind: str = "") -> Place | None:
        """The first place of this id, of one kind if given."""
        return next((p for p in self.places.get(norm(word), ()) if not kind or p.kind == kind), None)

    def everything(self) -> Iterator[Place]:
        """All places."""
        for found in self.places.values():
            yield from found

    def title(self, place: Place) -> str:
        """A line that names the entry, read off its text."""
        if place.kind == "rule":
            return ""
        text = self.block(place)
        if place.kind == "fix":
            text = text[text.find("\nfix:") :]
            match = re.search(r"summary: *(?P<block>.*)(?P<flow>)", text)
        else:
            match = _TITLE.search(text) or _SAYS.search(text)
        return _plain(match["block"] or match["flow"] or "") if match else ""

    def aliases(self) -> Iterator[tuple[str, Place]]:
        """Other names that entries give themselves."""
        for place in self.everything():
            if place.kind in ("diagnosis", "trust", "rule", "fix", "source", "metric", "observation"):
                continue
            text = self.block(place)
            for match in _ALIASES.finditer(text):
                yield from ((_plain(name), place) for name in match[1].split(","))
            if place.kind == "gpu":
                yield from ((_plain(m[1]), place) for m in _NAME.finditer(text))

    def source_title(self, key: str) -> str | None:
        """The title of a citation key, None when it dangles."""
        head, _, place = key.partition(".")
        source = self.sources.get(head)
        if source is None:
            return None
        text = self.block(source)
        title = self.title(source) or head
        if not place:
            return title
        for m in _PLACE.finditer(text):
            if (m[1] or m[2] or m[3]) == place:
                return f"{title}: {_plain(text[m.end() : text.find(chr(10), m.end())])}"
        return None


def fields_named(text: str) -> str:
    """A text with fields, without values: each field reads as its metric's id in angle brackets."""
    return _FIELD.sub(lambda m: f"<{m[1]}>", text)


def _plain(text: str) -> str:
    """A YAML scalar of one line without its quotes; a field without a value reads as its metric in angle brackets."""
    text = fields_named(text.strip())
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1].replace('\\"', '"').replace("''", "'")
    return text
