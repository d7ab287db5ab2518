"""Reads one YAML file of knowledge into its schema; every mistake is a KnowledgeError that begins with file:line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from advisor.catalog.kept import kept
from advisor.errors import KnowledgeError

T = TypeVar("T")
_LIMIT = 4 << 20  # bytes; our largest file is far below, a hostile one should not fill the memory


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
    before = kept().get(path, text, kind)
    if before is not None:
        return before
    from advisor.catalog.plain_yaml import line_of, parse

    raw = parse(path, text)
    try:
        found = msgspec.convert(raw if raw is not None else {}, kind)
    except msgspec.ValidationError as e:
        message, _, where = str(e).partition(" - at ")
        raise KnowledgeError(f"{path}:{line_of(text, where.strip('`'))}: {message}") from None
    kept().put(path, text, raw)
    return found


def key_line(path: Path, *keys: str) -> int:
    """The line, from 1, at which the nested `keys` stand in the file; 1 when they do not."""
    from advisor.catalog.plain_yaml import line_of

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
