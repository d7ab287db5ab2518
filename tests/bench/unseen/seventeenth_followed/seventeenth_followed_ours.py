"""The pairs whose kernels are in lanterns.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, zero

CASES = Cases()
case = CASES.add
f64, u8, u32 = np.float64, np.uint8, np.uint32
FILE = "lanterns"


@case
def probe_potentials(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 12)
    signal, height = t.rng.random(n, dtype=f32), f32(2) * t.rng.random(n, dtype=f32)
    work = xp.zeros(n, f32)

    def ref() -> Any:
        s, h = signal.astype(f64), height.astype(f64)
        drop = 0.0259 * xp.log(1 + s / (0.003 + 0.12 + xp.exp(-1.025 * h)))
        return [4.48 + drop - 0.31 * (1 - xp.exp(-3.2 * s)) / (1 + h * h)]

    args, grid = (signal, height, work, i32(n)), n // 256
    return both(t, FILE, "probe_potentials", (grid, grid), (256, 256), args, work, ref=ref, near=1e-5)


@case
def tyre_treads(t: Tools) -> Pair:
    xp, tyres, around = t.xp, t.size(SMS * 2048, 256), 256
    depth = f32(2) + f32(6) * t.rng.random((tyres, around), dtype=f32)
    least, mean, uneven = xp.zeros(tyres, f32), xp.zeros(tyres, f32), xp.zeros(tyres, f32)

    def ref() -> Any:
        off = xp.abs(depth[:, 1:] - depth[:, :-1])
        return [depth.min(axis=1), depth.mean(axis=1, dtype=f64), off.sum(axis=1, dtype=f64) / around]

    args, grids = (depth, least, mean, uneven, i32(around), i32(tyres)), (tyres // 256, tyres // 8)
    return both(t, FILE, "tyre_treads", grids, (256, 256), args, (least, mean, uneven), ref=ref, near=1e-5)


@case
def turnstile_fares(t: Tools) -> Pair:
    xp, n, grid = t.xp, t.size(3 << 23, 1 << 12), t.size(SMS * 8, 2)
    some, any_one = t.rng.integers(0, 8, n, dtype=i32), t.rng.integers(0, 256, n, dtype=i32)
    station = xp.where(t.rng.random(n, dtype=f32) < 0.25, some, any_one)
    fare = t.rng.integers(100, 500, n, dtype=i32)
    tap, taken = (fare * i32(65536) + station).view(u32), xp.zeros(256, u32)

    def ref() -> Any:
        return [xp.bincount(station, weights=fare.astype(f64), minlength=256).astype(u32)]

    args, grids = (tap, taken, i32(n)), (grid, t.size(SMS * 2, 2))
    return both(t, FILE, "turnstile_fares", grids, (256, 1024), args, taken, ref=ref, reset=zero(taken))


@case
def geyser_tremor(t: Tools) -> Pair:
    xp, stations, steps, lag, fade = t.xp, t.size(SMS * 2048, 256), t.size(256, 40), 12, f32(0.9)
    tremor, beat = t.rng.random((steps, stations), dtype=f32), xp.zeros(stations, f32)
    tremor -= f32(0.4)

    def ref() -> Any:
        level, most = xp.zeros(stations), xp.zeros(stations)
        for k in range(steps):
            now = tremor[k].astype(f64)
            level = float(fade) * level + (now * tremor[k - lag] if k >= lag else 0)
            most = xp.maximum(most, level)
        return [most]

    args, grid = (tremor, beat, fade, i32(lag), i32(steps), i32(stations)), stations // 128
    shared = (0, lag * 128 * 4)
    return both(t, FILE, "geyser_tremor", (grid, grid), (128, 128), args, beat, ref=ref, near=1e-5, shared=shared)


@case
def finger_matches(t: Tools) -> Pair:
    xp, grid, limit = t.xp, t.size(SMS, 2), i32(46)
    prints = grid * 128
    code, like = t.uint32((prints, 4), 2**31 - 1), xp.zeros(prints, i32)

    def ref() -> Any:
        bits = xp.unpackbits(code.view(u8).reshape(-1)).reshape(prints, 128).astype(f32)
        ones, number, want = bits.sum(axis=1), xp.arange(prints), xp.zeros(prints, i32)
        for at in range(0, prints, 1024):
            own = slice(at, min(at + 1024, prints))
            apart = ones[own][:, None] + ones[None, :] - f32(2) * (bits[own] @ bits.T)
            later = number[None, :] > number[own][:, None]
            want[own] = ((apart < float(limit) + 0.5) & later).sum(axis=1)
        return [want]

    args = (code, like, limit, i32(prints))
    return both(t, FILE, "finger_matches", (grid, grid), (1024, 512), args, like, ref=ref)


@case
def coin_change(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 12)
    values = np.array([5000, 2000, 1000, 500, 200, 100, 50, 20], np.int64)
    t.constant(FILE, "coin_value", xp.asarray(values.astype(u32)))
    t.constant(FILE, "coin_share", xp.asarray((-(-(1 << 32) // values)).astype(u32)))
    due, given = t.uint32(n, 65536), xp.zeros((n, 8), u8)

    def ref() -> Any:
        left, want = due.copy(), xp.zeros((n, 8), u8)
        for k, value in enumerate(values):
            want[:, k] = left // u32(value)
            left = left % u32(value)
        return [want]

    args, grid = (due, given, i32(n)), n // 256
    return both(t, FILE, "coin_change", (grid, grid), (256, 256), args, given, ref=ref)


@case
def dam_levels(t: Tools) -> Pair:
    xp, dams, count, crest = t.xp, 6, t.size(1 << 23, 1 << 15), f32(0.99)
    level = t.rng.random((dams, count), dtype=f32)
    highest, over = xp.zeros(dams, u32), xp.zeros(dams, i32)

    def ref() -> Any:
        return [level.max(axis=1).view(u32), (level > crest).sum(axis=1).astype(i32)]

    args, grids = (level, highest, over, crest, i32(count // 4)), ((1, dams), (t.size(128, 2), dams))
    outs, reset = (highest, over), zero(highest, over)
    return both(t, FILE, "dam_levels", grids, (1024, 1024), args, outs, ref=ref, reset=reset)


@case
def thermistor_lags(t: Tools) -> Pair:
    xp, n, steps, lag = t.xp, SMS * 128, t.size(4096, 32), f32(0.1)
    terms = (np.random.default_rng(17).uniform(-0.5, 0.5, 16) / np.arange(1, 17)).astype(f32)
    terms[:2] = 0.4, 0.6
    t.constant(FILE, "thermistor", xp.asarray(terms))
    room, gain = t.rng.random(steps, dtype=f32), f32(0.4) + f32(0.4) * t.rng.random(n, dtype=f32)
    shown, mean = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        k, g, y, total = t.host(room).astype(f64), t.host(gain).astype(f64), np.zeros(n), np.zeros(n)
        for step in range(steps):
            x, y = g * k[step] - float(lag) * y, np.full(n, float(terms[15]))
            for j in range(14, -1, -1):
                y *= x
                y += float(terms[j])
            total += y
        return [y, total / steps]

    args, grid = (room, gain, shown, mean, lag, i32(steps), i32(n)), n // 128
    return both(t, FILE, "thermistor_lags", (grid, grid), (128, 128), args, (shown, mean), ref=ref, near=1e-4)


@case
def wax_cooling(t: Tools) -> Pair:
    xp, width, keep = t.xp, t.size(4096, 128), f32(0.7)
    warm, cold = t.rng.random((width, width), dtype=f32), xp.zeros((width, width), f32)

    def ref() -> Any:
        tiles = warm.astype(f64).reshape(width // 32, 32, width // 32, 32)
        for axis in (3, 1):
            lines = xp.moveaxis(tiles, axis, 0)
            for order in (range(1, 32), range(30, -1, -1)):
                for k in order:
                    before = k - 1 if order.step == 1 else k + 1
                    lines[k] = float(keep) * lines[before] + (1 - float(keep)) * lines[k]
        return [tiles.reshape(width, width)]

    args, grid = (warm, cold, keep, i32(width)), (width // 128, width // 32)
    return both(t, FILE, "wax_cooling", (grid, grid), (128, 128), args, cold, ref=ref, near=1e-5)


@case
def hide_grades(t: Tools) -> Pair:
    xp, n, grid = t.xp, t.size(1 << 27, 1 << 12), t.size(SMS * 8, 2)
    hide, grade = t.rng.integers(0, 256, n, dtype=i32).astype(u8), xp.zeros(n, u8)
    good, gain, shine = 110, 5, 215

    def ref() -> Any:
        known = np.arange(256)
        far = np.minimum(np.abs(known - good) * gain >> 4, 15) | np.where(known > shine, 16, 0)
        return [xp.asarray(far.astype(u8))[hide]]

    args = (hide, grade, u32(good), u32(gain), u32(shine), i32(n))
    return both(t, FILE, "hide_grades", (grid, grid), (256, 256), args, grade, ref=ref)


@case
def dye_mixes(t: Tools) -> Pair:
    xp, recipes, dyes, waves = t.xp, t.size(2048, 128), t.size(512, 64), t.size(2048, 128)
    recipe, spectrum = t.rng.random((recipes, dyes), dtype=f32), t.rng.random((dyes, waves), dtype=f32)
    colour = xp.zeros((recipes, waves), f32)

    def ref() -> Any:
        return [recipe.astype(f64) @ spectrum.astype(f64)]

    args = (recipe, spectrum, colour, i32(dyes), i32(waves))
    grids = ((waves // 32, recipes // 8), (waves // 128, recipes // 128))
    return both(t, FILE, "dye_mixes", grids, ((32, 8), 256), args, colour, ref=ref, near=1e-5)


@case
def chimney_plumes(t: Tools) -> Pair:
    xp, n, stacks = t.xp, t.size(1 << 20, 1 << 10), 48
    place = f32(5000) * t.rng.random((n, 2), dtype=f32)
    stack = t.rng.random((stacks, 4), dtype=f32) * xp.asarray(np.array([3000, 5000, 40, 9], f32))
    stack += xp.asarray(np.array([0, 0, 20, 1], f32))
    smoke = xp.zeros(n, f32)

    def ref() -> Any:
        want = xp.zeros(n)
        for k in range(stacks):
            along, across = (place[:, j].astype(f64) - float(stack[k, j]) for j in (0, 1))
            far = xp.maximum(along, 1.0)
            wide, deep = 0.22 * far**0.894, 0.2 * far**0.725
            fall = (across / wide) ** 2 + (float(stack[k, 2]) / deep) ** 2
            want += xp.where(along > 0, float(stack[k, 3]) * xp.exp(-0.5 * fall) / (wide * deep), 0.0)
        return [want]

    args, grid = (place, stack, smoke, i32(stacks), i32(n)), n // 256
    return both(t, FILE, "chimney_plumes", (grid, grid), (256, 256), args, smoke, ref=ref, near=1e-3)


@case
def swim_strokes(t: Tools) -> Pair:
    xp, swims, longest = t.xp, t.size(1 << 16, 1 << 7), 2048
    length = t.rng.integers(20, 180, swims, dtype=i32)
    length[swims // 2] = longest
    start = xp.zeros(swims + 1, i32)
    start[1:] = xp.cumsum(length)
    total = int(start[-1])
    pull, weight = t.rng.random(total, dtype=f32), f32(50) + f32(50) * t.rng.random(swims, dtype=f32)
    pull -= f32(0.3)
    power = xp.zeros(total, f32)

    def ref() -> Any:
        swim = xp.searchsorted(start, xp.arange(total, dtype=i32), side="right") - 1
        p = pull.astype(f64)
        return [weight[swim] * p * xp.abs(p)]

    args = (pull, start, weight, power)
    slow = launch(t, FILE, "swim_strokes", (swims, longest // 128), 128, args)
    cured = launch(t, FILE, "swim_strokes_b", t.size(SMS * 16, 4), 128, (*args, i32(swims)))
    return Pair(slow, cured, lambda _: (power,), ref=ref, near=1e-5)


@case
def pan_salts(t: Tools) -> Pair:
    xp, n, hours = t.xp, t.size(1 << 23, 1 << 10), 24
    full, sun = f32(0.5) + t.rng.random(n, dtype=f32), f32(0.08) * t.rng.random(hours, dtype=f32)
    water, salt = full.copy(), xp.zeros(n, f32)

    def reset() -> None:
        water[...] = full
        salt.fill(0)

    def ref() -> Any:
        w, s = full.astype(f64), xp.zeros(n)
        for h in range(hours):
            dried = float(sun[h]) * w
            w, s = w - dried, s + dried * (0.3 - 0.2 * s)
        return [w, s]

    args, grid = (water, salt, sun, i32(hours), i32(n)), n // 256
    return both(t, FILE, "pan_salts", (grid, grid), (256, 256), args, (water, salt), ref=ref, near=1e-5, reset=reset)
