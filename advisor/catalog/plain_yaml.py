"""Plain YAML: no aliases, no tags of its own, no key twice, no nesting that exhausts a parser; and the lines of things.

Apart from the loader, since what was parsed before is not parsed again (see kept.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from advisor.errors import KnowledgeError

# The parser in C, where PyYAML was built with it.
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# A parser that runs out of stack takes the process with it, so nesting is bounded before it starts.
_NESTED = re.compile(r"(?:[-?:]\s+){60}")
_DEEPEST = 60


class _Plain(Loader):  # type: ignore[misc]
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


def parse(path: Path, text: str) -> Any:
    """The content of the YAML `text` that stands in the file `path`; KnowledgeError with file and line."""
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
    """The line, from 1, of a msgspec path such as `$.seen[0].when` or a key path; 1 when it cannot be found."""
    steps = [m[1] if m[1] is not None else int(m[2]) for m in re.finditer(r"\.([^.\[\]]+)|\[(\d+)\]", where)]
    try:
        node = yaml.compose(text, Loader=Loader)
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
