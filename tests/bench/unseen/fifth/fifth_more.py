"""More pairs of the .cu files here: products of halves, deviates, places that name places, prices, tracks, spectra."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from fifth_ours import both
from pair import SMS, Cases, Pair, f32, i32, i64, launch

CASES = Cases()
case = CASES.add


# ---- products of halves, deviates
def _products(t: Tools, name: str, shape: tuple[int, int, int], grids: Any, blocks: Any, shared: Any) -> Pair:
    xp, (m, n, depth) = t.xp, shape
    a, b = (t.rng.standard_normal((rows, depth), dtype=f32).astype(np.float16) for rows in (m, n))
    c = xp.zeros((m, n), f32)
    args, ref = (a, b, c, i32(n), i32(depth)), lambda: [a.astype(f32) @ b.astype(f32).T]
    return both(t, "patches", name, grids, blocks, args, c, shared=shared, ref=ref, near=1e-3)


@case
def score_patches(t: Tools) -> Pair:
    side = t.size(4096, 128)
    grids = ((side // 64, side // 64), (side // 128, side // 128))
    return _products(t, "score_patches", (side, side, t.size(1024, 64)), grids, [128, 256], (0, 81920))


@case
def gram_frames(t: Tools) -> Pair:
    m, n = t.size(11, 1), t.size(12, 1)
    shape = (m * 128, n * 128, t.size(8192, 128))
    return _products(t, "gram_frames", shape, ((n, m), (n, m)), 128, (20480, 81920))


@case
def deviate_moments(t: Tools) -> Pair:
    xp, rounds, n = t.xp, t.size(400, 3), SMS * 1024
    state, moment = t.uint32((4, n), (1 << 31) - 1) + xp.uint32(1), xp.zeros(n, f32)

    def turned(v: Any, by: int) -> Any:
        return v << xp.uint32(by) | v >> xp.uint32(32 - by)

    def ref() -> Any:
        a, b, c, d = (state[k].copy() for k in range(4))
        other, total = xp.arange(n) ^ 256, xp.zeros(n)
        for _ in range(rounds):
            word = []
            for _ in range(16):
                word.append((turned(a + d, 7) + a)[other].astype(np.float64) / 2**32)
                shifted = b << xp.uint32(9)
                c ^= a
                d ^= b
                b ^= c
                a ^= d
                c ^= shifted
                d = turned(d, 11)
            for u, v in zip(word[::2], word[1::2], strict=True):
                radius = xp.sqrt(xp.maximum(-2 * xp.log(u + 2.0**-33), 0))
                for turn in (xp.cos, xp.sin):
                    total += (radius * turn(2 * np.pi * v)) ** 4
        return [total]

    args, more = (state, moment, i32(rounds)), {"ref": ref, "near": 1e-3, "shared": (65536, 65536)}
    return both(t, "patches", "deviate_moments", (SMS, SMS), 1024, args, moment, **more)


# ---- links, routes, bonds, prints
@case
def pull_ranks(t: Tools) -> Pair:
    xp, n = t.xp, t.size(655360, 1 << 10)
    record = t.rng.random((n, 32), dtype=f32)
    rank, link = xp.ascontiguousarray(record[:, :8]), t.rng.integers(0, n, (24, n), dtype=i32)
    after = xp.zeros((n, 8), f32)

    def ref() -> Any:
        total = xp.zeros((n, 8))
        for k in range(24):
            total += rank[link[k]]
        return [0.15 + 0.85 * total]

    slow = launch(t, "ranks", "pull_ranks", 2 * n // 256, 256, (record, link, after, i32(n)))
    cured = launch(t, "ranks", "pull_ranks_b", 2 * n // 256, 256, (rank, link, after, i32(n)))
    return Pair(slow, cured, lambda _: (after,), ref, 1e-5)


@case
def route_costs(t: Tools) -> Pair:
    xp, routes, places, classes = t.xp, t.size(SMS * 512, 64), 1 << 18, 1024
    cost = t.rng.random((places, 32), dtype=f32)
    place = cost.view(xp.uint32)
    place[:, 0] = t.uint32(places, places)
    start, weight = t.rng.integers(0, places, routes, dtype=i32), t.rng.random((classes, 80, 32), dtype=f32) + f32(0.1)
    out = xp.zeros((routes, 32), f32)

    def ref() -> Any:
        at, mine, total = start.astype(i64), xp.arange(routes) % classes, xp.zeros((routes, 32))
        for k in range(80):
            total += weight[mine, k] * cost[at]
            at = place[at, 0].astype(i64)
        total /= weight.astype(np.float64).sum(axis=1)[mine]
        total[:, 0] = at / (1 << 18)
        return [total]

    args, grids = (place, start, weight, out, i32(classes)), (routes // 4, routes // 4)
    return both(t, "ranks", "route_costs", grids, 128, args, out, ref=ref, near=1e-5)


@case
def gather_bonds(t: Tools) -> Pair:
    xp, lists, values = t.xp, t.size(SMS * 32, 4), 1 << 22
    bond, value = t.rng.integers(0, values, (lists, 2048), dtype=i32), t.rng.random(values, dtype=f32)
    energy = xp.zeros(lists, f32)
    args, ref = (bond, value, energy, i32(lists)), lambda: [(value[bond].astype(np.float64) ** 2).sum(axis=1)]
    return both(t, "ranks", "gather_bonds", (SMS * 2, SMS * 2), 128, args, energy, ref=ref, near=1e-5)


@case
def match_songs(t: Tools) -> Pair:
    xp, prints, songs = t.xp, t.size(65536, 1 << 10), t.size(SMS * 256, 32)
    signed = lambda rows: t.rng.integers(-127, 128, (rows, 16), dtype=i32).astype(xp.int8)  # noqa: E731
    known, heard, best = signed(prints), signed(songs), xp.zeros(songs, i32)

    def ref() -> Any:
        wide, some = known.astype(f32).T, (heard[k : k + 1024].astype(f32) for k in range(0, songs, 1024))
        return [xp.concatenate([(v @ wide).max(axis=1) for v in some])]

    slow, cured = (
        launch(t, "ranks", "match_songs", songs // 32, 256, (known, heard, best, i32(prints), i32(apart)))
        for apart in (1063, 0)
    )
    return Pair(slow, cured, lambda _: (best,), ref)


# ---- prices, flames, tracks, bids, radar pulses, spectra, rods
@case
def trend_lines(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 26, 1 << 12)
    price, trend = t.rng.random(n + 8, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        total = xp.zeros(n)
        for k in range(9):
            total += price[k : k + n]
        return [total / 9]

    slow, cured = (
        launch(t, "rods", "trend_lines", n // 1024, 128, (price, trend), shared) for shared in (102400, 1032 * 4)
    )
    return Pair(slow, cured, lambda _: (trend,), ref, 1e-5)


@case
def stiff_cells(t: Tools) -> Pair:
    xp, blocks = t.xp, t.size(264, 2)
    n = blocks * 8192
    fuel, left = t.rng.random(n, dtype=f32) * f32(0.5) + f32(0.3), xp.zeros(n, f32)
    steps, flame = xp.full(n, 20, i32), slice(n * 40 // 100, n * 46 // 100)
    steps[flame] = 2000

    def ref() -> Any:
        f = fuel.astype(np.float64)
        heat = 1 - f

        def react(part: Any, count: int) -> None:
            a, h = f[part], heat[part]
            for _ in range(count):
                burnt = 0.003 * a * (h * h + 0.05)
                h = h + burnt - 0.0005 * h
                a = a - burnt + 1e-5
            f[part], heat[part] = a, h

        for part, count in ((slice(0, flame.start), 20), (flame, 2000), (slice(flame.stop, n), 20)):
            react(part, count)
        return [f + heat]

    args = (fuel, steps, left)
    return both(t, "rods", "stiff_cells", (blocks, blocks), 256, args, left, ref=ref, near=1e-3)


@case
def kalman_tracks(t: Tools) -> Pair:
    xp, n, steps = t.xp, t.size(SMS * 4096, 256), 32
    measured = t.rng.standard_normal((steps, 3, n), dtype=f32) * f32(2)
    noise, state = t.rng.random(n, dtype=f32) * f32(4) + f32(1), xp.zeros((6, n), f32)

    def ref() -> Any:
        p, x, r = xp.zeros((6, 6, n)), xp.zeros((6, n)), noise.astype(np.float64)
        for a in range(6):
            p[a, a] = 10
        for a in range(3):
            p[a, a + 1] = p[a + 1, a] = 1
        for z in measured.astype(np.float64):
            x[:3] += 0.1 * x[3:]
            p[:3] += 0.1 * p[3:]
            p[:, :3] += 0.1 * p[:, 3:]
            for a in range(6):
                p[a, a] += 0.01 if a < 3 else 0.1
            for m in range(3):
                row = p[m].copy()
                gain = row / (row[m] + r)
                x += gain * (z[m] - x[m])
                for a in range(6):
                    p[a] -= gain[a] * row
        return [x]

    args, grids = (measured, noise, state, i32(n), i32(steps)), (n // 256, n // 256)
    return both(t, "rods", "kalman_tracks", grids, 256, args, state, ref=ref, near=1e-4)


@case
def sort_bids(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 10)
    bid, worth = t.rng.integers(0, 1_000_000, (24, n), dtype=i32), xp.zeros(n, i32)
    rank = np.arange(8, 0, -1)[:, None]
    args, grids = (bid, worth, i32(n)), (n // 256, n // 256)
    ref = lambda: [(-xp.sort(-bid, axis=0)[:8] * xp.asarray(rank)).sum(axis=0)]  # noqa: E731
    return both(t, "rods", "sort_bids", grids, 256, args, worth, ref=ref)


@case
def corner_turn(t: Tools) -> Pair:
    xp, side = t.xp, t.size(8192, 64)
    pulses, turned = t.uint32((side, side), (1 << 31) - 1), xp.zeros((side, side), xp.uint32)
    args, grid = (pulses, turned, i32(side)), (side // 32, side // 32)
    return both(t, "rods", "corner_turn", (grid, grid), (32, 8), args, turned, ref=lambda: [pulses.T])


@case
def line_profiles(t: Tools) -> Pair:
    xp, n = t.xp, t.size(SMS * 2048, 1 << 10)
    star = t.rng.random((n, 2), dtype=f32) * f32(4) + xp.asarray([-2, 6], f32)
    line, flux = t.rng.random((128, 2), dtype=f32) * xp.asarray([31, 1], f32), xp.zeros((32, n), f32)
    t.constant("rods", "spectral_line", line)

    def ref() -> Any:
        want, moved, q = xp.zeros((32, n)), star[:, 0].astype(np.float64), -0.5 / star[:, 1].astype(np.float64) ** 2
        for centre, strength in t.host(line).tolist():
            for k in range(32):
                want[k] += strength * xp.exp(q * (k - centre - moved) ** 2)
        return [want]

    args, grids = (star, flux, i32(n)), (n // 256, n // 256)
    return both(t, "rods", "line_profiles", grids, 256, args, flux, ref=ref, near=1e-4)


@case
def anneal_rods(t: Tools) -> Pair:
    xp, rods, steps = t.xp, t.size(SMS * 32, 4), 256
    heat, conductance = t.rng.random((rods, 1024), dtype=f32), t.rng.random(rods, dtype=f32) * f32(0.2) + f32(0.05)
    after = xp.zeros((rods, 1024), f32)

    def ref() -> Any:
        h, c = xp.pad(heat.astype(np.float64), ((0, 0), (1, 1))), conductance.astype(np.float64)[:, None]
        for _ in range(steps):
            h[:, 1:-1] = h[:, 1:-1] + c * (h[:, :-2] - 2 * h[:, 1:-1] + h[:, 2:])
        return [h[:, 1:-1]]

    args, grids = (heat, conductance, after, i32(steps)), (rods, rods // 4)
    return both(t, "rods", "anneal_rods", grids, [1024, 128], args, after, ref=ref, near=1e-4)
