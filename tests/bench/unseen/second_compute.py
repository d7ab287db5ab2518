"""The launches of signals.cu, finance.cu and solvers.cu: inputs, grids and what the outputs must be."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Case, Launch, Tools
from ours_data import SMS, close, f32, i32

f64, u32 = np.float64, np.uint32


def echoes(t: Tools) -> Case:
    xp, channels, length, count = t.xp, t.size(SMS * 32, 6), 3000, 64
    delay, gain = t.uint32(count, length), t.rng.random(count, dtype=xp.float32)
    t.constant("signals", "echoes", xp.stack([delay, gain.view(xp.uint32)], axis=1))
    x, y = t.rng.random((channels, length), dtype=xp.float32), xp.zeros((channels, length), xp.float32)
    pairs = list(zip(t.host(delay).tolist(), t.host(gain).tolist(), strict=True))

    def check() -> None:
        for c in (0, 1, channels - 1):
            close(xp, y[c], sum(g * xp.roll(x[c].astype(xp.float64), d) for d, g in pairs), 1e-4, 1e-4)

    def launch(around: str) -> Launch:
        return Launch(t.kernel("signals", f"echoes.*{around}"), (channels,), (256,), (x, y, i32(length)), length * 4)

    return Case(launch("Floored"), check, launch("OnePeriod"))


def filter_bank(t: Tools) -> Case:
    xp, frames, taps, channels = t.xp, t.size(1 << 16, 1 << 4), 8, 1024
    h = t.rng.random((taps, channels), dtype=xp.float32)
    t.constant("signals", "prototype", h)
    x, y = t.rng.random((frames + taps - 1, channels), dtype=xp.float32), xp.zeros((frames, channels), xp.float32)

    def check() -> None:
        for f in (0, frames // 2, frames - 1):
            close(xp, y[f], (h.astype(xp.float64) * x[f : f + taps]).sum(axis=0), 1e-5, 1e-5)

    def launch(name: str, shared: int) -> Launch:
        kernel, args = t.kernel("signals", f"channelise.*{name}"), (x, y, h, i32(frames * channels))
        return Launch(kernel, (SMS * 4,), (512,), args, shared)

    return Case(launch("Resident", 0), check, launch("Staged", taps * channels * 4))


def back_projection(t: Tools) -> Case:
    xp, pulses, bins, terms = t.xp, t.size(256, 8), 2048, 32
    grid = (t.size(33, 2), t.size(128, 2))
    powers = np.arange(terms - 1, -1, -1)
    orbit = np.zeros((terms, 4), np.float32)
    orbit[:-2, :3] = t.host(t.rng.random((terms - 2, 3), dtype=xp.float32)) * 0.1 / powers[:-2, None]
    orbit[-2:, :3] = (4.0, 0.3, 0.1), (5.0, -3.0, 6.0)
    t.constant("signals", "orbit", xp.asarray(orbit))
    times = t.rng.random(pulses, dtype=xp.float32) * 2 - 1
    echo = t.rng.random((pulses, bins), dtype=xp.float32)
    image = xp.zeros((grid[1] * 8, grid[0] * 32), xp.float32)

    def check() -> None:
        track = (t.host(times).astype(f64)[:, None, None] ** powers[:, None] * orbit[None, :, :3]).sum(axis=1)
        rows, each = t.host(echo).astype(f64), np.arange(pulses)
        for row, col in ((0, 0), (7, 31), (image.shape[0] // 2, 40), (image.shape[0] - 1, image.shape[1] - 1)):
            at = np.sqrt((col * 0.01 - track[:, 0]) ** 2 + (row * 0.01 - track[:, 1]) ** 2 + track[:, 2] ** 2) * 100
            k = at.astype(int)
            want = float((rows[each, k] + (at - k) * (rows[each, k + 1] - rows[each, k])).sum())
            got = float(image[row, col])
            assert abs(got - want) < 1e-3 * want + 0.02, f"pixel {row}, {col}: {got}, not {want}"

    args = (echo, times, image, f32(0.01), f32(100), i32(bins), i32(pulses))

    def launch(track: str, shared: int) -> Launch:
        return Launch(t.kernel("signals", f"back_project.*{track}"), grid, (32, 8), args, shared)

    return Case(launch("ByTime", 0), check, launch("ByPulse", pulses * 16))


def warp_costs(t: Tools) -> Case:
    xp, pairs, n, radius = t.xp, t.size(16, 2), t.size(16384, 128), t.size(256, 32)
    x, y = t.rng.random((pairs, n, 4), dtype=xp.float32), t.rng.random((pairs, n, 4), dtype=xp.float32)
    cost, tiles, reach = xp.zeros((pairs, n, 2 * radius + 1), xp.float32), n // 32, -(-radius // 32)

    def check() -> None:
        for p in (0, pairs - 1):
            for i in (0, 1, n // 2 + 5, n - 1):
                low, high = max(0, i - radius), min(n, i + radius + 1)
                want = ((y[p, low:high].astype(xp.float64) - x[p, i]) ** 2).sum(axis=1)
                close(xp, cost[p, i, low - i + radius : high - i + radius], want, 1e-5, 1e-6)

    args = (x, y, cost, i32(n), i32(radius))
    slow = Launch(t.kernel("signals", "local_costs.*Square"), (tiles, tiles, pairs), (32, 8), args)
    cured = t.kernel("signals", "local_costs.*Ribbon")
    return Case(slow, check, Launch(cured, (2 * reach + 1, tiles, pairs), (32, 8), args), lambda: cost.fill(0))


def worths(kind: Any, terms: Any, periods: int) -> Any:
    """What value_book must give, in float64."""
    rate, coupon, slope, level = terms.astype(f64).T
    n, v = len(kind), 1 / (1 + rate)
    sums, forward, discount, paid = np.zeros((8, n)), rate.copy(), np.ones(n), coupon.copy()
    sums[[0, 4, 5]] = level
    grown, capped, strike_up, strike_down, balance = rate.copy(), level.copy(), level.copy(), level.copy(), level.copy()
    for _ in range(periods):
        sums[0] = sums[0] * v + coupon * v
        sums[1] = sums[1] * v + paid
        paid = paid * (1 + slope)
        discount = discount * (1 - forward)
        sums[2] += discount * (forward - coupon)
        capped = capped * (1 - grown)
        sums[3] += capped * np.maximum(grown - coupon, 0)
        grown = grown * (1 + slope)
        sums[4] = np.minimum(sums[4] * (1 - rate) + coupon, strike_up)
        sums[5] = np.maximum(sums[5] * (1 - rate) + coupon, strike_down)
        strike_up, strike_down = strike_up + 0.02 * slope, strike_down - 0.02 * slope
        sums[6] += balance * rate
        balance = np.maximum(balance * (1 + rate) - coupon, 0)
        sums[7] = sums[7] * (1 - rate) + np.minimum(np.maximum(forward, slope), coupon)
        forward = forward + 0.01 * slope
    return sums[kind, np.arange(n)]


def mixed_book(t: Tools) -> Case:
    xp, n, periods = t.xp, t.size(1 << 24, 1 << 12), 64
    low, wide = (xp.asarray(v, xp.float32) for v in ((0.01, 0.01, 0.001, 0.9), (0.02, 0.04, 0.02, 0.2)))
    terms = t.rng.random((n, 4), dtype=xp.float32) * wide + low
    kind = t.rng.integers(0, 8, n, dtype=xp.int32).astype(xp.uint8)
    order = xp.argsort(kind)
    sorted_terms, sorted_kind, worth = terms[order], kind[order], xp.zeros(n, xp.float32)
    kernel, last = t.kernel("finance", "value_book"), []

    def launch(which: Any, kinds: Any) -> Any:
        go = Launch(kernel, (SMS * 8,), (256,), (which, kinds, worth, i32(periods), i32(n)))

        def run() -> None:
            last[:] = [which, kinds]
            go()

        return run

    def check() -> None:
        some = slice(0, n, n // 4096)
        want = worths(t.host(last[1][some]), t.host(last[0][some]), periods)
        close(np, t.host(worth[some]), want, 1e-3, 1e-4)

    return Case(launch(terms, kind), check, launch(sorted_terms, sorted_kind))


def lattices(t: Tools) -> Case:
    xp, each, nodes = t.xp, t.size(256, 32), 512
    n, root = SMS * each, 0.3 / np.sqrt(252.0)
    steps = (16 + 495 * (np.arange(n) / n) ** 4).astype(np.int32)
    up, growth = np.exp(root), np.exp(0.04 / 252)
    market = np.empty((n, 4), np.float32)
    market[:, 0] = 80 + 40 * t.host(t.rng.random(n, dtype=xp.float32))
    market[:, 1:] = 100, root / np.log(2), (growth - 1 / up) / (up - 1 / up)
    discount = np.full(n, 1 / growth, np.float32)
    price = xp.zeros(n, xp.float32)

    def check() -> None:
        for option in (0, n // 3, n // 2, n - 2, n - 1):
            spot, strike, log2_up, chance = market[option].astype(f64)
            levels, stay = int(steps[option]), float(discount[option]) * chance
            at = spot * 2.0 ** (log2_up * (2 * np.arange(nodes) - levels))
            held = np.maximum(strike - at, 0)
            for _ in range(levels):
                at = at * 2.0**log2_up
                held = np.maximum(stay * np.r_[held[1:], 0] + (discount[option] - stay) * held, strike - at)
            got = float(price[option])
            assert abs(got - held[0]) < 0.02 + 1e-3 * held[0], f"option {option}: {got}, not {held[0]}"

    args = (xp.asarray(market), xp.asarray(discount), xp.asarray(steps), price, i32(each))

    def launch(split: str) -> Launch:
        return Launch(t.kernel("finance", f"american_puts.*{split}"), (SMS,), (1024,), args)

    return Case(launch("Portions"), check, launch("Dealt"))


def chacha20(secret: Any, counter: Any, stream: int) -> Any:
    """The 16 words of each block, uint32 (16, blocks)."""
    start = np.zeros((16, len(counter)), u32)
    start[:4] = np.array([[0x61707865], [0x3320646E], [0x79622D32], [0x6B206574]], u32)
    start[4:12], start[12], start[13] = secret[:, None], counter, stream
    w = start.copy()

    def mix(a: int, b: int, c: int, d: int) -> None:
        for to, by, into, left in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            w[to] += w[by]
            v = w[into] ^ w[to]
            w[into] = (v << u32(left)) | (v >> u32(32 - left))

    for _ in range(10):
        for i in range(4):
            mix(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            mix(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return w + start


def default_counts(t: Tools) -> Case:
    xp, blocks, per, stream = t.xp, t.size(SMS * 64, 4), 16, 7
    hazard, n = int(0.02 * 2**32), blocks * 256
    secret = t.uint32(8, 2**31 - 1)
    t.constant("finance", "secret", secret)
    defaults = xp.zeros(n, xp.int32)

    def check() -> None:
        for first in (0, n - 256):
            counter = np.arange(first * per, (first + 256) * per, dtype=u32)
            hits = (chacha20(t.host(secret), counter, stream) < hazard).sum(axis=0)
            assert (t.host(defaults[first : first + 256]) == hits.reshape(256, per).sum(axis=1)).all(), "wrong counts"

    kernel = t.kernel("finance", "count_defaults")
    return Case(Launch(kernel, (blocks,), (256,), (defaults, u32(hazard), u32(stream))), check)


def lu_factors(t: Tools) -> Case:
    xp, n, size = t.xp, t.size(SMS * 128, 16), 32
    given = t.rng.random((n, size, size), dtype=xp.float32) * 2 - 1
    a, order = given.copy(), xp.zeros((n, size), xp.int32)

    def check() -> None:
        for m in (0, 1, n // 2, n - 1):
            rows, factors, moves = t.host(given[m]).astype(f64), t.host(a[m]).astype(f64), t.host(order[m])
            for k in range(size):
                rows[[k, moves[k]]] = rows[[moves[k], k]]
            lower, upper = np.tril(factors, -1), np.triu(factors)
            assert np.abs(lower).max() < 1.0001, "a pivot is not the largest"
            close(np, (lower + np.eye(size)) @ upper, rows, 0.0, 1e-4)

    def reset() -> None:
        a[...] = given

    slow = Launch(t.kernel("solvers", "factors_by_block"), (n,), (1024,), (a, order))
    return Case(slow, check, Launch(t.kernel("solvers", "factors_by_warp"), (n // 8,), (256,), (a, order)), reset)


def membranes(t: Tools) -> Case:
    xp, cells, steps, terms, dt = t.xp, SMS * 128, t.size(8192, 256), 32, 0.01
    current = (
        (t.host(t.rng.random(terms, dtype=xp.float32)) - f32(0.5))
        * f32(0.04)
        / np.arange(1, terms + 1, dtype=np.float32) ** 2
    )
    current[1], current[3] = 1, -1
    given = t.rng.random((cells, 2), dtype=xp.float32) - f32(0.5)
    state, series = given.copy(), xp.asarray(current)

    def check() -> None:
        some = np.r_[0:32, cells - 32 : cells]
        v, w = t.host(given)[some].astype(f64).T
        for _ in range(steps):
            v, w = v + dt * (np.polyval(current[::-1].astype(f64), v) - w), w + dt * 0.08 * (v + 0.1 - 0.8 * w)
        close(np, t.host(state)[some], np.stack([v, w], axis=1), 0.0, 1e-3)

    def reset() -> None:
        state[...] = given

    def launch(name: str) -> Launch:
        return Launch(t.kernel("solvers", f"excite.*{name}"), (SMS,), (128,), (state, series, f32(dt), i32(steps)))

    return Case(launch("Nested"), check, launch("Paired"), reset)


def galaxy_orbits(t: Tools) -> Case:
    n, steps, dt = SMS * 8 * 512, t.size(4096, 64), 0.02
    given = t.rng.random((n, 4)) * 0.4 - 0.2
    star = given.copy()

    def check() -> None:
        some = np.r_[0:32, n - 32 : n]
        x, y, vx, vy = t.host(given)[some].T
        for _ in range(steps):
            vx, vy = vx - dt * (x + 2 * x * y), vy - dt * (y + x * x - y * y)
            x, y = x + dt * vx, y + dt * vy
        close(np, t.host(star)[some], np.stack([x, y, vx, vy], axis=1), 0.0, 1e-7)

    def reset() -> None:
        star[...] = given

    return Case(
        Launch(t.kernel("solvers", "5drift"), (SMS * 8,), (256,), (star, f64(dt), i32(steps))), check, None, reset
    )


def sky_neighbours(t: Tools) -> Case:
    xp, targets, sources, angle = t.xp, SMS * 6 * 1024, 4096, 0.3
    total = xp.zeros(targets, xp.float32)

    def points(n: int) -> tuple[Any, Any, Any]:
        """Haversine's and Cosine's float4 and the unit vectors in float64."""
        z, longitude = t.rng.random(n) * 2 - 1, (t.rng.random(n) * 2 - 1) * np.pi
        latitude, weight = xp.arcsin(z), t.rng.random(n) + 0.5
        across = xp.cos(latitude)
        unit = xp.stack([across * xp.cos(longitude), across * xp.sin(longitude), z], axis=1)
        angles = xp.stack([latitude / 2, longitude / 2, across, weight], axis=1).astype(xp.float32)
        return angles, xp.concatenate([unit, weight[:, None]], axis=1).astype(xp.float32), unit

    mine, theirs = points(targets), points(sources)

    def check() -> None:
        for i in (0, 1, 700, targets - 1):
            want = float(theirs[1][:, 3][theirs[2] @ mine[2][i] > np.cos(angle)].sum(dtype=xp.float64))
            assert abs(float(total[i]) - want) < 1.6, f"target {i}: {float(total[i])}, not {want}"

    def launch(name: str, kind: int, limit: float) -> Launch:
        args = (mine[kind], theirs[kind], total, f32(limit), i32(sources))
        return Launch(t.kernel("solvers", f"weigh_near.*{name}"), (SMS * 6,), (256,), args)

    return Case(launch("Haversine", 0, np.sin(angle / 2) ** 2), check, launch("Cosine", 1, np.cos(angle)))


CASES = {
    f.__name__: f
    for f in (
        echoes,
        filter_bank,
        back_projection,
        warp_costs,
        mixed_book,
        lattices,
        default_counts,
        lu_factors,
        membranes,
        galaxy_orbits,
        sky_neighbours,
    )
}
