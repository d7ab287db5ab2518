"""More pairs of the .cu files here: paths and scenes."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, same

CASES = Cases()
case = CASES.add


class Words:
    """The kernels' random numbers: words by shifts, numbers from -0.5 to 0.5."""

    def __init__(self, xp: Any, seeds: Any) -> None:
        self.xp, self.state = xp, seeds * xp.uint32(2654435761)

    def unit(self) -> Any:
        for left, by in ((True, 13), (False, 17), (True, 5)):
            by = self.xp.uint32(by)
            self.state = self.state ^ (self.state << by if left else self.state >> by)
        return (self.state >> self.xp.uint32(9)).astype(np.float64) / (1 << 23) - 0.5


# ---- pensions, spreads, losses, sums, windows, pings
@case
def pension_paths(t: Tools) -> Pair:
    xp, members, years = t.xp, t.size(150, 2) * 1024, t.size(40, 2)
    share, pension = t.rng.random((10, members), dtype=f32) / f32(5), xp.zeros(members, f32)

    def ref() -> Any:
        part = share.astype(np.float64)
        value, all_in = part.copy(), None
        kinds = xp.arange(1, 11, dtype=xp.uint32)[:, None]
        words = Words(xp, xp.arange(members, dtype=xp.uint32) * xp.uint32(10) + kinds)
        by = 0.005 * xp.arange(1, 11)[:, None]
        for _ in range(years):
            for _ in range(12):
                value = value * (1.001 + by * words.unit())
            all_in = value.sum(axis=0) + 0.01
            value = all_in * part
        return [all_in]

    args, grids = (share, pension, i32(years), i32(members)), (members // 1024, members // 128)
    return same(t, "paths", "pension_paths", grids, (1024, 128), args, pension, ref=ref, near=1e-3)


@case
def price_spreads(t: Tools) -> Pair:
    xp, papers, times = t.xp, t.size(SMS * 2048, 512), t.size(240, 48)
    price, spread = t.rng.random((times, papers), dtype=f32), xp.zeros(papers, f32)

    def ref() -> Any:
        want = xp.zeros(papers)
        for k in range(times):
            for j in range(1, 25):
                want += abs(price[k].astype(np.float64) - price[max(k - j, 0)]) / j
        return [want]

    args, grids = (price, spread, i32(times), i32(papers)), (papers // 256,) * 2
    return both(t, "paths", "price_spreads", grids, (256, 256), args, spread, ref=ref, near=1e-4)


@case
def path_losses(t: Tools) -> Pair:
    xp, paths, steps = t.xp, t.size(SMS * 8192, 512), t.size(128, 16)
    path, loss = xp.zeros((steps, paths), f32), xp.zeros(paths, f32)

    def ref() -> Any:
        words, price = Words(xp, xp.arange(1, paths + 1, dtype=xp.uint32)), xp.full(paths, 100.0)
        peak, most = price, xp.zeros(paths)
        for _ in range(steps):
            price = price * (1 + 0.02 * words.unit())
            peak = xp.maximum(peak, price)
            most = xp.maximum(most, peak - price)
        return [most]

    args, grids = (path, loss, i32(steps), i32(paths)), (paths // 256,) * 2
    return both(t, "paths", "path_losses", grids, (256, 256), args, loss, ref=ref, near=1e-4)


@case
def trigamma_sums(t: Tools) -> Pair:
    xp, points, terms = t.xp, t.size(SMS, 2) * 128, t.size(1 << 14, 1 << 6)
    x, y = t.rng.random(points, dtype=f32) * f32(50) + f32(1), xp.zeros(points, f32)

    def ref() -> Any:
        k = xp.arange(terms)
        parts = (x[i : i + 512, None].astype(np.float64) for i in range(0, points, 512))
        return [xp.concatenate([((p + k) ** -2.0).sum(axis=1) for p in parts])]

    args, grids = (x, y, i32(terms)), (points // 128,) * 2
    return both(t, "paths", "trigamma_sums", grids, (128, 128), args, y, ref=ref, near=1e-5)


@case
def window_frames(t: Tools) -> Pair:
    xp, frames, length, hop = t.xp, t.size(1 << 15, 8), 2048, 512
    signal, frame = t.rng.random(frames * hop + length, dtype=f32), xp.zeros((frames, length), f32)

    def ref() -> Any:
        window, want = 0.54 - 0.46 * xp.cos(2 * np.pi * xp.arange(length) / (length - 1)), []
        for first in range(0, frames, 4096):
            places = xp.arange(first, min(first + 4096, frames))[:, None] * hop + xp.arange(length)
            want.append((signal[places] * window).astype(f32))
        return [xp.concatenate(want)]

    args, grids = (signal, frame, i32(length), i32(hop)), ((length // 256, frames),) * 2
    return both(t, "paths", "window_frames", grids, (256, 256), args, frame, ref=ref, near=1e-5)


@case
def ping_scales(t: Tools) -> Pair:
    xp, turns, blocks = t.xp, t.size(64, 3), t.size(SMS, 2)
    echo, total = t.rng.random((turns, blocks, 8192), dtype=f32), xp.zeros((4, blocks, 512), f32)

    def ref() -> Any:
        want = xp.zeros((4, blocks, 512))
        for one in echo.astype(np.float64):
            for s in range(4):
                bend = xp.roll(one, 1 << s, 1) - 2 * one + xp.roll(one, -(1 << s), 1)
                want[s] += (bend**2).reshape(blocks, 16, 512).sum(axis=1)
        return [want]

    args, shared = (echo, total, i32(turns * blocks)), (32768, 98304)
    return both(t, "paths", "ping_scales", (blocks, blocks), (512, 512), args, total, ref=ref, near=1e-4, shared=shared)


# ---- tones, flames, skins, magnets, beams, films
@case
def tone_pixels(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 27, 1 << 14)
    curve = (255 * (xp.arange(65536) / 65535) ** 0.45).astype(xp.uint8)
    pixel, tone = t.rng.integers(0, 65536, n, dtype=i32).astype(np.uint16), xp.zeros(n, xp.uint8)
    args, grids = (curve, pixel, tone, i32(n // 4)), (SMS * 3, SMS * 2)

    def ref() -> Any:
        return [curve[pixel]]

    return same(t, "scenes", "tone_pixels", grids, (128, 1024), args, tone, ref=ref, shared=65536)


@case
def burn_cells(t: Tools) -> Pair:
    xp, cells, steps, h = t.xp, t.size(SMS * 2048, 512), t.size(32, 2), 0.01
    fuel, warm, left = t.rng.random((10, cells), dtype=f32), t.rng.random(cells, dtype=f32), xp.zeros((10, cells), f32)

    def rates(y: Any, heat: Any) -> Any:
        def on(k: int) -> Any:
            return xp.roll(y, -k, axis=0)

        return heat * on(1) * on(3) - (0.5 + 0.1 * xp.arange(10)[:, None]) * y * on(7) + 0.02 * (on(4) - y)

    def ref() -> Any:
        shares = (
            (1 / 5,),
            (3 / 40, 9 / 40),
            (44 / 45, -56 / 15, 32 / 9),
            (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
            (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
            (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
        )
        y, heat = fuel.astype(np.float64), warm.astype(np.float64)
        for _ in range(steps):
            at, k = y, []
            for share in shares:
                k.append(rates(at, heat))
                at = y + h * sum(c * r for c, r in zip(share, k, strict=True))
            y = at
        return [y]

    args, grids = (fuel, warm, left, f32(h), i32(steps), i32(cells)), (cells // 256,) * 2
    return both(t, "scenes", "burn_cells", grids, (256, 256), args, left, ref=ref, near=1e-3)


@case
def skin_vertices(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 22, 1 << 10)
    bones, vertex, weight = (t.rng.random((rows, 4), dtype=f32) for rows in (192, n, n))
    which, moved = t.rng.integers(0, 64, (n, 4), dtype=i32).astype(xp.uint8), xp.zeros((n, 4), f32)
    t.constant("scenes", "bone", bones)

    def ref() -> Any:
        rows, want = bones.reshape(64, 3, 4).astype(np.float64), xp.ones((n, 4))
        point = xp.concatenate([vertex[:, :3], xp.ones((n, 1), f32)], axis=1).astype(np.float64)
        for first in range(0, n, 1 << 18):
            some = slice(first, first + (1 << 18))
            parts = (rows[which[some, k].astype(i64)] * weight[some, k, None, None] for k in range(4))
            want[some, :3] = (sum(parts) * point[some, None, :]).sum(axis=2)
        return [want]

    args = (vertex, which, weight, moved)
    slow = launch(t, "scenes", "skin_vertices", n // 256, 256, args)
    cured = launch(t, "scenes", "skin_vertices_b", n // 256, 256, (*args, bones))
    return Pair(slow, cured, lambda _: (moved,), ref, 1e-5)


@case
def track_beam(t: Tools) -> Pair:
    xp, particles, magnets = t.xp, t.size(SMS * 8, 2) * 1024, t.size(256, 4)
    turns = np.linalg.qr(np.eye(6) + 0.1 * np.random.default_rng(3).random((256, 6, 6)))[0].astype(f32)
    came, left = t.rng.random((6, particles), dtype=f32), xp.zeros((6, particles), f32)
    t.constant("scenes", "magnet", xp.asarray(turns.reshape(256, 36)))

    def ref() -> Any:
        want = came.astype(np.float64)
        for m in range(magnets):
            want = xp.asarray(turns[m].astype(np.float64)) @ want
        return [want]

    args, grids = (came, left, i32(magnets), i32(particles)), (particles // 1024,) * 2
    return both(t, "scenes", "track_beam", grids, (256, 256), args, left, ref=ref, near=1e-3)


@case
def form_beams(t: Tools) -> Pair:
    xp, beams, antennas, times = t.xp, t.size(2048, 128), t.size(512, 32), t.size(1 << 14, 128)
    shapes = ((beams, antennas), (antennas, times))
    weight, sample = ((t.rng.random(shape, dtype=f32) - f32(0.5)).astype(np.float16) for shape in shapes)
    beam = xp.zeros((beams, times), f32)

    def ref() -> Any:
        return [weight.astype(np.float64) @ sample.astype(np.float64)]

    args = (weight, sample, beam, i32(antennas), i32(times))
    grids = (times // 64, beams // 64), (times // 128, beams // 128)
    return both(t, "scenes", "form_beams", grids, (256, 256), args, beam, ref=ref, near=1e-4)


@case
def film_light(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 10)
    ray, light = t.rng.random((n, 2), dtype=f32) * f32(0.9) + f32(0.05), xp.zeros(n, f32)

    def ref() -> Any:
        c, total = ray[:, 0].astype(np.float64), xp.zeros(n)
        for k in range(12):
            index = 1.3 + 0.03 * k
            inner = xp.sqrt(1 - (1 - c * c) / index**2)
            total += ((c - index * inner) / (c + index * inner)) ** 2 + ((inner - index * c) / (inner + index * c)) ** 2
        return [0.5 * ray[:, 1] * total]

    args, grids = (ray, light, i32(n)), (n // 256,) * 2
    return both(t, "scenes", "film_light", grids, (256, 256), args, light, ref=ref, near=1e-4)
