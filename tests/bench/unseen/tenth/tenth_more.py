"""The pairs whose kernels are in orchards.cu: inputs, grids and references."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add


# ---- stars, sentences, words, games, weights
@case
def star_colours(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 10)
    star, magnitude, colour = t.rng.random((n, 16), dtype=f32), xp.zeros(n, f32), xp.zeros(n, f32)
    star[:, 6] = star[:, 6] * f32(10) - f32(0.5)
    star[:, 8:11] = star[:, 8:11] * f32(12) + f32(6)
    planes = [xp.ascontiguousarray(star[:, k]) for k in (6, 8, 9, 10)]

    def ref() -> Any:
        parallax, g, bp, rp = (star[:, k].astype(np.float64) for k in (6, 8, 9, 10))
        bright = g - 10 + 5 * xp.log10(xp.maximum(parallax, 1e-30))
        return [xp.where(parallax > 0, bright, 99.0), bp - rp]

    rest = (magnitude, colour, i32(n))
    slow = launch(t, "orchards", "star_colours", n // 256, 256, (star, *rest))
    cured = launch(t, "orchards", "star_colours_b", n // 256, 256, (*planes, *rest))
    return Pair(slow, cured, lambda _: (magnitude, colour), ref, 1e-5)


@case
def attend_sentences(t: Tools) -> Pair:
    xp, heads, length = t.xp, t.size(64, 2), t.size(512, 96)
    q, k, v = (t.rng.random((heads, length, 64), dtype=f32) * f32(4) - f32(2) for _ in range(3))
    y = xp.zeros((heads, length, 64), f32)

    def ref() -> Any:
        score = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) / 8
        weight = xp.exp(score - score.max(axis=2, keepdims=True))
        return [weight / weight.sum(axis=2, keepdims=True) @ v.astype(np.float64)]

    args, grid = (q, k, v, y, f32(0.125), i32(length)), (length // 32, heads)
    return both(t, "orchards", "attend_sentences", (grid, grid), (256, 256), args, y, ref=ref, near=1e-4)


@case
def word_gradients(t: Tools) -> Pair:
    xp, sentences, words = t.xp, t.size(1 << 10, 4), t.size(1 << 15, 1 << 6)
    tokens = sentences * 256
    common = xp.exp(t.rng.random((sentences, 256), dtype=f32) * f32(math.log(words - 1))).astype(i32)
    length = t.rng.integers(1, 257, sentences, dtype=i32)
    word = xp.where(xp.arange(256) < length[:, None], xp.clip(common, 1, words - 1), 0).astype(i32).reshape(-1)
    gradient, table = t.rng.random((tokens, 128), dtype=f32) - f32(0.5), xp.zeros((words, 128), f32)
    order = xp.argsort(word).astype(i32)
    in_order = word[order]

    def ref() -> Any:
        total = xp.concatenate([xp.zeros((1, 128)), gradient[order].astype(np.float64).cumsum(axis=0)])
        ends = xp.searchsorted(in_order, xp.arange(words + 1, dtype=i32))
        return [total[ends[1:]] - total[ends[:-1]]]

    slow = launch(t, "orchards", "word_gradients", tokens // 4, 512, (word, gradient, table))
    cured = launch(t, "orchards", "word_gradients_b", tokens // 256, 256, (order, in_order, gradient, table))
    return Pair(slow, cured, lambda _: (table,), ref, 1e-4, zero(table))


@case
def ladder_games(t: Tools) -> Pair:
    xp, players, games = t.xp, t.size(SMS * 2048, 512), t.size(64, 8)
    board = np.arange(101)
    ladders = {1: 38, 4: 14, 9: 31, 21: 42, 28: 84, 36: 44, 51: 67, 71: 91, 80: 100}
    snakes = {16: 6, 47: 26, 49: 11, 56: 53, 62: 19, 64: 60, 87: 24, 93: 73, 95: 75, 98: 78}
    for start, end in (ladders | snakes).items():
        board[start] = end
    jump, throws = xp.asarray(board, dtype=xp.uint8), xp.zeros(players, xp.uint32)
    seed = t.uint32(players, 1 << 30) + xp.uint32(1)

    def ref() -> Any:
        state, square, left = seed.copy(), xp.zeros(players, i32), xp.full(players, games, i32)
        want, on = xp.zeros(players, xp.uint32), jump.astype(i32)
        for _ in range(100 * games):
            for _ in range(4):
                state ^= state << xp.uint32(13)
                state ^= state >> xp.uint32(17)
                state ^= state << xp.uint32(5)
                place = square + 1 + ((state >> xp.uint32(16)) * xp.uint32(6) >> xp.uint32(16)).astype(i32)
                square = xp.where(place <= 100, on[xp.minimum(place, 100)], square)
                want += left > 0
                left -= square == 100
                square *= square != 100
            if int(left.max()) <= 0:
                break
        return [want]

    args, grid = (jump, seed, throws, i32(games)), players // 256
    return both(t, "orchards", "ladder_games", (grid, grid), (256, 256), args, throws, ref=ref)


@case
def adamw_step(t: Tools) -> Pair:
    xp, n, step = t.xp, t.size(1 << 24, 1 << 10), 40
    rate, beta1, beta2, decay = f32(0.05), f32(0.9), f32(0.999), f32(0.01)
    gradient = t.rng.random(n, dtype=f32) - f32(0.5)
    begin = [t.rng.random(n, dtype=f32) - f32(0.5), f32(0.1) * t.rng.random(n, dtype=f32), t.rng.random(n, dtype=f32)]
    begin[2] = begin[2] * f32(0.01) + f32(0.0001)
    now = [a.copy() for a in begin]

    def reset() -> None:
        for a, b in zip(now, begin, strict=True):
            a[...] = b

    def ref() -> Any:
        weight, mean, square = (a.astype(np.float64) for a in begin)
        g = gradient.astype(np.float64)
        mean = mean + (1 - float(beta1)) * (g - mean)
        square = square + (1 - float(beta2)) * (g * g - square)
        moved = mean / (1 - float(beta1) ** step) / (xp.sqrt(square / (1 - float(beta2) ** step)) + 1e-8)
        return [weight - float(rate) * (moved + float(decay) * weight), mean, square]

    first, second = (now[0], gradient, now[1], now[2]), (rate, beta1, beta2, decay)
    mends = [f32(1 / (1 - float(beta) ** step)) for beta in (beta1, beta2)]
    slow = launch(t, "orchards", "adamw_step", n // 256, 256, (*first, *second, i32(step), i32(n)))
    cured = launch(t, "orchards", "adamw_step_b", n // 256, 256, (*first, *second, *mends, i32(n)))
    return Pair(slow, cured, lambda _: tuple(now), ref, 1e-5, reset)


# ---- patches, soils, vectors, pulsars
@case
def patch_tokens(t: Tools) -> Pair:
    xp, pictures, side = t.xp, t.size(256, 2), t.size(224, 64)
    across = side // 16
    picture = t.rng.random((pictures, 3, side, side), dtype=f32)
    token = xp.zeros((pictures, across * across, 768), f32)

    def ref() -> Any:
        cut = picture.reshape(pictures, 3, across, 16, across, 16).transpose(0, 2, 4, 1, 3, 5)
        return [xp.ascontiguousarray(cut).reshape(pictures, across * across, 768)]

    sizes = (i64(3), i64(side), i64(side), i64(16), i64(token.size))
    slow = launch(t, "orchards", "patch_tokens", token.size // 256, 256, (picture, token, *sizes))
    cut = (picture, token, i32(side), i32(side))
    cured = launch(t, "orchards", "patch_tokens_b", (across, across, pictures), 192, cut)
    return Pair(slow, cured, lambda _: (token,), ref)


@case
def soil_water(t: Tools) -> Pair:
    xp, cells, days, layers = t.xp, t.size(1 << 18, 1 << 9), 60, 36
    rain = xp.maximum(t.rng.random((days, cells), dtype=f32) * f32(30) - f32(15), f32(0))
    capacity = t.rng.random(cells, dtype=f32) * f32(10) + f32(10)
    flow = t.rng.random(cells, dtype=f32) * f32(0.3) + f32(0.6)
    drained, held = xp.zeros(cells, f32), xp.zeros(cells, f32)

    def ref() -> Any:
        full, rate = capacity.astype(np.float64), flow.astype(np.float64)
        water, out = [0.9 * full] * layers, xp.zeros(cells)
        for day in range(days):
            down = rain[day].astype(np.float64)
            for k in range(layers):
                now = water[k] + down
                down = rate * xp.maximum(now - full, 0)
                water[k] = now - down
            out += down
        return [out, sum(water)]

    args, grid = (rain, capacity, flow, drained, held, i32(layers), i32(days), i32(cells)), cells // 256
    more = {"ref": ref, "near": 1e-4}
    return both(t, "orchards", "soil_water", (grid, grid), (256, 256), args, (drained, held), **more)


@case
def search_vectors(t: Tools) -> Pair:
    xp, queries, n = t.xp, t.size(1024, 128), t.size(32768, 256)
    query, index = t.rng.random((queries, 128), dtype=f32), t.rng.random((n, 128), dtype=f32)
    distance = xp.zeros((queries, n), f32)

    def ref() -> Any:
        a, b = query.astype(np.float64), index.astype(np.float64)
        return [(a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2 * (a @ b.T)]

    args, grid = (query, index, distance, i32(n)), (n // 128, queries // 128)
    return both(t, "orchards", "search_vectors", (grid, grid), (256, 256), args, distance, ref=ref, near=1e-5)


@case
def dedisperse(t: Tools) -> Pair:
    xp, channels, length, trials = t.xp, t.size(256, 8), t.size(16384, 512), 16
    frequency = np.linspace(1.2, 1.5, channels)
    late = (frequency**-2 - 1.5**-2) / (1.2**-2 - 1.5**-2)
    shift = np.rint(late * np.linspace(8, 1000, trials)[:, None]).astype(i32)
    delay, samples = xp.asarray(shift), length + 1024
    power, series = t.rng.random((channels, samples), dtype=f32), xp.zeros((trials, length), f32)

    def ref() -> Any:
        want = xp.zeros((trials, length))
        for trial in range(trials):
            for c in range(channels):
                first = int(shift[trial, c])
                want[trial] += power[c, first : first + length]
        return [want]

    args, grids = (power, delay, series, i32(channels), i32(samples), i32(length)), (trials, (length // 256, trials))
    return both(t, "orchards", "dedisperse", grids, (256, 256), args, series, ref=ref, near=1e-5)


# ---- circuits, queries, texts, losses, herds
@case
def node_currents(t: Tools) -> Pair:
    xp, rows, rails, wide, most = t.xp, t.size(1 << 18, 1 << 10), t.size(8, 2), t.size(1 << 17, 1 << 9), 256
    count = t.rng.integers(16, 49, rows, dtype=i32)
    rail = xp.arange(rails) * (rows // rails) + 77
    count[rail] = wide
    begin = xp.concatenate([xp.zeros(1, i32), count.cumsum().astype(i32)])
    entries = int(begin[-1])
    mark = xp.zeros(entries, i32)
    mark[begin[1:-1]] = 1
    row = mark.cumsum().astype(i32)
    column = (row + t.rng.integers(-500, 500, entries, dtype=i32)) % rows
    column = xp.where(count[row] == wide, t.rng.integers(0, rows, entries, dtype=i32), column).astype(i32)
    conductance, voltage = t.rng.random(entries, dtype=f32), t.rng.random(rows, dtype=f32) - f32(0.5)
    current = xp.zeros(rows, f32)
    parts = -(-count // most)
    last = parts.cumsum()
    of_row = xp.searchsorted(last, xp.arange(int(last[-1])), side="right")
    first = begin[of_row] + most * (xp.arange(int(last[-1])) - (last - parts)[of_row])
    piece = xp.stack([of_row, first, xp.minimum(first + most, begin[of_row + 1]), of_row], axis=1).astype(i32)

    def ref() -> Any:
        product = conductance.astype(np.float64) * voltage[column]
        total = xp.concatenate([xp.zeros(1), product.cumsum()])
        return [total[begin[1:]] - total[begin[:-1]]]

    table, pieces = (column, conductance, voltage, current), len(piece)
    slow = launch(t, "orchards", "node_currents", -(-rows // 8), 256, (begin, *table, i32(rows)))
    cured = launch(t, "orchards", "node_currents_b", -(-pieces // 8), 256, (piece, *table, i32(pieces)))
    return Pair(slow, cured, lambda _: (current,), ref, 1e-4, zero(current))


@case
def rotary_places(t: Tools) -> Pair:
    xp, tokens, heads = t.xp, t.size(8192, 8), 32
    query = (t.rng.random((tokens, heads, 128), dtype=f32) - f32(0.5)).astype(np.float16)
    turned = xp.zeros((tokens, heads, 128), np.float16)

    def ref() -> Any:
        angle = xp.arange(tokens)[:, None, None] * 10000.0 ** (-xp.arange(64) / 64)
        x, y = query[..., 0::2].astype(np.float64), query[..., 1::2].astype(np.float64)
        c, s = xp.cos(angle), xp.sin(angle)
        return [xp.stack([x * c - y * s, x * s + y * c], axis=3).reshape(tokens, heads, 128)]

    args, grids, blocks = (query, turned, i32(heads)), ((tokens, heads // 4), tokens // 4), ((64, 4), (64, 4))
    return both(t, "orchards", "rotary_places", grids, blocks, args, turned, ref=ref, near=2e-3)


@case
def write_texts(t: Tools) -> Pair:
    xp, texts, length = t.xp, t.size(SMS, 3), t.size(512, 12)
    score, text = t.uint32((1024, 1024), 1 << 20), xp.zeros((texts, length), i32)
    begin = t.rng.integers(0, 1024, texts, dtype=i32)

    def ref() -> Any:
        word, want, own = begin, xp.zeros((texts, length), i32), xp.arange(1024, dtype=xp.uint32)
        for step in range(length):
            place = ((xp.arange(texts) * length + step) * 1024).astype(xp.uint32)
            x = (place[:, None] + own) * xp.uint32(0x9E3779B9)
            x = (x ^ x >> xp.uint32(15)) * xp.uint32(0x85EBCA6B)
            word = (score[word] + (x >> xp.uint32(13))).astype(i64)
            word = (word * 1024 + own).argmax(axis=1)
            want[:, step] = word
        return [want]

    args = (score, begin, text, i32(length))
    return both(t, "orchards", "write_texts", (texts, texts), (1024, 1024), args, text, ref=ref)


@case
def word_losses(t: Tools) -> Pair:
    xp, rows, words, smooth = t.xp, t.size(SMS * 8, 3), t.size(128256, 6000), f32(0.1)
    logit, loss = t.rng.random((rows, words), dtype=f32), xp.zeros(rows, f32)
    logit *= f32(20)
    label = t.rng.integers(0, words, rows, dtype=i32)

    def ref() -> Any:
        want = xp.zeros(rows)
        for r in range(rows):
            x = logit[r].astype(np.float64)
            most = x.max()
            mixed = (1 - float(smooth)) * x[label[r]] + float(smooth) * x.mean()
            want[r] = most + xp.log(xp.exp(x - most).sum()) - mixed
        return [want]

    args = (logit, label, loss, smooth, i32(words // 4))
    return both(t, "orchards", "word_losses", (rows, rows), (512, 512), args, loss, ref=ref, near=1e-4)


@case
def herd_kinship(t: Tools) -> Pair:
    xp, n, markers = t.xp, t.size(2048, 64), t.size(1024, 32)
    genotype = t.rng.integers(0, 3, (markers, n), dtype=i32).astype(f32)
    genotype = (genotype - genotype.mean(axis=1, keepdims=True)) / genotype.std(axis=1, keepdims=True)
    kinship = xp.zeros((n, n), f32)

    def ref() -> Any:
        wide = genotype.astype(np.float64)
        return [wide.T @ wide / markers]

    args, grids = (genotype, kinship, i32(n), i32(markers)), ((n // 32, n // 32), (n // 64, n // 64))
    return both(t, "orchards", "herd_kinship", grids, ((32, 32), 256), args, kinship, ref=ref, near=1e-5)
