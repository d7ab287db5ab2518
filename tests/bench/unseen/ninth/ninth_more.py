"""The pairs whose kernels are in archives.cu: inputs, grids and references."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, same

CASES = Cases()
case = CASES.add


# ---- checksums, frames, sparse rows, particles, lorries, samples
@case
def adler_pages(t: Tools) -> Pair:
    xp, pages, words = t.xp, t.size(1 << 20, 1 << 9), 64
    text, total = t.uint32((words, pages), (1 << 31) - 1), xp.zeros(pages, xp.uint32)

    def ref() -> Any:
        first, place, size = xp.ones(pages, i64), xp.full(pages, 4 * words, i64), 4 * words
        for k in range(words):
            for j in range(4):
                byte = (text[k] >> xp.uint32(8 * j) & xp.uint32(255)).astype(i64)
                first += byte
                place += byte * (size - 4 * k - j)
        return [(place % 65521 << 16 | first % 65521).astype(xp.uint32)]

    args, grid = (text, total, i32(words), i32(pages)), pages // 256
    return both(t, "archives", "adler_pages", (grid, grid), (256, 256), args, total, ref=ref)


@case
def frame_change(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 27, 1 << 14)
    now, before = (xp.tile(t.rng.integers(0, 256, n // 64, dtype=i32).astype(xp.uint8), 64) for _ in range(2))
    before, change = xp.roll(before, n // 3), xp.zeros(n, xp.uint8)

    def ref() -> Any:
        return [xp.maximum(now, before) - xp.minimum(now, before)]

    args, grids = (now, before, change, i32(n)), (n // 256, n // 4096)
    return both(t, "archives", "frame_change", grids, (256, 256), args, change, ref=ref)


@case
def ell_product(t: Tools) -> Pair:
    xp, rows, width = t.xp, t.size(1 << 20, 1 << 9), 32
    x, y = t.rng.random(rows, dtype=f32), xp.zeros(rows, f32)
    entry = t.rng.random((rows, width), dtype=f32)
    shift = (xp.arange(width) - 16) * 64
    column = ((xp.arange(rows)[:, None] + shift + t.rng.integers(0, 8, (rows, width), dtype=i32)) % rows).astype(i32)
    turned = [xp.ascontiguousarray(a.T) for a in (column, entry)]

    def ref() -> Any:
        want = xp.zeros(rows)
        for k in range(width):
            want += entry[:, k].astype(np.float64) * x[column[:, k]]
        return [want]

    slow, cured = (
        launch(t, "archives", name, rows // 256, 256, (c, e, x, y, i32(width), i32(rows)))
        for name, c, e in (("ell_product", column, entry), ("ell_product_b", *turned))
    )
    return Pair(slow, cured, lambda _: (y,), ref, 1e-5)


@case
def boris_push(t: Tools) -> Pair:
    xp, n, steps, dt = t.xp, t.size(1 << 22, 1 << 9), 16, f32(0.1)
    u, pushed = t.rng.random((3, n), dtype=f32) * f32(4) - f32(2), xp.zeros((3, n), f32)
    field = xp.asarray([0.3, -0.2, 0.1, 0.5, 0.8, -1.2], dtype=f32)

    def ref() -> Any:
        kick, turn = (0.5 * float(dt) * part.astype(np.float64)[:, None] for part in (field[:3], field[3:]))
        v = u.astype(np.float64)
        for _ in range(steps):
            v = v + kick
            angle = turn / xp.sqrt(1 + (v * v).sum(axis=0))
            half = v + xp.cross(v, angle, axis=0)
            v = v + 2 / (1 + (angle * angle).sum(axis=0)) * xp.cross(half, angle, axis=0) + kick
        return [v]

    args, grid = (u, pushed, field, dt, i32(steps), i32(n)), n // 256
    return both(t, "archives", "boris_push", (grid, grid), (256, 256), args, pushed, ref=ref, near=1e-4)


@case
def fill_lorries(t: Tools) -> Pair:
    xp, lorries, parcels = t.xp, t.size(SMS * 1024, 512), 256
    weight = t.uint32((parcels, lorries), 100) + xp.uint32(1)
    room = t.uint32(lorries, 1000) + xp.uint32(11000)
    taken, spare = xp.zeros(lorries, xp.uint32), xp.zeros(lorries, xp.uint32)

    def ref() -> Any:
        filled = weight.astype(i64).cumsum(axis=0)
        count = (filled <= room).sum(axis=0)
        before = xp.concatenate([xp.zeros((1, lorries), i64), filled])[count, xp.arange(lorries)]
        return [count, room - before]

    args, grid = (weight, room, taken, spare, i32(parcels), i32(lorries)), lorries // 256
    return both(t, "archives", "fill_lorries", (grid, grid), (256, 256), args, (taken, spare), ref=ref)


@case
def undo_rows(t: Tools) -> Pair:
    xp, blocks = t.xp, t.size(1 << 15, 16)
    difference, sample = t.rng.integers(-512, 512, (blocks, 32, 32), dtype=i32), xp.zeros((blocks, 32, 32), i32)

    def ref() -> Any:
        return [(difference.cumsum(axis=2) + 512) & 1023]

    slow, cured = (
        launch(t, "archives", "undo_rows", blocks // 8, 256, (difference, sample, i32(pitch)), 8 * 32 * 33 * 4)
        for pitch in (32, 33)
    )
    return Pair(slow, cured, lambda _: (sample,), ref)


# ---- ions, tours, records, shells, coefficients, sites, heat, leaves
@case
def collide_ions(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 12)
    energy, chance = t.rng.random(n, dtype=f32) * f32(4) + f32(1), t.rng.random(n, dtype=f32)
    kind, after, sorted_after = t.rng.integers(0, 8, n, dtype=i32), xp.zeros(n, f32), xp.zeros(n, f32)
    order = xp.argsort(kind)
    back = xp.argsort(order)

    def ref() -> Any:
        e, c = energy.astype(np.float64), chance.astype(np.float64)
        if t.dry:
            erf = np.vectorize(math.erf)
        else:
            from cupyx.scipy.special import erf
        ways = (
            lambda e, c, k: e * xp.exp(-0.01 * c * xp.sqrt(e)) + 0.02,
            lambda e, c, k: e - 0.05 * c * xp.log(1 + e),
            lambda e, c, k: e * (1 - 0.03 * xp.cos(np.pi * (c + 0.1 * k))) + 0.01 * e / (1 + e),
            lambda e, c, k: xp.sqrt(e * e + 0.1 * c * e) - 0.02 / (0.5 + e),
            lambda e, c, k: e + 0.1 * xp.tanh(c - 0.2 * e),
            lambda e, c, k: 0.9 * e + 0.3 * xp.exp(-e) * xp.log(2 + c),
            lambda e, c, k: e - 0.02 * xp.arctan(e * c) + 0.01 * xp.sin(np.pi * e),
            lambda e, c, k: e * (1 - 0.02 * erf(c * e)) + 0.005 * xp.log1p(e),
        )
        for which, way in enumerate(ways):
            at = xp.nonzero(kind == which)[0]
            some, luck = e[at], c[at]
            for k in range(12):
                some = way(some, luck, k)
            e[at] = some
        return [e]

    grouped = tuple(a[order] for a in (energy, chance, kind))
    slow = launch(t, "archives", "collide_ions", n // 256, 256, (energy, chance, kind, after, i32(n)))
    cured = launch(t, "archives", "collide_ions", n // 256, 256, (*grouped, sorted_after, i32(n)))
    return Pair(slow, cured, lambda w: [after if w == "slow" else sorted_after[back]], ref, 1e-4)


@case
def tour_savings(t: Tools) -> Pair:
    xp, blocks = t.xp, t.size(SMS, 2)
    n = blocks * 256
    stop, saving = t.rng.random((n, 4), dtype=f32) * f32(100), xp.zeros(n, f32)
    stop[:, 2] = xp.hypot(stop[:, 0] - f32(50), stop[:, 1] - f32(50))

    def ref() -> Any:
        x, y, d = stop.T[:3].astype(np.float64)
        want, number = xp.zeros(n), xp.arange(n)
        for first in range(0, n, 512):
            own = slice(first, first + 512)
            saved = d[own, None] + d - xp.sqrt((x[own, None] - x) ** 2 + (y[own, None] - y) ** 2)
            want[own] = xp.where(number > number[own, None], saved, 0).max(axis=1)
        return [want]

    args, grids = (stop, saving, i32(n)), (blocks, blocks)
    return both(t, "archives", "tour_savings", grids, (1024, 1024), args, saving, ref=ref, near=1e-4)


@case
def blake_records(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 9)
    record, digest = t.uint32((16, 2 * n), (1 << 31) - 1).view(xp.uint64), xp.zeros((8, n), xp.uint64)

    def ref() -> Any:
        rows = np.ascontiguousarray(t.host(record).T).tobytes()
        text = b"".join(hashlib.blake2b(rows[k : k + 128]).digest() for k in range(0, 128 * n, 128))
        return [np.ascontiguousarray(np.frombuffer(text, np.uint64).reshape(n, 8).T)]

    args, grid = (record, digest, i32(n)), n // 256
    return both(t, "archives", "blake_records", (grid, grid), (256, 256), args, digest, ref=ref)


@case
def shell_counts(t: Tools) -> Pair:
    xp, boxes = t.xp, t.size(SMS * 4, 6)
    n = boxes * 256
    atom, shell = t.rng.integers(0, 1024, (n, 4), dtype=i32), xp.zeros((24, n), i32)

    def ref() -> Any:
        place, want = atom[:, :3].reshape(boxes, 256, 3), xp.zeros((24, boxes, 256), i64)
        for step in range(4):
            other = xp.roll(place, -step, 0)
            for k in range(256):
                square = ((other[:, None, k] - place) ** 2).sum(axis=2) >> 17
                for s in range(24):
                    want[s] += square == s
        return [want.reshape(24, n)]

    args, grids = (atom, shell, i32(n)), (boxes, boxes)
    return both(t, "archives", "shell_counts", grids, (256, 256), args, shell, ref=ref)


@case
def restore_blocks(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 25, 1 << 12)
    level, kind = t.rng.integers(-40, 41, n, dtype=i32), t.rng.integers(0, 2, n // 64, dtype=i32)
    scale, extra = (t.rng.integers(8, 120, 128, dtype=i32) for _ in range(2))
    coefficient = xp.zeros(n, i32)
    t.constant("archives", "scale_list", scale)
    t.constant("archives", "round_list", extra)

    def ref() -> Any:
        rows = level.reshape(-1, 64)
        return [(rows * scale.reshape(2, 64)[kind] + xp.sign(rows) * extra.reshape(2, 64)[kind]).reshape(-1)]

    slow, cured = (
        launch(t, "archives", name, n // 256, 256, (level, kind, *lists, coefficient, i32(n)))
        for name, lists in (("restore_blocks", ()), ("restore_blocks_b", (scale, extra)))
    )
    return Pair(slow, cured, lambda _: (coefficient,), ref)


@case
def site_affinity(t: Tools) -> Pair:
    xp, sites = t.xp, t.size(SMS * 8, 2)
    ligand, site = (t.rng.random((sites * 256, 4), dtype=f32) * xp.asarray([4, 4, 4, 1], dtype=f32) for _ in range(2))
    energy = xp.zeros(sites * 256, f32)

    def ref() -> Any:
        a, b = (v.astype(np.float64).reshape(sites, 256, 4) for v in (ligand, site))
        want = xp.zeros((sites, 256))
        for k in range(256):
            sixth = (((a - b[:, k : k + 1])[:, :, :3] ** 2).sum(axis=2) + 1) ** -3.0
            want += a[:, :, 3] * b[:, k : k + 1, 3] * (sixth * sixth - sixth)
        return [want.reshape(-1)]

    args, grids = (ligand, site, energy), (sites, sites)
    return both(t, "archives", "site_affinity", grids, (256, 256), args, energy, ref=ref, near=1e-4)


@case
def heat_fluid(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(8192, 256), t.size(4096, 64)
    begin = t.rng.random((height, width), dtype=f32)
    temperature = begin.copy()
    draw = np.random.default_rng(9).random((6, 4)) * [width, height, 5, 0]
    rest = np.array([0, 0, 1, 0]) + np.array([0, 0, 0, (0.4 * height) ** -2.0])
    source = xp.asarray(draw + rest, dtype=f32)

    def reset() -> None:
        temperature[...] = begin

    def ref() -> Any:
        want, x, y = begin.astype(np.float64), xp.arange(width), xp.arange(height)[:, None]
        for sx, sy, heat, reach in t.host(source).astype(np.float64).tolist():
            want += heat * xp.maximum(0, 1 - ((x - sx) ** 2 + (y - sy) ** 2) * reach)
        return [want]

    args, grid = (temperature, source, i32(width), i32(height)), t.size(SMS * 4, 8)
    return both(
        t, "archives", "heat_fluid", (grid, grid), (256, 256), args, temperature, ref=ref, near=1e-4, reset=reset
    )


@case
def leaf_summaries(t: Tools) -> Pair:
    xp, leaves = t.xp, t.size(1 << 21, 1 << 8)
    key, summary = t.uint32((leaves, 32), 1 << 26), xp.zeros((leaves, 4), xp.uint32)

    def ref() -> Any:
        sums = key.astype(i64).sum(axis=1)
        return [xp.stack([key.min(axis=1), key.max(axis=1), sums.astype(xp.uint32), xp.zeros(leaves, xp.uint32)], 1)]

    args, grids = (key, summary, i32(leaves)), (leaves, leaves // 8)
    return same(t, "archives", "leaf_summaries", grids, (32, 256), args, summary, ref=ref)
