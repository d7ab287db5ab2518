"""The pairs whose kernels are in turbines.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
f64, u8, u32 = np.float64, np.uint8, np.uint32
FILE = "turbines"


@case
def magma_basis(t: Tools) -> Pair:
    n, many = t.size(1 << 24, 1 << 12), 16
    basis, first = t.rng.random((many, n), dtype=f32), t.rng.random(n, dtype=f32)
    basis -= f32(0.5)
    part, fresh, grid = t.rng.random(many, dtype=f32), first.copy(), t.size(SMS * 8, 2)

    def reset() -> None:
        fresh[...] = first

    def ref() -> Any:
        want = first.astype(f64)
        for j in range(many):
            want -= part[j] * basis[j].astype(f64)
        return [want]

    args = (basis, part, fresh, i32(many), i32(n))
    return both(t, FILE, "magma_basis", (grid, grid), (256, 256), args, fresh, ref=ref, near=1e-5, reset=reset)


@case
def fibre_pulses(t: Tools) -> Pair:
    xp, pulses, steps, strength = t.xp, t.size(SMS * 128, 16), 8, f32(0.05)
    place = (xp.arange(256, dtype=f32) - f32(128)) / f32(24)
    shape = xp.exp(-place * place)[None, :, None]
    before = shape * (f32(0.5) + t.rng.random((pulses, 256, 2), dtype=f32))
    turn, spread = np.zeros((16, 16, 2), f32), np.zeros((256, 2), f32)
    angle = 2 * np.pi / 256 * np.outer(np.arange(16), np.arange(16))
    turn[..., 0], turn[..., 1] = np.cos(angle), np.sin(angle)
    phase = 1e-3 * np.square(np.fft.fftfreq(256) * 256)
    spread[:, 0], spread[:, 1] = np.cos(phase) / 256, np.sin(phase) / 256
    after = xp.zeros((pulses, 256, 2), f32)

    def ref() -> Any:
        v, full = before[..., 0].astype(f64) + 1j * before[..., 1], xp.asarray(np.exp(1j * phase))
        for _ in range(steps):
            v = xp.fft.ifft(xp.fft.fft(v, axis=1) * full, axis=1)
            v = v * xp.exp(1j * float(strength) * xp.abs(v) ** 2)
        return [xp.stack([v.real, v.imag], axis=2)]

    args = (xp.ascontiguousarray(before), xp.asarray(turn), xp.asarray(spread), after, strength, i32(steps))
    grid = pulses // 8
    return both(t, FILE, "fibre_pulses", (grid, grid), (128, 128), args, after, ref=ref, near=1e-3)


@case
def pond_webs(t: Tools) -> Pair:
    xp, ponds, steps, dt = t.xp, t.size(1 << 18, 1 << 8), 12, f32(0.1)
    draw = np.random.default_rng(5)
    eats = (draw.uniform(-0.2, 0.2, (8, 8)) * (1 - np.eye(8)) - np.eye(8)).astype(f32)
    gain = draw.uniform(0.6, 1.2, 8).astype(f32)
    t.constant(FILE, "pond_web", xp.asarray(eats.ravel()))
    t.constant(FILE, "pond_growth", xp.asarray(gain))
    before, after = f32(0.2) + t.rng.random((8, ponds), dtype=f32), xp.zeros((8, ponds), f32)

    def ref() -> Any:
        x, web, growth = before.T.astype(f64), xp.asarray(eats.astype(f64)), xp.asarray(gain.astype(f64))
        for _ in range(steps):
            g = growth + x @ web.T
            m = xp.eye(8)[None] * (1 - float(dt) * g)[:, :, None] - float(dt) * x[:, :, None] * web[None]
            x = x + xp.linalg.solve(m, (float(dt) * x * g)[:, :, None])[:, :, 0]
        return [xp.ascontiguousarray(x.T)]

    args, grid = (before, after, dt, i32(steps), i32(ponds)), ponds // 256
    return both(t, FILE, "pond_webs", (grid, grid), (256, 256), args, after, ref=ref, near=1e-4)


@case
def penguin_crowding(t: Tools) -> Pair:
    xp, n, across, most = t.xp, t.size(1 << 20, 1 << 10), t.size(384, 12), 8
    nest = t.rng.random((n, 2), dtype=f32)

    def cells(place: Any) -> Any:
        return xp.minimum((place * f32(across)).astype(i32), i32(across - 1))

    cell = cells(nest)
    order = xp.argsort(cell[:, 1] * i32(across) + cell[:, 0])
    nest = xp.ascontiguousarray(nest[order])
    cell = cells(nest)
    number = cell[:, 1] * i32(across) + cell[:, 0]
    held = xp.bincount(number, minlength=across * across)
    start = xp.zeros(across * across + 1, i32)
    start[1:] = xp.cumsum(held)
    by_loop, by_code = xp.zeros(n, f32), xp.zeros(n, f32)
    slow = launch(t, FILE, "penguin_crowding", n // 256, 256, (nest, start, by_loop, i32(most), i32(across), i32(n)))
    cured = launch(t, FILE, "penguin_crowding_b", n // 256, 256, (nest, start, by_code, i32(across), i32(n)))

    def ref() -> Any:
        room, wide = int(held.max()), across + 2
        table = xp.full((wide * wide, room), 9.0)
        table = xp.stack([table, table], axis=2)
        spot = (cell[:, 1] + 1) * wide + cell[:, 0] + 1
        table[spot, xp.arange(n) - start[number]] = nest
        steps = xp.asarray([v * wide + u for v in (-1, 0, 1) for u in (-1, 0, 1)])
        want = []
        for at in range(0, n, 1 << 15):
            own = slice(at, min(at + (1 << 15), n))
            off = table[spot[own][:, None] + steps] - nest[own][:, None, None, :]
            far = xp.sort((off * off).sum(axis=3).reshape(len(off), -1), axis=1)[:, 1 : most + 1]
            want.append(xp.sqrt(xp.minimum(far, 1.0 / (across * across))).mean(axis=1))
        return [xp.concatenate(want)]

    return Pair(slow, cured, lambda w: (by_loop if w == "slow" else by_code,), ref, 1e-4)


@case
def kelp_clusters(t: Tools) -> Pair:
    xp, n, grid = t.xp, t.size(1 << 23, 1 << 12), t.size(SMS * 8, 2)
    other = t.rng.integers(0, 16, n, dtype=i32)
    label = xp.where(t.rng.random(n, dtype=f32) < 0.6, i32(0), other).astype(u8)
    band = t.rng.random((n, 2), dtype=f32)
    total, count = xp.zeros((2, 16), f32), xp.zeros(16, i32)

    def ref() -> Any:
        sums = [xp.bincount(label, weights=band[:, k].astype(f64), minlength=16) for k in (0, 1)]
        return [xp.stack(sums), xp.bincount(label, minlength=16).astype(i32)]

    args, reset = (label, band, total, count, i32(n)), zero(total, count)
    out = (total, count)
    wave = t.size(SMS * 3, 2)  # of kelp_clusters_b three blocks fit an SM
    return both(t, FILE, "kelp_clusters", (grid, wave), (256, 256), args, out, ref=ref, near=1e-4, reset=reset)


@case
def parcel_scans(t: Tools) -> Pair:
    xp, parcels, scans = t.xp, t.size(SMS * 256, 256), 256
    scan = t.rng.random((scans, parcels, 4), dtype=f32)
    follow = scan.view(i32)
    follow[:-1, :, 3] = xp.arange(parcels, scans * parcels, dtype=i32).reshape(scans - 1, parcels)
    follow[-1, :, 3] = -1
    first, result = xp.arange(parcels, dtype=i32), xp.zeros((3, parcels), f32)
    slow = launch(t, FILE, "parcel_scans", parcels // 128, 128, (scan, first, result, i32(parcels)))
    cured = launch(t, FILE, "parcel_scans_b", parcels // 128, 128, (scan, result, i32(scans), i32(parcels)))

    def ref() -> Any:
        minutes, cost = scan[..., 0].astype(f64).sum(axis=0), scan[..., 2].astype(f64).sum(axis=0)
        return [xp.stack([minutes, scan[..., 1].max(axis=0).astype(f64), cost])]

    return Pair(slow, cured, lambda _: (result,), ref, 1e-5)


@case
def luggage_smooth(t: Tools) -> Pair:
    xp, width, height, radius = t.xp, t.size(2048, 64), t.size(1024, 16), 4
    wide, deep = f32(2.5), f32(0.3)
    shot, smooth = t.rng.random((height + 8, width + 8), dtype=f32), xp.zeros((height, width), f32)

    def ref() -> Any:
        full = shot.astype(f64)
        centre = full[radius : radius + height, radius : radius + width]
        total, weights = xp.zeros((height, width)), xp.zeros((height, width))
        for v in range(-radius, radius + 1):
            for u in range(-radius, radius + 1):
                value = full[radius + v : radius + v + height, radius + u : radius + u + width]
                off = (value - centre) ** 2 / (2 * float(deep) ** 2)
                weight = xp.exp(-(u * u + v * v) / (2 * float(wide) ** 2) - off)
                total += weight * value
                weights += weight
        return [total / weights]

    args, grid = (shot, smooth, wide, deep, i32(radius), i32(width), i32(height)), (width // 32, height // 8)
    return both(t, FILE, "luggage_smooth", (grid, grid), ((32, 8), (32, 8)), args, smooth, ref=ref, near=1e-4)


@case
def fossil_cubes(t: Tools) -> Pair:
    xp, n, level = t.xp, t.size(256, 32), f32(0.5)
    scan, cuts = t.rng.random((n, n, n), dtype=f32), xp.zeros((n, n, n), u8)

    def ref() -> Any:
        stone = (scan > level).astype(u8)
        along = (stone[1:] ^ stone[:-1], stone[:, 1:] ^ stone[:, :-1], stone[:, :, 1:] ^ stone[:, :, :-1])
        want, m = xp.zeros((n, n, n), u8), n - 1
        for a in (0, 1):
            for b in (0, 1):
                want[:m, :m, :m] += along[0][:, a : a + m, b : b + m]
                want[:m, :m, :m] += along[1][a : a + m, :, b : b + m]
                want[:m, :m, :m] += along[2][a : a + m, b : b + m, :]
        return [want]

    args, grid = (scan, cuts, level, i32(n)), (n // 32, n - 1, n // 8)
    return both(t, FILE, "fossil_cubes", (grid, grid), ((32, 8), (32, 8)), args, cuts, ref=ref)


@case
def ion_channels(t: Tools) -> Pair:
    xp, wide, high, salt, colour = t.xp, t.size(4096, 64), t.size(4096, 16), f32(0.4), 0
    first, charge = t.rng.random((high + 2, wide + 2), dtype=f32), t.rng.random((high, wide), dtype=f32)
    charge -= f32(0.5)
    field = first.copy()

    def reset() -> None:
        field[...] = first

    def ref() -> Any:
        full = first.astype(f64)
        known = full[1:-1, :-2] + full[1:-1, 2:] + full[:-2, 1:-1] + full[2:, 1:-1] + charge
        p, s = full[1:-1, 1:-1].copy(), float(salt)
        for _ in range(12):
            up, down = xp.exp(p), xp.exp(-p)
            p -= (4 * p + s * (up - down) - known) / (4 + s * (up + down))
        turn = (xp.arange(high)[:, None] + xp.arange(wide)[None, :]) % 2 == colour
        full[1:-1, 1:-1] = xp.where(turn, p, full[1:-1, 1:-1])
        return [full]

    args, grids = (field, charge, salt, i32(colour), i32(wide), i32(high)), (wide // 32, wide // 64)
    pairs = tuple((g, high // 8) for g in grids)
    return both(t, FILE, "ion_channels", pairs, ((32, 8), (32, 8)), args, field, ref=ref, near=1e-5, reset=reset)


@case
def advert_filter(t: Tools) -> Pair:
    xp, n, bits = t.xp, t.size(1 << 22, 1 << 12), 25
    often, seldom = t.uint32(16, 1 << 30), t.uint32(n, 1 << 30)
    view = xp.where(t.rng.random(n, dtype=f32) < 0.95, often[t.rng.integers(0, 16, n)], seldom)
    held = xp.zeros(1 << (bits - 5), u32)

    def ref() -> Any:
        on = xp.zeros(1 << bits, u32)
        for by in (0x7FEB352D, 0x9E3779B1, 0x85EBCA6B):
            key = (view ^ (view >> u32(16))) * u32(by)
            key = (key ^ (key >> u32(15))) * u32(0x846CA68B)
            on[((key ^ (key >> u32(16))) >> u32(32 - bits)).astype(np.int64)] = 1
        return [(on.reshape(-1, 32) << xp.arange(32, dtype=u32)).sum(axis=1, dtype=u32)]

    args, grids = (view, held, i32(bits), i32(n)), (n // 256, t.size(SMS * 2, 2))
    return both(t, FILE, "advert_filter", grids, (256, 1024), args, held, ref=ref, reset=zero(held))


@case
def snow_light(t: Tools) -> Pair:
    xp, photons, turns = t.xp, t.size(1 << 15, 1 << 10), t.size(1024, 16)
    far = xp.zeros(photons, f32)

    def ref() -> Any:
        key = xp.arange(1, photons + 1, dtype=u32)
        key = (key ^ (key >> u32(16))) * u32(0x7FEB352D)
        key = (key ^ (key >> u32(15))) * u32(0x846CA68B)
        state, at = key ^ (key >> u32(16)), xp.zeros((3, photons))
        for _ in range(turns):
            draw = []
            for _ in range(3):
                state = state * u32(1664525) + u32(1013904223)
                draw.append(((state ^ (state >> u32(13))) >> u32(8)).astype(f64) * 2.0**-24 + 2.0**-25)
            path, rise, angle = -xp.log(draw[0]), 2 * draw[1] - 1, 2 * np.pi * draw[2] - np.pi
            flat = path * xp.sqrt(1 - rise * rise)
            at += xp.stack([flat * xp.cos(angle), flat * xp.sin(angle), path * rise])
        return [xp.sqrt((at * at).sum(axis=0))]

    grids, blocks = (photons // 1024, photons // 128), (1024, 128)
    args = (far, i32(turns), i32(photons))
    return same(t, FILE, "snow_light", grids, blocks, args, far, ref=ref, near=1e-3)


@case
def axle_systems(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 19, 1 << 8)
    matrix, right = t.rng.random((n, 8, 8), dtype=f32), t.rng.random((n, 8), dtype=f32)
    matrix += f32(6) * xp.eye(8, dtype=f32)
    moved = xp.zeros((n, 8), f32)

    def ref() -> Any:
        return [xp.linalg.solve(matrix.astype(f64), right.astype(f64)[:, :, None])[:, :, 0]]

    args = (matrix, right, moved)
    return same(t, FILE, "axle_systems", (n, n // 32), ((8, 1), (8, 32)), args, moved, ref=ref, near=1e-4)


@case
def pollen_counts(t: Tools) -> Pair:
    xp, blocks, rounds, fields = t.xp, t.size(SMS + 4, 1), t.size(8, 2), 64
    n = blocks * rounds * 8192
    place, field = t.rng.random((n, 2), dtype=f32), t.rng.random((fields, 4), dtype=f32)
    field[:, 3] = f32(1) / xp.square(f32(0.2) + f32(0.6) * field[:, 3])
    pollen = xp.zeros(n, f32)

    def ref() -> Any:
        x, y, want = place[:, 0].astype(f64), place[:, 1].astype(f64), xp.zeros(n)
        for u, v, much, reach in field.tolist():
            want += much * xp.maximum(1 - reach * ((x - u) ** 2 + (y - v) ** 2), 0) ** 2
        return [want]

    slow = launch(t, FILE, "pollen_counts", blocks, 1024, (place, field, pollen, i32(rounds)))
    cured = launch(t, FILE, "pollen_counts_b", n // 2048, 256, (place, field, pollen, i32(1)))
    return Pair(slow, cured, lambda _: (pollen,), ref, 1e-4)


@case
def harbour_elements(t: Tools) -> Pair:
    xp, elements, steps, share = t.xp, t.size(SMS * 128, 16), 4, f32(0.05)
    wave = t.rng.random((elements, 8, 8, 8), dtype=f32)
    matrix = t.rng.random((8, 8), dtype=f32) - f32(0.4)
    smooth = xp.zeros((elements, 8, 8, 8), f32)

    def ref() -> Any:
        u, d = wave.astype(f64), matrix.astype(f64)
        for _ in range(steps):
            along = (d @ u.reshape(elements, 8, 64)).reshape(elements, 8, 8, 8)
            u = u - float(share) * (u @ d.T + d @ u + along)
        return [u]

    args = (wave, matrix, smooth, share, i32(steps))
    grids = (elements, elements // 4)
    return both(t, FILE, "harbour_elements", grids, (512, 128), args, smooth, ref=ref, near=1e-4)
