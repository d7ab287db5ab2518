"""The pairs whose kernels are in orchestras.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add
FILE = "orchestras"
f64 = np.float64


# ---- people, microscopes, machines, brains
@case
def scale_scores(t: Tools) -> Pair:
    xp, people, items = t.xp, t.size(1 << 21, 512), 120
    answer = t.rng.integers(1, 6, (people, items), dtype=i32).astype(xp.int8)
    key = xp.asarray(np.where(np.random.default_rng(1).random(items) < 0.3, -1, 1).astype(np.int8))
    score, longest = xp.zeros(people, i32), xp.zeros(people, i32)

    def ref() -> Any:
        total, run, most, before = (xp.zeros(people, i32) for _ in range(4))
        for q in range(items):
            a = answer[:, q].astype(i32)
            total += a * int(key[q])
            run = xp.where(a == before, run + 1, 1).astype(i32)
            most, before = xp.maximum(most, run), a
        return [total, most]

    args = (answer, key, score, longest, i32(people))
    return both(t, FILE, "scale_scores", (people // 256, people // 128), (256, 128), args, (score, longest), ref=ref)


@case
def well_light(t: Tools) -> Pair:
    xp, wells, width, height, background = t.xp, t.size(96, 3), t.size(1024, 256), t.size(1024, 16), 1200
    picture = t.rng.integers(0, 1 << 16, (wells, height, width), dtype=i32).astype(xp.uint16)
    sums = xp.zeros((wells, 4), xp.uint64)

    def ref() -> Any:
        want = xp.zeros((wells, 4), xp.uint64)
        for w in range(wells):
            above = xp.maximum(picture[w].astype(i64) - background, 0)
            want[w, 0] = above.sum()
            want[w, 1] = (above.sum(axis=0) * xp.arange(width)).sum()
            want[w, 2] = (above.sum(axis=1) * xp.arange(height)).sum()
            want[w, 3] = (picture[w] == 65535).sum()
        return [want]

    args, grids = (picture, sums, i32(width), i32(height), i32(background)), (wells, (wells, t.size(22, 2)))
    return both(t, FILE, "well_light", grids, (256, 256), args, sums, ref=ref, reset=zero(sums))


@case
def alarm_onset(t: Tools) -> Pair:
    xp, machines, samples, hold = t.xp, t.size(SMS * 256, 256), t.size(2048, 64), 3
    begin = t.rng.integers(samples // 2, samples - samples // 16, machines, dtype=i32)
    number = xp.arange(samples, dtype=i32)[:, None]
    level = t.rng.random((samples, machines), dtype=f32)
    level += number >= begin
    limit, onset = f32(1.1) + f32(0.2) * t.rng.random(machines, dtype=f32), xp.zeros(machines, i32)

    def ref() -> Any:
        over = level > limit
        over = over[2:] & over[1:-1] & over[:-2]
        first = xp.where(over, number[:-2], i32(samples)).min(axis=0)
        return [xp.where(first == samples, -1, first).astype(i32)]

    args, grid = (level, limit, onset, i32(hold), i32(samples), i32(machines)), machines // 256
    return both(t, FILE, "alarm_onset", (grid, grid), (256, 256), args, onset, ref=ref)


@case
def region_links(t: Tools) -> Pair:
    xp, regions, samples = t.xp, t.size(384, 16), t.size(8192, 512)
    series = t.rng.random((regions, samples), dtype=f32)
    series -= series.mean(axis=1, keepdims=True)
    series /= xp.sqrt((series**2).sum(axis=1, keepdims=True))
    link = xp.zeros((regions, regions), f32)

    def ref() -> Any:
        wide = series.astype(f64)
        return [wide @ wide.T]

    args, grids = (series, link, i32(samples), i32(regions)), ((regions, regions), (regions // 8, regions // 8))
    return both(t, FILE, "region_links", grids, (256, 256), args, link, ref=ref, near=1e-5)


# ---- leaves, hearts, stores, circuits
@case
def leaf_uptake(t: Tools) -> Pair:
    xp, cells, turns = t.xp, t.size(1 << 22, 1 << 10), 40
    draw = t.rng.integers(0, 16, cells, dtype=i32)
    kind = xp.where(draw == 0, 0, 1 + draw % 3).astype(xp.uint8)
    order = xp.concatenate([xp.flatnonzero(kind == k) for k in range(4)]).astype(i32)
    light = f32(50) + f32(1500) * t.rng.random(cells, dtype=f32)
    warm = f32(10) + f32(20) * t.rng.random(cells, dtype=f32)
    dry, gain = f32(0.3) + f32(2) * t.rng.random(cells, dtype=f32), xp.zeros(cells, f32)

    def wheat(q: Any, w: Any, d: Any) -> Any:
        most, electrons = 60 * xp.exp(0.06 * (w - 25)), 150 * q / (q + 400)
        comp, half, inside = 4.2 * xp.exp(0.04 * (w - 25)), 55 + 0.9 * w, 28.0
        for _ in range(turns):
            photon = electrons * (inside - comp) / (4 * inside + 8 * comp)
            a = xp.minimum(most * (inside - comp) / (inside + half), photon) - 0.015 * most
            pore = 0.05 + 0.09 * xp.maximum(a, 0) / (10 + 9 * d)
            inside = 0.5 * inside + 0.5 * xp.maximum(40 - 0.1 * a / pore, 6)
        return a

    def maize(q: Any, w: Any, d: Any) -> Any:
        most, photons, inside = 40 * xp.exp(0.05 * (w - 25)), 0.06 * q, 28.0
        total = most + photons
        limit = 0.6 * (total - xp.sqrt(xp.maximum(total**2 - 3.4 * most * photons, 0)))
        for _ in range(turns):
            pumped = 0.7 * most * inside / (inside + 8)
            a = 1.6 * limit * pumped / (limit + pumped + 0.01 * inside) - 0.02 * most
            pore = 0.03 + 0.04 * xp.maximum(a, 0) / (10 + 5 * d)
            inside = 0.4 * inside + 0.6 * xp.maximum(38 - 0.12 * a / pore, 2)
        return a

    def cactus(q: Any, w: Any, d: Any) -> Any:
        acid, leak, inside = 60.0, 0.02 * xp.exp(0.03 * w), 28.0
        for _ in range(turns):
            freed = 0.05 * q / (1 + 0.002 * q) * acid / (acid + 30)
            fixed = 9 * inside / (inside + 15) * (1 - 0.004 * acid)
            acid = xp.clip(acid + 0.5 * (fixed - freed) - leak * acid, 1, 200)
            pore = 0.01 + 0.2 / (4 + d * (1 + 0.01 * acid))
            a = 0.3 * freed + 0.7 * fixed
            inside = 0.6 * inside + 0.4 * xp.maximum(40 - 0.05 * a / pore, 3)
        return a

    def ref() -> Any:
        want = xp.zeros(cells)
        for k, way in ((1, wheat), (2, maize), (3, cactus)):
            some = kind == k
            want[some] = way(*(a[some].astype(f64) for a in (light, warm, dry)))
        return [want]

    args, grid = (kind, order, light, warm, dry, gain, i32(turns), i32(cells)), cells // 256
    return both(t, FILE, "leaf_uptake", (grid, grid), (256, 256), args, gain, ref=ref, near=1e-3)


@case
def tissue_step(t: Tools) -> Pair:
    xp, width, height, states = t.xp, t.size(8192, 256), t.size(8192, 64), 9
    wide = xp.maximum(t.rng.integers(-12, states, (height, width), dtype=i32), 0)
    small = wide.astype(xp.uint8)
    wide_next, small_next = xp.zeros_like(wide), xp.zeros_like(small)

    def ref() -> Any:
        lit = wide == 1
        near = sum(xp.roll(lit, s, axis=k).astype(i32) for s in (1, -1) for k in (0, 1)) > 0
        return [xp.where(wide == 0, near, (wide + 1) % states).astype(i32)]

    words, sizes = width // 4, (i32(states), i32(width), i32(height))
    slow = launch(t, FILE, "tissue_step", (width // 32, height // 32), (32, 8), (wide, wide_next, *sizes))
    args = (small, small_next, i32(states), i32(words), i32(height))
    cured = launch(t, FILE, "tissue_step_b", (words // 32, height // 32), (32, 8), args)
    outs = {"slow": lambda: wide_next, "cured": lambda: small_next.astype(i32)}
    return Pair(slow, cured, lambda which: (outs[which](),), ref, 0.0, zero(wide_next, small_next))


@case
def restock_values(t: Tools) -> Pair:
    xp, sizes = t.xp, ((128, 32, 24, 20, 16) if not t.dry else (128, 8, 3, 4, 2))
    states, shape = int(np.prod(sizes)), sizes[::-1]
    value, better = f32(100) * t.rng.random(states, dtype=f32), xp.zeros(states, f32)
    demand, holding = (xp.asarray(a, dtype=f32) for a in ([0.3, 0.25, 0.2, 0.15, 0.1], [0.02, 0.05, 0.1, 0.2, 0.3]))
    missed, later = 7.5, 0.96875

    def ref() -> Any:
        old, cost, after = value.astype(f64).reshape(shape), 0.0, 0.0
        for k in range(5):
            axis = 4 - k
            left = xp.arange(sizes[k]).reshape([-1 if a == axis else 1 for a in range(5)])
            cost = cost + float(holding[k]) * left
            after = after + float(demand[k]) * xp.where(left > 0, xp.roll(old, 1, axis=axis), old + missed)
        return [(cost + later * after).reshape(-1)]

    args = (value, better, xp.asarray(sizes, dtype=i64), demand, holding, f32(missed), f32(later), i64(states))
    return both(
        t, FILE, "restock_values", (states // 256, sizes[2:]), (256, (128, 8)), args, better, ref=ref, near=1e-5
    )


@case
def circuit_levels(t: Tools) -> Pair:
    xp, words, levels, inputs, outputs = t.xp, t.size(SMS * 128, 64), 128, 64, 8
    draw = np.random.default_rng(3)
    counts = draw.integers(8, 16, levels)
    level = np.concatenate([[0], np.cumsum(counts)]).astype(i32)
    assert inputs + level[-1] <= 1600
    gates = []
    for begin, count in zip(level[:-1], counts, strict=True):
        ready = inputs + int(begin)
        near = ready - 1 - np.minimum(draw.geometric(0.04, (count, 2)), ready - 1)
        what = draw.choice([0, 1, 3, 3, 4, 5, 7], count)
        gates += (near[:, 0] | near[:, 1] << 12 | what << 24).tolist()
    signals = t.uint32((inputs, words), 1 << 31 - 1)
    out = xp.zeros((outputs, words), xp.uint32)

    def ref() -> Any:
        known = list(signals)
        for gate in gates:
            a, b, what = known[gate & 4095], known[gate >> 12 & 4095], gate >> 24
            y = (a ^ b if what & 2 else a | b) if what & 1 else a & b
            known.append(~y if what & 4 else y)
        return [xp.stack(known[: -outputs - 1 : -1])]

    args = (xp.asarray(gates, dtype=xp.uint32), xp.asarray(level), signals, out, i32(levels), i32(words))
    return both(t, FILE, "circuit_levels", (words, words), (256, 32), args, out, ref=ref)


# ---- food, votes, trains, storms, films, wines
@case
def carton_growth(t: Tools) -> Pair:
    xp, hours, cartons = t.xp, t.size(256, 8), t.size(1 << 18, 512)
    celsius, grown = f32(1) + f32(14) * t.rng.random((hours, cartons), dtype=f32), xp.zeros((cartons, 2), f32)
    ten, start = (f32(2.7), f32(4.1)), (f32(4), f32(6.5))

    def ref() -> Any:
        want = xp.zeros((cartons, 2))
        for row in celsius:
            for k in (0, 1):
                want[:, k] += float(ten[k]) ** ((row.astype(f64) - float(start[k])) / 10)
        return [want]

    args, grid = (celsius, grown, *ten, *start, i32(hours), i32(cartons)), cartons // 256
    return both(t, FILE, "carton_growth", (grid, grid), (256, 256), args, grown, ref=ref, near=1e-4)


@case
def count_ballots(t: Tools) -> Pair:
    xp, ballots, places, runners = t.xp, t.size(256, 32), t.size(SMS * 2048, 512), 24
    first, second = (t.rng.integers(0, runners, (ballots, places), dtype=i32).astype(xp.uint8) for _ in range(2))
    gone = [3, 11, 17, 20]
    result = xp.zeros((places, 2), i32)

    def ref() -> Any:
        want, some = xp.zeros((places, 2), i32), places // 16
        lost = xp.asarray(np.isin(np.arange(runners), gone))
        for begin in range(0, places, some):
            part = slice(begin, begin + some)
            one, two = (a[:, part].astype(i32) for a in (first, second))
            choice = xp.where(lost[one], two, one).astype(i64) + runners * xp.arange(some)
            tally = xp.bincount(choice.reshape(-1), minlength=runners * some).reshape(some, runners)
            ranked = xp.sort(tally, axis=1)
            want[part, 0] = tally.argmax(axis=1)
            want[part, 1] = ranked[:, -1] - ranked[:, -2]
        return [want]

    mask = np.uint32(sum(1 << k for k in gone))
    args, grid = (first, second, result, mask, i32(ballots), i32(places)), places // 128
    return both(t, FILE, "count_ballots", (grid, grid), (128, 128), args, result, ref=ref)


@case
def underground_times(t: Tools) -> Pair:
    xp, stops, rounds, scenarios, start = t.xp, 48, 8, t.size(SMS * 1024, 256), 5
    draw, ring = np.random.default_rng(4), np.arange(48)
    ends = np.concatenate(
        [[ring, (ring + 1) % stops], [(ring + 1) % stops, ring], draw.integers(0, stops, (2, 32))], axis=1
    )
    line = np.stack([*ends, draw.integers(2, 9, 128), draw.integers(0, 4, 128)], axis=1)
    line = line[draw.permutation(128)].astype(i32)
    delay, mean = f32(1) + t.rng.random((4, scenarios), dtype=f32), xp.zeros(scenarios, f32)

    def ref() -> Any:
        time, slow = [xp.full(scenarios, 0.0 if k == start else 1e6) for k in range(stops)], delay.astype(f64)
        for _ in range(rounds):
            for a, b, minutes, which in line.tolist():
                time[b] = xp.minimum(time[b], time[a] + minutes * slow[which])
        return [sum(time) / stops]

    args = (xp.asarray(line), delay, mean, i32(start), i32(len(line)), i32(rounds), i32(scenarios))
    grid = scenarios // 128
    return both(t, FILE, "underground_times", (grid, grid), (128, 128), args, mean, ref=ref, near=1e-5)


@case
def strike_days(t: Tools) -> Pair:
    xp, strikes, days = t.xp, t.size(1 << 24, 1 << 12), 365
    day = t.rng.integers(0, days, strikes, dtype=i32)
    energy, total = t.uint32(strikes, 1000), xp.zeros(days, xp.uint32)

    def ref() -> Any:
        return [xp.bincount(day, weights=energy.astype(f64), minlength=days).astype(xp.uint32)]

    args, grids = (day, energy, total, i32(strikes)), (t.size(SMS * 8, 2), t.size(SMS * 8, 2))
    return both(t, FILE, "strike_days", grids, (256, 256), args, total, ref=ref, reset=zero(total))


@case
def lay_subtitles(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 27, 1 << 14)
    film, text, cover = (t.rng.integers(0, 256, n, dtype=i32).astype(xp.uint8) for _ in range(3))
    out = xp.zeros(n, xp.uint8)

    def ref() -> Any:
        want, some = xp.zeros(n, xp.uint8), n // 8
        for begin in range(0, n, some):
            part = slice(begin, begin + some)
            under, over, c = (a[part].astype(i32) for a in (film, text, cover))
            want[part] = (c * over + (255 - c) * under + 127) // 255
        return [want]

    args, grid = (film, text, cover, out, i32(n)), t.size(SMS * 8, 2)
    return both(t, FILE, "lay_subtitles", (grid, grid), (256, 256), args, out, ref=ref)


@case
def taster_pairs(t: Tools) -> Pair:
    xp, wines = t.xp, t.size(SMS * 512, 1024)
    mark = t.rng.random((wines, 2), dtype=f32)
    mark[:, 1] += f32(0.5) * mark[:, 0]
    total = xp.zeros(1, xp.int64)

    def ref() -> Any:
        want, some = 0, 512
        for begin in range(0, wines, some):
            mine = mark[begin : begin + some]
            before = mark[: begin + some]
            x, y = (mine[:, k, None] - before[:, k] for k in (0, 1))
            signs = xp.sign(x * y)
            want = want + xp.tril(signs, begin - 1).sum(dtype=f64)
        return [xp.asarray(want).reshape(1).astype(xp.int64)]

    args, grids = (mark, total, i32(wines)), (wines // 512, (wines // 256, -(-wines // 1024)))
    return both(t, FILE, "taster_pairs", grids, (512, 256), args, total, ref=ref, reset=zero(total))
