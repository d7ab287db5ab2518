"""The constants and texts of knowledge/comparison.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from advisor import resources
from advisor.catalog.loader import load
from advisor.catalog.texts import fill


class _Cited(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cites: tuple[str, ...] = ()


class Clocks(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Clocks further apart than `share` are told; launches shorter than `shortest_ns` have no clock worth reading."""

    share: float
    shortest_ns: float


class Size(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Work that differs by this factor on every count may be another problem."""

    factor: float


class Counters(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One report knows more than the other: from this share of metrics on it is told."""

    share: float


class Shown(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which changes are shown: percentages from `points` on, others from `share` on, at most `most`, of `metrics`."""

    points: float
    share: float
    most: int
    metrics: tuple[str, ...]


class Work(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What keeps a unit busy: metrics that count its work (the largest is meant), and a verb for it."""

    work: tuple[str, ...]
    does: str


class Traps(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Percentages that fool: from `points` of change on (`goal_points` for goals) and `least` percent; `most` told."""

    points: float
    goal_points: float
    least: float
    most: int
    units: dict[str, Work]
    goals: dict[str, str]
    costs: dict[str, str]


class Stop(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """When to stop: reached is percent of the achievable."""

    reached: float


class Text(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sentence with fields."""

    text: str


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """knowledge/comparison.yaml."""

    clocks: Clocks
    size: Size
    counters: Counters
    shown: Shown
    traps: Traps
    stop: Stop
    texts: dict[str, Text]


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The file's content; KnowledgeError with file and line when it is wrong."""
    return load(resources.folder("knowledge") / "comparison.yaml", Settings)


def say(key: str, **values: float | str) -> str:
    """A text of the file, its fields filled."""
    return fill(settings().texts[key].text, values)


def sources(key: str) -> tuple[str, ...]:
    """What a text rests on."""
    return settings().texts[key].cites


def say_of(key: str, values: Mapping[str, float | str]) -> tuple[str, tuple[str, ...]]:
    """A text and its sources."""
    return say(key, **values), sources(key)
