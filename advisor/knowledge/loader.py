"""Read knowledge YAML files into their schemas; every mistake is a KnowledgeError that begins with file:line.

The YAML is plain: text, numbers, booleans and null; no aliases, tags, duplicate keys or deep nesting, and a limited
size. PyYAML's own resolvers also read dates, sexagesimal numbers (`1:20`), octal integers and merge keys, which no file
here uses and some of which take quadratic time.

Parsing takes longer than anything else at start-up, so parsed files are cached in the user's cache folder, in one file,
`knowledge.msgpack`. It has each YAML file's name, a digest of its text, and the parsed content. Only the bundled
knowledge and exercises are cached, so its size is bounded; a cache that is damaged, or that another user could have
written, is ignored.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from advisor.records import resources
from advisor.records.errors import AdvisorError, KnowledgeError
from advisor.records.own_files import read_own, write_own
from advisor.records.regular_files import why_special

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


T = TypeVar("T")
_LIMIT = 4 << 20  # bytes; far above any bundled file, so that a malicious one cannot fill the memory


def read_text(path: Path) -> str:
    """Return the file's text. Raises KnowledgeError if it cannot be read, is not UTF-8 or is too large."""
    try:
        if why := why_special(path):
            raise KnowledgeError(f"{path}:1: {why}")
        if path.stat().st_size > _LIMIT:
            raise KnowledgeError(f"{path}:1: over {_LIMIT >> 20} MiB: not a knowledge file")
        return path.read_text(encoding="utf-8")
    except OSError as e:
        raise KnowledgeError(f"{path}:1: cannot be read: {e.strerror}") from None
    except UnicodeDecodeError:
        raise KnowledgeError(f"{path}:1: not UTF-8 text") from None


def load(path: Path, kind: type[T]) -> T:
    """Return the content of a YAML file as `kind`, a msgspec type. Rejects aliases and tags beyond plain YAML."""
    text = read_text(path)
    before = parse_cache().get(path, text, kind)
    if before is not None:
        return before

    raw = parse(path, text)
    try:
        found = msgspec.convert(raw if raw is not None else {}, kind)
    except msgspec.ValidationError as e:
        message, _, where = str(e).partition(" - at ")
        raise KnowledgeError(f"{path}:{line_of(text, where.strip('`'))}: {message}") from None
    parse_cache().put(path, text, raw)
    return found


def key_line(path: Path, *keys: str) -> int:
    """Return the line, from 1, of the nested `keys` in the file; 1 if they are missing."""

    return line_of(read_text(path), "".join(f".{k}" if not k.isdigit() else f"[{k}]" for k in keys))


def load_mapping(path: Path, kind: type[T]) -> dict[str, T]:
    """Load a file that maps ids to entries of one kind. Each entry is checked separately, so errors name its line."""
    raw = load(path, dict[str, Any])
    out: dict[str, T] = {}
    for key, value in raw.items():
        try:
            out[key] = msgspec.convert(value, kind)
        except msgspec.ValidationError as e:
            message, _, where = str(e).partition(" - at ")
            raise KnowledgeError(f"{path}:{entry_line(path, key, message, where)}: {key}: {message}") from None
    return out


def entry_line(path: Path, key: str, message: str = "", where: str = "") -> int:
    """Return the line, from 1, of the entry's field that a msgspec error names, or of the entry's key."""
    rows = read_text(path).splitlines()
    start = next((i for i, row in enumerate(rows) if re.match(rf"['\"]?{re.escape(key)}['\"]?\s*:", row)), 0)
    end = next((i for i in range(start + 1, len(rows)) if re.match(r"\S", rows[i])), len(rows))
    for name in (*re.findall(r"\.([^.\[\]`]+)", where), *re.findall(r"`([^`]+)`", message)):
        for i in range(start, end):
            if re.search(rf"(^|[\s{{,]){re.escape(name)}\s*:", rows[i]):
                return i + 1
    return start + 1


FILE = "knowledge.msgpack"
_CACHE_LIMIT = 16 << 20  # bytes; the bundled knowledge takes half a megabyte
# Exceptions of a changed cache file or an impossible path: deep nesting, not UTF-8, no file, a symlink loop.
_DAMAGED = (OSError, ValueError, RuntimeError, msgspec.MsgspecError)
_Entries = dict[str, tuple[bytes, msgspec.Raw]]


class ParseCache:
    """A cache, in one file, of the parsed contents of the YAML files under some folders."""

    def __init__(self, file: Path | None, folders: tuple[Path, ...]) -> None:
        """Create the cache. file: None to store nothing on disk."""
        self._file = file
        self._folders = {f"{folder}{os.sep}": folder.name for folder in folders}
        self._entries: _Entries | None = None
        self._new = False

    def get(self, path: Path, text: str, kind: type[T]) -> T | None:
        """Return the cached content of this text as `kind`, or None if it is missing or of another type."""
        place, digest = self._place(path), _digest(text)
        found = self._known().get(place) if place else None
        if found is None or found[0] != digest:
            return None
        try:
            return msgspec.msgpack.decode(found[1], type=kind)
        except _DAMAGED:  # or a mistake in the YAML, which the caller reports with its line
            return None

    def put(self, path: Path, text: str, content: Any) -> None:
        """Cache the parsed content of a text, if its type survives the round trip unchanged."""
        place = self._place(path)
        if not place:
            return
        try:
            packed = msgspec.msgpack.encode(content)
            same = bool(msgspec.msgpack.decode(packed) == content)
        except (*_DAMAGED, TypeError, OverflowError):
            return
        if same:
            self._known()[place] = (_digest(text), msgspec.Raw(packed))
            self._new = True

    def write(self) -> None:
        """Write the file if there is anything new; ignore errors. A link could lead to a file of another kind."""
        if self._new and self._file is not None:
            with contextlib.suppress(*_DAMAGED, AdvisorError):
                if self._file.is_symlink():
                    return
                write_own(self._file, msgspec.msgpack.encode(dict(self._known())))
                self._new = False

    def _place(self, path: Path) -> str:
        text = str(path)
        found = (name + text[len(folder) - 1 :] for folder, name in self._folders.items() if text.startswith(folder))
        return next(found, "")

    def _known(self) -> _Entries:
        if self._entries is None:
            self._entries = {}
            with contextlib.suppress(*_DAMAGED):
                if self._file is not None:
                    self._entries = msgspec.msgpack.decode(read_own(self._file, _CACHE_LIMIT), type=_Entries)
        return self._entries


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@lru_cache(maxsize=1)
def parse_cache() -> ParseCache:
    """Return the cache of this program; it is written at exit."""
    folders = []
    for name in ("knowledge", "kernels"):
        with contextlib.suppress(AdvisorError):
            folders.append(resources.folder(name))
    file = None
    with contextlib.suppress(AdvisorError):
        file = resources.user_cache() / FILE
    found = ParseCache(file, tuple(folders))
    atexit.register(found.write)
    return found


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
