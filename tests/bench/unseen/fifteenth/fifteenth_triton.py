# ruff: noqa: N803
"""Kernels in Triton of the fifteenth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def bat_calls(call, known, match, n, DIM: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, STEP: tl.constexpr):
    """Likeness of each call (m, DIM) to each known call (n, DIM), both float16; the product is made in float32."""
    row, col = tl.program_id(1) * ROWS + tl.arange(0, ROWS), tl.program_id(0) * COLS + tl.arange(0, COLS)
    at = tl.arange(0, STEP)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for k in range(0, DIM, STEP):
        a = tl.load(call + row[:, None] * DIM + k + at[None, :]).to(tl.float32)
        b = tl.load(known + col[None, :] * DIM + k + at[:, None]).to(tl.float32)
        total = tl.dot(a, b, total, input_precision="ieee")
    tl.store(match + row[:, None] * n + col[None, :], total)


@triton.jit
def bat_calls_b(call, known, match, n, DIM: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, STEP: tl.constexpr):
    """The same; float16 goes into the product as it is, sums are float32."""
    row, col = tl.program_id(1) * ROWS + tl.arange(0, ROWS), tl.program_id(0) * COLS + tl.arange(0, COLS)
    at = tl.arange(0, STEP)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for k in range(0, DIM, STEP):
        a = tl.load(call + row[:, None] * DIM + k + at[None, :])
        b = tl.load(known + col[None, :] * DIM + k + at[:, None])
        total = tl.dot(a, b, total)
    tl.store(match + row[:, None] * n + col[None, :], total)


@triton.jit
def show_minutes(heard, first, total, BLOCK: tl.constexpr):
    """Interest in each podcast from the minutes of its downloads, which lie together; a program a podcast."""
    show = tl.program_id(0)
    begin, end = tl.load(first + show), tl.load(first + show + 1)
    interest = tl.zeros((BLOCK,), tl.float32)
    for start in range(begin, end, BLOCK):
        at = start + tl.arange(0, BLOCK)
        interest += tl.log(1.0 + tl.load(heard + at, mask=at < end, other=0.0))
    tl.store(total + show, tl.sum(interest, 0))


@triton.jit
def show_minutes_b(heard, first, owner, total, BLOCK: tl.constexpr):
    """The same; a program a piece of a podcast, all pieces short."""
    piece = tl.program_id(0)
    begin, end = tl.load(first + piece), tl.load(first + piece + 1)
    interest = tl.zeros((BLOCK,), tl.float32)
    for start in range(begin, end, BLOCK):
        at = start + tl.arange(0, BLOCK)
        interest += tl.log(1.0 + tl.load(heard + at, mask=at < end, other=0.0))
    tl.atomic_add(total + tl.load(owner + piece), tl.sum(interest, 0))


@triton.jit
def hive_weights(weight, smooth, hives, hours, keep, BLOCK: tl.constexpr):
    """Weights of hives (hours, hives), smoothed hour by hour; a program takes BLOCK hives."""
    hive = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    level = tl.load(weight + hive)
    for hour in range(hours):
        level += keep * (tl.load(weight + hour * hives + hive) - level)
        tl.store(smooth + hour * hives + hive, level)


@triton.jit
def hive_weights_b(weight, smooth, hives, hours, keep, BLOCK: tl.constexpr):
    """The same; eight hours are loaded before the first is used. hours: a multiple of 8."""
    hive = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    level = tl.load(weight + hive)
    for hour in range(0, hours, 8):
        at = hour * hives + hive
        w0 = tl.load(weight + at)
        w1 = tl.load(weight + at + hives)
        w2 = tl.load(weight + at + 2 * hives)
        w3 = tl.load(weight + at + 3 * hives)
        w4 = tl.load(weight + at + 4 * hives)
        w5 = tl.load(weight + at + 5 * hives)
        w6 = tl.load(weight + at + 6 * hives)
        w7 = tl.load(weight + at + 7 * hives)
        level += keep * (w0 - level)
        tl.store(smooth + at, level)
        level += keep * (w1 - level)
        tl.store(smooth + at + hives, level)
        level += keep * (w2 - level)
        tl.store(smooth + at + 2 * hives, level)
        level += keep * (w3 - level)
        tl.store(smooth + at + 3 * hives, level)
        level += keep * (w4 - level)
        tl.store(smooth + at + 4 * hives, level)
        level += keep * (w5 - level)
        tl.store(smooth + at + 5 * hives, level)
        level += keep * (w6 - level)
        tl.store(smooth + at + 6 * hives, level)
        level += keep * (w7 - level)
        tl.store(smooth + at + 7 * hives, level)


@triton.jit
def grain_spectra(spectrum, scaled, LENGTH: tl.constexpr, BLOCK: tl.constexpr):
    """Spectra (spectra, LENGTH), each less its mean and over its spread; a program writes BLOCK values of one."""
    row, at = tl.program_id(1), tl.arange(0, BLOCK)
    total, squares = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    for first in range(0, LENGTH, BLOCK):
        x = tl.load(spectrum + row * LENGTH + first + at)
        total += x
        squares += x * x
    mean = tl.sum(total, 0) / LENGTH
    spread = tl.sqrt(tl.sum(squares, 0) / LENGTH - mean * mean)
    here = row * LENGTH + tl.program_id(0) * BLOCK + at
    tl.store(scaled + here, (tl.load(spectrum + here) - mean) / spread)


@triton.jit
def grain_spectra_b(spectrum, scaled, LENGTH: tl.constexpr):
    """The same; a program holds and writes a whole spectrum."""
    here = tl.program_id(0) * LENGTH + tl.arange(0, LENGTH)
    x = tl.load(spectrum + here)
    mean = tl.sum(x, 0) / LENGTH
    spread = tl.sqrt(tl.sum(x * x, 0) / LENGTH - mean * mean)
    tl.store(scaled + here, (x - mean) / spread)
