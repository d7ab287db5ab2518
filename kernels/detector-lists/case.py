"""The events above a threshold, in a list for each detector."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

DETECTORS, STRETCH, LARGEST_PITCH = 32, 8192, 32
SHARE = 0.3
ZEROED = ("lengths", "lists")
TOLERANCES = {"lists": Tolerance(0.0, 0.0, "values are copied; their order in a list is not part of the result")}


def sizes(card: Card) -> dict[str, int]:
    """n: events, a multiple of 32 stretches; room: the longest list there can be."""
    n = min(1 << 24, int(0.2 * card.memory) // 8 // (DETECTORS * STRETCH) * (DETECTORS * STRETCH))
    return {"n": n, "room": n // DETECTORS}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=(4.0 + 4.0 * SHARE) * n["n"], flop=0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"energy": rng.random(n["n"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"lists": xp.empty((DETECTORS, n["room"]), xp.float32)}


def scratch(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"lengths": xp.zeros(DETECTORS * LARGEST_PITCH, xp.int32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The lists in order; what lies behind their end is zero."""
    lists = out["lists"].copy()
    lists.sort(axis=1)
    return {"lists": lists}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    energy = data["energy"].reshape(-1, DETECTORS, STRETCH).transpose(1, 0, 2).reshape(DETECTORS, n["room"])
    lists = xp.where(energy > xp.float32(0.7), energy, xp.float32(0))
    lists.sort(axis=1)
    return {"lists": lists}
