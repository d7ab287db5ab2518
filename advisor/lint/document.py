"""One YAML file with the line of every key, read so that all its mistakes are found, not only the first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from advisor.catalog.loader import load, read_text
from advisor.catalog.plain_yaml import Loader, node_line
from advisor.errors import KnowledgeError
from advisor.lint.mistake import Mistake

T = TypeVar("T")
_STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+)\]|\[(\.\.\.)\]")
_PLACED = re.compile(r"(.*):(\d+): (.*)\Z", re.DOTALL)
_DEEPEST = 50
_UNKNOWN_FIELD = re.compile(r"unknown field `([^`]+)`")


def placed(error: KnowledgeError) -> Mistake:
    """The mistake that an error beginning with file:line tells of."""
    match = _PLACED.match(str(error))
    return Mistake(Path(match[1]), int(match[2]), match[3]) if match else Mistake(Path("knowledge"), 1, str(error))


@dataclass
class Document:
    """`raw` is the plain content (an empty mapping where the file cannot be read), `mistakes` what reading it found."""

    path: Path
    raw: dict[str, Any] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    _root: Any = None

    def line(self, *keys: str | int) -> int:
        """The line, from 1, of the deepest of the nested `keys` that stands in the file."""
        return node_line(self._root, keys)

    def mistake(self, text: str, *keys: str | int, severity: str = "error") -> Mistake:
        """A mistake at the place of `keys`."""
        return Mistake(self.path, self.line(*keys), text, severity)

    def convert(self, value: Any, kind: type[T], *keys: str | int) -> T | None:
        """`value`, which stands at `keys`, as `kind`; None and a mistake recorded when it does not fit."""
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
        """Every text listed under a `key` anywhere in the file, with its line."""
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
    """Read a file that must hold a mapping; whatever is wrong with it as a whole is among its mistakes."""
    out = Document(path)
    try:
        text = read_text(path)
        out.mistakes += _beyond_plain(path, text)
        if out.mistakes:  # an alias may stand for a structure of any size: nothing is built from such a file
            return out
        raw = load(path, dict[str, Any])
    except KnowledgeError as e:
        out.mistakes.append(placed(e))
        return out
    out.raw = raw
    out._root = yaml.compose(text, Loader=Loader)
    return out


def _beyond_plain(path: Path, text: str) -> list[Mistake]:
    """What knowledge files do not use: aliases (can blow up), tags (can name a type), deep nesting (can crash)."""
    out: list[Mistake] = []
    depth = 0
    try:
        for event in yaml.parse(text, Loader=Loader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            tag = getattr(event, "tag", None)
            if isinstance(event, yaml.AliasEvent):
                out.append(Mistake(path, line, f"the alias *{event.anchor}: write the value out"))
            elif tag:
                out.append(Mistake(path, line, f"the tag {tag}: plain values only"))
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > _DEEPEST:
                    return [*out, Mistake(path, line, f"nested more than {_DEEPEST} deep")]
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.YAMLError:
        return []  # the loader names the place
    return out
