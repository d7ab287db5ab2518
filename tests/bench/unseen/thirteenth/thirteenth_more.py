"""The pairs whose kernels are in foundries.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add
FILE = "foundries"
f64 = np.float64


# ---- spectra, engines, beams, calorimeters
@case
def xrf_windows(t: Tools) -> Pair:
    xp, pixels, channels, flank = t.xp, t.size(1 << 18, 512), 1024, 8
    count = xp.empty((pixels, channels), xp.uint16)
    part = pixels // 8
    for k in range(8):
        count[k * part : (k + 1) * part] = t.rng.integers(0, 60, (part, channels), dtype=i32)
    low = np.array([101, 167, 230, 318, 402, 555, 671, 850], i32)
    high = low + np.array([35, 37, 39, 39, 41, 43, 45, 47], i32)
    net = xp.zeros((len(low), pixels), f32)

    def ref() -> Any:
        want = xp.zeros((len(low), pixels))
        for e, (a, b) in enumerate(zip(low.tolist(), (high + 1).tolist(), strict=True)):
            under = count[:, a - flank : a].sum(axis=1, dtype=i64) + count[:, b : b + flank].sum(axis=1, dtype=i64)
            want[e] = count[:, a:b].sum(axis=1, dtype=i64) - under * ((b - a) / (2 * flank))
        return [want]

    args = (count, xp.asarray(low), xp.asarray(high), net, i32(channels), i32(len(low)), i32(flank), i32(pixels))
    return both(t, FILE, "xrf_windows", (pixels // 256, pixels // 8), (256, 256), args, net, ref=ref, near=1e-5)


@case
def indicated_work(t: Tools) -> Pair:
    xp, cylinders, cycles, marks = t.xp, 8, t.size(9216, 8), 1024
    turn = xp.arange(marks, dtype=f32) / f32(marks)
    shape = f32(1) + f32(40) * xp.exp(f32(-60) * (turn - f32(0.52)) ** 2)
    change = xp.sin(f32(4 * np.pi) * turn)
    pressure = t.rng.random((cylinders, cycles, marks), dtype=f32)
    pressure *= f32(0.2)
    pressure += f32(0.9)
    pressure *= shape
    work, peak = xp.zeros(cylinders, f32), xp.zeros(cylinders, f32)
    parts = t.size(128, 2)

    def ref() -> Any:
        sums = [(pressure[c].sum(axis=0, dtype=f64) * change.astype(f64)).sum() for c in range(cylinders)]
        return [xp.stack(sums), pressure.max(axis=(1, 2))]

    args, outs = (pressure, change, work, peak, i32(cycles)), (work, peak)
    grids, more = (cylinders, (parts, cylinders)), {"ref": ref, "near": 1e-3, "reset": zero(work, peak)}
    return both(t, FILE, "indicated_work", grids, (marks, marks), args, outs, **more)


@case
def proton_depths(t: Tools) -> Pair:
    xp, rays, steps, n, step = t.xp, t.size(SMS * 512, 512), t.size(512, 32), 256, f32(0.1)
    ct = t.rng.integers(-900, 1600, n * n * n, dtype=i32).astype(xp.int16)
    ray, k = xp.arange(rays, dtype=i32), xp.arange(steps, dtype=i32)[:, None]
    x, y, z = (ray % 264 + k // 16) % n, (ray // 264 + k // 20) % n, (k // 2) % n
    path = xp.ascontiguousarray((z * n + y) * n + x).astype(i32)
    depth = xp.zeros((steps, rays), f32)

    def ref() -> Any:
        hu = ct.astype(f64)[path]
        each = xp.where(hu < 0, 1 + 1e-3 * hu, xp.where(hu < 150, 1 + 9e-4 * hu, 1.06 + 5e-4 * hu))
        return [xp.cumsum(float(step) * each, axis=0)]

    args = (path, ct, depth, step, i32(rays), i32(steps))
    return both(t, FILE, "proton_depths", (rays // 256,) * 2, (256, 256), args, depth, ref=ref, near=1e-4)


@case
def huber_scan(t: Tools) -> Pair:
    xp, hits, gains, knee = t.xp, t.size(1 << 24, 1 << 13), 16, f32(0.3)
    truth = f32(1) + f32(9) * t.rng.random(hits, dtype=f32)
    energy = truth * (f32(0.9) + f32(0.2) * t.rng.random(hits, dtype=f32))
    weight, loss = t.rng.random(hits, dtype=f32), xp.zeros(gains, f64)
    gain = xp.asarray(np.linspace(0.9, 1.1, gains), dtype=f32)

    def ref() -> Any:
        want = xp.zeros(gains)
        e, w, bend = energy.astype(f64), weight.astype(f64), float(knee)
        for k in range(gains):
            size = xp.abs(float(gain[k]) * e - truth)
            want[k] = (w * xp.where(size < bend, 0.5 * size * size, bend * (size - 0.5 * bend))).sum()
        return [want]

    args, blocks = (energy, truth, weight, gain, loss, knee, i32(hits)), hits // 4096
    more = {"ref": ref, "near": 1e-4, "reset": zero(loss)}
    return both(t, FILE, "huber_scan", ((blocks, gains), blocks), (256, 256), args, loss, **more)


# ---- steam, books, designs, survival
@case
def steam_enthalpy(t: Tools) -> Pair:
    xp, n, terms = t.xp, t.size(1 << 23, 1 << 12), 12
    draw = np.random.default_rng(13)
    order = np.arange(terms)
    table = ((draw.random((5, terms, terms)) - 0.5) / (1 + order[:, None] + order)).astype(f32)
    table[:, 0, 0] += np.arange(1, 6, dtype=f32)
    t.constant(FILE, "steam_term", xp.asarray(table))
    # On grids that keep away from the regions' borders, so that rounding moves no point over one.
    p = xp.floor(f32(6400) * t.rng.random(n, dtype=f32) ** 3) / f32(64) + f32(23 / 4096)
    heat = f32(273.25) + xp.floor(f32(4000) * t.rng.random(n, dtype=f32)) / f32(4)
    h = xp.zeros(n, f32)
    p0, t0 = (50, 45, 52, 48, 40), (700, 720, 760, 800, 820)

    def ref() -> Any:
        pp, tt, want = p.astype(f64), heat.astype(f64), xp.zeros(n)
        dense = xp.where(pp > 16.5 + 0.1 * (tt - 623.15), 2, 3)
        wet = xp.where(pp > 16.5 * ((tt - 273.15) / 350) ** 4, 0, 1)
        region = xp.where(tt >= 1073.15, 4, xp.where(tt >= 623.15, dense, wet))
        for r in range(5):
            mine = region == r
            x, y = 0.02 * (pp[mine] - p0[r]), 0.002 * (tt[mine] - t0[r])
            total = xp.zeros_like(x)
            for i in range(terms - 1, -1, -1):
                row = xp.zeros_like(x)
                for j in range(terms - 1, -1, -1):
                    row = row * y + float(table[r, i, j])
                total = total * x + row
            want[mine] = total
        return [want]

    args = (p, heat, h, i32(n))
    return both(t, FILE, "steam_enthalpy", (n // 256, n // 2048), (256, 256), args, h, ref=ref, near=1e-4)


@case
def book_imbalance(t: Tools) -> Pair:
    xp, n, levels = t.xp, t.size(1 << 22, 512), 10
    bids, asks = (t.rng.integers(1, 5000, (levels, n), dtype=i32) for _ in range(2))
    bid = 90.0 + 0.01 * t.rng.integers(0, 2000, n, dtype=i32).astype(f64)
    ask = bid + 0.01 * t.rng.integers(1, 5, n, dtype=i32).astype(f64)
    wide, narrow = [xp.zeros(n, f64) for _ in range(2)], [xp.zeros(n, f32) for _ in range(2)]

    def ref() -> Any:
        near = xp.arange(levels, 0, -1, dtype=i64)[:, None]
        buy, sell = ((near * a).sum(axis=0).astype(f64) for a in (bids, asks))
        share = buy / (buy + sell)
        return [bid + share * (ask - bid), 2 * share - 1]

    size, grid = (i32(levels), i32(n)), n // 256
    slow_args = (bids.astype(i64), asks.astype(i64), bid, ask, *wide, *size)
    cured_args = (bids, asks, bid.astype(f32), ask.astype(f32), *narrow, *size)
    slow = launch(t, FILE, "book_imbalance", grid, 256, slow_args)
    cured = launch(t, FILE, "book_imbalance_b", grid, 256, cured_args)
    return Pair(slow, cured, lambda which: wide if which == "slow" else narrow, ref, 1e-6)


@case
def factorial_sweep(t: Tools) -> Pair:
    xp, n, need = t.xp, t.size(1 << 24, 512), f32(8)
    levels = [10, 12, 8, 15, 9, 14, 11, 16, 7, 13, 12, 10, 10, 10]
    first = left = 7 * int(np.prod(np.array(levels, dtype=i64))) // 10
    factor = []
    for count in levels:
        factor.append((count, left % count, -(-(1 << 32) // count), 0))
        left //= count
    part, cost = t.rng.random((len(levels), 16, 2), dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        mass, strength, rest = xp.zeros(n), xp.zeros(n), first + xp.arange(n, dtype=i64)
        for f, count in enumerate(levels):
            level = rest % count
            rest = rest // count
            mass += part[f, :, 0][level]
            strength += part[f, :, 1][level]
        return [mass + 8 * xp.maximum(0, float(need) - strength)]

    size = (need, i32(len(levels)), i32(n))
    slow_args = (xp.asarray(levels, dtype=i32), part, cost, i64(first), *size)
    slow = launch(t, FILE, "factorial_sweep", n // 256, 256, slow_args)
    table = xp.asarray(np.array(factor, dtype=np.uint32))
    cured = launch(t, FILE, "factorial_sweep_b", n // 256, 256, (table, part, cost, *size))
    return Pair(slow, cured, lambda _: (cost,), ref, 1e-5)


@case
def bootstrap_survival(t: Tools) -> Pair:
    xp, samples, patients = t.xp, t.size(1 << 15, 4), 1024
    often = xp.asarray([0] * 6 + [1] * 6 + [2] * 3 + [3], dtype=xp.uint8)
    drawn = often[t.rng.integers(0, 16, (samples, patients), dtype=i32)]
    died = (t.rng.random(patients, dtype=f32) < f32(0.6)).astype(xp.uint8)
    survival = xp.zeros((samples, patients), f32)

    def ref() -> Any:
        want, some = xp.zeros((samples, patients)), min(samples, 4096)
        for at in range(0, samples, some):
            weight = drawn[at : at + some].astype(f64)
            at_risk = xp.cumsum(weight[:, ::-1], axis=1)[:, ::-1]
            want[at : at + some] = xp.cumprod(1 - died * weight / xp.maximum(at_risk, 1), axis=1)
        return [want]

    args, blocks = (drawn, died, survival), (patients, 256)
    return both(t, FILE, "bootstrap_survival", (samples,) * 2, blocks, args, survival, ref=ref, near=1e-4)


# ---- metals, plies, vibrations
@case
def johnson_cook(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 512)
    trial = f32(400) + f32(1400) * t.rng.random(n, dtype=f32)
    strain = f32(0.002) + f32(0.5) * t.rng.random(n, dtype=f32)
    speed = xp.exp(f32(9) * t.rng.random(n, dtype=f32))
    heat = f32(300) + f32(900) * t.rng.random(n, dtype=f32)
    added, stress = xp.zeros(n, f32), xp.zeros(n, f32)
    metal = [f32(v) for v in (350, 275, 0.36, 0.022, 1.03, 1775, 27000)]

    def ref() -> Any:
        base, hard, power, rate, soft, melting, shear = (float(v) for v in metal)
        pull, old, warm = trial.astype(f64), strain.astype(f64), (heat.astype(f64) - 293) / (melting - 293)
        factor = (1 + rate * xp.log(speed.astype(f64))) * (1 - warm**soft)
        more = xp.full(n, 1e-4)
        for _ in range(6):
            now = old + more
            limit = factor * (base + hard * now**power)
            slope = factor * hard * power * now ** (power - 1)
            more = xp.maximum(0, more + (pull - 3 * shear * more - limit) / (3 * shear + slope))
        return [more, pull - 3 * shear * more]

    args, grid = (trial, strain, speed, heat, added, stress, *metal, i32(n)), n // 256
    outs, more = (added, stress), {"ref": ref, "near": 1e-3}
    return both(t, FILE, "johnson_cook", (grid, grid), (256, 256), args, outs, **more)


@case
def ply_strains(t: Tools) -> Pair:
    xp, n, m = t.xp, t.size(1 << 20, 512), 6
    system = t.rng.random((m, m + 1, n), dtype=f32) - f32(0.5)
    shift = t.rng.integers(0, m, n, dtype=i32)
    for r in range(m):
        for c in range(m):
            system[r, c] += f32(3) * ((r + shift) % m == c).astype(f32)  # large ones off the diagonal: rows are swapped
    x = xp.zeros((m, n), f32)

    def ref() -> Any:
        want, some = xp.zeros((m, n)), min(n, 1 << 18)
        for at in range(0, n, some):
            part = xp.ascontiguousarray(system[:, :, at : at + some].astype(f64).transpose(2, 0, 1))
            left, right = xp.ascontiguousarray(part[:, :, :m]), xp.ascontiguousarray(part[:, :, m:])
            want[:, at : at + some] = xp.linalg.solve(left, right)[:, :, 0].T
        return [want]

    args, grid = (system, x, i32(m), i32(n)), n // 256
    return both(t, FILE, "ply_strains", (grid, grid), (256, 256), args, x, ref=ref, near=1e-4)


@case
def modal_response(t: Tools) -> Pair:
    xp, nodes, modes, times = t.xp, t.size(4096, 128), t.size(512, 32), t.size(4096, 128)
    shape = t.rng.random((nodes, modes), dtype=f32) - f32(0.5)
    course = t.rng.random((modes, times), dtype=f32) - f32(0.5)
    moved = xp.zeros((nodes, times), f32)

    def ref() -> Any:
        return [shape.astype(f64) @ course.astype(f64)]

    args = (shape, course, moved, i32(nodes), i32(modes), i32(times))
    grids, blocks = ((times // 32, nodes // 32), (times // 128, nodes // 128)), ((32, 32), (32, 8))
    return both(t, FILE, "modal_response", grids, blocks, args, moved, ref=ref, near=1e-4)


# ---- options, detectors, catastrophes
@case
def heston_sweep(t: Tools) -> Pair:
    xp, options, lines, points = t.xp, t.size(SMS * 24, 2), 128, 64
    price = xp.arange(points, dtype=f32)
    value = xp.maximum(f32(0), price - f32(20) - f32(20) * t.rng.random((options, lines, 1), dtype=f32))
    value += t.rng.random((options, lines, points), dtype=f32)
    after = xp.zeros_like(value)
    dt, rate, dv = f32(0.02), f32(0.03), f32(0.01)

    def ref() -> Any:
        h, r, v = float(dt), float(rate), float(dv) * xp.arange(1, lines + 1, dtype=f64)
        want, upper = xp.zeros(value.shape), []
        above, before = xp.zeros(lines), xp.zeros((options, lines))
        for i in range(points):
            left, right = 0.5 * h * (v * i * i - r * i), 0.5 * h * (v * i * i + r * i)
            inverse = 1 / (1 + h * (v * i * i + r) - left * above)
            above = right * inverse
            before = (value[:, :, i] + left * before) * inverse
            upper.append(above)
            want[:, :, i] = before
        for i in range(points - 2, -1, -1):
            want[:, :, i] += upper[i] * want[:, :, i + 1]
        return [want]

    args, bytes_each = (value, after, dt, rate, dv, i32(points)), 2 * lines * 4
    more = {"shared": (bytes_each * points, bytes_each * (points + 1)), "ref": ref, "near": 1e-4}
    return both(t, FILE, "heston_sweep", (options, options), (lines, lines), args, after, **more)


@case
def material_modules(t: Tools) -> Pair:
    xp, modules, pixels = t.xp, t.size(144, 2), t.size(128 * 128, 512)
    rows = [[0.30, 0.02, 0.35, 1.40], [0.35, 0.08, 0.27, 0.85], [0.20, 0.20, 0.22, 0.54], [0.10, 0.35, 0.19, 0.39]]
    table = xp.asarray([*rows, [0.05, 0.35, 0.17, 0.31]], dtype=f32)
    thick = f32(5) + f32(12) * t.rng.random((modules, pixels), dtype=f32)
    hard = f32(0.2) + f32(1.8) * t.rng.random((modules, pixels), dtype=f32)
    water, bone = xp.zeros_like(thick), xp.zeros_like(thick)
    seen = []
    for k in range(2):
        light = xp.zeros(thick.shape)
        for e in range(5):
            bin_ = table[e].astype(f64)
            light += bin_[k] * xp.exp(-(bin_[2] * thick + bin_[3] * hard))
        seen.append((-xp.log(light)).astype(f32))

    def ref() -> Any:
        return [thick, hard]

    args, outs = (*seen, table, water, bone, i32(pixels)), (water, bone)
    grids, blocks = (modules, (pixels // 256, modules)), (1024, 256)
    return both(t, FILE, "material_modules", grids, blocks, args, outs, ref=ref, near=1e-3)


@case
def event_losses(t: Tools) -> Pair:
    xp, events, giants, most = t.xp, t.size(20000, 50), 3, t.size(300_000, 5000)
    draw = np.random.default_rng(14)
    size = np.clip(np.exp(draw.normal(5.5, 1.2, events)), 40, 20000).astype(i32)
    size[draw.choice(events, giants, replace=False)] = most
    edge = np.concatenate([[0], np.cumsum(size)])
    sites = int(edge[-1])
    value, ratio = f32(10) * t.rng.random(sites, dtype=f32), t.rng.random(sites, dtype=f32)
    deductible, limit = t.rng.random(sites, dtype=f32), f32(1) + f32(5) * t.rng.random(sites, dtype=f32)
    ends = edge.tolist()
    pieces = [(k, b, min(b + 8192, ends[k + 1])) for k in range(events) for b in range(ends[k], ends[k + 1], 8192)]
    loss = xp.zeros(events, f64)

    def ref() -> Any:
        paid = xp.minimum(xp.maximum(value.astype(f64) * ratio - deductible, 0), limit)
        upto, cut = xp.concatenate([xp.zeros(1), xp.cumsum(paid)]), xp.asarray(edge)
        return [upto[cut[1:]] - upto[cut[:-1]]]

    site = (value, ratio, deductible, limit)
    slow = launch(t, FILE, "event_losses", events, 256, (*site, xp.asarray(edge, dtype=i32), loss))
    cured = launch(t, FILE, "event_losses_b", len(pieces), 256, (*site, xp.asarray(pieces, dtype=i32), loss))
    return Pair(slow, cured, lambda _: (loss,), ref, 1e-4, zero(loss))
