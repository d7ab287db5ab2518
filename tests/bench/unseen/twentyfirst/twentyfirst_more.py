"""The pairs whose kernels are in tanneries.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, zero

CASES = Cases()
case = CASES.add
f64, u8 = np.float64, np.uint8
FILE = "tanneries"


@case
def rucksack_joy(t: Tools) -> Pair:
    n, things, carried, some = t.size(SMS * 1024, 1 << 10), 24, 40, 256
    weight, joy = t.rng.integers(1, 13, (things, n), dtype=i32), t.rng.random((things, n), dtype=f32)
    most = t.xp.zeros(n, f32)

    def ref() -> Any:
        heavy, liked = t.host(weight[:, :some]), t.host(joy[:, :some]).astype(f64)
        best, at = np.zeros((some, carried)), np.arange(carried)[None]
        for w, v in zip(heavy, liked, strict=True):
            before = np.take_along_axis(best, np.maximum(at - w[:, None], 0), axis=1)
            best = np.where(at >= w[:, None], np.maximum(best, before + v[:, None]), best)
        return [best[:, -1]]

    args = (weight, joy, most, i32(things), i32(n))
    pair = both(t, FILE, "rucksack_joy", (n // 128,) * 2, (128, 128), args, most, near=1e-5, ref=ref)
    pair.outs = lambda _: (most[:some], most)
    return pair


@case
def cheese_ripening(t: Tools) -> Pair:
    xp, n, days, some = t.xp, t.size(SMS * 8192, 1 << 11), 48, 1 << 11
    cheese, kind = f32(0.1) + f32(0.8) * t.rng.random((n, 4), dtype=f32), t.rng.integers(0, 6, n, dtype=i32)
    order, ripe = xp.argsort(kind).astype(i32), xp.zeros(n, f32)

    def rule(kind: int, x: Any, z: Any, y: Any, ripe: Any, water: Any) -> tuple[Any, Any]:
        if kind == 0:
            grown = 0.05 * water * np.exp(-x * ripe) * (1 - 0.4 * ripe)
            water = water - 0.02 * water * (1 + 0.3 * z)
            return ripe + grown / (1 + water), water
        if kind == 1:
            mould = z * ripe / (0.2 + ripe + x * water)
            ripe, water = ripe + 0.03 * mould * (1.2 - ripe), np.maximum(water - 0.01 * mould - 0.004, 0.05)
            return ripe - 0.002 * x * ripe * ripe * water, water
        if kind == 2:
            acid = 1 / np.sqrt(0.1 + water * water + x * ripe)
            ripe = np.minimum(ripe + 0.02 * acid * z, 2)
            water = 0.985 * water + 0.003 * acid * (1 - 0.2 * ripe)
            return ripe + 0.004 * (acid - 0.5) * (water - y), water
        if kind == 3:
            turn = np.sin(0.4 * ripe + z)
            ripe = ripe + 0.015 * turn * turn + 0.01 * water * (1 - x)
            water = water + 0.01 * (0.6 - water) - 0.003 * turn * x
            return ripe * (1 - 0.001 * water * turn), water
        if kind == 4:
            gas = np.log2(1 + ripe * z + 0.5 * water)
            ripe, water = ripe + 0.01 * gas * (1.5 - 0.3 * gas) - 0.002 * x * ripe, water * (0.99 - 0.002 * gas)
            return np.maximum(ripe, 0.01 + 0.1 * water * x), water
        rind = np.sqrt(0.05 + ripe * water)
        ripe, water = ripe + 0.02 * rind * (z - 0.3 * ripe) + 0.001 * x, water - 0.008 * rind * water * (1 - 0.5 * x)
        return ripe - 0.003 * rind * rind * ripe, water

    def ref() -> Any:
        c, kinds, out = t.host(cheese[:some]).astype(f64), t.host(kind[:some]), np.zeros(some)
        for k in range(6):
            x, y, z, now = c[kinds == k].T
            water = y
            for _ in range(days):
                now, water = rule(k, x, z, y, now, water)
            out[kinds == k] = now + 0.1 * water
        return [out]

    args = (cheese, kind, order, ripe, i32(days))
    pair = both(t, FILE, "cheese_ripening", (n // 256,) * 2, (256, 256), args, ripe, near=1e-4, ref=ref)
    pair.outs = lambda _: (ripe[:some], ripe)
    return pair


@case
def cicada_song(t: Tools) -> Pair:
    xp, n, samples, taps, some = t.xp, t.size(SMS * 1024, 1 << 10), 128, 32, 256
    song, power = t.rng.random((samples, n), dtype=f32) - f32(0.5), xp.zeros(n, f32)
    tap = (t.rng.random(taps, dtype=f32) - f32(0.5)).astype(f32)
    t.constant(FILE, "cicada_taps", tap)

    def ref() -> Any:
        x, c = np.pad(t.host(song[:, :some]).astype(f64), ((taps - 1, 0), (0, 0))), t.host(tap).astype(f64)
        heard = sum(c[k] * x[taps - 1 - k : taps - 1 - k + samples] for k in range(taps))
        return [(heard * heard).mean(axis=0)]

    args = (song, power, i32(samples), i32(n))
    pair = both(t, FILE, "cicada_song", (n // 256,) * 2, (256, 256), args, power, near=1e-4, ref=ref)
    pair.outs = lambda _: (power[:some], power)
    return pair


@case
def firefly_swarm(t: Tools) -> Pair:
    xp, blocks, steps, each, some = t.xp, t.size(SMS, 2), 2048, 4, 128
    n = blocks * 128 * each
    drive = f32(0.5) + f32(0.7) * t.rng.random(n, dtype=f32)
    state, mean = xp.zeros((n, 2), f32), xp.zeros(n, f32)

    def ref() -> Any:
        own = t.host(drive[:some]).astype(f64)
        v, w, total = np.full(some, -1.0), 0.5 * own, np.zeros(some)
        for _ in range(steps):
            v = v + 0.05 * (v - v**3 / 3 - w + own)
            w = w + 0.004 * (v + 0.7 - 0.8 * w)
            total += v
        return [total / steps]

    args = (drive, state, mean, i32(steps))
    pair = both(t, FILE, "firefly_swarm", (blocks,) * 2, (128, 128), args, mean, near=2e-2, ref=ref)
    pair.outs = lambda _: (mean[:some], mean, state)
    return pair


@case
def lichen_cover(t: Tools) -> Pair:
    xp, n, kinds = t.xp, t.size(1 << 25, 1 << 14), 16
    kind = t.rng.integers(0, kinds, n, dtype=i32)
    kind = xp.where(t.rng.random(n, dtype=f32) < f32(0.4), 3, kind).astype(u8)
    thick, cover = t.rng.integers(0, 101, n, dtype=i32).astype(np.uint16), xp.zeros(kinds, np.uint32)

    def ref() -> Any:
        return [np.bincount(t.host(kind), t.host(thick), kinds).astype(np.uint32)]

    args, grid = (kind, thick, cover, i32(n // 4)), t.size(SMS * 8, 4)
    return both(t, FILE, "lichen_cover", (grid, grid), (256, 256), args, cover, ref=ref, reset=zero(cover))


@case
def horse_gaits(t: Tools) -> Pair:
    xp, n, moments, horses, gaits, some = t.xp, t.size(SMS * 1024, 1 << 10), 96, 64, 4, 256
    speed = f32(6) * t.rng.random((moments, n), dtype=f32)
    gait, total = xp.zeros((moments, n), u8), xp.zeros(n, f32)

    def ref() -> Any:
        x, score, g = t.host(speed[:, :some]).astype(f64), np.zeros((some, gaits)), np.arange(gaits)
        cost = 0.7 * np.abs(g[:, None] - g[None])
        for now in x:
            score = (score[:, None, :] - cost[None]).max(axis=2) - (now[:, None] - 1.5 * (g + 0.5)) ** 2
        return [score.max(axis=1)]

    args, grid = (speed, gait, total, i32(n)), n // horses
    sizes = (moments * gaits * horses * 2, moments * horses)
    pair = both(t, FILE, "horse_gaits", (grid, grid), (horses, horses), args, total, shared=sizes, near=1e-4, ref=ref)
    pair.outs = lambda _: (total[:some], total, gait)
    return pair
