"""The launches of records.cu, matrices.cu, sequences.cu and images.cu: inputs, grids and what the outputs must be."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Case, Launch, Tools

SMS = 132  # of an H200
i32, i64, f32 = np.int32, np.int64, np.float32
ODD = 2654435761


def close(xp: Any, got: Any, want: Any, relative: float, absolute: float) -> None:
    worst = float(xp.max(xp.abs(got.astype(xp.float64) - want) - relative * xp.abs(want)))
    assert worst <= absolute, f"off by {worst:g}, {absolute:g} allowed"


def hash_probe(t: Tools) -> Case:
    xp, bits, n = t.xp, t.size(27, 12), t.size(1 << 26, 1 << 10)
    mask, inverse = (1 << bits) - 1, pow(ODD, -1, 1 << 32)
    slots = xp.arange(1 << bits, dtype=xp.uint64)
    table = xp.empty((1 << bits, 2), xp.uint32)
    table[:, 0] = (slots * inverse) & mask
    table[:, 1] = table[:, 0] ^ 0x5BD1E995
    del slots
    keys = t.uint32(n, 1 << bits)
    ordered = xp.sort((keys.astype(xp.uint64) * ODD) & mask)
    in_order = ((ordered * inverse) & mask).astype(xp.uint32)
    del ordered
    found = xp.empty(n, xp.uint32)
    kernel = t.kernel("records", "5probe")
    last = []

    def launch(which: Any) -> Any:
        go = Launch(kernel, (SMS * 8,), (256,), (table, which, found, i32(bits), i32(n)))

        def run() -> None:
            last[:] = [which]
            go()

        return run

    def check() -> None:
        assert bool((found == (last[0] ^ 0x5BD1E995)).all()), "a key was not found"

    return Case(launch(keys), check, launch(in_order))


def sparse_rows(t: Tools) -> Case:
    xp, rows, wide = t.xp, t.size(1 << 20, 1 << 8), 64
    start = xp.arange(rows + 1, dtype=xp.int32) * wide
    column = (xp.arange(rows, dtype=xp.int32)[:, None] + xp.arange(wide, dtype=xp.int32)).ravel()
    value, x, y = (
        t.rng.random(rows * wide, dtype=xp.float32),
        t.rng.random(rows + wide, dtype=xp.float32),
        xp.zeros(rows, xp.float32),
    )
    args = (start, column, value, x, y, i32(rows))

    def check() -> None:
        want = sum(value.reshape(rows, wide)[:, k].astype(xp.float64) * x[k : k + rows] for k in range(wide))
        close(xp, y, want, 1e-4, 0.0)

    lanes = {k: t.kernel("records", f"4spmvILi{k}E") for k in (1, 16)}
    return Case(Launch(lanes[1], (SMS * 8,), (256,), args), check, Launch(lanes[16], (SMS * 8,), (256,), args))


def event_kinds(t: Tools) -> Case:
    xp, n, bins = t.xp, t.size(1 << 25, 1 << 10), 256
    events = t.uint32((n, 16), bins)
    kinds = events[:, 0].copy()
    counts = xp.zeros(bins, xp.uint32)

    def check() -> None:
        assert bool((counts == xp.bincount(kinds.astype(xp.int64), minlength=bins)).all()), "wrong counts"

    def launch(name: str, items: Any) -> Launch:
        return Launch(t.kernel("records", name), (SMS * 8,), (256,), (items, counts, i32(bins), i32(n)), bins * 4)

    slow, cured = launch("count_kindsI6KindOf5Event", events), launch("count_kindsI6KindOfj", kinds)
    return Case(slow, check, cured, lambda: counts.fill(0))


def small_products(t: Tools) -> Case:
    xp, n = t.xp, t.size(1 << 16, 8)
    a, b = t.rng.random((n, 32, 32), dtype=xp.float32), t.rng.random((n, 32, 32), dtype=xp.float32)
    c = xp.zeros((n, 32, 32), xp.float32)

    def check() -> None:
        for part in (slice(0, 64), slice(n - 8, n)):
            close(
                xp,
                c[part],
                xp.einsum("bik,bjk->bij", a[part].astype(xp.float64), b[part].astype(xp.float64)),
                1e-4,
                0.0,
            )

    def launch(pitch: int) -> Launch:
        kernel = t.kernel("matrices", f"multiply_transposedILi32ELi{pitch}E")
        return Launch(kernel, (SMS * 6,), (32, 8), (a, b, c, i32(n)), 4 * 32 * (32 + pitch))

    return Case(launch(32), check, launch(33))


def small_inverses(t: Tools) -> Case:
    xp, n = t.xp, t.size(1 << 20, 1 << 9)
    m = t.rng.random((8, 8, n), dtype=xp.float32) * xp.float32(0.1)
    for i in range(8):
        m[i, i] += 2
    out = xp.zeros((8, 8, n), xp.float32)

    def check() -> None:
        for part in (slice(0, 500), slice(n - 500, n)):
            unit = xp.einsum("ikb,kjb->bij", m[:, :, part].astype(xp.float64), out[:, :, part].astype(xp.float64))
            close(xp, unit, xp.eye(8), 0.0, 1e-4)

    def launch(blocks: int) -> Launch:
        return Launch(t.kernel("matrices", f"invert_allILi8ELi{blocks}E"), (n // 256,), (256,), (m, out, i32(n)))

    return Case(launch(8), check, launch(1))


def half_linear(t: Tools) -> Case:
    xp, n, k = t.xp, t.size(4096, 256), t.size(4096, 64)
    x = t.rng.standard_normal((n, k), dtype=xp.float32).astype(xp.float16)
    w = t.rng.standard_normal((n, k), dtype=xp.float32).astype(xp.float16)
    y = xp.zeros((n, n), xp.float16)

    def check() -> None:
        for part in (slice(0, 64), slice(n - 64, n)):
            want = x[part].astype(xp.float32) @ w.astype(xp.float32).T
            off = float(xp.abs(y[part].astype(xp.float32) - want).mean() / xp.abs(want).mean())
            assert off < 0.1, f"off by {off:.3f} of the mean"

    def launch(name: str) -> Launch:
        return Launch(t.kernel("matrices", name), (n // 128, n // 128), (256,), (x, w, y, i32(n), i32(k)))

    return Case(launch("linear_half2"), check, launch("linear_wmma"))


def kmer_entropy(t: Tools) -> Case:
    xp, reads, words = t.xp, t.size(1 << 19, 1 << 8), 64
    text = t.uint32((words, reads), 1 << 30) & 0x3F3F3F3F
    out = xp.zeros(reads, xp.float32)

    def check() -> None:
        for r in (0, 77, reads - 1):
            counts = np.bincount(np.ascontiguousarray(t.host(text[:, r])).view(np.uint8), minlength=64) / (4 * words)
            want = -(counts[counts > 0] * np.log2(counts[counts > 0])).sum()
            assert abs(float(out[r]) - want) < 1e-3, f"entropy {float(out[r])}, not {want}"

    def launch(name: str, shared: int) -> Launch:
        return Launch(t.kernel("sequences", name), (reads // 128,), (128,), (text, out, i32(reads), i32(words)), shared)

    return Case(launch("kmer_entropyILi64E8OwnArray", 0), check, launch("SharedColumn", 64 * 128 * 4))


def automaton(t: Tools) -> Case:
    xp, streams, steps, states = t.xp, t.size(SMS * 1024, 1024), t.size(256, 4), 384
    table = t.uint32((states, 64), states)
    text = t.uint32((steps, streams, 4), 1 << 30)
    hits = xp.zeros(streams, xp.uint32)

    def check() -> None:
        some = np.r_[0:64, streams - 64 : streams]
        symbols = np.ascontiguousarray(t.host(text[:, xp.asarray(some)])).view(np.uint8).reshape(steps, 128, 16) & 63
        rows, state, want = t.host(table), np.zeros(128, np.int64), np.zeros(128, np.int64)
        for step in range(steps):
            for j in range(16):
                state = rows[state, symbols[step, :, j]]
                want += state < 8
        assert (t.host(hits)[some] == want).all(), "wrong counts"

    def launch(block: int) -> Launch:
        kernel = t.kernel("sequences", "run_automaton")
        return Launch(
            kernel, (streams // block,), (block,), (table, text, hits, i32(streams), i32(steps)), states * 64 * 4
        )

    return Case(launch(64), check, launch(1024))


def paged_lists(t: Tools) -> Case:
    xp, pages, chains, length = t.xp, t.size(1 << 22, 1 << 10), t.size(SMS * 128, 32), t.size(248, 16)
    path = xp.argsort(t.rng.random(pages, dtype=xp.float32))[: chains * length].reshape(chains, length)
    order = path.astype(xp.uint32)
    data = t.rng.random((pages, 32), dtype=xp.float32)
    words = data.view(xp.uint32)
    words[path[:, :-1].ravel(), 0] = order[:, 1:].ravel()
    words[path[:, -1], 0] = order[:, 0]
    out = xp.zeros(chains, xp.float32)

    def check() -> None:
        for chain in (0, 31, chains - 1):
            want = float(data[path[chain]][:, 1:].sum(dtype=xp.float64))
            assert abs(float(out[chain]) - want) < 1e-3 * want, f"chain {chain}: {float(out[chain])}, not {want}"

    args = (words, order, out, i32(chains), i32(length))
    slow, cured = t.kernel("sequences", "sum_pagesI7Chained"), t.kernel("sequences", "sum_pagesI6Listed")
    return Case(Launch(slow, (chains // 8,), (256,), args), check, Launch(cured, (chains // 8,), (256,), args))


def documents(t: Tools) -> Case:
    xp, short, long, quads = t.xp, t.size(4000, 30), t.size(12, 2), t.size(1 << 21, 1 << 13)
    lengths = np.r_[np.full(short, 2048), np.full(long, quads)]
    start = np.r_[0, np.cumsum(lengths)].astype(np.int64)
    items = t.rng.random((int(start[-1]), 4), dtype=xp.float32)
    out = xp.zeros(short + long, xp.float32)
    pieces = [
        (b, min(b + 4096, int(start[d + 1])), d)
        for d in range(short + long)
        for b in range(int(start[d]), int(start[d + 1]), 4096)
    ]
    begin, end, owner = (np.array(column) for column in zip(*pieces, strict=True))
    starts, begins, ends = xp.asarray(start), xp.asarray(begin.astype(np.int64)), xp.asarray(end.astype(np.int64))
    owners = xp.asarray(owner.astype(np.int32))

    def check() -> None:
        for d in (0, short - 1, short, short + long - 1):
            want = float((items[int(start[d]) : int(start[d + 1])] ** 2).sum(dtype=xp.float64))
            assert abs(float(out[d]) - want) < 1e-3 * want, f"document {d}: {float(out[d])}, not {want}"

    slow = Launch(t.kernel("sequences", "norm_of_document"), (short + long,), (512,), (items, starts, out))
    cured = Launch(t.kernel("sequences", "norm_of_piece"), (len(pieces),), (512,), (items, begins, ends, owners, out))
    return Case(slow, check, cured, lambda: out.fill(0))


def fir_filter(t: Tools) -> Case:
    xp, n, taps = t.xp, t.size(1 << 24, 1 << 11), 128
    x, h, y = t.rng.random(n + taps, dtype=xp.float32), t.rng.random(taps, dtype=xp.float32), xp.zeros(n, xp.float32)

    def check() -> None:
        for first in (0, n - 2048):
            want = sum(h[k].astype(xp.float64) * x[first + k : first + k + 2048] for k in range(taps))
            close(xp, y[first : first + 2048], want, 1e-4, 0.0)

    slow = Launch(t.kernel("sequences", "3firILi128E"), (SMS * 8,), (256,), (x, h, y, i32(n)))
    return Case(slow, check, Launch(t.kernel("sequences", "fir_window"), (SMS * 6,), (256,), (x, h, y, i32(n))))


def threshold(t: Tools) -> Case:
    xp, n = t.xp, t.size(1 << 29, 1 << 12)
    image = t.uint32(n // 4, 2**31 - 1).view(xp.uint8)
    out = xp.zeros(n, xp.uint8)

    def check() -> None:
        for part in (slice(0, 1 << 20), slice(n // 2, n // 2 + (1 << 20)), slice(max(0, n - (1 << 20)), n)):
            assert bool((out[part] == xp.where(image[part] > 127, 255, 0)).all()), "wrong pixels"

    slow = Launch(t.kernel("images", "map_pixelsI5Aboveh"), (SMS * 8,), (256,), (image, out, i32(127), i64(n)))
    cured = Launch(
        t.kernel("images", "map_pixelsI5Above5uint4"), (SMS * 8,), (256,), (image, out, i32(127), i64(n // 16))
    )
    return Case(slow, check, cured, lambda: out.fill(1))


def escape_times(t: Tools) -> Case:
    xp, n, limit = t.xp, t.size(4096, 64), 512
    out = xp.zeros((n, n), xp.uint16)

    def check() -> None:
        row = n // 3
        cx = ((np.arange(n) + 0.5) * (3.0 / n) - 2.2).astype(np.float32)
        cy = np.float32((row + 0.5) * (2.4 / n) - 1.2)
        zx, zy, want = np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros(n, np.int64)
        inside = np.ones(n, bool)
        with np.errstate(all="ignore"):
            for _ in range(limit):
                inside &= zx * zx + zy * zy <= 4
                want += inside
                zx, zy = zx * zx - zy * zy + cx, 2 * zx * zy + cy
        same = float((t.host(out[row]) == want).mean())
        assert same > 0.85, f"{same:.0%} of a row agree"

    def launch(literal: str) -> Launch:
        return Launch(
            t.kernel("images", f"escape_timeI{literal}E"), (n // 32, n // 8), (32, 8), (out, i32(n), i32(n), i32(limit))
        )

    return Case(launch("d"), check, launch("f"))


def jacobi(t: Tools) -> Case:
    xp, n, nz = t.xp, t.size(4096, 256), t.size(24, 4)
    u, v = t.rng.random((nz, n, n), dtype=xp.float32), xp.zeros((nz, n, n), xp.float32)

    def check() -> None:
        for z in (1, nz - 2):
            mid = u[z].astype(xp.float64)
            want = (
                mid[:-2, 1:-1]
                + mid[2:, 1:-1]
                + mid[1:-1, :-2]
                + mid[1:-1, 2:]
                + u[z - 1, 1:-1, 1:-1]
                + u[z + 1, 1:-1, 1:-1]
            )
            close(xp, v[z, 1:-1, 1:-1], want / 6, 1e-5, 1e-6)
        assert bool((v[0] == u[0]).all()) and bool((v[:, :, -1] == u[:, :, -1]).all()), "the rim changed"

    args = (u, v, i32(n), i32(n), i32(nz))
    slow = Launch(t.kernel("images", "jacobi_planes"), (n // 256, n // 4, nz), (64, 4), args)
    return Case(slow, check, Launch(t.kernel("images", "jacobi_columns"), (n // 256, n // 4), (64, 4), args))


def quantise(t: Tools) -> Case:
    xp, n = t.xp, t.size(1 << 28, 1 << 14)
    x, q = t.rng.random(n, dtype=xp.float32) - xp.float32(0.5), xp.zeros(n, xp.int8)

    def check() -> None:
        for part in (slice(0, 4096), slice(n - 4096, n)):
            close(xp, q[part], xp.clip(xp.rint(x[part] * f32(270)), -127, 127), 0.0, 1.0)

    return Case(Launch(t.kernel("images", "quantise"), (n // 4096,), (256,), (x, q, f32(270), i64(n))), check)


CASES = {
    f.__name__: f
    for f in (
        hash_probe,
        sparse_rows,
        event_kinds,
        small_products,
        small_inverses,
        half_linear,
        kmer_entropy,
        automaton,
        paged_lists,
        documents,
        fir_filter,
        threshold,
        escape_times,
        jacobi,
        quantise,
    )
}
