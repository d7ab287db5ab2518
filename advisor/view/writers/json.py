"""Write records as JSON by the rules of `advisor.records.record`, for every document."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
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
    return json_text(plain(document), indent=1) + "\n"


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
def _record(kind: Any) -> Write:
    """Return the writer of a class of records."""
    hints = typing.get_type_hints(kind, include_extras=True)
    config = kind.__struct_config__
    tag = {config.tag_field: config.tag} if config.tag_field else {}
    rows = []
    for field in msgspec.structs.fields(kind):
        if form_of(hints[field.name]) == INTERNAL:
            continue
        default = field.default_factory() if field.default_factory in EMPTY else field.default
        rows.append((field.name, field.encode_name, field.required, default, _writer(hints[field.name])))

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
