"""The part of msgspec that the knowledge and the records use, in plain Python: structs, and conversion to them."""

from __future__ import annotations

import sys
import types
import typing
from typing import Any

UNSET: Any = object()
_NONE: Any = object()


class UnsetType:
    """The type of UNSET."""


class MsgspecError(Exception):
    """Base of the errors."""


class ValidationError(MsgspecError, ValueError):
    """Data of another type than wanted."""


class Raw(bytes):
    """Encoded data."""


class Meta:
    """Limits of a value; the exporter has checked them."""

    def __init__(self, **limits: Any) -> None:
        self.limits = limits


class _Field:
    def __init__(self, default: Any, factory: Any, name: str | None) -> None:
        self.default, self.factory, self.name = default, factory, name


def field(*, default: Any = _NONE, default_factory: Any = None, name: str | None = None) -> Any:
    """Return the default of a field."""
    return _Field(default, default_factory, name)


class _Kind(type):
    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any], **options: Any) -> Any:
        hints = space.get("__annotations__", {})
        own: dict[str, Any] = {}
        for key, hint in hints.items():
            if not str(hint).startswith(("ClassVar", "typing.ClassVar")):
                own[key] = space.pop(key, _NONE)
        made = super().__new__(mcs, name, bases, space)
        known: dict[str, tuple[Any, bool]] = {}
        for base in reversed(made.__mro__[1:]):
            known.update(base.__dict__.get("_own", {}))
        made._own = {key: (value, bool(options.get("kw_only"))) for key, value in own.items()}  # type: ignore[attr-defined]
        known.update(made._own)  # type: ignore[attr-defined]
        order = [key for key, (_, last) in known.items() if not last] + [
            key for key, (_, last) in known.items() if last
        ]
        made.__struct_fields__ = tuple(order)  # type: ignore[attr-defined]
        made._defaults = {key: value for key, (value, _) in known.items()}  # type: ignore[attr-defined]
        named = {value.name: key for key, (value, _) in known.items() if isinstance(value, _Field) and value.name}
        made._read_as = named  # type: ignore[attr-defined]
        made._closed = bool(options.get("forbid_unknown_fields"))  # type: ignore[attr-defined]
        return made

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any], **options: Any) -> None:
        super().__init__(name, bases, space)


class Struct(metaclass=_Kind):
    """A class of fields with types and defaults."""

    def __init__(self, *values: Any, **named: Any) -> None:
        fields = self.__struct_fields__  # type: ignore[attr-defined]
        given = {**dict(zip(fields, values)), **named}
        for key in fields:
            if key in given:
                value = given.pop(key)
            else:
                value = self._defaults[key]  # type: ignore[attr-defined]
                if isinstance(value, _Field):
                    value = value.factory() if value.factory is not None else value.default
                if value is _NONE:
                    raise TypeError(f"{type(self).__name__} needs {key}")
                if isinstance(value, (dict, list, set)):
                    value = value.copy()
            self.__dict__[key] = value
        if given:
            raise TypeError(f"{type(self).__name__} has no field {next(iter(given))}")
        after = getattr(self, "__post_init__", None)
        if after is not None:
            after()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            self.__dict__[key] == other.__dict__[key]
            for key in self.__struct_fields__  # type: ignore[attr-defined]
        )

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__[key] for key in self.__struct_fields__))  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={self.__dict__[key]!r}" for key in self.__struct_fields__)  # type: ignore[attr-defined]
        return f"{type(self).__name__}({shown})"


def _hints(kind: type) -> dict[str, Any]:
    found = kind.__dict__.get("_types")
    if found is None:
        found = {}
        for base in reversed(kind.__mro__):
            space = sys.modules[base.__module__].__dict__
            for key, hint in base.__dict__.get("__annotations__", {}).items():
                found[key] = (
                    eval(hint, dict(space)) if isinstance(hint, str) else hint
                )  # the annotations of our classes
        kind._types = found  # type: ignore[attr-defined]
    return found


def convert(value: Any, kind: Any) -> Any:
    """Return data of dicts, lists, strings and numbers as a type. The exporter has checked it against the schema."""
    if kind is Any or kind is None:
        return value
    origin = typing.get_origin(kind)
    if origin is typing.Annotated:
        return convert(value, typing.get_args(kind)[0])
    if origin in (typing.Union, types.UnionType):
        return _union(value, typing.get_args(kind))
    if origin is typing.Literal:
        if value not in typing.get_args(kind):
            raise ValidationError(f"{value!r} is not one of {typing.get_args(kind)}")
        return value
    if origin is tuple:
        parts = typing.get_args(kind)
        _expect(value, (list, tuple))
        if len(parts) == 2 and parts[1] is ...:
            return tuple(convert(v, parts[0]) for v in value)
        return tuple(convert(v, p) for v, p in zip(value, parts))
    if origin in (list, set, frozenset):
        _expect(value, (list, tuple))
        return origin(convert(v, typing.get_args(kind)[0]) for v in value)
    if origin is not None and isinstance(origin, type) and hasattr(origin, "keys"):
        _expect(value, dict)
        keys, values = typing.get_args(kind)
        return {convert(k, keys): convert(v, values) for k, v in value.items()}
    if isinstance(kind, type) and issubclass(kind, Struct):
        _expect(value, dict)
        hints, names = _hints(kind), kind._read_as  # type: ignore[attr-defined]
        given = {names.get(name, name): v for name, v in value.items()}
        unknown = next((key for key in given if key not in hints), None)
        if unknown is not None and kind._closed:  # type: ignore[attr-defined]
            raise ValidationError(f"{kind.__name__} has no field {unknown}")
        return kind(**{key: convert(v, hints[key]) for key, v in given.items() if key in hints})
    if kind is float:
        _expect(value, (int, float))
        return float(value)
    if isinstance(kind, type):
        _expect(value, kind)
    return value


def _expect(value: Any, kinds: Any) -> None:
    if not isinstance(value, kinds):
        raise ValidationError(f"{value!r} is not {kinds}")


def _union(value: Any, kinds: tuple[Any, ...]) -> Any:
    if value is None:
        return None
    for kind in kinds:
        try:
            return convert(value, kind)
        except (ValidationError, TypeError, KeyError):
            continue
    raise ValidationError(f"{value!r} is none of {kinds}")


def _replace(one: Any, **changes: Any) -> Any:
    return type(one)(**{**_asdict(one), **changes})


def _asdict(one: Any) -> dict[str, Any]:
    return {key: one.__dict__[key] for key in one.__struct_fields__}


structs = types.ModuleType("msgspec.structs")
structs.replace, structs.asdict = _replace, _asdict  # type: ignore[attr-defined]
structs.force_setattr = lambda one, name, value: one.__dict__.__setitem__(name, value)  # type: ignore[attr-defined]
sys.modules["msgspec.structs"] = structs
