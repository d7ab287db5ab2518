"""The pairs of markets.cu: inputs, grids and references. Columns, words, takings, armies, proteins, meshes, roads."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add


def unpacked(t: Tools, word: Any) -> Any:
    """(rows of words, n) of four bytes each as (4 * rows, n) int32."""
    part = [(word >> np.uint32(k) & np.uint32(255)).astype(i32) for k in (0, 8, 16, 24)]
    return t.xp.stack(part, axis=1).reshape(-1, word.shape[1])


def packed(t: Tools, rows: int, n: int, below: int) -> Any:
    """(rows, n) words of four numbers below BELOW."""
    word = t.uint32((rows, n), below)
    for k in (8, 16, 24):
        word |= t.uint32((rows, n), below) << np.uint32(k)
    return word


@case
def unfold_deltas(t: Tools) -> Pair:
    xp, chunks = t.xp, t.size(1 << 19, 256)
    delta, base = t.rng.integers(0, 17, chunks * 64, dtype=i32) - i32(8), t.rng.integers(0, 1 << 20, chunks, dtype=i32)
    value = xp.zeros(chunks * 64, i32)

    def ref() -> Any:
        return [(base[:, None] + delta.reshape(chunks, 64).cumsum(axis=1)).astype(i32).reshape(-1)]

    args, grids = (delta, base, value, i32(chunks)), (chunks // 256, chunks // 8)
    return both(t, "markets", "unfold_deltas", grids, (256, 256), args, value, ref=ref)


@case
def spell_distances(t: Tools) -> Pair:
    xp, n, letters = t.xp, t.size(1 << 20, 256), 24
    word, asked = packed(t, 6, n, 6), t.rng.integers(0, 6, letters, dtype=i32)
    distance = xp.zeros(n, i32)

    def ref() -> Any:
        own, query = unpacked(t, word), t.host(asked)
        before = [xp.full(n, j, i32) for j in range(letters + 1)]
        for i in range(letters):
            row = [xp.full(n, i + 1, i32)]
            for j in range(letters):
                change = before[j] + (own[i] != int(query[j]))
                row.append(xp.minimum(xp.minimum(before[j + 1], row[j]) + 1, change))
            before = row
        return [before[-1]]

    args, grids = (word, asked, distance, i32(letters), i32(n)), (n // 128, n // 128)
    return both(t, "markets", "spell_distances", grids, (128, 128), args, distance, ref=ref)


@case
def daily_takings(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 27, 1 << 14)
    day = (xp.arange(n, dtype=i64) * 365 // n).astype(xp.uint32)
    amount = t.uint32(n, 5000)
    row, total = day << np.uint32(20) | amount, xp.zeros(512, xp.uint32)
    del day, amount

    def ref() -> Any:
        edge = xp.searchsorted(row >> np.uint32(20), xp.arange(513, dtype=xp.uint32))
        sums = xp.concatenate([xp.zeros(1, i64), (row & np.uint32(0xFFFFF)).astype(i64).cumsum()])
        return [(sums[edge[1:]] - sums[edge[:-1]]).astype(xp.uint32)]

    args, grids = (row, total, i32(n // 4)), (SMS * 8, SMS * 8)
    return both(t, "markets", "daily_takings", grids, (256, 256), args, total, ref=ref, reset=zero(total))


@case
def first_breaches(t: Tools) -> Pair:
    xp, segments, rows = t.xp, t.size(SMS * 32, 16), t.size(1 << 15, 1 << 9)
    level = t.rng.random((segments, rows), dtype=f32)
    at = t.rng.integers(rows * 3 // 4, rows, segments, dtype=i32)
    at[::16] = rows - 1
    level[xp.arange(segments), at] = 2
    level[::16, rows - 1] = 0.5
    first = xp.zeros(segments, i32)

    def ref() -> Any:
        over = level > 1
        return [xp.where(over.any(axis=1), over.argmax(axis=1), rows)]

    args, grids = (level, first, f32(1), i32(rows)), (segments // 8, segments // 8)
    return both(t, "markets", "first_breaches", grids, (256, 256), args, first, ref=ref)


@case
def army_rounds(t: Tools) -> Pair:
    xp, n, rounds = t.xp, t.size(1 << 23, 1 << 10), t.size(96, 8)
    kind, force, morale = t.rng.integers(0, 6, n, dtype=i32), t.rng.random(n, dtype=f32), t.rng.random(n, dtype=f32)
    order = xp.argsort(kind)
    back = xp.argsort(order)
    mixed, strength, lined_up = (kind, force, morale), xp.zeros(n, f32), xp.zeros(n, f32)
    lined = tuple(xp.ascontiguousarray(a[order]) for a in mixed)

    def ref() -> Any:
        a, b = force.astype(np.float64), morale.astype(np.float64)
        for which in range(6):
            mine = xp.nonzero(kind == which)[0]
            x, y = a[mine], b[mine]
            for _ in range(rounds):
                if which == 0:
                    x = 0.5 * x + 0.3 * y
                    y = 0.8 * y - 0.2 * x + 0.1
                elif which == 1:
                    x = x + 0.05 * (y - x * x)
                    y = 0.97 * y + 0.01 * x
                elif which == 2:
                    pair = x * y
                    x, y = 0.9 * x + 0.08 * pair, 0.9 * y + 0.05 * (1 - pair)
                elif which == 3:
                    y = y + 0.1 * (1 - y) * x
                    x = 0.95 * x + 0.02 * y
                elif which == 4:
                    x = 0.6 * x + 0.4 * y * y
                    y = xp.maximum(y - 0.01, 0.3 * x)
                else:
                    apart = abs(x - y)
                    x, y = 0.9 * x + 0.05 * apart, 0.92 * y + 0.06 * (1 - apart)
            a[mine], b[mine] = x, y
        return [a + b]

    slow, cured = (
        launch(t, "markets", "army_rounds", n // 256, 256, (*units, out, i32(rounds), i32(n)))
        for units, out in ((mixed, strength), (lined, lined_up))
    )
    outs = lambda w: [strength if w == "slow" else lined_up[back]]  # noqa: E731
    return Pair(slow, cured, outs, ref, 1e-4, zero(strength, lined_up))


@case
def cluster_widths(t: Tools) -> Pair:
    xp, small, large, points = t.xp, t.size(4000, 12), t.size(4, 1), t.size(4096, 600)
    count = np.concatenate([np.random.default_rng(8).integers(129, 385, small), np.full(large, points)])
    first = np.concatenate([[0], count.cumsum()])
    point, width = t.rng.random((int(first[-1]), 2), dtype=f32), xp.zeros(small + large, xp.uint32)
    whole = [(c, first[c], count[c], 0, count[c]) for c in range(small + large)]
    parts = [
        (c, first[c], count[c], k, min(k + 256, count[c]))
        for c in reversed(range(small + large))
        for k in range(0, count[c], 256)
    ]

    def ref() -> Any:
        want = xp.zeros(small + large, np.float64)
        for c in range(small + large):
            own = point[int(first[c]) : int(first[c + 1])].astype(np.float64)
            want[c] = ((own[:, None] - own[None]) ** 2).sum(axis=2).max()
        return [want]

    slow, cured = (
        launch(t, "markets", "cluster_widths", len(p), 256, (point, xp.asarray(p, dtype=i32), width))
        for p in (whole, parts)
    )
    return Pair(slow, cured, lambda _: [width.view(f32)], ref, 1e-5, zero(width))


@case
def minhash_documents(t: Tools) -> Pair:
    xp, documents, prime = t.xp, t.size(1 << 16, 32), (1 << 31) - 1
    shingle, least = t.uint32((documents, 256), prime), xp.zeros((documents, 8), xp.uint32)
    mixers = t.uint32(16, prime).astype(xp.uint64)
    t.constant("markets", "mixers", mixers)

    def ref() -> Any:
        x = shingle.astype(xp.uint64)
        hashes = ((x * mixers[2 * k] + mixers[2 * k + 1]) % np.uint64(prime) for k in range(8))
        return [xp.stack([h.min(axis=1) for h in hashes], axis=1)]

    args, grids = (shingle, least, np.uint64(prime)), (documents // 8, documents // 8)
    return both(t, "markets", "minhash_documents", grids, (256, 256), args, least, ref=ref)


@case
def peptide_scores(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 21, 256)
    one, other, score = packed(t, 16, n, 24), packed(t, 16, n, 24), xp.zeros(n, i32)
    table = t.rng.integers(0, 16, 576, dtype=i32) - i32(4)
    t.constant("markets", "exchange", table)

    def ref() -> Any:
        want = xp.zeros(n, i32)
        for k in range(16):
            want += table[unpacked(t, one[k : k + 1]) * 24 + unpacked(t, other[k : k + 1])].sum(axis=0, dtype=i32)
        return [want]

    args = (one, other, score, i32(n))
    slow = launch(t, "markets", "peptide_scores", n // 256, 256, args)
    cured = launch(t, "markets", "peptide_scores_b", n // 256, 256, (*args, table))
    return Pair(slow, cured, lambda _: (score,), ref)


@case
def window_repeats(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 21, 256)
    residue, repeats = packed(t, 16, n, 20), xp.zeros(n, i32)

    def ref() -> Any:
        want = xp.zeros(n, i32)
        for kind in range(20):
            count = xp.zeros(n, i32)
            for k in range(16):
                count += (unpacked(t, residue[k : k + 1]) == kind).sum(axis=0, dtype=i32)
            want += count * (count - 1)
        return [want]

    args, grids = (residue, repeats, i32(n)), (n // 128, n // 128)
    return both(t, "markets", "window_repeats", grids, (128, 128), args, repeats, ref=ref)


@case
def quantise_chunks(t: Tools) -> Pair:
    xp, chunks, size = t.xp, t.size(SMS * 2, 3), t.size(1 << 18, 1 << 13)
    value = t.rng.random((chunks, size), dtype=f32) + t.rng.random((chunks, 1), dtype=f32)
    code, header = xp.zeros((chunks, size), xp.uint8), xp.zeros((chunks, 3), f32)

    def ref() -> Any:
        low, high, mean = value.min(axis=1), value.max(axis=1), value.mean(axis=1, dtype=np.float64)
        scale = (f32(255) / (high - low)).astype(np.float64)[:, None]
        step = ((value - low[:, None]) * scale + 0.5).astype(f32).astype(xp.uint8)
        return [xp.stack([low, high, mean.astype(f32)], axis=1), step]

    args, grids = (value, code, header, i32(size // 4)), (chunks, chunks)
    return both(t, "markets", "quantise_chunks", grids, (1024, 1024), args, (header, code), ref=ref, near=0.005)


@case
def facet_areas(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(4096, 32), t.size(2048, 16)
    x, y = xp.arange(width, dtype=f32)[None, :], xp.arange(height, dtype=f32)[:, None]
    vertex = xp.zeros((height, width, 4), f32)
    vertex[..., 0], vertex[..., 1] = x, y
    vertex[..., 2] = 4 * t.rng.random((height, width), dtype=f32)
    vertex = vertex.reshape(-1, 4)
    cell = (xp.arange(height - 1, dtype=i32)[:, None] * width + xp.arange(width - 1, dtype=i32)).reshape(-1)
    upper, lower = xp.stack([cell, cell + 1, cell + width]), xp.stack([cell + 1, cell + width + 1, cell + width])
    inline = xp.ascontiguousarray(xp.stack([upper, lower], axis=2).reshape(3, -1)).astype(i32)
    n = inline.shape[1]
    order = xp.argsort(t.rng.random(n, dtype=f32))
    strewn = xp.ascontiguousarray(inline[:, order])
    area, area_inline = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        a, b, c = (vertex[strewn[k], :3].astype(np.float64) for k in range(3))
        u, v = b - a, c - a
        part = [u[:, k] * v[:, m] - u[:, m] * v[:, k] for k, m in ((1, 2), (2, 0), (0, 1))]
        return [0.5 * xp.sqrt(sum(p * p for p in part))]

    slow, cured = (
        launch(t, "markets", "facet_areas", -(-n // 256), 256, (vertex, corner, out, i32(n)))
        for corner, out in ((strewn, area), (inline, area_inline))
    )
    outs = lambda w: [area if w == "slow" else area_inline[order]]  # noqa: E731
    return Pair(slow, cured, outs, ref, 1e-5, zero(area, area_inline))


@case
def chain_weights(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 19, 256)
    base, weight = packed(t, 16, n, 4), xp.zeros(n, f32)
    preferred = t.uint32(64, 4)
    t.constant("markets", "preferred", preferred)

    def ref() -> Any:
        prefer, state = t.host(preferred).astype(int), [xp.zeros(n, np.float64) for _ in range(64)]
        state[0] += 1
        for k in range(16):
            for letter in unpacked(t, base[k : k + 1]):
                good, fair = ({p: xp.where(letter == p, *v) for p in range(4)} for v in ((0.9, 0.48), (1.5, 0.8)))
                for s in range(63, 0, -1):
                    state[s] = (state[s] + 0.75 * state[s - 1]) * good[int(prefer[s])]
                state[0] = state[0] * fair[int(prefer[0])]
        return [sum(state)]

    args, grids = (base, weight, i32(n)), (n // 256, n // 256)
    return both(t, "markets", "chain_weights", grids, (256, 256), args, weight, ref=ref, near=1e-4)


@case
def relax_roads(t: Tools) -> Pair:
    xp, places, roads = t.xp, t.size(1 << 15, 1 << 6), t.size(1 << 22, 1 << 12)
    start, end = (t.rng.integers(0, places, roads, dtype=i32) for _ in range(2))
    length, known = t.uint32(roads, 1 << 16), t.uint32(places, 1 << 20)
    way, parent, lock = (xp.zeros(places, xp.uint32) for _ in range(3))
    best = xp.zeros((places, 2), xp.uint32)

    def reset() -> None:
        lock.fill(0)
        for a in (way, parent, best):
            a.fill(0xFFFFFFFF)

    def ref() -> Any:
        key = ((known[start] + length).astype(xp.uint64) << np.uint64(32)) | start.astype(xp.uint64)
        order = xp.argsort(key)
        order = order[xp.argsort(end[order].astype(i64) * roads + xp.arange(roads))]
        at = xp.searchsorted(end[order], xp.arange(places, dtype=i32))
        least = key[order][at]
        return [least >> np.uint64(32), least & np.uint64(0xFFFFFFFF)]

    given = (start, end, length, known)
    slow = launch(t, "markets", "relax_roads", roads // 256, 256, (*given, way, parent, lock, i32(roads)))
    cured = launch(t, "markets", "relax_roads_b", roads // 256, 256, (*given, best, i32(roads)))
    return Pair(slow, cured, lambda w: [way, parent] if w == "slow" else [best[:, 1], best[:, 0]], ref, 0.0, reset)


@case
def spread_points(t: Tools) -> Pair:
    xp, clouds, picks = t.xp, t.size(SMS * 2, 2), t.size(256, 16)
    x, y, z = (t.rng.integers(0, 1024, (clouds, 1024), dtype=i32).astype(f32) for _ in range(3))
    chosen = xp.zeros((clouds, picks), i32)

    def ref() -> Any:
        rows, last = xp.arange(clouds), xp.zeros(clouds, i64)
        near, want = xp.full((clouds, 1024), 1e30), []
        for _ in range(picks):
            want.append(last)
            gap = sum((a - a[rows, last][:, None]).astype(np.float64) ** 2 for a in (x, y, z))
            near = xp.minimum(near, gap)
            last = near.argmax(axis=1)
        return [xp.stack(want, axis=1)]

    args, grids = (x, y, z, chosen, i32(picks)), (clouds, clouds)
    return both(t, "markets", "spread_points", grids, (1024, 1024), args, chosen, ref=ref)
