"""What a fix leaves of L2: each of its parts serves its own events of reads, writes and atomics.

A fix that removes one kind of access leaves of every part what the other kinds have there, and the part that was the
fullest may not be it after the fix. The same events cross the link between the two partitions of L2.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from advisor.reasoning.metrics.fills import or_else
from advisor.reasoning.time_model.operators.table import LINE_SECTORS, Left, Table, share
from advisor.reasoning.time_model.terms import Array

# L2's parts, and what each serves: lines (a tag request for each), sectors, or the words of a crossbar.
L2_PARTS = ("l2_tag_requests_pct", "l2_lookups_pct", "l2_data_pct", "l2_read_xbar_pct", "l2_write_xbar_pct")
# Of the link's time, what a sector and what a request takes (the formula of l2_fabric_pct in metrics.yaml).
LINK_SECTOR, LINK_REQUEST = 1.57, 1.2


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
    parts = {
        "l2_tag_requests_pct": of(requests),
        "l2_lookups_pct": of(sectors),
        "l2_data_pct": of(sectors | {"fills": np.nan_to_num(table.get("dram_read_bytes")) / 32}),
        "l2_read_xbar_pct": of({"reads": sectors["reads"], "atomics": np.nan_to_num(table.get("l2_atom_sectors"))}),
        "l2_write_xbar_pct": of(requests | {kind: requests[kind] + sectors[kind] for kind in ("writes", "atomics")}),
        "l2_atomic_pct": left["atomics"],
    }
    fullest = _of_fullest(table, parts)
    crossing = of({kind: LINK_SECTOR * one.sectors + LINK_REQUEST * one.requests for kind, one in events.items()})
    known = np.isfinite(sectors["reads"] + sectors["writes"] + sum(left.values()) + fullest)
    return {"l2": np.where(known, fullest, otherwise), "l2_fabric": np.where(known, crossing, otherwise)}


def _of_fullest(table: Table, parts: dict[str, Array]) -> Array:
    """Return the fullest part after a fix over the fullest one now; NaN if none was measured.

    parts: what is left of the work of each, by the metric of its utilisation.
    """
    before = np.array([np.nan_to_num(table.get(name)) for name in parts])
    after = before * np.array(list(parts.values()))
    return np.where(before.max(axis=0) > 0, after.max(axis=0) / np.maximum(before.max(axis=0), 1e-9), np.nan)


def _lines(table: Table, kind: str) -> tuple[Array, Array]:
    """Return the 128-byte lines of global loads or stores, now and ideally.

    Without the counts of the source, a sector that lanes leave alone lies in a line of its own.
    """
    sectors, ideal = table.get(f"{kind}_sectors_actual"), table.get(f"{kind}_sectors_ideal")
    least = ideal / LINE_SECTORS
    guess = np.where(sectors > 1.5 * ideal, sectors, least)
    return or_else(table.get(f"{kind}_lines"), guess), or_else(table.get(f"{kind}_lines_ideal"), least)


def coalesced(table: Table, whole: Array, stays: Array, ratio: Array) -> Array:
    """Return what coalesced accesses leave of the fullest part of L2: each part serves its own kind of event.

    Tags serve a line (requests) and its sectors (look-ups), data and the crossbar to the SMs a sector, the crossbar to
    L2 a word for each load request and one more than its sectors for each line of a store. stays: the share of the
    excess of loads that remains; ratio: sectors now for each that remains.
    """
    loads, loads_ideal = table.get("load_sectors_actual"), table.get("load_sectors_ideal")
    stores, stores_ideal = table.get("store_sectors_actual"), table.get("store_sectors_ideal")
    (in_lines, in_ideal), (out_lines, out_ideal) = _lines(table, "load"), _lines(table, "store")
    in_ideal, loads_ideal = (
        ideal + stays * np.maximum(actual - ideal, 0) for ideal, actual in ((in_ideal, in_lines), (loads_ideal, loads))
    )
    in_ideal, out_ideal = (
        np.where(whole, ideal, np.fmax(ideal, actual / ratio))
        for ideal, actual in ((in_ideal, in_lines), (out_ideal, out_lines))
    )

    # Excess sectors that L1 holds already do not reach L2: a thread that walks along its row finds there what its last
    # load brought. Of what reaches L2, no less is left than the sectors that are needed once.
    reaching = np.fmin(loads, table.get("l2_read_sectors"))
    needed = np.minimum(loads_ideal, reaching)
    sectors = or_else(share(needed + stores_ideal, reaching + stores), 1 / ratio)

    def left(ideal: Array, actual: Array) -> Array:
        return or_else(share(ideal, actual), 1 / ratio)

    words, words_ideal = in_lines + stores + out_lines, in_ideal + stores_ideal + out_ideal
    parts = {
        "l2_tag_requests_pct": left(in_ideal + out_ideal, in_lines + out_lines),
        "l2_lookups_pct": sectors,
        "l2_data_pct": sectors,
        "l2_read_xbar_pct": left(needed, reaching),
        "l2_write_xbar_pct": left(words_ideal, words),
    }
    return or_else(_of_fullest(table, parts), sectors)
