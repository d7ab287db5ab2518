# ruff: noqa: N803
"""Kernels in Triton of the eighteenth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def escalator_wear(shakes, wear, SENSORS: tl.constexpr):
    """Power of each sensor over all moments (moments, SENSORS), a program a moment."""
    at = tl.arange(0, SENSORS)
    x = tl.load(shakes + tl.program_id(0) * SENSORS + at)
    tl.atomic_add(wear + at, x * x, sem="relaxed")


@triton.jit
def escalator_wear_b(shakes, wear, SENSORS: tl.constexpr, MOMENTS: tl.constexpr):
    """The same; a program adds up MOMENTS moments first."""
    at = tl.arange(0, SENSORS)
    total = tl.zeros((SENSORS,), tl.float32)
    for moment in range(MOMENTS):
        x = tl.load(shakes + (tl.program_id(0) * MOMENTS + moment) * SENSORS + at)
        total += x * x
    tl.atomic_add(wear + at, total, sem="relaxed")


@triton.jit
def glazes(thick, kinds, light, waves, BLOCK: tl.constexpr):
    """Light that the glaze of a tile throws back at each wavelength (tiles, waves); a tile has one of six glazes."""
    tile = tl.program_id(1)
    here = tile * waves + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kind = tl.load(kinds + tile)
    x = tl.load(thick + here).to(tl.float32)
    celadon = tl.exp(-0.8 * x) * tl.sqrt(1.0 + x) / (1.0 + 0.3 * tl.exp(-x * x))
    tenmoku = tl.log(1.0 + x) * tl.exp(-1.7 * x) / (0.4 + tl.sqrt(x + 0.1))
    shino = 0.9 / (1.0 + tl.exp(2.0 * x - 1.0)) + 0.05 * tl.log(0.5 + x * x)
    copper = tl.sqrt(0.2 + x * tl.exp(-0.5 * x)) / (1.0 + tl.log(2.0 + x))
    cobalt = tl.exp(-tl.sqrt(0.3 + x)) * (1.0 + 0.2 / (1.0 + tl.exp(-3.0 * x)))
    salt = 1.0 / (1.1 + tl.log(1.0 + tl.exp(1.5 * x - 0.7))) + 0.1 * tl.sqrt(0.7 + x)
    y = tl.where(kind == 0, celadon, tl.where(kind == 1, tenmoku, tl.where(kind == 2, shino, copper)))
    y = tl.where(kind == 4, cobalt, tl.where(kind == 5, salt, y))
    tl.store(light + here, y.to(tl.float16))


@triton.jit
def glazes_b(thick, kinds, light, waves, BLOCK: tl.constexpr):
    """The same; a program finds its own glaze only."""
    tile = tl.program_id(1)
    here = tile * waves + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kind = tl.load(kinds + tile)
    x = tl.load(thick + here).to(tl.float32)
    if kind == 0:
        y = tl.exp(-0.8 * x) * tl.sqrt(1.0 + x) / (1.0 + 0.3 * tl.exp(-x * x))
    elif kind == 1:
        y = tl.log(1.0 + x) * tl.exp(-1.7 * x) / (0.4 + tl.sqrt(x + 0.1))
    elif kind == 2:
        y = 0.9 / (1.0 + tl.exp(2.0 * x - 1.0)) + 0.05 * tl.log(0.5 + x * x)
    elif kind == 3:
        y = tl.sqrt(0.2 + x * tl.exp(-0.5 * x)) / (1.0 + tl.log(2.0 + x))
    elif kind == 4:
        y = tl.exp(-tl.sqrt(0.3 + x)) * (1.0 + 0.2 / (1.0 + tl.exp(-3.0 * x)))
    else:
        y = 1.0 / (1.1 + tl.log(1.0 + tl.exp(1.5 * x - 0.7))) + 0.1 * tl.sqrt(0.7 + x)
    tl.store(light + here, y.to(tl.float16))


@triton.jit
def peat_echoes(echo, taps, smooth, places, TAPS: tl.constexpr, COLS: tl.constexpr):
    """A filter of TAPS over the times of radar echoes (times + TAPS - 1, places), a program a time and COLS places."""
    col, time = tl.program_id(0) * COLS + tl.arange(0, COLS), tl.program_id(1)
    total = tl.zeros((COLS,), tl.float32)
    for tap in range(TAPS):
        total += tl.load(taps + tap) * tl.load(echo + (time + tap) * places + col)
    tl.store(smooth + time * places + col, total)


@triton.jit
def peat_echoes_b(echo, taps, smooth, places, TAPS: tl.constexpr, COLS: tl.constexpr, TIMES: tl.constexpr):
    """The same; a program makes TIMES times and reads an echo once for all of them."""
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    first, each = tl.program_id(1) * TIMES, tl.arange(0, TIMES)
    total = tl.zeros((TIMES, COLS), tl.float32)
    for time in range(TAPS + TIMES - 1):
        tap = time - each
        weight = tl.load(taps + tap, mask=(tap >= 0) & (tap < TAPS), other=0.0)
        total += weight[:, None] * tl.load(echo + (first + time) * places + col[None, :])
    tl.store(smooth + (first + each)[:, None] * places + col[None, :], total)


@triton.jit
def barcode_likeness(sample, known, like, m, n, WORDS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Likeness of samples (WORDS, m) to known barcodes (WORDS, n), float32, word by word."""
    row, col = tl.program_id(1) * ROWS + tl.arange(0, ROWS), tl.program_id(0) * COLS + tl.arange(0, COLS)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for word in range(WORDS):
        a, b = tl.load(sample + word * m + row), tl.load(known + word * n + col)
        total += a[:, None] * b[None, :]
    tl.store(like + row[:, None] * n + col[None, :], total)


@triton.jit
def barcode_likeness_b(
    sample, known, like, m, n, WORDS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, STEP: tl.constexpr
):
    """The same; STEP words at a time by tl.dot in TF32."""
    row, col = tl.program_id(1) * ROWS + tl.arange(0, ROWS), tl.program_id(0) * COLS + tl.arange(0, COLS)
    at = tl.arange(0, STEP)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for word in range(0, WORDS, STEP):
        a = tl.load(sample + (word + at)[None, :] * m + row[:, None])
        b = tl.load(known + (word + at)[:, None] * n + col[None, :])
        total = tl.dot(a, b, total)
    tl.store(like + row[:, None] * n + col[None, :], total)
