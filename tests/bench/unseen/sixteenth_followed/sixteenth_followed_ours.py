"""The pairs whose kernels are in wardrobes.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
f64, u8, u32, u64 = np.float64, np.uint8, np.uint32, np.uint64
FILE = "wardrobes"


@case
def airbag_triggers(t: Tools) -> Pair:
    xp, skiers, steps, fade, limit = t.xp, t.size(SMS * 256, 256), t.size(1024, 64), f32(0.9), f32(6)
    shake, opened = t.rng.random((steps, skiers), dtype=f32), xp.zeros(skiers, i32)

    def ref() -> Any:
        want, energy = xp.full(skiers, steps, i32), xp.zeros(skiers, f32)
        for k in range(steps):
            square = (shake[k] * shake[k]).astype(f64)
            energy = (float(fade) * energy.astype(f64) + square).astype(f32)
            want = xp.minimum(want, xp.where(energy > limit, i32(k), i32(steps)))
        return [want]

    args, grid = (shake, opened, fade, limit, i32(steps), i32(skiers)), skiers // 128
    return both(t, FILE, "airbag_triggers", (grid, grid), (128, 128), args, opened, ref=ref)


@case
def loom_faults(t: Tools) -> Pair:
    xp, strips, rows, width = t.xp, t.size(SMS * 16, 4), 64, 256
    cloth = t.rng.integers(0, 256, (strips, rows, width), dtype=i32).astype(u8)
    gain, worst = f32(0.9) + f32(0.2) * t.rng.random(width, dtype=f32), xp.zeros((strips, width), f32)

    def ref() -> Any:
        smooth, want = xp.zeros((strips, width)), xp.zeros((strips, width))
        for k in range(rows):
            x = gain.astype(f64) * cloth[:, k]
            smooth = 0.8 * smooth + x - x.mean(axis=1)[:, None]
            want = xp.maximum(want, xp.abs(smooth))
        return [want]

    args = (cloth, gain, worst, i32(rows))
    return both(t, FILE, "loom_faults", (strips, strips), (width, width), args, worst, ref=ref, near=1e-4)


@case
def dialect_distances(t: Tools) -> Pair:
    xp, words, sounds = t.xp, t.size(1 << 18, 1 << 8), 16
    north, south = (t.rng.integers(0, 24, (sounds, words), dtype=i32).astype(u8) for _ in range(2))
    distance = xp.zeros(words, i32)

    def made(pitch: int) -> Any:
        args = (north, south, distance, i32(sounds), i32(pitch), i32(words))
        return launch(t, FILE, "dialect_distances", words // 128, 128, args, 128 * pitch * 4)

    def ref() -> Any:
        row = [xp.full(words, 2 * (k + 1), i32) for k in range(sounds)]
        for r in range(sounds):
            corner, left = 2 * r, 2 * r + 2
            for k in range(sounds):
                apart = xp.abs(north[r].astype(i32) - south[k].astype(i32))
                swap = corner + xp.where(apart == 0, 0, xp.where(apart < 4, 1, 3))
                corner, left = row[k], xp.minimum(swap, xp.minimum(row[k], left) + 2)
                row[k] = left
        return [row[-1]]

    return Pair(made(sounds), made(sounds + 1), lambda _: (distance,), ref)


@case
def honey_pollen(t: Tools) -> Pair:
    xp, n, kinds = t.xp, t.size(1 << 22, 1 << 10), 16
    rare = t.rng.integers(0, 10, n * 8, dtype=i32) == 0
    kind = xp.where(rare, t.rng.integers(0, kinds, n * 8, dtype=i32), i32(3))
    size = t.rng.integers(1, 4096, n * 8, dtype=i32)
    grain, volume = (kind + 16 * size).astype(np.uint16), xp.zeros(kinds, u64)

    def ref() -> Any:
        return [xp.bincount(kind, size.astype(f64), kinds)]

    grid = t.size(SMS * 8, 2)
    args = (grain, volume, i32(n))
    return both(t, FILE, "honey_pollen", (grid, grid), (256, 256), args, volume, ref=ref, reset=zero(volume))


@case
def tunnel_settlement(t: Tools) -> Pair:
    xp, n, rings = t.xp, t.size(1 << 20, 1 << 10), 96
    ring = t.rng.random((rings, 4), dtype=f32) * xp.asarray(np.array([4, 1, 1, 1], f32))
    place, settled = f32(4) * t.rng.random(n, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        at, want = place.astype(f64), xp.zeros(n)
        for where, depth, age, lost in t.host(ring).astype(f64).tolist():
            clay, sand, late = 0.011, -0.023, 0.003
            for k in range(1, 16):
                clay = clay * age + (-0.21 if k % 2 else 0.23) / k
                sand = sand * age + (0.17 if k % 3 else -0.19) / k
            for k in range(1, 10):
                late = late * (depth * clay + (1 - depth) * sand) + 0.4 / k
            want += lost * (1 + age * late) * xp.maximum(1 - (at - where) ** 2, 0) ** 2
        return [want]

    args, grid = (ring, place, settled, i32(rings), i32(n)), n // 256
    return both(t, FILE, "tunnel_settlement", (grid, grid), (256, 256), args, settled, ref=ref, near=1e-5)


@case
def meteor_streaks(t: Tools) -> Pair:
    xp, n, limit, steps = t.xp, t.size(1 << 24, 1 << 13), f32(0.95), 64
    sky, mass = t.rng.random(n, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        light = sky.astype(f64)
        m, speed = light.copy(), xp.ones(n)
        for _ in range(steps):
            drag = 0.02 * speed * speed
            speed -= drag * (1.2 - m)
            m += 0.01 * drag * (speed - m)
            m += 0.001 * light * speed
        return [xp.where(sky > limit, m, 0.0)]

    args = (sky, mass, limit, i32(steps), i32(n))
    return both(t, FILE, "meteor_streaks", (n // 256, n // 4096), (256, 256), args, mass, ref=ref, near=1e-5)


@case
def best_efforts(t: Tools) -> Pair:
    xp, riders, groups, window = t.xp, t.size(1 << 18, 1 << 8), 32, 64
    power, best = t.rng.integers(0, 256, (groups, riders, 16), dtype=i32).astype(u8), xp.zeros(riders, i32)

    def ref() -> Any:
        total = xp.zeros((groups * 16 + window, riders), i32)
        for k in range(groups * 16):
            total[window + k] = total[window + k - 1] + power[k // 16, :, k % 16]
        return [(total[window:] - total[:-window]).max(axis=0)]

    sizes, grid = (i32(groups), i32(riders)), riders // 256
    slow = launch(t, FILE, "best_efforts", grid, 256, (power, best, i32(window), *sizes))
    cured = launch(t, FILE, "best_efforts_b", grid, 256, (power, best, *sizes))
    return Pair(slow, cured, lambda _: (best,), ref)


@case
def bird_speeds(t: Tools) -> Pair:
    xp, cells, speeds, pulses = t.xp, t.size(1 << 20, 1 << 9), 8, 32
    phase = 2 * np.pi / 24 * np.arange(1, speeds + 1)[:, None] * np.arange(pulses)
    turn = np.stack([np.cos(phase), np.sin(phase)], axis=2).astype(f32)
    t.constant(FILE, "bird_turn", xp.asarray(turn))
    echo, power = t.rng.random((pulses, cells), dtype=f32) - f32(0.5), xp.zeros((speeds, cells), f32)

    def ref() -> Any:
        want, wide = xp.zeros((speeds, cells)), echo.astype(f64)
        for part in range(2):
            want += (xp.asarray(turn[:, :, part].astype(f64)) @ wide) ** 2
        return [want]

    grids = ((cells // 256, speeds), (cells // 256, 1))
    return both(t, FILE, "bird_speeds", grids, (256, 256), (echo, power, i32(cells)), power, ref=ref, near=1e-5)


@case
def tax_check_digits(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 10)
    upper, lower = (t.rng.integers(0, 10**7, n, dtype=i32).astype(u64) for _ in range(2))
    number, check = upper * u64(10**7) + lower, xp.zeros(n, u8)

    def ref() -> Any:
        left, total = number.view(np.int64), xp.zeros(n, np.int64)
        for k in range(14):
            total += (2 + k % 8) * (left % 10)
            left = left // 10
        return [(total % 11).astype(u8)]

    args, grid = (number, check, i32(n)), n // 256
    return both(t, FILE, "tax_check_digits", (grid, grid), (256, 256), args, check, ref=ref)


@case
def perfume_scents(t: Tools) -> Pair:
    xp, n, substances, moments, moment = t.xp, t.size(1 << 20, 1 << 10), 24, 32, f32(0.1)
    substance = f32(0.1) + t.rng.random((substances, 2), dtype=f32)
    warmth, scent = f32(0.5) + t.rng.random(n, dtype=f32), xp.zeros((n, 2), f32)

    def ref() -> Any:
        want, warm, total = xp.zeros((n, 2)), warmth.astype(f64), xp.zeros(n)
        each = t.host(substance).astype(f64).tolist()
        for k in range(moments):
            total = sum(much * xp.exp2(-fast * warm * float(moment) * k) for much, fast in each)
            want[:, 0] = xp.maximum(want[:, 0], total * (0.2 + 0.03 * k))
        want[:, 1] = total
        return [want]

    args, grid = (substance, warmth, scent, moment, i32(substances), i32(n)), n // 256
    return both(t, FILE, "perfume_scents", (grid, grid), (256, 256), args, scent, ref=ref, near=1e-4)


@case
def clothes_spare(t: Tools) -> Pair:
    xp, n, grid = t.xp, t.size(1 << 22, 1 << 10), t.size(SMS * 8, 2)
    chart = xp.asarray(np.random.default_rng(3).uniform(0.5, 1.5, (8, 256)).astype(f32))
    t.constant(FILE, "size_chart", chart)
    body, girth = t.rng.integers(0, 256, n, dtype=i32), f32(0.5) + t.rng.random(n, dtype=f32)
    spare = xp.zeros(n, f32)
    slow = launch(t, FILE, "clothes_spare", grid, 256, (body, girth, spare, i32(n)))
    cured = launch(t, FILE, "clothes_spare_b", grid, 256, (body, girth, spare, chart, i32(n)))

    def ref() -> Any:
        return [xp.abs(chart.astype(f64)[:, body] - girth).sum(axis=0)]

    return Pair(slow, cured, lambda _: (spare,), ref, 1e-5)


@case
def bell_swings(t: Tools) -> Pair:
    xp, towers, bells, strokes = t.xp, t.size(SMS * 256, 64), 12, 512
    n = towers * bells
    pull, swing = f32(0.8) * t.rng.random(n, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        rope, weight = pull.astype(f64), 1 + 0.1 * (xp.arange(n) % bells)
        angle, speed = xp.full(n, 0.1), xp.zeros(n)
        for _ in range(strokes):
            square = angle * angle
            back = angle * (square * (square * 0.008 - 0.166) + 1)
            speed = speed * 0.99 + 0.02 * (rope - weight * back)
            angle = xp.clip(0.05 * speed + angle, -3, 3)
        return [angle]

    args = (pull, swing, i32(bells), i32(strokes), i32(n))
    return same(t, FILE, "bell_swings", (towers, n // 256), (bells, 256), args, swing, ref=ref, near=1e-4)


@case
def sail_speeds(t: Tools) -> Pair:
    xp, n, steps = t.xp, t.size(1 << 20, 1 << 10), 48
    wind = t.rng.random((n, 2), dtype=f32) + xp.asarray(np.array([0.2, 1], f32))
    trim, speed = f32(0.1) + f32(0.5) * t.rng.random(n, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        run, sheet, across = xp.zeros(n), trim.astype(f64), wind[:, 1].astype(f64)
        for _ in range(steps):
            along = wind[:, 0] - run
            angle = xp.arctan2(across, along) - sheet
            push = (along**2 + across**2) * xp.sin(angle) * (0.6 + 0.1 * xp.cos(angle))
            run = run + 0.01 * (push - run * run)
        return [run]

    args, grid = (wind, trim, speed, i32(steps), i32(n)), n // 256
    return both(t, FILE, "sail_speeds", (grid, grid), (256, 256), args, speed, ref=ref, near=1e-4)


@case
def quilt_colours(t: Tools) -> Pair:
    xp, side, patch = t.xp, t.size(4096, 256), 6
    cloth, dye = t.rng.random((side, side), dtype=f32), t.rng.random((side >> patch, side >> patch), dtype=f32)
    colour = xp.zeros((side, side), f32)

    def ref() -> Any:
        inner = (xp.arange(side) & 63) >= 2
        tint = xp.repeat(xp.repeat(dye, 64, axis=0), 64, axis=1).astype(f64)
        whole = cloth * tint + 0.1 * cloth.astype(f64) ** 2
        return [xp.where(inner[:, None] & inner[None, :], 1.0, 0.5) * whole]

    grids = ((side // 8, side // 32), (side // 32, side // 8))
    args = (cloth, dye, colour, i32(patch), i32(side), i32(side))
    return both(t, FILE, "quilt_colours", grids, ((32, 8), (32, 8)), args, colour, ref=ref, near=1e-5)
