"""The pairs whose kernels are in steeples.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, i64, launch, same, zero

CASES = Cases()
case = CASES.add
f64, u8, u32 = np.float64, np.uint8, np.uint32
FILE = "steeples"


@case
def thruster_gather(t: Tools) -> Pair:
    xp, n, cells, some = t.xp, t.size(1 << 23, 1 << 12), t.size(128, 16), t.size(1 << 16, 1 << 10)
    ion = t.rng.random((n, 4), dtype=f32)
    ion[:, :3] *= f32(cells - 1.001)
    at = ion[:, :3].astype(i32)
    order = xp.argsort((at[:, 2] * cells + at[:, 1]) * cells + at[:, 0])
    sorted_ion, place = xp.ascontiguousarray(ion[order]), xp.zeros(n, i64)
    place[order] = xp.arange(n)
    field = t.rng.random((cells, cells, cells, 4), dtype=f32) - f32(0.5)
    push, push_b = xp.zeros((n, 4), f32), xp.zeros((n, 4), f32)

    def ref() -> Any:
        p, want = ion[:some].astype(f64), xp.zeros((some, 4))
        x, y, z = (at[:some, k] for k in range(3))
        part = p[:, :3] - at[:some]
        for corner in range(8):
            d = [corner & 1, corner >> 1 & 1, corner >> 2]
            w = xp.ones(some)
            for k in range(3):
                w = w * (part[:, k] if d[k] else 1 - part[:, k])
            want += w[:, None] * field[z + d[2], y + d[1], x + d[0]]
        return [want * p[:, 3:]]

    slow, cured = (
        launch(t, FILE, "thruster_gather", n // 256, 256, (one, field, out, i32(cells), i32(n)))
        for one, out in ((ion, push), (sorted_ion, push_b))
    )
    outs = {"slow": lambda: push[:some], "cured": lambda: push_b[place[:some]]}
    return Pair(slow, cured, lambda w: (outs[w](),), ref, 1e-4, zero(push, push_b))


@case
def feeder_losses(t: Tools) -> Pair:
    xp, lines, feeders = t.xp, t.size(1 << 24, 1 << 12), t.size(2048, 16)
    current, ohms = f32(80) * t.rng.random(lines, dtype=f32), t.rng.random(lines, dtype=f32)
    feeder = xp.sort(t.rng.integers(0, feeders, lines, dtype=i32))
    lost = xp.zeros(feeders, f32)

    def ref() -> Any:
        heat = 3 * current.astype(f64) ** 2 * ohms
        return [xp.bincount(feeder, weights=heat, minlength=feeders)]

    args, grid = (current, ohms, feeder, lost, i32(lines)), lines // 256
    more = {"ref": ref, "near": 1e-3, "reset": zero(lost)}
    return both(t, FILE, "feeder_losses", (grid, grid), (256, 256), args, lost, **more)


@case
def dashcam_contrast(t: Tools) -> Pair:
    xp, across, down, limit, some = t.xp, t.size(2048, 128), t.size(1024, 4), 16, t.size(16, 4)
    picture = t.uint32((8 * down, 2 * across), (1 << 31) - 1).view(u8)
    picture &= u8(31)
    picture += (12 + xp.arange(8 * across) // across * 8).astype(u8)[None, :]
    contrast = xp.zeros((down, across), u32)

    def ref() -> Any:
        level = t.host(picture[: 8 * some]).reshape(some, 8, across, 8) >> 3
        count = np.stack([(level == k).sum(axis=(1, 3)) for k in range(32)])
        median = (np.cumsum(count, axis=0) < 32).sum(axis=0)
        return [(median | np.maximum(count - limit, 0).sum(axis=0) << 8).astype(u32)]

    args, grid = (picture, contrast, i32(limit), i32(across), i32(down)), (across // 128, down)
    slow, cured = (launch(t, FILE, name, grid, 128, args) for name in ("dashcam_contrast", "dashcam_contrast_b"))
    return Pair(slow, cured, lambda _: (contrast[:some],), ref)


@case
def tablet_grains(t: Tools) -> Pair:
    xp, n, steps, dt, some = t.xp, t.size(1 << 21, 1 << 12), 64, f32(0.02), t.size(1 << 16, 1 << 10)
    mass = f32(0.2) + t.rng.random(n, dtype=f32)
    coat = t.rng.integers(0, 4, n, dtype=i32)
    left = xp.zeros(n, f32)

    def ref() -> Any:
        m, c, solved = t.host(mass[:some]).astype(f64), t.host(coat[:some]), np.zeros(some)
        rate, power, soluble = np.array([[0.8, 0.5, 1.1, 0.3], [0.6667, 0.9, 0.75, 0.55], [1.2, 1.5, 0.9, 2]])[:, c]
        for _ in range(steps):
            lost = np.minimum(float(dt) * rate * m**power * (soluble - solved), m)
            m = np.maximum(m - lost, 1e-6)
            solved += 0.5 * lost
        return [m]

    args, grid = (mass, coat, left, dt, i32(steps), i32(n)), n // 256
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("tablet_grains", "tablet_grains_b"))
    return Pair(slow, cured, lambda _: (left[:some],), ref, 1e-3)


@case
def gradient_survey(t: Tools) -> Pair:
    xp, n, bodies, some = t.xp, t.size(SMS * 2048, 1 << 9), 256, 512
    station, body = t.rng.random((n, 4), dtype=f32), t.rng.random((bodies, 4), dtype=f32)
    station[:, :2] *= f32(20)
    station[:, 2:] = f32(0)
    body[:, :2] *= f32(20)
    body[:, 2] = f32(-0.5) - f32(3) * body[:, 2]
    gradient = xp.zeros((n, 4), f32)

    def ref() -> Any:
        s, b = station[:some].astype(f64), body.astype(f64)
        dx, dy, dz = (b[None, :, k] - s[:, None, k] for k in range(3))
        inverse = 1 / (dx * dx + dy * dy + dz * dz + 1e-4)
        pull = 6.674e-2 * b[None, :, 3] * inverse**1.5
        parts = (3 * dz * dz * inverse - 1, 3 * dx * dz * inverse, 3 * dy * dz * inverse, 3 * dx * dy * inverse)
        return [xp.stack([(pull * p).sum(axis=1) for p in parts], axis=1)]

    args, grid = (station, body, gradient, i32(bodies), i32(n)), n // 256
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("gradient_survey", "gradient_survey_b"))
    return Pair(slow, cured, lambda _: (gradient[:some],), ref, 1e-4)


@case
def aid_echoes(t: Tools) -> Pair:
    xp, n, samples, taps, learn, some = t.xp, t.size(SMS * 1024, 512), t.size(256, 32), 16, f32(0.3), 512
    played = t.rng.random((samples, n), dtype=f32) - f32(0.5)
    heard = f32(0.2) * t.rng.random((samples, n), dtype=f32) - f32(0.1)
    heard[3:] += f32(0.6) * played[:-3]
    heard[7:] -= f32(0.3) * played[:-7]
    rest = xp.zeros(n, f32)

    def ref() -> Any:
        out, mic = (t.host(a[:, :some]).astype(f64) for a in (played, heard))
        weight, past, energy = np.zeros((taps, some)), np.zeros((taps, some)), np.zeros(some)
        for k in range(samples):
            past = np.concatenate([out[k : k + 1], past[:-1]])
            off = mic[k] - (weight * past).sum(axis=0)
            weight = weight + float(learn) * off / (0.01 + (past * past).sum(axis=0)) * past
            energy += off * off
        return [energy]

    args, grid = (played, heard, rest, learn, i32(samples), i32(n)), n // 128
    slow, cured = (launch(t, FILE, name, grid, 128, args) for name in ("aid_echoes", "aid_echoes_b"))
    return Pair(slow, cured, lambda _: (rest[:some],), ref, 1e-3)


@case
def paint_shares(t: Tools) -> Pair:
    xp, paints, some = t.xp, t.size(SMS * 32, 64), 64
    wish = t.rng.random((paints, 4096), dtype=f32)
    share = xp.zeros((paints, 4096), f32)

    def ref() -> Any:
        w = t.host(wish[:some]).astype(f64)
        down = -np.sort(-w, axis=1)
        level = (np.cumsum(down, axis=1) - 1) / np.arange(1, 4097)
        last = (down > level).sum(axis=1) - 1
        return [np.maximum(w - level[np.arange(some), last][:, None], 0)]

    slow, cured = (launch(t, FILE, name, paints, 1024, (wish, share)) for name in ("paint_shares", "paint_shares_b"))
    return Pair(slow, cured, lambda _: (share[:some],), ref, 1e-3)


@case
def plankton_windows(t: Tools) -> Pair:
    xp, pictures, size, side, channels = t.xp, t.size(32, 2), t.size(128, 16), 8, 64
    features = t.rng.random((pictures, size, size, channels), dtype=f32)
    gain, across, n = f32(0.5) + t.rng.random(channels, dtype=f32), size // side, features.size
    window = xp.zeros((pictures, across, across, side, side, channels), f32)

    def ref() -> Any:
        cut = features.reshape(pictures, across, side, across, side, channels)
        return [xp.ascontiguousarray(cut.transpose(0, 1, 3, 2, 4, 5)) * gain]

    sizes = (size, size, side, channels)
    args = (features, gain, window)
    slow = launch(t, FILE, "plankton_windows", n // 256, 256, (*args, *(i64(k) for k in (*sizes, n))))
    grid, block = (across, across, pictures), (channels, side)
    cured = launch(t, FILE, "plankton_windows_b", grid, block, (*args, *(i32(k) for k in sizes)))
    return Pair(slow, cured, lambda _: (window,), ref)


@case
def whale_calls(t: Tools) -> Pair:
    xp, n, mixed, features, some = t.xp, t.size(1 << 21, 1 << 12), 16, 12, 1 << 12
    call = f32(3) * t.rng.random((features, n), dtype=f32) - f32(1.5)
    mean = f32(2) * t.rng.random((mixed, features), dtype=f32) - f32(1)
    variance = f32(0.2) + f32(0.8) * t.rng.random((mixed, features), dtype=f32)
    weight = xp.full(mixed, np.log(1 / 16), f32)
    likely, kind = xp.zeros(n, f32), xp.zeros(n, i32)

    def ref() -> Any:
        x, m, v = (t.host(a).astype(f64) for a in (call[:, :some], mean, variance))
        d = x.T[:, None, :] - m
        here = np.log(1 / 16) - 0.5 * (d * d / v + np.log(2 * np.pi * v)).sum(axis=2)
        return [np.logaddexp.reduce(here, axis=1)]

    args, grid = (call, mean, variance, weight, likely, kind, i32(n)), n // 256
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("whale_calls", "whale_calls_b"))
    return Pair(slow, cured, lambda _: (likely[:some],), ref, 1e-4)


@case
def soap_beads(t: Tools) -> Pair:
    xp, boxes, beads, stiff, wide, some = t.xp, t.size(SMS * 8, 16), 256, f32(25), f32(4.5), 16
    bead = t.rng.random((boxes, beads, 4), dtype=f32)
    bead[:, :, :3] *= f32(4.4999)
    bead[:, :, 3] += f32(0.5)
    force = xp.zeros((boxes, beads, 4), f32)

    def ref() -> Any:
        own = bead[:some].astype(f64)
        d = own[:, :, None, :3] - own[:, None, :, :3]
        d -= 4.5 * xp.rint(d / 4.5)
        r = xp.sqrt(xp.maximum((d * d).sum(axis=3), 1e-6))
        deep = xp.maximum(1 - r, 0)
        push = 25 * own[:, :, None, 3] * own[:, None, :, 3] * deep / r
        force3 = (push[..., None] * d).sum(axis=2)
        return [xp.concatenate([force3, (deep * deep).sum(axis=2)[..., None]], axis=2)]

    args = (bead, force, stiff, wide)
    slow, cured = (launch(t, FILE, name, boxes, beads, args) for name in ("soap_beads", "soap_beads_b"))
    return Pair(slow, cured, lambda _: (force[:some],), ref, 1e-3)


@case
def auction_rings(t: Tools) -> Pair:
    xp, bidders, some = t.xp, t.size(1 << 20, 1 << 10), t.size(1 << 14, 1 << 8)
    start = xp.zeros(bidders + 1, i32)
    start[1:] = xp.cumsum(t.rng.integers(8, 33, bidders, dtype=i32)).astype(i32)
    pairs = int(start[-1])
    rival = t.rng.integers(0, bidders, pairs, dtype=i32)
    part, suspicion = t.rng.random((bidders, 2), dtype=f32), xp.zeros(bidders, f32)
    part[:, 0] -= f32(0.5)

    def ref() -> Any:
        begin, p = t.host(start[: some + 1]), t.host(part).astype(f64)
        held = t.host(rival[: int(begin[-1])])
        score = np.repeat(p[:some, 0], np.diff(begin)) + p[held, 0]
        weight = np.exp(np.where(score > 0, score, 0.2 * score))
        sums = [np.add.reduceat(a, begin[:-1]) for a in (weight * p[held, 1], weight)]
        return [sums[0] / sums[1]]

    args = (start, rival, part, suspicion, i32(bidders))
    slow, cured = (
        launch(t, FILE, "auction_rings", grid, block, args) for grid, block in ((bidders, 32), (bidders // 8, 256))
    )
    return Pair(slow, cured, lambda _: (suspicion[:some],), ref, 1e-4)


@case
def snore_bands(t: Tools) -> Pair:
    xp, frames, bins, bands = t.xp, t.size(1 << 16, 1 << 8), 512, 40
    power = t.rng.random((frames, bins), dtype=f32)
    k = np.arange(bands + 2)
    edges = (2 * k + (k / 41) ** 2 * 429).astype(i32)
    edge, loud = xp.asarray(edges), xp.zeros((frames, bands), f32)

    def ref() -> Any:
        at, low, middle, high = np.arange(bins)[:, None], edges[:-2], edges[1:-1], edges[2:]
        weight = np.maximum(np.minimum((at - low) / (middle - low), (high - at) / (high - middle)), 0)
        return [xp.log(power.astype(f64) @ xp.asarray(weight) + 1e-3)]

    args = (power, edge, loud, i32(bins), i32(frames))
    grids = ((bands, 1), (bands, t.size(32, 4)))
    return same(t, FILE, "snore_bands", grids, (1024, 1024), args, loud, ref=ref, near=1e-4)


@case
def cache_keepers(t: Tools) -> Pair:
    xp, words, some = t.xp, t.size(1 << 21, 1 << 12), t.size(1 << 14, 1 << 10)
    key = t.uint32((words, 64), (1 << 31) - 1)
    keep = xp.nonzero(t.rng.random(words, dtype=f32) < 0.5)[0].astype(i32)
    many = len(keep)
    kept, place = xp.zeros((many, 64), u32), xp.zeros(many, i32)

    def ref() -> Any:
        return [key[keep[-some:]], keep]

    args, grid = (key, keep, kept, place, i32(many)), SMS
    slow, cured = (launch(t, FILE, name, grid, 256, args) for name in ("cache_keepers", "cache_keepers_b"))
    return Pair(slow, cured, lambda _: (kept[-some:], place), ref)


@case
def impact_states(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 12)
    cell = xp.zeros((n, 16), f32)
    density, energy = f32(2.6) + f32(0.8) * t.rng.random(n, dtype=f32), f32(5) * t.rng.random(n, dtype=f32)
    cell[:, 0], cell[:, 1] = density, energy
    pressure, sound = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        d, e = density.astype(f64), energy.astype(f64)
        mu, share = d / 2.7 - 1, 1.3 / (1 + e / (4.87 * (d / 2.7) ** 2))
        stiff = (0.5 + share) * e + (26.7 + 53.4 * mu) / 2.7
        return [(0.5 + share) * d * e + 26.7 * mu + 26.7 * mu * mu, xp.sqrt(xp.maximum(stiff, 0.01))]

    slow = launch(t, FILE, "impact_states", n // 256, 256, (cell, i32(n)))
    cured = launch(t, FILE, "impact_states_b", n // 256, 256, (density, energy, pressure, sound, i32(n)))
    outs = {"slow": (cell[:, 8], cell[:, 9]), "cured": (pressure, sound)}
    return Pair(slow, cured, lambda w: outs[w], ref, 1e-4)
