"""The pairs whose kernels are in trades.cu and scenes_second.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add


# ---- trades
@case
def order_values(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 12)
    price, size = t.rng.random(n, dtype=f32) * f32(100), t.rng.random(n, dtype=f32) * f32(50)
    side, value = t.rng.integers(0, 2, n, dtype=i32), xp.zeros(n, f32)
    order = xp.zeros((n, 16), f32)  # 64 bytes an order
    order[:, 6], order[:, 8], order[:, 9] = side.view(f32), price, size
    slow = launch(t, "trades", "order_values", n // 256, 256, (order, value, f32(50), i32(n)))
    cured = launch(t, "trades", "order_values_b", n // 256, 256, (price, size, side, value, f32(50), i32(n)))

    def ref() -> Any:
        p = price.astype(np.float64)
        return [xp.where(side == 1, p * size, -p * size) + 0.01 * (p - 50)]

    return Pair(slow, cured, lambda _: (value,), ref, 1e-5)


@case
def implied_vols(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    spot = f32(90) + f32(20) * t.rng.random(n, dtype=f32)
    strike = spot * (f32(0.9) + f32(0.2) * t.rng.random(n, dtype=f32))
    term, vol = f32(0.5) + t.rng.random(n, dtype=f32), xp.zeros(n, f32)
    s, k, root = spot.astype(np.float64), strike.astype(np.float64), xp.sqrt(term.astype(np.float64))

    def cdf(x: Any) -> Any:
        q = 1.0 / (1.0 + 0.2316419 * xp.abs(x))
        poly = q * (0.319381530 + q * (-0.356563782 + q * (1.781477937 + q * (-1.821255978 + q * 1.330274429))))
        tail = 0.39894228 * xp.exp(-0.5 * x * x) * poly
        return xp.where(x < 0, tail, 1 - tail)

    def call(v: Any) -> Any:
        d1 = xp.log(s / k) / (v * root) + 0.5 * v * root
        return s * cdf(d1) - k * cdf(d1 - v * root)

    true = 0.15 + 0.4 * t.rng.random(n)
    price = call(true).astype(f32)
    args = (spot, strike, term, price, vol, i32(n))
    grids = (n // 256, n // 256)
    return both(t, "trades", "implied_vols", grids, (256, 256), args, vol, ref=lambda: [true], near=1e-3)


@case
def desk_lots(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 12)
    desk, lots, total = t.rng.integers(0, 12, n, dtype=i32), t.uint32(n, 200), xp.zeros(12, xp.uint32)

    def ref() -> Any:
        return [xp.bincount(desk, lots.astype(np.float64), 12)]

    args, grids = (desk, lots, total, i32(n)), (SMS * 8, SMS * 8)
    return both(t, "trades", "desk_lots", grids, (256, 256), args, total, ref=ref, reset=zero(total))


@case
def account_totals(t: Tools) -> Pair:
    xp, accounts = t.xp, t.size(20000, 40)
    rows = np.random.default_rng(7).integers(800, 2000, accounts)
    rows[accounts // 40 :: accounts // 16] = t.size(1 << 20, 1 << 13)
    first = np.concatenate([[0], np.cumsum(rows)])
    total = xp.zeros(accounts, xp.uint32)
    amount = t.uint32(int(first[-1]), 1000)
    pieces = [(a, r, min(r + 4096, first[a + 1])) for a in range(accounts) for r in range(first[a], first[a + 1], 4096)]
    slow = launch(t, "trades", "account_totals", accounts, 256, (xp.asarray(first.astype(i32)), amount, total))
    piece = xp.asarray(np.array(pieces, i32))
    cured = launch(t, "trades", "account_totals_b", len(pieces), 256, (piece, amount, total))

    def ref() -> Any:
        sums = np.concatenate([[0], np.cumsum(t.host(amount).astype(i64))])
        return [xp.asarray((sums[first[1:]] - sums[first[:-1]]).astype(np.float64))]

    return Pair(slow, cured, lambda _: (total,), ref, reset=zero(total))


@case
def owner_control(t: Tools) -> Pair:
    xp, companies, blocks = t.xp, t.size(1 << 22, 1 << 12), t.size(SMS, 2)
    to, share = (
        t.rng.integers(0, companies, companies, dtype=i32),
        f32(0.9) + f32(0.1) * t.rng.random(companies, dtype=f32),
    )
    owner = xp.stack([to, share.view(i32)], axis=1)
    company = t.rng.integers(0, companies, blocks * 256 * 16, dtype=i32)
    control = xp.zeros(company.size, f32)

    def ref() -> Any:
        at, product = company, xp.ones(company.size, np.float64)
        for _ in range(16):
            product, at = product * share[at], to[at]
        return [xp.where(at % 2 == 1, product, -product)]

    args = (owner, company, control, i32(blocks * 256))
    return both(t, "trades", "owner_control", (blocks, blocks), (256, 256), args, control, ref=ref, near=1e-6)


@case
def cube_values(t: Tools) -> Pair:
    xp, products, shops, weeks = t.xp, t.size(400, 4), t.size(320, 3), 256
    n = products * shops * weeks
    sold, value = t.rng.random((products, shops, weeks), dtype=f32), xp.zeros((products, shops, weeks), f32)
    price, rebate, season = (t.rng.random(k, dtype=f32) for k in (products, shops, weeks))
    args = (sold, price, rebate, season, value, i64(products), i64(shops), i64(weeks))

    def ref() -> Any:
        return [sold * price[:, None, None] * rebate[None, :, None] * season]

    return both(
        t, "trades", "cube_values", (n // 256, (1, shops, products)), (256, 256), args, value, ref=ref, near=1e-6
    )


@case
def weighted_averages(t: Tools) -> Pair:
    xp, n, taps = t.xp, t.size(1 << 22, 1 << 12), 64
    price, weight = t.rng.random(n + taps, dtype=f32) + f32(1), t.rng.random(taps, dtype=f32)
    average = xp.zeros(n, f32)

    def ref() -> Any:
        return [sum(weight[k].astype(np.float64) * price[k : k + n] for k in range(taps))]

    args, grids = (price, weight, average, i32(taps), i32(n)), (n // 256, n // 256)
    return both(t, "trades", "weighted_averages", grids, (256, 256), args, average, ref=ref, near=1e-5)


# ---- scenes
@case
def protein_scores(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    matrix, query = t.rng.integers(-4, 8, 576, dtype=i32), t.rng.integers(0, 20, 64, dtype=i32)
    matrix -= i32(2)
    t.constant("scenes_second", "substitution", matrix)
    t.constant("scenes_second", "query", query)
    sequence = t.rng.integers(0, 20, n + 64, dtype=i32).astype(xp.uint8)
    score = xp.zeros(n, i32)

    def ref() -> Any:
        total, best = xp.zeros(n, i32), xp.zeros(n, i32)
        for k in range(64):
            total = xp.maximum(total + matrix[query[k] * 24 + sequence[k : k + n].astype(i32)], 0)
            best = xp.maximum(best, total)
        return [best]

    grids = (n // 256, n // 256)
    return both(t, "scenes_second", "protein_scores", grids, (256, 256), (sequence, score), score, ref=ref)


@case
def smooth_beats(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 21, 1 << 9)
    beat, smoothed = t.rng.random((n, 32), dtype=f32), xp.zeros((n, 32), f32)

    def ref() -> Any:
        result, level = xp.zeros((n, 32), f32), beat[:, 0].astype(np.float64)
        for k in range(32):
            level = 0.75 * level + 0.25 * beat[:, k]
            result[:, k] = level
        return [result]

    args, grids = (beat, smoothed, f32(0.75)), (n // 128, n // 128)
    return both(t, "scenes_second", "smooth_beats", grids, (128, 128), args, smoothed, ref=ref, near=1e-5)


@case
def frequent_codons(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 9)
    read = t.uint32((2, n, 4), 1 << 16) | t.uint32((2, n, 4), 1 << 16) << xp.uint32(16)
    frequent = xp.zeros(n, i32)

    def ref() -> Any:
        codon, count, row = xp.zeros(n, i32), xp.zeros((n, 64), i32), xp.arange(n)
        for part in range(8):
            for b in range(16):
                base = (read[part // 4, :, part % 4] >> xp.uint32(2 * b) & xp.uint32(3)).astype(i32)
                codon = (codon * 4 + base) & 63
                count[row, codon] += 1
        return [(count * 65537 + 256 * (63 - xp.arange(64))).max(axis=1).astype(i32)]

    args, grids = (read, frequent, i32(n)), (n // 128, n // 128)
    return both(t, "scenes_second", "frequent_codons", grids, (128, 128), args, frequent, ref=ref)


@case
def probe_distances(t: Tools) -> Pair:
    xp, points, probes = t.xp, t.size(1 << 20, 1 << 14), 24
    x, y, z = (t.rng.random(points, dtype=f32) * f32(100) for _ in range(3))
    probe, square = t.rng.random((probes, 3), dtype=f32) * f32(100) + f32(20), xp.zeros(probes, f32)

    def ref() -> Any:
        p = probe.astype(np.float64)
        return [xp.stack([((x - q[0]) ** 2 + (y - q[1]) ** 2 + (z - q[2]) ** 2).min() for q in p])]

    args, grids = (x, y, z, probe, square, i32(points)), (probes, (probes, 32))
    return both(
        t,
        "scenes_second",
        "probe_distances",
        grids,
        (256, 256),
        args,
        square,
        ref=ref,
        near=1e-4,
        reset=lambda: square.fill(1e30),
    )


@case
def shade_materials(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 21, 1 << 10)
    at, light = t.rng.random((n, 2), dtype=f32), xp.zeros(n, f32)
    material = t.rng.integers(0, 4, n, dtype=i32)
    order = xp.argsort(material * i64(n) + xp.arange(n)).astype(i32)
    slow = launch(t, "scenes_second", "shade_materials", n // 256, 256, (at, material, light))
    cured = launch(t, "scenes_second", "shade_materials_b", n // 256, 256, (at, material, order, light))

    def ref() -> Any:
        x, y = at[:, 0].astype(np.float64), at[:, 1].astype(np.float64)
        wood, marble, cloth, metal = (xp.zeros(n) for _ in range(4))
        r, a, b = x * x + y * y, x, y
        h = (at[:, 0] * f32(4096)).astype(xp.uint32) * xp.uint32(4096) + (at[:, 1] * f32(4096)).astype(xp.uint32)
        for _ in range(96):
            r = 0.97 * r + 0.05
            wood = 0.9 * wood + r * (1 - r)
            a, b = 0.5 * (a * a - b * b) + 0.3 * x, 0.9 * a * b + 0.3 * y
            marble += a * b
            h = h * xp.uint32(747796405) + xp.uint32(2891336453)
            h ^= h >> xp.uint32(15)
            cloth += (h & xp.uint32(255)) / 256.0
            metal = (metal + x) / (1 + metal * metal + y)
        return [xp.where(material < 2, xp.where(material == 0, wood, marble), xp.where(material == 2, cloth, metal))]

    return Pair(slow, cured, lambda _: (light,), ref, 1e-4)


@case
def highlights(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    normal = t.rng.random((3, n), dtype=f32) - f32(0.5)
    normal /= xp.sqrt((normal * normal).sum(axis=0))
    lamps = t.rng.random((32, 4), dtype=f32) - f32(0.5)
    lamps[:, :3] /= xp.sqrt((lamps[:, :3] ** 2).sum(axis=1))[:, None]
    lamps[:, 3] = f32(10) + f32(40) * (lamps[:, 3] + f32(0.5))
    t.constant("scenes_second", "lamps", lamps)
    light = xp.zeros(n, f32)

    def ref() -> Any:
        x, y, z = (v.astype(np.float64) for v in normal)
        rows = [[float(v) for v in row] for row in lamps]
        return [sum(xp.maximum(x * a + y * b + z * c, 0.001) ** e for a, b, c, e in rows)]

    args, grids = (normal[0], normal[1], normal[2], light), (n // 256, n // 256)
    return both(t, "scenes_second", "highlights", grids, (256, 256), args, light, ref=ref, near=1e-3)


@case
def row_sums(t: Tools) -> Pair:
    xp, rows = t.xp, t.size(1 << 14, 1 << 4)
    value, total = t.uint32((rows, 1024), 256), xp.zeros((rows, 1024), xp.uint32)
    args, ref = (value, total), lambda: [xp.cumsum(value, axis=1)]
    return both(t, "scenes_second", "row_sums", (rows, rows), (1024, 1024), args, total, ref=ref)
