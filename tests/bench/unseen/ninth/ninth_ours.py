"""The pairs whose kernels are in the .cu files here: inputs, grids and references. Workshops."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, same, zero

CASES = Cases()
case = CASES.add


# ---- obstacles, readings, holograms, curves, flights
@case
def nearest_obstacles(t: Tools) -> Pair:
    xp, scans, beams = t.xp, t.size(1 << 19, 512), t.size(256, 64)
    distance = t.rng.random((scans, beams), dtype=f32) * f32(30)
    nearest, beam = xp.zeros(scans, f32), xp.zeros(scans, i32)

    def ref() -> Any:
        return [distance.min(axis=1), distance.argmin(axis=1)]

    args, grids = (distance, nearest, beam, i32(beams), i32(scans)), (scans // 256, scans // 8)
    return both(t, "workshops", "nearest_obstacles", grids, (256, 256), args, (nearest, beam), ref=ref)


@case
def fuse_readings(t: Tools) -> Pair:
    xp, nodes = t.xp, t.size(1 << 19, 128)
    system, state = xp.zeros((nodes, 72), f32), xp.zeros((nodes, 8), f32)
    seen = t.rng.random((nodes, 8, 8), dtype=f32)
    for i in range(8):
        for j in range(8):
            system[:, i * 8 + j] = (seen[:, i] * seen[:, j]).sum(axis=1) + (2 if i == j else 0)
    system[:, 64:] = t.rng.random((nodes, 8), dtype=f32)
    del seen

    def ref() -> Any:
        low: dict[tuple[int, int], Any] = {}
        x = list(system[:, 64:].T.astype(np.float64))
        for j in range(8):
            for i in range(j, 8):
                rest = system[:, i * 8 + j].astype(np.float64)
                for k in range(j):
                    rest = rest - low[i, k] * low[j, k]
                low[i, j] = xp.sqrt(rest) if i == j else rest / low[j, j]
        for i in range(8):
            for k in range(i):
                x[i] = x[i] - low[i, k] * x[k]
            x[i] = x[i] / low[i, i]
        for i in range(7, -1, -1):
            for k in range(i + 1, 8):
                x[i] = x[i] - low[k, i] * x[k]
            x[i] = x[i] / low[i, i]
        return [xp.stack(x, axis=1)]

    args, grids = (system, state, i32(8)), (nodes // 64, nodes // 64)
    return both(t, "workshops", "fuse_readings", grids, (64, 64), args, state, ref=ref, near=1e-4)


@case
def hologram(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(2048, 256), t.size(2048, 4)
    draw, wave = np.random.default_rng(3), f32(0.4)
    spots = np.stack(
        [draw.random(64) * width, draw.random(64) * height, 200 + 800 * draw.random(64), 100 + draw.random(64)], axis=1
    ).astype(f32)
    t.constant("workshops", "emitter", xp.asarray(spots))
    field = xp.zeros((height, width), f32)

    def ref() -> Any:
        x, y = xp.arange(width, dtype=np.float64), xp.arange(height, dtype=np.float64)[:, None]
        want = xp.zeros((height, width))
        for a, b, c, weight in spots.astype(np.float64):
            r = xp.sqrt((x - a) ** 2 + (y - b) ** 2 + c**2)
            want += weight * xp.cos(float(wave) * r) / r
        return [want]

    args, grids = (field, wave, i32(width)), ((width // 256, height),) * 2
    return both(t, "workshops", "hologram", grids, (256, 256), args, field, ref=ref, near=2e-3)


@case
def calibrate_nodes(t: Tools) -> Pair:
    xp, entries, piece, blocks = t.xp, 2048, t.size(1 << 15, 1 << 10), t.size(2048, 4)
    n = piece * blocks
    reading = (xp.sin(xp.arange(n, dtype=f32) * f32(1e-4)) * 900 + 1000).astype(i32)
    reading += t.rng.integers(0, 32, n, dtype=i32)
    curve, value = t.rng.random(entries, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        return [curve[reading]]

    args = (reading, curve, value, i32(entries), i32(piece))
    slow, cured = (
        launch(t, "workshops", "calibrate_nodes", blocks, 256, args, room) for room in (160 * 1024, entries * 4)
    )
    return Pair(slow, cured, lambda _: (value,), ref)


@case
def fly_quadrotors(t: Tools) -> Pair:
    xp, n, steps = t.xp, t.size(140 * 1024, 2048), t.size(1024, 32)
    least = [-5, -5, -5, -5, -5, -5, -2, -2, 1.0, 1.5, 20, 8, 0.1]
    most = [5, 5, 5, 5, 5, 5, 2, 2, 2.0, 2.5, 30, 12, 0.3]
    low, high = (xp.asarray(v, dtype=f32)[:, None] for v in (least, most))
    start, cost, dt = low + (high - low) * t.rng.random((13, n), dtype=f32), xp.zeros(n, f32), f32(0.01)

    def ref() -> Any:
        h, (x, y, z, tx, ty, tz, wx, wy, gain, damp, turn, calm, drag) = float(dt), start.astype(np.float64)
        vx, vy, vz, roll, pitch, p, q, paid, ex, ey, ez = (xp.zeros(n) for _ in range(11))
        for _ in range(steps):
            dx, dy, dz = tx - x, ty - y, tz - z
            ex, ey, ez = ex + h * dx, ey + h * dy, ez + h * dz
            thrust = 9.81 + gain * dz - damp * vz + 0.05 * ez
            want_pitch = xp.clip(0.1 * (gain * dx - damp * vx) + 0.01 * ex, -0.5, 0.5)
            want_roll = xp.clip(0.1 * (damp * vy - gain * dy) - 0.01 * ey, -0.5, 0.5)
            p = p + h * (turn * (want_roll - roll) - calm * p)
            q = q + h * (turn * (want_pitch - pitch) - calm * q)
            roll, pitch = roll + h * p, pitch + h * q
            vx = vx + h * (thrust * xp.sin(pitch) * xp.cos(roll) - drag * (vx - wx))
            vy = vy + h * (drag * (wy - vy) - thrust * xp.sin(roll))
            vz = vz + h * (thrust * xp.cos(roll) * xp.cos(pitch) - 9.81 - drag * vz)
            x, y, z = x + h * vx, y + h * vy, z + h * vz
            paid = paid + h * (dx**2 + dy**2 + dz**2 + 0.1 * (p**2 + q**2))
        return [paid]

    args, grids = (start, cost, dt, i32(steps), i32(n)), (n // 1024, n // 128)
    return same(t, "workshops", "fly_quadrotors", grids, (1024, 128), args, cost, ref=ref, near=1e-3)


# ---- vessels, calls, contours, echoes, classes
@case
def fit_vessels(t: Tools) -> Pair:
    xp, n, spacing = t.xp, t.size(1 << 22, 1 << 12), f32(0.05)
    inside = (t.rng.random(n, dtype=f32) < 0.125).astype(xp.uint8)
    voxels = xp.nonzero(inside)[0].astype(i32)
    truth, rate = f32(1) + f32(6) * t.rng.random(n, dtype=f32), xp.zeros(n, f32)
    echo = xp.empty((8, n), f32)
    for k in range(8):
        echo[k] = xp.exp(-truth * (spacing * (k + 1))) * (f32(0.99) + f32(0.02) * t.rng.random(n, dtype=f32))

    def ref() -> Any:
        seen, want = echo[:, voxels].astype(np.float64), xp.zeros(n)
        size, slope = 1.5 * seen[0], xp.full(len(voxels), 2.0)
        for _ in range(16):
            aa, ab, bb, ar, br = (xp.zeros(len(voxels)) for _ in range(5))
            for k in range(8):
                when = float(spacing) * (k + 1)
                a = xp.exp(-slope * when)
                b = -size * when * a
                off = seen[k] - size * a
                aa, ab, bb, ar, br = aa + a * a, ab + a * b, bb + b * b, ar + a * off, br + b * off
            scale = 1 / (aa * bb - ab * ab + 1e-12)
            size = size + scale * (bb * ar - ab * br)
            slope = xp.clip(slope + scale * (aa * br - ab * ar), 0.1, 20)
        want[voxels] = slope
        return [want]

    slow = launch(t, "workshops", "fit_vessels", n // 256, 256, (echo, inside, rate, spacing, i32(n)))
    args = (echo, voxels, rate, spacing, i32(n), i32(len(voxels)))
    cured = launch(t, "workshops", "fit_vessels_b", -(-len(voxels) // 256), 256, args)
    return Pair(slow, cured, lambda _: (rate,), ref, 1e-3)


@case
def expand_calls(t: Tools) -> Pair:
    xp, words = t.xp, t.size(1 << 24, 1 << 12)
    codes = np.arange(256) ^ 255
    size = (((codes & 15) << 3) + 132 << (codes >> 4 & 7)) - 132
    level = xp.asarray(np.where(codes & 128, -size, size), dtype=i32)
    t.constant("workshops", "mulaw", level)
    code = t.rng.integers(0, 256, words * 4, dtype=i32).astype(xp.uint8)
    sample = xp.zeros(words * 4, np.int16)

    def ref() -> Any:
        return [level[code]]

    packed, blocks = code.view(xp.uint32), SMS * 8
    slow = launch(t, "workshops", "expand_calls", blocks, 256, (packed, sample, i32(words)))
    cured = launch(t, "workshops", "expand_calls_b", blocks, 256, (packed, level, sample, i32(words)))
    return Pair(slow, cured, lambda _: (sample,), ref)


@case
def smooth_contours(t: Tools) -> Pair:
    xp, rows, length = t.xp, t.size(8192, 4), t.size(3000, 300)
    weight = np.hanning(18)[1:17].astype(f32)
    weight /= weight.sum()
    t.constant("workshops", "ring_weight", xp.asarray(weight))
    line, smooth = t.rng.random((rows, length), dtype=f32), xp.zeros((rows, length), f32)

    def ref() -> Any:
        return [sum(float(weight[k]) * xp.roll(line, -k, axis=1).astype(np.float64) for k in range(16))]

    args, grids = (line, smooth, i64(length)), ((-(-length // 256), rows),) * 2
    return both(t, "workshops", "smooth_contours", grids, (256, 256), args, smooth, ref=ref, near=1e-5)


@case
def room_reverb(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 12)
    sample, sound = t.rng.random(n + 256, dtype=f32) - f32(0.5), xp.zeros(n, f32)
    tap = xp.exp(-xp.arange(256, dtype=f32) / 60) * (t.rng.random(256, dtype=f32) - f32(0.5))

    def ref() -> Any:
        want, gains = xp.zeros(n), tap.astype(np.float64)
        for k in range(256):
            want += gains[k] * sample[k : k + n]
        return [want]

    args, grids = (sample, tap, sound), (n // 256, n // 1024)
    return both(t, "workshops", "room_reverb", grids, (256, 128), args, sound, ref=ref, near=1e-5)


@case
def class_odds(t: Tools) -> Pair:
    xp, rows = t.xp, t.size(1 << 16, 16)
    score, odds = t.rng.random((rows, 1024), dtype=f32) * f32(8), xp.zeros((rows, 1024), f32)

    def ref() -> Any:
        power = xp.exp(score - score.max(axis=1, keepdims=True))
        return [power / power.sum(axis=1, keepdims=True)]

    args, grids = (score, odds), (rows, rows // 8)
    return both(t, "workshops", "class_odds", grids, (1024, 256), args, odds, ref=ref, near=1e-4)


# ---- levels, experts, poses, slices
@case
def calcium_levels(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 26, 1 << 14)
    level = np.array([130, 200, 260, 300, 400, 500, 600, 800], dtype=f32)
    t.constant("workshops", "calcium", xp.asarray(level))
    density, count = t.rng.random(n, dtype=f32) * f32(1000), xp.zeros(8, xp.uint32)

    def ref() -> Any:
        return [xp.stack([xp.count_nonzero(density > f32(m)) for m in level])]

    args, blocks = (density, count, i32(n // 4)), t.size(SMS * 8, 4)
    more = {"ref": ref, "reset": zero(count)}
    return both(t, "workshops", "calcium_levels", (blocks, blocks), (256, 256), args, count, **more)


@case
def expert_loads(t: Tools) -> Pair:
    xp, threads, rows = t.xp, t.size(SMS * 2048, 512), t.size(248, 24)
    gate, load = t.uint32((rows, threads), 1 << 30), xp.zeros((16, threads), xp.uint32)

    def ref() -> Any:
        mask, four = xp.uint32(15), xp.uint32(4)
        sums = [((gate >> four) * ((gate & mask) == e)).sum(axis=0, dtype=xp.uint64) for e in range(16)]
        return [(xp.stack(sums) & xp.uint64(0xFFFFFFFF)).astype(xp.uint32)]

    args, grids = (gate, load, i32(rows), i32(threads)), (threads // 256, threads // 256)
    return both(t, "workshops", "expert_loads", grids, (256, 256), args, load, ref=ref)


@case
def pose_products(t: Tools) -> Pair:
    xp, poses = t.xp, t.size(1 << 21, 64)
    parent, local = (t.rng.random((poses, 4, 4), dtype=f32) - f32(0.5) for _ in range(2))
    world = xp.zeros((poses, 4, 4), f32)

    def ref() -> Any:
        return [sum(parent[:, :, k, None].astype(np.float64) * local[:, k, None, :] for k in range(4))]

    args, grids, blocks = (parent, local, world), (poses, poses // 16), ((4, 4, 1), (4, 4, 16))
    return same(t, "workshops", "pose_products", grids, blocks, args, world, ref=ref, near=1e-5)


@case
def zoom_slices(t: Tools) -> Pair:
    xp, rows, width, out_width = t.xp, t.size(8192, 4), t.size(1280, 160), t.size(2048, 256)
    picture, large, scale = t.rng.random((rows, width), dtype=f32), xp.zeros((rows, out_width), f32), f32(0.625)
    where = (np.arange(out_width) + 0.5) * 0.625 - 0.5
    first = np.floor(where).astype(i64) - 2
    away = where - (first + np.arange(6)[:, None])
    sinc = np.sinc(away) * np.sinc(away / 3)
    weight = xp.asarray(sinc / sinc.sum(axis=0), dtype=f32)

    def ref() -> Any:
        columns = [xp.asarray(np.clip(first + k, 0, width - 1)) for k in range(6)]
        return [sum(weight[k].astype(np.float64) * picture[:, columns[k]] for k in range(6))]

    grid, rest = (out_width // 256, rows), (large, scale, i32(width), i32(out_width))
    slow = launch(t, "workshops", "zoom_slices", grid, 256, (picture, *rest))
    cured = launch(t, "workshops", "zoom_slices_b", grid, 256, (picture, weight, *rest))
    return Pair(slow, cured, lambda _: (large,), ref, 1e-4)
