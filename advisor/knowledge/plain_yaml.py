"""Parse plain YAML: text, numbers, booleans and null; no aliases, tags, duplicate keys or deep nesting, limited size.

PyYAML's own resolvers also read dates, sexagesimal numbers (`1:20`), octal integers and merge keys, which no file here
uses and some of which take quadratic time. The loader imports this module only to parse a file that is not cached or
to find the line of a mistake: PyYAML loads slowly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from advisor.records.errors import KnowledgeError

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

# Use the parser in C if PyYAML was built with it.
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class BoundedLoader(_Base):  # type: ignore[misc]
    """The safe loader for plain values. Raises ConstructorError, with the line, for a file beyond the limits."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self._nodes = self._depth = 0

    def descend_resolver(self, current_node: yaml.Node | None, current_index: Any) -> None:
        """Count a node when the composer enters it."""
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
        """Return the tag of a node without an explicit tag."""
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
    """Return an unquoted scalar's type: `null`, `bool`, `int`, `float`, `str`. Raises ConstructorError if too long."""
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


# A parser that runs out of stack kills the process, so nesting is checked before it starts.
_NESTED = re.compile(r"(?:[-?:]\s+){60}")


class _Plain(BoundedLoader):
    """The safe loader without aliases; a duplicate key is an error instead of a silent overwrite."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node in self.constructed_objects:
            raise _mistake("aliases are not allowed: write the value again", node)
        return super().construct_object(node, deep)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[Any, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _mistake("a key must be a word or a number", key)
            if key.value in seen:
                raise _mistake(f"duplicate key {key.value!r}: already in line {seen[key.value] + 1}", key)
            seen[key.value] = key.start_mark.line
        return dict(super().construct_mapping(node, deep))


def _mistake(text: str, node: yaml.Node) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, text, node.start_mark)


def _too_deep(text: str) -> bool:
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth = max(0, depth + (1 if bracket in "[{" else -1))
        deepest = max(deepest, depth)
    return deepest > DEEPEST or _NESTED.search(text) is not None


def parse(path: Path, text: str) -> Any:
    """Parse the YAML `text` of the file `path`. Raises KnowledgeError with file and line."""
    if _too_deep(text):
        raise KnowledgeError(f"{path}:1: nested too deeply")
    try:
        return yaml.load(text, Loader=_Plain)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise KnowledgeError(f"{path}:{line}: {getattr(e, 'problem', None) or 'not valid YAML'}") from None
    except RecursionError:
        raise KnowledgeError(f"{path}:1: nested too deeply") from None
    except ValueError as e:
        raise KnowledgeError(f"{path}:1: {e}") from None


def line_of(text: str, where: str) -> int:
    """Return the line, from 1, of a msgspec path such as `$.seen[0].when` or of a key path; 1 if not found."""
    steps = [m[1] if m[1] is not None else int(m[2]) for m in re.finditer(r"\.([^.\[\]]+)|\[(\d+)\]", where)]
    try:
        node = yaml.compose(text, Loader=BoundedLoader)
    except (yaml.YAMLError, RecursionError):
        return 1
    return node_line(node, steps)


def _entries(node: yaml.MappingNode) -> dict[Any, tuple[yaml.Node, yaml.Node]]:
    """Map key texts to key and value nodes; built once per node, since lint looks up thousands of lines."""
    known: dict[Any, tuple[yaml.Node, yaml.Node]] | None = vars(node).get("entries")
    if known is None:
        known = {key.value: (key, value) for key, value in reversed(node.value) if isinstance(key, yaml.ScalarNode)}
        vars(node)["entries"] = known
    return known


def node_line(node: yaml.Node | None, steps: Iterable[str | int]) -> int:
    """Return the line, from 1, of the deepest existing key or index of `steps` under a node of a YAML tree."""
    line = 1
    for step in steps:
        if isinstance(node, yaml.MappingNode):
            # msgspec writes [...] for any key of a mapping: then only the line of the mapping is known.
            found = _entries(node).get(str(step))
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1
        else:
            break
    return line
