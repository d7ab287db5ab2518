"""The pairs whose kernels are in the .cu file here: inputs, grids and references. Stations."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, both, f32, i32, launch, zero

CASES = Cases()
case = CASES.add
f64, u64 = np.float64, np.uint64


# ---- weather and the sea
@case
def surface_currents(t: Tools) -> Pair:
    xp, nx, ny, scale = t.xp, t.size(8192, 128), t.size(4096, 64), f32(0.01)
    height = t.rng.random((ny, nx), dtype=f32)
    coriolis = f32(1) + xp.arange(ny, dtype=f32) / f32(ny)
    east, north = xp.zeros((ny, nx), f32), xp.zeros((ny, nx), f32)

    def ref() -> Any:
        slope_y, slope_x = xp.gradient(height.astype(f64))
        factor = float(scale) / coriolis.astype(f64)[:, None]
        return [-factor * slope_y, factor * slope_x]

    args = (height, coriolis, east, north, scale, i32(nx), i32(ny))
    grids, blocks = ((ny // 32, nx // 8), (nx // 32, ny // 8)), ((32, 8), (32, 8))
    return both(t, "stations", "surface_currents", grids, blocks, args, (east, north), ref=ref, near=1e-5)


@case
def wet_bulb(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 12)
    temperature = f32(60) * t.rng.random(n, dtype=f32) - f32(15)
    humidity = f32(5) + f32(94) * t.rng.random(n, dtype=f32)
    wet = xp.zeros(n, f32)

    def ref() -> Any:
        c, rh = temperature.astype(f64), humidity.astype(f64)
        first = c * xp.arctan(0.151977 * xp.sqrt(rh + 8.313659)) + xp.arctan(c + rh) - xp.arctan(rh - 1.676331)
        return [first + 0.00391838 * rh * xp.sqrt(rh) * xp.arctan(0.023101 * rh) - 4.686035]

    args, grids = (temperature, humidity, wet, i32(n)), (n // 256, n // 256)
    return both(t, "stations", "wet_bulb", grids, (256, 256), args, wet, ref=ref, near=1e-5)


@case
def lorenz_ensemble(t: Tools) -> Pair:
    xp, members, steps, dt = t.xp, t.size(SMS * 2048, 512), t.size(16, 4), f32(0.05)
    start = f32(8) + f32(4) * t.rng.random((36, members), dtype=f32)
    forcing = f32(7) + f32(2) * t.rng.random(members, dtype=f32)
    end = xp.zeros((36, members), f32)

    def ref() -> Any:
        h, force = float(dt), forcing.astype(f64)

        def slope(x: Any) -> Any:
            return (xp.roll(x, -1, axis=0) - xp.roll(x, 2, axis=0)) * xp.roll(x, 1, axis=0) - x + force

        x = start.astype(f64)
        for _ in range(steps):
            a = slope(x)
            b = slope(x + h / 2 * a)
            c = slope(x + h / 2 * b)
            x = x + h / 6 * (a + 2 * b + 2 * c + slope(x + h * c))
        return [x]

    args, grids = (start, end, forcing, dt, i32(steps), i32(members)), (members // 256, members // 128)
    return both(t, "stations", "lorenz_ensemble", grids, (256, 128), args, end, ref=ref, near=1e-3)


# ---- geodesy
@case
def geodetic_positions(t: Tools) -> Pair:
    xp, n, flat = t.xp, t.size(1 << 24, 1 << 12), 1 / 298.257223563
    second = flat * (2 - flat)
    place = t.rng.random((3, n))  # latitude, longitude, height in radii
    place *= xp.asarray([3.0, 6.2, 0.3])[:, None]
    place -= xp.asarray([1.5, 3.1, 0.0])[:, None]
    latitude, longitude, height = place
    normal = 1 / xp.sqrt(1 - second * xp.sin(latitude) ** 2)
    position, geodetic = xp.empty((3, n), f32), xp.zeros((3, n), f32)
    position[0] = (normal + height) * xp.cos(latitude) * xp.cos(longitude)
    position[1] = (normal + height) * xp.cos(latitude) * xp.sin(longitude)
    position[2] = (normal * (1 - second) + height) * xp.sin(latitude)
    want = place.astype(f32)

    args, grids = (position, geodetic, i32(n)), (n // 256, n // 256)
    return both(t, "stations", "geodetic_positions", grids, (256, 256), args, geodetic, ref=lambda: [want], near=1e-5)


# ---- networks
@case
def flow_jitter(t: Tools) -> Pair:
    xp, flows, most, elephant = t.xp, t.size(1 << 15, 256), 2048, t.size(1 << 17, 1 << 13)
    draw = np.random.default_rng(5)
    size = draw.integers(64, 640, flows)
    size[draw.choice(flows, 8, replace=False)] = elephant
    edge = np.concatenate([[0], np.cumsum(size)]).astype(i32)
    pieces = -(-size // most)
    owner = np.repeat(np.arange(flows), pieces)
    begin = edge[owner] + most * (np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces))
    stop = np.minimum(begin + most, edge[owner + 1])
    piece = xp.asarray(np.stack([owner, begin, stop, 0 * stop], axis=1), dtype=i32)
    packets, first = int(edge[-1]), xp.asarray(edge)
    arrival = xp.cumsum(t.rng.integers(1, 200, packets, dtype=i32)).astype(xp.uint32)
    jitter = xp.zeros(flows, u64)

    def ref() -> Any:
        gap = xp.diff(arrival.astype(np.int64))
        change = xp.zeros(packets + 1, np.int64)
        change[3:] = xp.cumsum(xp.abs(xp.diff(gap)))  # change[i]: the sum for the packets before i
        return [(change[first[1:]] - change[first[:-1] + 2]).astype(u64)]

    slow = launch(t, "stations", "flow_jitter", flows, 128, (arrival, first, jitter))
    cured = launch(t, "stations", "flow_jitter_b", len(owner), 128, (arrival, first, piece, jitter))
    return Pair(slow, cured, lambda _: (jitter,), ref, reset=zero(jitter))


@case
def unmask_payload(t: Tools) -> Pair:
    xp, n, key = t.xp, t.size(1 << 27, 1 << 14), 0xA35C0F91
    masked = t.uint32(n // 4, 1 << 30).view(xp.uint8)
    plain, blocks = xp.zeros(n, xp.uint8), t.size(SMS * 8, 4)

    def ref() -> Any:
        of = xp.asarray(np.array([key], "<u4").view(np.uint8))
        return [(masked.reshape(-1, 4) ^ of).reshape(-1)]

    args = (masked, plain, np.uint32(key), i32(n))
    return both(t, "stations", "unmask_payload", (blocks, blocks), (256, 256), args, plain, ref=ref)


# ---- accounts
@case
def post_vouchers(t: Tools) -> Pair:
    xp, n, last = t.xp, t.size(1 << 22, 1 << 12), 300
    voucher = xp.empty((n, 4), i32)
    voucher[:, 0] = t.rng.integers(0, 64, n, dtype=i32)
    voucher[:, 1] = t.rng.integers(0, 100000, n, dtype=i32) - i32(40000)
    voucher[:, 2] = t.rng.integers(0, 365, n, dtype=i32)
    voucher[:, 3] = xp.arange(n, dtype=i32)
    balance, blocks = xp.zeros(64, u64), t.size(SMS * 8, 4)

    def ref() -> Any:
        posted = xp.where(voucher[:, 2] <= last, voucher[:, 1], 0).astype(np.int64)
        return [xp.stack([posted[voucher[:, 0] == a].sum() for a in range(64)]).view(u64)]

    args, more = (voucher, balance, i32(last), i32(n)), {"ref": ref, "reset": zero(balance)}
    return both(t, "stations", "post_vouchers", (n // 256, blocks), (256, 256), args, balance, **more)


# ---- sports
@case
def season_titles(t: Tools) -> Pair:
    xp, seasons, teams = t.xp, t.size(SMS * 6144, 256), t.size(24, 6)
    draw = np.random.default_rng(8)
    games = [(h, a) for h in range(teams) for a in range(teams) if h != a]
    order = [games[k] for k in draw.permutation(len(games))]
    chances = draw.integers(3, 8, teams)
    table = np.array([(h, a, chances[h] + 1, chances[a]) for h, a in order], np.uint8)
    fixture, seed = xp.asarray(table), t.uint32(seasons, 1 << 30) | xp.uint32(1)
    champion = xp.zeros(seasons, xp.uint32)

    def ref() -> Any:
        state = seed.copy()
        points, scored, conceded = (xp.zeros((24, seasons), i32) for _ in range(3))
        for h, a, hc, ac in table.tolist():
            state ^= state << xp.uint32(13)
            state ^= state >> xp.uint32(17)
            state ^= state << xp.uint32(5)
            bits = state & (state >> xp.uint32(8))
            hg = sum((bits >> xp.uint32(k) & xp.uint32(1)).astype(i32) for k in range(hc))
            ag = sum((bits >> xp.uint32(16 + k) & xp.uint32(1)).astype(i32) for k in range(ac))
            points[h] += 3 * (hg > ag) + (hg == ag)
            points[a] += 3 * (ag > hg) + (hg == ag)
            scored[h] += hg
            scored[a] += ag
            conceded[h] += ag
            conceded[a] += hg
        number = xp.arange(24, dtype=i32)[:, None]
        key = (points << 24) | ((scored - conceded + 512) << 14) | (scored << 5) | number
        return [key.view(xp.uint32).max(axis=0)]

    args, grids = (fixture, seed, champion, i32(len(table)), i32(seasons)), (seasons // 128, seasons // 128)
    return both(t, "stations", "season_titles", grids, (128, 128), args, champion, ref=ref)


@case
def player_likeness(t: Tools) -> Pair:
    xp, players, measures = t.xp, t.size(4096, 128), 64
    measure, alike = t.rng.random((measures, players), dtype=f32) - f32(0.5), xp.zeros((players, players), f32)

    def ref() -> Any:
        return [sum(measure[m, :, None].astype(f64) * measure[m] for m in range(measures))]

    args = (measure, alike, i32(measures), i32(players))
    grids, blocks = ((players // 32, players // 8), (players // 64, players // 64)), ((32, 8), (16, 16))
    return both(t, "stations", "player_likeness", grids, blocks, args, alike, ref=ref, near=1e-5)


# ---- robots
@case
def joint_friction(t: Tools) -> Pair:
    xp, arms, steps, dt = t.xp, t.size(1 << 16, 256), t.size(256, 32), f32(1e-3)
    joints = arms * 7
    low, high = (xp.asarray(v, dtype=f32)[:, None] for v in ([2, 1, 0.5, 1.0, 1], [10, 5, 1.0, 2.0, 4]))
    joint = low + (high - low) * t.rng.random((5, joints), dtype=f32)
    angle, lost = xp.zeros(joints, f32), xp.zeros(joints, f32)

    def ref() -> Any:
        h, (torque, spring, coulomb, stiction, inverse) = float(dt), joint.astype(f64)
        x, v, bristle, heat = (xp.zeros(joints) for _ in range(4))
        for _ in range(steps):
            g = coulomb + (stiction - coulomb) * xp.exp(-v * v * 20)
            rate = v - 200 * xp.abs(v) * bristle / g
            bristle = bristle + h * rate
            friction = 200 * bristle + 2 * rate + 0.4 * v
            v = v + h * (torque - friction - spring * x) * inverse
            x = x + h * v
            heat = heat + h * friction * v
        return [x, heat]

    args = (joint, angle, lost, dt, i32(steps), i32(joints))
    slow, cured = (launch(t, "stations", "joint_friction", joints // b, b, args) for b in (7, 256))
    return Pair(slow, cured, lambda _: (angle, lost), ref, 1e-3)


@case
def potential_field(t: Tools) -> Pair:
    xp, nx, ny, nz, headings = t.xp, 128, t.size(128, 8), t.size(64, 4), t.size(64, 4)
    shape = (headings, nz, ny, nx)
    clearance, field = f32(20) * t.rng.random(shape, dtype=f32), xp.zeros(shape, f32)
    goal = xp.asarray([90.5, 20.25, 30.0, 11.0, 0.25, 0.5, 40.0, 6.0], dtype=f32)

    def ref() -> Any:
        gx, gy, gz, gh, pull, turn, push, reach = goal.tolist()
        dh, dz, dy, dx = (
            (xp.arange(size) - g).reshape([-1 if k == axis else 1 for k in range(4)]) ** 2
            for axis, (size, g) in enumerate(zip(shape, (gh, gz, gy, gx), strict=True))
        )
        off = xp.maximum(reach - clearance.astype(f64), 0)
        return [pull * (dx + dy + dz) + turn * dh + push * off**2]

    args = (clearance, field, goal, u64(nx), u64(ny), u64(nz), u64(headings))
    grids, blocks = (t.size(SMS * 8, 4), (nz, headings)), (256, (nx, 2))
    return both(t, "stations", "potential_field", grids, blocks, args, field, ref=ref, near=1e-5)


# ---- chemistry
@case
def mechanism_rates(t: Tools) -> Pair:
    xp, cells = t.xp, t.size(1 << 17, 32)
    draw = np.random.default_rng(12)
    kind = draw.permutation(np.repeat(np.arange(5), [64, 11, 32, 11, 10])).astype(i32)
    low = np.array(
        [[1, 0, 200, 0, 0, 0], [1, 1] + [0] * 4, [1, 2, 2, 0, 0.4, 0], [1, 0.5, 0.1, 0, 0, 0], [1, 200, 1, 0, 0, 0]]
    )
    span = np.array(
        [
            [1, 2, 700, 1, 1, 1],
            [1, 2] + [1] * 4,
            [1, 2, 7, 1, 0.2, 1],
            [1, 1, 0.3, 2e-3, 1, 1],
            [1, 700, 2, 2e-3, 2e-6, 1e-9],
        ]
    )
    values = (low + span * draw.random((5, 6)))[kind] * (0.9 + 0.1 * draw.random((128, 6)))
    table = np.empty((128, 7), f32)
    table[:, 0], table[:, 1:] = kind.view(f32), values
    reaction, order = xp.asarray(table), xp.asarray(np.argsort(kind, kind="stable").astype(i32))
    temperature = f32(220) + f32(90) * t.rng.random(cells, dtype=f32)
    air, sun = f32(0.2) + t.rng.random(cells, dtype=f32), f32(0.05) + f32(0.9) * t.rng.random(cells, dtype=f32)
    rate = xp.zeros((cells, 128), f32)

    def ref() -> Any:
        want, (k, m, s) = xp.zeros((cells, 128)), (v.astype(f64) for v in (temperature, air, sun))
        for r in range(128):
            a, b, c, d, e, f = table[r, 1:].astype(f64).tolist()
            if kind[r] == 0:
                value = a * (k / 300) ** b * xp.exp(-c / k)
            elif kind[r] == 1:
                value = a * (k / 300) ** -b * m * (1 + 0.6 * m)
            elif kind[r] == 2:
                least, most = a * (k / 300) ** -b * m, c * (k / 300) ** -d
                width = xp.log10(least / most) / (0.75 - 1.27 * np.log10(e))
                value = least / (1 + least / most) * e ** (1 / (1 + width**2))
            elif kind[r] == 3:
                value = a * s**b * xp.exp(-c / s) * (1 + d * (k - 298))
            else:
                gibbs = c + k * (d + k * (e + k * f)) - xp.log(k)
                value = a * xp.exp(-b / k) / (1 + xp.exp(gibbs - 1000 / k))
            want[:, r] = value
        return [want]

    blocks, rest = t.size(SMS * 16, 4), (temperature, air, sun, rate, i32(cells))
    slow = launch(t, "stations", "mechanism_rates", blocks, 128, (reaction, *rest))
    cured = launch(t, "stations", "mechanism_rates_b", blocks, 128, (reaction, order, *rest))
    return Pair(slow, cured, lambda _: (rate,), ref, 1e-4)


@case
def match_spectra(t: Tools) -> Pair:
    xp, samples, references = t.xp, t.size(1 << 14, 16), t.size(32, 4)
    spectrum, reference = (t.rng.random((k, 1024), dtype=f32) for k in (samples, references))
    score = xp.zeros((samples, references), f32)

    def ref() -> Any:
        return [xp.stack([(spectrum * reference[k].astype(f64)).sum(axis=1) for k in range(references)], axis=1)]

    args = (spectrum, reference, score, i32(references))
    return both(t, "stations", "match_spectra", (samples,) * 2, (1024,) * 2, args, score, ref=ref, near=1e-5)


# ---- sound
@case
def decode_speakers(t: Tools) -> Pair:
    xp, frames, channels = t.xp, t.size(1 << 20, 512), 16
    gain = (np.random.default_rng(14).random((channels, channels)) - 0.5).astype(f32)
    t.constant("stations", "decoder", xp.asarray(gain.reshape(-1)))
    ambisonic = t.rng.random((frames, channels), dtype=f32) - f32(0.5)
    speaker = xp.zeros((frames, channels), f32)

    def ref() -> Any:
        sound = ambisonic.astype(f64)
        return [xp.stack([(sound * xp.asarray(gain[o], dtype=f64)).sum(axis=1) for o in range(channels)], axis=1)]

    args, shared = (ambisonic, speaker, i32(channels)), (128 * 2 * channels * 4, 128 * 2 * (channels + 1) * 4)
    grids = (frames // 128, frames // 128)
    return both(t, "stations", "decode_speakers", grids, (128, 128), args, speaker, shared=shared, ref=ref, near=1e-5)
