"""Pairs of the twenty-first round: kernels of CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made

MORE = Cases()
case = MORE.add
f64 = np.float64


@case
def cupy_cactus_warmth(t: Tools) -> Pair:
    cp, points, ribs, some = t.xp, 1 << 18, 128, 1 << 12
    code = r"""
    extern "C" __global__ void NAME(const float* px, const float* py, const float* rib, float* warmth, int ribs, int n)
    {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        const REAL x = px[i], y = py[i];
        REAL sum = 0.0;
        for (int k = 0; k < ribs; k++) {
            const REAL dx = x - rib[2 * k], dy = y - rib[2 * k + 1];
            const REAL far = dx * dx + dy * dy;
            const REAL shade = exp(-0.5 * far) / (1.0 + 0.25 * far);
            sum += shade * (1.0 + 0.3 * dx);
        }
        warmth[i] = sum / ribs;
    }
    """
    short = code.replace("REAL", "float").replace("exp(", "expf(")
    for number in ("0.0;", "0.5 ", "1.0 ", "0.25 ", "0.3 "):
        short = short.replace(number, number[:-1] + "f" + number[-1])
    slow = cp.RawKernel(code.replace("REAL", "double").replace("NAME", "cactus_warmth"), "cactus_warmth")
    cured = cp.RawKernel(short.replace("NAME", "cactus_warmth_b"), "cactus_warmth_b")
    px, py = (f32(3) * t.rng.random(points, dtype=f32) for _ in range(2))
    rib, warmth = f32(3) * t.rng.random((ribs, 2), dtype=f32), cp.zeros(points, f32)
    args = (px, py, rib, warmth, i32(ribs), i32(points))

    def ref() -> Any:
        x, y = (cp.asnumpy(p[:some]).astype(f64)[:, None] for p in (px, py))
        r = cp.asnumpy(rib).astype(f64)
        dx, dy = x - r[:, 0], y - r[:, 1]
        far = dx * dx + dy * dy
        return [(np.exp(-0.5 * far) / (1 + 0.25 * far) * (1 + 0.3 * dx)).mean(axis=1)]

    return Pair(
        lambda: slow((points // 256,), (256,), args),
        lambda: cured((points // 256,), (256,), args),
        lambda _: [warmth[:some], warmth],
        ref,
        1e-4,
    )


@case
def cupy_dune_sand(t: Tools) -> Pair:
    cp, cells, some = t.xp, 1 << 23, 1 << 16
    shear, damp = 0.2 + 0.4 * t.rng.random(cells), t.rng.random(cells)

    def blown(shear: Any, damp: Any) -> Any:
        least = 0.2 + 0.15 * damp
        over = cp.maximum(shear - least, 0.0)
        total = shear + least
        return over * total * total

    cured = cp.fuse(kernel_name="dune_sand_b")(blown)

    def ref() -> Any:
        now, least = cp.asnumpy(shear[:some]), 0.2 + 0.15 * cp.asnumpy(damp[:some])
        return [np.maximum(now - least, 0) * (now + least) ** 2]

    return made(lambda: blown(shear, damp)[:some], lambda: cured(shear, damp)[:some], 1e-10, ref)


@case
def cupy_sauna_heat(t: Tools) -> Pair:
    cp, saunas, minutes, some = t.xp, 1 << 18, 64, 1 << 10
    code = r"""
    extern "C" __global__ void sauna_heat(
        const float* heat, float* felt, float* late, int minutes, long long by_sauna, long long by_minute, int n)
    {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        float skin = 0.3f, most = 0.0f, sweat = 0.0f;
        for (int m = 0; m < minutes; m++) {
            const float air = heat[i * by_sauna + m * by_minute];
            skin += 0.1f * (air - skin) - 0.02f * sweat;
            sweat += 0.05f * fmaxf(skin - 0.4f, 0.0f);
            most = fmaxf(most, skin);
        }
        felt[i] = most;
        late[i] = skin - sweat;
    }
    """
    kernel = cp.RawKernel(code, "sauna_heat")
    heat = t.rng.random((saunas, minutes), dtype=f32)
    by_minute = cp.ascontiguousarray(heat.T)
    felt, late = cp.zeros(saunas, f32), cp.zeros(saunas, f32)
    grid, block = (saunas // 256,), (256,)
    many, count = i32(minutes), i32(saunas)
    rows = (heat, felt, late, many, np.int64(minutes), np.int64(1), count)
    columns = (by_minute, felt, late, many, np.int64(1), np.int64(saunas), count)

    def ref() -> Any:
        skin, most, sweat = np.full(some, 0.3), np.zeros(some), np.zeros(some)
        for air in cp.asnumpy(heat[:some]).astype(f64).T:
            skin = skin + 0.1 * (air - skin) - 0.02 * sweat
            sweat = sweat + 0.05 * np.maximum(skin - 0.4, 0)
            most = np.maximum(most, skin)
        return [most, skin - sweat]

    def outs(_: str) -> Any:
        return [felt[:some], late[:some], felt, late]

    return Pair(lambda: kernel(grid, block, rows), lambda: kernel(grid, block, columns), outs, ref, 1e-4)


@case
def cupy_stalactite_drops(t: Tools) -> Pair:
    cp, caves, drops, pieces = t.xp, 16, 3 << 19, 96
    drop = t.rng.random((caves, drops), dtype=f32)

    def ref() -> Any:
        return [cp.asnumpy(drop).sum(axis=1, dtype=f64)]

    return made(
        lambda: drop.sum(axis=1),
        lambda: drop.reshape(caves, pieces, drops // pieces).sum(axis=2).sum(axis=1),
        1e-4,
        ref,
    )


@case
def cupy_gramophone_noise(t: Tools) -> Pair:
    cp, samples, blocks = t.xp, 1 << 23, 512
    code = r"""
    __device__ float noise(const float* left, const float* right, int n)
    {
        float sum = 0.0f;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            const float side = 0.7071068f * (left[i] - right[i]);
            sum += side * side;
        }
        return sum;
    }
    extern "C" __global__ void gramophone_noise(const float* left, const float* right, float* power, int n)
    {
        atomicAdd(power, noise(left, right, n) / n);
    }
    extern "C" __global__ void gramophone_noise_b(const float* left, const float* right, float* power, int n)
    {
        __shared__ float part[8];
        float sum = noise(left, right, n);
        for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int k = 1; k < 8; k++) sum += part[k];
            atomicAdd(power, sum / n);
        }
    }
    """
    slow, cured = (cp.RawKernel(code, name) for name in ("gramophone_noise", "gramophone_noise_b"))
    left, right = (t.rng.random(samples, dtype=f32) for _ in range(2))
    power = cp.zeros(1, f32)
    args = (left, right, power, i32(samples))

    def ref() -> Any:
        side = cp.asnumpy(left).astype(f64) - cp.asnumpy(right)
        return [np.array([0.5 * (side * side).mean()])]

    return Pair(
        lambda: slow((blocks,), (256,), args),
        lambda: cured((blocks,), (256,), args),
        lambda _: [power],
        ref,
        2e-3,
        lambda: power.fill(0),
    )


@case
def cupy_parasol_cloth(t: Tools) -> Pair:
    cp, days, cloths, some = t.xp, 4096, 2048, 64
    soak = """
        float wet = 0.1f, salt = 0.0f;
        for (int step = 0; step < 80; step++) {
            const float dried = (0.02f + 0.03f * sun) * wet;
            wet += 0.05f * rain * (1.0f - wet) - dried;
            salt += 0.01f * dried * (1.0f - salt);
        }
    """
    fade = "faded = fibre * (0.4f * sun + 0.6f * wet) + salt * (1.0f - fibre)"
    slow = cp.ElementwiseKernel(
        "float32 rain, float32 sun, float32 fibre", "float32 faded", f"{soak} {fade}", "parasol_cloth"
    )
    first = cp.ElementwiseKernel(
        "float32 rain, float32 sun", "float32 damp, float32 crust", f"{soak} damp = wet; crust = salt", "parasol_day_b"
    )
    second = cp.ElementwiseKernel(
        "float32 wet, float32 salt, float32 sun, float32 fibre", "float32 faded", fade, "parasol_cloth_b"
    )
    rain, sun = (t.rng.random((days, 1), dtype=f32) for _ in range(2))
    fibre, faded = t.rng.random((1, cloths), dtype=f32), cp.zeros((days, cloths), f32)

    def ref() -> Any:
        r, s = (cp.asnumpy(x[:some]).astype(f64) for x in (rain, sun))
        f, wet, salt = cp.asnumpy(fibre).astype(f64), np.full((some, 1), 0.1), np.zeros((some, 1))
        for _ in range(80):
            dried = (0.02 + 0.03 * s) * wet
            wet = wet + 0.05 * r * (1 - wet) - dried
            salt = salt + 0.01 * dried * (1 - salt)
        return [f * (0.4 * s + 0.6 * wet) + salt * (1 - f)]

    return Pair(
        lambda: slow(rain, sun, fibre, faded),
        lambda: second(*first(rain, sun), sun, fibre, faded),
        lambda _: [faded[:some], faded],
        ref,
        1e-4,
    )


@case
def cupy_wax_seals(t: Tools) -> Pair:
    cp, found, known, deep, some = t.xp, 2048, 2048, 256, 16
    code = r"""
    extern "C" __global__ void wax_seals(const float* seal, const float* old, float* off, int known, int deep)
    {
        const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
        float sum = 0.0f;
        for (int k = 0; k < deep; k++) sum += fabsf(seal[i * deep + k] - old[k * known + j]);
        off[i * known + j] = sum;
    }
    extern "C" __global__ void wax_seals_b(const float* seal, const float* old, float* off, int known, int deep)
    {
        __shared__ __align__(16) float a[16][68];
        __shared__ __align__(16) float b[16][64];
        const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * 16 + tx;
        const int row = blockIdx.y * 64, column = blockIdx.x * 64;
        float sum[4][4] = {};
        for (int from = 0; from < deep; from += 16) {
            for (int k = thread; k < 1024; k += 256) {
                a[k % 16][k / 16] = seal[(row + k / 16) * deep + from + k % 16];
                b[k / 64][k % 64] = old[(from + k / 64) * known + column + k % 64];
            }
            __syncthreads();
    #pragma unroll
            for (int k = 0; k < 16; k++) {
                const float4 u = *reinterpret_cast<const float4*>(&a[k][4 * ty]);
                const float4 v = *reinterpret_cast<const float4*>(&b[k][4 * tx]);
                const float x[4] = {u.x, u.y, u.z, u.w}, y[4] = {v.x, v.y, v.z, v.w};
    #pragma unroll
                for (int p = 0; p < 4; p++) {
    #pragma unroll
                    for (int q = 0; q < 4; q++) sum[p][q] += fabsf(x[p] - y[q]);
                }
            }
            __syncthreads();
        }
    #pragma unroll
        for (int p = 0; p < 4; p++) {
            float4* to = reinterpret_cast<float4*>(&off[(row + 4 * ty + p) * known + column + 4 * tx]);
            *to = make_float4(sum[p][0], sum[p][1], sum[p][2], sum[p][3]);
        }
    }
    """
    slow, cured = (cp.RawKernel(code, name) for name in ("wax_seals", "wax_seals_b"))
    seal, old = t.rng.random((found, deep), dtype=f32), t.rng.random((deep, known), dtype=f32)
    off = cp.zeros((found, known), f32)
    args = (seal, old, off, i32(known), i32(deep))

    def ref() -> Any:
        a, b = cp.asnumpy(seal[:some]).astype(f64), cp.asnumpy(old).astype(f64)
        return [np.stack([np.abs(x[:, None] - b).sum(axis=0) for x in a])]

    return Pair(
        lambda: slow((known // 32, found // 8), (32, 8), args),
        lambda: cured((known // 64, found // 64), (16, 16), args),
        lambda _: [off[:some], off],
        ref,
        1e-5,
    )


@case
def cupy_kaleidoscope_turns(t: Tools) -> Pair:
    cp, points, still, some = t.xp, 1 << 26, 12, 1 << 20
    now, before = (t.uint32(points // 4, (1 << 31) - 1).view(cp.uint8) for _ in range(2))
    slow = cp.ElementwiseKernel(
        "uint8 now, uint8 before, int32 still",
        "uint8 moved",
        """
        const int off = abs(static_cast<int>(now) - static_cast<int>(before));
        moved = static_cast<unsigned char>(max(off - still, 0));
        """,
        "kaleidoscope_turns",
    )
    cured = cp.ElementwiseKernel(
        "uint32 now, uint32 before, uint32 still",
        "uint32 moved",
        "moved = __vsubus4(__vabsdiffu4(now, before), still)",
        "kaleidoscope_turns_b",
    )
    moved = cp.zeros(points, cp.uint8)
    words = [x.view(cp.uint32) for x in (now, before, moved)]

    def ref() -> Any:
        a, b = (cp.asnumpy(x[:some]).astype(i32) for x in (now, before))
        return [np.maximum(np.abs(a - b) - still, 0).astype(np.uint8)]

    return Pair(
        lambda: slow(now, before, i32(still), moved),
        lambda: cured(words[0], words[1], np.uint32(still * 0x01010101), words[2]),
        lambda _: [moved[:some], moved],
        ref,
    )
