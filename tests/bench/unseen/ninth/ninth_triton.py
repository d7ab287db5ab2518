# ruff: noqa: N803
"""Kernels in Triton of the ninth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def sighting_density(x, y, seen_x, seen_y, density, sightings, BLOCK: tl.constexpr):
    """The sum over all sightings of max(0, 1 - d^2)^2 at BLOCK places; distances d are in units of the bandwidth."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    here_x, here_y = tl.load(x + at), tl.load(y + at)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(sightings):
        dx, dy = here_x - tl.load(seen_x + k), here_y - tl.load(seen_y + k)
        w = tl.maximum(1.0 - dx * dx - dy * dy, 0.0)
        total += w * w
    tl.store(density + at, total)


@triton.jit
def undistort(u, v, x_out, y_out, lens, TURNS: tl.constexpr, BLOCK: tl.constexpr):
    """Pixels (u, v) to directions through a lens, by fixed-point iteration; lens: 1/f, centre, k1, k2, k3, p1, p2."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scale, cu, cv = tl.load(lens), tl.load(lens + 1), tl.load(lens + 2)
    k1, k2, k3 = tl.load(lens + 3), tl.load(lens + 4), tl.load(lens + 5)
    p1, p2 = tl.load(lens + 6), tl.load(lens + 7)
    xd, yd = (tl.load(u + at) - cu) * scale, (tl.load(v + at) - cv) * scale
    x = xd
    y = yd
    for _ in range(TURNS):
        xy = 2.0 * x * y
        r = x * x + y * y
        radial = 1.0 + r * (k1 + r * (k2 + r * k3))
        dx = p1 * xy + p2 * (r + 2.0 * x * x)
        dy = p2 * xy + p1 * (r + 2.0 * y * y)
        x = (xd - dx) / radial
        y = (yd - dy) / radial
    tl.store(x_out + at, x.to(tl.float32))
    tl.store(y_out + at, y.to(tl.float32))


@triton.jit
def decode_step(q, k, v, top, mass, mix, scale, keys, parts, H: tl.constexpr, D: tl.constexpr, KEYS: tl.constexpr):
    """Attention of one query a head (H, D) to keys and values (H, keys, D) in halves; program (head, part of the keys).

    Of each part the largest score, the sum of the weights and the weighted sum of the values.
    """
    head, part = tl.program_id(0), tl.program_id(1)
    span = keys // parts
    d, j = tl.arange(0, D), tl.arange(0, KEYS)
    query = tl.load(q + head * D + d).to(tl.float32) * scale
    at = (head * keys + part * span + j)[:, None] * D + d[None, :]
    high = -1.0e30
    total = 0.0
    summed = tl.zeros((D,), tl.float32)
    for _ in range(0, span, KEYS):
        score = tl.sum(tl.load(k + at).to(tl.float32) * query[None, :], 1)
        higher = tl.maximum(tl.max(score, 0), high)
        weight = tl.exp(score - higher)
        keep = tl.exp(high - higher)
        total = total * keep + tl.sum(weight, 0)
        summed = summed * keep + tl.sum(weight[:, None] * tl.load(v + at).to(tl.float32), 0)
        high = higher
        at += KEYS * D
    place = part * H + head
    tl.store(top + place, high)
    tl.store(mass + place, total)
    tl.store(mix + place * D + d, summed)


@triton.jit
def join_parts(top, mass, mix, y, PARTS: tl.constexpr, H: tl.constexpr, D: tl.constexpr):
    """The parts of decode_step put together, a head a program."""
    head = tl.program_id(0)
    part, d = tl.arange(0, PARTS), tl.arange(0, D)
    high = tl.load(top + part * H + head)
    weight = tl.exp(high - tl.max(high, 0))
    total = tl.sum(weight * tl.load(mass + part * H + head), 0)
    summed = tl.sum(weight[:, None] * tl.load(mix + (part * H + head)[:, None] * D + d[None, :]), 0)
    tl.store(y + head * D + d, summed / total)


@triton.jit
def ocean_surface(x, y, height, waves, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    """The height of the sea at BLOCK places; each of COUNT waves has two wave numbers, a phase and an amplitude."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    here_x, here_y = tl.load(x + at), tl.load(y + at)
    z = tl.zeros((BLOCK,), tl.float32)
    for w in range(COUNT):
        kx, ky = tl.load(waves + 4 * w), tl.load(waves + 4 * w + 1)
        phase, high = tl.load(waves + 4 * w + 2), tl.load(waves + 4 * w + 3)
        z += high * libdevice.sin(kx * here_x + ky * here_y + phase)
    tl.store(height + at, z)


@triton.jit
def ocean_surface_b(x, y, height, waves, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    """The same; |angles| are below 50, for which the fast sine is good to 1e-5."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    here_x, here_y = tl.load(x + at), tl.load(y + at)
    z = tl.zeros((BLOCK,), tl.float32)
    for w in range(COUNT):
        kx, ky = tl.load(waves + 4 * w), tl.load(waves + 4 * w + 1)
        phase, high = tl.load(waves + 4 * w + 2), tl.load(waves + 4 * w + 3)
        z += high * libdevice.fast_sinf(kx * here_x + ky * here_y + phase)
    tl.store(height + at, z)


@triton.jit
def firing_cells(start, drive, c, mean, steps, BLOCK: tl.constexpr):
    """The mean potential over the steps of cells whose current is a polynomial of degree 15 of the potential."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v, i = tl.load(start + at), tl.load(drive + at)
    c0, c1, c2, c3 = tl.load(c), tl.load(c + 1), tl.load(c + 2), tl.load(c + 3)
    c4, c5, c6, c7 = tl.load(c + 4), tl.load(c + 5), tl.load(c + 6), tl.load(c + 7)
    c8, c9, c10, c11 = tl.load(c + 8), tl.load(c + 9), tl.load(c + 10), tl.load(c + 11)
    c12, c13, c14, c15 = tl.load(c + 12), tl.load(c + 13), tl.load(c + 14), tl.load(c + 15)
    w = tl.zeros((BLOCK,), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(steps):
        f = c15 * v + c14
        f = f * v + c13
        f = f * v + c12
        f = f * v + c11
        f = f * v + c10
        f = f * v + c9
        f = f * v + c8
        f = f * v + c7
        f = f * v + c6
        f = f * v + c5
        f = f * v + c4
        f = f * v + c3
        f = f * v + c2
        f = f * v + c1
        f = f * v + c0
        rest = i - w
        w = w + 0.004 * (v + 0.7 - 0.8 * w)
        v = v + 0.05 * (f + rest)
        total += v
    tl.store(mean + at, total / steps)


@triton.jit
def firing_cells_b(start, drive, c, mean, steps, BLOCK: tl.constexpr):
    """The same; the polynomial by halves, whose parts do not wait for each other."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v, i = tl.load(start + at), tl.load(drive + at)
    c0, c1, c2, c3 = tl.load(c), tl.load(c + 1), tl.load(c + 2), tl.load(c + 3)
    c4, c5, c6, c7 = tl.load(c + 4), tl.load(c + 5), tl.load(c + 6), tl.load(c + 7)
    c8, c9, c10, c11 = tl.load(c + 8), tl.load(c + 9), tl.load(c + 10), tl.load(c + 11)
    c12, c13, c14, c15 = tl.load(c + 12), tl.load(c + 13), tl.load(c + 14), tl.load(c + 15)
    w = tl.zeros((BLOCK,), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(steps):
        v2 = v * v
        v4 = v2 * v2
        v8 = v4 * v4
        f0 = (c3 * v + c2) * v2 + (c1 * v + c0)
        f4 = (c7 * v + c6) * v2 + (c5 * v + c4)
        f8 = (c11 * v + c10) * v2 + (c9 * v + c8)
        f12 = (c15 * v + c14) * v2 + (c13 * v + c12)
        f = (f12 * v4 + f8) * v8 + (f4 * v4 + f0)
        rest = i - w
        w = w + 0.004 * (v + 0.7 - 0.8 * w)
        v = v + 0.05 * (f + rest)
        total += v
    tl.store(mean + at, total / steps)


@triton.jit
def mix_levels(air, mixed, columns, rate, levels, BLOCK: tl.constexpr):
    """A fourth difference along the levels of air (levels + 4, columns); program (BLOCK columns, level)."""
    at = tl.program_id(1) * columns + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(air + at), tl.load(air + at + columns)
    c = tl.load(air + at + 2 * columns)
    d, e = tl.load(air + at + 3 * columns), tl.load(air + at + 4 * columns)
    tl.store(mixed + at, c - rate * (a + e + 6.0 * c - 4.0 * (b + d)))


@triton.jit
def mix_levels_b(air, mixed, columns, rate, levels, BLOCK: tl.constexpr):
    """The same; a program goes through all levels of its columns and keeps the last four."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(air + at), tl.load(air + at + columns)
    c, d = tl.load(air + at + 2 * columns), tl.load(air + at + 3 * columns)
    for _ in range(levels):
        e = tl.load(air + at + 4 * columns)
        tl.store(mixed + at, c - rate * (a + e + 6.0 * c - 4.0 * (b + d)))
        a = b
        b = c
        c = d
        d = e
        at += columns
