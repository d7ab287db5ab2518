"""The pairs whose kernels are in quarries.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
f64, u16, u32 = np.float64, np.uint16, np.uint32
FILE = "quarries"


@case
def marble_tones(t: Tools) -> Pair:
    xp, n, tones, grid, lamp = t.xp, t.size(1 << 23, 1 << 12), 256, t.size(SMS * 8, 2), f32(0.7)
    colour, gloss = (t.rng.random(tones, dtype=f32) for _ in range(2))
    t.constant(FILE, "marble_colour", colour)
    t.constant(FILE, "marble_gloss", gloss)
    tone, bright = t.rng.integers(0, tones, n, dtype=i32).astype(u16), xp.zeros(n, f32)

    def ref() -> Any:
        shade = float(lamp)
        return [colour[tone].astype(f64) * (0.2 + 0.8 * shade) + gloss[tone] * shade**3]

    args = (tone, bright, lamp, i32(n // 2))
    return both(t, FILE, "marble_tones", (grid, grid), (256, 256), args, bright, ref=ref, near=1e-5)


@case
def sundial_hours(t: Tools) -> Pair:
    xp, n, hours = t.xp, t.size(1 << 20, 1 << 10), 12
    noon = f32(0.4) + f32(1.1) * t.rng.random(n, dtype=f32)
    haze = f32(0.1) + f32(0.3) * t.rng.random(n, dtype=f32)
    light = xp.zeros(n, f32)

    def ref() -> Any:
        want, top = xp.zeros(n), noon.astype(f64)
        for h in range(hours):
            part = (h + 0.5) / hours
            height = 4 * top * part * (1 - part)
            high = xp.sin(height)
            air = 1 / (high + 0.50572 * (57.29578 * height + 6.07995) ** -1.6364)
            want += high * xp.exp(-haze * air**0.678)
        return [want / hours]

    args, grid = (noon, haze, light, i32(hours), i32(n)), n // 256
    return both(t, FILE, "sundial_hours", (grid, grid), (256, 256), args, light, ref=ref, near=1e-4)


@case
def negative_scans(t: Tools) -> Pair:
    xp, high, width, grid = t.xp, t.size(8192, 16), t.size(4096, 256), t.size(SMS * 8, 2)
    base, dense = f32(0.1), f32(0.9)
    film, lamp = t.rng.random((high, width), dtype=f32), f32(0.9) + f32(0.3) * t.rng.random(width // 4, dtype=f32)
    shown = xp.zeros((high, width), f32)

    def ref() -> Any:
        bright = xp.clip(1 - dense * ((film - base) * xp.repeat(lamp, 4)), 0, 1)
        return [bright * bright * (3 - 2 * bright)]

    args = (film, lamp, shown, base, dense, i32(width // 4), i32(film.size // 4))
    return both(t, FILE, "negative_scans", (grid, grid), (256, 256), args, shown, ref=ref, near=1e-5)


@case
def sponge_beds(t: Tools) -> Pair:
    xp, blocks, rows, width, goal, most = t.xp, t.size(SMS, 4), 16, t.size(2048, 64), f32(5), 1000
    seed = f32(0.2) + f32(0.2) * t.rng.random((blocks * rows, width), dtype=f32)
    depth = xp.arange(blocks * rows, dtype=f32) / f32(blocks * rows)
    light = f32(0.4) * xp.exp(f32(-3.5) * depth)
    days = xp.zeros((blocks * rows, width), u16)

    def ref() -> Any:
        size, want, sun = seed.astype(f64), xp.zeros(seed.shape, i32), light.astype(f64)[:, None]
        for _ in range(most):
            still = size < goal
            if not still.any():
                break
            want += still
            size = xp.where(still, size + sun * (0.2 + size) - 0.012 * size * size * sun, size)
        return [want]

    args = (seed, light, days, goal, i32(most), i32(width), i32(rows))
    slow = launch(t, FILE, "sponge_beds", blocks, 1024, (*args, i32(rows), i32(1)))
    cured = launch(t, FILE, "sponge_beds", blocks, 1024, (*args, i32(1), i32(blocks)))
    return Pair(slow, cured, lambda _: (days,), ref, 0.02)


@case
def bagpipe_drones(t: Tools) -> Pair:
    xp, n, times, partials = t.xp, t.size(148 * 1024, 1024), 24, 384
    own = np.random.default_rng(20)
    table = np.stack([own.random(partials), own.random(partials) - 0.5], axis=1).astype(f32)
    t.constant(FILE, "drone_partials", xp.asarray(table))
    bend = f32(0.9) + f32(0.2) * t.rng.random(n, dtype=f32)
    sound = xp.zeros((times, n), f32)

    def ref() -> Any:
        want, bent = xp.zeros((times, n)), bend.astype(f64)
        for fall, loud in table:
            angle = xp.arccos(1 - float(fall) * bent)
            for k in range(times):
                want[k] += float(loud) * xp.cos(k * angle)
        return [want]

    args, grids = (bend, sound, i32(n)), (n // 1024, n // 128)
    return same(t, FILE, "bagpipe_drones", grids, (1024, 128), args, sound, ref=ref, near=1e-4)


@case
def telegraph_lines(t: Tools) -> Pair:
    xp, cables, samples, share = t.xp, t.size(32, 2), t.size(1 << 19, 1 << 12), t.size(16, 2)
    signal = t.rng.random((cables, samples + 1), dtype=f32) - f32(0.5)
    energy, peak, turns = xp.zeros(cables, f32), xp.zeros(cables, f32), xp.zeros(cables, i32)

    def ref() -> Any:
        line, minus = signal[:, :-1], signal < 0
        turned = (minus[:, :-1] != minus[:, 1:]).sum(axis=1)
        return [(line.astype(f64) ** 2).sum(axis=1), xp.abs(line).max(axis=1), turned]

    args, outs = (signal, energy, peak, turns, i32(samples)), (energy, peak, turns)
    more = {"ref": ref, "near": 1e-4, "reset": zero(*outs)}
    return both(t, FILE, "telegraph_lines", (cables, (cables, share)), (512, 512), args, outs, **more)


@case
def tapestry_fading(t: Tools) -> Pair:
    xp, n, most, yarns = t.xp, t.size(SMS * 256, 256), t.size(192, 32), 1 << 14
    many = i32(most // 2) + t.rng.integers(0, most // 2, n, dtype=i32)
    many[::4] = most - 1
    yarn = t.rng.integers(0, yarns, (most, n), dtype=i32)
    there = xp.arange(most)[:, None] < many[None, :]
    yarn = xp.where(there, yarn, i32(-1))
    fading, faded = t.rng.random(yarns, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        f = fading.astype(f64)[xp.maximum(yarn, 0)]
        return [(there * f * (1 - 0.25 * f)).sum(axis=0) / many]

    args, grid = (yarn, fading, many, faded, i32(most), i32(n)), n // 256
    return both(t, FILE, "tapestry_fading", (grid, grid), (256, 256), args, faded, ref=ref, near=1e-5)


@case
def glider_tracks(t: Tools) -> Pair:
    xp, n, steps = t.xp, t.size(SMS * 2048, 512), t.size(32, 4)
    dt, drift, noise = f32(0.5), f32(0.01), f32(0.3)
    seen = t.rng.random((steps, 3, n), dtype=f32)
    seen += xp.arange(steps, dtype=f32)[:, None, None]
    state = xp.zeros((12, n), f32)

    def ref() -> Any:
        # What is known of the errors is the same for all gliders.
        p, x, move = np.full((6, 6), 0.1), xp.zeros((6, n)), np.eye(6)
        np.fill_diagonal(p, 4)
        move[:3, 3:] = float(dt) * np.eye(3)
        for s in range(steps):
            x[:3] += float(dt) * x[3:]
            p = move @ p @ move.T + float(drift) * np.eye(6)
            for m in range(3):
                gain, off = p[:, m] / (p[m, m] + float(noise)), seen[s, m] - x[m]
                for a in range(6):
                    x[a] += float(gain[a]) * off
                p = p - np.outer(gain, p[m])
        return [xp.concatenate([x, xp.repeat(xp.asarray(np.diag(p).copy())[:, None], n, axis=1)])]

    args, grid = (seen, state, dt, drift, noise, i32(steps), i32(n)), n // 256
    return both(t, FILE, "glider_tracks", (grid, grid), (256, 256), args, state, ref=ref, near=1e-3)


@case
def harp_steps(t: Tools) -> Pair:
    xp, n, widest, ratio = t.xp, t.size(SMS * 4096, 512), f32(0.4), f32(0.9)
    amplitude = f32(2) * t.rng.random((16, n), dtype=f32) - f32(1)
    step, error = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        least, wide = xp.full(n, 1e30), widest
        for _ in range(24):
            off = amplitude - np.rint(amplitude / float(wide)) * float(wide)
            least = xp.minimum(least, 0.05 / float(wide) + (off.astype(f64) ** 2).sum(axis=0))
            wide = f32(wide * ratio)
        return [least]

    args, grid = (amplitude, step, error, widest, ratio, i32(n)), n // 256
    # Of two steps that are as good either may be found, so the errors are compared.
    return both(t, FILE, "harp_steps", (grid, grid), (256, 256), args, error, ref=ref, near=1e-3)


@case
def cable_car_sag(t: Tools) -> Pair:
    xp, n, entries = t.xp, t.size(1 << 22, 1 << 10), 2048
    sag = xp.cos(xp.arange(entries, dtype=f32) / f32(200)) + f32(0.1) * t.rng.random(entries, dtype=f32)
    line = xp.repeat(t.rng.random(n // 32, dtype=f32), 32)
    place = f32(1800) * line + f32(64) * t.rng.random(n, dtype=f32)
    speed = f32(8) + f32(2) * t.rng.random(n, dtype=f32)
    lowest, pull = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        low = xp.full(n, 1e30)
        for s in range(8):
            at = xp.minimum(f32(s) * speed + place, f32(entries - 2)).astype(f64)
            k = at.astype(i32)
            one, two = sag[k].astype(f64), sag[k + 1].astype(f64)
            low = xp.minimum(low, one + (at - k) * (two - one))
        return [low]

    args, grid = (sag, place, speed, lowest, pull, i32(entries), i32(n)), n // 256
    return both(t, FILE, "cable_car_sag", (grid, grid), (256, 256), args, (lowest, pull), ref=ref, near=1e-3)


@case
def xylophone_echoes(t: Tools) -> Pair:
    xp, n, rings, mix = t.xp, t.size(1 << 23, 1 << 12), 24, f32(0.3)
    own = np.random.default_rng(20)
    table = np.zeros(rings, [("length", u32), ("start", u32), ("magic", u32), ("gain", f32)])
    table["length"] = 1001 + own.integers(0, 1000, rings)
    table["start"] = np.cumsum(table["length"]) - table["length"]
    table["magic"] = (1 << 32) // table["length"].astype(np.int64)
    table["gain"] = 0.2 + 0.5 * own.random(rings)
    t.constant(FILE, "echo_rings", xp.asarray(table.view(u32)))
    stored = t.rng.random(int(table["length"].sum()), dtype=f32) - f32(0.5)
    dry, wet = t.rng.random(n, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        want, at = xp.zeros(n), xp.arange(n)
        for r in table:
            want += float(r["gain"]) * stored[int(r["start"]) + at % int(r["length"])]
        return [dry + float(mix) * want]

    args, grid = (stored, dry, wet, mix, i32(n)), n // 256
    return both(t, FILE, "xylophone_echoes", (grid, grid), (256, 256), args, wet, ref=ref, near=1e-5)


@case
def fountain_heights(t: Tools) -> Pair:
    xp, n, grid = t.xp, t.size(1 << 25, 1 << 12), t.size(SMS * 8, 2)
    heights = np.array([0.2, 0.35, 0.5, 0.6, 0.75, 0.9], f32)
    t.constant(FILE, "jet_heights", xp.asarray(heights))
    jet, water, often = t.rng.random(n, dtype=f32), xp.zeros(6, f64), xp.zeros(6, i32)

    def ref() -> Any:
        over = [jet - h for h in heights]
        sums = [xp.maximum(o, 0).sum(dtype=f64) for o in over]
        return [xp.stack(sums), xp.stack([(o > 0).sum() for o in over])]

    args, outs = (jet, water, often, i32(n // 4)), (water, often)
    more = {"ref": ref, "near": 1e-5, "reset": zero(*outs)}
    return both(t, FILE, "fountain_heights", (grid, grid), (256, 256), args, outs, **more)


@case
def olive_months(t: Tools) -> Pair:
    xp, n, months = t.xp, t.size(1 << 18, 1 << 8), 12
    parts = [(80, 80), (20, 40), (0.02, 0.05), (0.8, 0.8)]
    soil = xp.stack([f32(a) + f32(b) * t.rng.random(n, dtype=f32) for a, b in parts], axis=1)
    rain = f32(4) * t.rng.random((n, months), dtype=f32)
    weather = xp.stack([rain, f32(0.5) + f32(2) * t.rng.random((n, months), dtype=f32)], axis=2)
    left, drunk = xp.zeros((n, months), f32), xp.zeros((n, months), f32)

    def ref() -> Any:
        holds, start, sinks, thirst = (soil[:, k, None].astype(f64) for k in range(4))
        wet, heat = weather[..., 0].astype(f64), weather[..., 1]
        water, total, fall = start + xp.zeros((n, months)), xp.zeros((n, months)), wet
        for _ in range(30):
            water = water + fall
            over = xp.maximum(water - holds, 0)
            water = (1 - sinks) * (water - over)
            fill = water / holds
            took = xp.minimum(water, thirst * heat * fill * (2 - fill))
            water, total, fall = water - took, total + took, wet - 0.9 * fall
        return [water, total]

    args, grids = (
        (xp.ascontiguousarray(soil), xp.ascontiguousarray(weather), left, drunk, i32(n)),
        (n // 8, n * 12 // 256),
    )
    return both(t, FILE, "olive_months", grids, (256, 256), args, (left, drunk), ref=ref, near=1e-4)


@case
def jigsaw_fits(t: Tools) -> Pair:
    xp, tabs, gaps, length = t.xp, t.size(4096, 128), t.size(1024, 128), t.size(1024, 64)
    tab, gap = ((t.rng.random((k, length), dtype=f32) - f32(0.5)).astype(np.float16) for k in (tabs, gaps))
    fit = xp.zeros((tabs, gaps), f32)

    def ref() -> Any:
        return [tab.astype(f64) @ gap.astype(f64).T]

    args, grid = (tab, gap, fit, i32(gaps), i32(length)), (gaps // 128, tabs // 128)
    return both(t, FILE, "jigsaw_fits", (grid, grid), (256, 256), args, fit, ref=ref, near=1e-3)
