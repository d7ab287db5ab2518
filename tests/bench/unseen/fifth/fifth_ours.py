"""The pairs whose kernels are in the .cu files here: inputs, grids and references. Votes, bricks and bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add


def both(t: Tools, file: str, name: str, grids: Any, blocks: Any, args: Any, out: Any, **more: Any) -> Pair:
    """NAME and NAME_b with the same arguments; grids, blocks, shared: of each of the two; out: what is compared."""
    outs = out if isinstance(out, tuple) else (out,)
    shared = more.pop("shared", (0, 0))
    wide = blocks if isinstance(blocks, list) else [blocks, blocks]
    slow = launch(t, file, name, grids[0], wide[0], args, shared[0])
    cured = launch(t, file, f"{name}_b", grids[1], wide[1], args, shared[1])
    return Pair(slow, cured, lambda _: outs, **more)


# ---- votes, visits, pools, gauges, pairs of spheres
@case
def hough_votes(t: Tools) -> Pair:
    xp, edges = t.xp, t.size(4096, 4)
    n, along = edges * 1024, xp.arange(1024, dtype=f32) * f32(0.25)
    start = t.rng.random((edges, 1, 2), dtype=f32) * f32(512) + f32(256)
    turn = t.rng.random(edges, dtype=f32) * f32(6.2831853)
    way = xp.stack([xp.cos(turn), xp.sin(turn)], axis=1)
    point = xp.ascontiguousarray((start + along[None, :, None] * way[:, None, :]).astype(f32).reshape(n, 2))
    weight, total = t.uint32(n, 255) + xp.uint32(1), xp.zeros(64 * 256, xp.uint32)
    angle = np.arange(64) * np.pi / 64
    direction = np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(f32)
    t.constant("votes", "direction", xp.asarray(direction))

    def ref() -> Any:
        want = []
        for c, s in direction.astype(float).tolist():
            rho = point[:, 0].astype(np.float64) * c + point[:, 1].astype(np.float64) * s
            at = xp.clip(xp.floor(rho / 12).astype(i64) + 128, 0, 255)
            want.append(xp.bincount(at, weight.astype(np.float64), 256))
        return [xp.concatenate(want)]

    args, more = (point, weight, total, i32(n)), {"ref": ref, "near": 1e-3, "reset": zero(total)}
    grids, shared = (SMS * 3, SMS * 3), (64 * 257 * 4, 64 * 257 * 4)
    return both(t, "votes", "hough_votes", grids, 256, args, total, shared=shared, **more)


@case
def visit_counts(t: Tools) -> Pair:
    xp, n, pages = t.xp, t.size(1 << 24, 1 << 10), 1 << 20
    page, count = t.rng.integers(0, pages, n, dtype=i32), xp.zeros(pages, xp.uint32)
    args, ref = (page, count, i32(n)), lambda: [xp.bincount(page, minlength=pages)]
    grids = (SMS * 8, SMS * 8)
    return both(t, "votes", "visit_counts", grids, 256, args, count, ref=ref, reset=zero(count))


@case
def allot_pages(t: Tools) -> Pair:
    xp, n = t.xp, t.size(4096, 16)
    pages = t.rng.integers(1, 9, n, dtype=i32)
    whole = int(pages.sum())
    pool, start, top, gate = xp.zeros(whole * 2048, xp.uint32), xp.zeros(n, i32), xp.zeros(1, i32), xp.zeros(1, i32)
    args = (pages, pool, start, top, gate)
    slow, cured = (launch(t, "votes", name, n, 128, args) for name in ("allot_pages", "allot_pages_b"))

    def outs(_: str) -> Any:  # the second 16 bytes of each request's first page, the first of its last page
        return pool[start.astype(i64) * 2048 + 4], pool[(start + pages - 1).astype(i64) * 2048], top

    def ref() -> Any:
        first = xp.arange(n, dtype=i64) * 65536 + 1
        return [(first + 1).astype(xp.uint32), (first + (pages - 1) * 512).astype(xp.uint32), xp.asarray([whole], i32)]

    return Pair(slow, cured, outs, ref, reset=zero(start, top, gate))


@case
def gauge_work(t: Tools) -> Pair:
    xp, records = t.xp, t.size(1 << 18, 1 << 6)
    strain, work = t.rng.random((records, 128), dtype=f32), xp.zeros(32 * 32, f32)
    slow, cured = (
        launch(t, "votes", "gauge_work", SMS * 8, 256, (strain, work, i32(records), i32(apart))) for apart in (1, 32)
    )

    def ref() -> Any:
        return [(strain.astype(np.float64) ** 2).sum(axis=1).reshape(-1, 32).sum(axis=0)]

    return Pair(slow, cured, lambda w: [work[:32] if w == "slow" else work[::32]], ref, 1e-4, zero(work))


@case
def narrow_phase(t: Tools) -> Pair:
    xp, n, most, spheres = t.xp, t.size(1 << 21, 1 << 10), t.size(1 << 28, 1 << 12), 1 << 16
    sphere = t.rng.random((spheres, 4), dtype=f32)
    pair, depth = t.rng.integers(0, spheres, (n, 2), dtype=i32), xp.zeros(n, f32)

    def ref() -> Any:
        a, b = (sphere[pair[:, k]].astype(np.float64) for k in range(2))
        far = xp.sqrt(((a[:, :3] - b[:, :3]) ** 2).sum(axis=1))
        return [xp.maximum(a[:, 3] + b[:, 3] - far, 0)]

    args, grids = (pair, xp.full(1, n, i32), sphere, depth), (most // 256, SMS * 8)
    return both(t, "votes", "narrow_phase", grids, 256, args, depth, ref=ref, near=1e-5)


# ---- bricks and chords
@case
def brick_ranges(t: Tools) -> Pair:
    xp, high = t.xp, t.size(16, 1)
    base = t.rng.integers(0, 150, (high, 64, 16), dtype=i32)
    volume = t.rng.integers(0, 100, (high * 16, 512, 512), dtype=i32).astype(xp.uint8)
    volume += base.astype(xp.uint8).repeat(16, axis=0).repeat(8, axis=1).repeat(32, axis=2)
    parts = volume.reshape(high, 16, 64, 8, 16, 32)
    bricks = xp.ascontiguousarray(parts.transpose(0, 2, 4, 1, 3, 5))
    spread = xp.zeros(high * 1024, xp.uint32)

    def ref() -> Any:
        flat = bricks.reshape(high * 1024, 4096)
        return [flat.min(axis=1).astype(xp.uint32) | flat.max(axis=1).astype(xp.uint32) << xp.uint32(8)]

    slow = launch(t, "bricks", "brick_ranges", SMS * 8, 128, (volume, spread, i32(high * 1024)))
    cured = launch(t, "bricks", "brick_ranges_b", SMS * 8, 128, (bricks, spread, i32(high * 1024)))
    return Pair(slow, cured, lambda _: (spread,), ref)


@case
def nearest_chords(t: Tools) -> Pair:
    xp, moments = t.xp, t.size(SMS * 4096, 1 << 10)
    notes, chord = t.rng.random((8, moments), dtype=f32), t.rng.random((2048, 8), dtype=f32)
    nearest = xp.zeros(moments, f32)

    def ref() -> Any:
        want, wide = [], chord.astype(np.float64)
        for first in range(0, moments, 1 << 14):
            some = notes[:, first : first + (1 << 14)].astype(np.float64)
            square = (some**2).sum(axis=0)[:, None] + (wide**2).sum(axis=1)[None, :] - 2 * (some.T @ wide.T)
            want.append(square.min(axis=1))
        return [xp.concatenate(want)]

    args, grids = (notes, chord, nearest, i32(moments)), (moments // 256, moments // 256)
    return both(t, "bricks", "nearest_chords", grids, 256, args, nearest, shared=(0, 65536), ref=ref, near=1e-5)


# ---- forests, joints, cells, headings, curves, accounts
@case
def forest_votes(t: Tools) -> Pair:
    xp, n, rng = t.xp, t.size(1 << 20, 1 << 10), np.random.default_rng(5)
    which, threshold = rng.integers(0, 8, 65536), (rng.random(65536) * 0.6 + 0.2).astype(f32)
    node = xp.asarray(which.astype(np.uint64) | threshold.view(np.uint32).astype(np.uint64) << np.uint64(32))
    feature, score = t.rng.random((8, n), dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        kind, limit, sample, total = xp.asarray(which), xp.asarray(threshold), xp.arange(n), xp.zeros(n)
        for tree in range(64):
            k = xp.ones(n, i64)
            for _ in range(9):
                at = tree * 1024 + k
                k = 2 * k + (feature[kind[at], sample] > limit[at])
            total += limit[tree * 1024 + k]
        return [total]

    args, grids = (node, feature, score, i32(n)), (n // 256, n // 256)
    return both(t, "bodies", "forest_votes", grids, 256, args, score, ref=ref, near=1e-5)


@case
def pose_joints(t: Tools) -> Pair:
    xp, persons = t.xp, t.size(1 << 19, 1 << 8)
    seen, stiffness = t.rng.random((persons, 17, 2), dtype=f32), t.rng.random(17, dtype=f32) + f32(0.5)
    joint = xp.zeros((persons, 17, 2), f32)
    args = (seen, stiffness, joint, i32(persons))

    def ref() -> Any:
        to, pull = seen.astype(np.float64), -0.02 * stiffness.astype(np.float64)[None, :, None]
        x, u = xp.zeros_like(to), xp.zeros_like(to)
        for _ in range(300):
            u = pull * (x - to) + 0.95 * u
            x = x + 0.1 * u
        return [x]

    slow = launch(t, "bodies", "pose_joints", persons, 17, args)
    return Pair(slow, launch(t, "bodies", "pose_joints", -(-persons // 15), 255, args), lambda _: (joint,), ref, 1e-4)


@case
def requantise_cells(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 10)
    parts = [t.rng.integers(low, high, n, dtype=i32) for low, high in ((-100, 101), (-100, 101), (100, 501), (-3, 4))]
    cell, last = xp.stack(parts, axis=1), xp.zeros(n, i32)

    def ref() -> Any:
        weight, given, scale, gain = parts
        state = xp.zeros(n, i32)
        for step in range(1024):
            state = (weight * state + given + step * gain) * scale >> 16
        return [state]

    args, grids = (cell, last, i32(n)), (n // 1024, n // 1024)
    return both(t, "bodies", "requantise_cells", grids, 256, args, last, ref=ref)


@case
def compass_headings(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 10)
    vessel = t.rng.random((n, 2), dtype=f32) * xp.asarray([360, 1], f32) + xp.asarray([0, 0.5], f32)
    off, turn = xp.zeros(n, f32), (t.rng.random(256, dtype=f32) - f32(0.5)) * f32(600)
    t.constant("bodies", "turn", turn)

    def ref() -> Any:
        heading, agility = (vessel[:, k].astype(np.float64) for k in range(2))
        total = xp.zeros(n)
        for step in t.host(turn).tolist():
            away = xp.abs(heading - 180)
            total += away
            heading = (heading + step * agility / (1 + 0.0001 * away)) % 360
        return [total / 256]

    args, grids = (vessel, off, i32(n)), (n // 256, n // 256)
    return both(t, "bodies", "compass_headings", grids, 256, args, off, ref=ref, near=1e-3)


@case
def arc_lengths(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 10)
    curve, length = t.rng.standard_normal((6, n), dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        a, b, c, d, e, f = curve.astype(np.float64)
        total, half = xp.zeros(n), 1 / 128
        for k in range(64):
            for at, weight in ((0, 8 / 9), (-0.77459667, 5 / 9), (0.77459667, 5 / 9)):
                s = (k + 0.5) / 64 + at * half
                total += half * weight * xp.sqrt(((a * s + b) * s + c) ** 2 + ((d * s + e) * s + f) ** 2)
        return [total]

    args, grids = (curve, length, i32(n), i32(6)), (n // 256, n // 256)
    return both(t, "bodies", "arc_lengths", grids, 256, args, length, ref=ref, near=1e-5)


@case
def accrue(t: Tools) -> Pair:
    xp, n, months, fee = t.xp, t.size(1 << 21, 1 << 10), 480, 50
    start, rate = t.rng.integers(100_000, 100_000_000, n, dtype=i32), t.rng.integers(100, 4000, n, dtype=i32)
    balance = xp.zeros(n, i32)

    def ref() -> Any:
        b = start.astype(i64)
        for _ in range(months):
            b = xp.maximum(b + (b * rate >> 20) - fee, 0)
        return [b]

    args, grids = (start, rate, balance, i32(n), i32(months), i32(fee)), (n // 256, n // 256)
    return both(t, "bodies", "accrue", grids, 256, args, balance, ref=ref)
