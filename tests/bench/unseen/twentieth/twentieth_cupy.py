"""Pairs of the twentieth round: kernels of CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made

MORE = Cases()
case = MORE.add


@case
def cupy_lighthouse_beams(t: Tools) -> Pair:
    cp, moments, some = t.xp, 1 << 23, 1 << 16
    time = cp.linspace(0, 60, moments)
    far = f32(1) + f32(20) * t.rng.random(moments, dtype=f32)
    light = cp.zeros(moments, cp.float64)
    short_time, short_light = time.astype(f32), cp.zeros(moments, f32)
    kernel = cp.ElementwiseKernel(
        "T time, float32 far",
        "T light",
        """
        const T turn = T(0.62831853) * time, haze = T(0.08) * (T(1) + T(0.2) * sin(T(0.35) * time));
        const T off = T(1) - cos(turn - T(0.05) * T(far));
        const T beam = exp(T(-12) * off) + T(0.3) * exp(T(-3) * off);
        light = beam * exp(-haze * T(far)) / (T(1) + T(0.01) * T(far) * T(far));
        """,
        "lighthouse_beams",
    )

    def outs(which: str) -> Any:
        return [light[:some], light] if which == "slow" else [short_light[:some], short_light]

    def ref() -> Any:
        s, x = cp.asnumpy(time[:some]), cp.asnumpy(far[:some]).astype(np.float64)
        haze, off = 0.08 * (1 + 0.2 * np.sin(0.35 * s)), 1 - np.cos(0.62831853 * s - 0.05 * x)
        return [(np.exp(-12 * off) + 0.3 * np.exp(-3 * off)) * np.exp(-haze * x) / (1 + 0.01 * x * x)]

    return Pair(lambda: kernel(time, far, light), lambda: kernel(short_time, far, short_light), outs, ref, 1e-4)


@case
def cupy_jigsaw_edges(t: Tools) -> Pair:
    cp, n, some = t.xp, 1 << 23, 1 << 16
    left, right = ([t.rng.random(n) for _ in range(3)] for _ in range(2))
    cured = cp.ElementwiseKernel(
        "float64 a, float64 b, float64 c, float64 d, float64 e, float64 f",
        "float64 off",
        "off = sqrt(0.3 * (a - d) * (a - d) + 0.59 * (b - e) * (b - e) + 0.11 * (c - f) * (c - f))",
        "jigsaw_edges_b",
    )

    def slow() -> Any:
        red, green, blue = (a - b for a, b in zip(left, right, strict=True))
        return cp.sqrt(0.3 * red * red + 0.59 * green * green + 0.11 * blue * blue)

    def ref() -> Any:
        a, b = (np.stack([cp.asnumpy(x[:some]) for x in side]) for side in (left, right))
        return [np.sqrt(np.array([0.3, 0.59, 0.11]) @ (a - b) ** 2)]

    return made(lambda: slow()[:some], lambda: cured(*left, *right)[:some], 1e-10, ref)


@case
def cupy_button_prices(t: Tools) -> Pair:
    cp, facts, kinds, orders = t.xp, 16, 1 << 23, 1 << 19
    table = t.rng.random((facts, kinds), dtype=f32)
    by_kind = cp.ascontiguousarray(table.T)
    wanted = t.rng.integers(0, kinds, orders, dtype=i32)
    some = 1 << 12

    def ref() -> Any:
        return [cp.asnumpy(by_kind)[cp.asnumpy(wanted[:some])].T]

    return made(
        lambda: cp.take(table, wanted, axis=1)[:, :some], lambda: cp.take(by_kind, wanted, axis=0)[:some].T, 0.0, ref
    )


@case
def cupy_chestnut_crates(t: Tools) -> Pair:
    import cupyx

    cp, nuts, sorts, copies = t.xp, 1 << 20, 24, 16
    sort = t.rng.integers(0, sorts, nuts, dtype=i32)
    weight = f32(5) + f32(15) * t.rng.random(nuts, dtype=f32)
    place = (sort + 32 * (cp.arange(nuts, dtype=i32) % copies)).astype(i32)

    def slow() -> Any:
        crates = cp.zeros(sorts, f32)
        cupyx.scatter_add(crates, sort, weight)
        return crates

    def cured() -> Any:
        crates = cp.zeros(copies * 32, f32)
        cupyx.scatter_add(crates, place, weight)
        return crates.reshape(copies, 32).sum(axis=0)[:sorts]

    def ref() -> Any:
        return [np.bincount(cp.asnumpy(sort), cp.asnumpy(weight).astype(np.float64), sorts)]

    return made(slow, cured, 1e-3, ref)


@case
def cupy_metronome_ticks(t: Tools) -> Pair:
    cp, ticks, metronomes, slices = t.xp, 6144, 1024, 4
    late = t.rng.random((ticks, metronomes), dtype=f32) - f32(0.5)
    power = cp.ReductionKernel("float32 x", "float32 y", "x * x", "a + b", "y = a", "0", "metronome_ticks")

    def cured() -> Any:
        return power(late.reshape(slices, ticks // slices, metronomes), axis=1).sum(axis=0)

    def ref() -> Any:
        return [(cp.asnumpy(late).astype(np.float64) ** 2).sum(axis=0)]

    return made(lambda: power(late, axis=0), cured, 1e-4, ref)


@case
def cupy_etching_lines(t: Tools) -> Pair:
    cp, side, radius, some = t.xp, 2048, 5, 64
    code = r"""
    extern "C" __global__ void etching_lines(const float* etching, float* clean, int side, int radius, float by)
    {
        const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= side || y >= side) return;
        const float here = etching[y * side + x];
        float sum = 0.0f, whole = 0.0f;
        for (int dy = -radius; dy <= radius; dy++) {
            const float* row = etching + min(max(y + dy, 0), side - 1) * side;
            for (int dx = -radius; dx <= radius; dx++) {
                const float seen = row[min(max(x + dx, 0), side - 1)], off = seen - here;
                const float weight = __expf(-by * off * off - 0.04f * (dx * dx + dy * dy));
                sum += weight * seen;
                whole += weight;
            }
        }
        clean[y * side + x] = sum / whole;
    }
    """
    kernel = cp.RawKernel(code, "etching_lines")
    etching, clean = t.rng.random((side, side), dtype=f32), cp.zeros((side, side), f32)
    args = (etching, clean, i32(side), i32(radius), f32(8))

    def ref() -> Any:
        x = cp.asnumpy(etching[: some + radius]).astype(np.float64)
        padded = np.pad(x, ((radius, 0), (radius, radius)), mode="edge")
        total, whole = np.zeros((some, side)), np.zeros((some, side))
        for dy in range(2 * radius + 1):
            for dx in range(2 * radius + 1):
                seen = padded[dy : dy + some, dx : dx + side]
                far = (dx - radius) ** 2 + (dy - radius) ** 2
                weight = np.exp(-8 * (seen - x[:some]) ** 2 - 0.04 * far)
                total += weight * seen
                whole += weight
        return [total / whole]

    return Pair(
        lambda: kernel((side // 4, side // 4), (4, 4), args),
        lambda: kernel((side // 32, side // 8), (32, 8), args),
        lambda _: [clean[:some], clean],
        ref,
        1e-4,
    )


@case
def cupy_hot_springs(t: Tools) -> Pair:
    cp, side, edge = t.xp, 256, 2
    inner, some = side - 2 * edge, 8
    heat = t.rng.random((side, side, side), dtype=f32)
    shifts = [(axis, by) for axis in range(3) for by in (-2, -1, 1, 2)]
    weights = {1: 4 / 3, 2: -1 / 12}

    def view(of: Any, axis: int, by: int, deep: int = inner) -> Any:
        start = [edge + by * (axis == k) for k in range(3)]
        return of[tuple(slice(s, s + n) for s, n in zip(start, (deep, inner, inner), strict=True))]

    names = [f"x{k}" for k in range(len(shifts))]
    total = " + ".join(f"{weights[abs(by)]:.9f}f * {x}" for x, (_, by) in zip(names, shifts, strict=True))
    slow = cp.ElementwiseKernel(
        ", ".join(f"float32 {x}" for x in ["here", *names]),
        "float32 next",
        f"next = here + 0.1f * ({total} - 7.5f * here)",
        "hot_springs",
    )
    cured = cp.RawKernel(
        r"""
    extern "C" __global__ void hot_springs_b(const float* __restrict__ heat, float* __restrict__ next, int side)
    {
        const int inner = side - 4, x = blockIdx.x * blockDim.x + threadIdx.x;
        const int y = blockIdx.y * blockDim.y + threadIdx.y, row = side, plane = side * side;
        if (x >= inner || y >= inner) return;
        for (int z = blockIdx.z * 4; z < min(static_cast<int>(blockIdx.z) * 4 + 4, inner); z++) {
            const float* p = heat + ((z + 2) * side + y + 2) * side + x + 2;
            const float one = p[-1] + p[1] + p[-row] + p[row] + p[-plane] + p[plane];
            const float two = p[-2] + p[2] + p[-2 * row] + p[2 * row] + p[-2 * plane] + p[2 * plane];
            next[(z * inner + y) * inner + x] = p[0] + 0.1f * (1.333333333f * one - 0.083333333f * two - 7.5f * p[0]);
        }
    }
    """,
        "hot_springs_b",
    )
    given = [view(heat, 0, 0), *(view(heat, axis, by) for axis, by in shifts)]
    after = cp.zeros((inner, inner, inner), f32)

    def ref() -> Any:
        x = cp.asnumpy(heat[: some + 2 * edge]).astype(np.float64)
        here = view(x, 0, 0, some)
        around = sum(weights[abs(by)] * view(x, axis, by, some) for axis, by in shifts)
        return [here + 0.1 * (around - 7.5 * here)]

    return Pair(
        lambda: slow(*given, after),
        lambda: cured((-(-inner // 64), -(-inner // 4), -(-inner // 4)), (64, 4), (heat, after, i32(side))),
        lambda _: [after[:some], after],
        ref,
        1e-4,
    )


@case
def cupy_espresso_shots(t: Tools) -> Pair:
    cp, shots, some = t.xp, 1 << 23, 1 << 14
    grind, press = (f32(0.5) + t.rng.random(shots, dtype=f32) for _ in range(2))
    taste = cp.zeros(shots, f32)
    body = """
        float sum = 0.0f;
        #pragma unroll
        for (int part = 1; part <= 4; ++part) {
            const float size = grind * (0.4f + 0.2f * part);
            const float flow = POW(press, 0.55f) * POW(size, 1.7f);
            const float drawn = 1.0f - EXP(-0.8f * part / (0.2f + flow));
            sum += POW(drawn, 0.35f) * 0.25f;
        }
        taste = sum;
        """
    slow, cured = (
        cp.ElementwiseKernel(
            "float32 grind, float32 press",
            "float32 taste",
            body.replace("POW", power).replace("EXP", exponential),
            name,
        )
        for power, exponential, name in (
            ("powf", "expf", "espresso_shots"),
            ("__powf", "__expf", "espresso_shots_b"),
        )
    )

    def ref() -> Any:
        g, p = (cp.asnumpy(a[:some]).astype(np.float64) for a in (grind, press))
        part = np.arange(1, 5)[:, None]
        flow = p**0.55 * (g * (0.4 + 0.2 * part)) ** 1.7
        return [(0.25 * (1 - np.exp(-0.8 * part / (0.2 + flow))) ** 0.35).sum(axis=0)]

    return made(lambda: slow(grind, press, taste)[:some], lambda: cured(grind, press, taste)[:some], 1e-4, ref)
