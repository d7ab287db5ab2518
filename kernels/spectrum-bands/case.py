"""33 bands of each spectrum follow dv/dt = 0.08 - 0.5 v + 1.3 v^2 - 0.9 v^3, by 256 explicit steps."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

BANDS, STEPS = 33, 256
SAMPLE = 61  # every 61st band of all
TOLERANCES = {
    "out": Tolerance(
        1e-4,
        1e-5,
        "256 steps round by 4 * 2^-24 each of a value under one, and the equation does not amplify: 6e-5 at worst",
    )
}


def sizes(card: Card) -> dict[str, int]:
    return {"spectra": min(1 << 18, card.memory // 1024)}


def work(n: dict[str, int]) -> Work:
    values = float(BANDS * n["spectra"])
    return Work(bytes=8.0 * values + 4.0 * n["spectra"], flop=8.0 * STEPS * values)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "start": rng.random(n["spectra"] * BANDS, dtype=xp.float32),
        "gain": xp.float32(0.004) + xp.float32(0.004) * rng.random(n["spectra"], dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"out": xp.empty(n["spectra"] * BANDS, xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"out": out["out"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    v = data["start"][::SAMPLE].astype(xp.float64)
    h = xp.repeat(data["gain"], BANDS)[::SAMPLE].astype(xp.float64)
    for _ in range(STEPS):
        v = v + h * (((-0.9 * v + 1.3) * v - 0.5) * v + 0.08)
    return {"out": v}
