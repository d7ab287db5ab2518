"""The pairs whose kernels are in bellfounders.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, zero

CASES = Cases()
case = CASES.add
f64 = np.float64
FILE = "bellfounders"


@case
def rope_fatigue(t: Tools) -> Pair:
    xp, ropes, tiles, some = t.xp, t.size(SMS, 4), t.size(192, 4), 2
    strain = t.rng.random((ropes, tiles * 16, 256), dtype=f32)
    harm, peak = xp.zeros((ropes, 256), f32), xp.zeros((ropes, 256), f32)

    def ref() -> Any:
        x = t.host(strain[:some]).astype(f64)
        fast, slow, heat, high, worn = (np.zeros((some, 256)) for _ in range(5))
        for k in range(x.shape[1]):
            now = x[:, k]
            wide = np.pad(now, ((0, 0), (1, 1)), mode="edge")
            rub = np.abs(now - wide[:, :-2]) + np.abs(now - wide[:, 2:])
            fast = fast + 0.3 * (now - fast)
            slow = slow + 0.01 * (now - slow)
            swing = fast - slow
            heat = 0.97 * heat + 0.05 * rub * swing * swing
            stress = np.abs(swing) * (1 + 0.2 * heat) + 0.1 * rub
            square = stress * stress
            soft = 1 / (1 + heat + 0.5 * square)
            worn = worn + (0.01 * square * square + 0.002 * square) * stress * (2 - soft)
            high = np.maximum(0.999 * high, stress * soft)
        return [worn, high]

    args, tile = (strain, harm, peak, i32(tiles)), 16 * 256 * 4
    out = (harm[:some], peak[:some], harm, peak)
    more = {"shared": (tile, 3 * tile), "ref": ref, "near": 1e-3}
    return both(t, FILE, "rope_fatigue", (ropes, ropes), (256, 256), args, out, **more)


@case
def skate_programme(t: Tools) -> Pair:
    xp, programmes, tiles, some = t.xp, t.size(SMS * 4, 4), t.size(40, 4), 2
    records = t.rng.random((programmes, tiles * 512, 8), dtype=f32)
    result = xp.zeros((programmes, 3), f32)

    def ref() -> Any:
        r = t.host(records[:some]).astype(f64)
        span = r[:, :, 7]
        force, spin = (r[:, :, :3] ** 2).sum(axis=2), np.sqrt((r[:, :, 3:6] ** 2).sum(axis=2))
        air = t.host(records[:some, :, 6]) < f32(0.1)
        return [np.stack([(force * span).sum(axis=1), (spin * span).sum(axis=1), (air * span).sum(axis=1)], axis=1)]

    args, out = (records, result, i32(tiles)), (result[:some], result)
    grids = (programmes, programmes)
    return both(t, FILE, "skate_programme", grids, (256, 256), args, out, ref=ref, near=1e-4)


@case
def beetle_species(t: Tools) -> Pair:
    xp, n, kinds, length, some = t.xp, t.size(8192, 128), t.size(1024, 128), t.size(1024, 128), 64
    beetles, species = ((t.rng.random((m, length), dtype=f32) - f32(0.5)).astype(np.float16) for m in (n, kinds))
    like = xp.zeros((n, kinds), f32)

    def ref() -> Any:
        return [t.host(beetles[:some]).astype(f64) @ t.host(species).astype(f64).T]

    args, grid = (beetles, species, like, i32(kinds), i32(length)), (kinds // 128, n // 128)
    more = {"shared": tuple(2 * 2 * 128 * pitch * 2 for pitch in (64, 72)), "ref": ref, "near": 1e-3}
    return both(t, FILE, "beetle_species", (grid, grid), (256, 256), args, (like[:some], like), **more)


@case
def painting_forest(t: Tools) -> Pair:
    xp, n, trees, depth, some = t.xp, t.size(SMS * 128, 256), t.size(256, 16), 10, 128
    traits, cut = t.rng.random((32, n), dtype=f32), f32(0.2) + f32(0.6) * t.rng.random((trees, 1 << depth), dtype=f32)
    trait = t.rng.integers(0, 32, (trees, 1 << depth), dtype=i32)
    nodes = xp.ascontiguousarray(xp.stack([cut.view(i32), trait], axis=2))
    leaves, odd = f32(4) * t.rng.random((trees, 1 << depth), dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        x, c, f, v = (t.host(a) for a in (traits[:, :some], cut, trait, leaves))
        who, total = np.arange(some), np.zeros(some)
        for tree in range(trees):
            at = np.ones(some, dtype=np.int64)
            for _ in range(depth):
                at = 2 * at + (x[f[tree, at], who] > c[tree, at])
            total += v[tree, at - (1 << depth)]
        return [np.exp2(-total / trees)]

    args = (traits, nodes, leaves, odd, i32(trees), i32(depth), i32(n))
    grids, out = (n // 128, n // 128), (odd[:some], odd)
    return both(t, FILE, "painting_forest", grids, (128, 128), args, out, ref=ref, near=1e-4)


@case
def barometer_falls(t: Tools) -> Pair:
    xp, n, hours, some = t.xp, t.size(SMS * 2048, 256), 128, 256
    pressure, found = t.rng.random((n, hours), dtype=f32), xp.zeros((3, n), f32)

    def ref() -> Any:
        p = t.host(pressure[:some])
        drop = p[:, :-3] - p[:, 3:]
        return [np.stack([p.astype(f64).mean(axis=1), drop.max(axis=1), (drop > f32(0.5)).sum(axis=1)])]

    args, out = (pressure, found, i32(hours), i32(n)), (found[:, :some], found)
    return both(t, FILE, "barometer_falls", (n // 128, n // 128), (128, 128), args, out, ref=ref, near=1e-5)


@case
def pendulum_fit(t: Tools) -> Pair:
    xp, n, many, some = t.xp, t.size(SMS * 128, 256), t.size(12288, 2048), 128
    time = xp.arange(many, dtype=f32) / f32(many)
    swings = xp.stack([time, f32(0.3) + f32(0.5) * time + f32(0.1) * t.rng.random(many, dtype=f32)], axis=1)
    swings, start, rate = xp.ascontiguousarray(swings), t.rng.random(n, dtype=f32), t.rng.random(n, dtype=f32)
    misfit = xp.zeros(n, f32)

    def ref() -> Any:
        s, a, b = (t.host(x).astype(f64) for x in (swings, start[:some], rate[:some]))
        return [((s[None, :, 1] - (a[:, None] + b[:, None] * s[None, :, 0])) ** 2).sum(axis=1)]

    args, out = (swings, start, rate, misfit, i32(many)), (misfit[:some], misfit)
    return both(t, FILE, "pendulum_fit", (n // 128, n // 128), (128, 128), args, out, ref=ref, near=1e-5)


@case
def car_park_takings(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 26, 1 << 14)
    zone = (f32(15.99) * t.rng.random(n, dtype=f32) ** 4).astype(np.uint16)
    cents = t.uint32(n, 4096).astype(np.uint16)
    records = zone | (cents << 4).astype(np.uint16)
    takings = xp.zeros(16, np.uint64)

    def ref() -> Any:
        return [xp.stack([cents[zone == z].sum(dtype=np.uint64) for z in range(16)])]

    grids, args = (SMS * 8, SMS * 8), (records, takings, i32(n // 8))
    return both(t, FILE, "car_park_takings", grids, (256, 256), args, takings, ref=ref, reset=zero(takings))


@case
def cheque_signatures(t: Tools) -> Pair:
    xp, n, some = t.xp, t.size(SMS * 2048, 256), 256
    strokes, owner = t.rng.random((24, n), dtype=f32), t.rng.random(48, dtype=f32)
    length, off = t.rng.integers(17, 25, n, dtype=i32), xp.zeros(n, f32)

    def ref() -> Any:
        own, model, many = t.host(strokes[:, :some]).astype(f64), t.host(owner).astype(f64), t.host(length[:some])
        row = np.full((24, some), 1e30)
        for m in range(48):
            before, left = row.copy(), np.full(some, 1e30)
            corner = np.full(some, 0.0 if m == 0 else 1e30)
            for j in range(24):
                left = np.minimum(np.minimum(before[j], left), corner) + np.abs(model[m] - own[j])
                corner, row[j] = before[j], left
        return [row[many - 1, np.arange(some)] / (many + 48)]

    args, out = (strokes, length, owner, off, i32(n)), (off[:some], off)
    return both(t, FILE, "cheque_signatures", (n // 128, n // 128), (128, 128), args, out, ref=ref, near=1e-5)


@case
def wound_closing(t: Tools) -> Pair:
    xp, n, days, some = t.xp, t.size(1 << 21, 1 << 10), 8, 1 << 10
    depth, blood = f32(1) + t.rng.random(n, dtype=f32), f32(0.5) + t.rng.random(n, dtype=f32)
    left = xp.zeros(n, f32)

    def ref() -> Any:
        d, supply = (t.host(x[:some]).astype(f64) for x in (depth, blood))
        cells = np.full(some, 0.05)
        for _ in range(days):
            oxygen = supply * np.exp(-0.35 * d)
            cells = cells + 0.4 * cells * (1 - cells / (0.2 + oxygen))
            d = np.maximum(d - 0.08 * np.sqrt(0.01 + cells * oxygen) * (1 + 0.3 * d), 0)
        return [d]

    args, out = (depth, blood, left, i32(days), i32(n)), (left[:some], left)
    return both(t, FILE, "wound_closing", (n // 256, n // 256), (256, 256), args, out, ref=ref, near=1e-4)


@case
def fuel_volumes(t: Tools) -> Pair:
    xp, tanks, pitch, readings, longest, some = t.xp, t.size(SMS * 32, 8), 256, 4096, 14336, 4
    knots = t.rng.integers(150, 257, tanks, dtype=i32)
    steps = f32(0.1) + t.rng.random((tanks, pitch, 2), dtype=f32)
    tables = xp.ascontiguousarray(xp.cumsum(steps, axis=1, dtype=f32))
    heights = f32(90) * t.rng.random((tanks, readings), dtype=f32)
    volumes = xp.zeros((tanks, readings), f32)

    def ref() -> Any:
        x, k, m = (t.host(a[:some]) for a in (heights, tables, knots))
        return [np.stack([np.interp(x[j], k[j, : m[j], 0], k[j, : m[j], 1]) for j in range(some)])]

    args = (tables, knots, heights, volumes, i32(pitch), i32(readings))
    slow, cured = (launch(t, FILE, "fuel_volumes", tanks, 128, args, rows * 8) for rows in (longest, pitch))
    return Pair(slow, cured, lambda _: (volumes[:some], volumes), ref, 1e-4)


@case
def hedge_heights(t: Tools) -> Pair:
    xp, n, weeks, group, some = t.xp, t.size(1 << 22, 1 << 13), 32, 4096, 1 << 10
    kind, rate = t.rng.integers(0, 6, n, dtype=i32), f32(0.05) + f32(0.1) * t.rng.random(n, dtype=f32)
    water, height = t.rng.random(n, dtype=f32), xp.zeros(n, f32)
    key = (xp.arange(n, dtype=i32) // group) * (6 * group) + kind * group + xp.arange(n, dtype=i32) % group
    order = xp.argsort(key).astype(i32)

    def ref() -> Any:
        which, r, water_ = (t.host(a[:some]) for a in (kind, rate, water))
        r, u = r.astype(f64), water_.astype(f64)
        h = np.full((6, some), 0.1)
        store, shade, vigour, root = np.full(some, 0.2), np.zeros(some), np.ones(some), np.full(some, 0.3)
        warm, turn = 0.0, 0.4
        for _ in range(weeks):
            h[0] += r * h[0] * (1 - h[0] / (0.5 + u * (1 + 0.01 * h[0])))
            store = store + 0.1 * u * h[1] - 0.05 * store * store
            h[1] += r * np.minimum(store, 0.3) * (1 - 0.2 * h[1])
            light = np.exp(-0.8 * h[2] - shade)
            shade = 0.9 * shade + 0.02 * h[2]
            h[2] += r * u * light
            h[3] += r * vigour * (0.3 + u)
            vigour = 0.98 * vigour + 0.03 * u
            h[3] = np.where(h[3] > 1, 0.6 + 0.1 * h[3], h[3])
            drawn = u * root / np.sqrt(0.1 + root * root + h[4] * h[4])
            root = root + 0.3 * r * drawn
            h[4] += 0.5 * r * drawn - 0.01 * h[4] * h[4]
            turn -= 0.15 * warm
            warm += 0.15 * turn
            h[5] += r * max(warm + 0.2, 0.0) * (0.2 + u) * (1.2 - h[5])
        # A plant that is at the height of the cut may be cut a week sooner or later.
        return [np.where(which == 3, 0, h[which, np.arange(some)])]

    def outs(_: str) -> Any:
        uncut = kind != 3
        return ((height * uncut)[:some], height * uncut, (height * ~uncut).sum(dtype=f64).reshape(1))

    slow = launch(t, FILE, "hedge_heights", n // 256, 256, (kind, rate, water, height, i32(weeks), i32(n)))
    cured = launch(t, FILE, "hedge_heights_b", n // 256, 256, (order, kind, rate, water, height, i32(weeks), i32(n)))
    return Pair(slow, cured, outs, ref, 1e-4)


@case
def puppet_cloth(t: Tools) -> Pair:
    xp, n, many, some = t.xp, t.size(1 << 21, 1 << 10), 24, 1 << 10
    limbs, places = t.rng.random((many, 8), dtype=f32), t.rng.random((3, n), dtype=f32)
    limbs[:, :4] -= f32(0.5)
    nearest, pull = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        p, near, drawn = t.host(places[:, :some]).astype(f64), np.full(some, 1e30), np.zeros(some)
        for limb in t.host(limbs).astype(f64):
            w, x, y, z = limb[:4] / np.sqrt((limb[:4] ** 2).sum())
            turn = np.array(
                [
                    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
                ]
            )
            along, u, v = turn @ (p - limb[4:7, None])
            past = along - np.clip(along, 0, limb[7])
            far = past * past + u * u + v * v
            near, drawn = np.minimum(near, far), drawn + np.maximum(0.25 - far, 0) * u
        return [np.sqrt(near), drawn]

    args, out = (limbs, places, nearest, pull, i32(many), i32(n)), (nearest[:some], pull[:some], nearest, pull)
    return both(t, FILE, "puppet_cloth", (n // 256, n // 256), (256, 256), args, out, ref=ref, near=1e-4)
