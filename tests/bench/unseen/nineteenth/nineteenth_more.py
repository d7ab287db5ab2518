"""The pairs whose kernels are in dovetails.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, zero

CASES = Cases()
case = CASES.add
f64, u8, u32, i8 = np.float64, np.uint8, np.uint32, np.int8
FILE = "dovetails"


@case
def fission_bank(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 21, 1 << 12)
    neutron, draw = t.rng.random((n, 4), dtype=f32), t.uint32(n, (1 << 31) - 1) * u32(2)
    fuel = t.rng.integers(0, 4, n, dtype=i32)
    by = fuel.astype(u32) << u32(26)
    many = sum((draw > u32(limit) - by).astype(i32) for limit in (0x50000000, 0x90000000, 0xE0000000))
    births = int(many.sum())
    site, born, total = xp.zeros((births, 4), f32), xp.zeros(births, u32), xp.zeros(1, i32)

    def ref() -> Any:
        number = t.host(many)
        parent = np.repeat(np.arange(n), number)
        child = np.arange(births) - np.repeat(np.cumsum(number) - number, number)
        return [(4 * parent + child).astype(u32), np.array([births], i32)]

    args, grid = (neutron, draw, fuel, site, born, total, i32(births), i32(n)), n // 256
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("fission_bank", "fission_bank_b"))
    return Pair(slow, cured, lambda _: (xp.sort(born), total), ref, 0.0, zero(site, born, total))


@case
def callable_bonds(t: Tools) -> Pair:
    xp, bonds, rates, steps, some = t.xp, t.size(SMS * 32, 16), 1024, 8, 16
    call, dr, dt = f32(1.02), f32(2.5e-4), f32(0.0625)
    bond = t.rng.random((bonds, 4), dtype=f32)
    bond *= xp.asarray([0.05, 0.2, 0.05, 0.002], f32)
    bond += xp.asarray([0.05, 0.1, 0.03, 0.002], f32)
    value = xp.zeros((bonds, rates), f32)

    def ref() -> Any:
        own = t.host(bond[:some]).astype(f64)[:, :, None]
        step, gap, r = float(dt), float(dr), np.arange(rates)[None] * float(dr)
        drift, spread = own[:, 1] * (own[:, 2] - r), 0.5 * own[:, 0] ** 2 * r / gap**2
        low, high = (-step * (spread + np.maximum(way * drift, 0) / gap) for way in (-1, 1))
        low[:, 0] = high[:, -1] = 0
        main, v = 1 + r * step - low - high, np.ones((some, rates))
        for _ in range(steps):
            b, d = main.copy(), v.copy()
            for k in range(1, rates):
                part = low[:, k] / b[:, k - 1]
                b[:, k] -= part * high[:, k - 1]
                d[:, k] -= part * d[:, k - 1]
            v[:, -1] = d[:, -1] / b[:, -1]
            for k in range(rates - 2, -1, -1):
                v[:, k] = (d[:, k] - high[:, k] * v[:, k + 1]) / b[:, k]
            v = np.minimum(v, float(call)) + own[:, 3]
        return [v]

    args = (bond, value, call, dr, dt, i32(steps))
    slow, cured = (launch(t, FILE, name, bonds, rates // 2, args) for name in ("callable_bonds", "callable_bonds_b"))
    return Pair(slow, cured, lambda _: (value[:some], value), ref, 2e-3)


@case
def compton_angles(t: Tools) -> Pair:
    xp, n, photons, some = t.xp, t.size(SMS * 4096, 1 << 10), 64, 64
    seed, alpha = t.uint32(n, (1 << 31) - 1), f32(2) + f32(2) * t.rng.random(n, dtype=f32)
    left = xp.zeros(n, f32)

    def ref() -> Any:
        s, a = t.host(seed[:some]), t.host(alpha[:some])
        sums, done = np.zeros(some), np.zeros(some, i32)
        while (done < photons).any():
            s = s * u32(1664525) + u32(1013904223)
            turn = f32(2) * (s >> u32(8)).astype(f32) * f32(2**-24)
            s = s * u32(1664525) + u32(1013904223)
            draw = (s >> u32(8)).astype(f32) * f32(2**-24)
            back = a.astype(f64) * turn + 1
            kept = 1 / back
            met = (draw <= 0.5 * kept * kept * (kept + back - turn * (f32(2) - turn))) & (done < photons)
            sums += np.where(met, a * (1 - kept), 0)
            done += met
        return [sums]

    args, grid = (seed, alpha, left, i32(photons), i32(n)), n // 256
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("compton_angles", "compton_angles_b"))
    return Pair(slow, cured, lambda _: (left[:some], left), ref, 1e-4)


@case
def coagulate_bins(t: Tools) -> Pair:
    xp, n, bins, steps, some = t.xp, t.size(SMS * 2048, 1 << 10), 16, 4, 1 << 10
    number, after = t.rng.random((bins, n), dtype=f32), xp.zeros((bins + 1, n), f32)
    i, j = np.tril_indices(bins)
    rate = (0.002 * (2.0 ** (i / 3) + 2.0 ** (j / 3)) * (2.0 ** (-i / 3) + 2.0 ** (-j / 3))).astype(f32)
    share = np.exp2(j - i).astype(f32)
    for name, values in (("meet_rate", rate), ("meet_share", share), ("meet_bin", i.astype(i32))):
        t.constant(FILE, name, xp.asarray(values))

    def ref() -> Any:
        new = np.zeros((bins + 1, some))
        new[:bins] = t.host(number[:, :some])
        for _ in range(steps):
            old = new.copy()
            for a, b, r, s in zip(i, j, rate.astype(f64), share.astype(f64), strict=True):
                met = r * old[a] * old[b]
                new[b] -= met
                new[a] -= met * s
                new[a + 1] += met * s
        return [new]

    args, grid = (number, after, i32(steps), i32(n)), n // 256
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("coagulate_bins", "coagulate_bins_b"))
    return Pair(slow, cured, lambda _: (after[:, :some], after), ref, 1e-4)


@case
def sky_draws(t: Tools) -> Pair:
    xp, rows = t.xp, t.size(1 << 15, 16)
    light, height = t.rng.random((rows, 1024), dtype=f32), f32(0.1) + t.rng.random(rows, dtype=f32)
    chance = xp.zeros((rows, 1024), f32)

    def ref() -> Any:
        sums = xp.cumsum(light.astype(f64), axis=1)
        return [sums / sums[:, -1:]]

    args = (light, height, chance, i32(rows))
    return both(t, FILE, "sky_draws", (rows, rows), (1024, 1024), args, chance, ref=ref, near=1e-4)


@case
def loan_offers(t: Tools) -> Pair:
    xp, n, offers, known = t.xp, t.size(1 << 21, 1 << 12), 64, 16
    facts, weight = t.rng.random((known, n), dtype=f32), t.rng.random((offers, known), dtype=f32) - f32(0.5)
    base = f32(0.1) * t.rng.random(offers, dtype=f32)
    score, best, some = xp.zeros(n, f32), xp.zeros(n, i32), t.size(1 << 16, 1 << 10)
    t.constant(FILE, "offer_weight", weight.reshape(-1))
    t.constant(FILE, "offer_base", base)

    def ref() -> Any:
        x, w, b = (t.host(a).astype(f64) for a in (facts[:, :some], weight, base))
        return [(w @ x + b[:, None]).max(axis=0)]

    args, grid = (score, best, i32(n)), n // 256
    slow = launch(t, FILE, "loan_offers", grid, 256, (facts, weight, base, *args))
    cured = launch(t, FILE, "loan_offers_b", grid, 256, (facts, *args))
    return Pair(slow, cured, lambda _: (score[:some], score), ref, 1e-4)


@case
def probe_frames(t: Tools) -> Pair:
    xp, frames, bits, some = t.xp, t.size(SMS * 46, 16), 512, 64
    sent = t.rng.integers(0, 2, (frames, bits), dtype=i32)
    sent[:, -6:] = 0
    heard = f32(0.6) * t.rng.random((frames, bits, 2), dtype=f32) - f32(0.3)
    for which, taps in enumerate((0o171, 0o133)):
        code = xp.zeros((frames, bits), i32)
        for back in range(7):
            if taps >> back & 1:
                code[:, back:] ^= sent[:, : bits - back]
        heard[:, :, which] += (1 - 2 * code).astype(f32)
    found = xp.zeros((frames, bits // 32), u32)

    def ref() -> Any:
        each = t.host(sent[:some]).reshape(-1, bits // 32, 32).astype(u32) << np.arange(32, dtype=u32)
        return [each.sum(axis=2, dtype=u32)]

    slow, cured = (launch(t, FILE, k, frames, 64, (heard, found)) for k in ("probe_frames", "probe_frames_b"))
    return Pair(slow, cured, lambda _: (found[:some], found), ref)


@case
def page_ranks(t: Tools) -> Pair:
    xp, pages, hub, most = t.xp, t.size(1 << 19, 1 << 10), t.size(1 << 16, 1 << 11), 512
    links = t.rng.integers(8, 53, pages, dtype=i32)
    links[pages // 16 :: pages // 8] = hub
    start = xp.zeros(pages + 1, i32)
    start[1:] = xp.cumsum(links).astype(i32)
    many = int(start[-1])
    origin, share = t.rng.integers(0, pages, many, dtype=i32), t.rng.random(pages, dtype=f32)
    rank, stay = xp.zeros(pages, f32), f32(0.85)
    parts = (links + (most - 1)) // most
    first = xp.cumsum(parts) - parts
    pieces = int(parts.sum())
    page = xp.zeros(pieces, i32)
    page[first[1:]] = 1
    page = xp.cumsum(page).astype(i32)
    number = xp.arange(pieces) - first[page]
    piece = xp.zeros((pieces, 4), i32)
    piece[:, 0] = page
    piece[:, 1] = start[page] + most * number
    piece[:, 2] = xp.minimum(piece[:, 1] + most, start[page + 1])
    piece[:, 3] = (parts[page] > 1) * (1 + (number > 0))

    def ref() -> Any:
        sums = xp.zeros(many + 1)
        sums[1:] = xp.cumsum(share[origin].astype(f64))
        return [0.15 + 0.85 * (sums[start[1:]] - sums[start[:-1]])]

    slow = launch(t, FILE, "page_ranks", -(-pages // 8), 256, (start, origin, share, rank, stay, i32(pages)))
    cured = launch(t, FILE, "page_ranks_b", -(-pieces // 8), 256, (piece, origin, share, rank, stay, i32(pieces)))
    return Pair(slow, cured, lambda _: (rank,), ref, 1e-4, zero(rank))


@case
def drain_terrain(t: Tools) -> Pair:
    xp, side, slope = t.xp, t.size(4096, 64), f32(0.01)
    ground = t.rng.random((side, side), dtype=f32)
    level, after = ground + t.rng.random((side, side), dtype=f32), xp.zeros((side, side), f32)

    def ref() -> Any:
        want, low = ground.copy(), xp.full((side - 4, side - 4), 1e30, f32)
        for y in range(5):
            for x in range(5):
                if (y, x) != (2, 2):
                    away = f32(np.hypot(y - 2, x - 2))
                    low = xp.minimum(low, level[y : side - 4 + y, x : side - 4 + x] + slope * away)
        want[2:-2, 2:-2] = xp.maximum(ground[2:-2, 2:-2], low)
        return [want]

    args, grid = (ground, level, after, slope, i32(side), i32(side)), (side // 32, side // 8)
    return both(t, FILE, "drain_terrain", (grid, grid), ((32, 8), (32, 8)), args, after, ref=ref, near=1e-5)


@case
def contact_energies(t: Tools) -> Pair:
    xp, folds, chain, some = t.xp, t.size(SMS * 32, 16), 256, 16
    residue = f32(24) * t.rng.random((folds, chain, 4), dtype=f32)
    kind = t.rng.integers(0, 20, (folds, chain), dtype=i32)
    residue[:, :, 3] = kind.view(f32)
    table = t.rng.random((20, 20), dtype=f32) - f32(0.7)
    table, inverse, energy = table + table.T, f32(1 / 49), xp.zeros((folds, chain), f32)
    t.constant(FILE, "contact", table.reshape(-1))

    def ref() -> Any:
        p, k = t.host(residue[:some, :, :3]).astype(f64), t.host(kind[:some])
        far = ((p[:, :, None] - p[:, None]) ** 2).sum(axis=3)
        each = t.host(table).astype(f64)[k[:, :, None], k[:, None]] * np.clip(2 - far / 49, 0, 1)
        return [each.sum(axis=2) - np.einsum("bii->bi", each)]

    args = (residue, energy, inverse)
    slow, cured = (launch(t, FILE, name, folds, chain, args) for name in ("contact_energies", "contact_energies_b"))
    return Pair(slow, cured, lambda _: (energy[:some], energy), ref, 1e-4)


@case
def spin_glass(t: Tools) -> Pair:
    xp, lx, ly, lz = t.xp, 256, t.size(256, 8), t.size(256, 4)
    spin = (2 * t.rng.integers(0, 2, (lz, ly, lx), dtype=i32) - 1).astype(i8)
    bond = t.rng.integers(0, 8, (lz, ly, lx), dtype=i32).astype(u8)
    after, stiff = xp.zeros((lz, ly, lx), i8), 0

    def ref() -> Any:
        field = xp.zeros(spin.shape, i8)
        for k, axis in enumerate((2, 1, 0)):
            sign = (1 - 2 * (bond >> u8(k) & u8(1)).astype(i8)).astype(i8)
            field += sign * xp.roll(spin, -1, axis) + xp.roll(sign * spin, 1, axis)
        return [xp.where(spin * field < stiff, -spin, spin)]

    args = (spin, bond, after, *(i32(k) for k in (stiff, lx, ly, lz)))
    grids = (spin.size // 512, (lx // 256, ly // 2, lz))
    return both(t, FILE, "spin_glass", grids, (512, (256, 2)), args, after, ref=ref)


@case
def permafrost_sweep(t: Tools) -> Pair:
    xp, columns, levels = t.xp, t.size(1 << 18, 1 << 10), 128
    warmth = f32(10) * t.rng.random((columns, levels), dtype=f32) - f32(8)
    turned = xp.ascontiguousarray(warmth.T)
    low, high = -2 - np.sin(np.arange(levels)), -2 - np.cos(np.arange(levels))
    low[0] = high[-1] = 0
    law, ratio = np.zeros((levels, 4)), 0.0
    for k in range(levels):
        pivot = 1 - low[k] - high[k] - low[k] * ratio
        ratio = high[k] / pivot
        law[k] = low[k], 1 / pivot, ratio, 0
    device_law = xp.asarray(law.astype(f32))
    after, after_turned = xp.zeros((columns, levels), f32), xp.zeros((levels, columns), f32)

    def ref() -> Any:
        matrix = np.diag(1 - low - high) + np.diag(low[1:], -1) + np.diag(high[:-1], 1)
        return [warmth.astype(f64) @ xp.asarray(np.linalg.inv(matrix).T)]

    slow, cured = (
        launch(t, FILE, "permafrost_sweep", columns // 128, 128, (a, device_law, b, *(i32(k) for k in sizes)))
        for a, b, sizes in (
            (warmth, after, (levels, 1, levels, columns)),
            (turned, after_turned, (levels, columns, 1, columns)),
        )
    )
    outs = {"slow": lambda: after, "cured": lambda: after_turned.T}
    return Pair(slow, cured, lambda w: (outs[w](),), ref, 1e-4, zero(after, after_turned))


@case
def furnace_exchange(t: Tools) -> Pair:
    xp, n, hot, some = t.xp, t.size(SMS * 1024, 512), t.size(1024, 256), 256

    def patches(many: int, floor: float) -> Any:
        place, facing = (t.rng.random((many, 4), dtype=f32) for _ in range(2))
        place[:, 2] = f32(0.2) * place[:, 2] + f32(floor)
        facing[:, :3] -= f32(0.5)
        facing[:, 2] = f32(0.3 if floor == 0 else -0.3)
        facing[:, :3] /= xp.sqrt((facing[:, :3] ** 2).sum(axis=1))[:, None]
        return place, facing

    place, facing = patches(n, 0.0)
    hot_place, hot_facing = patches(hot, 0.8)
    heat = xp.zeros(n, f32)

    def ref() -> Any:
        p, f, q, g = (t.host(a).astype(f64) for a in (place[:some], facing[:some], hot_place, hot_facing))
        d = q[None, :, :3] - p[:, None, :3]
        far = (d * d).sum(axis=2) + 1e-6
        here = np.maximum((d * f[:, None, :3]).sum(axis=2), 0)
        there = np.maximum(-(d * g[None, :, :3]).sum(axis=2), 0)
        return [p[:, 3] * (here * there / (np.pi * far * far) * q[:, 3] * g[:, 3]).sum(axis=1)]

    args, grid = (place, facing, hot_place, hot_facing, heat, i32(hot), i32(n)), n // 256
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("furnace_exchange", "furnace_exchange_b"))
    return Pair(slow, cured, lambda _: (heat[:some], heat), ref, 1e-3)


@case
def survey_lens(t: Tools) -> Pair:
    xp, n, steps = t.xp, t.size(1 << 23, 1 << 12), 8
    seen = f32(1.2) * t.rng.random((n, 2), dtype=f32) - f32(0.6)
    straight, some = xp.zeros((n, 2), f32), t.size(1 << 16, 1 << 10)

    def ref() -> Any:
        p = t.host(seen[:some]).astype(f64)
        x, y = p[:, 0], p[:, 1]
        for _ in range(steps):
            r = x * x + y * y
            by, cross = 1 / (1 + 0.12 * r - 0.05 * r**2 + 0.02 * r**3), 0.002 * x * y
            dx, dy = (cross + 0.001 * (r + 2 * k * k) for k in (x, y))
            x, y = (p[:, 0] - dx) * by, (p[:, 1] - dy) * by
        return [np.stack([x, y], axis=1)]

    args, grid = (seen, straight, i32(steps), i32(n)), n // 256
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("survey_lens", "survey_lens_b"))
    return Pair(slow, cured, lambda _: (straight[:some], straight), ref, 1e-4)
