"""The pairs whose kernels are in quarries.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, zero

CASES = Cases()
case = CASES.add
f64, u8, i8 = np.float64, np.uint8, np.int8
FILE = "quarries"


@case
def foam_residuals(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 12)
    residual, inverse = t.rng.random(n, dtype=f32), f32(0.5) + t.rng.random(n, dtype=f32)
    product = xp.zeros(1, f32)

    def ref() -> Any:
        return [(residual.astype(f64) ** 2 * inverse).sum().reshape(1)]

    grids, args = (n // 256, t.size(SMS * 8, 2)), (residual, inverse, product, i32(n))
    return both(t, FILE, "foam_residuals", grids, (256, 256), args, product, ref=ref, near=3e-3, reset=zero(product))


@case
def gel_forces(t: Tools) -> Pair:
    xp, rows, width = t.xp, t.size(1 << 20, 1 << 10), 32
    away = t.rng.integers(-64, 65, (rows, width), dtype=i32)
    column = ((xp.arange(rows, dtype=i32)[:, None] + away) % i32(rows)).astype(i32)
    stiffness, moved = t.rng.random((rows, width), dtype=f32), t.rng.random(rows, dtype=f32)
    by_row, by_place = xp.zeros(rows, f32), xp.zeros(rows, f32)
    turned = tuple(xp.ascontiguousarray(a.T) for a in (column, stiffness))
    more = (i32(width), i32(rows))
    slow = launch(t, FILE, "gel_forces", rows // 256, 256, (column, stiffness, moved, by_row, *more))
    cured = launch(t, FILE, "gel_forces_b", rows // 256, 256, (*turned, moved, by_place, *more))

    def ref() -> Any:
        return [(stiffness.astype(f64) * moved[column]).sum(axis=1)]

    return Pair(slow, cured, lambda w: (by_row if w == "slow" else by_place,), ref, 1e-4)


@case
def freight_charges(t: Tools) -> Pair:
    xp, n, carriers, chunk = t.xp, t.size(1 << 24, 1 << 14), 528, t.size(1 << 14, 1 << 8)
    share = (np.arange(carriers) + 1.0) ** -0.7
    size = np.maximum(1, n * share / share.sum()).astype(np.int64)
    size = np.random.default_rng(1).permutation(size)
    start = np.concatenate([[0], np.cumsum(size)])
    n = int(start[-1])
    begins = [np.arange(start[c], start[c + 1], chunk) for c in range(carriers)]
    owner = np.repeat(np.arange(carriers), [len(b) for b in begins])
    tariff = f32(1) + t.rng.random((carriers, 1024), dtype=f32)
    goods, weight = t.rng.integers(0, 1024, n, dtype=i32), t.rng.random(n, dtype=f32)
    charge = xp.zeros(n, f32)

    def to(a: Any) -> Any:
        return xp.asarray(a.astype(i32))

    lists = ((to(start), to(np.arange(carriers))), (to(np.concatenate([*begins, [n]])), to(owner)))
    calls = [launch(t, FILE, "freight_charges", len(o), 256, (s, o, tariff, goods, weight, charge)) for s, o in lists]

    def ref() -> Any:
        return [tariff[to(np.repeat(np.arange(carriers), size)), goods] * weight]

    return Pair(calls[0], calls[1], lambda _: (charge,), ref)


@case
def drill_holes_near(t: Tools) -> Pair:
    xp, n, each = t.xp, t.size(1 << 18, 1 << 9), 8
    leaves = n // each
    levels = leaves.bit_length() - 1  # 15, so that a walk has at most 16 nodes to come back to
    hole = np.random.default_rng(2).random((n, 2), dtype=f32)
    for level in range(levels):
        halves = hole.reshape(1 << level, -1, 2)
        order = halves[:, :, level % 2].argsort(axis=1)
        hole = np.take_along_axis(halves, order[:, :, None], axis=1).reshape(n, 2)
    low, high = hole.reshape(leaves, each, 2).min(axis=1), hole.reshape(leaves, each, 2).max(axis=1)
    boxes = [np.concatenate([low, high], axis=1)]
    while len(low) > 1:
        low, high = low.reshape(-1, 2, 2).min(axis=1), high.reshape(-1, 2, 2).max(axis=1)
        boxes.insert(0, np.concatenate([low, high], axis=1))
    box, holes = xp.asarray(np.concatenate(boxes).astype(f32)), xp.asarray(np.ascontiguousarray(hole))
    count, radius = xp.zeros(n, i32), f32(np.sqrt(32 / np.pi / n))
    args, grid = (box, holes, count, radius, i32(leaves - 1), i32(n)), n // 64
    return both(t, FILE, "drill_holes_near", (grid, grid), (64, 64), args, count)


@case
def polymer_shakes(t: Tools) -> Pair:
    xp, chains, beads, steps = t.xp, t.size(SMS * 1024, 64), 24, 32
    before, dt, cubic = t.rng.random((beads, chains), dtype=f32) - f32(0.5), f32(0.05), f32(0.3)
    after = xp.zeros((beads, chains), f32)

    def ref() -> Any:
        x, v = xp.zeros((beads + 2, chains)), xp.zeros((beads, chains))
        x[1:-1] = before
        for _ in range(steps):
            far = x[1:] - x[:-1]
            push = far + float(cubic) * far * far * far
            v += float(dt) * (push[1:] - push[:-1])
            x[1:-1] += float(dt) * v
        return [x[1:-1]]

    args, grid = (before, after, dt, cubic, i32(steps), i32(chains)), chains // 64
    return both(t, FILE, "polymer_shakes", (grid, grid), (64, 64), args, after, ref=ref, near=1e-3)


@case
def cough_columns(t: Tools) -> Pair:
    xp, planes, high, wide, taps = t.xp, t.size(128, 2), t.size(168, 4), t.size(192, 64), 3
    n = planes * taps * taps * high * wide
    sound, laid = t.rng.random((planes, high, wide), dtype=f32), xp.zeros((planes, taps * taps, high, wide), f32)
    size = (i32(high), i32(wide), i32(taps))
    slow = launch(t, FILE, "cough_columns", t.size(SMS * 8, 2), 256, (sound, laid, *size, i32(n)))
    cured = launch(t, FILE, "cough_columns_b", (wide // 64, high // 4, planes), (64, 4), (sound, laid, *size))

    def ref() -> Any:
        edged = xp.zeros((planes, high + 2, wide + 2), f32)
        edged[:, 1:-1, 1:-1] = sound
        return [xp.stack([edged[:, v : v + high, u : u + wide] for v in range(3) for u in range(3)], axis=1)]

    return Pair(slow, cured, lambda _: (laid,), ref)


@case
def microfilm_pages(t: Tools) -> Pair:
    xp, width, height, scale = t.xp, t.size(4096, 64), t.size(3072, 16), f32(0.6)
    across, down = int(width * scale) + 3, int(height * scale) + 3
    film, page = t.rng.random((down + 4, across + 4), dtype=f32), xp.zeros((height, width), f32)

    def weights(size: int) -> Any:
        at = xp.arange(size, dtype=f32) * scale
        first = xp.floor(at)
        a = (at - first).astype(f64)
        return first.astype(i32) + 1, [xp.sinc(d) * xp.sinc(d / 2) for d in (1 + a, a, 1 - a, 2 - a)]

    def ref() -> Any:
        (x, wx), (y, wy) = weights(width), weights(height)
        rows = sum(wx[k] * film[:, x + k] for k in range(4))
        return [sum(wy[k][:, None] * rows[y + k] for k in range(4))]

    args, grid = (film, page, scale, i32(across), i32(width), i32(height)), (width // 32, height // 8)
    return both(t, FILE, "microfilm_pages", (grid, grid), ((32, 8), (32, 8)), args, page, ref=ref, near=1e-4)


@case
def braille_layer(t: Tools) -> Pair:
    xp, n = t.xp, t.size(2048, 64)
    inputs = t.rng.integers(-128, 128, (n, n), dtype=i32).astype(i8)
    weight = t.rng.integers(-128, 128, (n, n), dtype=i32).astype(i8)
    out = xp.zeros((n, n), i32)

    def ref() -> Any:
        return [xp.rint(inputs.astype(f64) @ weight.astype(f64).T).astype(i32)]

    args, grid = (inputs, weight, out, i32(n), i32(n)), (n // 64, n // 64)
    return both(t, FILE, "braille_layer", (grid, grid), (256, 256), args, out, ref=ref)


@case
def frog_channels(t: Tools) -> Pair:
    xp, clips, channels = t.xp, t.size(64, 4), t.size(SMS * 8, 2)
    call = t.rng.random((clips, channels, 1024), dtype=f32)
    call += xp.arange(channels, dtype=f32)[None, :, None] / f32(channels)
    moment = xp.zeros((2, channels), f32)

    def ref() -> Any:
        wide = call.astype(f64)
        return [xp.stack([wide.mean(axis=(0, 2)), wide.var(axis=(0, 2))])]

    args = (call, moment, i32(clips), i32(channels))
    return both(t, FILE, "frog_channels", (channels,) * 2, (256, 256), args, moment, ref=ref, near=1e-4)


@case
def caption_beams(t: Tools) -> Pair:
    xp, beams, words = t.xp, t.size(1 << 17, 1 << 6), 256
    score, chosen = f32(6) * t.rng.random((beams, words), dtype=f32), t.rng.integers(0, words, beams, dtype=i32)
    chance, grid = xp.zeros(beams, f32), t.size(SMS * 8, 2)

    def ref() -> Any:
        return [score[xp.arange(beams), chosen] - xp.log(xp.exp(score.astype(f64)).sum(axis=1))]

    args = (score, chosen, chance, i32(beams))
    return both(t, FILE, "caption_beams", (grid, grid), (256, 256), args, chance, ref=ref, near=1e-4)


@case
def annuity_values(t: Tools) -> Pair:
    xp, n, payments = t.xp, t.size(1 << 21, 1 << 9), 64
    interest, amount = f32(0.01) + f32(0.07) * t.rng.random(n, dtype=f32), f32(1) + t.rng.random(n, dtype=f32)
    draw, paid = np.random.default_rng(3), np.zeros((payments, 4), f32)
    paid[:, 0] = np.sort(draw.uniform(0.25, 32, payments))
    paid[:, 1], paid[:, 2] = np.exp(-0.03 * paid[:, 0]), 0.005 * np.sqrt(paid[:, 0])
    payment, value = xp.asarray(paid), xp.zeros(n, f32)

    def ref() -> Any:
        growth, want = 1 + interest.astype(f64), xp.zeros(n)
        for when, alive, more, _ in paid.tolist():
            want += alive * (growth + more) ** -when
        return [want * amount]

    args, grid = (interest, amount, payment, value, i32(n)), n // 256
    return both(t, FILE, "annuity_values", (grid, grid), (256, 256), args, value, ref=ref, near=1e-3)


@case
def rust_layer(t: Tools) -> Pair:
    xp, channels, width, height = t.xp, 64, t.size(192, 32), t.size(192, 8)
    leaf = t.rng.random((channels, height + 2, width + 2), dtype=f32)
    filters = t.rng.random((channels, channels, 3, 3), dtype=f32) - f32(0.4)
    out = xp.zeros((channels, height, width), f32)

    def ref() -> Any:
        want = xp.zeros((channels, height * width))
        for v in range(3):
            for u in range(3):
                part = leaf[:, v : v + height, u : u + width].reshape(channels, -1)
                want += filters[:, :, v, u].astype(f64) @ part.astype(f64)
        return [xp.maximum(want, 0).reshape(channels, height, width)]

    args, across, down = (leaf, filters, out, i32(width), i32(height)), width // 32, height // 8
    grids = ((across, down, channels), (across, down, channels // 8))
    return both(t, FILE, "rust_layer", grids, (256, 256), args, out, ref=ref, near=1e-4)


@case
def clinic_notes(t: Tools) -> Pair:
    xp, words, wide = t.xp, t.size(1 << 15, 1 << 4), 4096
    word = t.rng.integers(0, 256, (words, wide), dtype=i32).astype(u8)
    place = xp.argsort(t.rng.random(words)).astype(i32)
    moved, grid = xp.zeros((words, wide), u8), t.size(SMS * 8, 2)

    def ref() -> Any:
        want = xp.zeros((words, wide), u8)
        want[place] = word ^ u8(0x80)
        return [want]

    args = (word, place, moved, i32(wide), i32(words))
    return both(t, FILE, "clinic_notes", (grid, grid), (256, 256), args, moved, ref=ref)


@case
def propeller_cells(t: Tools) -> Pair:
    xp, n, spin = t.xp, t.size(1 << 23, 1 << 10), f32(0.7)
    kind = t.rng.integers(0, 4, n, dtype=i32).astype(u8)
    size, swirl = (f32(0.1) + f32(0.9) * t.rng.random(n, dtype=f32) for _ in range(2))
    order = xp.argsort(kind)
    mixed, ranked = xp.zeros(n, f32), xp.zeros(n, f32)
    by_kind = tuple(xp.ascontiguousarray(a[order]) for a in (kind, size, swirl))
    slow = launch(t, FILE, "propeller_cells", n // 256, 256, (kind, size, swirl, mixed, spin, i32(n)))
    cured = launch(t, FILE, "propeller_cells", n // 256, 256, (*by_kind, ranked, spin, i32(n)))

    def outs(which: str) -> Any:
        return (mixed[order] if which == "slow" else ranked,)

    return Pair(slow, cured, outs, None, 1e-5, zero(mixed, ranked))
