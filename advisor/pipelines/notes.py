"""What is said beside the class: the leading unit, units that limit together, the band, and the guide's plain table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from advisor import resources
from advisor.catalog.loader import load, load_mapping
from advisor.catalog.texts import fill

if TYPE_CHECKING:
    from advisor.catalog import Catalog

# The units that can lead, by canonical metric; the texts call them by the metrics' own names.
UNITS = (
    *("pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "pipe_tensor_pct", "issue_pct"),
    *("lsu_pct", "adu_pct", "idc_pct", "mio_pct", "l1_wavefronts_pct", "l1_requests_pct", "l2_pct", "dram_pct"),
)
_CLUSTER_POINTS = 10.0


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text with its sources."""

    text: str
    cites: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def _texts() -> dict[str, Note]:
    return load_mapping(resources.folder("knowledge") / "class_notes.yaml", Note)


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    return load(resources.folder("knowledge") / "unit_names.yaml", dict[str, str])


def unit_name(metric: str) -> str:
    """`pipe_fma_pct` -> `FMA pipe`: a unit's name for people; the metric itself where it has none."""
    return _names().get(metric, metric)


def _plain_class(sm: float, memory: float, dram: float) -> str:
    """The guide's table of step 1 on the two headline numbers; empty where it is silent."""
    if sm >= 60 and memory >= 60:
        return "balanced"
    if sm >= 60:
        return "compute_bound"
    if memory >= 60:
        return "dram_bound" if dram > 60 else "internal_congestion" if dram < 30 else ""
    return "latency_bound" if sm < 40 and memory < 40 else ""


def class_notes(catalog: Catalog, class_id: str, values: Mapping[str, float]) -> tuple[str, ...]:
    """The notes of one launch, in the order in which they are read; nothing is said of what is unknown."""
    texts, out = _texts(), []
    units = sorted(((values[u], u) for u in UNITS if u in values), reverse=True)
    if units:
        top = units[0][0]
        out.append(fill(texts["leader"].text, {"leader": unit_name(units[0][1]), "leader_pct": f"{top:.0f}"}))
        together = [unit_name(u) for value, u in units if top - value <= _CLUSTER_POINTS and top >= 60]
        if len(together) > 1:
            out.append(fill(texts["cluster"].text, {"names": ", ".join(together)}))
        band = "band_high" if top > 80 else "band_low" if top < 60 else "band_middle"
        out.append(texts[band].text)
    if class_id == "latency_bound" and max(values.get("compute_pct", 0), values.get("memory_pct", 0)) >= 40:
        out.append(texts["likely"].text)
    if values.get("compute_from_breakdown") == 0:
        out.append(texts["unbroken"].text)
    sm, memory = values.get("sm_throughput_pct", math.nan), values.get("memory_throughput_pct", math.nan)
    plain = _plain_class(sm, memory, values.get("dram_pct", math.nan))
    if plain and plain != class_id and class_id != "undetermined":
        title = catalog.classes[plain].title.lower()
        out.append(fill(texts["plain_table"].text, {"sm_pct": f"{sm:.0f}", "plain": title}))
    return tuple(out)
