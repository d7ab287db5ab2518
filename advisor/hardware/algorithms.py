"""Load knowledge/napkin/: algorithms with parameters and formulas, data types, achievable shares of peak rates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec import structs

from advisor.knowledge.expressions import TRUE, Expression, ExpressionError, Test, parse, parse_test
from advisor.knowledge.loader import load_mapping
from advisor.records import resources
from advisor.records.errors import KnowledgeError, UsageError

_SIZE = "size"  # bytes per element; formulas may use it in addition to parameters and `let`
_LARGEST = 1e18


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter. default: a number, or a formula over earlier parameters and `size`; whole: must be an integer."""

    means: str
    unit: str = "count"
    low: float = 1
    high: float = _LARGEST
    default: float | str = 1
    whole: bool = True


class Algorithm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An algorithm, with formulas for its FLOP and its minimum bytes.

    matrix: whether tensor cores can do the work; usually: the cores expected to do it if both kinds can.
    """

    title: str
    means: str
    parameters: dict[str, Parameter]
    flop: str
    bytes: str
    derivation: str
    let: dict[str, str] = {}
    require: str = ""
    matrix: bool = False
    usually: Literal["tensor", "plain"] = "tensor"
    aliases: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    id: str = ""


class Dtype(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data type: bytes per element, and the peak rates of its arithmetic ('' if there is none)."""

    title: str
    size: float
    plain: str = ""
    tensor: str = ""
    aliases: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    id: str = ""


class CeilingShare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The share of a peak (0 to 1) that good code reaches, and the source of that number."""

    share: float
    why: str
    cites: tuple[str, ...] = ()


class Remark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text about an estimate that is shown if its test holds."""

    test: str
    says: str
    cites: tuple[str, ...] = ()


def _named(kind: str, found: dict[str, str], name: str) -> str:
    from difflib import get_close_matches

    near = dict.fromkeys(found[n] for n in get_close_matches(name.lower(), found, n=5, cutoff=0.5))
    shown = name if len(name) <= 40 else name[:40] + "…"
    choice = (
        f"did you mean {' or '.join(list(near)[:3])}?" if near else f"known: {', '.join(dict.fromkeys(found.values()))}"
    )
    return f"no {kind} {shown!r}: {choice}"


@lru_cache(maxsize=1)
def algorithms() -> dict[str, Algorithm]:
    """Return all algorithms by id. Raises KnowledgeError if a formula cannot be parsed or uses an unknown name."""
    path = resources.folder("knowledge") / "napkin" / "algorithms.yaml"
    out = {}
    for key, entry in load_mapping(path, Algorithm).items():
        try:
            _check(entry)
        except (ExpressionError, ValueError) as e:
            raise KnowledgeError(f"{path}:1: {key}: {e}") from None
        out[key] = structs.replace(entry, id=key)
    return out


def _check(entry: Algorithm) -> None:
    known = {_SIZE}

    def uses(formula: Expression | Test) -> None:
        if unknown := formula.names - known:
            raise ValueError(f"unknown name {min(unknown)!r} in {formula.text!r}")

    for name, parameter in entry.parameters.items():
        if isinstance(parameter.default, str):
            uses(parse(parameter.default))
        known.add(name)
    for name, text in entry.let.items():
        uses(parse(text))
        known.add(name)
    uses(parse(entry.flop))
    uses(parse(entry.bytes))
    if entry.require:
        uses(parse_test(entry.require))


def algorithm(name: str) -> Algorithm:
    """Return the algorithm with this id or alias (any case, `-` or `_`). Raises UsageError that names the nearest."""
    found = {n: key for key, entry in algorithms().items() for n in (key, *entry.aliases)}
    wanted = name.strip().lower().replace("-", "_").replace(" ", "_")
    if wanted not in found:
        raise UsageError(_named("algorithm", found, wanted))
    return algorithms()[found[wanted]]


@lru_cache(maxsize=1)
def dtypes() -> dict[str, Dtype]:
    """All data types by id."""
    entries = load_mapping(resources.folder("knowledge") / "napkin" / "dtypes.yaml", Dtype)
    return {key: structs.replace(entry, id=key) for key, entry in entries.items()}


def dtype(name: str) -> Dtype:
    """Return the data type with this id or alias, in any case. Raises UsageError that names the nearest."""
    found = {n: key for key, entry in dtypes().items() for n in (key, *entry.aliases)}
    wanted = name.strip().lower()
    if wanted not in found:
        raise UsageError(_named("data type", found, wanted))
    return dtypes()[found[wanted]]


@lru_cache(maxsize=1)
def ceilings() -> dict[str, CeilingShare]:
    """The achievable share of each peak: memory, plain, plain_matrix, tensor."""
    return load_mapping(resources.folder("knowledge") / "napkin" / "ceilings.yaml", CeilingShare)


@lru_cache(maxsize=1)
def remarks() -> dict[str, Remark]:
    """The remarks of knowledge/napkin/notes.yaml."""
    return load_mapping(resources.folder("knowledge") / "napkin" / "notes.yaml", Remark)


def complete(entry: Algorithm, size: float, given: Mapping[str, float]) -> dict[str, float]:
    """Return all parameters in order, defaults filled in. Raises UsageError if one is unknown or out of range."""
    if unknown := [name for name in given if name not in entry.parameters]:
        raise UsageError(f"{entry.id} has no parameter {unknown[0]!r}: it takes {', '.join(entry.parameters)}")
    values: dict[str, float] = {}
    for name, parameter in entry.parameters.items():
        if name in given:
            value = float(given[name])
        elif isinstance(parameter.default, str):
            value = parse(parameter.default).scalar({_SIZE: size, **values})
        else:
            value = float(parameter.default)
        if not (math.isfinite(value) and parameter.low <= value <= parameter.high):
            bounds = (
                f"at least {parameter.low:g}"
                if parameter.high >= _LARGEST
                else f"{parameter.low:g} to {parameter.high:g}"
            )
            raise UsageError(f"{entry.id}: {name} = {value:g} is out of range: {bounds} ({parameter.means})")
        if parameter.whole and value != math.floor(value):
            raise UsageError(f"{entry.id}: {name} = {value:g} must be a whole number ({parameter.means})")
        values[name] = value
    return values


def count(entry: Algorithm, size: float, parameters: Mapping[str, float]) -> tuple[float, float, dict[str, float]]:
    """Return FLOP, minimum bytes and the `let` quantities. Raises UsageError if the complete parameters do not fit."""
    names = {_SIZE: size, **parameters}
    derived: dict[str, float] = {}
    for name, text in entry.let.items():
        derived[name] = names[name] = parse(text).scalar(names)
    if entry.require and parse_test(entry.require).truth(names) != TRUE:
        raise UsageError(f"{entry.id}: these parameters do not fit together: {entry.require} must hold")
    flop, traffic = parse(entry.flop).scalar(names), parse(entry.bytes).scalar(names)
    if not (math.isfinite(flop) and math.isfinite(traffic) and traffic > 0 and flop >= 0):
        raise UsageError(f"{entry.id}: these parameters give no FLOP or bytes")
    return flop, traffic, derived
