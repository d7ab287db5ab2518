# ruff: noqa: N803
"""Kernels in Triton of the seventeenth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def cask_spectra(spectra, apart, casks, WAVES: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Three distances of each spectrum to each other one (WAVES, casks); a program makes ROWS by COLS of each."""
    row, col = tl.program_id(1) * ROWS + tl.arange(0, ROWS), tl.program_id(0) * COLS + tl.arange(0, COLS)
    block = tl.zeros((ROWS, COLS), tl.float32)
    square = tl.zeros((ROWS, COLS), tl.float32)
    most = tl.zeros((ROWS, COLS), tl.float32)
    for wave in range(WAVES):
        a, b = tl.load(spectra + wave * casks + row), tl.load(spectra + wave * casks + col)
        off = a[:, None] - b[None, :]
        block += tl.abs(off)
        square += off * off
        most = tl.maximum(most, tl.abs(off))
    here = apart + row[:, None] * casks + col[None, :]
    tl.store(here, block)
    tl.store(here + casks * casks, tl.sqrt(square))
    tl.store(here + 2 * casks * casks, most)


@triton.jit
def typing_rhythms(
    typed, known, match, n, DIM: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, STEP: tl.constexpr
):
    """Likeness of each rhythm (m, DIM) to each known one (n, DIM), float16."""
    row, col = tl.program_id(1) * ROWS + tl.arange(0, ROWS), tl.program_id(0) * COLS + tl.arange(0, COLS)
    at = tl.arange(0, STEP)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for k in range(0, DIM, STEP):
        a = tl.load(typed + row[:, None] * DIM + k + at[None, :])
        b = tl.load(known + col[None, :] * DIM + k + at[:, None])
        total = tl.dot(a, b, total)
    tl.store(match + row[:, None] * n + col[None, :], total.to(tl.float16))


@triton.jit
def shoe_soles(force, share, SENSORS: tl.constexpr, WIDE: tl.constexpr):
    """Share of each sensor in the force of its step, less the smallest; a program a step."""
    at = tl.arange(0, WIDE)
    there = at < SENSORS
    here = tl.program_id(0) * SENSORS + at
    x = tl.load(force + here, mask=there, other=float("inf"))
    x = tl.where(there, x - tl.min(x, 0), 0.0)
    tl.store(share + here, x / tl.sum(x, 0), mask=there)


@triton.jit
def shoe_soles_b(force, share, SENSORS: tl.constexpr, WIDE: tl.constexpr, STEPS: tl.constexpr):
    """The same; a program has STEPS steps."""
    at = tl.arange(0, WIDE)[None, :]
    there = at < SENSORS
    here = (tl.program_id(0) * STEPS + tl.arange(0, STEPS)[:, None]) * SENSORS + at
    x = tl.load(force + here, mask=there, other=float("inf"))
    x = tl.where(there, x - tl.min(x, 1)[:, None], 0.0)
    tl.store(share + here, x / tl.sum(x, 1)[:, None], mask=there)


@triton.jit
def guitar_strings(sound, features, SAMPLES: tl.constexpr, BLOCK: tl.constexpr):
    """Mean, power and peak of each recording, a program a recording."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    total, power, peak = 0.0, 0.0, 0.0
    for first in range(0, SAMPLES, BLOCK):
        x = tl.load(sound + row * SAMPLES + first + at)
        total += tl.sum(x, 0)
        power += tl.sum(x * x, 0)
        peak = tl.maximum(peak, tl.max(tl.abs(x), 0))
    tl.store(features + row * 3, total / SAMPLES)
    tl.store(features + row * 3 + 1, power / SAMPLES)
    tl.store(features + row * 3 + 2, peak)


@triton.jit
def guitar_strings_b(sound, features, SAMPLES: tl.constexpr, BLOCK: tl.constexpr):
    """The same; each lane keeps its own until the end."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    total, power = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    peak = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, SAMPLES, BLOCK):
        x = tl.load(sound + row * SAMPLES + first + at)
        total += x
        power += x * x
        peak = tl.maximum(peak, tl.abs(x))
    tl.store(features + row * 3, tl.sum(total, 0) / SAMPLES)
    tl.store(features + row * 3 + 1, tl.sum(power, 0) / SAMPLES)
    tl.store(features + row * 3 + 2, tl.max(peak, 0))
