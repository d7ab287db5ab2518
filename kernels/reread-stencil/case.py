"""One step of heat conduction on a grid of nx * ny * nz points, x fastest; the outer two layers are not changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

K = np.float32(0.05)
_STRIDE = 7  # of the sample in x and y

TOLERANCES = {
    "v": Tolerance(0.0, 2e-5, "15 roundings of 2^-24 in sums of up to 96 (16 * 6 values below 1), times k / 12"),
}


def sizes(card: Card) -> dict[str, int]:
    """32 planes of 64 MiB; fewer on a GPU with less memory, and of 16 MiB below 6 GB. Five planes must overflow L2."""
    room = int(0.35 * card.memory) // 8
    side = 4096 if room >= 16 * 4096 * 4096 else 2048
    return {"nx": side, "ny": side, "nz": min(32, room // (side * side))}


def _inside(n: dict[str, int]) -> int:
    return (n["nx"] - 4) * (n["ny"] - 4) * (n["nz"] - 4)


def work(n: dict[str, int]) -> Work:
    """Each value read once, each inner point written once; 17 operations per point."""
    return Work(4.0 * (n["nx"] * n["ny"] * n["nz"] + _inside(n)), 17.0 * _inside(n))


def answers(step: str, n: dict[str, int]) -> dict[str, Any]:
    return {"theoretical_bytes": work(n).bytes, "reads_again": "yes"}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    return {"k": K}


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """u: (nz, ny, nx) float32 in [0, 1)."""
    return {"u": rng.random((n["nz"], n["ny"], n["nx"]), dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """v: like u; only its inner points are written."""
    return {"v": xp.empty((n["nz"], n["ny"], n["nx"]), xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every seventh inner point of every seventh row in each plane, and the last inner row and column."""
    v = out["v"][2:-2]
    return {"v": v[:, 2:-2:_STRIDE, 2:-2:_STRIDE], "last_row": v[:, -3, 2:-2], "last_column": v[:, 2:-2, -3]}


def _conducted(xp: Any, u: Any, ys: Any, xs: Any) -> Any:
    """The step in float64 at rows ys and columns xs of all inner planes."""
    depth = u.shape[0]

    def at(dz: int, dy: int, dx: int) -> Any:
        return u[2 + dz : depth - 2 + dz][:, (ys + dy)[:, None], (xs + dx)[None, :]].astype(xp.float64)

    here, near, far = at(0, 0, 0), 0.0, 0.0
    for dz, dy, dx in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        near = near + at(dz, dy, dx) + at(-dz, -dy, -dx)
        far = far + at(2 * dz, 2 * dy, 2 * dx) + at(-2 * dz, -2 * dy, -2 * dx)
    return here + float(K) / 12 * (16 * near - far - 90 * here)


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    u = data["u"]
    ys, xs = xp.arange(2, n["ny"] - 2), xp.arange(2, n["nx"] - 2)
    return {
        "v": _conducted(xp, u, ys[::_STRIDE], xs[::_STRIDE]),
        "last_row": _conducted(xp, u, ys[-1:], xs)[:, 0, :],
        "last_column": _conducted(xp, u, ys, xs[-1:])[:, :, 0],
    }


TOLERANCES["last_row"] = TOLERANCES["last_column"] = TOLERANCES["v"]
