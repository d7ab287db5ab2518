"""Revenue of n order lines over a price list of n items; lines in order of arrival, in bins of the list, and sorted."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

_BYTES = 16  # an order line three times, and a price

ZEROED = ("total",)
TOLERANCES = {"total": Tolerance(0.0, 0.0, "a sum of whole numbers of cents in 64 bits is exact in any order")}


def _power_of_two(most: int) -> int:
    return 1 << (most.bit_length() - 1)


def sizes(card: Card) -> dict[str, int]:
    """n: order lines and items, 2^27 on a large GPU; bins: parts of the list, each an eighth of L2 or less."""
    n = min(1 << 27, _power_of_two(int(0.35 * card.memory) // _BYTES))
    return {"n": n, "bins": max(2, n // _power_of_two(max(card.l2, 1 << 20) // 32))}


def work(n: dict[str, int]) -> Work:
    """Each order line once, each price once."""
    return Work(8.0 * n["n"], 0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """arrival, binned, sorted: the same n items (uint32) in three orders; price: cents (uint32) of n items."""
    arrival = rng.integers(0, n["n"], n["n"], dtype=xp.int32).view(xp.uint32)
    in_order = arrival.copy()
    in_order.sort()
    any_order = xp.argsort(rng.random(n["n"] // n["bins"], dtype=xp.float32))
    return {
        "arrival": arrival,
        "binned": in_order.reshape(n["bins"], -1)[:, any_order].ravel(),
        "sorted": in_order,
        "price": rng.integers(1, 100_000, n["n"], dtype=xp.int32).view(xp.uint32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"total": xp.zeros(1, xp.uint64)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """In pieces, so that the prices need not be gathered all at once."""
    total = xp.zeros(1, xp.uint64)
    piece = 1 << 24
    for start in range(0, n["n"], piece):
        total += data["price"][data["arrival"][start : start + piece]].sum(dtype=xp.uint64)
    return {"total": total}
