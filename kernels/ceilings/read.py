"""The read: bytes are those read; the sums written are at most a few thousandths of them."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

TOLERANCES = {
    "sums": Tolerance(
        1e-4,
        0.0,
        "thousands of values of one sign: the error of a single-precision sum grows at most with"
        " their number times 2^-24, about 1e-3, and with its square root where it is random: 1e-5",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n float4: 4 GiB, or a fifth of the memory if that is less; one sum per thread."""
    return {"n": min(1 << 28, card.memory // 5 // 16), "threads": card.sms * 4 * 512}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=16.0 * n["n"] + 4.0 * n["threads"], flop=4.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"x": rng.random(4 * n["n"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"sums": xp.empty(n["threads"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The sums of 256 threads, spread over the grid."""
    return {"sums": out["sums"][:: n["threads"] // 256]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    threads, lines = n["threads"], n["n"]
    rows = lines // threads
    x = data["x"]
    step = threads // 256
    # Thread t reads the float4 at t, t + threads, t + 2 threads, …
    picked = x[: 4 * rows * threads].reshape(rows, threads, 4)[:, ::step, :].sum(axis=(0, 2), dtype=xp.float64)
    left = x[4 * rows * threads :].reshape(-1, 4).sum(axis=1, dtype=xp.float64)
    rest = xp.zeros(threads, xp.float64)
    rest[: left.size] = left
    return {"sums": picked + rest[::step]}
