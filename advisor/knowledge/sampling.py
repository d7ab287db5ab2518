"""The metrics that ncu samples over the run of a kernel, and the kinds of its phases: knowledge/sampling.yaml."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from advisor.knowledge.expressions import Test, parse_test
from advisor.knowledge.loader import load
from advisor.records import resources


class SeriesDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sampled metric. side: of the units whose share of peak it is; scale: what its percentages refer to."""

    title: str
    names: tuple[str, ...]
    scale: Literal["percent", "largest"]
    side: Literal["", "memory", "compute"] = ""


class PhaseDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of phase. edge: the end of the run at which it can be."""

    id: str
    title: str
    test: str
    means: str
    edge: Literal["", "start", "end"] = ""

    @property
    def parsed(self) -> Test:
        """The test."""
        return parse_test(self.test)


class SamplingKnowledge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    series: dict[str, SeriesDef]
    phases: tuple[PhaseDef, ...]


@lru_cache(maxsize=1)
def sampling_knowledge() -> SamplingKnowledge:
    """Return the sampled metrics and the kinds of phases. Raises KnowledgeError with file and line."""
    return load(resources.folder("knowledge") / "sampling.yaml", SamplingKnowledge)


@lru_cache(maxsize=1)
def sampled_names() -> dict[str, str]:
    """Return metric name without its group -> id of the series."""
    return {name: series for series, one in sampling_knowledge().series.items() for name in one.names}
