"""More pairs of the .cu files here: physics and data."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, f32, i32, i64, launch
from sixth_ours import both

CASES = Cases()
case = CASES.add


# ---- decays, sight, modes, charges, genes, clouds, rays, ice, wings
@case
def decay_sums(t: Tools) -> Pair:
    xp, rounds = t.xp, t.size(256, 1)
    total = xp.zeros(SMS * 1024, np.float64)

    def ref() -> Any:
        state = xp.arange(SMS * 1024, dtype=xp.uint32) * xp.uint32(2654435761) + xp.uint32(12345)
        want = xp.zeros_like(total)
        for _ in range(rounds * 8):
            for _ in range(2):
                state = state ^ state << xp.uint32(13)
                state = state ^ state >> xp.uint32(17)
                state = state ^ state << xp.uint32(5)
            word = state ^ (state >> xp.uint32(9) & xp.uint32(0x2AAAAA))
            x, s = word.astype(np.float64) / 2.0**32, 1 / 13
            for k in range(12, 0, -1):
                s = s * x + 1 / k
            want += s
        return [want]

    args, grids = (total, i32(rounds)), (SMS, SMS)
    return both(t, "physics", "decay_sums", grids, 1024, args, total, ref=ref, near=1e-9)


@case
def sight_lines(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 10)
    ground = t.rng.random(128 * 256, dtype=f32) * f32(100)
    ray, steepest = t.rng.integers(-80000, 80000, (n, 4), dtype=i32), xp.zeros(n, f32)
    ray[:, :2] *= 128

    def ref() -> Any:
        x, y, most = ray[:, 0].astype(i64), ray[:, 1].astype(i64), xp.full(n, -1e30)
        for k in range(1, 97):
            x, y = x + ray[:, 2], y + ray[:, 3]
            most = xp.maximum(most, ground[((y >> 16) & 127) * 256 + ((x >> 16) & 255)].astype(np.float64) / k)
        return [most]

    args, grids = (ground, ray, steepest), (n // 256, n // 256)
    return both(t, "physics", "sight_lines", grids, 256, args, steepest, ref=ref, near=1e-5)


@case
def mirror_modes(t: Tools) -> Pair:
    xp, modes = t.xp, t.size(1 << 17, 1 << 8) * 33
    wanted, gain = t.rng.random(modes, dtype=f32), t.rng.random(33, dtype=f32) * f32(0.02) + f32(0.01)
    shape = xp.zeros(modes, f32)
    args = (wanted, gain, shape, i32(modes))

    def ref() -> Any:
        to, g = wanted.astype(np.float64).reshape(-1, 33), gain.astype(np.float64)
        a, total = xp.zeros_like(to), xp.zeros_like(to)
        for _ in range(200):
            total = 0.98 * total + to - a
            a = g * total + 0.97 * a
        return [a.reshape(-1)]

    slow = launch(t, "physics", "mirror_modes", modes // 33, 33, args)
    return Pair(slow, launch(t, "physics", "mirror_modes", -(-modes // 495), 495, args), lambda _: (shape,), ref, 1e-4)


@case
def charge_fields(t: Tools) -> Pair:
    xp, n, charges = t.xp, t.size(SMS * 1024, 512), t.size(4096, 256)
    charge, probe = t.rng.random((charges, 4), dtype=f32), t.rng.random((n, 4), dtype=f32)
    field = xp.zeros((n, 3), np.float64)

    def ref() -> Any:
        want, c = [], charge.astype(np.float64)
        for first in range(0, n, 2048):
            away = probe[first : first + 2048, None, :3].astype(np.float64) - c[None, :, :3]
            strength = c[None, :, 3] * ((away**2).sum(axis=2) + 0.01) ** -1.5
            want.append((away * strength[:, :, None]).sum(axis=1))
        return [xp.concatenate(want)]

    args, grids = (charge, probe, field, i32(charges)), (n // 256, n // 256)
    return both(t, "physics", "charge_fields", grids, 256, args, field, ref=ref, near=1e-4)


@case
def gene_levels(t: Tools) -> Pair:
    xp, n, hill = t.xp, t.size(1 << 20, 1 << 10), 1.6
    cell = t.rng.random((n, 4), dtype=f32) + f32(0.5)
    level = xp.zeros((n, 4), f32)

    def ref() -> Any:
        a, b, c, rate = (cell[:, k].astype(np.float64) for k in range(4))
        for _ in range(64):
            x, y, z = (rate / (1 + v ** float(f32(hill))) for v in (c, a, b))
            a, b, c = a + 0.1 * (x - a), b + 0.1 * (y - b), c + 0.1 * (z - c)
        return [xp.stack([a, b, c, rate], axis=1)]

    args, grids = (cell, level, f32(hill), i32(n)), (n // 256, n // 256)
    return both(t, "physics", "gene_levels", grids, 256, args, level, ref=ref, near=1e-4)


@case
def farthest_points(t: Tools) -> Pair:
    xp, clouds, wanted = t.xp, t.size(SMS * 2, 4), t.size(512, 8)
    point, chosen = t.rng.integers(0, 1024, (clouds, 2048, 4), dtype=i32), xp.zeros((clouds, wanted), i32)

    def ref() -> Any:
        far, last, want = xp.full((clouds, 2048), 1 << 30, i32), xp.zeros(clouds, i64), []
        for _ in range(wanted):
            want.append(last.astype(i32))
            away = point[:, :, :3] - point[xp.arange(clouds), last][:, None, :3]
            far = xp.minimum(far, (away**2).sum(axis=2).astype(i32))
            last = far.argmax(axis=1)
        return [xp.stack(want, axis=1)]

    args, grids = (point, chosen, i32(wanted)), (clouds, clouds)
    return both(t, "physics", "farthest_points", grids, 1024, args, chosen, ref=ref)


@case
def refract_rays(t: Tools) -> Pair:
    xp, n, lenses = t.xp, t.size(1 << 20, 1 << 10), 256
    inward, out = t.rng.random((n, 2), dtype=f32) - f32(0.5), xp.zeros((n, 2), f32)

    def ref() -> Any:
        x, y = inward[:, 0].astype(np.float64), inward[:, 1].astype(np.float64)
        for _ in range(lenses):
            x = x + 0.035 * y
            y = y * 0.995 - 0.02 * x * (1 + 0.08 * x * x)
        return [xp.stack([x, y], axis=1)]

    args, grids = (inward, out, i32(n), i32(lenses)), (n // 256, n // 256)
    return both(t, "physics", "refract_rays", grids, 256, args, out, ref=ref, near=1e-3)


@case
def ice_columns(t: Tools) -> Pair:
    xp, blocks, years = t.xp, t.size(804, 4), t.size(1024, 16)
    n = blocks * 1024
    column = t.rng.random((n, 2), dtype=f32) + f32(0.5)
    thickness = xp.zeros(n, f32)
    args = (column, thickness, i32(years))

    def ref() -> Any:
        h, snow, soft = xp.ones(n), column[:, 0].astype(np.float64), column[:, 1].astype(np.float64)
        for _ in range(years):
            h = h + 0.01 * (snow - 0.3 * h - h * h * h * soft)
        return [h]

    slow, cured = (launch(t, "physics", "ice_columns", n // block, block, args) for block in (1024, 128))
    return Pair(slow, cured, lambda _: (thickness,), ref, 1e-4)


@case
def wing_loads(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 19, 1 << 10)
    unit = (t.rng.random((512, 18), dtype=f32) - f32(0.5)) * f32(0.5)
    state, load = t.rng.random((16, n), dtype=f32), xp.zeros(n, f32)
    t.constant("physics", "unit", unit)

    def ref() -> Any:
        wide, want = unit.astype(np.float64), []
        for first in range(0, n, 1 << 15):
            hidden = wide[:, :16] @ state[:, first : first + (1 << 15)].astype(np.float64) + wide[:, 16:17]
            want.append(wide[:, 17] @ xp.maximum(hidden, 0))
        return [xp.concatenate(want)]

    args, grids = (state, load, i32(n)), (n // 256, n // 256)
    return both(t, "physics", "wing_loads", grids, 256, args, load, ref=ref, near=1e-4)


# ---- taxes, tanks, pairs, key streams, histograms, generators, quotes, residues, leaves, ciphers
@case
def tax_rules(t: Tools) -> Pair:
    xp, n, rules, years = t.xp, t.size(1 << 20, 1 << 10), 24, 8
    rng = np.random.default_rng(6)
    kinds = rng.integers(0, 4, rules)
    low = np.asarray([[0.001, 0], [0.002, 20], [0.5, 0.02], [0.2, 0.001]])[kinds]
    numbers = (low * (1 + rng.random((rules, 2)))).astype(f32)
    income, left = t.rng.random(n, dtype=f32) * f32(90) + f32(10), xp.zeros(n, f32)

    def ref() -> Any:
        v = income.astype(np.float64)
        for _ in range(years):
            for kind, (a, b) in zip(kinds.tolist(), numbers.astype(float).tolist(), strict=True):
                if kind == 0:
                    v = v - a * v
                elif kind == 1:
                    v = v - a * xp.maximum(v - b, 0)
                else:
                    v = v + xp.maximum(a - b * v, 0) if kind == 2 else v - xp.minimum(a, b * v)
        return [v]

    args = (xp.asarray(kinds.astype(i32)), xp.asarray(numbers), income, left, i32(rules), i32(years), i32(n))
    return both(t, "data", "tax_rules", (n // 256, n // 256), 256, args, left, ref=ref, near=1e-5)


@case
def tank_levels(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 10)
    rain, over = t.rng.random(360, dtype=f32), xp.zeros(n, f32)
    tank = t.rng.random((n, 2), dtype=f32) * f32(0.5)
    t.constant("data", "rain", rain)

    def ref() -> Any:
        level, lost, area, use = (
            xp.full(n, 0.5),
            xp.zeros(n),
            tank[:, 0].astype(np.float64),
            tank[:, 1].astype(np.float64),
        )
        for day in t.host(rain).astype(float).tolist():
            level = xp.maximum(level - use, 0) + day * area
            above = xp.maximum(level - 1, 0)
            level, lost = level - above, lost + above
        return [lost]

    args, grids = (tank, over, i32(n)), (n // 256, n // 256)
    return both(t, "data", "tank_levels", grids, 256, args, over, ref=ref, near=1e-4)


@case
def active_pairs(t: Tools) -> Pair:
    xp, active, n = t.xp, t.size(655360, 1 << 10), t.size(1 << 23, 1 << 10)
    particle = t.rng.random((active * 4, 8), dtype=f32) - f32(0.5)
    compact = xp.ascontiguousarray(particle[::4])
    pair, work = t.rng.integers(0, active, (n, 2), dtype=i32), xp.zeros(n, f32)
    far_pair = pair * i32(4)

    def ref() -> Any:
        want = []
        for first in range(0, n, 1 << 20):
            p, q = (compact[pair[first : first + (1 << 20), k]].astype(np.float64) for k in range(2))
            d, u = p[:, :3] - q[:, :3], p[:, 4:7] - q[:, 4:7]
            want.append(p[:, 3] * q[:, 3] * (d * u).sum(axis=1) + p[:, 7] * q[:, 7] * (d * d).sum(axis=1))
        return [xp.concatenate(want)]

    slow, cured = (
        launch(t, "data", "active_pairs", SMS * 8, 256, (some, which, work, i32(n)))
        for some, which in ((particle, far_pair), (compact, pair))
    )
    return Pair(slow, cured, lambda _: (work,), ref, 1e-4)


@case
def rc4_streams(t: Tools) -> Pair:
    xp, n = t.xp, t.size(SMS * 512, 128)
    key, check = t.uint32(n, (1 << 31) - 1), xp.zeros(n, xp.uint32)

    def ref() -> Any:
        state, row, j = xp.tile(xp.arange(256, dtype=i32), (n, 1)), xp.arange(n), xp.zeros(n, i32)

        def swap(i: int) -> Any:
            a, b = state[:, i].copy(), state[row, j]
            state[:, i] = b
            state[row, j] = a
            return (a + b) & 255

        for i in range(256):
            j = (j + state[:, i] + (key >> xp.uint32(8 * (i & 3)) & xp.uint32(255)).astype(i32)) & 255
            swap(i)
        total, j = xp.zeros(n, xp.uint32), xp.zeros(n, i32)
        for k in range(1, 257):
            j = (j + state[:, k & 255]) & 255
            total = total * xp.uint32(31) + state[row, swap(k & 255)].astype(xp.uint32)
        return [total]

    return both(t, "data", "rc4_streams", (n // 64, n // 64), 64, (key, check), check, ref=ref)


@case
def common_histograms(t: Tools) -> Pair:
    xp, n, bins = t.xp, t.size(4096, 128), t.size(128, 8)
    x, y = (t.rng.random((bins, n), dtype=f32) for _ in range(2))
    common = xp.zeros((n, n), f32)

    def ref() -> Any:
        want = xp.zeros((n, n))
        for k in range(bins):
            want += xp.minimum(x[k, :, None], y[k, None, :])
        return [want]

    args, grids = (x, y, common, i32(n), i32(bins)), ((n // 128, n // 128), (n // 128, n // 128))
    return both(t, "data", "common_histograms", grids, 256, args, common, ref=ref, near=1e-5)


@case
def fibonacci_walks(t: Tools) -> Pair:
    xp, n, rounds = t.xp, t.size(SMS * 2048, 256), t.size(128, 2)
    end = xp.zeros((n, 2), i32)

    def ref() -> Any:
        seed, word = xp.arange(n, dtype=xp.uint32), []
        for _ in range(17):
            seed = seed * xp.uint32(1664525) + xp.uint32(1013904223)
            word.append(seed ^ seed >> xp.uint32(15))
        x, y = xp.zeros(n, i32), xp.zeros(n, i32)
        for k in range(rounds * 17):
            w = word[k % 17] + word[(k + 12) % 17]
            word[k % 17] = w
            x += (w >> xp.uint32(30)).astype(i32) - 1
            y += (w >> xp.uint32(28) & xp.uint32(3)).astype(i32) - 1
        return [xp.stack([x, y], axis=1)]

    return both(t, "data", "fibonacci_walks", (n // 256, n // 256), 256, (end, i32(rounds)), end, ref=ref)


@case
def quote_times(t: Tools) -> Pair:
    xp, quotes, trades = t.xp, t.size(1 << 24, 1 << 12), t.size(1 << 20, 1 << 10)
    quote = xp.sort(t.rng.integers(0, 2_000_000_000, quotes, dtype=i32))
    trade, place = t.rng.integers(0, 2_000_000_000, trades, dtype=i32), xp.zeros(trades, i32)
    args, grids = (quote, trade, place, i32(quotes), i32(trades)), (SMS, SMS)

    def ref() -> Any:  # halving never counts the last quote
        return [xp.searchsorted(quote[:-1], trade)]

    return both(t, "data", "quote_times", grids, 256, args, place, ref=ref)


@case
def mod_powers(t: Tools) -> Pair:
    xp, n, p, exponent = t.xp, t.size(1 << 20, 1 << 10), 2147483629, 1073740123
    base, power = t.uint32(n, p), xp.zeros(n, xp.uint32)

    def ref() -> Any:
        b, r = base.astype(xp.uint64), xp.ones(n, xp.uint64)
        for bit in bin(exponent)[:1:-1]:
            r = r * b % xp.uint64(p) if bit == "1" else r
            b = b * b % xp.uint64(p)
        return [r.astype(xp.uint32)]

    minus_inverse, square = (-pow(p, -1, 1 << 32)) % (1 << 32), (1 << 64) % p
    numbers = (np.uint32(v) for v in (p, exponent, minus_inverse, square))
    return both(t, "data", "mod_powers", (n // 256, n // 256), 256, (base, power, *numbers, i32(n)), power, ref=ref)


@case
def leaf_index(t: Tools) -> Pair:
    xp, n, soil = t.xp, t.size(1 << 27, 1 << 14), 117
    red, infra = (t.rng.integers(0, 256, n, dtype=i32).astype(xp.uint8) for _ in range(2))
    leaf = xp.zeros(n, xp.uint8)
    args, grids = (red, infra, leaf, i32(soil), i64(n)), (SMS * 8, SMS * 8)

    def ref() -> Any:
        return [xp.maximum(infra.astype(np.int16) - (red.astype(i32) * soil >> 7).astype(np.int16), 0).astype(xp.uint8)]

    return both(t, "data", "leaf_index", grids, 256, args, leaf, ref=ref)


@case
def feistel_rounds(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 10)
    plain, secret = t.uint32((n, 2), (1 << 31) - 1), xp.zeros((n, 2), xp.uint32)
    box, key = t.uint32((4, 256), (1 << 31) - 1), t.uint32(8, (1 << 31) - 1)
    t.constant("data", "box", box)
    t.constant("data", "round_key", key)

    def ref() -> Any:
        a, b = plain[:, 0].copy(), plain[:, 1].copy()
        for k in range(32):
            x = a + key[k & 7]
            f = box[0][(x & xp.uint32(255)).astype(i64)]
            for part in range(1, 4):
                f = f ^ box[part][(x >> xp.uint32(8 * part) & xp.uint32(255)).astype(i64)]
            a, b = b ^ f, a
        return [xp.stack([a, b], axis=1)]

    return both(t, "data", "feistel_rounds", (SMS * 8, SMS * 8), 256, (plain, secret, i32(n)), secret, ref=ref)
