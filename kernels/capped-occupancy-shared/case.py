"""A lookup of each raw 16-bit sample in a response curve."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

TOLERANCES = {"out": Tolerance(0.0, 0.0, "a lookup copies the curve's own values: it is exact")}


def sizes(card: Card) -> dict[str, int]:
    """n samples of 2 bytes in and 4 out; codes of the curve: 192 KB, or the maximum of a block on this GPU."""
    return {
        "n": min(1 << 27, card.memory // 24 // 4096 * 4096),
        "codes": min(49152, (card.shared_per_block - 1024) // 4 // 1024 * 1024),
    }


def work(n: dict[str, int]) -> Work:
    """Each sample is read once and each value written once; the curve is small. No arithmetic."""
    return Work(bytes=6.0 * n["n"] + 4.0 * n["codes"], flop=0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """raw: codes below `codes`; curve: one value per code."""
    raw = rng.integers(0, n["codes"], n["n"], dtype=xp.uint16)
    return {"raw": raw, "curve": rng.random(n["codes"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """One value per sample."""
    return {"out": xp.empty(n["n"], xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The exact values of every 64th run of 64 samples."""
    return {"out": data["curve"][data["raw"].reshape(-1, 64)[::64]]}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every 64th run of 64 samples: all of them would take several times the arrays' memory in double precision."""
    return {"out": out["out"].reshape(-1, 64)[::64]}
