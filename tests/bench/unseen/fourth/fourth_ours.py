"""The pairs whose kernels are in the .cu files here: inputs, grids and references. Instruments and sound first."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add


def same(t: Tools, file: str, name: str, grids: Any, block: Any, args: Any, out: Any, **more: Any) -> Pair:
    """NAME and NAME_b with the same arguments; grids: of each of the two; out: the arrays that are compared."""
    outs = out if isinstance(out, tuple) else (out,)
    calls = (launch(t, file, n, g, block, args) for n, g in zip((name, f"{name}_b"), grids, strict=True))
    return Pair(*calls, lambda _: outs, **more)


# ---- instruments
@case
def meter_totals(t: Tools) -> Pair:
    xp, meters = t.xp, t.size(1 << 19, 1 << 10)
    wh, total, peak = t.uint32((meters, 96), 2000), xp.zeros(meters, xp.uint32), xp.zeros(meters, xp.uint32)
    ref = lambda: [wh.sum(axis=1).astype(xp.uint32), wh.max(axis=1)]  # noqa: E731
    args, grids = (wh, total, peak, i32(meters)), (meters // 256, meters // 8)
    return same(t, "sensors", "meter_totals", grids, 256, args, (total, peak), ref=ref)


@case
def sensor_spread(t: Tools) -> Pair:
    xp, rows, length = t.xp, t.size(SMS * 4, 4), t.size(1 << 17, 1 << 10)
    record = t.rng.random((rows, length), dtype=f32) + f32(20)
    mean, variance = xp.zeros(rows, f32), xp.zeros(rows, f32)

    def ref() -> Any:
        return [record.mean(axis=1, dtype=np.float64), (record - f32(20.5)).var(axis=1, dtype=np.float64)]

    args, more = (record, mean, variance, i32(length)), {"ref": ref, "near": 1e-3}
    return same(t, "sensors", "sensor_spread", (rows, rows), 512, args, (mean, variance), **more)


@case
def days_to_limit(t: Tools) -> Pair:
    xp, stations, days = t.xp, t.size(SMS * 2048, 1 << 10), 360
    rain, limit = t.uint32((days, stations), 100), t.uint32(stations, 16000) + xp.uint32(1500)
    day = xp.zeros(stations, i32)

    def ref() -> Any:
        sums, count = xp.zeros(stations, xp.uint32), xp.zeros(stations, i32)
        for d in range(days):
            sums += rain[d]
            count += sums < limit
        return [count]

    args, grid = (rain, limit, day, i32(stations), i32(days)), stations // 256
    return same(t, "sensors", "days_to_limit", (grid, grid), 256, args, day, ref=ref)


@case
def lag_products(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 12)
    x, sums = t.rng.integers(-9000, 11000, n + 32, dtype=i32).astype(xp.int16), xp.zeros(32, xp.uint64)

    def ref() -> Any:
        wide = x.astype(i64)
        return [xp.stack([(wide[:n] * wide[lag : lag + n]).sum() for lag in range(32)]).astype(xp.uint64)]

    args, more = (x, sums, i32(n)), {"ref": ref, "reset": zero(sums)}
    return same(t, "sensors", "lag_products", (32, (32, 66)), 1024, args, sums, **more)


@case
def seismic_frames(t: Tools) -> Pair:
    xp, frames = t.xp, t.size(SMS * 128, SMS)
    sample, peaks = t.rng.standard_normal((frames, 4096), dtype=f32), xp.zeros((frames, 1024), f32)

    def ref() -> Any:
        wide, total = xp.pad(sample, ((0, 0), (0, 16))), xp.zeros((frames, 4096), f32)
        for k in range(12):
            total += f32(0.02 + 0.011 * k * (11 - k) / 5) * wide[:, k : k + 4096]
        return [xp.abs(total).reshape(frames, 4, 1024).max(axis=1)]

    args, more = (sample, peaks, i32(frames)), {"ref": ref, "near": 1e-5}
    return same(t, "sensors", "seismic_frames", (SMS, SMS), 1024, args, peaks, **more)


# ---- sound and codes
@case
def mix_tracks(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 26, 1 << 12)
    a, b = (t.rng.integers(-32768, 32768, n, dtype=i32).astype(xp.int16) for _ in range(2))
    out = xp.zeros(n, xp.int16)

    def ref() -> Any:
        return [xp.clip((3 * a.astype(i32) + 2 * b.astype(i32)) >> 2, -32768, 32767).astype(xp.int16)]

    args = (a, b, out, i32(n))
    return same(t, "audio", "mix_tracks", (SMS * 8, SMS * 8), 256, args, out, ref=ref)


@case
def sound_levels(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 26, 1 << 12)
    power, level = t.rng.random(n, dtype=f32) + f32(1e-4), xp.zeros(n, f32)
    calls = (
        launch(t, "audio", "sound_levels", SMS * blocks, threads, (power, level, i32(n)))
        for blocks, threads in ((32, 32), (8, 256))
    )
    return Pair(*calls, lambda _: (level,), lambda: [10 * xp.log10(power + f32(1e-9))], 1e-4)


@case
def synth_voices(t: Tools) -> Pair:
    xp, voices = t.xp, t.size(SMS * 4096, 1 << 10)
    step, energy = t.rng.random(voices, dtype=f32) * f32(0.5) + f32(0.01), xp.zeros(voices, f32)
    args, grid = (step, energy, i32(voices)), voices // 256
    return same(t, "audio", "synth_voices", (grid, grid), 256, args, energy, near=1e-5)


@case
def equalise(t: Tools) -> Pair:
    xp, channels, samples = t.xp, t.size(SMS * 1280, 256), t.size(256, 4)
    x, out = t.rng.standard_normal((samples, channels), dtype=f32), xp.zeros((samples, channels), f32)

    def ref() -> Any:
        p, q, want = xp.zeros((16, channels)), xp.zeros((16, channels)), xp.zeros((samples, channels), f32)
        for k in range(samples):
            v = x[k].astype(np.float64)
            for s in range(16):
                gain = 0.3 + 0.04 * s
                y = 0.27 * gain * v + p[s]
                p[s] = 0.5 * gain * v - (-1.2 + 0.04 * s) * y + q[s]
                q[s] = 0.23 * gain * v - 0.5 * y
                v = y
            want[k] = v
        return [want]

    args, grid = (x, out, i32(channels), i32(samples)), channels // 256
    return same(t, "audio", "equalise", (grid, grid), 256, args, out, ref=ref, near=1e-3)


@case
def walsh_codes(t: Tools) -> Pair:
    xp, bursts = t.xp, t.size(1 << 17, 64)
    chip, best = t.rng.integers(-100, 101, (bursts, 64), dtype=i32), xp.zeros(bursts, xp.uint32)

    def ref() -> Any:
        bits = np.array([[(i & j).bit_count() & 1 for j in range(64)] for i in range(64)])
        table, high = xp.asarray(1.0 - 2.0 * bits), xp.zeros(bursts, i64)
        for way in range(8):
            code = (np.arange(way * 32 + 1, way * 32 + 33, dtype=np.uint64) * 2654435761) & 0xFFFFFFFF
            sign = 1.0 - 2.0 * np.concatenate([code >> 31, code >> 30 & 1]).astype(np.float64)
            found = xp.abs((chip * xp.asarray(sign)) @ table).astype(i64)
            high = xp.maximum(high, (found << 16 | way << 8 | xp.arange(64)).max(axis=1))
        return [high.astype(xp.uint32)]

    args, grid = (chip, best, i32(bursts)), bursts // 32
    return same(t, "audio", "walsh_codes", (grid, grid), 1024, args, best, ref=ref)


@case
def sigma_delta(t: Tools) -> Pair:
    xp, channels, samples = t.xp, t.size(SMS * 2048, 256), t.size(96, 4)
    x, out = t.rng.random((samples, channels), dtype=f32) * f32(14) - f32(7), xp.zeros((samples, channels), f32)
    args, grid = (x, out, i32(channels), i32(samples)), channels // 256
    return same(t, "audio", "sigma_delta", (grid, grid), 256, args, out, near=1e-6)


# ---- orbits, tides, lattices, air, stars
@case
def satellites(t: Tools) -> Pair:
    xp, n = t.xp, t.size(SMS * 128 * 4, 1 << 10)
    turn, r = t.rng.random(n, dtype=f32) * f32(6.28), t.rng.random(n, dtype=f32) * f32(0.3) + f32(1)
    tilt = t.rng.random((2, n), dtype=f32) - f32(0.5)
    speed = 1 / xp.sqrt(r)
    parts = (r * xp.cos(turn), r * xp.sin(turn), tilt[0] * f32(0.1))
    start = xp.stack([*parts, -speed * xp.sin(turn), speed * xp.cos(turn), tilt[1] * f32(0.2)]).astype(f32)
    end = xp.zeros((6, n), f32)
    args, grid = (start, end, i32(n), i32(2000), f32(0.005)), n // 512
    return same(t, "sky", "satellites", (grid, grid), 128, args, end, near=1e-2)


@case
def tide_heights(t: Tools) -> Pair:
    xp, stations, hours = t.xp, t.size(SMS * 2560, 256), t.size(168, 4)
    size = t.rng.random((16, stations), dtype=f32)
    phase = t.rng.random((16, stations), dtype=f32) * f32(6.2831853)
    height = xp.zeros((hours, stations), f32)

    def ref() -> Any:
        speed = [0.2339, 0.2433, 0.2596, 0.2625, 0.2643, 0.4868, 0.4964, 0.5059]
        speed += [0.5154, 0.5236, 0.5250, 0.7593, 0.7699, 0.9856, 1.0019, 1.0137]
        want, p = xp.zeros((hours, stations), f32), phase.astype(np.float64)
        for h in range(hours):
            for k in range(16):
                want[h] += (size[k] * xp.cos(speed[k] * h + p[k])).astype(f32)
        return [want]

    args, grid = (size, phase, height, i32(stations), i32(hours)), stations // 256
    return same(t, "sky", "tide_heights", (grid, grid), 256, args, height, ref=ref, near=2e-3)


@case
def lattice_energy(t: Tools) -> Pair:
    xp, n = t.xp, t.size(250, 10)
    spin, energy = t.rng.integers(-2, 3, (n, n, n), dtype=i32), xp.zeros((n, n, n), i32)

    def ref() -> Any:
        total = xp.zeros((n, n, n), i32)
        for z in (-1, 0, 1):
            for y in (-1, 0, 1):
                for x in (-1, 0, 1):
                    far = abs(x) + abs(y) + abs(z)
                    if far in (1, 2):
                        total += (4 if far == 1 else 1) * xp.roll(spin, (-z, -y, -x), (0, 1, 2))
        return [-total * spin]

    args, grid = (spin, energy, i32(n), i32(n), i32(n)), (-(-n // 128), n, n)
    return same(t, "sky", "lattice_energy", (grid, grid), 128, args, energy, ref=ref)


@case
def through_air(t: Tools) -> Pair:
    xp, height = t.xp, t.size(165 * 48, 48)
    haze, light = t.rng.random((height, 1024), dtype=f32) + f32(0.1), xp.zeros((height, 1024), f32)

    def ref() -> Any:
        total = xp.zeros((height, 1024))
        for k in range(12):
            dense, passed, seen = haze.astype(np.float64), xp.ones((height, 1024)), xp.zeros((height, 1024))
            for _ in range(32):
                dense = 0.93 * dense
                lost = passed * dense * (0.05 + 0.01 * k)
                seen += (0.9 - 0.03 * k) * lost
                passed -= lost
            total += (seen + 0.2 * passed) * (1 + 0.1 * k)
        return [total]

    calls = (launch(t, "sky", "through_air", height // r, 1024, (haze, light, i32(r))) for r in (48, 2))
    return Pair(*calls, lambda _: (light,), ref, 1e-4)


@case
def star_scores(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    colour, classes = t.rng.standard_normal((3, n), dtype=f32), t.rng.standard_normal((64, 4), dtype=f32)
    best = xp.zeros(n, f32)
    t.constant("sky", "star_class", classes.reshape(256))

    def ref() -> Any:
        high = xp.full(n, -1e30)
        for a, b, c, d in t.host(classes).astype(np.float64).tolist():
            high = xp.maximum(high, a + b * colour[0] + c * colour[1] + d * colour[2])
        return [high]

    slow = launch(t, "sky", "star_scores", n // 256, 256, (colour, classes, best, i32(n)))
    cured = launch(t, "sky", "star_scores_b", n // 256, 256, (colour, best, i32(n)))
    return Pair(slow, cured, lambda _: (best,), ref, 1e-5)
