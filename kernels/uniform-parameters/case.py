"""A power series of 256 coefficients at n values."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

ORDER = 256
_MULTIPLE = 1 << 16

TOLERANCES = {
    "response": Tolerance(
        2e-5, 0.0, "256 multiply-adds of positive numbers, each rounded once: 256 * 2^-24 = 1.5e-5 at most"
    ),
}


def sizes(card: Card) -> dict[str, int]:
    """n: values, 2^25 on a GPU with 132 SMs, in proportion on others; order: 256 coefficients."""
    wanted = (1 << 25) * card.sms // 132 // _MULTIPLE * _MULTIPLE
    return {"n": max(_MULTIPLE, min(wanted, int(0.35 * card.memory) // 8 // _MULTIPLE * _MULTIPLE)), "order": ORDER}


def work(n: dict[str, int]) -> Work:
    """One value in and one out, one multiply-add per coefficient; the coefficients are 1 KB."""
    return Work(8.0 * n["n"] + 4.0 * n["order"], 2.0 * n["n"] * n["order"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """signal: n float32 in [0, 0.95); coefficient: 256 in [0, 1)."""
    signal = rng.random(n["n"], dtype=xp.float32)
    signal *= xp.float32(0.95)
    return {"signal": signal, "coefficient": rng.random(n["order"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"response": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every 61st value."""
    return {"response": out["response"][::61]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    x = data["signal"][::61].astype(xp.float64)
    total = xp.zeros_like(x)
    for k in range(n["order"] - 1, -1, -1):
        total = total * x + float(data["coefficient"][k])
    return {"response": total}
