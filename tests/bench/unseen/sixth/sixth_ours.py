"""The pairs whose kernels are in the .cu files here: inputs, grids and references. Counts and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add


def both(t: Tools, file: str, name: str, grids: Any, blocks: Any, args: Any, out: Any, **more: Any) -> Pair:
    """NAME and NAME_b with the same arguments; grids, shared: of each of the two; out: what is compared."""
    outs = out if isinstance(out, tuple) else (out,)
    shared = more.pop("shared", (0, 0))
    slow = launch(t, file, name, grids[0], blocks, args, shared[0])
    cured = launch(t, file, f"{name}_b", grids[1], blocks, args, shared[1])
    return Pair(slow, cured, lambda _: outs, **more)


def scrambled(xp: Any, h: Any) -> Any:
    """The kernels' hash of 32-bit words."""
    h = h * xp.uint32(747796405) + xp.uint32(2891336453)
    h = ((h >> ((h >> xp.uint32(28)) + xp.uint32(4))) ^ h) * xp.uint32(277803737)
    return h ^ h >> xp.uint32(22)


# ---- doses, buckets, gates, pages, baskets
@case
def dose_volumes(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 26, 1 << 14)
    dose = t.rng.integers(0, 200, n // 256, dtype=i32).astype(xp.uint8).repeat(256)
    mass, total = t.rng.integers(1, 16, n, dtype=i32).astype(xp.uint8), xp.zeros(256, xp.uint32)

    def ref() -> Any:
        parts = ((dose[k : k + (1 << 22)], mass[k : k + (1 << 22)]) for k in range(0, n, 1 << 22))
        return [sum(xp.bincount(d, m.astype(np.float64), 256) for d, m in parts)]

    args, grids = (dose, mass, total, i32(n // 16)), (SMS * 8, SMS * 8)
    return both(t, "counts", "dose_volumes", grids, 256, args, total, ref=ref, reset=zero(total))


@case
def chain_records(t: Tools) -> Pair:
    xp, n, buckets = t.xp, t.size(1 << 19, 1 << 10), 4096
    bucket, amount = t.rng.integers(0, buckets, n, dtype=i32), t.uint32(n, 1000)
    follow, head, count, gate = xp.zeros(n, i32), xp.zeros(buckets, i32), xp.zeros(buckets, i32), xp.zeros(buckets, i32)
    total = xp.zeros(buckets, xp.uint32)

    def ref() -> Any:
        return [xp.bincount(bucket, minlength=buckets), xp.bincount(bucket, amount.astype(np.float64), buckets)]

    args, grids = (bucket, amount, follow, head, count, total, gate, i32(n)), (n // 256, n // 256)
    reset = zero(head, count, gate, total)
    return both(t, "counts", "chain_records", grids, 256, args, (count, total), ref=ref, reset=reset)


@case
def gate_takings(t: Tools) -> Pair:
    xp, batches = t.xp, t.size(1 << 18, 1 << 6)
    price = t.rng.integers(500, 9000, (batches, 256), dtype=i32).astype(xp.uint16)
    taking = xp.zeros(16 * 16, xp.uint64)
    slow, cured = (
        launch(t, "counts", "gate_takings", SMS * 8, 256, (price, taking, i32(batches), i32(apart)))
        for apart in (1, 16)
    )

    def ref() -> Any:
        return [price.sum(axis=1, dtype=i64).reshape(-1, 16).sum(axis=0).astype(np.float64)]

    return Pair(slow, cured, lambda w: [taking[:16] if w == "slow" else taking[::16]], ref, 0.0, zero(taking))


@case
def page_sums(t: Tools) -> Pair:
    xp, pages = t.xp, t.size(1 << 20, 1 << 8)
    page, sums = t.uint32((pages, 128), 1 << 16), xp.zeros((pages, 2), xp.uint32)
    args = (page, sums)

    def ref() -> Any:
        place = xp.arange(1, 129, dtype=xp.uint32)
        parts = (page[k : k + (1 << 16)] for k in range(0, pages, 1 << 16))
        return [xp.concatenate([xp.stack([p.sum(axis=1), (p * place).sum(axis=1)], axis=1) for p in parts])]

    slow, cured = (launch(t, "counts", "page_sums", pages // each, 32 * each, args) for each in (1, 8))
    return Pair(slow, cured, lambda _: (sums,), ref)


@case
def basket_hits(t: Tools) -> Pair:
    xp, options, paths = t.xp, 64, t.size(1 << 20, 1 << 10)
    weight, hits = t.rng.integers(1, 10, (options, 4), dtype=i32), xp.zeros(options, xp.uint32)
    strike = (weight.sum(axis=1) * 4 * 140).astype(i32)
    args = (weight, strike, hits, i32(paths))

    def ref() -> Any:
        want, path = [], xp.arange(paths, dtype=xp.uint32)
        for option in range(options):
            value = xp.zeros(paths, i32)
            for day in range(4):
                h = scrambled(xp, xp.uint32((option * 4 + day) << 22) + path)
                for k in range(4):
                    value += weight[option, k] * (h >> xp.uint32(8 * k) & xp.uint32(255)).astype(i32)
            want.append((value > strike[option]).sum())
        return [xp.stack(want)]

    slow, cured = (launch(t, "counts", "basket_hits", (options, parts), 256, args) for parts in (1, 33))
    return Pair(slow, cured, lambda _: (hits,), ref, reset=zero(hits))


# ---- frames, patterns, draws
@case
def pack_frames(t: Tools) -> Pair:
    xp, tiles = t.xp, t.size(1 << 14, 1 << 4)
    sample = t.rng.integers(-2000, 2000, tiles * 2048, dtype=i32).astype(np.int16)
    frame = xp.zeros(tiles * 2048, f32)
    args, ref = (sample, frame, f32(0.0625), i32(tiles)), lambda: [sample.astype(f32) * f32(0.0625)]
    return both(t, "arrays", "pack_frames", (SMS * 8, SMS * 8), 128, args, frame, ref=ref)


@case
def antenna_patterns(t: Tools) -> Pair:
    xp, m, n, depth = t.xp, t.size(4096, 128), t.size(2048, 128), t.size(2048, 64)
    a, b = ((t.rng.random(shape, dtype=f32) - f32(0.5)).astype(np.float16) for shape in ((m, depth), (depth, n)))
    c, shared = xp.zeros((m, n), f32), 4 * (128 * 72 + 64 * 136) * 2
    args, grids = (a, b, c, i32(n), i32(depth)), ((n // 128, m // 128), (n // 128, m // 128))

    def ref() -> Any:
        return [a.astype(np.float64) @ b.astype(np.float64)]

    return both(t, "arrays", "antenna_patterns", grids, 288, args, c, shared=(shared, shared), ref=ref, near=1e-4)


@case
def draw_aliases(t: Tools) -> Pair:
    xp, blocks, draws = t.xp, t.size(264, 8), t.size(256, 4)
    table = xp.stack([t.uint32(16384, 1 << 18), t.uint32(16384, 16384)], axis=1)
    result = xp.zeros(blocks * 1024, xp.uint32)

    def ref() -> Any:
        state, total = scrambled(xp, xp.arange(1, blocks * 1024 + 1, dtype=xp.uint32)), xp.zeros_like(result)
        for k in range(draws):
            h = scrambled(xp, state + xp.uint32(k))
            slot = h & xp.uint32(16383)
            row = table[slot.astype(i64)]
            total = total * xp.uint32(31) + xp.where(h >> xp.uint32(14) < row[:, 0], slot, row[:, 1])
        return [total]

    args, grids = (table, result, i32(draws)), (blocks, blocks)
    return both(t, "arrays", "draw_aliases", grids, 1024, args, result, shared=(16384, 131072), ref=ref)
