# ruff: noqa: N803
"""Kernels in Triton of the thirteenth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def brand_shares(liking, price, share, brands, slope, BLOCK: tl.constexpr):
    """Chances that a shopper buys each brand (multinomial logit); a program a shopper."""
    row, brand = tl.program_id(0), tl.arange(0, BLOCK)
    there = brand < brands
    worth = tl.load(liking + row * brands + brand, mask=there, other=-float("inf"))
    worth = worth - slope * tl.load(price + brand, mask=there, other=0.0)
    part = tl.exp(worth - tl.max(worth, 0))
    tl.store(share + row * brands + brand, part / tl.sum(part, 0), mask=there)


@triton.jit
def brand_shares_b(liking, price, share, brands, slope, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """The same; a program takes ROWS shoppers."""
    row, brand = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, BLOCK)
    there = (brand < brands)[None, :]
    at = row[:, None] * brands + brand[None, :]
    worth = tl.load(liking + at, mask=there, other=-float("inf"))
    worth = worth - slope * tl.load(price + brand, mask=brand < brands, other=0.0)[None, :]
    part = tl.exp(worth - tl.max(worth, 1)[:, None])
    tl.store(share + at, part / tl.sum(part, 1)[:, None], mask=there)


@triton.jit
def tremor_power(motion, power, length, width, turn, radius, BLOCK: tl.constexpr):
    """Strength of a frequency in recordings (recordings, length) by Morlet's wavelet; program (BLOCK, recording)."""
    row = tl.program_id(1) * length
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = tl.zeros((BLOCK,), tl.float32)
    odd = tl.zeros((BLOCK,), tl.float32)
    for k in range(-radius, radius + 1):
        late = k.to(tl.float32)
        bell = tl.exp(-0.5 * (late / width) * (late / width))
        source = at + k
        x = tl.load(motion + row + source, mask=(source >= 0) & (source < length), other=0.0)
        even += bell * tl.cos(turn * late) * x
        odd += bell * tl.sin(turn * late) * x
    tl.store(power + row + at, even * even + odd * odd, mask=at < length)


@triton.jit
def tremor_power_b(motion, power, taps, length, radius, BLOCK: tl.constexpr):
    """The same; taps (2, 2 * radius + 1) holds the wavelet."""
    row = tl.program_id(1) * length
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = tl.zeros((BLOCK,), tl.float32)
    odd = tl.zeros((BLOCK,), tl.float32)
    wide = 2 * radius + 1
    for k in range(wide):
        source = at + k - radius
        x = tl.load(motion + row + source, mask=(source >= 0) & (source < length), other=0.0)
        even += tl.load(taps + k) * x
        odd += tl.load(taps + wide + k) * x
    tl.store(power + row + at, even * even + odd * odd, mask=at < length)


@triton.jit
def shell_shapes(
    outline,
    basis,
    shape,
    D: tl.constexpr,
    KINDS: tl.constexpr,
    ROWS: tl.constexpr,
    STEP: tl.constexpr,
    HOW: tl.constexpr,
):
    """Outlines of shells (shells, D) by KINDS principal shapes (D, KINDS); a program takes ROWS shells."""
    row, kind, d = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, KINDS), tl.arange(0, STEP)
    total = tl.zeros((ROWS, KINDS), tl.float32)
    for first in range(0, D, STEP):
        line = tl.load(outline + row[:, None] * D + (first + d)[None, :])
        form = tl.load(basis + (first + d)[:, None] * KINDS + kind[None, :])
        total = tl.dot(line, form, total, input_precision=HOW)
    tl.store(shape + row[:, None] * KINDS + kind[None, :], total)


@triton.jit
def upscaled_tiles(channel, tile, n, height, width, factor, BLOCK: tl.constexpr):
    """Pictures (.., height * factor, width * factor) from factor**2 small ones each; a program writes BLOCK pixels."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    wide, high = width * factor, height * factor
    x, row = i % wide, i // wide
    y, plane = row % high, row // high
    small = (plane * factor + y % factor) * factor + x % factor
    source = (small * height + y // factor) * width + x // factor
    tl.store(tile + i, tl.load(channel + source, mask=i < n), mask=i < n)


@triton.jit
def upscaled_tiles_b(
    channel, tile, n, HEIGHT: tl.constexpr, WIDTH: tl.constexpr, FACTOR: tl.constexpr, BLOCK: tl.constexpr
):
    """The same for less than 2**31 pixels; the sizes are known when it is compiled."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    wide: tl.constexpr = WIDTH * FACTOR
    high: tl.constexpr = HEIGHT * FACTOR
    x, row = i % wide, i // wide
    y, plane = row % high, row // high
    small = (plane * FACTOR + y % FACTOR) * FACTOR + x % FACTOR
    source = (small * HEIGHT + y // FACTOR) * WIDTH + x // FACTOR
    tl.store(tile + i, tl.load(channel + source, mask=i < n), mask=i < n)


@triton.jit
def particle_classes(picture, view, match, views, pixels, ROWS: tl.constexpr, COLS: tl.constexpr, STEP: tl.constexpr):
    """Products of pictures of particles (pictures, pixels) with views of a model (views, pixels), in halves."""
    row, col = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.program_id(1) * COLS + tl.arange(0, COLS)
    d = tl.arange(0, STEP)
    seen = picture + row[:, None] * pixels + d[None, :]
    known = view + col[None, :] * pixels + d[:, None]
    total = tl.zeros((ROWS, COLS), tl.float32)
    for _ in range(0, pixels, STEP):
        total = tl.dot(tl.load(seen), tl.load(known), total)
        seen += STEP
        known += STEP
    tl.store(match + row[:, None] * views + col[None, :], total)
