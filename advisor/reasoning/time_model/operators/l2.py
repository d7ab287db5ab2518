"""What a fix leaves of L2: each of its parts serves its own events of reads, writes and atomics.

A fix that removes one kind of access leaves of every part what the other kinds have there, and the part that was the
fullest may not be it after the fix. The same events cross the link between the two partitions of L2.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from advisor.reasoning.time_model.operators.table import LINE_SECTORS, Left, Table, or_else, share
from advisor.reasoning.time_model.terms import Array

# Of the link's time, what a sector and what a request takes (the formula of l2_fabric_pct in metrics.yaml).
_LINK_SECTOR, _LINK_REQUEST = 1.57, 1.2


class Events(Struct, frozen=True):
    """The sectors of a kind of access in L2, and the requests that ask for them: one for each line of 128 bytes."""

    sectors: Array
    requests: Array


def _events(table: Table) -> dict[str, Events]:
    """Return the events of each kind that the SMs cause; NaN where the report does not have them."""
    read, written = table.get("l2_read_sectors"), table.get("l2_write_sectors")
    stored = table.total("global_store_sectors", "local_store_sectors")
    of_a_line = np.clip(or_else(stored / table.total("global_store_requests", "local_store_inst"), LINE_SECTORS), 1, 4)
    returned = np.nan_to_num(table.get("l2_atom_sectors"))
    reduced = np.nan_to_num(table.get("l2_red_sectors"))
    asked = or_else(table.get("l2_red_requests"), reduced)
    return {
        "reads": Events(read, or_else(table.get("l2_read_requests"), read / LINE_SECTORS)),
        "writes": Events(written, written / of_a_line),
        "atomics": Events(reduced + returned, asked + returned),
    }


def l2_left(
    table: Table,
    otherwise: Array,
    *,
    reads: Array | None = None,
    writes: Array | None = None,
    atomics: Array | None = None,
    fills: Array | None = None,
) -> Left:
    """Return what is left of L2 and of the link between its partitions if these shares of the events of a kind remain.

    reads, writes, atomics, fills: 0 to 1, None if all remain; fills: of what DRAM sends; otherwise: what is left where
    the events are unknown. Tags serve requests and look up sectors; the data stage serves sectors and fills; the
    crossbar to the SMs passes the sectors of reads, and the one to L2 a word for each request and for each sector that
    is written.
    """
    events = _events(table)
    kept = {"reads": reads, "writes": writes, "atomics": atomics, "fills": fills}
    left = {kind: table.ones() if part is None else np.clip(part, 0.0, 1.0) for kind, part in kept.items()}

    def of(weights: dict[str, Array]) -> Array:
        after = sum(weight * left[kind] for kind, weight in weights.items())
        return or_else(share(np.asarray(after), np.asarray(sum(weights.values()))), 1.0)

    sectors = {kind: one.sectors for kind, one in events.items()}
    requests = {kind: one.requests for kind, one in events.items()}
    data = {kind: one.sectors for kind, one in events.items() if kind != "reads"}
    parts = {
        "l2_tag_requests_pct": of(requests),
        "l2_lookups_pct": of(sectors),
        "l2_data_pct": of(sectors | {"fills": np.nan_to_num(table.get("dram_read_bytes")) / 32}),
        "l2_read_xbar_pct": of({"reads": sectors["reads"], "atomics": np.nan_to_num(table.get("l2_atom_sectors"))}),
        "l2_write_xbar_pct": of({kind: data.get(kind, 0.0) + requests[kind] for kind in requests}),
        "l2_atomic_pct": left["atomics"],
    }
    before = np.array([np.nan_to_num(table.get(name)) for name in parts])
    after = before * np.array(list(parts.values()))
    known = np.isfinite(sectors["reads"] + sectors["writes"]) & (before.max(axis=0) > 0)
    fullest = np.where(known, after.max(axis=0) / np.maximum(before.max(axis=0), 1e-9), otherwise)
    crossing = of({kind: _LINK_SECTOR * one.sectors + _LINK_REQUEST * one.requests for kind, one in events.items()})
    return {"l2": fullest, "l2_fabric": np.where(known, crossing, otherwise)}
