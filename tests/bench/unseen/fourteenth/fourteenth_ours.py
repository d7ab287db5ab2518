"""The pairs whose kernels are in observatories.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add
f64, u8, u32, u64 = np.float64, np.uint8, np.uint32, np.uint64
FILE = "observatories"


@case
def sky_visibilities(t: Tools) -> Pair:
    xp, n, sources = t.xp, t.size(1 << 20, 1 << 8), 64
    baseline = f32(400) * (t.rng.random((n, 2), dtype=f32) - f32(0.5))
    draw, source = np.random.default_rng(1), np.zeros((sources, 4), f32)
    source[:, :2], source[:, 2] = draw.uniform(-0.1, 0.1, (sources, 2)), draw.exponential(1, sources)
    t.constant(FILE, "sky_source", xp.asarray(source))
    seen = xp.zeros((n, 2), f32)

    def ref() -> Any:
        want, u, v = xp.zeros((n, 2)), baseline[:, 0].astype(f64), baseline[:, 1].astype(f64)
        for east, north, flux, _ in source.astype(f64).tolist():
            turn = 2 * np.pi * (u * east + v * north)
            want[:, 0] += flux * xp.cos(turn)
            want[:, 1] -= flux * xp.sin(turn)
        return [want]

    args = (baseline, seen, i32(sources), i32(n))
    return both(t, FILE, "sky_visibilities", (n // 256,) * 2, (256, 256), args, seen, ref=ref, near=1e-3)


@case
def car_headways(t: Tools) -> Pair:
    xp, n, wish = t.xp, t.size(1 << 23, 1 << 10), f32(33)
    position = f32(8) * xp.arange(n, dtype=i32).astype(f32) % f32(65536) + f32(4) * t.rng.random(n, dtype=f32)
    speed = f32(10) + f32(20) * t.rng.random(n, dtype=f32)
    length = f32(3) + t.rng.random(n, dtype=f32)
    cars = xp.zeros((n, 16), f32)
    cars[:, 0], cars[:, 1], cars[:, 2] = position, speed, length
    slow_out, cured_out = xp.zeros(n, f32), xp.zeros(n, f32)
    slow = launch(t, FILE, "car_headways", n // 256, 256, (cars, slow_out, wish, i32(n)))
    cured = launch(t, FILE, "car_headways_b", n // 256, 256, (position, speed, length, cured_out, wish, i32(n)))

    def ref() -> Any:
        x, v, size = (a.astype(f64) for a in (position, speed, length))
        gap, ahead = xp.full(n, 1000.0), v.copy()
        gap[:-1], ahead[:-1] = x[1:] - size[1:] - x[:-1], v[1:]
        safe = 2 + xp.maximum(0, 1.5 * v + v * (v - ahead) * 0.354)
        return [1.4 * (1 - (v / 33) ** 4 - (safe / xp.maximum(gap, 0.5)) ** 2)]

    return Pair(slow, cured, lambda w: (slow_out if w == "slow" else cured_out,), ref, 1e-3)


@case
def bed_hours(t: Tools) -> Pair:
    xp, n, wards = t.xp, t.size(1 << 24, 1 << 12), 16
    ward = t.rng.integers(0, wards, n, dtype=i32)
    ward = xp.where(t.rng.random(n, dtype=f32) < f32(0.85), i32(3), ward).astype(i32)
    hours, taken = t.rng.integers(1, 200, n, dtype=i32), xp.zeros(wards, u32)

    def ref() -> Any:
        return [xp.bincount(ward, hours.astype(f64), wards)]

    grid = t.size(SMS * 8, 2)
    args = (ward, hours, taken, i32(n))
    return both(t, FILE, "bed_hours", (grid, grid), (256, 256), args, taken, ref=ref, reset=zero(taken))


@case
def wake_deficits(t: Tools) -> Pair:
    xp, turbines, directions = t.xp, 512, t.size(720, 2)
    place = f32(120) * t.rng.random((turbines, 2), dtype=f32)
    loss, spread, thrust = xp.zeros((directions, turbines), f32), f32(0.04), f32(0.8)

    def ref() -> Any:
        want, where = xp.zeros((directions, turbines)), place.astype(f64)
        x, y = (where[:, None, k] - where[None, :, k] for k in (0, 1))
        for d in range(directions):
            turn = 2 * np.pi * d / directions
            down, across = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
            width = float(spread) * xp.maximum(down, 0) + 0.35
            deficit = 1 - xp.sqrt(1 - float(thrust) / (8 * width * width))
            deficit = deficit * xp.exp(-0.5 * (xp.abs(across) / width) ** 2.4)
            want[d] = xp.sqrt(xp.where(down > 1e-9, deficit * deficit, 0).sum(axis=1))
        return [want]

    args, grids = (place, loss, spread, thrust, i32(directions)), ((2, directions), (2, directions))
    return both(t, FILE, "wake_deficits", grids, (256, 256), args, loss, ref=ref, near=2e-3)


@case
def ink_halftone(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(16384, 4096), t.size(8448, 64)
    grey = t.rng.integers(0, 256, (height, width), dtype=i32).astype(u8)
    screen = t.rng.integers(1, 255, (64, 64), dtype=i32).astype(u8)
    dot = xp.zeros((height, width), u8)

    def ref() -> Any:
        return [(grey < xp.tile(screen, (height // 64, width // 64))).astype(u8)]

    args, grid = (grey, screen, dot, i32(width), i32(height)), t.size(SMS * 8, 2)
    return both(t, FILE, "ink_halftone", (grid, grid), (256, 256), args, dot, ref=ref)


@case
def strand_syndromes(t: Tools) -> Pair:
    xp, strands, places, roots = t.xp, t.size(SMS * 1024, 1 << 8), 64, 8
    power, log = np.zeros(512, u8), np.zeros(256, u8)
    value = 1
    for k in range(512):
        power[k] = value
        if k < 255:
            log[value] = k
        value = value * 2 ^ (0x11D if value & 128 else 0)
    t.constant(FILE, "galois_exp", xp.asarray(power))
    t.constant(FILE, "galois_log", xp.asarray(log))
    word, syndrome = t.rng.integers(0, 256, (places, strands), dtype=i32).astype(u8), xp.zeros((roots, strands), u8)

    def ref() -> Any:
        want = xp.zeros((roots, strands), u8)
        for j in range(roots):
            s = xp.zeros(strands, i32)
            for k in range(places):
                for _ in range(j + 1):
                    s = (s << 1) ^ xp.where(s & 128, 0x11D, 0).astype(i32)
                s = s ^ word[k]
            want[j] = s
        return [want]

    args, grid = (word, syndrome, i32(places), i32(strands)), strands // 256
    return both(t, FILE, "strand_syndromes", (grid, grid), (256, 256), args, syndrome, ref=ref)


@case
def ice_creep(t: Tools) -> Pair:
    xp, wide, high = t.xp, t.size(4096, 256), t.size(4096, 8)
    ice, after = f32(300) * t.rng.random((high, wide), dtype=f32), xp.zeros((high, wide), f32)
    rate, melt = f32(0.1), f32(0.5)

    def ref() -> Any:
        h = ice.astype(f64)
        near = sum(xp.roll(h, by, axis) for axis in (0, 1) for by in (1, -1))
        return [xp.maximum(0, h + float(rate) * (near - 4 * h) - float(melt))]

    args, grids = (ice, after, rate, melt, i64(wide), i64(high)), (wide * high // 256, (wide // 256, high))
    return both(t, FILE, "ice_creep", grids, (256, 256), args, after, ref=ref, near=1e-5)


@case
def seed_hues(t: Tools) -> Pair:
    xp, seeds, pixels = t.xp, t.size(1 << 20, 1 << 8), 64
    hue, found = t.rng.integers(0, 16, (pixels, seeds), dtype=i32).astype(u8), xp.zeros(seeds, i32)

    def ref() -> Any:
        count = xp.stack([(hue == h).sum(axis=0) for h in range(16)])
        return [count.argmax(axis=0) | count.max(axis=0) << 8 | (count > 0).sum(axis=0) << 16]

    args, grid = (hue, found, i32(pixels), i32(seeds)), seeds // 256
    return both(t, FILE, "seed_hues", (grid, grid), (256, 256), args, found, ref=ref)


@case
def concrete_slices(t: Tools) -> Pair:
    xp, side, detectors, angles = t.xp, t.size(1024, 64), 1536, 180
    ray, part = t.rng.random((angles, detectors), dtype=f32), xp.zeros((side, side), f32)
    turn = f32(np.pi / angles)

    def ref() -> Any:
        want, place = xp.zeros((side, side)), xp.arange(side) - 0.5 * side
        for a in range(angles):
            at = place[None] * np.cos(a * float(turn)) + place[:, None] * np.sin(a * float(turn)) + 0.5 * detectors
            i = at.astype(i32)
            row = ray[a].astype(f64)
            want += row[i] + (at - i) * (row[i + 1] - row[i])
        return [want]

    args, grid = (ray, part, turn, i32(detectors), i32(side)), (side // 32, side // 8)
    return both(t, FILE, "concrete_slices", (grid, grid), (256, 256), args, part, ref=ref, near=1e-3)


@case
def droplet_growth(t: Tools) -> Pair:
    xp, n, span = t.xp, t.size(1 << 23, 1 << 10), f32(2)
    steps = xp.minimum(i32(256), (-32 * xp.log(t.rng.random(n) + 1e-9)).astype(i32) + i32(2)).astype(i32)
    radius = f32(1) + f32(9) * t.rng.random(n, dtype=f32)
    vapour = f32(0.5) + t.rng.random(n, dtype=f32)
    order = xp.argsort(-steps)
    mixed, sorted_out = xp.zeros(n, f32), xp.zeros(n, f32)
    ranked = tuple(xp.ascontiguousarray(a[order]) for a in (radius, vapour, steps))
    slow = launch(t, FILE, "droplet_growth", n // 256, 256, (radius, vapour, steps, mixed, span, i32(n)))
    cured = launch(t, FILE, "droplet_growth", n // 256, 256, (*ranked, sorted_out, span, i32(n)))

    def outs(which: str) -> Any:
        return (mixed[order] if which == "slow" else sorted_out,)

    return Pair(slow, cured, outs, None, 1e-5, zero(mixed, sorted_out))


@case
def ping_crossings(t: Tools) -> Pair:
    xp, beams, samples, metres = t.xp, t.size(SMS * 512, 256), 512, f32(0.25)
    echo = t.rng.random((samples, beams), dtype=f32)
    first = t.rng.integers(480, samples, beams, dtype=i32)
    echo[first, xp.arange(beams)] = f32(3)
    level, reach = f32(1.5) + t.rng.random(beams, dtype=f32), xp.zeros(beams, f32)

    def ref() -> Any:
        return [(metres * first).astype(f32)]

    args, grid = (echo, level, reach, metres, i32(samples), i32(beams)), beams // 256
    return both(t, FILE, "ping_crossings", (grid, grid), (256, 256), args, reach, ref=ref)


@case
def prize_classes(t: Tools) -> Pair:
    xp, n, tally = t.xp, t.size(1 << 23, 1 << 10), t.xp.zeros(8, u32)
    first, step = t.rng.integers(0, 49, n, dtype=i64), t.rng.integers(1, 7, n, dtype=i64)
    ticket = xp.zeros(n, i64)
    for k in range(6):  # step and 49 have no common factor, so the numbers differ
        ticket |= xp.left_shift(xp.ones(n, i64), (first + k * step) % 49)
    drawn = sum(1 << k for k in (3, 11, 19, 28, 36, 45))

    def ref() -> Any:
        right = sum((ticket >> k & 1) for k in (3, 11, 19, 28, 36, 45))
        return [xp.bincount(right, minlength=8)]

    grids, args = (n // 256, t.size(SMS * 8, 2)), (ticket, tally, u64(drawn), i32(n))
    return both(t, FILE, "prize_classes", grids, (256, 256), args, tally, ref=ref, reset=zero(tally))


@case
def depot_times(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1024, 128)
    to, away, best = t.rng.random((n, n), dtype=f32), t.rng.random((n, n), dtype=f32), t.xp.zeros((n, n), f32)

    def ref() -> Any:
        want = xp.full((n, n), 1e30, f32)
        for k in range(n):
            want = xp.minimum(want, to[:, k, None] + away[None, k])
        return [want]

    grids = ((n // 32, n // 8), (n // 64, n // 64))
    return both(t, FILE, "depot_times", grids, (256, 256), (to, away, best, i32(n)), best, ref=ref)


@case
def frame_transform(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(4096, 256), t.size(2304 * 12, 16)
    pixel = t.rng.integers(0, 256, (height, width), dtype=i32).astype(u8)
    step = (f32(1) / (f32(1) + xp.arange(64, dtype=f32) / f32(8))).astype(f32)
    out = xp.zeros((height, width), np.int16)

    def ref() -> Any:
        k = np.arange(8)
        wave = 0.5 * np.cos(np.pi * k[:, None] * (2 * k + 1) / 16)
        wave[0] /= np.sqrt(2)
        turn, block = xp.asarray(wave, dtype=f32), (pixel.astype(f32) - 128).reshape(height // 8, 8, width // 8, 8)
        rows = xp.matmul(block, turn.T)
        both_ways = xp.matmul(turn, rows.transpose(0, 2, 1, 3)) * step.reshape(8, 8)
        return [xp.rint(both_ways).transpose(0, 2, 1, 3).reshape(height, width)]

    args, grid = (pixel, step, out, i32(width)), (width // 256, height // 8)
    return both(t, FILE, "frame_transform", (grid, grid), (256, 256), args, out, ref=ref, near=1e-2)
