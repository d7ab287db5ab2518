"""Write records as JSON by the rules of `advisor.records.record`, for every document."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from advisor.records.escapes import json_text
from advisor.records.record import FORM, INTERNAL, OBJECT
from advisor.view.numbers import number

Write = Callable[[Any], Any]
_PLAIN = (str, int, bool, type(None))
# Default factories whose values are left out, as in msgspec.
EMPTY = (dict, list, set)


def document_json(document: msgspec.Struct) -> str:
    """Return a document as text: the same bytes for the same record."""
    return "".join(document_texts(document))


def document_texts(document: msgspec.Struct, items: Mapping[str, Iterable[Any]] | None = None) -> Iterator[str]:
    """Yield the text of `document_json` in pieces, for a document that is larger as plain data than as records.

    The items of a field are written one by one. items: field -> its items in place of those of the document, which may
    be made when they are asked for, field after field.
    """
    kind = type(document)
    tag, rows = _fields(kind)
    hints = typing.get_type_hints(kind, include_extras=True)
    between = "{"
    for encoded, tagged in tag.items():
        yield f"{between}\n {json_text(encoded)}: {json_text(tagged)}"
        between = ","
    for name, encoded, required, default, write in rows:
        if items is not None and name in items:
            some = iter(items[name])
            first = next(some, None)
            value: Any = () if first is None else chain((first,), some)
        else:
            value = getattr(document, name)
        if (value is None and not required) or (value is not None and value == default):
            continue
        if value and _is_list(hints[name]):
            yield f"{between}\n {json_text(encoded)}: ["
            for at, item in enumerate(value):
                yield f"{',' if at else ''}\n  {_indented(write((item,))[0], 2)}"
            yield "\n ]"
        else:
            written = None if value is None else write(value)
            if written is None and value is not None:
                continue
            yield f"{between}\n {json_text(encoded)}: {_indented(written, 1)}"
        between = ","
    yield "{}\n" if between == "{" else "\n}\n"


def _is_list(hint: Any) -> bool:
    """Return whether a type is a tuple of any length that is written as a list."""
    arguments = get_args(hint)
    return get_origin(hint) is tuple and len(arguments) == 2 and arguments[1] is Ellipsis


def _indented(value: Any, by: int) -> str:
    """Return plain data as text whose lines after the first are indented by so many blanks."""
    return json_text(value, indent=1).replace("\n", "\n" + " " * by)


def document_parts(kind: type[msgspec.Struct], values: Mapping[str, Any]) -> Iterator[str]:
    """Yield a document of a class as pieces of text: its fields by name; an iterator is written item by item."""
    hints = typing.get_type_hints(kind, include_extras=True)
    yield f'{{\n "schema": {json_text(kind.__struct_config__.tag)}'
    for field in msgspec.structs.fields(kind):
        value, write = values.get(field.name, field.default), _writer(hints[field.name])
        if value == field.default:
            continue
        if not isinstance(value, Iterator):
            yield f',\n "{field.encode_name}": {json_text(write(value))}'
            continue
        yield f',\n "{field.encode_name}": ['
        between = "\n"
        write = _writer(get_args(hints[field.name])[0])
        for item in value:
            yield f"{between}  {json_text(write(item))}"
            between = ",\n"
        yield "]"
    yield "\n}\n"


def plain(value: Any) -> Any:
    """Convert a record, or a value of a record's field, to plain data."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, msgspec.Struct):
        return _record(kind)(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return _object(plain)(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


@lru_cache(maxsize=256)
def _fields(kind: Any) -> tuple[dict[str, Any], list[tuple[str, str, bool, Any, Write]]]:
    """Return the tag of a class of records, and for each field: name, name in JSON, required, default, writer."""
    hints = typing.get_type_hints(kind, include_extras=True)
    config = kind.__struct_config__
    tag = {config.tag_field: config.tag} if config.tag_field else {}
    rows = []
    for field in msgspec.structs.fields(kind):
        if form_of(hints[field.name]) == INTERNAL:
            continue
        default = field.default_factory() if field.default_factory in EMPTY else field.default
        rows.append((field.name, field.encode_name, field.required, default, _writer(hints[field.name])))
    return tag, rows


@lru_cache(maxsize=256)
def _record(kind: Any) -> Write:
    """Return the writer of a class of records."""
    tag, rows = _fields(kind)

    def write(value: Any) -> dict[str, Any]:
        out: dict[str, Any] = dict(tag)
        for name, encoded, required, default, write in rows:
            item = getattr(value, name)
            if item is None:
                if required:
                    out[encoded] = None
            elif item != default:
                item = write(item)
                if item is not None:
                    out[encoded] = item
        return out

    return write


def form_of(hint: Any) -> Any:
    """Return how a type is written: INTERNAL, OBJECT, the names of a tuple's items, or None by default."""
    if get_origin(hint) is not Annotated:
        return None
    metas = [meta.extra_json_schema or {} for meta in hint.__metadata__ if isinstance(meta, msgspec.Meta)]
    return next((meta[FORM] for meta in metas if FORM in meta), None)


def _writer(hint: Any) -> Write:
    """Return the writer of the values of a type."""
    form = form_of(hint)
    if isinstance(form, list):
        return _named(form, [_writer(item) for item in get_args(hint.__origin__)])
    if form == OBJECT:
        inner = _object(_writer(get_args(get_args(hint.__origin__)[0])[1]))
        return lambda pairs: inner(dict(pairs))
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _writer(hint.__origin__)
    if origin in (Union, types.UnionType):
        known = [part for part in arguments if part is not type(None)]
        return _writer(known[0]) if len(known) == 1 else plain
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _list(_writer(arguments[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _object(_writer(arguments[1]))
    if origin is typing.Literal or hint in _PLAIN:
        return _same
    return number if hint is float else plain


def _same(value: Any) -> Any:
    return value


def _list(write: Write) -> Write:
    return list if write is _same else lambda values: [write(value) for value in values]


def _named(names: list[str], writers: list[Write]) -> Write:
    def whole(values: tuple[Any, ...]) -> dict[str, Any]:
        return {name: write(value) for name, write, value in zip(names, writers, values, strict=True)}

    return whole


def _object(write: Write) -> Write:
    def whole(values: Mapping[str, Any]) -> dict[str, Any]:
        written = ((name, value, write(value)) for name, value in values.items())
        return {name: out for name, value, out in written if out is not None or value is None}

    return whole
