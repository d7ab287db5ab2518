"""The pairs whose kernels are in orchids.cu: inputs, grids and references."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, same, zero

CASES = Cases()
case = CASES.add
f64, u8, u32, u64 = np.float64, np.uint8, np.uint32, np.uint64
FILE = "orchids"


@case
def ivy_spread(t: Tools) -> Pair:
    xp, width, rate, spread = t.xp, t.size(4096, 64), f32(0.3), f32(0.1)
    cover, later = t.rng.random((width, width), dtype=f32), t.xp.zeros((width, width), f32)

    def ref() -> Any:
        c, wide = cover.astype(f64), xp.pad(cover.astype(f64), 1, mode="edge")
        beside = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
        return [c + float(rate) * c * (1 - c) + float(spread) * (beside - 4 * c)]

    args, grid = (cover, later, rate, spread, i32(width)), (width // 32, width // 8)
    grids = (grid, grid)
    return both(t, FILE, "ivy_spread", grids, ((32, 8), (32, 8)), args, later, ref=ref, near=1e-5)


def sourness(xp: Any, sort: int, salt: Any, warm: Any, days: int) -> Any:
    acid, sugar, k = xp.full(salt.size, 0.02), xp.ones(salt.size), 0.3 * warm
    for _ in range(days):
        if sort == 0:
            made = k * sugar * acid
            acid, sugar = acid + made, sugar - made * (1 + salt)
        elif sort == 1:
            acid = acid + k * (1 - acid) * sugar
            sugar = sugar * (1 - k * salt * acid)
        elif sort == 2:
            live = xp.maximum(0.5 - acid * salt, 0.01)
            acid, sugar = acid + k * live * sugar, sugar - 0.5 * k * live * sugar
        elif sort == 3:
            left = sugar * sugar
            acid, sugar = acid + k * left * (1.2 - acid), sugar - 0.2 * left * salt
        elif sort == 4:
            sugar = sugar - 0.1 * k * (1 + xp.minimum(acid, salt)) * sugar
            acid = acid + 0.1 * (1 - sugar) * k
        elif sort == 5:
            acid = acid + k * (1 - acid) * (1 - acid) * salt
            sugar = sugar - 0.3 * acid * sugar
            acid = acid + 0.01 * sugar
        elif sort == 6:
            film = xp.maximum(acid - 0.3, 0)
            acid, sugar = acid + k * sugar * 0.3 - film * film * salt, sugar - 0.15 * k * sugar
        else:
            sugar = sugar - k * 0.2 * (sugar - salt * (1 - sugar))
            acid = acid + 0.05 * (1 - acid) * sugar
    return acid


@case
def pickle_sourness(t: Tools) -> Pair:
    xp, n, days = t.xp, t.size(1 << 23, 1 << 12), 16
    sort = t.rng.integers(0, 8, n, dtype=i32).astype(u8)
    salt, warm = f32(0.6) * t.rng.random(n, dtype=f32), t.rng.random(n, dtype=f32)
    sour = xp.zeros(n, f32)

    def ref() -> Any:
        want = xp.zeros(n)
        for s in range(8):
            (at,) = xp.nonzero(sort == s)
            want[at] = sourness(xp, s, salt[at].astype(f64), warm[at].astype(f64), days)
        return [want]

    args, grid = (sort, salt, warm, sour, i32(days), i32(n)), n // 256
    return both(t, FILE, "pickle_sourness", (grid, grid), (256, 256), args, sour, ref=ref, near=1e-4)


@case
def abacus_beads(t: Tools) -> Pair:
    xp, n, rods = t.xp, t.size(1 << 22, 1 << 12), 18
    low, high = (t.rng.integers(0, 10**9, n, dtype=i32) for _ in range(2))
    amount, beads = high.astype(u64) * u64(10**9) + low.astype(u64), xp.zeros(n, i32)

    def ref() -> Any:
        total, most, busiest = xp.zeros(n, i32), xp.zeros(n, i32), xp.zeros(n, i32)
        for rod in range(rods):
            digit = ((low if rod < 9 else high) // i32(10 ** (rod % 9))) % i32(10)
            moved = xp.where(digit >= 5, digit - 4, digit).astype(i32)
            total += moved
            busiest = xp.where(moved > most, i32(rod), busiest)
            most = xp.maximum(most, moved)
        return [(total + 256 * busiest).astype(i32)]

    slow = launch(t, FILE, "abacus_beads", n // 256, 256, (amount, beads, u32(10), i32(n)))
    cured = launch(t, FILE, "abacus_beads_b", n // 256, 256, (amount, beads, i32(n)))
    return Pair(slow, cured, lambda _: (beads,), ref)


@case
def whistle_modes(t: Tools) -> Pair:
    xp, samples, mics, parts = t.xp, t.size(1 << 16, 1 << 11), 64, t.size(64, 4)
    sound, product = t.rng.random((samples, mics), dtype=f32), xp.zeros((mics, mics), f32)
    sound -= f32(0.3)

    def ref() -> Any:
        s = sound.astype(f64)
        return [s.T @ s]

    args, grids = (sound, product, i32(samples)), ((4, 4, 1), (4, 4, parts))
    blocks = ((16, 16), (16, 16))
    return same(t, FILE, "whistle_modes", grids, blocks, args, product, ref=ref, near=3e-4, reset=zero(product))


@case
def dart_fields(t: Tools) -> Pair:
    xp, n, grid = t.xp, t.size(1 << 24, 1 << 12), t.size(SMS * 8, 2)
    dart, hits = xp.full((n, 2), -1.5, f32), xp.zeros(64, i32)
    for _ in range(3):
        dart += t.rng.random((n, 2), dtype=f32)
    dart *= f32(130)
    dart[:, 1] += f32(40)

    def ref() -> Any:
        x, y = dart[:, 0].astype(f64), dart[:, 1].astype(f64)
        far = xp.sqrt(x * x + y * y)
        sector = ((xp.arctan2(y, x) * (10 / np.pi) + 10.5) % 20).astype(i32)
        ring = (far >= 162).astype(i32) + 2 * ((far >= 99) & (far < 107)).astype(i32)
        field = xp.where(far >= 170, 0, xp.where(far < 6.35, 1, xp.where(far < 15.9, 2, 3 + ring * 20 + sector)))
        return [xp.bincount(field.astype(i32), minlength=64).astype(i32)]

    args = (dart, hits, i32(n))
    return both(t, FILE, "dart_fields", (grid, grid), (256, 256), args, hits, ref=ref, near=1e-4, reset=zero(hits))


@case
def crane_trusses(t: Tools) -> Pair:
    xp, systems, joints = t.xp, t.size(SMS * 768, 64), 16
    stiff, load = t.rng.random((systems, joints, joints), dtype=f32), t.rng.random((systems, joints), dtype=f32)
    stiff += f32(10) * xp.eye(joints, dtype=f32)
    moved = xp.zeros((systems, joints), f32)

    def ref() -> Any:
        a, b = t.host(stiff).astype(f64), t.host(load).astype(f64)
        return [np.linalg.solve(a, b[:, :, None])[:, :, 0]]

    args, grid = (stiff, load, moved), systems // 8
    return both(t, FILE, "crane_trusses", (grid, grid), (128, 128), args, moved, ref=ref, near=1e-4)


@case
def gear_torques(t: Tools) -> Pair:
    xp, n, shafts = t.xp, t.size(3 << 19, 1 << 10), 8
    make = np.random.default_rng(18)
    order = np.array([3, 6, 0, 5, 1, 7, 2, 4])
    rigid = (make.uniform(-0.5, 0.5, (shafts, shafts)) + 5 * np.eye(shafts)).astype(f32)
    slipping = make.uniform(-0.1, 0.1, (shafts, shafts)).astype(f32)
    drive = make.uniform(0.5, 1.5, shafts).astype(f32)
    t.constant(FILE, "gear_rigid", xp.asarray(rigid[order]))
    t.constant(FILE, "gear_slip", xp.asarray(slipping[order]))
    t.constant(FILE, "gear_drive", xp.asarray(drive))
    slip, pedal = t.rng.random(n, dtype=f32), f32(0.2) + t.rng.random(n, dtype=f32)
    most, power = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        s, turn, back = slip.astype(f64), pedal.astype(f64), np.argsort(order)
        a = [[float(rigid[r, c]) + s * float(slipping[r, c]) for c in range(shafts)] for r in range(shafts)]
        b = [turn * float(drive[back[r]]) for r in range(shafts)]
        for k in range(shafts):  # the equations in their own order need no pivots
            for r in range(shafts):
                if r != k:
                    share = a[r][k] / a[k][k]
                    for c in range(k, shafts):
                        a[r][c] = a[r][c] - share * a[k][c]
                    b[r] = b[r] - share * b[k]
        torque = xp.stack([b[r] / a[r][r] for r in range(shafts)])
        return [xp.abs(torque).max(axis=0), turn * (torque * xp.asarray(drive.astype(f64))[:, None]).sum(axis=0)]

    args, grid = (slip, pedal, most, power, i32(n)), n // 128
    return both(t, FILE, "gear_torques", (grid, grid), (128, 128), args, (most, power), ref=ref, near=1e-4)


@case
def pebble_loads(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 12)
    size = np.array([0.004, 0.008, 0.016, 0.032, 0.064, 0.128])
    part, inverse = (1 / (16186 * size)).astype(f32), (1 / size).astype(f32)
    amount = (np.array([0.1, 0.2, 0.3, 0.2, 0.15, 0.05]) * (1.62 * 9.81 * size**3) ** 0.5 * 1000).astype(f32)
    for name, values in (("part", part), ("inverse", inverse), ("amount", amount)):
        t.constant(FILE, f"pebble_{name}", xp.asarray(values))
    shear = f32(20) + f32(80) * t.rng.random(n, dtype=f32)
    mean, load = f32(0.01) + f32(0.03) * t.rng.random(n, dtype=f32), xp.zeros(n, f32)

    def ref() -> Any:
        want, d, tau = xp.zeros(n), mean.astype(f64), shear.astype(f64)
        for j in range(6):
            over = tau * float(part[j]) - 0.047 * xp.sqrt(d * float(inverse[j]))
            want += 8 * float(amount[j]) * xp.maximum(over, 1e-6) ** 1.5
        return [want]

    args, grid = (shear, mean, load, i32(n)), n // 256
    return both(t, FILE, "pebble_loads", (grid, grid), (256, 256), args, load, ref=ref, near=1e-5)


@case
def drum_skins(t: Tools) -> Pair:
    xp, drums, rounds, wide = t.xp, t.size(SMS * 128, 16), 24, 16
    push, tension = t.rng.random((drums, wide, wide), dtype=f32), f32(0.5) + t.rng.random(drums, dtype=f32)
    depth = xp.zeros((drums, wide, wide), f32)

    def ref() -> Any:
        middle = 4 + tension.astype(f64)[:, None, None]
        want = xp.zeros((drums, wide + 2, wide + 2))
        f = push.astype(f64)
        inner = want[:, 1:-1, 1:-1]
        for _ in range(90):  # Jacobi: a round leaves at most 4 / 4.5 of the error
            beside = want[:, :-2, 1:-1] + want[:, 2:, 1:-1] + want[:, 1:-1, :-2] + want[:, 1:-1, 2:]
            inner[...] = (f + beside) / middle
        return [inner.copy()]

    args, grids = (push, tension, depth, i32(rounds)), (drums, drums // 8)
    return both(t, FILE, "drum_skins", grids, (256, 256), args, depth, ref=ref, near=1e-3)


@case
def parachute_falls(t: Tools) -> Pair:
    xp, n, steps, dt = t.xp, t.size(1 << 21, 1 << 12), 32, f32(0.1)
    drag, start = f32(0.01) + f32(0.04) * t.rng.random(n, dtype=f32), f32(3000) * t.rng.random(n, dtype=f32)
    start += f32(1000)
    speed, height = xp.zeros(n, f32), xp.zeros(n, f32)

    def ref() -> Any:
        v, h, k = xp.zeros(n), start.astype(f64), drag.astype(f64)
        for _ in range(steps):
            v = v + float(dt) * (9.81 - 0.5 * 1.225 * xp.exp(-1.18e-4 * h) * k * v * v)
            h = h - float(dt) * v
        return [v, h]

    args, grid = (drag, start, speed, height, dt, i32(steps), i32(n)), n // 256
    outs = (speed, height)
    return both(t, FILE, "parachute_falls", (grid, grid), (256, 256), args, outs, ref=ref, near=1e-5)


@case
def piano_strings(t: Tools) -> Pair:
    xp, n, steps, modes = t.xp, t.size(SMS * 4096, 1 << 10), t.size(64, 16), 24
    number = np.arange(1, modes + 1)
    stiff, keep = (0.002 * number**2).astype(f32), (0.995 - 0.002 * number).astype(f32)
    share = (1 / number).astype(f32)
    for name, values in (("stiff", stiff), ("keep", keep), ("share", share)):
        t.constant(FILE, f"mode_{name}", xp.asarray(values))
    blow, tune = f32(0.5) + t.rng.random(n, dtype=f32), f32(0.9) + f32(0.2) * t.rng.random(n, dtype=f32)
    loud = xp.zeros(n, f32)

    def ref() -> Any:
        k, h, w = (xp.asarray(values.astype(f64))[:, None] for values in (stiff, keep, share))
        x, v, total, force = xp.zeros((modes, n)), xp.zeros((modes, n)), xp.zeros(n), blow.astype(f64)
        for _ in range(steps):
            v = h * v + force - tune * k * x
            x = x + v
            bridge = (w * x).sum(axis=0)
            total += bridge * bridge
            force = 0.5 * force - 0.001 * bridge
        return [total]

    args, grid = (blow, tune, loud, i32(steps), i32(n)), n // 256
    return both(t, FILE, "piano_strings", (grid, grid), (256, 256), args, loud, ref=ref, near=1e-4)


@case
def bale_values(t: Tools) -> Pair:
    xp, n, grid, price = t.xp, t.size(1 << 24, 1 << 12), t.size(SMS * 16, 2), f32(0.14)
    bale, value = t.rng.random((n, 12), dtype=f32), xp.zeros(n, f32)
    bale[:, 6] = f32(200) + f32(200) * bale[:, 6]
    bale[:, 7] *= f32(0.3)
    mass, moisture = xp.ascontiguousarray(bale[:, 6]), xp.ascontiguousarray(bale[:, 7])

    def ref() -> Any:
        dry = mass.astype(f64) * (1 - moisture.astype(f64))
        return [float(price) * dry * (1 - 0.4 * (moisture > f32(0.18)).astype(f64))]

    slow = launch(t, FILE, "bale_values", grid, 256, (bale, value, price, i32(n)))
    cured = launch(t, FILE, "bale_values_b", grid, 256, (mass, moisture, value, price, i32(n)))
    return Pair(slow, cured, lambda _: (value,), ref, 1e-5)


@case
def net_strains(t: Tools) -> Pair:
    xp, nets, large, limit, most = t.xp, t.size(4096, 64), t.size(1 << 20, 1 << 12), f32(1.9), 4096
    meshes = np.random.default_rng(18).integers(2000, 10000, nets)
    meshes[nets // 3 :: nets // 3] = large
    start = np.zeros(nets + 1, np.int64)
    start[1:] = np.cumsum(meshes)
    total = int(start[-1])
    rest = f32(0.5) + t.rng.random(total, dtype=f32)
    length = rest * (f32(1) + t.rng.random(total, dtype=f32))
    pieces = [
        (net, at, min(at + most, int(start[net + 1])))
        for net in range(nets)
        for at in range(int(start[net]), int(start[net + 1]), most)
    ]
    starts, piece = xp.asarray(start.astype(i32)), xp.asarray(np.array(pieces, i32))
    worst, torn = xp.zeros(nets, u32), xp.zeros(nets, i32)

    def ref() -> Any:
        over, beyond = t.host(length - rest), t.host(length > limit * rest)
        top = np.maximum.reduceat(over, start[:-1])
        return [np.maximum(top, 0).astype(f32).view(u32), np.add.reduceat(beyond.astype(i32), start[:-1])]

    slow = launch(t, FILE, "net_strains", nets, 256, (length, rest, starts, worst, torn, limit))
    cured = launch(t, FILE, "net_strains_b", len(pieces), 256, (length, rest, piece, worst, torn, limit))
    return Pair(slow, cured, lambda _: (worst, torn), ref, 0.0, zero(worst, torn))


@case
def kite_tails(t: Tools) -> Pair:
    xp, tails, bows, fade = t.xp, t.size(SMS * 512, 256), t.size(384, 24), f32(0.99)
    drag, pull = t.rng.random((bows, tails), dtype=f32), xp.zeros(tails, f32)
    head = xp.arange(tails, dtype=i32)
    bow = xp.empty((bows, tails, 2), i32)
    bow[:, :, 0] = xp.arange(tails, (bows + 1) * tails, dtype=i32).reshape(bows, tails)
    bow[-1, :, 0] = -1
    bow[:, :, 1] = drag.view(i32)

    def ref() -> Any:
        weight = xp.asarray(float(fade) ** np.arange(bows))
        return [weight @ drag.astype(f64)]

    args, grid = (bow, head, pull, fade, i32(bows), i32(tails)), tails // 128
    return both(t, FILE, "kite_tails", (grid, grid), (128, 128), args, pull, ref=ref, near=1e-5)
