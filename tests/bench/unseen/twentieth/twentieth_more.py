"""The pairs whose kernels are in windmills.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
f64, u8 = np.float64, np.uint8
FILE = "windmills"


@case
def oyster_growth(t: Tools) -> Pair:
    xp, n, sizes, days, some = t.xp, t.size(SMS * 3072, 1 << 10), 40, 64, 1 << 10
    mass, inflow = t.rng.random((sizes, n), dtype=f32), f32(0.5) + t.rng.random(n, dtype=f32)
    grown = xp.zeros((sizes, n), f32)

    def ref() -> Any:
        m, fresh = t.host(mass[:, :some]).astype(f64), t.host(inflow[:some]).astype(f64)
        food = fresh.copy()
        for _ in range(days):
            gain, moved = 0.03 * food * m, 0.05 * m
            came = np.concatenate([np.full((1, some), 0.002), moved[:-1]])
            m = m + gain + came - moved - 0.01 * m * m
            food = np.maximum(food + 0.2 * (fresh - food) - 0.1 * gain.sum(axis=0), 0)
        return [m]

    args, grid = (mass, inflow, grown, i32(days), i32(n)), n // 128
    slow, cured = (launch(t, FILE, name, grid, 128, args) for name in ("oyster_growth", "oyster_growth_b"))
    return Pair(slow, cured, lambda _: (grown[:, :some], grown), ref, 1e-4)


@case
def orchid_likeness(t: Tools) -> Pair:
    xp, n, near = t.xp, t.size(SMS * 512, 1 << 11), f32(0.01)
    chunk, some = t.size(11 * 512, 512), 64
    flower, like = t.rng.random((n, 4), dtype=f32), xp.zeros(n, i32)

    def ref() -> Any:
        d = flower[:some, None] - flower[None]
        close = (d * d).sum(axis=2) < near
        return [(close & (xp.arange(n)[None] > xp.arange(some)[:, None])).sum(axis=1).astype(i32)]

    args = (flower, like, near, i32(chunk), i32(n))
    slow = launch(t, FILE, "orchid_likeness", n // 512, 512, args)
    cured = launch(t, FILE, "orchid_likeness_b", (n // 512, n // chunk), 512, args)
    return Pair(slow, cured, lambda _: (like[:some], like), ref, 0.05, zero(like))


@case
def xylophone_bars(t: Tools) -> Pair:
    xp, bars, pieces, rounds, some = t.xp, t.size(SMS * 8, 16), 1024, 32, 16
    stiff = f32(0.5) + f32(0.5) * t.rng.random((bars, pieces), dtype=f32)
    pitch, form = xp.zeros(bars, f32), xp.zeros((bars, pieces), f32)

    def ref() -> Any:
        k, found = t.host(stiff[:some]).astype(f64), np.zeros(some)
        v = 1 + np.where(np.arange(pieces) % 3 == 0, 0.5, -0.5) * k
        for _ in range(rounds):
            p = np.pad(v, ((0, 0), (2, 2)))
            w = k * (6 * v - 4 * (p[:, 1:-3] + p[:, 3:-1]) + p[:, :-4] + p[:, 4:])
            found = (v * w).sum(axis=1) / (v * v).sum(axis=1)
            v = 32 * w / np.sqrt((w * w).sum(axis=1, keepdims=True))
        return [found]

    args = (stiff, pitch, form, i32(rounds))
    slow, cured = (launch(t, FILE, name, bars, 1024, args) for name in ("xylophone_bars", "xylophone_bars_b"))
    return Pair(slow, cured, lambda _: (pitch[:some], pitch, form), ref, 1e-3)


@case
def tide_mill_rules(t: Tools) -> Pair:
    xp, mills, hours, rules, some = t.xp, t.size(SMS + 12, 4), 3648, 2048, 2
    tide = t.rng.random((mills, hours, 8), dtype=f32)
    tide *= xp.asarray([1, 0.05, 1, 0.02, 0.2, 0.1, 0.02, 0.01], f32)
    rule = t.rng.random((rules, 4), dtype=f32)
    rule *= xp.asarray([0.9, 0.5, 0.3, 1], f32)
    gain = xp.zeros((mills, rules), f32)

    def ref() -> Any:
        h, r = t.host(tide[:some]).astype(f64)[:, :, :, None], t.host(rule).astype(f64).T
        level, total = np.full((some, rules), 0.5), np.zeros((some, rules))
        for k in range(hours):
            sea, brook, price, leak, wind, ice, wage, toll = (h[:, k, c] for c in range(8))
            head = level - sea
            filled = np.maximum(-head, 0) * r[1]
            through = np.where(head > r[2], r[0] * head * r[3], 0)
            ground = through * (1 - wind * through) - ice * through * head
            total += np.maximum(ground * price - wage, 0) - toll * filled
            level = np.clip(level + brook + filled - through - leak * level, 0, 1)
        return [total]

    grids, args = ((mills, 1), (mills, 4)), (tide, rule, gain)
    pair = same(t, FILE, "tide_mill_rules", grids, (512, 512), args, gain, shared=hours * 32, near=5e-3)
    pair.ref, pair.outs = ref, lambda _: (gain[:some], gain)
    return pair


@case
def saffron_bloom(t: Tools) -> Pair:
    xp, n, colours, mixtures, least = t.xp, t.size(1 << 21, 1 << 10), 16, 8, f32(0.52)
    light, mixture = t.rng.random((colours, n), dtype=f32), t.rng.random((mixtures, colours), dtype=f32)
    bloom = xp.zeros((mixtures, n), u8)
    some = t.size(1 << 16, 1 << 10)

    def shares(blooms: Any) -> Any:
        return blooms.reshape(mixtures, -1, 256).mean(axis=2)

    def ref() -> Any:
        x, w = t.host(light[:, :some]).astype(f64), t.host(mixture).astype(f64)
        return [shares(w @ x > float(least) * x.sum(axis=0))]

    args = (light, mixture, bloom, least, i32(n))
    out = {"near": 0.02, "ref": ref}
    pair = both(t, FILE, "saffron_bloom", ((n // 256, mixtures), n // 256), (256, 256), args, bloom, **out)
    pair.outs, pair.reset = lambda _: (shares(bloom[:, :some]), shares(bloom)), zero(bloom)
    return pair


@case
def sponge_pumping(t: Tools) -> Pair:
    xp, n, group = t.xp, t.size(1 << 25, 1 << 14), 64
    kinds = t.rng.integers(1, 5, (n // group, group), dtype=i32)
    held = t.rng.random(n // group, dtype=f32) < 0.12
    held[0] = True
    cell = (kinds * held[:, None]).astype(u8).reshape(-1)
    flow, food = t.rng.random(n, dtype=f32), t.rng.random(n, dtype=f32)
    place, water = xp.flatnonzero(cell).astype(i32), xp.zeros(n, f32)
    many = int(place.size)

    def ref() -> Any:
        rate = f32(0.2) * cell * food / (f32(0.5) + food) * xp.exp(f32(-0.3) * flow) + f32(0.01) * flow
        return [xp.where(cell > 0, rate, f32(0)).astype(f32)]

    slow = launch(t, FILE, "sponge_pumping", n // 128, 128, (cell, flow, food, water, i32(n)))
    cured = launch(t, FILE, "sponge_pumping_b", -(-many // 128), 128, (place, cell, flow, food, water, i32(many)))
    return Pair(slow, cured, lambda _: (water,), ref, 1e-5)
