"""The pairs whose kernels are in viaducts.cu: inputs, grids and references."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, zero

CASES = Cases()
case = CASES.add
f64, u8, u32, u64 = np.float64, np.uint8, np.uint32, np.uint64
FILE = "viaducts"


@case
def reserve_sums(t: Tools) -> Pair:
    xp, n, words = t.xp, t.size(1 << 18, 1 << 9), 64
    held, added = ((t.uint32((n, words), 1 << 16) << u32(16)) | t.uint32((n, words), 1 << 16) for _ in range(2))
    turned = [xp.ascontiguousarray(a.T) for a in (held, added)]
    total, total_b = xp.zeros((n, words), u32), xp.zeros((words, n), u32)

    def ref() -> Any:
        want, carry = xp.zeros((n, words), u32), xp.zeros(n, u64)
        for k in range(words):
            carry = held[:, k].astype(u64) + added[:, k] + carry
            want[:, k] = (carry & u64(0xFFFFFFFF)).astype(u32)
            carry = carry >> u64(32)
        return [want]

    slow = launch(t, FILE, "reserve_sums", n // 256, 256, (held, added, total, i32(n)))
    cured = launch(t, FILE, "reserve_sums_b", n // 256, 256, (*turned, total_b, i32(n)))
    return Pair(slow, cured, lambda w: (total if w == "slow" else total_b.T,), ref, reset=zero(total, total_b))


@case
def spray_charges(t: Tools) -> Pair:
    xp, drops, ions, alpha, cutoff = t.xp, t.size(SMS * 32, 4), 256, f32(8), f32(0.26)
    ion = t.rng.random((drops, ions, 4), dtype=f32)
    ion[..., 3] -= f32(0.5)
    force = xp.zeros((drops, ions, 4), f32)

    def ref() -> Any:
        want, a = xp.zeros((drops, ions, 4)), float(alpha)
        for at in range(0, drops, 128):
            own = ion[at : at + 128]
            off = own[:, :, None, :3] - own[:, None, :, :3]
            wide = off.astype(f64)
            far = (off * off).sum(axis=3)
            r2 = xp.maximum((wide * wide).sum(axis=3), 1e-3)
            near = (far < cutoff * cutoff) & ~xp.eye(ions, dtype=bool)[None]
            r, charge = xp.sqrt(r2), own[:, :, None, 3].astype(f64) * own[:, None, :, 3]
            u, bell = 1 / (1 + 0.3275911 * a * r), xp.exp(-r2 * a * a)
            p = 0.254829592 + u * (-0.284496736 + u * (1.421413741 + u * (-1.453152027 + u * 1.061405429)))
            level, s6 = charge / r * p * u * bell, (4e-4 / r2) ** 3
            pull = (level + charge * a * 1.1283792 * bell) / r2 + 0.24 * s6 * (2 * s6 - 1) / r2
            want[at : at + 128, :, :3] = (xp.where(near, pull, 0)[..., None] * wide).sum(axis=2)
            want[at : at + 128, :, 3] = xp.where(near, level, 0).sum(axis=2)
        return [want]

    args = (ion, force, alpha, cutoff)
    return both(t, FILE, "spray_charges", (drops, drops), (ions, ions), args, force, ref=ref, near=1e-3)


@case
def levee_breach(t: Tools) -> Pair:
    xp, width, height, ratio, g = t.xp, t.size(4096, 64), t.size(2048, 32), f32(0.05), 9.81
    water = t.rng.random((3, height + 2, width + 2), dtype=f32) - f32(0.5)
    water[0] = f32(1) + xp.abs(water[0])
    after = xp.zeros((3, height + 2, width + 2), f32)

    def flux(left: Any, right: Any, along: int) -> Any:
        (hl, *ml), (hr, *mr) = left, right
        ul, ur, vl, vr = ml[along] / hl, mr[along] / hr, ml[1 - along] / hl, mr[1 - along] / hr
        cl, cr = xp.sqrt(g * hl), xp.sqrt(g * hr)
        a = xp.minimum(xp.minimum(ul - cl, ur - cr), 0)
        b = xp.maximum(xp.maximum(ul + cl, ur + cr), 0)
        kept = ((hl, hr), (hl * ul, hr * ur), (hl * vl, hr * vr))
        moved = ((hl * ul, hr * ur), (hl * ul**2 + g / 2 * hl**2, hr * ur**2 + g / 2 * hr**2))
        moved = (*moved, (hl * ul * vl, hr * ur * vr))
        f = [(b * p - a * q + a * b * (r - s)) / (b - a) for (p, q), (s, r) in zip(moved, kept, strict=True)]
        return [f[0], f[1 + along], f[2 - along]]

    def ref() -> Any:
        w = water.astype(f64)
        east = flux(w[:, 1:-1, :-1], w[:, 1:-1, 1:], 0)
        north = flux(w[:, :-1, 1:-1], w[:, 1:, 1:-1], 1)
        want = xp.zeros_like(w)
        for k in range(3):
            change = east[k][:, 1:] - east[k][:, :-1] + north[k][1:] - north[k][:-1]
            want[k, 1:-1, 1:-1] = w[k, 1:-1, 1:-1] - float(ratio) * change
        return [want]

    args, grid = (water, after, ratio, i32(width), i32(height)), (width // 32, height // 8)
    return both(t, FILE, "levee_breach", (grid, grid), ((32, 8), (32, 8)), args, after, ref=ref, near=1e-4)


@case
def enzyme_cascades(t: Tools) -> Pair:
    xp, cells, steps, kinds, dt = t.xp, t.size(1 << 19, 1 << 9), 12, 8, f32(0.1)
    draw = np.random.default_rng(17)
    on, off = (draw.uniform(0.5, 2, kinds).astype(f32) for _ in range(2))
    t.constant(FILE, "enzyme_on", xp.asarray(on))
    t.constant(FILE, "enzyme_off", xp.asarray(off))
    before, after = t.rng.random((kinds, cells), dtype=f32), xp.zeros((kinds, cells), f32)

    def slope(x: Any) -> Any:
        one = xp.ones((1, cells))
        up, down = xp.concatenate([one, x[:-1]]), xp.concatenate([x[1:], one])
        return xp.asarray(on.astype(f64))[:, None] * up * (1 - x) - xp.asarray(off.astype(f64))[:, None] * x * down

    def ref() -> Any:
        x, h = before.astype(f64), float(dt)
        for _ in range(steps):
            a = slope(x)
            b = slope(x + h / 2 * a)
            c = slope(x + h / 2 * b)
            x = x + h / 6 * (a + 2 * b + 2 * c + slope(x + h * c))
        return [x]

    args, grid = (before, after, dt, i32(steps), i32(kinds), i32(cells)), cells // 256
    return both(t, FILE, "enzyme_cascades", (grid, grid), (256, 256), args, after, ref=ref, near=1e-4)


@case
def panorama_matches(t: Tools) -> Pair:
    xp, features, others = t.xp, t.size(SMS * 256, 128), t.size(1024, 256)
    feature, other = (t.rng.integers(0, 128, (n, 128), dtype=i32).astype(u8) for n in (features, others))
    best = xp.zeros(features, u32)

    def ref() -> Any:
        like = (feature.astype(f64) @ other.astype(f64).T).astype(np.int64)
        return [(like * 1024 + (1023 - xp.arange(others))[None, :]).max(axis=1).astype(u32)]

    args, grids = (feature, other, best, i32(others)), (features // 32, features // 128)
    return both(t, FILE, "panorama_matches", grids, (256, 256), args, best, ref=ref)


@case
def slide_radar(t: Tools) -> Pair:
    xp, width, height, pulses, bins = t.xp, t.size(1024, 256), t.size(512, 4), t.size(256, 32), 512
    wave, nearest, fine, spacing, some = f32(0.24), f32(90), f32(4), f32(0.06), t.size(8, 4)
    place = xp.zeros((pulses, 4), f32)
    place[:, 0] = xp.linspace(0, 60, pulses).astype(f32)
    place[:, 1], place[:, 2] = f32(-90), f32(40)
    turn0 = f32(6) * t.rng.random((pulses, 1, 2), dtype=f32)
    echo = f32(0.6) + f32(0.4) * xp.cos(f32(0.05) * xp.arange(bins, dtype=f32)[None, :, None] + turn0)
    picture = xp.zeros((height, width, 2), f32)

    def ref() -> Any:
        px, py = xp.arange(width, dtype=f32)[None, :] * spacing, xp.arange(some, dtype=f32)[:, None] * spacing
        want = xp.zeros((some, width), np.complex128)
        for k in range(pulses):
            x, y, z, _ = (f32(v) for v in place[k].tolist())
            square = (px - x) ** 2 + (py - y) ** 2 + z * z
            span = xp.sqrt(square.astype(f64))
            at = xp.clip(((span - float(nearest)) * float(fine)).astype(i32), 0, bins - 1)
            turn = xp.exp(2j * np.pi * (2 * span / float(wave)))
            want += (echo[k, at, 0] + 1j * echo[k, at, 1].astype(f64)) * turn
        return [xp.stack([want.real, want.imag], axis=2)]

    args = (place, echo, picture, wave, nearest, fine, spacing, i32(pulses), i32(bins), i32(width))
    grid = (width // 256, height)
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("slide_radar", "slide_radar_b"))
    return Pair(slow, cured, lambda _: (picture[:some],), ref, 1e-2, zero(picture))


@case
def heart_murmurs(t: Tools) -> Pair:
    xp, n, samples = t.xp, t.size(SMS * 256, 512), t.size(512, 32)
    factor = t.rng.random((5, n), dtype=f32)
    factor[3] = f32(-0.5) - f32(0.5) * factor[3]
    factor[4] = f32(0.3) + f32(0.3) * factor[4]
    sound, murmur = t.rng.random((samples, n), dtype=f32) - f32(0.5), xp.zeros((samples, n), f32)

    def ref() -> Any:
        (b0, b1, b2, a1, a2), want = factor.astype(f64), xp.zeros((samples, n))
        first, second = xp.zeros(n), xp.zeros(n)
        for k in range(samples):
            x = sound[k].astype(f64)
            y = want[k] = b0 * x + first
            first, second = b1 * x - a1 * y + second, b2 * x - a2 * y
        return [want]

    args, grids = (factor, sound, murmur, i32(samples), i32(n)), (n // 256, -(-n // 32))
    return both(t, FILE, "heart_murmurs", grids, (256, 512), args, murmur, ref=ref, near=1e-4)


@case
def dust_clusters(t: Tools) -> Pair:
    xp, clusters, large, size = t.xp, t.size(SMS * 32, 32), 8, t.size(1536, 300)
    draw = np.random.default_rng(17)
    held = draw.integers(48, 129, clusters)
    held[draw.choice(clusters, large, replace=False)] = size
    start = np.concatenate([[0], np.cumsum(held)]).astype(i32)
    n, piece = int(start[-1]), np.where(held > 128, 32, 128)
    blocks = -(-held // piece)
    owner = np.repeat(np.arange(clusters), blocks)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(blocks) - blocks, blocks)
    task = np.stack([owner, start[owner] + piece[owner] * within], axis=1).astype(i32)
    task = np.ascontiguousarray(task[np.argsort(-held[owner], kind="stable")])
    grain, pull = t.rng.random((n, 4), dtype=f32), xp.zeros((n, 4), f32)
    begins, tasks = xp.asarray(start), xp.asarray(task)

    def ref() -> Any:
        full, want = t.host(grain).astype(f64), np.zeros((n, 4))
        for a, b in pairwise(start.tolist()):
            off = full[None, a:b, :3] - full[a:b, None, :3]
            inverse = 1 / np.sqrt((off * off).sum(axis=2) + 1e-3)
            want[a:b, 3] = inverse @ full[a:b, 3]
            want[a:b, :3] = np.einsum("ij,ijk->ik", inverse**3 * full[a:b, 3], off)
        return [want]

    slow = launch(t, FILE, "dust_clusters", clusters, 128, (grain, begins, pull))
    cured = launch(t, FILE, "dust_clusters_b", len(owner), 128, (grain, begins, tasks, pull))
    return Pair(slow, cured, lambda _: (pull,), ref, 1e-3)


@case
def nuclei_stains(t: Tools) -> Pair:
    xp, width, height, cell = t.xp, t.size(2048, 256), t.size(1024, 128), 64
    across, nuclei = width // cell, width // cell * (height // cell)
    reach = f32(14) + f32(10) * t.rng.random(nuclei, dtype=f32)
    y, x = xp.arange(height, dtype=i32)[:, None], xp.arange(width, dtype=i32)[None, :]
    own = y // i32(cell) * i32(across) + x // i32(cell)
    far = (x % i32(cell) - i32(32)) ** 2 + (y % i32(cell) - i32(32)) ** 2
    label = xp.where(far < reach[own] ** 2, own + i32(1), i32(0)).astype(i32)
    stain = t.rng.integers(0, 256, (height, width), dtype=i32).astype(u8)
    area, total = xp.zeros(nuclei + 1, u32), xp.zeros(nuclei + 1, u32)

    def ref() -> Any:
        flat, value = label.ravel(), stain.ravel().astype(f64)
        sums = xp.bincount(flat, weights=value, minlength=nuclei + 1)
        return [xp.bincount(flat, minlength=nuclei + 1).astype(u32), sums.astype(u32)]

    args, grids = (label, stain, area, total, i32(width), i32(height)), (height, -(-height // 16))
    wide = tuple((width // 256, g) for g in grids)
    reset = zero(area, total)
    return both(t, FILE, "nuclei_stains", wide, (256, 256), args, (area, total), ref=ref, reset=reset)


@case
def storage_proofs(t: Tools) -> Pair:
    xp, many, prime = t.xp, t.size(SMS * 64, 8), 998244353
    before, after = t.uint32((many, 1024), prime), xp.zeros((many, 1024), u32)
    base = pow(3, (prime - 1) // 1024, prime)
    powers = [0] + [pow(base, k * (512 // half), prime) for half in (1 << b for b in range(10)) for k in range(half)]
    root = xp.asarray(np.array(powers, u32))
    ratio = xp.asarray(np.array([(w << 32) // prime for w in powers], u32))

    def ref() -> Any:
        v = before.astype(u64)
        for level in range(10):
            half = 512 >> level
            pair = v.reshape(many, 1 << level, 2, half)
            p, q = pair[:, :, 0], pair[:, :, 1]
            turn = root[half : 2 * half].astype(u64)
            v = xp.stack([(p + q) % u64(prime), (p + u64(prime) - q) * turn % u64(prime)], axis=2)
        return [v.reshape(many, 1024).astype(u32)]

    args = (before, root, ratio, after, u32(prime))
    return both(t, FILE, "storage_proofs", (many, many), (256, 256), args, after, ref=ref)


@case
def water_mains(t: Tools) -> Pair:
    xp, nodes = t.xp, t.size(1 << 20, 1 << 10)
    draw = np.random.default_rng(17)
    held = draw.integers(4, 9, nodes)
    start = np.concatenate([[0], np.cumsum(held)]).astype(i32)
    entries = int(start[-1])
    node = np.repeat(np.arange(nodes), held) + draw.integers(-400, 401, entries)
    node = xp.asarray(np.clip(node, 0, nodes - 1).astype(i32))
    ease, head = t.rng.random(entries, dtype=f32), t.rng.random(nodes, dtype=f32)
    inflow, begins = xp.zeros(nodes, f32), xp.asarray(start)

    def ref() -> Any:
        flow = t.host(ease).astype(f64) * t.host(head)[t.host(node)]
        return [np.add.reduceat(flow, start[:-1])]

    args, grids = (begins, node, ease, head, inflow, i32(nodes)), (nodes // 8, -(-nodes // 256))
    return both(t, FILE, "water_mains", grids, (256, 256), args, inflow, ref=ref, near=1e-5)


@case
def iceberg_alarms(t: Tools) -> Pair:
    xp, n, cells, side = t.xp, t.size(1 << 23, 1 << 12), 64, 68
    echo, alarm = f32(0.1) + t.rng.random(n + 2 * side, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        run = xp.concatenate([xp.zeros(1), xp.cumsum(echo.astype(f64))])
        left, right = run[cells : cells + n] - run[:n], run[side + 5 + cells :][:n] - run[side + 5 :][:n]
        return [2 * cells * echo[side : side + n].astype(f64) / (left + right)]

    args, grids = (echo, alarm, i32(n)), (n // 256, -(-n // 2048))
    return both(t, FILE, "iceberg_alarms", grids, (256, 128), args, alarm, ref=ref, near=1e-4)


@case
def rumour_days(t: Tools) -> Pair:
    xp, people, day = t.xp, t.size(1 << 25, 1 << 12), 5
    step = t.rng.integers(-2000, 2001, (people, 4), dtype=i32)
    friends = xp.clip(step + xp.arange(people, dtype=i32)[:, None], 0, people - 1).astype(i32, copy=False)
    luck = t.rng.random(people, dtype=f32)
    first = xp.where(luck < f32(0.004), i32(day), xp.where(luck < f32(0.05), i32(day - 1), i32(-1))).astype(i32)
    fresh, heard = xp.nonzero(first == day)[0].astype(i32), first.copy()
    del step, luck

    def reset() -> None:
        heard[...] = first

    def ref() -> Any:
        want, told = first.copy(), friends[fresh].ravel()
        want[told[want[told] < 0]] = day + 1
        return [want]

    many = len(fresh)
    slow = launch(t, FILE, "rumour_days", people // 256, 256, (friends, heard, i32(day), i32(people)))
    cured = launch(t, FILE, "rumour_days_b", -(-many // 256), 256, (friends, fresh, heard, i32(day), i32(many)))
    return Pair(slow, cured, lambda _: (heard,), ref, reset=reset)


@case
def chip_fields(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(4096, 256), t.size(4096, 128)
    table = t.rng.random((16, 6), dtype=f32) * f32(0.4) + f32(0.1)
    patch = t.rng.integers(0, 16, (height // 64, width // 64), dtype=i32)
    kind = xp.repeat(xp.repeat(patch, 64, axis=0), 64, axis=1)
    factor = xp.ascontiguousarray(table.T[:, kind.ravel()])
    kind = kind.astype(u8)
    hx, hy, field0, current0 = (t.rng.random((height, width), dtype=f32) - f32(0.5) for _ in range(4))
    field, current = field0.copy(), current0.copy()

    def reset() -> None:
        field[...], current[...] = field0, current0

    def ref() -> Any:
        c = factor.reshape(6, height, width)
        curl = hy.astype(f64) - hx
        curl[:, 1:] -= hy[:, :-1]
        curl[1:] += hx[:-1]
        new = c[0] * field0.astype(f64) + c[1] * curl - c[2] * current0
        return [new, c[3] * current0.astype(f64) + c[4] * (new + field0) + c[5] * curl]

    rest, grid = (hx, hy, field, current, i32(width), i32(height)), (width // 256, height)
    slow = launch(t, FILE, "chip_fields", grid, 256, (factor, *rest))
    cured = launch(t, FILE, "chip_fields_b", grid, 256, (kind, table, *rest))
    return Pair(slow, cured, lambda _: (field, current), ref, 1e-5, reset)
