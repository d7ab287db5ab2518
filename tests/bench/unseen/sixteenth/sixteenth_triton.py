# ruff: noqa: N803
"""Kernels in Triton of the sixteenth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def wing_likeness(wing, known, match, n, DIM: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, STEP: tl.constexpr):
    """Likeness of each wing (m, DIM) to each known one (n, DIM), float16; a program makes ROWS by COLS of them."""
    row, col = tl.program_id(1) * ROWS + tl.arange(0, ROWS), tl.program_id(0) * COLS + tl.arange(0, COLS)
    at = tl.arange(0, STEP)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for k in range(0, DIM, STEP):
        a = tl.load(wing + row[:, None] * DIM + k + at[None, :])
        b = tl.load(known + col[None, :] * DIM + k + at[:, None])
        total = tl.dot(a, b, total)
    tl.store(match + row[:, None] * n + col[None, :], total)


@triton.jit
def tunnel_sensors(shake, products, samples, piece, SENSORS: tl.constexpr, TILE: tl.constexpr, STEP: tl.constexpr):
    """Products of the sensors (SENSORS, samples), float16, with one another over a piece of the samples."""
    row, col = tl.program_id(1) * TILE + tl.arange(0, TILE), tl.program_id(0) * TILE + tl.arange(0, TILE)
    at = tl.program_id(2) * piece + tl.arange(0, STEP)
    total = tl.zeros((TILE, TILE), tl.float32)
    for k in range(0, piece, STEP):
        a = tl.load(shake + row[:, None] * samples + k + at[None, :])
        b = tl.load(shake + col[None, :] * samples + k + at[:, None])
        total = tl.dot(a, b, total)
    here = tl.program_id(2) * SENSORS * SENSORS
    tl.store(products + here + row[:, None] * SENSORS + col[None, :], total)


@triton.jit
def atom_shells(distance, weight, energy, SHELLS: tl.constexpr, BLOCK: tl.constexpr):
    """Sum of weighted Gaussian shells, 0.4 apart, at each distance."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(distance + at) * 0.8493218002880191  # so that the shell is 2 to the power of -x * x
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(SHELLS):
        off = x - 0.33972872011520763 * k
        total += tl.load(weight + k) * libdevice.exp2(-off * off)
    tl.store(energy + at, total)


@triton.jit
def atom_shells_b(distance, weight, energy, SHELLS: tl.constexpr, BLOCK: tl.constexpr):
    """The same; each shell from the one before it: their ratio falls by exp(-0.16) from shell to shell."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(distance + at)
    shell, ratio = tl.exp(-0.5 * x * x), tl.exp(0.4 * x - 0.08)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(SHELLS):
        total += tl.load(weight + k) * shell
        shell *= ratio
        ratio *= 0.8521437889662113
    tl.store(energy + at, total)


@triton.jit
def nozzle_spread(fill, spread, rounds, nozzles, BLOCK: tl.constexpr):
    """Variance of the fill (rounds, nozzles) of each nozzle; a program a nozzle."""
    nozzle, at = tl.program_id(0), tl.arange(0, BLOCK)
    total, squares = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    for first in range(0, rounds, BLOCK):
        x = tl.load(fill + (first + at) * nozzles + nozzle)
        total += x
        squares += x * x
    mean = tl.sum(total, 0) / rounds
    tl.store(spread + nozzle, tl.sum(squares, 0) / rounds - mean * mean)


@triton.jit
def nozzle_spread_b(fill, spread, rounds, nozzles, ROWS: tl.constexpr, COLS: tl.constexpr):
    """The same; a program takes COLS nozzles side by side."""
    nozzle, at = tl.program_id(0) * COLS + tl.arange(0, COLS), tl.arange(0, ROWS)
    total, squares = tl.zeros((ROWS, COLS), tl.float32), tl.zeros((ROWS, COLS), tl.float32)
    for first in range(0, rounds, ROWS):
        x = tl.load(fill + (first + at)[:, None] * nozzles + nozzle[None, :])
        total += x
        squares += x * x
    mean = tl.sum(total, 0) / rounds
    tl.store(spread + nozzle, tl.sum(squares, 0) / rounds - mean * mean)
