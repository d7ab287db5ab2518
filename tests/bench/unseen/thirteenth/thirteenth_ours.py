"""The pairs whose kernels are in vineyards.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add
f64, u8, u32 = np.float64, np.uint8, np.uint32
FILE = "vineyards"


# ---- farms, ships and books
@case
def budburst_days(t: Tools) -> Pair:
    xp, parcels, days, base, frost = t.xp, t.size(SMS * 2048, 128), 214, f32(8), f32(-1)
    season = xp.arange(days, dtype=f32) * f32(16 / days)
    low = season + f32(12) * t.rng.random((parcels, days), dtype=f32) - f32(7)
    high = low + f32(4) + f32(12) * t.rng.random((parcels, days), dtype=f32)
    need = f32(40) + f32(200) * t.rng.random(parcels, dtype=f32)
    day, harm = xp.zeros(parcels, f32), xp.zeros(parcels, f32)

    def ref() -> Any:
        heat, burst, loss = xp.zeros(parcels, f32), xp.full(parcels, -1, f32), xp.zeros(parcels)
        for d in range(days):
            heat = heat + xp.maximum(f32(0.5) * (low[:, d] + high[:, d]) - base, f32(0))
            burst = xp.where((burst < 0) & (heat >= need), f32(d), burst)
            loss += xp.where((burst >= 0) & (low[:, d] < frost), frost - low[:, d], f32(0))
        return [burst, loss]

    args = (low, high, need, day, harm, base, frost, i32(days), i32(parcels))
    grids = (parcels // 128, parcels // 128)
    return both(t, FILE, "budburst_days", grids, (128, 128), args, (day, harm), ref=ref, near=1e-5)


@case
def hull_buoyancy(t: Tools) -> Pair:
    xp, hulls, each, parts = t.xp, t.size(24, 2), t.size(1 << 17, 1 << 10), t.size(44, 2)
    n = hulls * each
    centre = f32(20) * t.rng.random((1, 3, n), dtype=f32) - f32(10)
    mesh = (centre + t.rng.random((3, 3, n), dtype=f32)).reshape(9, n)
    draft, sums = f32(2) * t.rng.random(hulls, dtype=f32), xp.zeros((hulls, 5), f32)

    def ref() -> Any:
        want = xp.empty((hulls, 5))
        for h in range(hulls):
            a, b, c = mesh[:, h * each : (h + 1) * each].astype(f64).reshape(3, 3, each)
            line = float(draft[h])
            wet = a[2] + b[2] + c[2] < 3 * line
            normal = xp.cross(b - a, c - a, axis=0)
            volume = wet * (a[0] * normal[0] + a[1] * normal[1] + (a[2] - line) * normal[2]) / 6
            middle = (a + b + c) / 4
            want[h, 0], want[h, 1], want[h, 2] = volume.sum(), (volume * middle[0]).sum(), (volume * middle[1]).sum()
            want[h, 3] = (volume * (middle[2] + line / 4)).sum()
            want[h, 4] = (wet * xp.sqrt((normal * normal).sum(axis=0))).sum() / 2
        return [want]

    args, grids = (mesh, draft, sums, i32(each), i32(n)), (hulls, (parts, hulls))
    return both(t, FILE, "hull_buoyancy", grids, (256, 256), args, sums, ref=ref, near=1e-3, reset=zero(sums))


@case
def loan_histories(t: Tools) -> Pair:
    """Every book is lent once in each of the rounds, in another order each time."""
    xp, books, rounds, limit = t.xp, t.size(SMS * 256, 256), t.size(512, 8), i32(28)
    days = t.rng.integers(1, 43, (rounds, books), dtype=i32)
    place = xp.empty((rounds, books), i32)  # in the log, of a round and a book
    for r in range(rounds):
        place[r] = xp.argsort(t.rng.random(books, dtype=f32)) + r * books
    log = xp.empty((rounds * books, 2), i32)
    log[place[0], 0] = -1
    log[place[1:].reshape(-1), 0] = place[:-1].reshape(-1)
    log[place.reshape(-1), 1] = days.reshape(-1)
    last, start = place[-1].copy(), xp.arange(books + 1, dtype=i32) * i32(rounds)
    by_book, history = xp.ascontiguousarray(days.T), xp.zeros((3, books), i32)

    def ref() -> Any:
        return [xp.stack([days.sum(axis=0), days.max(axis=0), (days > limit).sum(axis=0)])]

    slow = launch(t, FILE, "loan_histories", books // 128, 128, (log, last, history, limit, i32(books)))
    cured = launch(t, FILE, "loan_histories_b", books // 8, 256, (by_book, start, history, limit, i32(books)))
    return Pair(slow, cured, lambda _: [history], ref)


# ---- buildings, power stations and people
@case
def wifi_places(t: Tools) -> Pair:
    xp, readings, points, places, most = t.xp, t.size(128, 16), t.size(128, 8), t.size(65536, 256), f32(30)
    seen = f32(-95) + f32(60) * t.rng.random((readings, points), dtype=f32)
    survey = f32(-95) + f32(60) * t.rng.random((points, places), dtype=f32)
    unlike = xp.zeros((readings, places), f32)

    def ref() -> Any:
        want = xp.zeros((readings, places))
        for k in range(points):
            want += xp.minimum(xp.abs(seen[:, k, None] - survey[k]), most)
        return [want]

    args = (seen, survey, unlike, most, i32(points), i32(readings), i32(places))
    grids = ((places // 256, readings), (places // 256, readings // 16))
    return both(t, FILE, "wifi_places", grids, (256, 256), args, unlike, ref=ref, near=1e-5)


@case
def steam_states(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 12)
    p, temperature = t.rng.random(n, dtype=f32), t.rng.random(n, dtype=f32)
    region = t.rng.integers(0, 4, n, dtype=i32).astype(u8)
    terms = ((np.random.default_rng(5).random((4, 64)) - 0.5) / 16).astype(f32)
    t.constant(FILE, "steam_terms", xp.asarray(terms))
    volume, heat = xp.zeros(n, f32), xp.zeros(n, f32)

    def surface(c: Any, rows: int, columns: int, x: Any, y: Any) -> Any:
        """As in the kernel, from powers instead of Horner's scheme."""
        f, fx, fy = 0.0, 0.0, 0.0
        ys = [xp.ones_like(y)]
        for _ in range(columns - 1):
            ys.append(ys[-1] * y)
        for i in range(rows):
            of = [float(v) for v in c[i * columns : (i + 1) * columns]]
            row = sum(v * power for v, power in zip(of, ys, strict=True))
            slope = sum(j * of[j] * ys[j - 1] for j in range(1, columns))
            f, fy = f + row * x**i, fy + slope * x**i
            fx = fx + (i * row * x ** (i - 1) if i else 0.0)
        return f, fx, fy

    def ref() -> Any:
        first, second = xp.empty(n), xp.empty(n)
        for which in range(4):
            at, c = xp.nonzero(region == which)[0], terms[which]
            x, y = p[at].astype(f64), temperature[at].astype(f64)
            if which == 0:
                _, fx, fy = surface(c, 8, 8, 1 - x, y - 0.5)
                first[at], second[at] = -fx * x, fy * y
            elif which == 1:
                _, fx, fy = surface(c, 5, 12, x, y - 0.25)
                first[at], second[at] = 1 + x * fx, 1 + y / 4 + y * y / 8 + y * fy
            elif which == 2:
                density = 0.5 + x / 2
                for _ in range(6):
                    _, fx, fy = surface(c, 4, 4, density, y)
                    density = density - 0.5 * (density * (1 + density * fx) - x)
                _, fx, fy = surface(c, 4, 4, density, y)
                first[at], second[at] = 2 - density, y * fy + density * fx
            else:
                _, fx, fy = surface(c, 4, 16, x * y, y - 0.75)
                _, hx, hy = surface(c, 8, 8, x, 1 - y)
                first[at], second[at] = 1 + x * (fx + hx / 2), 2 + y * (fy - hy)
        return [first, second]

    args, grids = (p, temperature, region, volume, heat, i32(n)), (n // 256, n // 1024)
    return both(t, FILE, "steam_states", grids, (256, 256), args, (volume, heat), ref=ref, near=1e-5)


@case
def census_poverty(t: Tools) -> Pair:
    xp, n, line = t.xp, t.size(1 << 24, 1 << 12), 12000
    below = {"age": 100, "status": 5, "hours": 50, "size": 7, "income": 6000}
    wide = {k: t.rng.integers(0, v, n, dtype=i64) for k, v in below.items()}
    wide["size"] += 1
    narrow = {k: v.astype(i32 if k == "income" else u8) for k, v in wide.items()}
    gaps = {"slow": xp.zeros(n, i64), "cured": xp.zeros(n, i32)}

    def ref() -> Any:
        age, status, hours, size, income = wide.values()
        gap = xp.maximum(line + line // 2 * (size - 1) - 10 * income, 0)
        gap = gap * ((age >= 16) & (status != 3))
        return [xp.where(hours >= 20, gap // 2, gap)]

    slow = launch(t, FILE, "census_poverty", n // 256, 256, (*wide.values(), gaps["slow"], i64(line), i32(n)))
    few = (*narrow.values(), gaps["cured"], i32(line), i32(n // 4))
    cured = launch(t, FILE, "census_poverty_b", n // 1024, 256, few)
    return Pair(slow, cured, lambda which: [gaps[which]], ref)


# ---- cloth, feed and earthquakes
@case
def weave_drafts(t: Tools) -> Pair:
    xp, width, height, thick, high, ends, picks = t.xp, t.size(8192, 256), t.size(8192, 128), 7, 6, 336, 412
    threading = t.rng.integers(0, 16, ends, dtype=i32).astype(u8)
    treadling = t.rng.integers(0, 20, picks, dtype=i32).astype(u8)
    tie_up = t.uint32(20, 1 << 16)
    warp_colour, weft_colour = t.uint32(ends, 1 << 24), t.uint32(picks, 1 << 24)
    cloth = xp.zeros((height, width), u32)

    def ref() -> Any:
        x, y = xp.arange(width), xp.arange(height)
        end, pick = x // thick % ends, y // high % picks
        warp, weft = warp_colour[end], weft_colour[pick]
        warp = xp.where(x % thick == 0, warp >> 1 & 0x7F7F7F, warp)
        weft = xp.where(y % high == 0, weft >> 1 & 0x7F7F7F, weft)
        raised = tie_up[treadling[pick].astype(i32)].astype(i64)[:, None] >> threading[end].astype(i64) & 1
        return [xp.where(raised == 1, warp, weft[:, None])]

    numbers = tuple(i32(v) for v in (thick, high, ends, picks, width, height))
    args = (threading, treadling, tie_up, warp_colour, weft_colour, cloth, *numbers)
    grids = (width * height // 256, (width // 256, height // 64))
    return both(t, FILE, "weave_drafts", grids, (256, 256), args, cloth, ref=ref)


@case
def feed_rations(t: Tools) -> Pair:
    xp, farms, limits, feeds, most = t.xp, t.size(SMS * 64, 2), 24, 40, t.size(48, 2)
    tableau = xp.zeros((farms, limits + 1, feeds + limits + 1), f32)
    tableau[:, :limits, :feeds] = f32(0.2) + t.rng.random((farms, limits, feeds), dtype=f32)
    tableau[:, :limits, feeds:-1] = xp.eye(limits, dtype=f32)
    tableau[:, :limits, -1] = f32(4) + f32(4) * t.rng.random((farms, limits), dtype=f32)
    tableau[:, limits, :feeds] = -(f32(0.5) + t.rng.random((farms, feeds), dtype=f32))
    worth = xp.zeros(farms, f32)

    def ref() -> Any:
        s, every, last = tableau.astype(f64), xp.arange(farms), limits
        for _ in range(most):
            entering = s[:, last, :-1].argmin(axis=1)
            more = s[:, last, :-1].min(axis=1) < -1e-5
            column = xp.take_along_axis(s, entering[:, None, None], axis=2)[:, :, 0]
            rate = column[:, :limits]
            ratio = xp.where(rate > 1e-5, s[:, :limits, -1] / xp.where(rate > 1e-5, rate, 1.0), 1e30)
            leaving = ratio.argmin(axis=1)
            row = s[every, leaving] / column[every, leaving][:, None]
            new = s - column[:, :, None] * row[:, None, :]
            new[every, leaving] = row
            s = xp.where(more[:, None, None], new, s)
        return [s[:, last, -1]]

    args, grids = (tableau, worth, i32(most)), (farms, farms)
    return both(t, FILE, "feed_rations", grids, (256, 256), args, worth, ref=ref, near=1e-3)


@case
def shaking_rates(t: Tools) -> Pair:
    xp, ruptures, sites = t.xp, t.size(128, 8), t.size(SMS * 2048, 256)
    depth, level, sigma = f32(8), f32(0.1), f32(0.6)
    rupture, rate = t.rng.random((ruptures, 4), dtype=f32), f32(0.01) * t.rng.random(ruptures, dtype=f32)
    rupture *= xp.asarray([200, 200, 40, 0.4], dtype=f32)
    rupture += xp.asarray([0, 0, 2, 0.9], dtype=f32)
    site = t.rng.random((3, sites), dtype=f32)
    site *= xp.asarray([[200], [200], [0.01]], dtype=f32)
    often = xp.zeros(sites, f32)

    def ref() -> Any:
        want, (x, y, loss) = xp.zeros(sites), site.astype(f64)
        for k in range(ruptures):
            sx, sy, strength, spread = rupture[k].astype(f64).tolist()
            r = xp.sqrt((x - sx) ** 2 + (y - sy) ** 2 + float(depth) ** 2)
            z = xp.log(float(level) / (strength * r**-spread * xp.exp(-loss * r))) / float(sigma)
            want += float(rate[k]) / (1 + xp.exp(1.702 * z))
        return [want]

    args = (rupture, rate, site, often, depth, level, sigma, i32(ruptures), i32(sites))
    grids = (sites // 256, sites // 256)
    return both(t, FILE, "shaking_rates", grids, (256, 256), args, often, ref=ref, near=1e-3)


# ---- tiles, letters and bills
@case
def mahjong_hands(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 10)
    first, step = t.rng.integers(0, 136, n, dtype=i32), 2 * t.rng.integers(0, 8, n, dtype=i32) + 1
    kind = xp.asarray(np.random.default_rng(3).permutation(136) // 4, dtype=u8)
    hands, melds = xp.zeros((n, 16), u8), xp.zeros(n, i32)
    for k in range(14):  # 14 different ones of the 136 tiles
        hands[:, k] = kind[(first + k * step) % 136]

    def ref() -> Any:
        count = [(hands[:, :14] == tile).sum(axis=1).astype(i32) for tile in range(34)]
        triplets, pairs = sum((c >= 3).astype(i32) for c in count), sum((c == 2).astype(i32) for c in count)
        kinds, runs = sum((c > 0).astype(i32) for c in count), xp.zeros(n, i32)
        for tile in (9 * suit + r for suit in range(3) for r in range(7)):
            runs += xp.minimum(count[tile], xp.minimum(count[tile + 1], count[tile + 2]))
        return [triplets | pairs << 8 | runs << 16 | kinds << 24]

    return both(t, FILE, "mahjong_hands", (n // 256, n // 256), (256, 256), (hands, melds, i32(n)), melds, ref=ref)


@case
def glyph_fields(t: Tools) -> Pair:
    xp, glyphs, ink, scale = t.xp, t.size(1 << 14, 4), i32(128), f32(6)
    coarse = t.rng.random((glyphs, 8, 8), dtype=f32) < f32(0.15)
    glyph = xp.repeat(xp.repeat(coarse, 8, axis=1), 8, axis=2).astype(u8) * u8(200)
    field = xp.zeros((glyphs, 64, 64), u8)

    def ref() -> Any:
        far = xp.where(glyph >= ink, 0, 255).astype(np.int16)
        for axis in (2, 1):
            lines = xp.moveaxis(far, axis, 0)
            for k in range(1, 64):
                lines[k] = xp.minimum(lines[k], lines[k - 1] + 1)
            for k in range(62, -1, -1):
                lines[k] = xp.minimum(lines[k], lines[k + 1] + 1)
        return [xp.minimum(6 * far, 255).astype(u8)]

    return both(t, FILE, "glyph_fields", (glyphs, glyphs), (64, 64), (glyph, field, ink, scale), field, ref=ref)


@case
def emission_totals(t: Tools) -> Pair:
    xp, n, sectors, regions = t.xp, t.size(1 << 24, 1 << 12), 24, 16
    region = t.rng.integers(0, regions, n, dtype=i32)
    sector = t.rng.integers(0, sectors, n, dtype=i32)
    amount, factor = f32(100) * t.rng.random(n, dtype=f32), f32(10) * t.rng.random(n, dtype=f32)
    share, total = t.rng.random(n, dtype=f32), xp.zeros((regions, sectors), u32)

    def ref() -> Any:
        kilograms = xp.rint(amount * factor * share).astype(f64)
        return [xp.bincount(region * sectors + sector, kilograms, regions * sectors).reshape(regions, sectors)]

    args = (region, sector, amount, factor, share, total, i32(sectors), i32(regions), i32(n))
    grids, shared = (n // 256, t.size(SMS * 8, 2)), (0, sectors * regions * 4)
    more: Any = {"ref": ref, "shared": shared, "reset": zero(total)}
    return both(t, FILE, "emission_totals", grids, (256, 256), args, total, **more)


# ---- the globe and hands
@case
def geoid_heights(t: Tools) -> Pair:
    xp, degree, lats, lons = t.xp, t.size(36, 4), t.size(1440, 8), t.size(2880, 512)
    step = f32(np.pi / lats)
    draw, terms = np.random.default_rng(9), []
    for m in range(degree + 1):  # fully normalised functions of Legendre
        for n in range(m, degree + 1):
            up = np.sqrt((4 * n * n - 1) / (n * n - m * m)) if n > m else 0.0
            down = up * np.sqrt(((n - 1) ** 2 - m * m) / (4 * (n - 1) ** 2 - 1)) if n > m + 1 else 0.0
            terms.append([up, down, *(draw.normal(0, 1, 2) / (1 + n * n))])
    term = np.array(terms, dtype=f32)
    sectoral = np.array([1, np.sqrt(3), *(np.sqrt(1 + 0.5 / m) for m in range(2, degree + 1))], dtype=f32)
    height = xp.zeros((lats, lons), f32)

    def ref() -> Any:
        place = (np.arange(lats) + 0.5) * float(step) - float(f32(1.57079633))
        up, out, first, k = np.sin(place), np.cos(place), np.ones(lats), 0
        sums = np.zeros((2, degree + 1, lats))
        for m in range(degree + 1):
            if m:
                first = first * float(sectoral[m]) * out
            p, before = first, np.zeros(lats)
            for n in range(m, degree + 1):
                a, b, cosine, sine = term[k].astype(f64)
                if n > m:
                    p, before = a * up * p - b * before, p
                sums[0, m] += cosine * p
                sums[1, m] += sine * p
                k += 1
        turns = np.arange(degree + 1)[:, None] * (np.arange(lons) * float(step))
        return [xp.asarray(sums[0].T @ np.cos(turns) + sums[1].T @ np.sin(turns))]

    every, every_first = np.zeros((704, 4), f32), np.zeros(37, f32)
    every[: len(term)], every_first[: len(sectoral)] = term, sectoral
    t.constant(FILE, "geoid_terms", xp.asarray(every))
    t.constant(FILE, "geoid_first", xp.asarray(every_first))
    args = (height, step, i32(degree), i32(lats), i32(lons))
    grids, blocks = ((-(-lons // 256), lats), lats), (256, 256)
    return both(t, FILE, "geoid_heights", grids, blocks, args, height, ref=ref, near=1e-3)


@case
def hand_frames(t: Tools) -> Pair:
    xp, hands, reach = t.xp, t.size(1 << 20, 1 << 8), f32(0.5)
    seen = t.rng.random((hands, 21, 3), dtype=f32)
    seen[:, 9] += f32(1)
    framed = xp.zeros((hands, 21, 3), f32)

    def ref() -> Any:
        moved = seen.astype(f64) - seen[:, :1]
        palm = xp.sqrt((moved[:, 9] ** 2).sum(axis=1) + 1e-6)
        return [0.5 * moved / palm[:, None, None]]

    args, grids, blocks = (seen, framed, reach, i32(hands)), (hands, hands // 32), (32, 256)
    return both(t, FILE, "hand_frames", grids, blocks, args, framed, ref=ref, near=1e-4)
