"""The pairs whose kernels are in granaries.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
FILE = "granaries"


# ---- facts, series, links, documents, orders
@case
def fact_scores(t: Tools) -> Pair:
    xp, facts, entities, relations, width = t.xp, t.size(1 << 20, 512), t.size(1 << 16, 256), t.size(512, 8), 64
    entity, move = (t.rng.random((k, width), dtype=f32) - f32(0.5) for k in (entities, relations))
    head, tail = (t.rng.integers(0, entities, facts, dtype=i32) for _ in range(2))
    relation, score = t.rng.integers(0, relations, facts, dtype=i32), xp.zeros(facts, f32)

    def ref() -> Any:
        want = xp.zeros(facts)
        for d in range(width):
            start, step, end = (a[:, d].astype(np.float64) for a in (entity, move, entity))
            want -= xp.abs(start[head] + step[relation] - end[tail])
        return [want]

    args = (head, relation, tail, entity, move, score, i32(width), i32(facts))
    return both(t, FILE, "fact_scores", (facts // 256, facts // 8), (256, 256), args, score, ref=ref, near=1e-5)


@case
def yule_walker(t: Tools) -> Pair:
    xp, series, order = t.xp, t.size(1 << 21, 512), 16
    covariance = xp.zeros((order + 1, series), f32)
    lag = xp.arange(order + 1, dtype=f32)[:, None]
    for _ in range(3):
        keep, turn = t.rng.random(series, dtype=f32) * f32(0.9), t.rng.random(series, dtype=f32) * f32(3)
        covariance += keep**lag * xp.cos(turn * lag)
    covariance[0] += f32(1)
    coefficient, variance = xp.zeros((order, series), f32), xp.zeros(series, f32)

    def ref() -> Any:
        want, left = xp.zeros((order, series)), xp.zeros(series)
        apart = xp.abs(xp.arange(order)[:, None] - xp.arange(order))
        some = min(series, 1 << 18)
        for at in range(0, series, some):
            r = covariance[:, at : at + some].astype(np.float64)
            matrix = xp.ascontiguousarray(r[apart].transpose(2, 0, 1))
            a = xp.linalg.solve(matrix, xp.ascontiguousarray(r[1:].T)[:, :, None])[:, :, 0].T
            want[:, at : at + some], left[at : at + some] = a, r[0] - (a * r[1:]).sum(axis=0)
        return [want, left]

    args, grid = (covariance, coefficient, variance, i32(order), i32(series)), series // 256
    outs, more = (coefficient, variance), {"ref": ref, "near": 1e-3}
    return both(t, FILE, "yule_walker", (grid, grid), (256, 256), args, outs, **more)


@case
def short_links(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 512)
    number = (t.uint32(n, 1 << 31).astype(xp.uint64) << xp.uint64(32)) + t.uint32(n, 1 << 31).astype(xp.uint64)
    link = xp.zeros((n, 16), xp.uint8)

    def ref() -> Any:
        text = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        letters = xp.asarray(np.frombuffer(text, np.uint8))
        left, want = number.copy(), xp.zeros((n, 16), xp.uint8)
        for c in range(10, -1, -1):
            want[:, c] = letters[(left % xp.uint64(62)).astype(i32)]
            left //= xp.uint64(62)
        return [want]

    slow = launch(t, FILE, "short_links", n // 256, 256, (number, link, np.uint64(62), i32(n)))
    cured = launch(t, FILE, "short_links_b", n // 256, 256, (number, link, i32(n)))
    return Pair(slow, cured, lambda _: (link,), ref)


@case
def bm25_weights(t: Tools) -> Pair:
    xp, documents, words = t.xp, t.size(1 << 15, 16), 1024
    count = t.rng.integers(0, 12, (documents, words), dtype=i32).astype(xp.uint16)
    holders = t.rng.integers(1, documents, words, dtype=i32)
    length, weight = count.sum(axis=1).astype(i32), xp.zeros((documents, words), f32)
    mean = f32(float(length.mean()))

    def ref() -> Any:
        df, tf, size = (a.astype(np.float64) for a in (holders, count, length))
        idf = xp.log1p((documents - df + 0.5) / (df + 0.5))
        return [2.2 * idf * tf / (tf + 1.2 * (0.25 + 0.75 * size[:, None] / float(mean)))]

    args = (count, holders, length, weight, mean, i32(documents), i32(words))
    grid, block = (words // 256, documents // 4), (256, 4)
    return both(t, FILE, "bm25_weights", (grid, grid), (block, block), args, weight, ref=ref, near=1e-5)


@case
def late_items(t: Tools) -> Pair:
    xp, n, first, last = t.xp, t.size(1 << 24, 1 << 12), 365, 1095
    shipped = t.rng.integers(0, 1460, n, dtype=i32)
    promised = shipped + t.rng.integers(-10, 30, n, dtype=i32)
    received = shipped + t.rng.integers(1, 60, n, dtype=i32)
    mode, priority = (t.rng.integers(0, k, n, dtype=i32).astype(xp.uint8) for k in (7, 5))
    table = xp.zeros(35, xp.uint32)

    def ref() -> Any:
        late = (shipped < promised) & (promised < received) & (received >= first) & (received < last)
        group = (mode.astype(i32) * 5 + priority.astype(i32))[late]
        return [xp.bincount(group, minlength=35).astype(xp.uint32)]

    args, grid = (shipped, promised, received, mode, priority, table, i32(first), i32(last), i32(n)), 8 * SMS
    return both(t, FILE, "late_items", (grid, grid), (256, 256), args, table, ref=ref, reset=zero(table))


# ---- sparse blocks, bonds, residual streams, cells
@case
def jacobi_blocks(t: Tools) -> Pair:
    xp, blocks = t.xp, t.size(1 << 14, 8)
    half = t.rng.random((blocks, 32, 32), dtype=f32) - f32(0.5)
    diagonal = xp.ascontiguousarray(half + half.transpose(0, 2, 1) + f32(20) * xp.eye(32, dtype=f32))
    lower = xp.zeros_like(diagonal)

    def ref() -> Any:
        return [xp.linalg.cholesky(diagonal.astype(np.float64))]

    args = (diagonal, lower)
    return both(t, FILE, "jacobi_blocks", (blocks // 4,) * 2, (128, 128), args, lower, ref=ref, near=1e-5)


@case
def bond_yields(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    short, long = t.rng.integers(2, 21, n, dtype=i32), t.rng.integers(21, 61, n, dtype=i32)
    periods = xp.where(t.rng.random(n, dtype=f32) < 0.8, short, long).astype(i32)
    coupon = t.rng.random(n, dtype=f32) * f32(4) + f32(0.5)
    truth = 0.005 + 0.045 * t.rng.random(n)
    discount = (1 + truth) ** -periods.astype(np.float64)
    price = (coupon * (1 - discount) / truth + 100 * discount).astype(f32)
    place, found = xp.argsort(periods).astype(i32), xp.zeros(n, f32)

    def ref() -> Any:
        return [truth]

    slow = launch(t, FILE, "bond_yields", n // 256, 256, (price, coupon, periods, found, i32(n)))
    sorted_ones = (price[place], coupon[place], periods[place], place, found, i32(n))
    cured = launch(t, FILE, "bond_yields_b", n // 256, 256, sorted_ones)
    return Pair(slow, cured, lambda _: (found,), ref, 1e-3)


@case
def residual_stream(t: Tools) -> Pair:
    xp, tokens, width = t.xp, t.size(1 << 14, 8), 4096
    stream, branch = ((t.rng.random((tokens, width), dtype=f32) - f32(0.5)).astype(np.float16) for _ in range(2))
    gate, after = t.rng.random(width, dtype=f32).astype(np.float16), xp.zeros((tokens, width), np.float16)

    def ref() -> Any:
        return [stream.astype(f32) + gate.astype(f32) * branch.astype(f32)]

    args, grids = (stream, branch, gate, after, i32(width)), ((width // 256, tokens), (width // 2048, tokens))
    return both(t, FILE, "residual_stream", grids, (256, 256), args, after, ref=ref, near=1e-3)


@case
def cell_profiles(t: Tools) -> Pair:
    xp, cells, genes, target, share = t.xp, t.size(SMS * 16, 3), t.size(49152, 4096), f32(10000), f32(0.05)
    count = xp.floor(xp.maximum(t.rng.random((cells, genes), dtype=f32) * f32(12) - f32(8), f32(0)))
    rows = xp.arange(cells)
    for k in range(3):
        count[rows, (rows * 97 + 1000 * k) % genes] = f32((0.06 + 0.02 * k) * genes)
    profile = xp.zeros((cells, genes), f32)

    def ref() -> Any:
        want = xp.zeros((cells, genes), f32)
        for c in range(cells):
            x = count[c].astype(np.float64)
            rest = xp.where(x <= float(share) * x.sum(), x, 0).sum()
            want[c] = xp.log1p(x * float(target) / rest)
        return [want]

    args, sizes = (count, profile, target, share, i32(genes)), (0, 4 * genes)
    more = {"ref": ref, "near": 1e-4, "shared": sizes}
    return both(t, FILE, "cell_profiles", (cells, cells), (512, 1024), args, profile, **more)


# ---- weights of 4 bits, averages of prices, mixtures, dictionaries, ratings
@case
def nf4_weights(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 10)
    code = t.rng.integers(0, 16, (n, 8), dtype=i32).astype(xp.uint8)
    packed = xp.ascontiguousarray(code[:, 0::2] | code[:, 1::2] << xp.uint8(4)).view(xp.uint32).reshape(n)
    scale, weight = t.rng.random(n // 8, dtype=f32) + f32(0.1), xp.zeros((n, 8), np.float16)
    low = [-1, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.09105004, 0]
    high = [0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1]

    def ref() -> Any:
        level = xp.asarray(low + high, dtype=f32)
        return [level[code.astype(i32)] * xp.repeat(scale, 8)[:, None]]

    args, grid = (packed, scale, weight, i32(n)), n // 256
    return both(t, FILE, "nf4_weights", (grid, grid), (256, 256), args, weight, ref=ref, near=1e-3)


@case
def macd_lines(t: Tools) -> Pair:
    xp, shares, days = t.xp, t.size(SMS * 512, 256), t.size(768, 32)
    price = t.rng.random((days, shares), dtype=f32) * f32(20) + f32(90)
    line = xp.zeros((days, shares), f32)

    def ref() -> Any:
        fast = price[0].astype(np.float64)
        slow, signal, want = fast.copy(), xp.zeros(shares), xp.zeros((days, shares), f32)
        for day in range(days):
            p = price[day].astype(np.float64)
            fast, slow = fast * 11 / 13 + p * 2 / 13, slow * 25 / 27 + p * 2 / 27
            signal = signal * 0.8 + (fast - slow) * 0.2
            want[day] = fast - slow - signal
        return [want]

    args, grid = (price, line, i32(days), i32(shares)), shares // 128
    return both(t, FILE, "macd_lines", (grid, grid), (128, 128), args, line, ref=ref, near=1e-3)


@case
def mixture_labels(t: Tools) -> Pair:
    xp, n, groups, measures = t.xp, t.size(1 << 22, 512), 32, 8
    x = t.rng.random((measures, n), dtype=f32) * f32(10)
    centre = t.rng.random((groups, measures), dtype=f32) * f32(10)
    sharp, prior = t.rng.random((groups, measures), dtype=f32) + f32(0.5), t.rng.random(groups, dtype=f32) - f32(3)
    score, label = xp.zeros(n, f32), xp.zeros(n, i32)
    for name, values in (("centres", centre), ("sharps", sharp), ("priors", prior)):
        t.constant(FILE, name, values.reshape(-1))

    def ref() -> Any:
        best, wide = xp.full(n, -1e30), x.astype(np.float64)
        for g in range(groups):
            off = (wide - centre[g].astype(np.float64)[:, None]) * sharp[g].astype(np.float64)[:, None]
            best = xp.maximum(best, float(prior[g]) - (off * off).sum(axis=0))
        return [best]

    rest = (score, label)
    slow = launch(t, FILE, "mixture_labels", n // 256, 256, (x, centre, sharp, prior, *rest, i32(groups), i32(n)))
    cured = launch(t, FILE, "mixture_labels_b", n // 256, 256, (x, *rest, i32(n)))
    return Pair(slow, cured, lambda _: rest, ref, 1e-5)


@case
def line_amounts(t: Tools) -> Pair:
    xp, n, entries = t.xp, t.size(1 << 25, 1 << 12), 24576
    code = t.rng.integers(0, entries, n, dtype=i32).astype(xp.uint16)
    quantity, dictionary = t.rng.random(n, dtype=f32), t.rng.random(entries, dtype=f32) * f32(100)
    amount = xp.zeros(n, f32)

    def ref() -> Any:
        return [quantity.astype(np.float64) * dictionary[code.astype(i32)]]

    args, grid = (code, quantity, dictionary, amount, i32(entries), i32(n)), 2 * SMS
    more = {"ref": ref, "near": 1e-6, "shared": 4 * entries}
    return same(t, FILE, "line_amounts", (grid, grid), (128, 1024), args, amount, **more)


@case
def rating_moves(t: Tools) -> Pair:
    xp, firms, doublings = t.xp, t.size(1 << 19, 256), 8
    chance = t.rng.random((8, 8, firms), dtype=f32) * f32(0.02)
    for k in range(8):
        chance[k, k] += f32(1)
    chance /= chance.sum(axis=1, keepdims=True)
    later = xp.zeros((8, 8, firms), f32)

    def ref() -> Any:
        p = xp.ascontiguousarray(chance.transpose(2, 0, 1)).astype(np.float64)
        for _ in range(doublings):
            p = p @ p
        return [xp.ascontiguousarray(p.transpose(1, 2, 0))]

    args, grid = (chance, later, i32(doublings), i32(firms)), firms // 128
    return both(t, FILE, "rating_moves", (grid, grid), (128, 128), args, later, ref=ref, near=1e-4)
