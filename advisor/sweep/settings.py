"""The settings and texts of knowledge/sweep.yaml."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from advisor.compare.records import Condition
from advisor.knowledge.loader import load
from advisor.knowledge.texts import fill
from advisor.records import resources


class _Cited(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    cites: tuple[str, ...]


class Sections(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The sections to collect for each point."""

    names: tuple[str, ...]


class Work(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The share by which a count of work may differ; sectors: metrics compared with all DRAM traffic."""

    share: float
    metrics: tuple[str, ...]
    sectors: tuple[str, ...]


class Others(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The share of the profiled time from which other launches are named."""

    share: float


class Block(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The most threads of a block."""

    threads: int


class Text(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sentence with placeholders."""

    text: str


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of knowledge/sweep.yaml."""

    sections: Sections
    work: Work
    others: Others
    block: Block
    texts: dict[str, Text]


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the content of sweep.yaml; raises KnowledgeError with file and line if it is invalid."""
    return load(resources.folder("knowledge") / "sweep.yaml", Settings)


def note(key: str, **values: float | str) -> Condition:
    """Return a text with its placeholders filled and its sources; the id is its key."""
    found = settings().texts[key]
    return Condition(key, fill(found.text, values), found.cites)
