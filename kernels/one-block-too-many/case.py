"""Prices of American puts after each of 24 moves of the share price, by binomial trees of 20 levels."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

LEVELS = 20
SCENARIOS = 24
NODES = LEVELS * (LEVELS + 1) // 2
TOLERANCES = {
    "out": Tolerance(
        1e-4,
        1e-5,
        "prices near one: a value passes 20 levels of three roundings and prices of leaves up to 40 "
        "multiplications, under 40 * 2^-24 = 2.4e-6 in the worst case; max() neither adds nor magnifies; times 40",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """contracts: 1,024 per SM and 1,024 more."""
    return {"contracts": 1024 * (card.sms + 1)}


def work(n: dict[str, int]) -> Work:
    """5 numbers in and 24 prices out per contract; 5 operations per node of each tree."""
    return Work(bytes=4.0 * (5 + SCENARIOS) * n["contracts"], flop=5.0 * NODES * SCENARIOS * n["contracts"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """spot and strike around one; up: the step of the tree; hold_up and hold_down: discounted probabilities."""
    count = n["contracts"]
    spot = xp.float32(0.8) + xp.float32(0.4) * rng.random(count, dtype=xp.float32)
    strike = xp.float32(0.8) + xp.float32(0.4) * rng.random(count, dtype=xp.float32)
    up = xp.float32(1.01) + xp.float32(0.05) * rng.random(count, dtype=xp.float32)
    discount = xp.float32(0.997) + xp.float32(0.002) * rng.random(count, dtype=xp.float32)
    chance = (1 / discount - 1 / up) / (up - 1 / up)
    return {
        "spot": spot,
        "strike": strike,
        "up": up,
        "hold_up": (discount * chance).astype(xp.float32),
        "hold_down": (discount * (1 - chance)).astype(xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """One price per move and contract, (24, contracts)."""
    return {"out": xp.empty((SCENARIOS, n["contracts"]), xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The same trees in double precision. Node j of a level has j steps down."""
    spot, strike, up, hold_up, hold_down = (
        data[name].astype(xp.float64) for name in ("spot", "strike", "up", "hold_up", "hold_down")
    )
    prices = []
    for k in range(SCENARIOS):
        leaf = spot * (0.76 + 0.02 * k)
        price = xp.stack([leaf * up ** (LEVELS - 2 * j) for j in range(LEVELS + 1)])
        value = xp.maximum(strike - price, 0.0)
        for _ in range(LEVELS):
            price = price[1:] * up
            value = xp.maximum(hold_up * value[:-1] + hold_down * value[1:], strike - price)
        prices.append(value[0])
    return {"out": xp.stack(prices)}
