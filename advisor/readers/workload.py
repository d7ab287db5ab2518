"""Read a graphics or compute workload typed in by hand: a small YAML file of units, percentages and other metrics.

The keys are those of knowledge/graphics/typed.yaml; case, spaces, dashes and underscores in them do not matter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from advisor.knowledge.base import metrics
from advisor.knowledge.loader import load
from advisor.knowledge.units import CLUSTER_POINTS
from advisor.readers.frame import Contents, Launch, convert, one_line
from advisor.records import resources
from advisor.records.errors import InputError, KnowledgeError

LARGEST = 64 << 10  # bytes: a hundred times what a person types
FEWEST_UNITS = 2
NAME_CHARS = 200
# Numbers of one workload come from several profiler passes: a difference below this is not a contradiction.
_PASSES = 5.0
_STALLS_MOST = 101.0
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*(%|[A-Za-zµ]*)")
_CLOSE = 60.0


class Word(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A unit or number that can be typed: its metric, other spellings, and its range in the typed unit.

    lead: the metric of a unit's distance to the largest other unit.
    """

    metric: str
    lead: str = ""
    also: tuple[str, ...] = ()
    scale: float = 1.0
    low: float = 0.0
    high: float = 100.0


class Chosen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A word with a closed list of values, each of which sets metrics to 0 or 1."""

    values: dict[str, dict[str, float]]
    also: tuple[str, ...] = ()


class Typed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All words of a workload file."""

    units: dict[str, Word]
    numbers: dict[str, Word]
    complements: dict[str, Word]
    choices: dict[str, Chosen]
    texts: tuple[str, ...]
    untyped: str


@lru_cache(maxsize=1)
def typed() -> Typed:
    """Return the words of knowledge/graphics/typed.yaml."""
    return load(resources.folder("knowledge") / "graphics" / "typed.yaml", Typed)


def key_of(metric: str) -> str:
    """Return the spelling of a metric: `units: TEX`, `stalls: barrier`, `tex_hit`; empty if it cannot be typed."""
    words = typed()
    for unit, word in words.units.items():
        if word.metric == metric:
            return f"units: {unit}"
    for key, word in words.numbers.items():
        if word.metric == metric:
            return key
    for key, choice in words.choices.items():
        if any(metric in sets for sets in choice.values.values()):
            return key
    stall = re.fullmatch(r"stall_(\w+?)_pct", metric)
    return f"stalls: {stall[1]}" if stall and stall[1] in _reasons() else ""


def read_workload(path: Path, name: str) -> Contents:
    """Read the workload of a file as a launch without grid and block. Raises InputError, one line, for mistakes."""
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(
                f"over {LARGEST >> 10} KiB, too large for a typed-in workload; one file describes one workload"
            )
        raw = load(path, dict[Any, Any])
    except KnowledgeError as error:
        where, _, what = str(error).removeprefix(f"{path}:").partition(": ")
        raise InputError(f"line {where}: {what}; see `ncu-advisor explain graphics`") from None
    except OSError as error:
        raise InputError((error.strerror or "cannot be read").lower()) from None
    known, texts = _values({str(key): value for key, value in raw.items()})
    label = texts.get("workload", "")
    if not label:
        raise InputError("workload is empty: give it the name of the marker or call, such as `workload: Blur`")
    launch = Launch(index=0, kernel=label, kernel_full=label, gpu_name=texts.get("gpu", ""), known=known)
    return Contents(launches=[launch], tool="typed in")


def _text(key: str, value: Any) -> str:
    if value is not None and not isinstance(value, str | int | float):
        raise InputError(f"{key}: expected a line of text")
    return one_line("" if value is None else str(value), NAME_CHARS)


def _plain(word: str) -> str:
    return re.sub(r"[\s_/-]+", "", word).casefold()


def _named(words: Mapping[str, Any]) -> dict[str, str]:
    """Map every spelling of the words to the word."""
    out: dict[str, str] = {}
    for key, word in words.items():
        for spelling in (key, *getattr(word, "also", ())):
            out.setdefault(_plain(spelling), key)
    return out


def _meant(text: str, words: Mapping[str, str]) -> str | None:
    return words.get(_plain(text))


def _closest(text: str, words: Mapping[str, str], names: Iterable[str]) -> str:
    """Return `did you mean X?`, or all valid names."""
    from rapidfuzz import fuzz, process

    found = process.extractOne(_plain(text)[:80], list(words), scorer=fuzz.ratio, score_cutoff=_CLOSE)
    return f"did you mean {words[found[0]]}?" if found else f"known: {', '.join(names)}"


def _shown(text: str) -> str:
    return repr(one_line(text, 40))


def _values(raw: Mapping[str, Any]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the metrics and the texts of a file."""
    words = typed()
    known: dict[str, float] = {}
    texts: dict[str, str] = {}
    given: dict[str, str] = {}
    plain = {**words.numbers, **words.complements}
    top = _named({"units": None, "stalls": None, **plain, **words.choices, **dict.fromkeys(words.texts)})
    for key, value in raw.items():
        word = _meant(key, top)
        if word is None:
            unit = _meant(key, _named(words.units))
            inside = (
                f"{unit} is a unit: write it under units:" if unit else _closest(key, top, sorted(set(top.values())))
            )
            raise InputError(f"no key is called {_shown(key)}; {inside}")
        _once(given, word, key)
        if word == "units":
            known |= _group(value, "units", words.units, "unit")
        elif word == "stalls":
            known |= _group(value, "stalls", {r: Word(f"stall_{r}_pct") for r in _reasons()}, "stall reason")
        elif word in plain:
            number = _number(word, value, plain[word])
            _once(given, plain[word].metric, key)
            known[plain[word].metric] = 100.0 - number if word in words.complements else number
        elif word in words.choices:
            known |= _choice(word, value, words.choices[word])
        else:
            texts[word] = _text(word, value)
    if sum(word.metric in known for word in words.units.values()) < FEWEST_UNITS:
        raise InputError(
            "units: type the five most utilised units with their percentages, at least two; such as `SM: 94.5`"
        )
    _consistent(known)
    return known, texts


def _once(given: dict[str, str], word: str, key: str) -> None:
    if word in given:
        raise InputError(f"{_shown(key)} and {_shown(given[word])} have the same meaning: keep one of them")
    given[word] = key


@lru_cache(maxsize=1)
def _reasons() -> tuple[str, ...]:
    found = (re.fullmatch(r"stall_(\w+)_pct", name) for name in metrics())
    return tuple(m[1] for m in found if m and not m[1].endswith("_not_issued"))


def _group(value: Any, title: str, words: Mapping[str, Word], what: str) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise InputError(f"{title}: expected a list of names with percentages, such as `{next(iter(words))}: 40`")
    spellings, out = _named(words), dict[str, float]()
    given: dict[str, str] = {}
    for key, number in value.items():
        word = _meant(str(key), spellings)
        if word is None:
            raise InputError(f"{title}: no {what} is called {_shown(str(key))}; {_closest(str(key), spellings, words)}")
        _once(given, word, str(key))
        out[words[word].metric] = _number(f"{title}: {word}", number, words[word])
    return out


def _number(key: str, value: Any, word: Word) -> float:
    unit, typed_unit = metrics()[word.metric].unit, ""
    if isinstance(value, str) and (match := _NUMBER.fullmatch(value.strip())):
        value, typed_unit = float(match[1]), match[2]
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300 or not math.isfinite(value):
        raise InputError(f"{key}: {_shown(str(value))} is not a number")
    number = float(value) * word.scale
    if typed_unit:
        number = convert(float(value), typed_unit, unit)
        if math.isnan(number):
            raise InputError(f"{key}: {_shown(typed_unit)} is not a unit of it; omit the unit")
    low, high = word.low * word.scale, word.high * word.scale
    if not low <= number <= high:
        raise InputError(f"{key}: {number / word.scale:g} is not between {word.low:g} and {word.high:g}")
    return number


def _choice(key: str, value: Any, choice: Chosen) -> dict[str, float]:
    spellings = _named(dict.fromkeys(choice.values))
    word = _meant(str(value), spellings) if isinstance(value, str) else None
    if word is None:
        raise InputError(f"{key}: {_shown(str(value))} is not one of {', '.join(choice.values)}")
    zero = {metric: 0.0 for sets in choice.values.values() for metric in sets}
    return {**zero, **choice.values[word]}


def _consistent(known: Mapping[str, float]) -> None:
    """Raise InputError if numbers of one workload contradict each other."""
    stalls = sum(v for k, v in known.items() if k.startswith("stall_"))
    if stalls > _STALLS_MOST:
        raise InputError(f"stalls: they add up to {stalls:g} %; give each as a share of all active warps")
    active = known.get("sm_active_pct", 100.0)
    idle = known.get("graphics_idle_pct", 0.0)
    if active + idle > 100 + _PASSES:
        raise InputError(
            f"sm_active {active:g} and idle {idle:g} contradict each other: no SM is active while the pipeline is idle"
        )
    if known.get("sm_throughput_pct", 0.0) > active + _PASSES:
        raise InputError(
            f"SM {known['sm_throughput_pct']:g} and sm_active {active:g} contradict each other: an inactive SM "
            "does no work"
        )
    if known.get("shader_warps", 0.0) > known.get("shader_warp_slots", math.inf):
        raise InputError(f"warps {known['shader_warps']:g} exceed warp_slots, which is {known['shader_warp_slots']:g}")


@lru_cache(maxsize=1)
def unit_names() -> dict[str, str]:
    """Return metric of a unit -> its name in a workload file."""
    return {word.metric: unit for unit, word in typed().units.items()}


def units_of(values: Mapping[str, float]) -> list[tuple[float, str]]:
    """Return the known units as (percent, metric), the most utilised first, equal ones in the order of typed.yaml."""
    known = [(values[u], -at, u) for at, u in enumerate(unit_names()) if math.isfinite(values.get(u, math.nan))]
    return [(value, unit) for value, _, unit in sorted(known, reverse=True)]


def clusters(values: Mapping[str, float]) -> list[list[str]]:
    """Return units grouped by percentage: within CLUSTER_POINTS of each group's first, the most utilised first."""
    out: list[list[str]] = []
    first = math.inf
    for value, unit in units_of(values):
        if not out or first - value > CLUSTER_POINTS:
            out.append([])
            first = value
        out[-1].append(unit)
    return out
