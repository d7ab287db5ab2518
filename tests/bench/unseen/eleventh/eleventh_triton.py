# ruff: noqa: N803
"""Kernels in Triton of the eleventh round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def move_sparks(state, moved, step, plane, dt, BLOCK: tl.constexpr):
    """Moves BLOCK sparks; of their 16 fields eight change: place, velocity, life and size."""
    at = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) * step
    x, y, z = tl.load(state + at), tl.load(state + at + plane), tl.load(state + at + 2 * plane)
    vx, vy = tl.load(state + at + 3 * plane), tl.load(state + at + 4 * plane)
    vz, life = tl.load(state + at + 5 * plane), tl.load(state + at + 6 * plane)
    size, drag = tl.load(state + at + 7 * plane), tl.load(state + at + 12 * plane)
    slow = 1.0 - dt * drag / tl.load(state + at + 14 * plane)
    vx, vz = vx * slow, vz * slow
    vy = vy * slow - 9.81 * dt
    x, z = x + vx * dt, z + vz * dt
    y += vy * dt
    vy = tl.where(y < 0.0, -0.6 * vy, vy)
    y = tl.where(y < 0.0, -0.6 * y, y)
    tl.store(moved + at, x)
    tl.store(moved + at + plane, y)
    tl.store(moved + at + 2 * plane, z)
    tl.store(moved + at + 3 * plane, vx)
    tl.store(moved + at + 4 * plane, vy)
    tl.store(moved + at + 5 * plane, vz)
    tl.store(moved + at + 6 * plane, life - dt)
    tl.store(moved + at + 7 * plane, size * (1.0 - 0.5 * dt * (1.0 - life)))


@triton.jit
def template_scores(spectrum, template, score, n, D: tl.constexpr, BLOCK: tl.constexpr):
    """Products of BLOCK spectra (n, D) in halves with a template; program (block of spectra, template)."""
    at, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    kind = tl.program_id(1)
    light = tl.load(spectrum + at[:, None] * D + d[None, :]).to(tl.float32)
    shape = tl.load(template + kind * D + d)
    tl.store(score + kind * n + at, tl.sum(light * shape[None, :], 1))


@triton.jit
def template_scores_b(spectrum, template, score, n, kinds, D: tl.constexpr, BLOCK: tl.constexpr):
    """The same; a program goes through all templates."""
    at, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    light = tl.load(spectrum + at[:, None] * D + d[None, :]).to(tl.float32)
    for kind in range(kinds):
        shape = tl.load(template + kind * D + d)
        tl.store(score + kind * n + at, tl.sum(light * shape[None, :], 1))


@triton.jit
def offer_scores(feature, taste, popularity, score, weight, D: tl.constexpr, BLOCK: tl.constexpr):
    """Scores of BLOCK offers for a customer: features (offers, D) times tastes, and a share of the popularity."""
    at, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    traits = tl.load(feature + at[:, None] * D + d[None, :]).to(tl.float32)
    liked = tl.sum(traits * tl.load(taste + d)[None, :], 1)
    tl.store(score + at, liked + weight * tl.load(popularity + at))


@triton.jit
def lapse_rate(s, t, p):
    """The adiabatic lapse rate of sea water (Bryden 1973), in degrees a decibar; s: salinity less 35."""
    rate = ((-2.1687e-16 * t + 1.8676e-14) * t - 4.6206e-13) * p
    rate += (2.7759e-12 * t - 1.1351e-10) * s + ((-5.4481e-14 * t + 8.733e-12) * t - 6.7795e-10) * t + 1.8741e-8
    rate = rate * p + (-4.2393e-8 * t + 1.8932e-6) * s
    return rate + ((6.6228e-10 * t - 6.836e-8) * t + 8.5258e-6) * t + 3.5803e-5


@triton.jit
def surface_temperatures(warmth, salt, depth, surface, steps, BLOCK: tl.constexpr):
    """The temperature that sea water has when it is brought to the surface, by Runge, Kutta and Gill."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t, p = tl.load(warmth + at), tl.load(depth + at)
    s = tl.load(salt + at) - 35.0
    h = -p / steps
    for _ in range(steps):
        k = h * lapse_rate(s, t, p)
        t += 0.5 * k
        q = k
        p += 0.5 * h
        k = h * lapse_rate(s, t, p)
        t += 0.29289322 * (k - q)
        q = 0.58578644 * k + 0.121320344 * q
        k = h * lapse_rate(s, t, p)
        t += 1.707106781 * (k - q)
        q = 3.414213562 * k - 4.121320344 * q
        p += 0.5 * h
        k = h * lapse_rate(s, t, p)
        t += (k - 2.0 * q) * 0.16666667
    tl.store(surface + at, t)


@triton.jit
def hall_echoes(sound, delay, share, heard, length, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """Early echoes of looped sounds (sounds, length), each of TAPS so many samples late; program (BLOCK, sound)."""
    row = tl.program_id(1) * length
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(TAPS):
        source = (at + length - tl.load(delay + k)) % length
        total += tl.load(share + k) * tl.load(sound + row + source)
    tl.store(heard + row + at, total)


@triton.jit
def hall_echoes_b(sound, delay, share, heard, length, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """The same; what lies before the start is taken from the end by a comparison."""
    row = tl.program_id(1) * length
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(TAPS):
        source = at - tl.load(delay + k)
        source = tl.where(source < 0, source + length, source)
        total += tl.load(share + k) * tl.load(sound + row + source)
    tl.store(heard + row + at, total)
