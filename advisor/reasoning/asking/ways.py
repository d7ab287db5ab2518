"""From which numbers that a user can read a metric follows."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from msgspec import Struct

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import parse
from advisor.reasoning.domain import domain_of

# The values from which metrics.derive computes a number without a formula, and that a user can read.
_FROM: Final = {
    "blocks_per_sm_limit": (tuple(f"occupancy_limit_{name}" for name in ("registers", "shared", "warps", "blocks")),),
    "dram_bytes": (("dram_bytes_per_s", "duration_ns"),),
    **dict.fromkeys(
        ("global_dram_share", "global_lookup_share", "global_wait_share"), (("local_load_inst", "local_store_inst"),)
    ),
    "load_sectors_actual": (("sectors_per_request_load", "global_load_inst"),),
    "loaded_bytes": (("global_load_inst", "access_bits_mean", "shared_load_inst", "shared_bits_mean"),),
    "requested_bytes": (("global_load_inst", "global_store_inst", "access_bits_mean"),),
    "l1_wavefronts_pct": (("l1_throughput_pct", "shared_wavefronts_hw_pct"),),
    "load_sector_ratio": (("sectors_per_request_load", "access_bits_mean"),),
    "store_sector_ratio": (("sectors_per_request_store", "access_bits_mean"),),
}
# The same, for a metric whose formula needs numbers that stand further down in ncu.
_FROM_TABLES: Final = {
    "shared_wavefront_ratio": (
        (
            *("shared_load_inst", "shared_load_wavefronts", "shared_store_inst", "shared_store_wavefronts"),
            "shared_bits_mean",
        ),
    ),
}


class Range(Struct, frozen=True):
    """Two metrics that bound a number, and the question that makes it exact."""

    low: str
    high: str
    ask: str


EXACT: Final = (Range("shared_wavefront_ratio", "shared_wavefront_ratio_most", "shared_bits_mean"),)


@lru_cache(maxsize=4096)
def ways(catalog: Catalog, metric: str) -> tuple[tuple[str, ...], ...]:
    """Return the sets of metrics from which a metric can be derived, the simplest first."""
    out = [*domain_of(catalog).ways(metric), *_FROM_TABLES.get(metric, ())]
    definition = catalog.metrics.get(metric)
    if definition is not None and definition.formula:
        out.append(tuple(sorted(parse(definition.formula).names)))
    return (*out, *_FROM.get(metric, ()))


@lru_cache(maxsize=1024)
def closure(catalog: Catalog, names: frozenset[str]) -> frozenset[str]:
    """Return these metrics and all that they are derived from."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += [part for way in ways(catalog, name) for part in way]
            todo += domain_of(catalog).read_by(name)
    return frozenset(seen)
