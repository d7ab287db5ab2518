"""Escape unprintable characters, such as control, zero-width and bidirectional ones, in output.

A name from a report may contain any of them. In JSON the value is unchanged: the escape is JSON's own.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_UNUSUAL = re.compile(r"[^\x20-\x7e\n]")


def json_text(value: Any, *, indent: int | None = None, sort_keys: bool = False) -> str:
    """Return `value` as JSON with only printable characters and newlines; non-finite numbers become null."""
    try:
        text = json.dumps(value, indent=indent, sort_keys=sort_keys, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), indent=indent, sort_keys=sort_keys, ensure_ascii=False, allow_nan=False)
    return _UNUSUAL.sub(_escaped, text)


def _finite(value: Any) -> Any:
    """Replace non-finite numbers, which JSON lacks, by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def printable(text: str) -> str:
    """Replace every unprintable character except newlines by its escape, such as `\\u200b`."""
    return _UNUSUAL.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    """Return the character's UTF-16 code units as `\\uXXXX`, the only form in JSON above U+FFFF."""
    char = match[0]
    if char.isprintable():
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
