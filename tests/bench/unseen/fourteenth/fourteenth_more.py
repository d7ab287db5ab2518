"""The pairs whose kernels are in workshops.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
f64, u8, u32, u64 = np.float64, np.uint8, np.uint32, np.uint64
FILE = "workshops"


# ---- fluids, ions, secrets and sounds
@case
def pipe_lattice(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(2048, 256), t.size(2048, 4)
    cells, rate, push = width * height, f32(0.8), f32(0.01)
    weight = xp.asarray([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, f32)
    planes = weight[:, None] * (f32(0.9) + f32(0.2) * t.rng.random((9, cells), dtype=f32))
    points = xp.ascontiguousarray(planes.T)
    to, to_planes = xp.zeros((cells, 9), f32), xp.zeros((9, cells), f32)

    def ref() -> Any:
        cx, cy = (0, 1, 0, -1, 0, 1, -1, -1, 1), (0, 0, 1, 0, -1, 1, 1, -1, -1)
        grid = planes.reshape(9, height, width)
        f = [xp.roll(grid[q], (cy[q], cx[q]), (0, 1)) for q in range(9)]
        rho = sum(f)
        u = sum(cx[q] * f[q] for q in range(9)) / rho + push
        v = sum(cy[q] * f[q] for q in range(9)) / rho
        want = xp.empty((9, cells), f32)
        for q in range(9):
            cu = cx[q] * u + cy[q] * v
            rest = weight[q] * rho * (1 + 3 * cu + f32(4.5) * cu * cu - f32(1.5) * (u * u + v * v))
            want[q] = (f[q] + rate * (rest - f[q])).reshape(-1)
        return [want]

    grid, more = (-(-width // 256), height), (rate, push, i32(width), i32(height))
    slow = launch(t, FILE, "pipe_lattice", grid, 256, (points, to, *more))
    cured = launch(t, FILE, "pipe_lattice_b", grid, 256, (planes, to_planes, *more))
    return Pair(slow, cured, lambda w: [to.T if w == "slow" else to_planes], ref, 1e-4, zero(to, to_planes))


@case
def salt_drops(t: Tools) -> Pair:
    xp, drops, cutoff = t.xp, t.size(SMS * 8, 2), f32(1)
    place = xp.arange(256, dtype=i32)
    lattice = xp.stack([place % 8, place // 8 % 8, place // 64, place % 2], axis=1).astype(f32)
    lattice[:, :3] *= f32(0.55)
    lattice[:, 3] = f32(2) * lattice[:, 3] - f32(1)
    order = xp.argsort(t.rng.random((drops, 256), dtype=f32), axis=1)
    ions = xp.ascontiguousarray(lattice[order])
    ions[:, :, :3] += f32(0.16) * t.rng.random((drops, 256, 3), dtype=f32)
    force = xp.zeros((drops, 256, 3), f32)
    args = (ions, force, cutoff)
    return both(t, FILE, "salt_drops", (drops, drops), (256, 256), args, force, near=1e-4)


@case
def share_secrets(t: Tools) -> Pair:
    xp, n, people, prime = t.xp, t.size(1 << 19, 1 << 9), 8, 2147483647
    parts = t.rng.integers(0, prime, (16, n), dtype=i32).view(u32)
    shares = xp.zeros((people, n), u32)

    def ref() -> Any:
        want = xp.empty((people, n), u32)
        for person in range(1, people + 1):
            share = parts[15].astype(u64)
            for k in range(14, -1, -1):
                share = (share * u64(person) + parts[k].astype(u64)) % u64(prime)
            want[person - 1] = share.astype(u32)
        return [want]

    more = (i32(people), i32(n))
    slow = launch(t, FILE, "share_secrets", n // 256, 256, (parts, shares, u64(prime), *more))
    over = u64((1 << 64) // prime)
    cured = launch(t, FILE, "share_secrets_b", n // 256, 256, (parts, shares, u64(prime), over, *more))
    return Pair(slow, cured, lambda _: [shares], ref)


@case
def codebook_sums(t: Tools) -> Pair:
    xp, centres, each, parts = t.xp, t.size(24, 3), t.size(1 << 16, 1 << 8), t.size(44, 2)
    sizes = t.rng.integers(each - each // 8, each + each // 8, centres, dtype=i32)
    start = xp.zeros(centres + 1, i32)
    start[1:] = xp.cumsum(sizes)
    vectors = t.rng.random((int(start[-1]), 32), dtype=f32)
    sums = xp.zeros((centres, 32), f32)

    def ref() -> Any:
        at = [int(s) for s in start]
        return [xp.stack([vectors[at[c] : at[c + 1]].sum(axis=0, dtype=f64) for c in range(centres)])]

    args, grids = (vectors, start, sums), (centres, (parts, centres))
    return both(t, FILE, "codebook_sums", grids, (256, 256), args, sums, ref=ref, near=1e-4, reset=zero(sums))


# ---- codes, shields, tanks and streets
@case
def symbol_counts(t: Tools) -> Pair:
    xp, pages, each = t.xp, t.size(SMS * 52, 4), 1024
    residues = t.rng.standard_normal((pages, each * 16), dtype=f32) * f32(4) + f32(32)
    symbols = xp.clip(residues, 0, 63).astype(u8)
    words, counts = symbols.view(u32), xp.zeros((pages, 64), i32)

    def ref() -> Any:
        return [xp.stack([(symbols == s).sum(axis=1).astype(i32) for s in range(64)], axis=1)]

    args = (words, counts, i32(each))
    return both(t, FILE, "symbol_counts", (pages, pages), (64, 64), args, counts, ref=ref)


@case
def shield_doses(t: Tools) -> Pair:
    xp, n, blocks = t.xp, t.size(1 << 21, 1 << 10), t.size(SMS * 8, 2)
    seeds, dose = t.uint32(n, 2147483647), xp.zeros(256, u32)
    args = (seeds, dose, f32(2), f32(0.8), i32(16), i32(n))
    return both(t, FILE, "shield_doses", (blocks, blocks), (256, 256), args, dose, near=1e-4, reset=zero(dose))


@case
def slosh_pressure(t: Tools) -> Pair:
    xp, n, rest, c0 = t.xp, t.size(1 << 24, 1 << 10), f32(1000), f32(30)
    density = f32(950) + f32(100) * t.rng.random(n, dtype=f32)
    pressure, sound = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        ratio = density.astype(f64) / 1000
        return [30.0 * 30.0 * 1000 / 7 * (ratio**7 - 1), 30 * ratio**3]

    args, out = (density, pressure, sound, rest, c0, i32(n)), (pressure, sound)
    return both(t, FILE, "slosh_pressure", (n // 256, n // 256), (256, 256), args, out, ref=ref, near=1e-4)


@case
def empty_street(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    shots, street = t.rng.random((15, n), dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        return [xp.sort(shots, axis=0)[7]]

    slow = launch(t, FILE, "empty_street", n // 256, 256, (shots, street, i32(15), i32(n)))
    cured = launch(t, FILE, "empty_street_b", n // 256, 256, (shots, street, i32(n)))
    return Pair(slow, cured, lambda _: [street], ref)


# ---- reservoirs, fabrics, masts and fires
@case
def reservoir_patches(t: Tools) -> Pair:
    xp, patches, sweeps = t.xp, t.size(SMS * 64, 16), 8
    west, south = (f32(0.4) * t.rng.random((patches, 16, 16), dtype=f32) for _ in range(2))
    inverse = f32(0.5) + f32(0.3) * t.rng.random((patches, 16, 16), dtype=f32)
    right, flow = t.rng.random((patches, 16, 16), dtype=f32), xp.zeros((patches, 16, 16), f32)

    def ref() -> Any:
        value = xp.zeros((patches, 18, 18))
        value[:, 1:17, 1:17] = right
        for _ in range(sweeps):
            for d, cells in ((-1, range(16)), (1, range(15, -1, -1))):
                for y in cells:
                    for x in cells:
                        beside = (
                            west[:, y, x] * value[:, y + 1, x + 1 + d] + south[:, y, x] * value[:, y + 1 + d, x + 1]
                        )
                        value[:, y + 1, x + 1] = (value[:, y + 1, x + 1] - beside) * inverse[:, y, x]
            value[:, 1:17, 1:17] += right
        return [xp.ascontiguousarray(value[:, 1:17, 1:17])]

    args, grids = (west, south, inverse, flow, right, i32(sweeps)), (patches, patches // 8)
    return both(t, FILE, "reservoir_patches", grids, (256, 128), args, flow, ref=ref, near=1e-4)


@case
def fabric_net(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 19, 1 << 10)
    weights = f32(0.5) * t.rng.random((2, 40, 40), dtype=f32) - f32(0.22)
    last = t.rng.random(40, dtype=f32)
    inputs, light = t.rng.random((40, n), dtype=f32), xp.zeros(n, f32)
    t.constant(FILE, "fabric_weights", weights)
    t.constant(FILE, "fabric_last", last)

    def ref() -> Any:
        hidden = inputs
        for layer in range(2):
            hidden = xp.maximum(weights[layer].T.astype(f64) @ hidden.astype(f64), 0)
        return [last.astype(f64) @ hidden]

    args = (inputs, light, i32(n))
    return both(t, FILE, "fabric_net", (n // 256, n // 256), (256, 256), args, light, ref=ref, near=1e-4)


@case
def mast_channels(t: Tools) -> Pair:
    """One mast in 16,384 is on a high mountain and sees 16,384 others, all others see 12."""
    xp, masts, many = t.xp, t.size(1 << 19, 1 << 9), t.size(16384, 64)
    sizes = xp.full(masts, 12, i32)
    sizes[masts // 8 :: t.size(16384, 256)] = many
    start = xp.zeros(masts + 1, i32)
    start[1:] = xp.cumsum(sizes)
    edges = int(start[-1])
    source = (xp.searchsorted(start, xp.arange(edges, dtype=i32), side="right") - 1).astype(i32)
    near = t.rng.integers(0, masts, edges, dtype=i32)
    channel, clashes = t.rng.integers(0, 24, masts, dtype=i32), xp.zeros(masts, i32)

    def ref() -> Any:
        hits = source[channel[near] == channel[source]]
        return [xp.bincount(hits, minlength=masts).astype(i32)]

    slow = launch(t, FILE, "mast_channels", masts // 256, 256, (start, near, channel, clashes, i32(masts)))
    args = (source, near, channel, clashes, i32(edges))
    cured = launch(t, FILE, "mast_channels_b", -(-edges // 256), 256, args)
    return Pair(slow, cured, lambda _: [clashes], ref, 0.0, zero(clashes))


@case
def heath_fire(t: Tools) -> Pair:
    xp, pitch, rows = t.xp, t.size(8192, 512), t.size(8192, 8)
    now, after = xp.zeros((rows, pitch), u8), xp.zeros((rows, pitch), u8)
    now[1:-1, 4:-4] = t.rng.integers(0, 6, (rows - 2, pitch - 8), dtype=i32) % 3
    slices = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]

    def ref() -> Any:
        fires = xp.zeros((rows, pitch), u8)
        for r, c in slices:
            fires += xp.roll(now == 2, (r, c), (0, 1)).astype(u8)
        return [xp.where(now == 1, 1 + (fires >= 2), 0).astype(u8)]

    args, wide = (now, after, i32(pitch), i32(rows)), pitch - 8
    grids = ((-(-wide // 256), rows - 2), (-(-wide // 1024), rows - 2))
    return both(t, FILE, "heath_fire", grids, (256, 256), args, after, ref=ref)


# ---- winds and recipes
@case
def cloud_winds(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(2048, 64), t.size(1024, 32)
    change = t.rng.random((3, height + 14, width + 14), dtype=f32) - f32(0.5)
    winds = xp.zeros((2, height, width), f32)

    def ref() -> Any:
        x, y, when = change.astype(f64)
        sums = []
        for a, b in ((x, x), (x, y), (y, y), (x, when), (y, when)):
            rows = sum((a * b)[k : k + height] for k in range(15))
            sums.append(sum(rows[:, k : k + width] for k in range(15)))
        over = 1 / (sums[0] * sums[2] - sums[1] * sums[1] + 1e-3)
        u, v = sums[1] * sums[4] - sums[2] * sums[3], sums[1] * sums[3] - sums[0] * sums[4]
        return [xp.stack([u * over, v * over])]

    grid, args = (-(-width // 32), -(-height // 16)), (change, winds, i32(width), i32(height))
    return both(t, FILE, "cloud_winds", (grid, grid), (512, 512), args, winds, ref=ref, near=1e-3)


@case
def recipe_vectors(t: Tools) -> Pair:
    xp, n, items = t.xp, t.size(1 << 20, 1 << 10), 10000
    item, amount = t.rng.integers(0, items, n, dtype=i32), t.rng.random(n, dtype=f32)
    table, vectors = t.rng.random((items, 32), dtype=f32), xp.zeros((n, 32), f32)

    def ref() -> Any:
        return [table[item] * amount[:, None]]

    args = (item, amount, table, vectors, i32(n))
    return same(t, FILE, "recipe_vectors", (n, n // 8), (32, 256), args, vectors, ref=ref)
