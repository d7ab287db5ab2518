"""Codon usage of DNA reads: the sum of the squared codon counts of each read."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

STEP = 1021  # checked: every 1021st read


def sizes(card: Card) -> dict[str, int]:
    """reads: four times the threads that all SMs hold, or 30 % of the memory of 256 bytes each; length: loads per read.

    Fifteen loads of 16 codons are 240 codons, so that a count fits a byte.
    """
    return {"reads": min(card.sms * 2048 * 4, int(0.30 * card.memory) // 256 // 256 * 256), "length": 15}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=n["reads"] * (16.0 * n["length"] + 4.0), flop=0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """A codon is a byte below 64; 16 of a read are contiguous, followed by those of the next read."""
    words = rng.integers(0, 1 << 30, 4 * n["reads"] * n["length"], dtype=xp.uint32)
    words &= np.uint32(0x3F3F3F3F)
    return {"words": words}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"usage": xp.empty(n["reads"], np.uint32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    words = data["words"].reshape(n["length"], n["reads"], 4)[:, ::STEP]
    total = xp.zeros(words.shape[1], np.uint32)
    for codon in range(64):
        count = xp.zeros(words.shape[1], np.uint32)
        for shift in range(0, 32, 8):
            count += ((words >> np.uint32(shift)) & np.uint32(63) == codon).sum(axis=(0, 2), dtype=np.uint32)
        total += count * count
    return {"usage": total}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"usage": out["usage"][::STEP]}


def answers(step: str, n: dict[str, int]) -> dict[str, Any]:
    return {"integer_work": "yes"}


TOLERANCES = {"usage": Tolerance(0.0, 0.0, "whole numbers: they are equal")}
