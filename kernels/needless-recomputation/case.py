"""Vignetting correction of a stack of frames: every pixel times a gain that depends only on its position."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

TERMS = 12  # powers of x, and of y
EVERY = 7  # every seventh frame is compared, with all of its pixels

TOLERANCES = {
    "corrected": Tolerance(
        relative=1e-5,
        absolute=0.0,
        why="two nested Horner schemes of 12 steps at |x|, |y| <= 1 round 24 times, each at most 2^-24 of a "
        "partial sum under 2; the place itself is rounded once more and the gain is over 1/2: 24 * 2 * 2 * 2^-24 "
        "= 6e-6",
    )
}


def sizes(card: Card) -> dict[str, int]:
    # Rows in whole blocks of 256 threads and four pixels, eight blocks per SM, so that no block waits.
    height = 8 * card.sms
    return {"width": 1024, "height": height, "frames": max(1, min(128, card.memory // 32 // (1024 * height)))}


def _pixels(n: dict[str, int]) -> int:
    return n["width"] * n["height"]


def _gain_flop(n: dict[str, int]) -> float:
    return 2.0 * (TERMS * TERMS - 1) * _pixels(n)


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * _pixels(n) * n["frames"], flop=1.0 * _pixels(n) * n["frames"] + _gain_flop(n))


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    coefficient = (rng.random((TERMS, TERMS), dtype=xp.float32) - xp.float32(0.5)) * xp.float32(0.005)
    coefficient[0, 0] = 1.0
    return {"raw": 1 + rng.random(_pixels(n) * n["frames"], dtype=xp.float32), "coefficient": coefficient}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"corrected": xp.empty(_pixels(n) * n["frames"], xp.float32)}


def scratch(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"table": xp.empty(_pixels(n), xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"corrected": out["corrected"].reshape(n["frames"], -1)[::EVERY]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    x = 2 * xp.arange(n["width"], dtype=xp.float64) / n["width"] - 1
    y = 2 * xp.arange(n["height"], dtype=xp.float64) / n["height"] - 1
    powers = xp.arange(TERMS)
    gain = (y[:, None] ** powers) @ data["coefficient"].astype(xp.float64) @ (x[:, None] ** powers).T
    return {"corrected": data["raw"].reshape(n["frames"], -1)[::EVERY] * gain.reshape(1, -1)}


def answers(step: str, n: dict[str, int]) -> dict[str, float]:
    multiplies = 1.0 * _pixels(n) * n["frames"]
    return {"theoretical_flop": multiplies if step == "table" else multiplies + _gain_flop(n)}
