"""How much of a unit's work any kernel for the same results needs: what a fix leaves of the rest is open.

An operator says what a fix removes. Whoever rewrites a kernel for it also changes addresses, loops, the width of
accesses and the order of loads, and so relieves units that the fix does not name, or not. The work that no rewriting
removes computes with data (arithmetic on its own pipe) and moves each requested byte once. All else may stay or leave.
A range that is bound by such work after the fix is as wide as this leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from advisor.knowledge.time_model import time_model
from advisor.reasoning.metrics.fills import or_else
from advisor.reasoning.time_model.operators.table import Table, floats_of_fma, share, useful
from advisor.reasoning.time_model.terms import LATENCY, Array, Needs

# Units whose whole work is how the kernel was written: addresses, tests, barriers, exchange through shared memory.
_OPEN = ("alu", "adu", "cbu", "idc", "l1_shared", "l1_local", "bulk_copies", "atomics")
# Each byte is asked for twice at most, as by two neighbours.
_LEAST_DISTINCT = 0.5
# A need of at least this share of what stays is what stays.
_SAME = 0.95


@np.errstate(all="ignore")
def needed(
    columns: Mapping[str, Array], rows: int, now: Needs, after: Mapping[str, Array]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the needs after a fix if rewriting also removes half, on a log scale, of what no kernel needs, and all.

    after: the needs of all terms that the fix leaves. Shapes (rows,). What a fix leaves of work that no count shows to
    be needed, or of needed work itself, is as inexact as measured fixes are.
    """
    accuracy = time_model().accuracy
    stays = _stays(Table(columns, rows, now), accuracy.furthest)
    least = {}
    for name, need in after.items():
        if name in _OPEN:
            least[name] = need * accuracy.furthest
        elif name in LATENCY:
            least[name] = need * accuracy.in_flight
        else:
            floor = now.terms[name] / now.crowded.get(name, 1.0) * stays.get(name, np.full(rows, np.nan))
            left = np.where(now.terms[name] > 0, need / now.terms[name], 1.0)
            further = need * np.fmin(1.0, left) ** accuracy.of_fix
            least[name] = np.where(need >= _SAME * floor, np.minimum(need, floor), further)
    return {name: np.sqrt(need * least[name]) for name, need in after.items()}, least


def _stays(table: Table, furthest: float) -> dict[str, Array]:
    """Return the share, 0 to 1, of today's work that stays in any kernel; NaN where it is unknown."""
    asked, rows = table.get("requested_bytes"), table.rows
    # Lanes may ask for a byte twice, which the caches then serve as they do other bytes of a sector. Which of both the
    # repeated sectors are, no count shows.
    repeated = or_else(table.get("dram_read_bytes") / (32 * table.get("load_sectors_actual")), 1.0)
    distinct = asked * np.clip(repeated, _LEAST_DISTINCT, 1.0)
    # What lanes gather by an index may all lie in a table that the caches hold.
    distinct = np.fmin(distinct, asked * (1 - or_else(table.get("gathered_share"), 0.0)))
    width = share(table.get("access_bits_mean"), np.full(rows, 128.0))
    # Bytes of bulk copies are in no count of accesses.
    bulk = np.nan_to_num(table.get("bulk_copy_inst")) > 0
    dram, l2 = (
        np.where(bulk, np.nan, share(least, moved))
        for least, moved in ((distinct, table.get("dram_bytes")), (asked, 32 * table.get("l2_sectors")))
    )
    out = {
        "dram": dram,
        "l2_fill": dram,
        "l2_fabric": dram,
        "l2": l2,
        "issue": np.where(np.isfinite(table.get("inst_executed")), useful(table), np.nan),
        "fma": floats_of_fma(table),
        "lsu": width,
        "l1_global": width,
        "block_launch": share(table.ones(), table.get("waves")),
    }
    return {name: np.maximum(part, furthest) for name, part in out.items()}
