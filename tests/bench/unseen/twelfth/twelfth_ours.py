"""The pairs whose kernels are in harbours.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
f64, i64 = np.float64, np.int64


@case
def turbine_crests(t: Tools) -> Pair:
    xp, windows = t.xp, t.size(1 << 19, 1 << 9)
    sample, crest = t.rng.random((windows, 128), dtype=f32) - f32(0.45), xp.zeros((2, windows), f32)

    def ref() -> Any:
        want = xp.empty((2, windows))
        want[0] = abs(sample).max(axis=1) / xp.sqrt((sample.astype(f64) ** 2).mean(axis=1))
        want[1] = ((sample[:, 1:] < 0) != (sample[:, :-1] < 0)).sum(axis=1)
        return [want]

    args, grids = (sample, crest, i32(windows)), (windows // 256, windows // 8)
    return both(t, "harbours", "turbine_crests", grids, (256, 256), args, crest, ref=ref, near=1e-5)


@case
def grow_stands(t: Tools) -> Pair:
    xp, trees, years = t.xp, t.size(1 << 22, 1 << 10), t.size(60, 5)
    species = t.rng.integers(0, 4, trees, dtype=i32).astype(xp.uint8)
    order = xp.argsort(species.astype(i32) * i64(trees) + xp.arange(trees)).astype(i32)
    site, young = f32(0.6) + f32(0.6) * t.rng.random(trees, dtype=f32), f32(2) + f32(8) * t.rng.random(trees, dtype=f32)
    climate, old = t.rng.random((years, 2), dtype=f32), xp.zeros(trees, f32)

    def ref() -> Any:
        d = [young.astype(f64) for _ in range(4)]
        q, store = site.astype(f64), 0.5
        for warm, rain in climate.astype(f64).tolist():
            d[0] = d[0] + 0.05 * q * d[0] * (4.5 - xp.log(d[0])) * min(1.0, 0.4 + rain) * (0.8 + 0.4 * warm)
            store = 0.7 * store + 0.3 * warm * rain
            d[1] = d[1] + 0.06 * q * store * d[1] * (1 - d[1] / 140)
            d[2] = d[2] + q * xp.sqrt(d[2]) * (0.3 + 0.2 * warm) - 0.0009 * d[2] ** 2 * (1.2 - 0.3 * rain)
            start = 1.4 * np.exp(-3 * (warm - 0.4) ** 2) - 0.8 * max(0.0, 0.5 - rain)
            d[3] = d[3] + q * start * xp.exp(-0.02 * d[3])
        return [xp.stack(d)[species.astype(i64), xp.arange(trees)]]

    args = (species, site, climate, young, old, i32(years), i32(trees))
    slow = launch(t, "harbours", "grow_stands", trees // 256, 256, args)
    cured = launch(t, "harbours", "grow_stands_b", trees // 256, 256, (order, *args))
    return Pair(slow, cured, lambda _: (old,), ref, 1e-4)


@case
def battery_sag(t: Tools) -> Pair:
    xp, n, steps = t.xp, t.size(1 << 21, 1 << 9), t.size(96, 6)
    low, wide = np.array([[0.8], [0.001], [0.01], [0.01]], f32), np.array([[0.2], [0.001], [0.02], [0.02]], f32)
    cell = xp.asarray(low) + xp.asarray(wide) * t.rng.random((4, n), dtype=f32)
    current = f32(4) * t.rng.random(steps, dtype=f32) - f32(0.5)
    trace, sag = xp.zeros((steps, n), f32), xp.zeros((2, n), f32)

    def ref() -> Any:
        charge, rise, inner, outer = cell.astype(f64)
        lag, least, total = xp.zeros(n), xp.full(n, 1e30), xp.zeros(n)
        for now in current.astype(f64).tolist():
            charge = charge - rise * now
            lag = lag + 0.2 * (outer * now - lag)
            volts = 3 + charge * (1.6 + charge * (0.6 * charge - 1.1)) - inner * now - lag
            least, total = xp.minimum(least, volts), total + volts
        return [xp.stack([least, total / steps])]

    slow = launch(t, "harbours", "battery_sag", n // 256, 256, (cell, current, trace, sag, i32(steps), i32(n)))
    cured = launch(t, "harbours", "battery_sag_b", n // 256, 256, (cell, current, sag, i32(steps), i32(n)))
    return Pair(slow, cured, lambda _: (sag,), ref, 1e-4)


@case
def watermark_scores(t: Tools) -> Pair:
    xp, width, side, marks = t.xp, t.size(8192, 512), 32, 16
    across = width // side
    tiles = across * across
    picture, mark = t.rng.random((width, width), dtype=f32), t.rng.random((marks, side, side), dtype=f32) - f32(0.5)
    score = xp.zeros((marks, tiles), f32)

    def ref() -> Any:
        want = xp.zeros((marks, tiles))
        for row in range(across):
            some = picture[row * side : (row + 1) * side].astype(f64).reshape(side, across, side)
            flat = xp.ascontiguousarray(some.transpose(1, 0, 2)).reshape(across, side * side)
            want[:, row * across : (row + 1) * across] = mark.astype(f64).reshape(marks, -1) @ flat.T
        return [want]

    args, grids = (picture, mark, score, i32(width), i32(tiles)), ((tiles // 8, marks), tiles // 16)
    return both(t, "harbours", "watermark_scores", grids, (256, 256), args, score, ref=ref, near=1e-4)


@case
def calibrate_bands(t: Tools) -> Pair:
    xp, columns, bands, lines = t.xp, 640, t.size(200, 4), t.size(512, 32)
    raw = t.rng.integers(0, 4096, (lines, bands, columns), dtype=i32).astype(xp.uint16)
    dark = f32(50) + f32(20) * t.rng.random((bands, columns), dtype=f32)
    gain = f32(0.5) + t.rng.random((bands, columns), dtype=f32)
    shift, exposure = t.rng.integers(0, 8, bands, dtype=i32), f32(0.5) + t.rng.random(lines, dtype=f32)
    radiance = xp.zeros((lines, bands, columns), f32)

    def ref() -> Any:
        want = xp.empty((lines, bands, columns), f32)
        for b, s in enumerate(shift.tolist()):
            light = (raw[:, b].astype(f64) - dark[b]) * gain[b] * exposure[:, None]
            want[:, b] = xp.roll(light, -s, axis=1)
        return [want]

    args = (raw, dark, gain, shift, exposure, radiance, i32(columns), i32(bands), i32(lines))
    grids = (-(-columns * bands * lines // 256), (columns // 128, bands, lines // 16))
    return both(t, "harbours", "calibrate_bands", grids, (256, 128), args, radiance, ref=ref, near=1e-5)


@case
def breed_islands(t: Tools) -> Pair:
    xp, islands, size, generations = t.xp, t.size(2 * SMS, 3), 1024, t.size(40, 3)
    start, target = t.uint32((islands, size), 1 << 30), t.uint32(islands, 1 << 30)
    end = xp.zeros((islands, size), xp.uint32)

    def stir(x: Any) -> Any:
        x = x ^ x >> 16
        x = x * 0x7FEB352D & 0xFFFFFFFF
        x = x ^ x >> 15
        x = x * 0x846CA68B & 0xFFFFFFFF
        return x ^ x >> 16

    def ref() -> Any:
        genome, goal = start.astype(i64), target.astype(i64)[:, None]
        number, island = xp.arange(islands * size).reshape(islands, size), xp.arange(islands)[:, None]
        for g in range(generations):
            other, alike = genome ^ goal, xp.full(genome.shape, 32, i64)
            for bit in range(32):
                alike -= other >> bit & 1
            wheel = xp.cumsum(alike * alike, axis=1)
            a = stir((number * 4096 + g) & 0xFFFFFFFF)
            b = stir(a + 1 & 0xFFFFFFFF)
            mix = stir(b + 2 & 0xFFFFFFFF)
            flip = stir(mix + 3 & 0xFFFFFFFF)
            line = (wheel + island * (1 << 24)).reshape(-1)
            parents = []
            for ball in (a, b):
                place = (ball * wheel[:, -1:] >> 32) + island * (1 << 24)
                at = xp.searchsorted(line, place.reshape(-1), side="right")
                parents.append(genome.reshape(-1)[at].reshape(genome.shape))
            mutation = xp.where(flip < 0x40000000, xp.left_shift(xp.ones_like(flip), flip & 31), 0)
            genome = (parents[0] & mix | parents[1] & (0xFFFFFFFF ^ mix)) ^ mutation
        return [genome.astype(xp.uint32)]

    args, grids = (start, target, end, i32(generations)), (islands, islands)
    return both(t, "harbours", "breed_islands", grids, (size, size), args, end, ref=ref)


@case
def stomata_uptake(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 10)
    base, factor = [60.0, 110.0, 404.9, 278.4, 42.75, 1.1], [2.4, 1.9, 2.1, 1.2, 1.75, 2.0]
    leaf = np.array([*base, *factor, *np.log2(factor)], f32)
    warmth, light = f32(5) + f32(30) * t.rng.random(n, dtype=f32), f32(20) + f32(1800) * t.rng.random(n, dtype=f32)
    carbon, uptake = f32(150) + f32(250) * t.rng.random(n, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        want = xp.empty(n)
        for first in range(0, n, 1 << 21):
            part = slice(first, first + (1 << 21))
            warm, ci, caught = warmth[part].astype(f64), carbon[part].astype(f64), 0.385 * light[part].astype(f64)
            vmax, jmax, kc, ko, point, dark = (b * f ** ((warm - 25) / 10) for b, f in zip(base, factor, strict=True))
            total = caught + jmax
            flow = (total - xp.sqrt(total**2 - 2.8 * caught * jmax)) / 1.4
            by_enzyme = vmax * (ci - point) / (ci + kc * (1 + 210 / ko))
            want[part] = xp.minimum(by_enzyme, flow * (ci - point) / (4 * ci + 8 * point)) - dark
        return [want]

    args, grids = (xp.asarray(leaf), warmth, light, carbon, uptake, i32(n)), (n // 256, n // 256)
    return both(t, "harbours", "stomata_uptake", grids, (256, 256), args, uptake, ref=ref, near=1e-4)


@case
def melody_keys(t: Tools) -> Pair:
    xp, n, notes = t.xp, t.size(1 << 22, 1 << 10), t.size(64, 16)
    note, key = t.rng.integers(36, 96, (notes // 4, n, 4), dtype=i32).astype(xp.uint8), xp.zeros(n, xp.uint8)
    major = [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88]
    minor = [6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17]
    profile = np.array([np.roll(p, k) for k in range(12) for p in (major, minor)])

    def tones() -> Any:
        count = xp.zeros((n, 12))
        for four in note:
            for k in range(12):
                count[:, k] += (four % 12 == k).sum(axis=1)
        return count

    def fits(keys: Any) -> Any:
        """How well a key fits each melody: several may fit best to rounding."""
        count = tones()
        row = keys.astype(i64) % 12 * 2 + keys.astype(i64) // 12
        return (count * xp.asarray(profile)[row]).sum(axis=1)

    def ref() -> Any:
        count = tones()
        return [(count @ xp.asarray(profile).T).max(axis=1)]

    slow, cured = (
        launch(t, "harbours", f"melody_keys{s}", n // 256, 256, (note, key, i32(notes // 4), i32(n)))
        for s in ("", "_b")
    )
    return Pair(slow, cured, lambda _: (fits(key),), ref, 1e-6)


@case
def ring_products(t: Tools) -> Pair:
    xp, n, degree, q = t.xp, t.size(1 << 14, 16), 256, 3329
    left, right = (t.rng.integers(-1664, 1665, (n, degree), dtype=i32).astype(np.int16) for _ in range(2))
    product = xp.zeros((n, degree), np.int16)

    def ref() -> Any:
        a, b, want = left.astype(f64), right.astype(f64), xp.zeros((n, degree))
        for j in range(degree):
            want[:, j:] += a[:, j : j + 1] * b[:, : degree - j]
            want[:, :j] -= a[:, j : j + 1] * b[:, degree - j :]
        want = want.astype(i64) % q
        return [xp.where(want > q // 2, want - q, want).astype(np.int16)]

    args, grids = (left, right, product), (n, n // 8)
    return both(t, "harbours", "ring_products", grids, (degree, 256), args, product, ref=ref)


@case
def integral_tiles(t: Tools) -> Pair:
    xp, width = t.xp, t.size(8192, 256)
    picture, integral = t.rng.random((width, width), dtype=f32), xp.zeros((width, width), f32)

    def ref() -> Any:
        want = xp.empty((width, width), f32)
        for row in range(0, width, 32):
            tiles = picture[row : row + 32].astype(f64).reshape(32, width // 32, 32)
            want[row : row + 32] = xp.cumsum(xp.cumsum(tiles, axis=2), axis=0).reshape(32, width)
        return [want]

    args, grid = (picture, integral, i32(width)), (width // 128, width // 32)
    return both(t, "harbours", "integral_tiles", (grid, grid), ((32, 4), (32, 4)), args, integral, ref=ref, near=1e-5)


@case
def fastest_laps(t: Tools) -> Pair:
    xp, laps, drivers = t.xp, t.size(1 << 25, 1 << 12), 512
    driver = t.rng.integers(0, drivers, laps, dtype=i32).astype(xp.uint16)
    lap, best = f32(60) + f32(40) * t.rng.random(laps, dtype=f32), xp.zeros(drivers, f32)

    def ref() -> Any:
        place = xp.argsort(driver.astype(i64) * (1 << 32) + lap.view(i32))
        first = xp.searchsorted(driver[place].astype(i32), xp.arange(drivers, dtype=i32))
        return [lap[place[first]]]

    args, grids = (driver, lap, best, i32(laps)), (laps // 256, t.size(SMS * 4, 4))
    more = {"ref": ref, "reset": lambda: best.fill(np.inf)}
    return both(t, "harbours", "fastest_laps", grids, (256, 512), args, best, **more)


@case
def retention_peaks(t: Tools) -> Pair:
    xp, traces, samples, floor = t.xp, t.size(2048, 4), 24576, f32(0.7)
    trace, peak = t.rng.random((traces, samples), dtype=f32), xp.zeros((traces, 2), f32)

    def ref() -> Any:
        want = xp.empty((traces, 2))
        for first in range(0, traces, 256):
            mid = trace[first : first + 256]
            wide, high = xp.pad(mid, ((0, 0), (2, 2))), mid > floor
            for k in (0, 1, 3, 4):
                high &= mid > wide[:, k : k + samples]
            want[first : first + 256, 0] = high.sum(axis=1)
            want[first : first + 256, 1] = (mid.astype(f64) * high).sum(axis=1)
        return [want]

    args, more = (trace, peak, floor, i32(samples)), {"shared": (4 * (samples + 4), 4 * (2048 + 4))}
    return both(t, "harbours", "retention_peaks", (traces, traces), (128, 128), args, peak, ref=ref, near=1e-4, **more)


@case
def click_energy(t: Tools) -> Pair:
    xp, phones, samples = t.xp, t.size(16, 2), t.size(3 << 20, 1 << 14)
    record, energy = t.rng.random((phones, samples), dtype=f32) - f32(0.5), xp.zeros((phones, 2), f32)

    def ref() -> Any:
        want = xp.empty((phones, 2))
        for k in range(phones):
            x = record[k].astype(f64)
            square = x[1:-1] ** 2
            want[k, 0], want[k, 1] = square.sum() / samples, abs(square - x[:-2] * x[2:]).sum() / samples
        return [want]

    args, more = (record, energy, i32(samples)), {"ref": ref, "near": 1e-3, "reset": zero(energy)}
    return same(
        t, "harbours", "click_energy", (phones, (phones, t.size(24, 2))), ((512,), (512,)), args, energy, **more
    )


@case
def mosaic_tiles(t: Tools) -> Pair:
    xp, width, words, tiles = t.xp, t.size(2048, 64), 64, 256
    picture = t.rng.integers(-128, 128, (width, width), dtype=i32).astype(np.int8)
    small = t.rng.integers(-128, 128, (words, tiles, 4), dtype=i32).astype(np.int8)
    side = width // 16
    best = xp.zeros((side, side), xp.uint32)

    def ref() -> Any:
        cells = picture.astype(f64).reshape(side, 16, side, 16).transpose(0, 2, 1, 3).reshape(side * side, 256)
        pictures = small.astype(f64).transpose(1, 0, 2).reshape(tiles, 256)
        far = (cells**2).sum(axis=1)[:, None] + (pictures**2).sum(axis=1) - 2 * (cells @ pictures.T)
        key = far.astype(i64) * 256 + xp.arange(tiles)
        return [key.min(axis=1).reshape(side, side).astype(xp.uint32)]

    grids = ((side, side), (side, side))
    return both(t, "harbours", "mosaic_tiles", grids, (256, 256), (picture, small, best, i32(width)), best, ref=ref)
