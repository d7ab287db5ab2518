"""The pairs of the .cu files here whose causes the catalogue has had from the start."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, f32, i32, i64, launch, zero
from third_ours import two

CASES = Cases()
case = CASES.add


@case
def moments(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    price, out = t.rng.random(n, dtype=f32), xp.zeros(3, f32)

    def ref() -> Any:
        r = xp.diff(price)
        r = r[r > f32(0.1)].astype(np.float64)
        return [xp.stack([r.sum(), (r * r).sum(), xp.asarray(float(r.size))])]

    args = (price, f32(0.1), out, i32(n))
    more = {"ref": ref, "reset": zero(out), "near": 1e-2}
    return two(t, "counting", "moments", "moments_gathered", SMS * 8, 256, args, out, **more)


@case
def push_records(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    first, used = t.rng.random((n, 16), dtype=f32), np.array([0, 1, 2, 4, 5, 6])
    record, plane = first.copy(), xp.ascontiguousarray(first[:, used].T)
    planes = plane.copy()

    def reset() -> None:
        record[...] = first
        plane[...] = planes

    def ref() -> Any:
        x, y, z, vx, vy, vz = planes.astype(np.float64)
        vx, vy, vz = vx + 0.01 * (0.3 * vy - x), vy + 0.01 * (-0.3 * vx - y), vz - 0.001 * z
        return [xp.stack([x + 0.01 * vx, y + 0.01 * vy, z + 0.01 * vz, vx, vy, vz])]

    slow = launch(t, "layouts", "push_records", n // 256, 256, (record, f32(0.01), i32(n)))
    cured = launch(t, "layouts", "push_planes", n // 256, 256, (plane, f32(0.01), i32(n)))
    outs = {"slow": lambda: (xp.ascontiguousarray(record[:, used].T),), "cured": lambda: (plane,)}
    return Pair(slow, cured, lambda which: outs[which](), ref, 1e-4, reset)


@case
def wavelet_rows(t: Tools) -> Pair:
    xp, blocks = t.xp, t.size(16384, 4)
    image, out = t.rng.random((blocks * 64, 64), dtype=f32), xp.zeros((blocks * 64, 64), f32)

    def ref() -> Any:
        want, root = image.astype(np.float64), 0.5**0.5
        for step in (1, 2, 4, 8):
            a, b = want[:, :: 2 * step].copy(), want[:, step :: 2 * step].copy()
            want[:, :: 2 * step], want[:, step :: 2 * step] = (a + b) * root, (a - b) * root
        return [want]

    return two(t, "layouts", "wavelet_rows", "wavelet_rows_b", blocks, 64, (image, out), out, ref=ref, near=1e-5)


@case
def commonest_code(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 21, 1 << 9)
    symbol = xp.where(t.rng.random((64, n), dtype=f32) < 0.5, 7, t.rng.integers(0, 32, (64, n), dtype=i32))
    symbol, most = symbol.astype(xp.uint8), xp.zeros(n, xp.uint32)

    def ref() -> Any:
        counts = xp.stack([(symbol == c).sum(axis=0) for c in range(32)])
        return [(counts.astype(xp.uint32) * 256 + xp.arange(32, dtype=xp.uint32)[:, None]).max(axis=0)]

    return two(t, "layouts", "commonest_code", "commonest_code_b", n // 128, 128, (symbol, most, i32(n)), most, ref=ref)


@case
def price_book(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    kind = t.rng.integers(0, 4, n, dtype=i32).astype(xp.uint8)
    spot, strike = (t.rng.random(n, dtype=f32) * f32(40) + f32(80) for _ in range(2))
    value, as_listed, by_kind = xp.zeros(n, f32), xp.arange(n, dtype=i32), xp.argsort(kind).astype(i32)
    calls = (
        launch(t, "layouts", "price_book", n // 256, 256, (order, kind, spot, strike, value, i32(n)))
        for order in (as_listed, by_kind)
    )
    return Pair(*calls, lambda _: (value,), None, 1e-4)


@case
def julia(t: Tools) -> Pair:
    xp, side = t.xp, t.size(2048, 32)
    n = side * side
    steps, by_row = xp.zeros(n, i32), xp.arange(n, dtype=i32)
    shuffled = xp.argsort(t.rng.random(n, dtype=f32)).astype(i32)
    more = (i32(side), f32(-0.4), f32(0.59), i32(n))
    calls = (launch(t, "layouts", "julia", n // 256, 256, (order, steps, *more)) for order in (shuffled, by_row))
    return Pair(*calls, lambda _: (steps,))


@case
def despeckle(t: Tools) -> Pair:
    xp, side = t.xp, t.size(2048, 64)
    image, out = t.rng.random((side, side), dtype=f32), xp.zeros((side, side), f32)

    def ref() -> Any:
        want, m = xp.zeros((side, side), f32), min(side, 512)
        parts = [image[k // 7 : m - 6 + k // 7, k % 7 : m - 6 + k % 7] for k in range(49)]
        want[...] = out
        want[: m - 6, : m - 6] = xp.sort(xp.stack(parts), axis=0)[24]
        return [want]

    args, grid = (image, out, i32(side), i32(side)), (side // 32, side // 8)
    return two(t, "layouts", "despeckle", "despeckle_b", grid, (32, 8), args, out, ref=ref)


@case
def trellis(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 19, 1 << 9)
    seen, cost = t.rng.integers(0, 4, (64, n), dtype=i32).astype(xp.uint8), t.rng.random((16, 4), dtype=f32)
    leads = [[(2 * s) & 15, (2 * s + 1) & 15] for s in range(16)]
    origin, least = xp.asarray(np.array(leads, np.int32)), xp.zeros(n, f32)

    def ref() -> Any:
        now = xp.repeat(0.1 * xp.arange(16, dtype=np.float64)[:, None], n, axis=1)
        for step in range(64):
            show = cost[:, seen[step].astype(i32)]
            now = xp.minimum(now[origin[:, 0]], now[origin[:, 1]] + 0.25) + show
        return [now.min(axis=0)]

    args = (seen, origin, cost, least, i32(n))
    return two(t, "layouts", "trellis", "trellis_b", n // 128, 128, args, least, ref=ref, near=1e-4)


@case
def expose(t: Tools) -> Pair:
    xp, blocks = t.xp, t.size(272, 2)
    height = blocks * 64
    light, density = t.rng.random((height, 2048), dtype=f32), xp.zeros((height, 2048), f32)
    slow = launch(t, "waits", "expose", blocks, 1024, (light, density, i32(64), i32(height)))
    cured = launch(t, "waits", "expose", blocks * 16, 1024, (light, density, i32(4), i32(height)))
    return Pair(slow, cured, lambda _: (density,), None, 1e-5)


@case
def pair_energy(t: Tools) -> Pair:
    xp, blocks = t.xp, t.size(SMS * 8, 4)
    n = blocks * 32
    body, energy = t.rng.random((n, 4), dtype=f32), xp.zeros(n, f32)
    return two(t, "waits", "pair_energy", "pair_energy_b", blocks, 256, (body, energy), energy, near=1e-4)


@case
def wander(t: Tools) -> Pair:
    xp, n, blocks = t.xp, t.size(1 << 26, 1 << 12), t.size(SMS, 2)
    walks = blocks * 256 * 4
    heir, start, end = t.rng.integers(0, n, n, dtype=i32), t.rng.integers(0, n, walks, dtype=i32), xp.zeros(walks, i32)

    def ref() -> Any:
        v = start
        for _ in range(64):
            v = heir[v]
        return [v]

    return two(t, "waits", "wander", "wander_b", blocks, 256, (heir, start, end, i32(walks)), end, ref=ref)


@case
def series(t: Tools) -> Pair:
    xp, blocks, terms = t.xp, t.size(SMS, 2), 32768
    point, term = t.rng.random(blocks * 128, dtype=f32) * f32(1.98) - f32(0.99), t.rng.random(terms, dtype=f32)
    value = xp.zeros(blocks * 128, f32)

    def ref() -> Any:
        v, x = xp.zeros(blocks * 128), point.astype(np.float64)
        for c in term[-4096:].astype(np.float64).get() if hasattr(term, "get") else term[-4096:]:
            v = v * x + float(c)
        return [v]

    return two(
        t, "waits", "series", "series_b", blocks, 128, (point, term, value, i32(terms)), value, ref=ref, near=1e-3
    )


@case
def standardise(t: Tools) -> Pair:
    xp, rows = t.xp, t.size(65536, 8)
    data, out = t.rng.random((rows, 1024), dtype=f32), xp.zeros((rows, 1024), f32)
    ref = lambda: [(data - data.mean(axis=1, keepdims=True)) / xp.sqrt(data.var(axis=1, keepdims=True) + f32(1e-6))]  # noqa: E731
    return two(
        t, "waits", "standardise", "standardise_b", SMS * 2, 1024, (data, out, i32(rows)), out, ref=ref, near=1e-3
    )


@case
def sort_rows(t: Tools) -> Pair:
    xp, rows = t.xp, t.size(32768, 8)
    data, out = t.rng.random((rows, 1024), dtype=f32), xp.zeros((rows, 1024), f32)
    ref = lambda: [xp.sort(data, axis=1)]  # noqa: E731
    return two(t, "waits", "sort_rows", "sort_rows_b", rows, 1024, (data, out), out, ref=ref)


@case
def distances(t: Tools) -> Pair:
    xp, n, features = t.xp, t.size(4096, 128), 128
    a, b = (t.rng.random((features, n), dtype=f32) for _ in range(2))
    out = xp.zeros((n, n), f32)
    args = (a, b, out, i32(n), i32(features))

    def ref() -> Any:
        want = xp.zeros((n, n), f32)
        for k in range(features):
            want += xp.abs(a[k][:, None] - b[k][None, :])
        return [want]

    slow = launch(t, "reuse", "distances", (n // 32, n // 8), (32, 8), args)
    return Pair(slow, launch(t, "reuse", "distances_b", (n // 64, n // 64), 256, args), lambda _: (out,), ref, 1e-4)


@case
def level_sets(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 10)
    field, level = t.rng.random((n, 4), dtype=f32), xp.linspace(0.1, 0.9, 8, dtype=f32)
    above = xp.zeros(8, i32)
    args, ref = (field, level, above, i32(n)), lambda: [xp.stack([(field > v).sum() for v in level])]
    return two(t, "reuse", "level_sets", "level_sets_b", SMS * 8, 256, args, above, ref=ref, reset=zero(above))


@case
def turn_axes(t: Tools) -> Pair:
    xp, (a, b, c, d, e) = t.xp, (t.size(32, 2), 6, 8, 512, 24)
    x, out = t.rng.random((a, b, c, e, d), dtype=f32), xp.zeros((a, e, c, b, d), f32)
    slow = launch(t, "reuse", "turn_axes", SMS * 8, 256, (x, out, i64(b), i64(c), i64(d), i64(e), i64(x.size)))
    cured = launch(t, "reuse", "turn_axes_b", (a * e, c, b), 256, (x, out, i32(b), i32(c), i32(d), i32(e)))
    return Pair(slow, cured, lambda _: (out,), lambda: [xp.ascontiguousarray(x.transpose(0, 3, 2, 1, 4))])


@case
def substitution(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    table = t.rng.integers(-4, 12, (24, 24), dtype=i32).astype(f32)
    t.constant("reuse", "blosum", table)
    left, right = (t.rng.integers(0, 24, (8, n, 4), dtype=i32).astype(xp.uint8) for _ in range(2))
    score = xp.zeros(n, f32)

    def ref() -> Any:
        return [sum(table[left[k, :, j].astype(i32), right[k, :, j].astype(i32)] for k in range(8) for j in range(4))]

    args = (left, right, score, i32(n))
    return two(t, "reuse", "substitution", "substitution_b", n // 256, 256, args, score, ref=ref)
