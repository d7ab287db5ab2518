# ruff: noqa: N803
"""Kernels in Triton of the fourteenth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def sleep_scores(feature, weight, score, epochs, FEATURES: tl.constexpr, BLOCK: tl.constexpr):
    """Chance of deep sleep of each epoch from its features (epochs, FEATURES); a program takes BLOCK epochs."""
    epoch = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = epoch < epochs
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(FEATURES):
        total += tl.load(weight + k) * tl.load(feature + epoch * FEATURES + k, mask=there, other=0.0)
    tl.store(score + epoch, 1.0 / (1.0 + tl.exp(-total)), mask=there)


@triton.jit
def sleep_scores_b(feature, weight, score, epochs, FEATURES: tl.constexpr, BLOCK: tl.constexpr):
    """The same; a program loads its epochs as a tile."""
    epoch, k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, FEATURES)
    there = epoch < epochs
    tile = tl.load(feature + epoch[:, None] * FEATURES + k[None, :], mask=there[:, None], other=0.0)
    total = tl.sum(tile * tl.load(weight + k)[None, :], 1)
    tl.store(score + epoch, 1.0 / (1.0 + tl.exp(-total)), mask=there)


@triton.jit
def strain_peaks(strain, noise, white, length, BLOCK: tl.constexpr):
    """Stretches of strain (stretches, length), each over the noise and scaled to its strongest; a program a stretch."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    there = at < length
    x = tl.load(strain + row * length + at, mask=there, other=0.0)
    x = x - tl.sum(x, 0) / length
    x = tl.where(there, x / tl.load(noise + at, mask=there, other=1.0), 0.0)
    power = x * x
    mean = tl.sum(power, 0) / length
    excess = tl.where(there, power - mean, 0.0)
    spread = tl.sqrt(tl.sum(excess * excess, 0) / length)
    tl.store(white + row * length + at, excess / spread, mask=there)


@triton.jit
def toll_gates(gate, toll, takings, n, BLOCK: tl.constexpr):
    """Takings of each toll gate, in cents; a program takes BLOCK passages."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = at < n
    tl.atomic_add(
        takings + tl.load(gate + at, mask=there, other=0), tl.load(toll + at, mask=there, other=0), mask=there
    )


@triton.jit
def toll_gates_b(gate, toll, takings, n, GATES: tl.constexpr, BLOCK: tl.constexpr):
    """The same; a program adds up its passages for each of GATES gates first."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = at < n
    which = tl.load(gate + at, mask=there, other=-1)
    cents = tl.load(toll + at, mask=there, other=0)
    for g in range(GATES):
        tl.atomic_add(takings + g, tl.sum(tl.where(which == g, cents, 0), 0))


@triton.jit
def jaw_gaps(scan, model, gap, scanned, known, BLOCK: tl.constexpr):
    """How far each point of a scan (3, scanned) is from a model of a jaw (3, known); a program a point."""
    i, at = tl.program_id(0), tl.arange(0, BLOCK)
    x, y, z = tl.load(scan + i), tl.load(scan + scanned + i), tl.load(scan + 2 * scanned + i)
    least = tl.full((BLOCK,), float("inf"), tl.float32)
    for first in range(0, known, BLOCK):
        dx = tl.load(model + first + at) - x
        dy = tl.load(model + known + first + at) - y
        dz = tl.load(model + 2 * known + first + at) - z
        least = tl.minimum(least, dx * dx + dy * dy + dz * dz)
    tl.store(gap + i, tl.sqrt(tl.min(least, 0)))


@triton.jit
def jaw_gaps_b(scan, model, gap, scanned, known, POINTS: tl.constexpr, BLOCK: tl.constexpr):
    """The same; a program takes POINTS points."""
    i, at = tl.program_id(0) * POINTS + tl.arange(0, POINTS), tl.arange(0, BLOCK)
    x, y, z = tl.load(scan + i), tl.load(scan + scanned + i), tl.load(scan + 2 * scanned + i)
    least = tl.full((POINTS, BLOCK), float("inf"), tl.float32)
    for first in range(0, known, BLOCK):
        dx = tl.load(model + first + at)[None, :] - x[:, None]
        dy = tl.load(model + known + first + at)[None, :] - y[:, None]
        dz = tl.load(model + 2 * known + first + at)[None, :] - z[:, None]
        least = tl.minimum(least, dx * dx + dy * dy + dz * dz)
    tl.store(gap + i, tl.sqrt(tl.min(least, 1)))
