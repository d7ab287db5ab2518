"""The pairs whose kernels are in harbours.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
f64, u8, u32, u64 = np.float64, np.uint8, np.uint32, np.uint64
FILE = "harbours"


@case
def greenhouse_degree_days(t: Tools) -> Pair:
    xp, n, hours, base, top = t.xp, t.size(SMS * 1024, 512), t.size(256, 32), f32(10), f32(30)
    temp = f32(-5) + f32(40) * t.rng.random((n, hours), dtype=f32)
    turned = xp.ascontiguousarray(temp.T)
    degrees, frost = xp.zeros(n, f32), xp.zeros(n, i32)

    def ref() -> Any:
        over = xp.maximum(xp.minimum(turned, top) - base, 0)
        return [over.sum(axis=0, dtype=f64) / 24, (turned < 0).sum(axis=0).astype(i32)]

    slow, cured = (
        launch(
            t, FILE, f"greenhouse_degree_days{end}", n // 256, 256, (a, degrees, frost, base, top, i32(hours), i32(n))
        )
        for end, a in (("", temp), ("_b", turned))
    )
    return Pair(slow, cured, lambda _: (degrees, frost), ref, 1e-5)


@case
def tulip_colours(t: Tools) -> Pair:
    xp, n, grid, main = t.xp, t.size(1 << 25, 1 << 12), t.size(SMS * 8, 2), 5
    pixel = t.rng.integers(0, 32 * 64, n, dtype=i32)
    colour, shade = pixel % i32(32), pixel // i32(32)
    colour[t.rng.random(n, dtype=f32) < f32(0.85)] = main
    picture = xp.stack([colour.astype(u8), shade.astype(u8)], axis=1)
    bright = xp.zeros(32, u32)

    def ref() -> Any:
        return [xp.bincount(picture[:, 0], weights=picture[:, 1].astype(f64), minlength=32).astype(u32)]

    args = (xp.ascontiguousarray(picture), bright, i32(n))
    return both(t, FILE, "tulip_colours", (grid, grid), (256, 256), args, bright, ref=ref, reset=zero(bright))


@case
def compass_deviation(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 12)
    of = [f32(v) for v in (0.6, -4.2, 3.1, 2.4, -0.8)]
    course = f32(360) * t.rng.random(n, dtype=f32)
    magnetic = xp.zeros(n, f32)

    def ref() -> Any:
        a, b, c, d, e = (float(v) for v in of)
        read = course.astype(f64)
        turned = read
        for _ in range(3):
            w = xp.radians(turned)
            turned = read + a + b * xp.sin(w) + c * xp.cos(w) + d * xp.sin(2 * w) + e * xp.cos(2 * w)
        return [turned]

    args, grid = (course, magnetic, *of, i32(n)), n // 256
    return both(t, FILE, "compass_deviation", (grid, grid), (256, 256), args, magnetic, ref=ref, near=1e-5)


@case
def elevator_grain_heat(t: Tools) -> Pair:
    xp, n, layers = t.xp, t.size(SMS * 256, 256), t.size(512, 32)
    take, dry, warm = f32(0.2), f32(0.5), f32(0.15)
    grain = f32(15) + f32(10) * t.rng.random((layers, n), dtype=f32)
    moist = f32(0.1) + f32(0.1) * t.rng.random((layers, n), dtype=f32)
    air = f32(5) + f32(5) * t.rng.random(n, dtype=f32)
    later, top = xp.zeros((layers, n), f32), xp.zeros(n, f32)

    def ref() -> Any:
        want, here = xp.zeros((layers, n)), air.astype(f64)
        for z in range(layers):
            passed = float(take) * (grain[z] - here)
            want[z] = grain[z] - passed - float(dry) * moist[z].astype(f64)
            here = here + float(warm) * passed
        return [want, here]

    args, grid = (grain, moist, air, later, top, take, dry, warm, i32(layers), i32(n)), n // 128
    outs = (later, top)
    return both(t, FILE, "elevator_grain_heat", (grid, grid), (128, 128), args, outs, ref=ref, near=1e-5)


@case
def knot_polynomials(t: Tools) -> Pair:
    xp, n, terms, prime = t.xp, t.size(SMS * 128, 256), 4096, 2**31 - 1
    term = np.random.default_rng(19).integers(0, prime, terms).astype(u32)
    t.constant(FILE, "knot_terms", xp.asarray(term))
    place, value = t.uint32(n, prime), xp.zeros(n, u32)

    def ref() -> Any:
        x = t.host(place).astype(u64)
        want = np.zeros(n, u64)
        for k in range(terms):
            want = (want * x + u64(term[k])) % u64(prime)
        return [want.astype(u32)]

    args, grid = (place, value, i32(n)), n // 128
    return both(t, FILE, "knot_polynomials", (grid, grid), (128, 128), args, value, ref=ref)


@case
def rink_freezing(t: Tools) -> Pair:
    xp, n, skin, most = t.xp, t.size(1 << 20, 1 << 12), f32(1), 1000
    cold = f32(0.1) + f32(0.005) * t.rng.random(n, dtype=f32)
    goal = f32(0.5) + f32(10) * t.rng.random(n, dtype=f32) ** f32(1.5)
    steps = xp.zeros(n, i32)
    order = xp.argsort(-goal).astype(i32)

    def ref() -> Any:
        thick, want = xp.zeros(n), xp.zeros(n, i32)
        for _ in range(most):
            still = thick < goal
            if not still.any():
                break
            want += still
            thick = xp.where(still, thick + cold / (thick + float(skin)) * (1 - 0.02 * thick), thick)
        return [want]

    args, grid = (cold, goal, steps, skin, i32(most), i32(n)), n // 256
    slow = launch(t, FILE, "rink_freezing", grid, 256, args)
    cured = launch(t, FILE, "rink_freezing_b", grid, 256, (order, *args))
    return Pair(slow, cured, lambda _: (steps,), ref, 0.01)


@case
def lake_relaxation(t: Tools) -> Pair:
    xp, width, lake = t.xp, t.size(4096, 512), 512
    level, inflow = t.rng.random((width, width), dtype=f32), f32(0.1) * t.rng.random((width, width), dtype=f32)
    later, unrest = xp.zeros((width, width), f32), xp.zeros((width // lake, width // lake), f32)

    def ref() -> Any:
        wide = xp.pad(level.astype(f64), 1, mode="edge")
        beside = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
        want = 0.25 * (beside + inflow)
        far = ((want - level) ** 2).reshape(width // lake, lake, width // lake, lake)
        return [want, far.sum(axis=(1, 3))]

    args, grid, block = (level, inflow, later, unrest, i32(width)), (width // 32, width // 8), (32, 8)
    more = {"ref": ref, "near": 1e-3, "reset": zero(later, unrest)}
    return both(t, FILE, "lake_relaxation", (grid, grid), (block, block), args, (later, unrest), **more)


@case
def organ_pipes(t: Tools) -> Pair:
    xp, pipes, samples = t.xp, t.size(SMS * 512, 256), t.size(512, 64)
    breath = t.rng.random((pipes, samples), dtype=f32)
    breath -= f32(0.5)
    fade, turn = (
        f32(0.8) + f32(0.15) * t.rng.random(pipes, dtype=f32),
        f32(0.3) + f32(2) * t.rng.random(pipes, dtype=f32),
    )
    ring = xp.ascontiguousarray(xp.stack([f32(2) * fade * xp.cos(turn), fade * fade], axis=1))
    sound = xp.zeros((pipes, samples), f32)

    def ref() -> Any:
        want, first, second = xp.zeros((pipes, samples), f32), ring[:, 0].astype(f64), ring[:, 1].astype(f64)
        one, two = xp.zeros(pipes), xp.zeros(pipes)
        for s in range(samples):
            one, two = first * one - second * two + breath[:, s], one
            want[:, s] = one
        return [want]

    args, grid = (breath, ring, sound, i32(samples)), pipes // 128
    return both(t, FILE, "organ_pipes", (grid, grid), (128, 128), args, sound, ref=ref, near=1e-4)


@case
def mill_specks(t: Tools) -> Pair:
    xp, n, limit = t.xp, t.size(1 << 26, 1 << 14), 20
    clean = (i32(200) + t.rng.integers(0, 40, n, dtype=i32)).astype(u8)
    seen = (i32(100) + t.rng.integers(0, 140, n, dtype=i32)).astype(u8)
    dark = xp.zeros(n, u8)

    def ref() -> Any:
        return [xp.maximum(clean.astype(np.int16) - seen.astype(np.int16) - limit, 0).astype(u8)]

    args = (clean, seen, dark, i32(limit), i32(n))
    return both(t, FILE, "mill_specks", (n // 512, n // 16 // 512), (512, 512), args, dark, ref=ref)


@case
def petal_softening(t: Tools) -> Pair:
    xp, width, radius, narrow = t.xp, t.size(2048, 64), 6, f32(0.06)
    petal, soft = t.rng.random((width, width), dtype=f32), xp.zeros((width, width), f32)

    def ref() -> Any:
        wide = xp.pad(petal.astype(f64), radius, mode="edge")
        weight = np.exp(-float(narrow) * np.arange(-radius, radius + 1) ** 2)
        weight /= weight.sum()
        down = sum(w * wide[j : j + width] for j, w in enumerate(weight))
        return [sum(w * down[:, j : j + width] for j, w in enumerate(weight))]

    args, grid, block = (petal, soft, narrow, i32(radius), i32(width)), (width // 32, width // 8), (32, 8)
    return both(t, FILE, "petal_softening", (grid, grid), (block, block), args, soft, ref=ref, near=1e-5)


@case
def lawn_background(t: Tools) -> Pair:
    xp, n, frames, greys = t.xp, t.size(1 << 20, 1 << 10), t.size(128, 16), 96
    own = t.rng.integers(0, greys, n, dtype=i32).astype(u8)
    grey = xp.empty((frames, n), u8)
    for f in range(frames):
        walked = t.rng.random(n, dtype=f32) < f32(0.6)
        grey[f] = xp.where(walked, t.rng.integers(0, greys, n, dtype=i32).astype(u8), own)
    lawn = xp.zeros(n, u8)

    def ref() -> Any:
        most, best = xp.zeros(n, i32), xp.zeros(n, u8)
        for g in range(greys):
            many = (grey == g).sum(axis=0).astype(i32)
            best = xp.where(many > most, u8(g), best)
            most = xp.maximum(most, many)
        return [best]

    args, grid = (grey, lawn, i32(frames), i32(n)), n // 128
    return both(t, FILE, "lawn_background", (grid, grid), (128, 128), args, lawn, ref=ref)


@case
def wool_differences(t: Tools) -> Pair:
    xp, n, colours = t.xp, t.size(4096, 128), 64
    first, second = (t.rng.random((n, colours), dtype=f32) for _ in range(2))
    apart = xp.zeros((n, n), f32)

    def ref() -> Any:
        want = xp.zeros((n, n))
        for c in range(colours):
            want += xp.abs(first[:, c].astype(f64)[:, None] - second[:, c].astype(f64)[None, :])
        return [want]

    args, grids = (first, second, apart, i32(n)), ((n // 16, n // 16), (n // 64, n // 64))
    return both(t, FILE, "wool_differences", grids, (256, 256), args, apart, ref=ref, near=1e-5)


@case
def bracelet_balance(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 19, 1 << 8)
    mass, off = f32(0.5) + t.rng.random((n, 32), dtype=f32), t.xp.zeros(n, f32)

    def ref() -> Any:
        angle, m = xp.asarray(2 * np.pi / 32 * np.arange(32)), mass.astype(f64)
        return [xp.hypot(m @ xp.cos(angle), m @ xp.sin(angle)) / m.sum(axis=1)]

    return same(t, FILE, "bracelet_balance", (n, n // 8), (32, 256), (mass, off, i32(n)), off, ref=ref, near=1e-4)


@case
def brick_layout(t: Tools) -> Pair:
    xp, firings, channels, depth, rows, columns = t.xp, 2, 8, t.size(64, 4), t.size(128, 8), 128
    scan = t.rng.random((firings, channels, depth, rows, columns), dtype=f32)
    gain = f32(0.5) + t.rng.random(channels, dtype=f32)
    laid = xp.zeros((firings, depth, rows, channels, columns), f32)

    def ref() -> Any:
        return [xp.ascontiguousarray((scan * gain[:, None, None, None]).transpose(0, 2, 3, 1, 4))]

    wide = tuple(u64(v) for v in (firings, channels, depth, rows, columns))
    narrow = tuple(i32(v) for v in (channels, depth, rows, columns))
    slow = launch(t, FILE, "brick_layout", scan.size // 256, 256, (scan, gain, laid, *wide))
    grid = (rows // 2, depth, firings * channels)
    cured = launch(t, FILE, "brick_layout_b", grid, (128, 2), (scan, gain, laid, *narrow))
    return Pair(slow, cured, lambda _: (laid,), ref)
