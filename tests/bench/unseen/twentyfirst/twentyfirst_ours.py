"""The pairs whose kernels are in lighthouses.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, zero

CASES = Cases()
case = CASES.add
f64, u8, u16, u32, u64 = np.float64, np.uint8, np.uint16, np.uint32, np.uint64
FILE = "lighthouses"


@case
def lace_tension(t: Tools) -> Pair:
    xp, n, pins, places = t.xp, t.size(SMS * 512, 512), t.size(128, 8), 8192
    pin = t.rng.integers(0, places, (pins, n), dtype=i32)
    pull, slack = t.rng.random(places, dtype=f32), f32(0.5) * t.rng.random(n, dtype=f32)
    tension, strain = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        force = pull[pin].astype(f64) * (1 - slack)
        return [force.sum(axis=0), (force * force).sum(axis=0) / 2]

    args, grid = (pin, pull, slack, tension, strain, i32(pins), i32(n)), n // 256
    return both(t, FILE, "lace_tension", (grid, grid), (256, 256), args, (tension, strain), ref=ref, near=1e-5)


@case
def rowing_strokes(t: Tools) -> Pair:
    xp, n, samples, weight, some = t.xp, t.size(1 << 20, 1 << 10), 96, f32(0.1), 1 << 10
    by_stroke = t.rng.random((n, samples), dtype=f32)
    by_sample = xp.ascontiguousarray(by_stroke.T)
    impulse, peak, when = xp.zeros(n, f32), xp.zeros(n, f32), xp.zeros(n, i32)

    def ref() -> Any:
        force = t.host(by_stroke[:some]).astype(f64)
        jerk = np.abs(np.diff(force, axis=1, prepend=0)).sum(axis=1)
        return [force.sum(axis=1) - 0.1 * jerk, force.max(axis=1), force.argmax(axis=1)]

    def rows(force: Any, per_stroke: int, per_sample: int) -> Any:
        args = (force, impulse, peak, when, weight, i32(samples), i32(n), i32(per_stroke), i32(per_sample))
        return launch(t, FILE, "rowing_strokes", n // 256, 256, args)

    outs = (impulse[:some], peak[:some], when[:some], impulse, peak, when)
    return Pair(rows(by_stroke, samples, 1), rows(by_sample, 1, n), lambda _: outs, ref, 1e-5)


@case
def foghorn_levels(t: Tools) -> Pair:
    xp, horns, samples, some = t.xp, t.size(SMS * 2, 4), t.size(1 << 19, 1 << 14), 4
    sound = t.rng.standard_normal((horns, samples), dtype=f32)
    sound += f32(0.25)
    level = xp.zeros((horns, 4), f32)

    def ref() -> Any:
        s = t.host(sound[:some]).astype(f64)
        mean, spread = s.mean(axis=1, keepdims=True), s.std(axis=1, keepdims=True)
        off = np.abs(s - mean)
        many = (off > 2 * spread).mean(axis=1)
        return [np.stack([mean[:, 0], spread[:, 0], off.max(axis=1) / spread[:, 0], many], axis=1)]

    args = (sound, level, i32(samples // 4))
    pair = both(t, FILE, "foghorn_levels", (horns, horns), (1024, 1024), args, level, ref=ref, near=1e-4)
    pair.outs = lambda _: (level[:some], level)
    return pair


@case
def domino_chains(t: Tools) -> Pair:
    xp, blocks, some = t.xp, t.size(SMS, 2), 32
    bunches = blocks * t.size(512, 32)
    middle = (xp.arange(bunches, dtype=f32) / f32(bunches) - f32(0.6)) / f32(0.15)
    length = (f32(60) + f32(240) * xp.exp(-middle * middle)).astype(i32)
    chain = f32(0.5) + f32(0.5) * t.rng.random((bunches * 32, 2), dtype=f32)
    pattern = f32(0.8) + f32(0.4) * t.rng.random(16, dtype=f32)
    fall, queue = xp.zeros((bunches * 32, 2), f32), xp.zeros(1, i32)

    def ref() -> Any:
        c, wide, tiles = t.host(chain[:some]).astype(f64), t.host(pattern).astype(f64), int(length[0])
        speed, time = np.ones(some), np.zeros(some)
        for k in range(tiles):
            gap = c[:, 0] * wide[k % 16]
            speed = 0.93 * speed + c[:, 1] * (1 - 0.3 * gap)
            time += gap / speed
        return [np.stack([time, speed], axis=1)]

    args = (length, chain, pattern, fall, queue, i32(bunches))
    more = {"ref": ref, "near": 1e-4, "reset": zero(fall, queue)}
    pair = both(t, FILE, "domino_chains", (blocks, blocks), (1024, 1024), args, fall, **more)
    pair.outs = lambda _: (fall[:some], fall)
    return pair


@case
def tattoo_matches(t: Tools) -> Pair:
    xp, seen, known, length, some = t.xp, t.size(4096, 128), t.size(2048, 128), t.size(1024, 128), 128
    a, b = ((t.rng.random((k, length), dtype=f32) - f32(0.5)).astype(np.float16) for k in (seen, known))
    like = xp.zeros((seen, known), f32)

    def ref() -> Any:
        return [t.host(a[:some]).astype(f64) @ t.host(b).astype(f64).T]

    args, grid, room = (a, b, like, i32(known), i32(length)), (known // 128, seen // 128), 2 * 2 * 128 * 2
    more = {"shared": (room * 64, room * 72), "ref": ref, "near": 1e-3}
    pair = both(t, FILE, "tattoo_matches", (grid, grid), (256, 256), args, like, **more)
    pair.outs = lambda _: (like[:some], like)
    return pair


def browning(heat: Any, acid: float) -> Any:
    """Browning of caramel at a heat."""
    x = 0.02 * (heat - 160)
    rate = np.polyval([0.0021, -0.0113, 0.0317, 0.0831, -0.0502, 0.1411, 0.4203, acid], x)
    burnt = np.polyval([0.0007, 0.0041, -0.0203, 0.0307, 0.0911, -0.2051, 0.3022, -0.1], x)
    burnt = np.maximum(burnt, 0)
    colour = rate * rate * (1 - 0.2 * rate)
    return colour / (1 + burnt * burnt + 0.3 * burnt) - np.minimum(0.05 * burnt, 0.2)


@case
def caramel_batches(t: Tools) -> Pair:
    xp, blocks, tiles, acid, some = t.xp, t.size(SMS, 2), t.size(24, 2), f32(0.3), 2
    heat = f32(120) + f32(80) * t.rng.random((blocks, tiles * 32768), dtype=f32)
    brown = xp.zeros((blocks, 512), f32)

    def ref() -> Any:
        h = t.host(heat[:some]).astype(f64).reshape(some, -1, 512, 4)
        return [browning(h, float(acid)).sum(axis=(1, 3))]

    room = 131072 + 16
    slow = launch(t, FILE, "caramel_batches", blocks, 512, (heat, brown, acid, i32(tiles)), room)
    cured = launch(t, FILE, "caramel_batches_b", blocks, 512, (heat, brown, acid, i32(tiles * 2)), room)
    return Pair(slow, cured, lambda _: (brown[:some], brown), ref, 1e-4)


@case
def tram_energy(t: Tools) -> Pair:
    xp, n, places, volts, some = t.xp, t.size(1 << 24, 1 << 12), 49152, f32(0.75), 1 << 12
    losses = t.rng.random(places, dtype=f32)
    records = t.uint32(n, places - 1) + (t.uint32(n, 1 << 16) << u32(16))
    energy = xp.zeros(n, f32)

    def ref() -> Any:
        r, table = t.host(records[:some]), t.host(losses).astype(f64)
        at, far = (r & u32(0xFFFF)).astype(i32), (r >> u32(16)) / 65536
        return [0.75 * (table[at] + far * (table[at + 1] - table[at]))]

    args, grids = (losses, records, energy, volts, i32(n // 2)), (t.size(256, 4), t.size(SMS, 2))
    more = {"shared": (places, places * 4), "ref": ref, "near": 1e-5}
    pair = both(t, FILE, "tram_energy", grids, (1024, 1024), args, energy, **more)
    pair.outs = lambda _: (energy[:some], energy)
    return pair


@case
def rope_bridge_loads(t: Tools) -> Pair:
    xp, n, planks = t.xp, t.size(1 << 25, 1 << 12), 32
    # Most walkers step on a few planks in the middle, which are wide.
    place = t.rng.random(n, dtype=f32) - f32(0.5)
    plank = (f32(16) + f32(508) * place * place * place * place * place).astype(u8)
    grams = t.rng.integers(1, 1000, n, dtype=i32).astype(u16)
    borne = xp.zeros(planks, u64)

    def ref() -> Any:
        p, g = t.host(plank), t.host(grams)
        return [np.bincount(p, weights=g, minlength=planks).astype(u64)]

    args, grids = (plank, grams, borne, i32(n // 4)), (t.size(SMS * 8, 2), t.size(SMS * 6, 2))
    more = {"ref": ref, "reset": zero(borne)}
    return both(t, FILE, "rope_bridge_loads", grids, (256, 256), args, borne, **more)


@case
def hedgerow_shelter(t: Tools) -> Pair:
    xp, n, steps, reach, dense = t.xp, t.size(1 << 21, 1 << 12), 64, f32(0.03), f32(0.6)
    height, calm, some = t.rng.random(n + steps, dtype=f32), xp.zeros(n, f32), 1 << 12

    def ref() -> Any:
        x, thick, h = (np.arange(steps) + 0.5) * float(reach), float(dense), t.host(height).astype(f64)
        eddy = np.polyval([0.00031, -0.0021, 0.0093, -0.0172, -0.0214, 0.0811, -0.1102, -0.2409, thick], x)
        porous = np.polyval([0.0013, -0.0117, 0.0421, -0.0913, 0.7 * thick], x * x)
        shelter = (eddy * eddy + 0.4 * porous) * np.exp(-x * x) + 0.01 * np.maximum(1 - x, 0)
        return [sum(s * h[steps - k : steps - k + some] for k, s in enumerate(shelter))]

    args, grid = (height, calm, reach, dense, i32(n)), n // 256
    pair = both(t, FILE, "hedgerow_shelter", (grid, grid), (256, 256), args, calm, ref=ref, near=1e-4)
    pair.outs = lambda _: (calm[:some], calm)
    return pair


@case
def touch_skin_order(t: Tools) -> Pair:
    xp, times, rows, layers, columns = t.xp, t.size(1456, 16), t.size(40, 4), 6, 96
    skin = t.rng.integers(0, 1 << 16, (times, rows, layers, columns), dtype=i32).astype(u16)
    rest = t.rng.integers(0, 1 << 10, (rows, columns), dtype=i32).astype(u16)
    out = xp.zeros((layers, rows, times, columns), u16)

    def ref() -> Any:
        felt = xp.maximum(skin.astype(i32) - rest[:, None, :], 0).astype(u16)
        return [xp.ascontiguousarray(felt.transpose(2, 1, 0, 3))]

    args = (skin, rest, out, u32(times), u32(rows), u32(layers), u32(columns))
    grids = (skin.size // 256, (times // 8, rows, layers))
    return both(t, FILE, "touch_skin_order", grids, (256, (columns, 8)), args, out, ref=ref)


@case
def fence_resistance(t: Tools) -> Pair:
    xp, n, posts = t.xp, t.size(SMS * 128, 256), 512
    leak = f32(0.01) * t.rng.random(posts, dtype=f32)
    wire = f32(0.1) + t.rng.random((n, 4), dtype=f32)
    end, seen = f32(50) + f32(100) * t.rng.random(n, dtype=f32), xp.zeros((n, 4), f32)

    def ref() -> Any:
        z, w = end.astype(f64)[:, None] + xp.zeros((n, 4)), wire.astype(f64)
        for g in t.host(leak).astype(f64):
            z = w + 1 / (float(g) + 1 / z)
        return [z]

    args, grid = (leak, wire, end, seen), n // 128
    return both(t, FILE, "fence_resistance", (grid, grid), (128, 128), args, seen, ref=ref, near=1e-4)


@case
def pumice_pores(t: Tools) -> Pair:
    xp, n, length, about, some = t.xp, t.size(SMS * 128, 16), 2048, 4, 16
    cut, depth, opened = t.rng.random((n, length), dtype=f32), xp.zeros((n, length), f32), xp.zeros((n, 4), f32)

    def ref() -> Any:
        c = t.host(cut[:some]).astype(f64)
        wide = np.pad(c, ((0, 0), (about, about)))
        mean = sum(wide[:, k : k + length] for k in range(2 * about + 1)) / (2 * about + 1)
        below = np.maximum(mean - c, 0)
        return [below, below.reshape(some, -1, 4, 32).sum(axis=(1, 3))]

    args = (cut, depth, opened, i32(length))
    slow = launch(t, FILE, "pumice_pores", n, 128, args, 32768 * 4)
    cured = launch(t, FILE, "pumice_pores", n, 128, args, (length + 2 * about) * 4)
    return Pair(slow, cured, lambda _: (depth[:some], opened[:some], depth, opened), ref, 1e-5)


@case
def mosquito_net_holes(t: Tools) -> Pair:
    xp, n, limit, grid = t.xp, t.size(1 << 26, 1 << 14), 180, t.size(SMS * 8, 2)
    before, after = (t.rng.integers(0, 256, n, dtype=i32).astype(u8) for _ in range(2))
    hole = xp.zeros(n, u8)

    def ref() -> Any:
        off = xp.abs(before.astype(np.int16) - after.astype(np.int16))
        return [xp.where(off > limit, off, 0).astype(u8)]

    args = (before, after, hole, i32(limit), i32(n))
    return both(t, FILE, "mosquito_net_holes", (grid, grid), (256, 256), args, hole, ref=ref)


@case
def didgeridoo_tones(t: Tools) -> Pair:
    xp, n, steps, longest, some = t.xp, t.size(SMS * 4096, 512), t.size(256, 96), 48, 512
    length = xp.arange(n, dtype=np.int64) * 23 // n + 25 - t.rng.integers(0, 2, n, dtype=i32)
    length = xp.minimum(length, longest).astype(i32)
    breath, tone = f32(0.3) + f32(0.5) * t.rng.random(n, dtype=f32), xp.zeros((n, 2), f32)

    def ref() -> Any:
        blown, size = t.host(breath[:some]).astype(f64), t.host(length[:some])
        bore, low, energy, each = np.zeros((longest, some)), np.zeros(some), np.zeros(some), np.arange(some)
        for s in range(steps):
            low = 0.5 * (bore[s % size, each] + low)
            lips = blown - 0.9 * low
            sent = lips * (1 - 0.3 * lips * lips)
            bore[s % size, each] = sent
            energy += sent * sent
        return [np.stack([energy, low], axis=1)]

    args, grid = (breath, length, tone, i32(steps), i32(n)), n // 128
    pair = both(t, FILE, "didgeridoo_tones", (grid, grid), (128, 128), args, tone, ref=ref, near=1e-4)
    pair.outs = lambda _: (tone[:some], tone)
    return pair
