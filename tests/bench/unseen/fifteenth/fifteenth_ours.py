"""The pairs whose kernels are in markets.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
f16, f64, u32, u64 = np.float16, np.float64, np.uint32, np.uint64
FILE = "markets"


@case
def collar_paths(t: Tools) -> Pair:
    xp, collars, fixes = t.xp, t.size(1 << 18, 1 << 8), 64
    later = f32(100) * t.rng.random((fixes, collars, 2), dtype=f32)
    fix = xp.ascontiguousarray(later.transpose(1, 0, 2))
    path = xp.zeros((collars, 2), f32)
    slow = launch(t, FILE, "collar_paths", collars // 256, 256, (fix, path, i32(fixes), i32(collars)))
    cured = launch(t, FILE, "collar_paths_b", collars // 256, 256, (later, path, i32(fixes), i32(collars)))

    def ref() -> Any:
        want = xp.zeros((collars, 2))
        for k in range(1, fixes):
            step, away = (later[k] - later[j] for j in (k - 1, 0))
            want[:, 0] += xp.sqrt((step.astype(f64) ** 2).sum(axis=1))
            want[:, 1] = xp.maximum(want[:, 1], xp.sqrt((away.astype(f64) ** 2).sum(axis=1)))
        return [want]

    return Pair(slow, cured, lambda _: (path,), ref, 1e-5)


@case
def radar_dewow(t: Tools) -> Pair:
    xp, traces, depths = t.xp, t.size(1 << 18, 1 << 8), 64
    raw, clean = f32(3) + t.rng.random((traces, depths), dtype=f32), xp.zeros((traces, depths), f32)

    def ref() -> Any:
        wide = xp.zeros((traces, depths + 8))
        wide[:, 4:-4] = raw - raw.astype(f64).mean(axis=1)[:, None]
        return [wide[:, 4:-4] - sum(wide[:, k : k + depths] for k in range(9)) / 9]

    return both(t, FILE, "radar_dewow", (traces // 128,) * 2, (128, 128), (raw, clean), clean, ref=ref, near=1e-4)


@case
def loaf_crusts(t: Tools) -> Pair:
    xp, n, heat, minutes = t.xp, t.size(1 << 22, 1 << 10), f32(0.8), i32(24)
    kind, mass = t.rng.integers(0, 8, n, dtype=i32), f32(0.5) + t.rng.random(n, dtype=f32)
    order = xp.argsort(kind)
    mixed, sorted_out = xp.zeros(n, f32), xp.zeros(n, f32)
    ranked = tuple(xp.ascontiguousarray(a[order]) for a in (kind, mass))
    slow = launch(t, FILE, "loaf_crusts", n // 256, 256, (kind, mass, mixed, heat, minutes, i32(n)))
    cured = launch(t, FILE, "loaf_crusts", n // 256, 256, (*ranked, sorted_out, heat, minutes, i32(n)))

    def outs(which: str) -> Any:
        return (mixed[order] if which == "slow" else sorted_out,)

    return Pair(slow, cured, outs, None, 1e-5, zero(mixed, sorted_out))


@case
def bridge_strains(t: Tools) -> Pair:
    xp, gauges, samples, limit = t.xp, 48, t.size(1 << 20, 1 << 12), f32(0.45)
    strain, found = t.rng.random((gauges, samples), dtype=f32) - f32(0.5), xp.zeros((gauges, 3), u32)

    def ref() -> Any:
        want = xp.zeros((gauges, 3), u32)
        size, below = xp.abs(strain[:, :-1]), strain < 0
        want[:, 0] = size.max(axis=1).view(u32)
        want[:, 1] = (size > limit).sum(axis=1)
        want[:, 2] = (below[:, 1:] != below[:, :-1]).sum(axis=1)
        return [want]

    args, grids = (strain, found, limit, i32(samples)), ((1, gauges), (22, gauges))
    return same(t, FILE, "bridge_strains", grids, (256, 256), args, found, ref=ref, reset=zero(found))


@case
def lock_filling(t: Tools) -> Pair:
    xp, n, steps, chamber = t.xp, t.size(1 << 20, 1 << 10), 64, f32(180)
    upper, paddle = f32(2) + f32(3) * t.rng.random(n, dtype=f32), f32(0.5) + t.rng.random(n, dtype=f32)
    level = xp.zeros(n, f32)

    def ref() -> Any:
        h, top, area = xp.zeros(n), upper.astype(f64), paddle.astype(f64)
        for k in range(steps):
            h += 0.62 * area * min(0.05 * k, 1.0) * xp.sqrt(2 * 9.81 * xp.maximum(top - h, 0)) / 180
        return [h]

    args, grid = (upper, paddle, level, chamber, i32(steps), i32(n)), n // 256
    return both(t, FILE, "lock_filling", (grid, grid), (256, 256), args, level, ref=ref, near=1e-4)


@case
def choir_pitch(t: Tools) -> Pair:
    xp, frames, lags = t.xp, t.size(SMS * 32, 8), 512
    sound, difference = t.rng.random((frames, 1024), dtype=f32) - f32(0.5), xp.zeros((frames, lags), f32)

    def ref() -> Any:
        want, here = xp.zeros((frames, lags)), sound.astype(f64)
        for lag in range(lags):
            want[:, lag] = ((here[:, :512] - here[:, lag : lag + 512]) ** 2).sum(axis=1)
        return [want]

    args = (sound, difference)
    return both(t, FILE, "choir_pitch", (frames, frames), (256, 128), args, difference, ref=ref, near=1e-5)


@case
def roast_colours(t: Tools) -> Pair:
    xp, n, steps, oven = t.xp, t.size(1 << 20, 1 << 10), 48, f32(490)
    start, colour = f32(0.08) + f32(0.06) * t.rng.random(n, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        heat, water, brown = xp.full(n, 300.0), start.astype(f64), xp.zeros(n)
        for _ in range(steps):
            left, rate = water**1.3, 2.0e4 * xp.exp(-6000 / heat)
            heat += (490 - heat) / (12 + 60 * water)
            water -= 0.06 * left
            brown += rate * (1 - brown)
        return [brown + water]

    args, grid = (start, colour, oven, i32(steps), i32(n)), n // 256
    return both(t, FILE, "roast_colours", (grid, grid), (256, 256), args, colour, ref=ref, near=1e-3)


@case
def spark_glow(t: Tools) -> Pair:
    xp, n, decay = t.xp, t.size(1 << 25, 1 << 12), f32(1.5)
    age, glow = t.rng.random(n, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        return [xp.where(age < f32(0.1), f32(10) * age, xp.exp((f32(0.1) - age) * decay))]

    grids = (n // 32, n // 512)
    return same(t, FILE, "spark_glow", grids, (32, 512), (age, glow, decay, i32(n)), glow, ref=ref, near=1e-5)


@case
def glass_bands(t: Tools) -> Pair:
    xp, rays, layers, bands, thick = t.xp, t.size(1 << 18, 1 << 8), 48, 64, f32(0.02)
    band = np.random.default_rng(5).uniform(0.2, 1.5, (3, bands)).astype(f32)
    t.constant(FILE, "glass_band", xp.asarray(band))
    heat, seen = f32(0.5) + t.rng.random((layers, rays), dtype=f32), xp.zeros(rays, f32)

    def ref() -> Any:
        want, warm = xp.zeros(rays), heat.astype(f64)
        for absorb, emit, weight in band.T.astype(f64).tolist():
            light = xp.zeros(rays)
            for k in range(layers):
                light += float(thick) * (1 + 0.1 * warm[k]) * absorb * (emit * warm[k] ** 4 - light)
            want += weight * light
        return [want]

    args, grid = (heat, seen, thick, i32(layers), i32(rays)), rays // 256
    return both(t, FILE, "glass_bands", (grid, grid), (256, 256), args, seen, ref=ref, near=1e-4)


@case
def fruit_centres(t: Tools) -> Pair:
    xp, clusters, points, narrow, turns = t.xp, t.size(SMS * 32, 8), 512, f32(2), 48
    point = t.rng.random((clusters, points, 4), dtype=f32)
    centre = xp.zeros((clusters, 4), f32)

    def ref() -> Any:
        c, p = xp.zeros((clusters, 3)), point.astype(f64)
        for _ in range(turns):
            w = p[:, :, 3] * xp.exp(-2 * ((p[:, :, :3] - c[:, None]) ** 2).sum(axis=2))
            c = (w[:, :, None] * p[:, :, :3]).sum(axis=1) / w.sum(axis=1)[:, None]
        return [xp.concatenate([c, xp.zeros((clusters, 1))], axis=1)]

    args = (point, centre, narrow, i32(turns))
    return both(t, FILE, "fruit_centres", (clusters, clusters // 2), (points, 64), args, centre, ref=ref, near=1e-4)


@case
def claim_layers(t: Tools) -> Pair:
    xp, portfolios, large = t.xp, t.size(1056, 16), t.size(1 << 21, 1 << 17)
    sizes = np.random.default_rng(7).integers(16384, 49152, portfolios)
    sizes[portfolios // 2] = large
    ends = np.concatenate([[0], np.cumsum(sizes)])
    pieces = [(p, k, min(k + 8192, ends[p + 1])) for p in range(portfolios) for k in range(ends[p], ends[p + 1], 8192)]
    claim = t.rng.integers(0, 1_000_000, int(ends[-1]), dtype=i32)
    start, chunk = xp.asarray(ends.astype(i32)), xp.asarray(np.array(pieces, i32))
    cost, excess, limit = xp.zeros(portfolios, u64), i32(200_000), i32(500_000)
    slow = launch(t, FILE, "claim_layers", portfolios, 256, (claim, start, cost, excess, limit))
    cured = launch(t, FILE, "claim_layers_b", len(pieces), 256, (claim, chunk, cost, excess, limit))

    def ref() -> Any:
        total = np.cumsum(np.clip(t.host(claim).astype(np.int64) - 200_000, 0, 500_000))
        total = np.concatenate([[0], total])
        return [(total[ends[1:]] - total[ends[:-1]]).astype(u64)]

    return Pair(slow, cured, lambda _: (cost,), ref, 0.0, zero(cost))


@case
def core_spectra(t: Tools) -> Pair:
    xp, cores, layers, soils = t.xp, t.size(SMS * 64, 8), 64, t.size(1 << 16, 1 << 8)
    soil, depth = t.rng.integers(0, soils, (cores, layers), dtype=i32), t.rng.random((cores, layers), dtype=f32)
    library, spectrum = t.rng.random((soils, 128), dtype=f32), xp.zeros((cores, 128), f32)

    def ref() -> Any:
        want = xp.zeros((cores, 128))
        for k in range(layers):
            want += depth[:, k, None].astype(f64) * library[soil[:, k]]
        return [want]

    args = (soil, depth, library, spectrum, i32(layers))
    slow, cured = (launch(t, FILE, "core_spectra", cores, 128, args, shared) for shared in (96 * 1024, layers * 8))
    return Pair(slow, cured, lambda _: (spectrum,), ref, 1e-5)


@case
def tea_panels(t: Tools) -> Pair:
    xp, blends, teas, tasters = t.xp, t.size(2048, 128), t.size(1024, 64), t.size(2048, 128)
    share, score = t.rng.random((blends, teas), dtype=f32).astype(f16), t.rng.random((teas, tasters), dtype=f32)
    score, taste = (score - f32(0.3)).astype(f16), xp.zeros((blends, tasters), f32)

    def ref() -> Any:
        return [share.astype(f64) @ score.astype(f64)]

    args = (share, score, taste, i32(teas), i32(tasters))
    grids = ((tasters // 64, blends // 128), (tasters // 64, blends // 64))
    return both(t, FILE, "tea_panels", grids, (256, 256), args, taste, ref=ref, near=1e-3)


@case
def yarn_used(t: Tools) -> Pair:
    xp, n, feeders = t.xp, t.size(1 << 23, 1 << 12), 64
    feeder, length = t.rng.integers(0, feeders, n, dtype=i32), t.rng.integers(1, 20, n, dtype=i32)
    used = xp.zeros(feeders, u32)

    def ref() -> Any:
        return [xp.bincount(feeder, length.astype(f64), feeders)]

    grid = t.size(SMS * 8, 2)
    args = (feeder, length, used, i32(n))
    return both(t, FILE, "yarn_used", (grid, grid), (256, 256), args, used, ref=ref, reset=zero(used))
