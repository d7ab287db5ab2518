"""What the source-level accesses of a launch add up to: sectors of loads and stores, widths, requested bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from advisor.model import Access

Array = np.ndarray[Any, Any]
NARROW_BITS = 32


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.nan


def summarise(accesses: Sequence[Access]) -> dict[str, float]:
    """Canonical metrics of one launch. Units: sectors, bytes, bits; a ratio without accesses is NaN.

    A count that the report lacks is NaN in an access and makes the sums with it NaN.
    """
    reached = [a for a in accesses if a.space == "global"]
    out: dict[str, float] = {}
    for kind in ("load", "store"):
        chosen = [a for a in reached if a.kind == kind]
        actual, ideal = (math.fsum(getattr(a, f) for a in chosen) for f in ("sectors", "sectors_ideal"))
        out[f"{kind}_sectors_actual"] = actual
        out[f"{kind}_sectors_ideal"] = ideal
        out[f"ideal_sectors_per_request_{kind}"] = _ratio(ideal, math.fsum(a.executed for a in chosen))
    out["requested_bytes"] = math.fsum(a.lanes * a.width / 8 for a in reached)
    wide = [a for a in reached if a.width > 0]
    executed = math.fsum(a.executed for a in wide)
    out["access_bits_mean"] = _ratio(math.fsum(a.executed * a.width for a in wide), executed)
    out["narrow_access_share"] = _ratio(math.fsum(a.executed for a in wide if a.width <= NARROW_BITS), executed)
    out["shared_atomic_excess_share"] = _atomic_share([a for a in accesses if a.space == "shared"])
    return out


def _atomic_share(shared: Sequence[Access]) -> float:
    """Share of the passes over the ideal number that atomics make; 0 when there are none over it."""
    excess = [(a.kind == "atomic", a.wavefronts - a.wavefronts_ideal) for a in shared]
    total = math.fsum(e for _, e in excess)
    if math.isnan(total):
        return math.nan
    return math.fsum(e for atomic, e in excess if atomic) / total if total > 0 else 0.0


def access_metrics(column: Iterable[Any], names: Iterable[str]) -> dict[str, Array]:
    """The columns `names` from the frame's column of access tuples; NaN where a launch has none."""
    rows = [summarise(accesses) if isinstance(accesses, tuple | list) else None for accesses in column]
    return {name: np.array([np.nan if row is None else row[name] for row in rows], dtype=float) for name in names}
