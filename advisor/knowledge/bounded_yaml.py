"""The YAML loader: text, integers, floats, booleans and null, within bounds that are checked while the file is parsed.

PyYAML's own resolvers also know dates, sexagesimal numbers (`1:20`), octal and binary integers and merge keys. None of
our files use them, and some take time that grows with the square of their length.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

MOST_NODES = 30_000
MOST_SCALAR = 64 << 10  # characters
DEEPEST = 60

_TAG = "tag:yaml.org,2002:"
_LONGEST_NUMBER = 40  # characters
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = frozenset(
    spelling
    for word in ("true", "false", "yes", "no", "on", "off")
    for spelling in (word, word.capitalize(), word.upper())
)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

# The parser in C, where PyYAML was built with it.
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class BoundedLoader(_Base):  # type: ignore[misc]
    """The safe loader for plain values; a file beyond the bounds is a ConstructorError with the line."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self._nodes = self._depth = 0

    def descend_resolver(self, current_node: yaml.Node | None, current_index: Any) -> None:
        """Count a node as the composer enters it."""
        self._nodes += 1
        self._depth += 1
        if self._depth > DEEPEST:
            raise _beyond("nested too deeply", current_node)
        if self._nodes > MOST_NODES:
            raise _beyond(f"more than {MOST_NODES:,} values", current_node)

    def ascend_resolver(self) -> None:
        """Leave a node."""
        self._depth -= 1

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: Any) -> str:
        """The tag of a node that has none of its own."""
        if kind is yaml.SequenceNode:
            return _TAG + "seq"
        if kind is yaml.MappingNode:
            return _TAG + "map"
        text = value or ""
        if len(text) > MOST_SCALAR:
            raise _beyond(f"a text of more than {MOST_SCALAR:,} characters", None)
        plain = implicit[0] if isinstance(implicit, tuple) else implicit
        return _TAG + (kind_of(text) if plain else "str")


def kind_of(text: str) -> str:
    """`null`, `bool`, `int`, `float` or `str`: what an unquoted scalar is; ConstructorError for an endless number."""
    if text in _NULL:
        return "null"
    if text in _BOOLEANS:
        return "bool"
    kind = "int" if _INTEGER.fullmatch(text) else "float" if _FLOAT.fullmatch(text) else ""
    if kind and len(text) > _LONGEST_NUMBER:
        raise _beyond(f"a value of more than {_LONGEST_NUMBER} digits is not a number", None)
    return kind or ("float" if _NOT_FINITE.fullmatch(text) else "str")


def _beyond(text: str, node: yaml.Node | None) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, text, node.start_mark if node is not None else None)
