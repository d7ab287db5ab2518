"""The pairs whose kernels are in the .cu files here: inputs, grids and references. Fields and genes."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, same, zero

CASES = Cases()
case = CASES.add


# ---- spectra, flows, pictures, stereo pairs, X-rays, bands, boxes, blobs
@case
def reverse_bits(t: Tools) -> Pair:
    xp, bits = t.xp, t.size(25, 12)
    spectrum, turned = t.rng.random((1 << bits, 2), dtype=f32), xp.zeros((1 << bits, 2), f32)

    def ref() -> Any:
        source, place = xp.arange(1 << bits, dtype=i64), xp.zeros(1 << bits, i64)
        for k in range(bits):
            place |= (source >> k & 1) << (bits - 1 - k)
        return [spectrum[place]]

    args, grids = (spectrum, turned, i32(bits)), ((1 << bits) // 256, 1 << (bits - 10))
    return both(t, "fields", "reverse_bits", grids, (256, 256), args, turned, ref=ref)


@case
def flow_step(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(4096, 256), t.size(2048, 4)
    cells, rate = width * height, f32(0.8)
    ex, ey = (0, 1, 0, -1, 0, 1, -1, -1, 1), (0, 0, 1, 0, -1, 1, 1, -1, -1)
    weight = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
    planes = (t.rng.random((9, cells), dtype=f32) + f32(4)) * xp.asarray(weight, dtype=f32)[:, None]
    records = xp.ascontiguousarray(planes.T)
    planes_out, records_out = xp.zeros((9, cells), f32), xp.zeros((cells, 9), f32)

    def ref() -> Any:
        f = [xp.roll(planes[k].reshape(height, width), (ey[k], ex[k]), (0, 1)).astype(np.float64) for k in range(9)]
        mass = sum(f)
        ux, uy = (sum(e * v for e, v in zip(along, f, strict=True)) / mass for along in (ex, ey))
        want = []
        for k in range(9):
            along = 3 * (ex[k] * ux + ey[k] * uy)
            rest = weight[k] * mass * (1 + along + along**2 / 2 - 1.5 * (ux**2 + uy**2))
            want.append((f[k] + float(rate) * (rest - f[k])).reshape(-1))
        return [xp.stack(want)]

    slow, cured = (
        launch(t, "fields", name, (width // 256, height), 256, (a, b, rate, i32(width), i32(height)))
        for name, a, b in (("flow_step", records, records_out), ("flow_step_b", planes, planes_out))
    )
    return Pair(slow, cured, lambda w: [records_out.T if w == "slow" else planes_out], ref, 1e-5)


@case
def turn_picture(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(8192, 256), t.size(8192, 256)
    x, y, c, s = xp.arange(width), xp.arange(height)[:, None], f32(np.cos(1.4)), f32(np.sin(1.4))
    picture = (xp.sin(x * 0.01) * xp.cos(y * 0.013) + 2).astype(f32)
    turned = xp.zeros((height, width), f32)

    def ref() -> Any:
        want = []
        for first in range(0, height, 1024):
            dx, dy = x - 0.5 * width, y[first : first + 1024] - 0.5 * height
            sx = xp.clip(float(c) * dx + float(s) * dy + 0.5 * width, 0, width - 1.001)
            sy = xp.clip(float(c) * dy - float(s) * dx + 0.5 * height, 0, height - 1.001)
            ix, iy = sx.astype(i64), sy.astype(i64)
            fx, fy = sx - ix, sy - iy
            top, low = (picture[iy + k, ix] * (1 - fx) + picture[iy + k, ix + 1] * fx for k in (0, 1))
            want.append(top + fy * (low - top))
        return [xp.concatenate(want)]

    args = (picture, turned, c, s, i32(width), i32(height))
    grids, blocks = ((width // 256, height), (width // 8, height // 32)), ((256, 1), (8, 32))
    return same(t, "fields", "turn_picture", grids, blocks, args, turned, ref=ref, near=1e-3)


@case
def stereo_shifts(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(1024, 32), t.size(1024, 64)
    pitch = width + 40
    left = t.rng.integers(0, 256, (height + 8, pitch), dtype=i32).astype(xp.uint8)
    right = xp.roll(left, -11, 1) // 2 + t.rng.integers(0, 128, (height + 8, pitch), dtype=i32).astype(xp.uint8)
    shift = xp.zeros((height, width), xp.uint8)

    def ref() -> Any:
        one, other, costs = left.astype(i32), right.astype(i32), []
        for d in range(32):
            off = xp.abs(one[:, 32:] - other[:, 32 - d : pitch - d])
            rows = sum(off[:, k : k + width] for k in range(9))
            costs.append(sum(rows[k : k + height] for k in range(9)))
        return [xp.stack(costs).argmin(axis=0)]

    args = (left, right, shift, i32(width), i32(pitch))
    grids = ((width // 32, height // 8), (width // 32, height // 64))
    return both(t, "fields", "stereo_shifts", grids, (256, 256), args, shift, ref=ref)


@case
def project_volume(t: Tools) -> Pair:
    xp, slices, steps = t.xp, t.size(128, 2), t.size(1024, 64)
    volume = t.rng.integers(0, 4096, (slices * 2, 512, 512), dtype=i32).astype(np.uint16)
    way, across = np.array([np.cos(0.5), np.sin(0.5)]), np.arange(128)[:, None] * 2.0 - 127
    begin = 256 - way * (steps / 4) + across * np.array([-way[1], way[0]])
    ray = xp.asarray(np.concatenate([begin, np.broadcast_to(way / 2, (128, 2))], axis=1) * 65536, dtype=i32)
    detector = xp.zeros(slices * 128, xp.uint32)

    def ref() -> Any:
        want, v = xp.zeros((slices, 128), i64), xp.arange(slices)[:, None] * 2
        for k in range(steps):
            x, y = (ray[:, 0] + k * ray[:, 2]) >> 16, (ray[:, 1] + k * ray[:, 3]) >> 16
            inside = (x >= 0) & (x < 512) & (y >= 0) & (y < 512)
            want += volume[v, xp.clip(y, 0, 511), xp.clip(x, 0, 511)] * inside
        return [want.reshape(-1)]

    args, grids = (volume, ray, detector, i32(steps)), (slices * 128 // 256, slices * 128 // 8)
    return both(t, "fields", "project_volume", grids, (256, 256), args, detector, ref=ref)


@case
def decimate_band(t: Tools) -> Pair:
    xp, blocks = t.xp, t.size(1 << 15, 4)
    sample, band = t.rng.random(blocks * 2048 + 48, dtype=f32), xp.zeros(blocks * 128, f32)
    tap = t.rng.random(64, dtype=f32)
    t.constant("fields", "tap", tap)

    def ref() -> Any:
        rows = sample.reshape(-1, 16).astype(np.float64)
        return [sum(rows[k : k + blocks * 128] @ tap[16 * k : 16 * k + 16].astype(np.float64) for k in range(4))]

    return both(t, "fields", "decimate_band", (blocks, blocks), (128, 128), (sample, band), band, ref=ref, near=1e-5)


@case
def box_sums(t: Tools) -> Pair:
    xp, pitch, small, large, side = t.xp, t.size(8192, 512), t.size(1 << 14, 32), t.size(24, 2), t.size(1024, 256)
    draw, count = np.random.default_rng(7), small + large
    size = np.concatenate([draw.integers(32, 97, (small, 2)), np.full((large, 2), side)])
    boxes = np.concatenate([draw.integers(0, pitch - size), size], axis=1)
    box, picture = xp.asarray(boxes, dtype=i32), t.rng.integers(0, 4096, (pitch, pitch), dtype=i32).astype(np.uint16)
    sums = xp.zeros((count, 2), xp.uint64)
    whole = [(b, 0, boxes[b, 3], 0) for b in range(count)]
    parts = [(b, y, min(64, boxes[b, 3] - y), 0) for b in range(count) for y in range(0, boxes[b, 3], 64)]

    def ref() -> Any:
        want, (x, y, w, h) = [], box.T.astype(i64)
        for power in (1, 2):
            total = xp.zeros((pitch + 1, pitch + 1), i64)
            total[1:, 1:] = (picture.astype(i64) ** power).cumsum(axis=0).cumsum(axis=1)
            want.append(total[y + h, x + w] - total[y, x + w] - total[y + h, x] + total[y, x])
        return [xp.stack(want, axis=1)]

    slow, cured = (
        launch(t, "fields", "box_sums", len(p), 256, (picture, box, xp.asarray(p, dtype=i32), sums, i32(pitch)))
        for p in (whole, parts)
    )
    return Pair(slow, cured, lambda _: (sums,), ref, reset=zero(sums))


@case
def blob_extents(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(4096, 512), t.size(4096, 256)
    x, y, across = xp.arange(width, dtype=i32), xp.arange(height, dtype=i32)[:, None], width // 128 + 1
    label = (y // 128 * across + (x + 16 + (y & 31)) // 128).astype(i32)
    bright = t.rng.integers(0, 256, (height, width), dtype=i32).astype(xp.uint8)
    blob = xp.zeros((across * height // 128, 4), i32)

    def reset() -> None:
        blob[:, :2], blob[:, 2], blob[:, 3] = 0, 1 << 30, -1

    def ref() -> Any:
        n, flat = len(blob), label.reshape(-1)
        there = xp.bincount((label.astype(i64) * width + x).reshape(-1), minlength=n * width).reshape(n, width) > 0
        area, light = xp.bincount(flat, minlength=n), xp.bincount(flat, bright.reshape(-1).astype(np.float64), n)
        first, last = there.argmax(axis=1), width - 1 - there[:, ::-1].argmax(axis=1)
        return [xp.stack([area, light.astype(i64), first, last], axis=1)]

    args, grids = (label, bright, blob, i32(width)), ((width // 256, height),) * 2
    return both(t, "fields", "blob_extents", grids, (256, 256), args, blob, ref=ref, reset=reset)


# ---- programs, hits, bases, cards, trees, covariances, sites
@case
def score_programs(t: Tools) -> Pair:
    xp, programs, samples, steps = t.xp, t.size(4096, 256), t.size(1024, 256), t.size(64, 8)
    code, values = t.uint32((steps, programs), 64), t.rng.random((8, samples), dtype=f32)
    slow_out, cured_out = xp.zeros((samples, programs), f32), xp.zeros((programs, samples), f32)

    def ref() -> Any:
        a, given = xp.full((programs, samples), 0.5), values.astype(np.float64)
        ways = (
            lambda a, x: a + x,
            lambda a, x: a * x,
            lambda a, x: x / (1 + abs(a)),
            lambda a, x: xp.sqrt(abs(a) + x),
            lambda a, x: xp.exp(-abs(a - x)),
            lambda a, x: xp.where(abs(a) > x, 2 * x - abs(a), abs(a)),
            lambda a, x: xp.tanh(a + x),
            lambda a, x: xp.log1p(abs(a)) - x,
        )
        for k in range(steps):
            for op, way in enumerate(ways):
                rows = xp.nonzero((code[k] & xp.uint32(7)) == op)[0]
                a[rows] = way(a[rows], given[(code[k, rows] >> xp.uint32(3)).astype(i64)])
        return [a]

    rest = (i32(steps), i32(programs), i32(samples))
    slow = launch(t, "genes", "score_programs", (programs // 256, samples), 256, (code, values, slow_out, *rest))
    cured = launch(t, "genes", "score_programs_b", (samples // 256, programs), 256, (code, values, cured_out, *rest))
    return Pair(slow, cured, lambda w: [slow_out.T if w == "slow" else cured_out], ref, 1e-3)


@case
def locate_hits(t: Tools) -> Pair:
    xp, records, hits, steps = t.xp, t.size(1 << 20, 1 << 8), t.size(SMS * 4096, 512), t.size(32, 4)
    base = t.rng.integers(0, 4, (records, 64), dtype=i32).astype(xp.uint8)
    own = xp.stack([(base == c).sum(axis=1) for c in range(4)], axis=1).astype(i64)
    first = xp.concatenate([xp.zeros(1, i64), own.sum(axis=0).cumsum()[:3]])
    count, shift = (own.cumsum(axis=0) - own + first).astype(xp.uint32), xp.arange(64, dtype=xp.uint64)
    planes = [((base >> k & 1).astype(xp.uint64) << shift).sum(axis=1, dtype=xp.uint64) for k in (0, 1)]
    rank = xp.concatenate([count, xp.stack(planes, axis=1).view(xp.uint32)], axis=1)
    hit, place = t.uint32(hits, records * 64), xp.zeros(hits, xp.uint32)

    def ref() -> Any:
        back, flat, at = xp.zeros(records * 64, i64), base.reshape(-1), hit.astype(i64)
        for c in range(4):
            where = xp.nonzero(flat == c)[0]
            back[where] = first[c] + xp.arange(len(where))
        for _ in range(steps):
            at = back[at]
        return [at]

    args, grids = (rank, hit, place, i32(steps), i32(hits)), (t.size(SMS, 2), hits // 128)
    return same(t, "genes", "locate_hits", grids, (128, 128), args, place, ref=ref)


@case
def mask_bases(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 27, 1 << 14)
    letters = xp.asarray(np.frombuffer(b"ACGT", np.uint8).copy())
    base = letters[t.rng.integers(0, 4, n // 64, dtype=i32)].repeat(64)
    quality = xp.tile(t.rng.integers(0, 60, n // 64, dtype=i32).astype(xp.uint8), 64)
    masked = xp.zeros(n, xp.uint8)
    args, grids = (base, quality, masked, i32(20), np.uint64(n)), (SMS * 8, SMS * 8)

    def ref() -> Any:
        return [xp.where(quality < 20, base | 32, base)]

    return both(t, "genes", "mask_bases", grids, (256, 256), args, masked, ref=ref)


@case
def check_cards(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 25, 1 << 12)
    upper, lower = (t.rng.integers(0, 10**8, n, dtype=i32).astype(xp.uint64) for _ in range(2))
    card, check = upper * xp.uint64(10**8) + lower, xp.zeros(n, xp.uint8)

    def ref() -> Any:
        total = xp.zeros(n, i64)
        for half in (upper.astype(i64), lower.astype(i64)):
            for k in range(8):
                digit = half // 10**k % 10
                total += digit if k % 2 == 0 else xp.where(digit > 4, 2 * digit - 9, 2 * digit)
        return [total % 10]

    args, grids = (card, check, i32(n)), (n // 256, n // 256)
    return both(t, "genes", "check_cards", grids, (256, 256), args, check, ref=ref)


@case
def span_genomes(t: Tools) -> Pair:
    xp, sets = t.xp, t.size(SMS * 8, 2)
    some = t.rng.integers(0, 60000, (sets, 256, 256), dtype=i32).astype(np.uint16)
    distance = xp.ascontiguousarray(xp.minimum(some, some.transpose(0, 2, 1)))
    length, order = xp.zeros(sets, xp.uint32), xp.zeros((sets, 256), xp.uint8)

    def ref() -> Any:
        rows, near, total = xp.arange(sets), distance[:, 0].astype(i64), xp.zeros(sets, i64)
        joined, want = xp.zeros((sets, 256), bool), xp.zeros((sets, 256), i64)
        joined[:, 0] = True
        for k in range(1, 256):
            best = xp.where(joined, 1 << 30, near).argmin(axis=1)
            total += near[rows, best]
            joined[rows, best], want[:, k] = True, best
            near = xp.minimum(near, distance[rows, best])
        return [total, want]

    args, grids = (distance, length, order), (sets, sets)
    return both(t, "genes", "span_genomes", grids, (256, 256), args, (length, order), ref=ref)


@case
def covary_genes(t: Tools) -> Pair:
    xp, genes, samples = t.xp, t.size(2048, 128), t.size(2048, 32)
    level, product = t.rng.random((samples, genes), dtype=f32), xp.zeros((genes, genes), f32)

    def ref() -> Any:
        return [level.astype(np.float64).T @ level.astype(np.float64)]

    args, grids = (level, product, i32(genes), i32(samples)), ((genes // 32,) * 2, (genes // 128,) * 2)
    return both(t, "genes", "covary_genes", grids, ((32, 32), 256), args, product, ref=ref, near=1e-4)


@case
def evolve_sites(t: Tools) -> Pair:
    xp, sites, steps = t.xp, t.size(1 << 17, 1 << 6), t.size(64, 8)
    rate = t.rng.random((20, 20), dtype=f32) + 5 * xp.eye(20, dtype=f32)
    rate /= rate.sum(axis=1, keepdims=True)
    before, after = t.rng.random((sites, 20), dtype=f32), xp.zeros((sites, 20), f32)

    def ref() -> Any:
        want = before.astype(np.float64)
        for _ in range(steps):
            want = want @ rate.astype(np.float64)
        return [want]

    args, grids = (rate, before, after, i32(steps)), (sites, sites // 8)
    return same(t, "genes", "evolve_sites", grids, (20, 160), args, after, ref=ref, near=1e-4)
