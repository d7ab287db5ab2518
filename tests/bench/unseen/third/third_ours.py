"""The pairs whose kernels are in the .cu files here: inputs, grids and references. New causes first, then old ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add


def two(t: Tools, file: str, name: str, other: str, grid: Any, block: Any, args: Any, out: Any, **more: Any) -> Pair:
    """Both with the same grid and arguments; out: the arrays that are compared."""
    outs = out if isinstance(out, tuple) else (out,)
    shared = more.pop("shared", 0)
    calls = (launch(t, file, n, grid, block, args, shared) for n in (name, other))
    return Pair(*calls, lambda _: outs, **more)


# ---- atomics in shared memory
@case
def phred_mass(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 10)
    q = xp.where(t.rng.random(4 * n, dtype=f32) < 0.85, 37, t.rng.integers(2, 41, 4 * n)).astype(xp.uint8)
    w, mass = t.uint32(n, (1 << 31) - 1), xp.zeros(64, xp.uint32)

    def ref() -> Any:
        parts = [(w >> s) & 63 for s in (0, 8, 16)] + [w >> 24]
        columns = q.reshape(n, 4)
        sums = [xp.bincount(columns[:, k].astype(i64), p.astype(np.float64), 64) for k, p in enumerate(parts)]
        return [sum(sums).astype(xp.int64).astype(xp.uint32)]

    args = (q, w, mass, i32(n))
    return two(t, "counting", "phred_mass", "phred_mass_wide", SMS * 8, 256, args, mass, ref=ref, reset=zero(mass))


@case
def region_sums(t: Tools) -> Pair:
    xp, side = t.xp, t.size(2048, 64)
    at = xp.arange(side * side, dtype=i32)
    label = (at // side // (side // 8) * 8 + at % side // (side // 8)).astype(i32)
    value = t.rng.random(side * side, dtype=f32) + f32(0.01)
    sums, area = xp.zeros(64, f32), xp.zeros(64, f32)

    def ref() -> Any:
        return [xp.bincount(label, value.astype(np.float64), 64), xp.bincount(label, minlength=64)]

    args, more = (label, value, sums, area, i32(side * side)), {"ref": ref, "reset": zero(sums, area), "near": 1e-3}
    return two(t, "counting", "region_sums", "region_sums_joined", SMS * 8, 256, args, (sums, area), **more)


@case
def channel_peaks(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 10)
    channel, sample = t.rng.integers(0, 16, n, dtype=i32).astype(xp.uint8), t.uint32(n, (1 << 31) - 1)
    peak = xp.zeros(16, xp.uint64)

    def ref() -> Any:
        packed = sample.astype(xp.uint64) << np.uint64(32) | xp.arange(n, dtype=xp.uint64)
        return [xp.stack([packed[channel == c].max() for c in range(16)])]

    args = (channel, sample, peak, i32(n))
    return two(
        t, "counting", "channel_peaks", "channel_peaks_looked_up", SMS * 8, 256, args, peak, ref=ref, reset=zero(peak)
    )


# ---- locks
@case
def best_place(t: Tools) -> Pair:
    xp, blocks = t.xp, t.size(2048, 4)
    n = blocks * 256
    base = t.rng.integers(0, 4, n + 128, dtype=i32).astype(xp.uint32)
    shifts = (2 * xp.arange(16, dtype=xp.uint32))[None, :]
    genome = (base.reshape(-1, 16) << shifts).sum(axis=1).astype(xp.uint32)
    probe = base[n // 3 : n // 3 + 64].copy()
    probe[5::9] = (probe[5::9] + 1) & 3
    pattern = (probe.reshape(-1, 16) << shifts).sum(axis=1).astype(xp.uint32)
    best, gate = xp.zeros(1, xp.uint64), xp.zeros(1, i32)

    def ref() -> Any:
        same = sum((base[k : k + n] == probe[k]).astype(i32) for k in range(64))
        at = int(same.argmax())
        return [xp.array([int(same[at]) << 32 | (~at & 0xFFFFFFFF)], xp.uint64)]

    args = (genome, pattern, best, gate)
    return two(
        t, "counting", "best_place", "best_place_packed", blocks, 256, args, best, ref=ref, reset=zero(best, gate)
    )


@case
def deposit(t: Tools) -> Pair:
    xp, n, cells = t.xp, t.size(1 << 20, 1 << 10), 1 << 15
    cell = t.rng.integers(0, cells, n, dtype=i32)
    p = [t.rng.random(n, dtype=f32) for _ in range(3)]
    grid, gate = xp.zeros((cells, 4), f32), xp.zeros(cells, i32)

    def ref() -> Any:
        return [xp.stack([*(xp.bincount(cell, x, cells) for x in p), xp.zeros(cells)], axis=1)]

    args = (cell, *p, grid, gate, i32(n))
    more = {"ref": ref, "reset": zero(grid, gate), "near": 1e-4}
    return two(t, "counting", "deposit", "deposit_apart", n // 256, 256, args, grid, **more)


# ---- loads that bypass L1
@case
def plate_step(t: Tools) -> Pair:
    xp, side = t.xp, t.size(4096, 64)
    heat, out = t.rng.random((side, side), dtype=f32), xp.zeros((side, side), f32)

    def ref() -> Any:
        c, want, m = (-2.7222222, 1.5, -0.15, 0.0111111), xp.zeros((side, side)), slice(3, side - 3)
        total = 2 * c[0] * heat[m, m]
        for d in (1, 2, 3):
            low, high = slice(3 - d, side - 3 - d), slice(3 + d, side - 3 + d)
            total = total + c[d] * (heat[m, low] + heat[m, high] + heat[low, m] + heat[high, m])
        want[m, m] = heat[m, m] + 0.1 * total
        return [want]

    args, grid = (heat, out, i32(side), i32(side), f32(0.1)), (side // 32, side // 8)
    return two(t, "sharing", "plate_step", "plate_step_b", grid, (32, 8), args, out, ref=ref, near=1e-5)


@case
def grade_film(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 10)
    rgb, out = t.rng.random((3, n), dtype=f32), xp.zeros((3, n), f32)
    curve = xp.sort(t.rng.random((4, 257), dtype=f32), axis=1)

    def on(k: int, v: Any) -> Any:
        at = xp.clip(v, 0, 1) * 255
        low = at.astype(i32)
        return curve[k][low] + (at - low) * (curve[k][low + 1] - curve[k][low])

    def ref() -> Any:
        r, g, b = (on(k, rgb[k]) for k in range(3))
        luma = on(3, f32(0.2126) * r + f32(0.7152) * g + f32(0.0722) * b)
        return [xp.stack([r * luma, g * luma, b * luma])]

    args = (rgb, out, curve, i32(n))
    return two(t, "sharing", "grade_film", "grade_film_b", SMS * 8, 256, args, out, ref=ref, near=1e-4)


@case
def settle(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    near = xp.arange(n, dtype=i32)[None, :] + t.rng.integers(-64, 65, (8, n), dtype=i32)
    near, label = xp.clip(near, 0, n - 1).astype(i32), t.rng.integers(1, 1 << 30, n, dtype=i32)
    after = xp.zeros(n, i32)

    def ref() -> Any:
        return [xp.minimum(label, xp.stack([label[near[k]] for k in range(8)]).min(axis=0))]

    args = (near, label, after, i32(n))
    return two(t, "sharing", "settle", "settle_b", n // 256, 256, args, after, ref=ref)


# ---- fences
@case
def write_journal(t: Tools) -> Pair:
    xp, threads = t.xp, t.size(SMS * 4 * 256, 256)
    event, log, written = (
        t.uint32((64, threads), (1 << 31) - 1),
        xp.zeros((64, threads), xp.uint32),
        xp.zeros(threads, i32),
    )

    def ref() -> Any:
        u = xp.uint32
        state, want = xp.arange(threads, dtype=u) * u(747796405) + u(2891336453), xp.zeros((64, threads), u)
        for k in range(64):
            state = state * u(747796405) + event[k]
            want[k] = (state >> ((state >> u(28)) + u(4))) ^ state
        return [want]

    args = (event, log, written, i32(threads))
    return two(t, "sharing", "write_journal", "write_journal_b", threads // 256, 256, args, (log, written), ref=ref)


@case
def running_totals(t: Tools) -> Pair:
    xp, rows = t.xp, t.size(16384, 8)
    amount, total = t.rng.random((rows, 1024), dtype=f32), xp.zeros((rows, 1024), f32)
    args, ref = (amount, total, i32(rows)), lambda: [xp.cumsum(amount.astype(np.float64), axis=1)]
    return two(t, "sharing", "running_totals", "running_totals_b", SMS * 2, 1024, args, total, ref=ref, near=1e-5)


@case
def pluck(t: Tools) -> Pair:
    xp, n = t.xp, t.size(SMS * 16, 4)
    first = t.rng.random((n, 512), dtype=f32)
    now, before = first.copy(), first.copy()

    def reset() -> None:
        now[...] = first
        before[...] = first

    def ref() -> Any:
        a = b = first.astype(np.float64)
        for _ in range(32):
            wide = xp.pad(a, ((0, 0), (1, 1)))
            a, b = 2 * a - b + 0.3 * (wide[:, :-2] - 2 * a + wide[:, 2:]), a
        return [a, b]

    args = (now, before, f32(0.3))
    return two(t, "sharing", "pluck", "pluck_b", n, 512, args, (now, before), ref=ref, near=1e-4, reset=reset)


# ---- conversions
@case
def choose_steps(t: Tools) -> Pair:
    xp, groups = t.xp, t.size(32768, 8)
    weight, error = t.rng.standard_normal((groups, 1024), dtype=f32), xp.zeros((groups, 16), f32)

    def ref() -> Any:
        want = []
        for c in range(16):
            s = 0.02 * (1 + 0.125 * c)
            want.append(((weight - xp.rint(weight / f32(s)) * f32(s)) ** 2).sum(axis=1))
        return [xp.stack(want, axis=1)]

    args = (weight, error, i32(groups), f32(0.02))
    return two(t, "arithmetic", "choose_steps", "choose_steps_b", groups // 8, 256, args, error, ref=ref, near=2e-3)


@case
def coordination(t: Tools) -> Pair:
    xp, n = t.xp, t.size(SMS * 512, 512)
    atom, near = t.rng.random((n, 4), dtype=f32), xp.zeros(n, i32)

    def ref() -> Any:
        want = xp.zeros(n, i32)
        for i in range(0, n, 512):
            d = atom[None, :, :3] - atom[i : i + 512, None, :3]
            d -= xp.rint(d)
            want[i : i + 512] = ((d * d).sum(axis=2) < f32(0.01)).sum(axis=1)
        return [want]

    args = (atom, near, i32(n), f32(0.01))
    return two(t, "arithmetic", "coordination", "coordination_b", n // 256, 256, args, near, ref=ref, near=2e-2)


@case
def fingerprint(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 10)
    p, out = [t.rng.random(n, dtype=f32) for _ in range(3)], xp.zeros(n, xp.uint32)

    def ref() -> Any:
        least, u = xp.full(n, 0xFFFFFFFF, xp.uint32), xp.uint32
        for level in range(24):
            scale = f32(16) * (f32(1) + f32(0.37) * f32(level))
            x, y, z = ((v * scale).astype(xp.uint32) for v in p)
            least = xp.minimum(least, x ^ (y * u(2654435761)) ^ (z * u(805459861)))
        return [out if float((least != out).mean()) < 1e-3 else least]  # the scale may round otherwise

    args = (*p, out, i32(n))
    return two(t, "arithmetic", "fingerprint", "fingerprint_b", SMS * 8, 256, args, out, ref=ref)


# ---- exact functions
@case
def ion_forces(t: Tools) -> Pair:
    xp, n = t.xp, t.size(SMS * 512, 512)
    body = t.rng.random((n, 4), dtype=f32) - f32(0.5)
    force = xp.zeros((n, 4), f32)

    def ref() -> Any:  # the first 256 bodies; the rest is taken from the kernel
        want, b = force.astype(np.float64), body.astype(np.float64)
        for i in range(0, 256, 64):
            d = b[None, :, :3] - b[i : i + 64, None, :3]
            r2 = (d * d).sum(axis=2) + 0.01
            pull = b[i : i + 64, 3:4] * b[None, :, 3] / r2**1.5 - 1 / r2**2
            want[i : i + 64, :3] = (pull[:, :, None] * d).sum(axis=1)
        return [want]

    return two(
        t, "arithmetic", "ion_forces", "ion_forces_b", n // 256, 256, (body, force, i32(n)), force, ref=ref, near=1e-3
    )


@case
def demodulate(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 10)
    signal, phase = t.rng.random(n, dtype=f32), t.rng.random(n, dtype=f32) * f32(1.8e6) + f32(2e5)
    i, q = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        p = phase.astype(np.float64)
        return [signal * xp.cos(p), -signal * xp.sin(p)]

    args = (signal, phase, i, q, i32(n))
    return two(t, "arithmetic", "demodulate", "demodulate_b", SMS * 8, 256, args, (i, q), ref=ref, near=1e-4)


# ---- tensor cores of old (the other two are Triton's)
@case
def dense_layer(t: Tools) -> Pair:
    xp, n = t.xp, t.size(4096, 128)
    a, b = (t.rng.standard_normal((n, n), dtype=f32).astype(np.float16) for _ in range(2))
    c, half = xp.zeros((n, n), f32), []
    args = (a, b, c, i32(n), i32(n), i32(n))
    slow = launch(t, "reuse", "dense_layer", (n // 128, n // 128), 256, args, 3 * (128 * 40 + 32 * 136) * 2)

    def cured() -> None:
        half[:] = [xp.matmul(a, b)]

    outs = {"slow": lambda: (c,), "cured": lambda: tuple(x.astype(f32) for x in half)}
    return Pair(slow, cured, lambda which: outs[which](), None, 5e-3)


# ---- calls and control
@case
def touch(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 21, 1 << 10)
    overlap, speed = t.rng.random(n, dtype=f32), t.rng.random(n, dtype=f32)
    material, force = (xp.arange(n, dtype=i64) * 4 // n).astype(i32), xp.zeros(n, f32)
    args = (overlap, speed, material, force, i32(n))
    return two(t, "arithmetic", "touch", "touch_b", n // 256, 256, args, force, near=1e-3)


@case
def walk(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 21, 1 << 10)
    value = xp.zeros(n, f32)
    args = (value, f32(0.0002), f32(1.5), i32(n))
    return two(t, "arithmetic", "walk", "walk_b", n // 256, 256, args, value, near=1e-3)


@case
def resample(t: Tools) -> Pair:
    xp, rows, width = t.xp, t.size(8192, 8), 4096
    image, table = t.rng.random((rows, width), dtype=f32), t.rng.random((16, 64), dtype=f32)
    out = xp.zeros((rows, width), f32)
    args, shared = (image, table, out, i32(width), f32(0.98)), 4 * (width + 1024)
    return two(t, "arithmetic", "resample", "resample_b", rows, 256, args, out, near=1e-5, shared=shared)


# ---- bulk copies and clusters
@case
def shower_energy(t: Tools) -> Pair:
    xp, tiles = t.xp, t.size(16384, 8)
    record, energy = t.rng.random((tiles * 256, 16), dtype=f32), xp.zeros(tiles * 256, f32)
    args, ref = (record, energy, i32(tiles)), lambda: [(record * record).sum(axis=1)]
    return two(t, "copies", "shower_energy", "shower_energy_b", SMS * 6, 256, args, energy, ref=ref, near=1e-5)


@case
def bias_gradient(t: Tools) -> Pair:
    xp, width, height = t.xp, 4096, t.size(16384, 1024)
    matrix, total = t.rng.random((height, width), dtype=f32), xp.zeros(width, f32)
    args, pieces = (matrix, total, i32(width), i32(height)), height // 64
    slow = launch(t, "copies", "bias_gradient", (width // 32, max(pieces // 32, 1)), 256, args)
    cured = launch(t, "copies", "bias_gradient_b", (width // 1024, pieces), 256, args)
    ref = lambda: [matrix.sum(axis=0, dtype=np.float64)]  # noqa: E731
    return Pair(slow, cured, lambda _: (total,), ref, 1e-3, zero(total))


@case
def word_counts(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 25, 1 << 12)
    word, count = t.rng.integers(0, 8192, n, dtype=i32).astype(xp.uint16), xp.zeros(8192, xp.uint32)
    args, ref = (word, count, i32(n)), lambda: [xp.bincount(word.astype(i32), minlength=8192)]
    return two(t, "copies", "word_counts", "word_counts_b", SMS * 8, 256, args, count, ref=ref, reset=zero(count))


@case
def score_rows(t: Tools) -> Pair:
    xp, rows = t.xp, t.size(16384, 64)
    a, w, score = t.rng.random((rows, 4096), dtype=f32), t.rng.random(4096, dtype=f32), xp.zeros(rows, f32)
    args, ref = (a, w, score, i32(rows)), lambda: [a.astype(np.float64) @ w.astype(np.float64)]
    return two(t, "copies", "score_rows", "score_rows_b", SMS * 4, 256, args, score, ref=ref, near=1e-4)


# ---- shapes of blocks and grids
@case
def solve_lines(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 18, 1 << 9)
    rhs, x = t.rng.random((32, n), dtype=f32), xp.zeros((32, n), f32)
    args = (rhs, x, f32(4.0), i32(n))

    def ref() -> Any:
        m = np.diag(np.full(32, 4.0)) - np.diag(np.ones(31), 1) - np.diag(np.ones(31), -1)
        return [xp.asarray(np.linalg.inv(m)) @ rhs.astype(np.float64)]

    slow, cured = (
        launch(t, "blocks", "solve_lines", n, 1, args),
        launch(t, "blocks", "solve_lines", n // 128, 128, args),
    )
    return Pair(slow, cured, lambda _: (x,), ref, 1e-4)


@case
def adapt_patches(t: Tools) -> Pair:
    xp, side = t.xp, t.size(4096, 64)
    across = (side - 6) // 4 + 1
    n = across * across
    image, out = t.rng.random((side, side), dtype=f32), xp.zeros((n, 36), f32)
    args = (image, out, i32(side), i32(across), i32(n))

    def ref() -> Any:
        light = xp.lib.stride_tricks.sliding_window_view(image, (6, 6))[::4, ::4].reshape(n, 36).astype(np.float64)
        pigment, signal = xp.ones_like(light), xp.zeros_like(light)
        for _ in range(150):
            bleached = light * pigment
            pigment = 0.01 * (1 - pigment) + pigment - 0.02 * bleached
            signal = 0.1 * (bleached - signal) + signal
        return [signal]

    slow = launch(t, "blocks", "adapt_patches", n, 36, args)
    return Pair(slow, launch(t, "blocks", "adapt_patches", -(-n // 8), 288, args), lambda _: (out,), ref, 1e-4)


@case
def overlaps(t: Tools) -> Pair:
    xp, n, band = t.xp, t.size(16384, 256), 128
    read = xp.empty((n, 2), i32)
    read[:, 0] = xp.cumsum(t.rng.integers(0, 3, n, dtype=i32))
    read[:, 1] = t.rng.integers(80, 151, n, dtype=i32)
    common = xp.zeros((n, band), i32)
    args = (read, common, i32(n), i32(band))

    def ref() -> Any:
        want, end = xp.zeros((n, band), i32), read[:, 0] + read[:, 1]
        for d in range(1, band + 1):
            want[: n - d, d - 1] = xp.maximum(0, xp.minimum(end[:-d], end[d:]) - xp.maximum(read[:-d, 0], read[d:, 0]))
        return [want]

    slow = launch(t, "blocks", "overlaps", (n // 32, n // 8), (32, 8), args)
    cured = launch(t, "blocks", "overlaps_b", (band // 32, n // 8), (32, 8), args)
    return Pair(slow, cured, lambda _: (common,), ref)


@case
def pool_sentences(t: Tools) -> Pair:
    xp, n = t.xp, t.size(8192, 32)
    rng = np.random.default_rng(5)
    length = rng.integers(4, 45, n)
    length[n // 2] = 512
    start = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
    piece = np.concatenate(
        [np.stack([np.full(-(-k // 8), s), start[s] + 8 * np.arange(-(-k // 8))], 1) for s, k in enumerate(length)]
    ).astype(np.int32)
    token, best = t.rng.random((int(start[-1]), 128), dtype=f32), xp.zeros((n, 128), xp.uint32)
    args = (token, xp.asarray(start), xp.asarray(piece), best)

    def ref() -> Any:
        return [xp.stack([token[start[s] : start[s + 1]].max(axis=0) for s in range(n)]).view(xp.uint32)]

    slow = launch(t, "blocks", "pool_sentences", (64, n), 128, args)
    cured = launch(t, "blocks", "pool_sentences_b", len(piece), 128, args)
    return Pair(slow, cured, lambda _: (best,), ref, 0.0, zero(best))
