"""The launches of graphs.cu, fields.cu and tables.cu: inputs, grids and what the outputs must be."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Case, Launch, Tools
from ours_data import ODD, SMS, close, f32, i32, i64

u32 = np.uint32


def scramble(h: Any) -> Any:
    h = h * u32(0x9E3779B1)
    h ^= h >> u32(15)
    h *= u32(0x85EBCA77)
    return h ^ (h >> u32(13))


def weighted_walk(t: Tools) -> Case:
    xp, nodes, walkers, steps, seed = t.xp, t.size(1 << 23, 1 << 10), t.size(SMS * 512, 64), t.size(128, 32), 977
    links = t.uint32((nodes, 32), 2**31 - 1)
    links &= xp.uint32(0x7F000000 | (nodes - 1))
    first = xp.argsort(t.rng.random(nodes, dtype=xp.float32)).astype(xp.uint32) * xp.uint32(32)
    path = xp.zeros((walkers, steps), xp.uint32)

    def check() -> None:
        lanes = np.arange(32, dtype=np.uint32)
        for walker in (0, walkers // 3, walkers - 1):
            node, got = walker, t.host(path[walker])
            for s in range(steps):
                row = t.host(links[int(first[node]) // 32])
                luck = scramble(lanes + u32((walker * steps + s) * 32 + seed & 0xFFFFFFFF)) >> u32(16)
                best = int(((luck * (row >> u32(24)) & u32(0xFFFFFFE0)) | lanes).max())
                node = int(row[best % 32]) & 0xFFFFFF
                assert int(got[s]) == node, f"walker {walker} is at {got[s]} after step {s}, not at {node}"

    def launch(together: int) -> Launch:
        args = (first, links, path, i32(walkers), i32(steps), u32(seed))
        return Launch(t.kernel("graphs", f"4walkILi{together}E"), (walkers // 8 // together,), (256,), args)

    return Case(launch(1), check, launch(4), lambda: path.fill(0xFFFFFFFF))


def select_edges(t: Tools) -> Case:
    xp, n, cut = t.xp, t.size(1 << 26, 1 << 12), f32(0.5)
    edges, weight = xp.empty((n, 2), xp.uint32), t.rng.random(n, dtype=xp.float32)
    edges[:, 0] = xp.arange(n, dtype=xp.uint32)
    edges[:, 1] = edges[:, 0] * xp.uint32(ODD)
    kept, count = xp.zeros((n, 2), xp.uint32), xp.zeros(1, xp.uint32)

    def check() -> None:
        light = weight < cut
        total = int(count[0])
        assert total == int(light.sum()), f"{total} edges kept, not {int(light.sum())}"
        some = kept[:total]
        assert bool((some[:, 1] == some[:, 0] * xp.uint32(ODD)).all()), "ends of different edges"
        seen = xp.zeros(n, bool)
        seen[xp.minimum(some[:, 0], n - 1).astype(xp.int64)] = True
        assert bool((seen == light).all()), "wrong edges kept"

    def reset() -> None:
        count.fill(0)
        kept.fill(0)

    def launch(name: str) -> Launch:
        return Launch(t.kernel("graphs", name), (SMS * 8,), (256,), (edges, weight, kept, count, cut, i32(n)))

    return Case(launch("10keep_lightPK"), check, launch("18keep_light_of_tileI"), reset)


def neighbour_mean(t: Tools) -> Case:
    xp, nodes, rows, fan = t.xp, t.size(8192, 64), t.size(1 << 17, 1 << 10), 10
    features, neighbour = t.rng.random((rows, 128), dtype=xp.float32), t.uint32((nodes, fan), rows).view(xp.int32)
    out, far = xp.zeros((nodes, 128), xp.float32), features
    where: Any = i64(0)
    if not t.dry:
        memory = xp.cuda.alloc_pinned_memory(rows * 512)
        far = np.frombuffer(memory, np.float32, rows * 128).reshape(rows, 128)
        far[...] = t.host(features)
        where = i64(memory.ptr)

    def check() -> None:
        assert far is not None  # keeps the host's memory alive
        close(xp, out, features[neighbour].astype(xp.float64).mean(axis=1), 1e-5, 0.0)

    def launch(table: Any) -> Launch:
        kernel = t.kernel("graphs", "18mean_of_neighboursI")
        return Launch(kernel, (nodes // 8,), (256,), (table, neighbour, out, i32(nodes)))

    return Case(launch(where), check, launch(features), lambda: out.fill(0))


def trace_filter(t: Tools) -> Case:
    xp, traces, samples = t.xp, t.size(SMS * 2048, 512), t.size(1024, 64)
    factors = (0.0675, 0.1349, 0.0675, -1.143, 0.4128)
    x = t.rng.random((traces, samples), dtype=xp.float32) - xp.float32(0.5)
    turned, out = xp.ascontiguousarray(x.T), xp.zeros(traces * samples, xp.float32)
    last = []

    def check() -> None:
        some = [0, 77, traces // 2, traces - 1]
        got = out.reshape(samples, traces).T if last[0] else out.reshape(traces, samples)
        given = t.host(x[some]).astype(np.float64)
        b0, b1, b2, a1, a2 = factors
        s1, s2, want = np.zeros(len(some)), np.zeros(len(some)), np.zeros_like(given)
        for k in range(samples):
            want[:, k] = b0 * given[:, k] + s1
            s1 = b1 * given[:, k] - a1 * want[:, k] + s2
            s2 = b2 * given[:, k] - a2 * want[:, k]
        close(np, t.host(got[some]), want, 0.0, 1e-5)

    def launch(order: str, data: Any) -> Any:
        kernel = t.kernel("fields", f"13filter_tracesI.*{order}E")
        args = (data, out, i32(traces), i32(samples), *(f32(factor) for factor in factors))
        go = Launch(kernel, (traces // 256,), (256,), args)

        def run() -> None:
            last[:] = [data is turned]
            go()

        return run

    return Case(launch("TraceByTrace", x), check, launch("SampleBySample", turned), lambda: out.fill(9))


def lorenz_members(t: Tools) -> Case:
    xp, sites, members, steps, h, force = t.xp, 32, t.size(SMS * 2048, 1024), 20, 0.01, 8.0
    start = t.rng.random((sites, members), dtype=xp.float32) * xp.float32(4) + xp.float32(2)
    state = start.copy()

    def slope(x: Any) -> Any:
        return (np.roll(x, -1, 0) - np.roll(x, 2, 0)) * np.roll(x, 1, 0) - x + force

    def check() -> None:
        for part in (slice(0, 64), slice(members - 64, members)):
            x = t.host(start[:, part]).astype(np.float64)
            for _ in range(steps):
                k1 = slope(x)
                k2 = slope(x + h / 2 * k1)
                k3 = slope(x + h / 2 * k2)
                x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(x + h * k3))
            close(np, t.host(state[:, part]), x, 0.0, 1e-3)

    def reset() -> None:
        state[...] = start

    def launch(threads: int) -> Launch:
        kernel = t.kernel("fields", f"7advanceILi32ELi{threads}E")
        return Launch(kernel, (members // threads,), (threads,), (state, i32(members), i32(steps), f32(h), f32(force)))

    return Case(launch(1024), check, launch(128), reset)


def implicit_diffusion(t: Tools) -> Case:
    xp, lines, points = t.xp, t.size(1 << 19, 128), 64
    link, centre = -t.rng.random((lines, points), dtype=xp.float32), t.rng.random((lines, points), dtype=xp.float32)
    centre += xp.float32(2.5)
    right, u = t.rng.random((lines, points), dtype=xp.float32), xp.zeros((lines, points), xp.float32)

    def check() -> None:
        for part in (slice(0, 64), slice(lines - 64, lines)):
            x, side = u[part].astype(xp.float64), link[part].astype(xp.float64)
            got = centre[part] * x
            got[:, 1:] += side[:, :-1] * x[:, :-1]
            got[:, :-1] += side[:, :-1] * x[:, 1:]
            close(xp, got, right[part].astype(xp.float64), 0.0, 1e-4)

    def launch(pitch: int) -> Launch:
        kernel = t.kernel("fields", f"11solve_linesILi64ELi{pitch}E")
        return Launch(kernel, (lines // 64,), (64,), (link, centre, right, u), 3 * 64 * pitch * 4)

    return Case(launch(64), check, launch(65), lambda: u.fill(9))


def ensemble_spread(t: Tools) -> Case:
    xp, members, n = t.xp, 32, t.size(1 << 25, 1 << 12)
    field = t.uint32((members, n // 2), 2**31 - 1)
    field &= xp.uint32(0x007F007F)
    field |= xp.uint32(0x3F803F80)  # bfloat16 from 1 to 2
    mean, spread = xp.zeros(n, xp.uint16), xp.zeros(n, xp.uint16)

    def values(words: Any) -> Any:
        return (words.astype(xp.uint32) << xp.uint32(16)).view(xp.float32).astype(xp.float64)

    def check() -> None:
        for part in (slice(0, 4096), slice(n - 4096, n)):
            x = values(xp.ascontiguousarray(field.view(xp.uint16)[:, part]))
            close(xp, values(mean[part]), x.mean(axis=0), 0.01, 0.0)
            close(xp, values(spread[part]), x.std(axis=0), 0.01, 1e-3)

    args = (field, mean, spread, i32(n // 8))
    return Case(Launch(t.kernel("fields", "15mean_and_spreadI"), (n // 2048,), (256,), args), check)


def vector_search(t: Tools) -> Case:
    xp, n, queries = t.xp, t.size(1 << 21, 1 << 9), 8
    vectors = t.rng.standard_normal((n, 128), dtype=xp.float32)
    query, scores = t.rng.standard_normal((queries, 128), dtype=xp.float32), xp.zeros((queries, n), xp.float32)

    def check() -> None:
        for part in (slice(0, 512), slice(n - 512, n)):
            want = query.astype(xp.float64) @ vectors[part].astype(xp.float64).T
            close(xp, scores[:, part], want, 1e-4, 1e-3)

    def launch(together: int) -> Launch:
        kernel = t.kernel("tables", f"5scoreILi{together}E")
        return Launch(kernel, (n // 128, queries // together), (256,), (vectors, query, scores, i32(n)))

    return Case(launch(1), check, launch(8), lambda: scores.fill(0))


def local_alignment(t: Tools) -> Case:
    xp, sequences, words, length = t.xp, t.size(SMS * 2048, 256), 4, 96
    probe = (t.uint32(length, 4)).view(xp.int32)
    t.constant("tables", "probe_bases", probe)
    text, best = t.uint32((words, sequences), 2**31 - 1), xp.zeros(sequences, xp.int32)

    def check() -> None:
        bases, some = t.host(probe), np.r_[0:64, sequences - 64 : sequences]
        mine = t.host(text[:, xp.asarray(some)])
        row, most = np.zeros((length + 1, 128), np.int64), np.zeros(128, np.int64)
        for i in range(words * 16):
            base = mine[i // 16] >> u32(2 * (i % 16)) & u32(3)
            above, row = row, np.zeros_like(row)
            for j in range(length):
                diagonal = above[j] + np.where(base == bases[j], 2, -3)
                row[j + 1] = np.maximum(np.maximum(diagonal, 0), np.maximum(above[j + 1], row[j]) - 4)
            most = np.maximum(most, row.max(axis=0))
        assert (t.host(best)[some] == most).all(), "wrong scores"

    def launch(fixed: int) -> Launch:
        args = (text, best, i32(sequences), i32(words), i32(length))
        return Launch(t.kernel("tables", f"5alignILi{fixed}E"), (sequences // 128,), (128,), args)

    return Case(launch(0), check, launch(length), lambda: best.fill(-1))


def event_stream(t: Tools) -> Case:
    xp, streams, records = t.xp, t.size(SMS * 512, 64), t.size(64, 8)
    capacity = records * 32
    quads = t.rng.random((streams, capacity, 4), dtype=xp.float32)
    length = t.rng.integers(24, 33, (streams, records), dtype=xp.int64)
    start = xp.cumsum(length, axis=1) - length
    calibrates = t.rng.random((streams, records), dtype=xp.float32) < xp.float32(1 / 8192)
    calibrates[streams // 2 :] = False
    calibrates[0, 5] = calibrates[7, 2] = True
    header = (length + 64 * calibrates).astype(xp.uint32)
    start += xp.arange(streams, dtype=xp.int64)[:, None] * capacity
    quads.view(xp.uint32).ravel()[start.ravel() * 4] = header.ravel()
    del length, start
    energy = xp.zeros((streams, 32), xp.float32)

    def gain_of(at: Any, y: Any) -> Any:
        p = np.polynomial.chebyshev.chebvander(at, 15)
        a = 0.25 * np.eye(16) + np.einsum("lki,lkj->lij", p, p)
        w = np.linalg.solve(a, np.einsum("lki,lk->li", p, y)[..., None])[..., 0]
        return w @ np.polynomial.chebyshev.chebvander(0.5, 15)[0]

    def check() -> None:
        heads = t.host(header)
        for stream in (0, 7, streams // 3, streams - 1):
            mine = t.host(quads[stream]).astype(np.float64)
            at, gain, want, before = 0, np.ones(32), np.zeros(32), np.zeros((32, 4))
            for head in heads[stream].tolist():
                v = np.zeros((32, 4))
                v[: head & 63] = mine[at : at + (head & 63)]
                v[0, 0] = 0
                if head & 64:
                    gain = gain_of(v, before)
                want += gain * (v * v).sum(axis=1)
                before, at = v, at + (head & 63)
            close(np, t.host(energy[stream]), want, 1e-3, 0.05)

    def launch(unroll: int) -> Launch:
        args = (quads, energy, i32(streams), i32(capacity), i32(records))
        return Launch(t.kernel("tables", f"6decodeILi16ELi{unroll}E"), (streams // 4,), (128,), args)

    return Case(launch(16), check, launch(1), lambda: energy.fill(0))


def adam_step(t: Tools) -> Case:
    xp, n, rate, beta1, beta2, epsilon = t.xp, t.size(1 << 26, 1 << 12), 1e-3, 0.9, 0.999, 1e-8
    gradient = t.rng.random(n, dtype=xp.float32) - xp.float32(0.5)
    old = [t.rng.random(n, dtype=xp.float32) for _ in range(3)]
    old[2] += xp.float32(1e-3)
    new = [array.copy() for array in old]

    def check() -> None:
        for part in (slice(0, 1 << 20), slice(max(0, n - (1 << 20)), n)):
            w, m, v = (array[part].astype(xp.float64) for array in old)
            g = gradient[part].astype(xp.float64)
            m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
            step = rate * m / (xp.sqrt(v) + epsilon)
            close(xp, new[1][part], m, 1e-5, 1e-6)
            close(xp, new[2][part], v, 1e-5, 1e-6)
            close(xp, new[0][part], w - step, 1e-5, 2e-6)
            assert bool((new[0][part] != old[0][part]).any()), "no weight changed"

    def reset() -> None:
        for array, values in zip(new, old, strict=True):
            array[...] = values

    factors = (f32(rate), f32(beta1), f32(beta2), f32(epsilon))
    args = (new[0], gradient, new[1], new[2], *factors, i32(n // 4))
    return Case(Launch(t.kernel("tables", "4adamP"), (n // 1024,), (256,), args), check, None, reset)


CASES = {
    f.__name__: f
    for f in (
        weighted_walk,
        select_edges,
        neighbour_mean,
        trace_filter,
        lorenz_members,
        implicit_diffusion,
        ensemble_spread,
        vector_search,
        local_alignment,
        event_stream,
        adam_step,
    )
}
