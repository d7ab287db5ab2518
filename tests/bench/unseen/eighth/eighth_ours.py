"""The pairs whose kernels are in harbors.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add


# ---- weather
@case
def smooth_field(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(8192, 256), t.size(8192, 32)
    bell = np.exp(-(((np.arange(33) - 16) / 8.0) ** 2)).astype(f32)
    bell /= bell.sum()
    t.constant("harbors", "bell", xp.asarray(bell))
    field, smooth = t.rng.random((height + 32, width), dtype=f32), xp.zeros((height, width), f32)

    def ref() -> Any:
        want = xp.zeros((height, width), f32)
        for k in range(33):
            want += bell[k] * field[k : k + height]
        return [want]

    args = (field, smooth, i32(width))
    slow = launch(t, "harbors", "smooth_field", (width // 256, height), (256, 1), args)
    cured = launch(t, "harbors", "smooth_field", (width // 32, height // 32), (32, 32), args)
    return Pair(slow, cured, lambda _: (smooth,), ref, 1e-5)


@case
def column_heights(t: Tools) -> Pair:
    xp, columns, levels = t.xp, t.size(1 << 18, 1 << 9), 64
    given = [
        t.rng.random((columns, levels), dtype=f32) * f32(w) + f32(o) for w, o in ((60, 230), (0.02, 0), (0.04, 0.02))
    ]
    turned = [xp.ascontiguousarray(g.T) for g in given]
    height, height_turned = xp.zeros((columns, levels), f32), xp.zeros((levels, columns), f32)

    def ref() -> Any:
        warm, damp, step = (g.astype(np.float64) for g in given)
        return [(29.27 * warm * (1 + 0.608 * damp) * step).cumsum(axis=1)]

    slow, cured = (
        launch(t, "harbors", "column_heights", columns // 256, 256, (*a, z, i32(columns), i32(levels), i32(p), i32(q)))
        for a, z, p, q in ((given, height, levels, 1), (turned, height_turned, 1, columns))
    )
    return Pair(slow, cured, lambda w: [height if w == "slow" else height_turned.T], ref, 1e-5)


@case
def cloud_light(t: Tools) -> Pair:
    xp, blocks, tiles = t.xp, t.size(SMS * 2, 2), t.size(128, 4)
    count = xp.ones((blocks, tiles, 32), i64)
    count[xp.arange(blocks)[:, None], xp.arange(tiles)[None, :], t.rng.integers(0, 32, (blocks, tiles))] = 192
    count = xp.ascontiguousarray(count.transpose(0, 2, 1)).reshape(-1)  # by warp, then by tile
    first = xp.zeros(len(count) + 1, i32)
    first[1:] = count.cumsum()
    total = blocks * tiles * (192 + 31)
    layer = t.rng.random((total, 2), dtype=f32) * f32(0.05) + xp.asarray([0.95, 0.0], dtype=f32)
    band, light = t.rng.random(blocks * 1024, dtype=f32), xp.zeros(blocks * 1024, f32)

    def ref() -> Any:
        # each block has one long tile at a time: step by step over the layers of all warps, those that have
        # ended stand still
        begin, end = (first[k::tiles][: blocks * 32] for k in (0, tiles))
        x = band.reshape(-1, 32).astype(np.float64)
        now, longest = xp.ones_like(x), int((end - begin).max())
        for k in range(longest):
            at, on = xp.minimum(begin + k, end - 1), (begin + k < end)[:, None]
            f = layer[at].astype(np.float64)
            new = now * f[:, :1] + f[:, 1:] * x
            now = xp.where(on, new - 0.01 * new * new, now)
        return [now.reshape(-1)]

    args = (first, layer, band, light, i32(tiles))
    return both(t, "harbors", "cloud_light", (blocks, blocks), (1024, 1024), args, light, ref=ref, near=1e-4)


@case
def wind_roses(t: Tools) -> Pair:
    xp, stations, hours = t.xp, t.size(1 << 18, 1 << 9), t.size(256, 8)
    report, rose = t.uint32((hours, stations), 1 << 14), xp.zeros((16, stations), xp.uint32)

    def ref() -> Any:
        way, speed = report & xp.uint32(15), report >> xp.uint32(4)
        return [xp.stack([xp.where(way == d, speed, xp.uint32(0)).sum(axis=0, dtype=i64) for d in range(16)])]

    args, grids = (report, rose, i32(hours), i32(stations)), (stations // 256,) * 2
    return both(t, "harbors", "wind_roses", grids, (256, 256), args, rose, ref=ref)


# ---- finance
@case
def tree_prices(t: Tools) -> Pair:
    xp, n = t.xp, t.size(SMS * 6 * 128, 256)
    spot = t.rng.random(n, dtype=f32) * f32(40) + f32(80)
    strike, price = t.rng.random(n, dtype=f32) * f32(40) + f32(80), xp.zeros(n, f32)
    up, rate = 1.03, 0.0005
    chance = (np.exp(rate) - 1 / up) / (up - 1 / up)
    rise, fall = np.exp(-rate) * chance, np.exp(-rate) * (1 - chance)

    def ref() -> Any:
        s, k = spot.astype(np.float64)[:, None], strike.astype(np.float64)[:, None]
        v = xp.maximum(k - s * up ** (2.0 * xp.arange(64) - 63), 0)
        for m in range(62, -1, -1):
            now = k - s * up ** (2.0 * xp.arange(m + 1) - m)
            v = xp.maximum(rise * v[:, 1:] + fall * v[:, :-1], now)
        return [v[:, 0]]

    slow, cured = (
        launch(
            t,
            "harbors",
            "tree_prices",
            n // 128,
            128,
            (spot, strike, price, f32(up), f32(rise), f32(fall), i32(p)),
            512 * p,
        )
        for p in (64, 65)
    )
    return Pair(slow, cured, lambda _: (price,), ref, 1e-3)


@case
def scenario_values(t: Tools) -> Pair:
    xp, scenarios = t.xp, t.size(8192, 4)
    bond = t.rng.random((128, 2), dtype=f32) * xp.asarray([0.02, 0.02], dtype=f32) + xp.asarray([0.01, 0.0], dtype=f32)
    shift = (t.rng.random(scenarios, dtype=f32) - f32(0.5)) * f32(0.02)
    holding, value = t.rng.random((128, 256), dtype=f32), xp.zeros((scenarios, 256), f32)

    def ref() -> Any:
        y = bond[None, :, 0].astype(np.float64) + shift[:, None].astype(np.float64)
        v, price = 1 - y + y**2 - y**3, xp.ones(y.shape)
        for _ in range(40):
            price = price * v + bond[None, :, 1]
        return [price @ holding.astype(np.float64)]

    args, grids = (bond, shift, holding, value), (scenarios, scenarios)
    return both(t, "harbors", "scenario_values", grids, (256, 256), args, value, ref=ref, near=1e-4)


# ---- chemistry
@case
def react_cells(t: Tools) -> Pair:
    xp, n, steps, dt = t.xp, t.size(1 << 24, 1 << 12), t.size(16, 4), 0.02
    start = [t.rng.random(n, dtype=f32) + f32(0.5), t.rng.random(n, dtype=f32) + f32(1)]
    a, b = (xp.zeros(n, f32) for _ in range(2))

    def reset() -> None:
        a[...], b[...] = start[0], start[1]

    def ref() -> Any:
        x, y = (s.astype(np.float64) for s in start)
        for _ in range(steps):
            r = x * x * y
            x, y = x + dt * (1 - 2.7 * x + r), y + dt * (1.7 * x - r)
        return [x, y]

    args, grids = (a, b, f32(dt), i32(steps), i32(n // 4)), (t.size(SMS * 8, 2),) * 2
    return both(t, "harbors", "react_cells", grids, (256, 256), args, (a, b), ref=ref, near=1e-4, reset=reset)


@case
def bond_energies(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 25, 1 << 12)
    kinds = t.rng.random((3, 256), dtype=f32) * xp.asarray([[400], [1], [-200]], dtype=f32) + xp.asarray(
        [[200], [1], [0]], dtype=f32
    )
    t.constant("harbors", "bond_kinds", kinds)
    kind, energy = t.rng.integers(0, 256, n, dtype=i32), xp.zeros(n, f32)
    length = kinds[1][kind] + (t.rng.random(n, dtype=f32) - f32(0.5)) * f32(0.5)

    def ref() -> Any:
        k = kinds.astype(np.float64)
        off = length - k[1][kind]
        return [off**2 * (k[0][kind] + k[2][kind] * off)]

    grid = t.size(SMS * 8, 2)
    slow = launch(t, "harbors", "bond_energies", grid, 256, (kind, length, energy, i32(n)))
    cured = launch(t, "harbors", "bond_energies_b", grid, 256, (kinds, kind, length, energy, i32(n)))
    return Pair(slow, cured, lambda _: (energy,), ref, 1e-4)


@case
def rate_sums(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    temperature, rate = t.rng.random(n, dtype=f32) * f32(1500) + f32(300), xp.zeros(n, f32)
    draw = np.random.default_rng(8)
    reaction = np.stack([draw.uniform(0.5, 2, 32), draw.uniform(-1, 2, 32), draw.uniform(5e3, 5e4, 32)]).astype(f32)
    t.constant("harbors", "reaction", xp.asarray(reaction))

    def ref() -> Any:
        warm, want = temperature.astype(np.float64), xp.zeros(n)
        for factor, power, energy in reaction.T.astype(np.float64):
            want += factor * (warm / 298.15) ** power * xp.exp(-energy / (8.314 * warm))
        return [want]

    args, grids = (temperature, rate, i32(n)), (n // 256, n // 256)
    return both(t, "harbors", "rate_sums", grids, (256, 256), args, rate, ref=ref, near=1e-3)


# ---- astronomy
@case
def drift_stars(t: Tools) -> Pair:
    xp, n, longest, dt = t.xp, t.size(1 << 21, 1 << 9), t.size(768, 24), 0.03
    star = (t.rng.random((n, 4), dtype=f32) - f32(0.5)) * f32(0.3)
    drawn = -xp.log(1 - t.rng.random(n)) * (longest / 6)
    steps = xp.clip(drawn, 1, longest).astype(i32)
    order = xp.argsort(-steps)
    back = xp.argsort(order)
    sorted_star, sorted_steps = xp.ascontiguousarray(star[order]), steps[order]
    moved, sorted_moved = xp.zeros((n, 4), f32), xp.zeros((n, 4), f32)

    def ref() -> Any:
        x, y, u, v = (sorted_star[:, k].astype(np.float64) for k in range(4))
        left = t.host(sorted_steps)
        for k in range(int(left[0])):
            m = int(np.searchsorted(-left, -k))  # as many have more than k steps
            p, q = x[:m], y[:m]
            u[:m] -= dt * (p + 2 * p * q)
            v[:m] -= dt * (q + p * p - q * q)
            x[:m] += dt * u[:m]
            y[:m] += dt * v[:m]
        return [xp.stack([x, y, u, v], axis=1)[back]]

    slow, cured = (
        launch(t, "harbors", "drift_stars", n // 256, 256, (a, s, b, f32(dt), i32(n)))
        for a, s, b in ((star, steps, moved), (sorted_star, sorted_steps, sorted_moved))
    )
    outs = lambda w: [moved if w == "slow" else sorted_moved[back]]  # noqa: E731
    return Pair(slow, cured, outs, ref, 1e-3, zero(moved, sorted_moved))


@case
def sky_picture(t: Tools) -> Pair:
    xp, side = t.xp, t.size(512, 32)
    baseline = (t.rng.random((32, 2), dtype=f32) - f32(0.5)) * f32(40)
    visibility = t.rng.random((32, 64, 2), dtype=f32) - f32(0.5)
    picture = xp.zeros(side * side, f32)

    def ref() -> Any:
        i, want = xp.arange(side * side), xp.zeros(side * side)
        x, y, vis, uv = (i % side) / side - 0.5, (i // side) / side - 0.5, t.host(visibility), t.host(baseline)
        for b in range(32):
            first = float(uv[b, 0]) * x + float(uv[b, 1]) * y
            for c in range(64):
                phase = first * (1 + 0.01 * c)
                want += float(vis[b, c, 0]) * xp.cos(phase) - float(vis[b, c, 1]) * xp.sin(phase)
        return [want]

    args, grids = (baseline, visibility, picture, i32(side)), (side * side // 256,) * 2
    return both(t, "harbors", "sky_picture", grids, (256, 256), args, picture, ref=ref, near=1e-3)


@case
def band_energies(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 26, 1 << 13)
    band, energy = t.rng.integers(0, 40, n, dtype=i32), t.rng.integers(0, 1024, n, dtype=i32)
    photon = (energy << 4 | xp.where(band < 16, band, 5)).astype(xp.uint32)
    del band, energy
    total = xp.zeros(16, xp.uint64)

    def ref() -> Any:
        which, light = photon & xp.uint32(15), photon >> xp.uint32(4)
        return [xp.stack([xp.where(which == k, light, xp.uint32(0)).sum(dtype=i64) for k in range(16)])]

    args, grids = (photon, total, i32(n // 4)), (t.size(SMS * 8, 2),) * 2
    return both(t, "harbors", "band_energies", grids, (256, 256), args, total, ref=ref, reset=zero(total))


# ---- physics
@case
def swing_springs(t: Tools) -> Pair:
    xp, blocks, steps, dt, damp = t.xp, t.size(SMS, 2), t.size(8192, 64), 0.002, 0.9996
    n = blocks * 512
    start, push = t.rng.random(n, dtype=f32) * f32(2) - f32(1), t.rng.random(n, dtype=f32)
    place = xp.zeros(n, f32)

    def ref() -> Any:
        x, v = start.astype(np.float64), xp.zeros(n)
        for _ in range(steps):
            v = v * float(f32(damp)) + float(f32(dt)) * (push - x * (1 + x * x))
            x = x + float(f32(dt)) * v
        return [x]

    args, grids = (start, push, place, f32(dt), f32(damp), i32(steps)), (blocks, blocks)
    return both(t, "harbors", "swing_springs", grids, (128, 128), args, place, ref=ref, near=1e-3)


@case
def site_energies(t: Tools) -> Pair:
    xp, nx, ny, nz = t.xp, 256, t.size(500, 5), t.size(480, 3)
    site, energy = t.rng.random((nz, ny, nx), dtype=f32) - f32(0.5), xp.zeros((nz, ny, nx), f32)

    def ref() -> Any:
        total = xp.zeros((nz, ny, nx), f32)
        for axis in range(3):
            total += xp.roll(site, 1, axis)
            total += xp.roll(site, -1, axis)
        return [-site * total]

    slow = launch(t, "harbors", "site_energies", nx * ny * nz // 256, 256, (site, energy, i64(nx), i64(ny), i64(nz)))
    cured = launch(t, "harbors", "site_energies_b", (1, ny, nz), 256, (site, energy, i32(nx), i32(ny), i32(nz)))
    return Pair(slow, cured, lambda _: (energy,), ref, 1e-5)
