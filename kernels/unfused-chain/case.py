"""Detector frames prepared for display: dark image, gain, square root, contrast, clipped to the display's range."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

FRAME = 1 << 20  # pixels of a frame: 4 MB, so that most of the dark and the gain image stays in L2
SATURATION, CONTRAST, BRIGHTNESS = np.float32(190), np.float32(0.04), np.float32(0.02)
FILTERS = 6

TOLERANCES = {
    "shown": Tolerance(
        1e-5, 1e-5, "six roundings of 2^-24; the difference from the dark image may lose them against raw values of 200"
    ),
}


def sizes(card: Card) -> dict[str, int]:
    """frames: 128 on a large GPU, a multiple of four; frame: pixels of one."""
    return {"frames": max(4, min(128, int(0.35 * card.memory) // (16 * FRAME) // 4 * 4)), "frame": FRAME}


def work(n: dict[str, int]) -> Work:
    """Each pixel read and written once, the dark and the gain image read once; ten operations per pixel."""
    pixels = n["frames"] * n["frame"]
    return Work(8.0 * pixels + 8.0 * n["frame"], 10.0 * pixels)


def answers(step: str, n: dict[str, int]) -> dict[str, Any]:
    """A launch of the chain is one of six that share the algorithm's bytes; the profiled one reads its image once."""
    if step == "fused":
        return {"theoretical_bytes": work(n).bytes}
    return {"theoretical_bytes": work(n).bytes / FILTERS, "reads_again": "no"}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    return {"saturation": SATURATION, "contrast": CONTRAST, "brightness": BRIGHTNESS}


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """raw: (frames, frame) float32 from 0 to 200; dark: 0 to 20; gain: 0.5 to 1.5."""
    raw = rng.random((n["frames"], n["frame"]), dtype=xp.float32)
    raw *= xp.float32(200)
    return {
        "raw": raw,
        "dark": rng.random(n["frame"], dtype=xp.float32) * xp.float32(20),
        "gain": rng.random(n["frame"], dtype=xp.float32) + xp.float32(0.5),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"shown": xp.empty((n["frames"], n["frame"]), xp.float32)}


def scratch(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {name: xp.empty((n["frames"], n["frame"]), xp.float32) for name in ("a", "b")}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every 13th pixel of every frame."""
    return {"shown": out["shown"][:, ::13]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    raw, dark, gain = (data[name][..., ::13].astype(xp.float64) for name in ("raw", "dark", "gain"))
    even = 2 * xp.sqrt(xp.maximum((xp.minimum(raw, float(SATURATION)) - dark) * gain, 0) + 0.375)
    return {"shown": xp.minimum(float(CONTRAST) * even + float(BRIGHTNESS), 1)}
