"""Reads one YAML file of knowledge into its schema; every mistake is a KnowledgeError that begins with file:line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from advisor.errors import KnowledgeError

T = TypeVar("T")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LIMIT = 4 << 20  # bytes; our largest file is far below, a hostile one should not fill the memory


class _UniqueKeys(_Loader):  # type: ignore[misc]
    """The safe loader, but a key given twice in one mapping is a mistake instead of a silent overwrite."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[Any, int] = {}
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} stands here and in line {seen[key.value] + 1}", key.start_mark
                )
            seen[key.value] = key.start_mark.line
        return dict(super().construct_mapping(node, deep))


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
    try:
        raw = yaml.load(text, Loader=_UniqueKeys)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise KnowledgeError(f"{path}:{line}: {getattr(e, 'problem', None) or 'not valid YAML'}") from None
    except RecursionError:
        raise KnowledgeError(f"{path}:1: nested too deeply") from None
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
    line = 1
    for step in steps:
        if isinstance(node, yaml.MappingNode):
            # msgspec writes [...] for any key of a mapping: then the line of the mapping is the best there is.
            found = next(((k, v) for k, v in node.value if k.value == step), None)
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
            text = read_text(path)
            base = next((i for i, row in enumerate(text.splitlines(), 1) if row.startswith(f"{key}:")), 1)
            fields = re.findall(r"\.([^.\[\]`]+)", where)
            rows = text.splitlines()
            inner = next(
                (
                    i
                    for i in range(base, min(base + 60, len(rows)))
                    if fields and re.match(rf"\s+{fields[0]}:", rows[i])
                ),
                base - 1,
            )
            raise KnowledgeError(f"{path}:{inner + 1}: {key}: {message}") from None
    return out
