"""Reads one YAML file of knowledge into its schema; every mistake is a KnowledgeError that begins with file:line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from advisor.errors import KnowledgeError

T = TypeVar("T")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LIMIT = 4 << 20  # bytes; our largest file is far below, a hostile one should not fill the memory


# A parser that runs out of stack takes the process with it, so nesting is bounded before it starts.
_NESTED = re.compile(r"(?:[-?:]\s+){60}")
_DEEPEST = 60


class _Plain(_Loader):  # type: ignore[misc]
    """The safe loader without aliases, and with a key given twice as a mistake instead of a silent overwrite."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node in self.constructed_objects:
            raise _mistake("aliases are not used here: write the value again", node)
        return super().construct_object(node, deep)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[Any, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _mistake("a key must be a word or a number", key)
            if key.value in seen:
                raise _mistake(f"the key {key.value!r} stands here and in line {seen[key.value] + 1}", key)
            seen[key.value] = key.start_mark.line
        return dict(super().construct_mapping(node, deep))


def _mistake(text: str, node: yaml.Node) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, text, node.start_mark)


def _too_deep(text: str) -> bool:
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth = max(0, depth + (1 if bracket in "[{" else -1))
        deepest = max(deepest, depth)
    return deepest > _DEEPEST or _NESTED.search(text) is not None


def read_text(path: Path) -> str:
    """The file's text; KnowledgeError when it cannot be read, is not UTF-8 or is absurdly large."""
    try:
        if path.stat().st_size > _LIMIT:
            raise KnowledgeError(f"{path}:1: over {_LIMIT >> 20} MiB: not a knowledge file")
        return path.read_text(encoding="utf-8")
    except OSError as e:
        raise KnowledgeError(f"{path}:1: cannot be read: {e.strerror}") from None
    except UnicodeDecodeError:
        raise KnowledgeError(f"{path}:1: not UTF-8 text") from None


def load(path: Path, kind: type[T]) -> T:
    """The content of a YAML file as `kind`, a msgspec type; aliases and tags beyond plain YAML are refused."""
    text = read_text(path)
    if _too_deep(text):
        raise KnowledgeError(f"{path}:1: nested too deeply")
    try:
        raw = yaml.load(text, Loader=_Plain)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise KnowledgeError(f"{path}:{line}: {getattr(e, 'problem', None) or 'not valid YAML'}") from None
    except RecursionError:
        raise KnowledgeError(f"{path}:1: nested too deeply") from None
    except ValueError as e:
        raise KnowledgeError(f"{path}:1: {e}") from None
    try:
        return msgspec.convert(raw if raw is not None else {}, kind)
    except msgspec.ValidationError as e:
        message, _, where = str(e).partition(" - at ")
        raise KnowledgeError(f"{path}:{line_of(text, where.strip('`'))}: {message}") from None


def line_of(text: str, where: str) -> int:
    """The line, from 1, of a msgspec path such as `$.seen[0].when` or a key path; 1 when it cannot be found."""
    steps = [m[1] if m[1] is not None else int(m[2]) for m in re.finditer(r"\.([^.\[\]]+)|\[(\d+)\]", where)]
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError:
        return 1
    return node_line(node, steps)


def node_line(node: yaml.Node | None, steps: Iterable[str | int]) -> int:
    """The line, from 1, of the deepest of nested keys and places that stands under a node of a YAML tree."""
    line = 1
    for step in steps:
        if isinstance(node, yaml.MappingNode):
            # msgspec writes [...] for any key of a mapping: then the line of the mapping is the best there is.
            found = next(((k, v) for k, v in node.value if k.value == str(step)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1
        else:
            break
    return line


def key_line(path: Path, *keys: str) -> int:
    """The line, from 1, at which the nested `keys` stand in the file; 1 when they do not."""
    return line_of(read_text(path), "".join(f".{k}" if not k.isdigit() else f"[{k}]" for k in keys))


def load_mapping(path: Path, kind: type[T]) -> dict[str, T]:
    """A file that maps ids to entries of one kind: each entry is checked by itself, so an error names its own line."""
    raw = load(path, dict[str, Any])
    out: dict[str, T] = {}
    for key, value in raw.items():
        try:
            out[key] = msgspec.convert(value, kind)
        except msgspec.ValidationError as e:
            message, _, where = str(e).partition(" - at ")
            raise KnowledgeError(f"{path}:{_line_in_entry(path, key, message, where)}: {key}: {message}") from None
    return out


def _line_in_entry(path: Path, key: str, message: str, where: str) -> int:
    """The line of the field that an error of one entry speaks of; of the entry's key when the field is not found."""
    rows = read_text(path).splitlines()
    start = next((i for i, row in enumerate(rows) if re.match(rf"['\"]?{re.escape(key)}['\"]?\s*:", row)), 0)
    end = next((i for i in range(start + 1, len(rows)) if re.match(r"\S", rows[i])), len(rows))
    for name in (*re.findall(r"\.([^.\[\]`]+)", where), *re.findall(r"`([^`]+)`", message)):
        for i in range(start, end):
            if re.search(rf"(^|[\s{{,]){re.escape(name)}\s*:", rows[i]):
                return i + 1
    return start + 1
