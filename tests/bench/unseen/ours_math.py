"""The launches of series.cu, statistics.cu, particles.cu and tensors.cu: inputs, grids and what the outputs must be."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Case, Launch, Tools
from ours_data import SMS, close, f32, i32, i64


def table_lookup(t: Tools) -> Case:
    xp, n = t.xp, t.size(1 << 25, 1 << 10)
    knots = t.rng.random((1024, 2), dtype=xp.float32)
    t.constant("series", "knots", knots)
    x, y = t.rng.random(n, dtype=xp.float32), xp.zeros(n, xp.float32)

    def check() -> None:
        part = slice(0, 1 << 20)
        scaled = x[part] * f32(1024)
        i = xp.minimum(scaled.astype(xp.int32), 1023)
        close(xp, y[part], knots[i, 1].astype(xp.float64) * (scaled - i) + knots[i, 0], 1e-5, 1e-5)

    args = (x, y, knots, i32(n // 4))
    slow = Launch(t.kernel("series", "interpolateI12FromConstant"), (SMS * 8,), (256,), args)
    return Case(slow, check, Launch(t.kernel("series", "interpolateI10FromShared"), (SMS * 8,), (256,), args, 1024 * 8))


def exact_polynomial(t: Tools) -> Case:
    xp, n = t.xp, t.size(1 << 26, 1 << 10)
    c = t.rng.random(128, dtype=xp.float32)
    t.constant("series", "coefficients", c)
    x, y = t.rng.random(n, dtype=xp.float32) * xp.float32(0.9), xp.zeros(n, xp.float32)
    check = polynomial_check(t, x, y, c, 128)

    def launch(name: str) -> Launch:
        return Launch(t.kernel("series", f"horner.*{name}"), (n // 1024,), (256,), (x, y, i32(n // 4)))

    return Case(launch("Reproducible"), check, launch("Fused"))


def polynomial_check(t: Tools, x: Any, y: Any, c: Any, terms: int) -> Any:
    """Of the first and last 4096 of y: sum over k < terms of c[k] x^(terms - 1 - k)."""
    xp, n = t.xp, x.shape[0]
    factors = t.host(c).astype(np.float64)

    def check() -> None:
        for part in (slice(0, 4096), slice(max(0, n - 4096), n)):
            at = x[part].astype(xp.float64)
            want = xp.zeros_like(at)
            for k in range(terms):
                want = want * at + float(factors[k])
            close(xp, y[part], want, 1e-4, 1e-4)

    return check


def power_series(t: Tools) -> Case:
    xp, n, terms = t.xp, t.size(1 << 24, 1 << 10), 64
    c = t.rng.random(128, dtype=xp.float32)
    t.constant("series", "coefficients", c)
    x, y = t.rng.random(n, dtype=xp.float32) * xp.float32(0.9), xp.zeros(n, xp.float32)

    def launch(name: str) -> Launch:
        return Launch(t.kernel("series", f"power_series.*{name}"), (SMS * 8,), (256,), (x, y, i32(terms), i32(n)))

    return Case(launch("EachPower"), polynomial_check(t, x, y, c, terms), launch("HornersRule"))


def drawn(k: Any) -> Any:
    """The coefficients that generated_series has in its code."""
    h = (k * 747796405 + 2891336453) & 0xFFFFFFFF
    h = (((h >> ((h >> 28) + 4)) ^ h) * 277803737) & 0xFFFFFFFF
    signed = ((h >> 22) ^ h).astype(np.uint32).view(np.int32) >> 8
    return (signed.astype(np.float32) * np.float32(1.1920929e-7)).astype(np.float32)


def generated_code(t: Tools) -> Case:
    xp, n = t.xp, SMS * 2048 * 8
    c = xp.asarray(drawn(np.arange(4096, dtype=np.uint64)))
    t.constant("generated", "table_of_terms", c)
    x, y = t.rng.random(n, dtype=xp.float32) * xp.float32(0.9), xp.zeros(n, xp.float32)

    def launch(name: str) -> Launch:
        return Launch(t.kernel("generated", name), (SMS * 8,), (256,), (x, y, i32(n // 4)))

    return Case(launch("generated_series"), polynomial_check(t, x, y, c, 4096), launch("tabled_series"))


def upper_envelope(t: Tools) -> Case:
    xp, n, count = t.xp, t.size(1 << 22, 1 << 10), 256
    pieces = t.rng.random((count, 3), dtype=xp.float32) - xp.float32(0.5)
    t.constant("series", "fixed_pieces", pieces)
    x, y = t.rng.random(n, dtype=xp.float32), xp.zeros(n, xp.float32)

    def check() -> None:
        at, (a, b, c) = x[:4096].astype(xp.float64)[:, None], pieces.T
        close(xp, y[:4096], xp.max((a * at + b) * at + c, axis=1), 1e-5, 1e-5)

    def launch(name: str) -> Launch:
        return Launch(t.kernel("series", f"envelope.*{name}"), (SMS * 8,), (256,), (x, y, pieces, i32(count), i32(n)))

    return Case(launch("InGlobal"), check, launch("InConstant"))


def fourier_sum(t: Tools) -> Case:
    xp, n, count, spacing = t.xp, t.size(1 << 20, 1 << 11), 1024, f32(1e-4)
    samples, out = t.rng.random((count, 2), dtype=xp.float32), xp.zeros((n, 2), xp.float32)

    def check() -> None:
        when, value = samples.T.astype(xp.float64)
        for first in (0, n - 64):
            angle = float(spacing) * xp.arange(first, first + 64)[:, None] * when
            for part, f in ((0, xp.cos), (1, xp.sin)):
                close(xp, out[first : first + 64, part], (f(angle) * value).sum(axis=1), 0.0, 1.0)

    def launch(each: int) -> Launch:
        kernel = t.kernel("series", f"fourier_sumILi{each}E")
        return Launch(kernel, (n // 256 // each,), (256,), (samples, out, spacing, i32(count), i32(n)), count * 8)

    return Case(launch(1), check, launch(8))


def iterated_map(t: Tools) -> Case:
    xp, n, steps = t.xp, SMS * 2048 * 4, 4096
    x, y = t.rng.random(n, dtype=xp.float32), xp.zeros(n, xp.float32)

    def check() -> None:
        close(
            xp, y, xp.full(n, 1 - np.sqrt(1 - 0.4), xp.float64), 0.0, 1e-4
        )  # the root of v = (v / 4 + 1 / 2) v + 1 / 10

    args = (x, y, f32(0.25), f32(0.5), f32(0.1), i32(steps), i32(n))
    return Case(Launch(t.kernel("series", "iterate_map"), (SMS * 8,), (256,), args), check)


def class_sums(t: Tools) -> Case:
    xp, n = t.xp, t.size(1 << 20, 1 << 10)
    points, label = t.rng.random((n, 4), dtype=xp.float32), t.rng.integers(0, 8, n, dtype=xp.int32).astype(xp.uint8)
    sums = xp.zeros((8, 4), xp.float32)

    def check() -> None:
        want = xp.stack([points[label == c].sum(axis=0, dtype=xp.float64) for c in range(8)])
        want[:, 3] = xp.bincount(label.astype(xp.int64), minlength=8)
        close(xp, sums, want, 1e-3, 0.0)

    args = (points, label, sums, i32(n))
    slow = Launch(t.kernel("statistics", "10add_pointsI"), (SMS * 8,), (256,), args)
    return Case(
        slow,
        check,
        Launch(t.kernel("statistics", "add_points_of_block"), (SMS * 4,), (256,), args),
        lambda: sums.fill(0),
    )


def photon_walk(t: Tools) -> Case:
    xp, threads = t.xp, SMS * 8 * 256
    n, tally, first = threads * 64, xp.zeros((threads, 2), xp.float32), []

    def check() -> None:
        flights = float(tally[:, 1].sum(dtype=xp.float64)) / n
        assert 1.5 < flights < 40, f"{flights:.2f} flights a photon"
        first[:] = first or [tally.copy()]
        close(xp, tally, first[0].astype(xp.float64), 1e-3, 1e-2)

    def launch(name: str) -> Launch:
        return Launch(t.kernel("statistics", f"photons.*{name}"), (SMS * 8,), (256,), (tally, f32(0.03), i32(n)))

    return Case(launch("OneAfterAnother"), check, launch("Refilled"))


def channel_moments(t: Tools) -> Case:
    xp, channels, quads = t.xp, 8, t.size(1 << 22, 1 << 16)
    x, out = t.rng.random((channels, quads * 4), dtype=xp.float32), xp.zeros((channels, 2), xp.float32)

    def check() -> None:
        for c in range(channels):
            close(xp, out[c, 0], x[c].sum(dtype=xp.float64), 1e-3, 0.0)
            close(xp, out[c, 1], (x[c] * x[c]).sum(dtype=xp.float64), 1e-3, 0.0)

    def launch(parts: int) -> Launch:
        return Launch(t.kernel("statistics", "channel_moments"), (parts, channels), (1024,), (x, out, i32(quads)))

    return Case(launch(1), check, launch(64), lambda: out.fill(0))


def layer_norm(t: Tools) -> Case:
    xp, rows = t.xp, t.size(1 << 16, 1 << 10)
    x, y = t.rng.random((rows, 1024), dtype=xp.float32), xp.zeros((rows, 1024), xp.float32)

    def check() -> None:
        for part in (slice(0, 64), slice(rows - 64, rows)):
            v = x[part].astype(xp.float64)
            close(
                xp,
                y[part],
                (v - v.mean(axis=1, keepdims=True)) / xp.sqrt(v.var(axis=1, keepdims=True) + 1e-5),
                1e-3,
                1e-3,
            )

    args = (x, y, i32(rows))
    slow = Launch(t.kernel("statistics", "normalise_by_block"), (SMS * 2,), (1024,), args)
    return Case(slow, check, Launch(t.kernel("statistics", "normalise_by_warp"), (SMS * 5,), (256,), args))


def row_softmax(t: Tools) -> Case:
    xp, rows = t.xp, t.size(1 << 22, 1 << 10)
    x, y = t.rng.random((rows, 64), dtype=xp.float32), xp.zeros((rows, 64), xp.float32)

    def check() -> None:
        for part in (slice(0, 512), slice(rows - 512, rows)):
            e = xp.exp(x[part].astype(xp.float64))
            close(xp, y[part], e / e.sum(axis=1, keepdims=True), 1e-4, 1e-6)

    kernel, args = t.kernel("statistics", "softmax64"), (x, y, i32(rows))
    return Case(Launch(kernel, (rows,), (32,), args), check, Launch(kernel, (SMS * 8,), (256,), args))


def rms_norm(t: Tools) -> Case:
    xp, rows = t.xp, t.size(1 << 18, 1 << 8)
    x = (t.rng.random((rows, 1024), dtype=xp.float32).view(xp.uint32) >> 16).astype(xp.uint16)  # bf16: the upper half
    weight, y = xp.full(1024, 0x3F80, xp.uint16), xp.zeros((rows, 1024), xp.uint16)

    def check() -> None:
        for part in (slice(0, 64), slice(rows - 64, rows)):
            v, got = ((a[part].astype(xp.uint32) << 16).view(xp.float32).astype(xp.float64) for a in (x, y))
            close(xp, got, v / xp.sqrt((v * v).mean(axis=1, keepdims=True) + 1e-6), 0.01, 1e-4)

    return Case(Launch(t.kernel("statistics", "8rms_norm"), (rows // 8,), (256,), (x, weight, y, i32(rows))), check)


def point_forces(t: Tools) -> Case:
    xp, n, sources = t.xp, SMS * 2048, t.size(1 << 15, 1 << 10)
    at, source, force = (
        t.rng.random((n, 4), dtype=xp.float32),
        t.rng.random((sources, 4), dtype=xp.float32),
        xp.zeros((n, 4), xp.float32),
    )

    def check() -> None:
        for i in (0, 300, n - 1):
            d = source[:, :3].astype(xp.float64) - at[i, :3]
            want = (d * (source[:, 3] / ((d * d).sum(axis=1) + 1e-2) ** 1.5)[:, None]).sum(axis=0)
            close(xp, force[i, :3], want, 1e-3, 1e-5 * sources)

    args = (at, source, force, i32(sources), f32(1e-2))
    return Case(Launch(t.kernel("particles", "6forces"), (SMS * 4,), (256,), args), check)


def codebook(t: Tools) -> Case:
    xp, tiles, codes = t.xp, t.size(1120, 4), 3072
    signals, book = t.rng.random((tiles, 16, 2048), dtype=xp.float32), t.rng.random((codes, 16), dtype=xp.float32)
    best = xp.zeros((tiles, 2048), xp.int32)

    def check() -> None:
        for tile in (0, tiles - 1):
            v = signals[tile, :, :256].T
            off = ((v[:, None, :] - book[None]) ** 2).sum(axis=2)
            mine = xp.take_along_axis(off, best[tile, :256, None].astype(xp.int64), axis=1)[:, 0]
            close(xp, mine, off.min(axis=1).astype(xp.float64), 1e-4, 1e-5)

    def launch(grid: int) -> Launch:
        return Launch(
            t.kernel("particles", "nearest_code"), (grid,), (1024,), (signals, book, best, i32(tiles)), codes * 64
        )

    return Case(launch(140), check, launch(SMS))


def permute_dims(t: Tools) -> Case:
    xp, d = t.xp, (8, 12, t.size(40, 2), 16, 16, 64)
    x = t.rng.random((d[2], d[0], d[4], d[1], d[3], d[5]), dtype=xp.float32)
    y = xp.zeros(d, xp.float32)

    def check() -> None:
        assert bool((y == x.transpose(1, 3, 0, 4, 2, 5)).all()), "wrong elements"

    slow = Launch(t.kernel("tensors", "7permuteI"), (SMS * 6,), (256,), (x, y, *(i64(n) for n in d)))
    cured = t.kernel("tensors", "permute_by_grid")
    return Case(slow, check, Launch(cured, (d[3], d[2], d[0] * d[1]), (64, 4), (x, y, *(i32(n) for n in d))))


def host_update(t: Tools) -> Case:
    xp, n = t.xp, t.size(1 << 20, 1 << 8)
    x, y0 = t.rng.random((n, 4), dtype=xp.float32), t.rng.random((n, 4), dtype=xp.float32)
    y, far = y0.copy(), x
    kernel = t.kernel("tensors", "6updateI")
    where: Any = i64(0)
    if not t.dry:
        memory = xp.cuda.alloc_pinned_memory(n * 16)
        far = np.frombuffer(memory, np.float32, n * 4).reshape(n, 4)
        far[...] = t.host(x)
        where = i64(memory.ptr)

    def check() -> None:
        assert far is not None  # keeps the host's memory alive
        close(xp, y, y0 + x.astype(xp.float64) * 2, 1e-5, 0.0)

    def reset() -> None:
        y[...] = y0

    def launch(values: Any) -> Launch:
        return Launch(kernel, (SMS * 8,), (256,), (values, y, f32(2), i32(n)))

    return Case(launch(where), check, launch(x), reset)


def pipelined_smoothing(t: Tools) -> Case:
    xp, tiles = t.xp, t.size(1 << 18, 1 << 4)
    x, y = t.rng.random(tiles * 1024 + 8, dtype=xp.float32), xp.zeros(tiles * 1024, xp.float32)

    def check() -> None:
        for first in (0, (tiles - 4) * 1024):
            want = sum(x[first + k : first + k + 4096].astype(xp.float64) for k in range(9)) / 9
            close(xp, y[first : first + 4096], want, 1e-5, 1e-6)

    return Case(Launch(t.kernel("tensors", "6smooth"), (SMS * 8,), (256,), (x, y, i32(tiles))), check)


CASES = {
    f.__name__: f
    for f in (
        table_lookup,
        exact_polynomial,
        power_series,
        generated_code,
        upper_envelope,
        fourier_sum,
        iterated_map,
        class_sums,
        photon_walk,
        channel_moments,
        layer_norm,
        row_softmax,
        rms_norm,
        point_forces,
        codebook,
        permute_dims,
        host_update,
        pipelined_smoothing,
    )
}
