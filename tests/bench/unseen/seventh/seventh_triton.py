# ruff: noqa: N803
"""Kernels in Triton of the seventh round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def rotary_waves(position, D: tl.constexpr):
    """Cosine and sine of the angle of each position and pair; slow pairs are stretched by 4, with a ramp between."""
    k = tl.arange(0, D // 2).to(tl.float32)
    frequency = 1.0 / libdevice.pow(tl.full((D // 2,), 10000.0, tl.float32), k * (2.0 / D))
    turns = frequency * (1024.0 * 0.15915494309189535)
    ramp = tl.minimum(tl.maximum((turns - 1.0) / 31.0, 0.0), 1.0)
    frequency = frequency * (0.25 + 0.75 * ramp)
    angle = position.to(tl.float32)[:, None] * frequency[None, :]
    return tl.cos(angle), tl.sin(angle)


@triton.jit
def rotate_heads(x, y, T, H: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr):
    """Rotary embedding of x of (batch, T, H, D) halves; program_id(0): ROWS tokens, program_id(1): the head."""
    token, k = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, D // 2)
    c, s = rotary_waves(token % T, D)
    at = (token * H + tl.program_id(1))[:, None] * D + k[None, :]
    a, b = tl.load(x + at).to(tl.float32), tl.load(x + at + D // 2).to(tl.float32)
    tl.store(y + at, (a * c - b * s).to(tl.float16))
    tl.store(y + at + D // 2, (b * c + a * s).to(tl.float16))


@triton.jit
def rotate_heads_b(x, y, T, H: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr):
    """The same; a program takes all heads of its tokens."""
    token, k = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, D // 2)
    c, s = rotary_waves(token % T, D)
    for head in range(H):
        at = (token * H + head)[:, None] * D + k[None, :]
        a, b = tl.load(x + at).to(tl.float32), tl.load(x + at + D // 2).to(tl.float32)
        tl.store(y + at, (a * c - b * s).to(tl.float16))
        tl.store(y + at + D // 2, (b * c + a * s).to(tl.float16))


@triton.jit
def cut_windows(x, y, H, W, C, SIDE, SHIFT, BLOCK: tl.constexpr):
    """Windows of SIDE by SIDE pixels of images (batch, H, W, C) rolled by SHIFT; sizes are run-time numbers."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c, pixel = at % C, at // C
    j, i = pixel % SIDE, pixel // SIDE % SIDE
    window = pixel // (SIDE * SIDE)
    across, down = W // SIDE, H // SIDE
    column, row = window % across, window // across % down
    image = window // (across * down)
    u, v = (row * SIDE + i + SHIFT) % H, (column * SIDE + j + SHIFT) % W
    tl.store(y + at, tl.load(x + ((image * H + u) * W + v) * C + c))


@triton.jit
def cut_windows_b(
    x,
    y,
    H: tl.constexpr,
    W: tl.constexpr,
    C: tl.constexpr,
    SIDE: tl.constexpr,
    SHIFT: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The same with constant sizes."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c, pixel = at % C, at // C
    j, i = pixel % SIDE, pixel // SIDE % SIDE
    window = pixel // (SIDE * SIDE)
    column, row = window % (W // SIDE), window // (W // SIDE) % (H // SIDE)
    image = window // ((W // SIDE) * (H // SIDE))
    u, v = (row * SIDE + i + SHIFT) % H, (column * SIDE + j + SHIFT) % W
    tl.store(y + at, tl.load(x + ((image * H + u) * W + v) * C + c))


@triton.jit
def filter_taps(x, w, y, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """y[t] = the sum over k of w[k] x[t + k]."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(TAPS):
        total += tl.load(w + k) * tl.load(x + at + k)
    tl.store(y + at, total)


@triton.jit
def filter_taps_b(x, band, y, HOP: tl.constexpr, ROWS: tl.constexpr):
    """The same for 64 taps: rows of 2 HOP samples, HOP apart, times a band matrix of 2 HOP by HOP made of the taps."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j, c = tl.arange(0, 2 * HOP), tl.arange(0, HOP)
    v = tl.load(x + row[:, None] * HOP + j[None, :])
    b = tl.load(band + j[:, None] * HOP + c[None, :])
    tl.store(y + row[:, None] * HOP + c[None, :], tl.dot(v, b, input_precision="tf32"))


@triton.jit
def smooth_series(x, decay, y, T, C, BLOCK: tl.constexpr):
    """Exponential smoothing along T of x (batch, T, C) in halves, BLOCK channels a program."""
    channel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.load(decay + channel)
    state = tl.zeros((BLOCK,), tl.float32)
    at = tl.program_id(1) * T * C + channel
    for _ in range(T):
        v = tl.load(x + at).to(tl.float32)
        state = d * state + (1.0 - d) * v
        tl.store(y + at, state.to(tl.float16))
        at += C


@triton.jit
def smooth_series_b(x, decay, y, T, C, BLOCK: tl.constexpr):
    """The same, eight steps at a time: their loads come first. T is a multiple of 8."""
    channel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.load(decay + channel)
    state = tl.zeros((BLOCK,), tl.float32)
    at = tl.program_id(1) * T * C + channel
    for _ in range(0, T, 8):
        v0, v1 = tl.load(x + at), tl.load(x + at + C)
        v2, v3 = tl.load(x + at + 2 * C), tl.load(x + at + 3 * C)
        v4, v5 = tl.load(x + at + 4 * C), tl.load(x + at + 5 * C)
        v6, v7 = tl.load(x + at + 6 * C), tl.load(x + at + 7 * C)
        state = d * state + (1.0 - d) * v0.to(tl.float32)
        tl.store(y + at, state.to(tl.float16))
        state = d * state + (1.0 - d) * v1.to(tl.float32)
        tl.store(y + at + C, state.to(tl.float16))
        state = d * state + (1.0 - d) * v2.to(tl.float32)
        tl.store(y + at + 2 * C, state.to(tl.float16))
        state = d * state + (1.0 - d) * v3.to(tl.float32)
        tl.store(y + at + 3 * C, state.to(tl.float16))
        state = d * state + (1.0 - d) * v4.to(tl.float32)
        tl.store(y + at + 4 * C, state.to(tl.float16))
        state = d * state + (1.0 - d) * v5.to(tl.float32)
        tl.store(y + at + 5 * C, state.to(tl.float16))
        state = d * state + (1.0 - d) * v6.to(tl.float32)
        tl.store(y + at + 6 * C, state.to(tl.float16))
        state = d * state + (1.0 - d) * v7.to(tl.float32)
        tl.store(y + at + 7 * C, state.to(tl.float16))
        at += 8 * C
