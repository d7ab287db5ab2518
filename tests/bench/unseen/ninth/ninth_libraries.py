"""Pairs of the ninth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, f32, i32, i64, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 97


def mu_law() -> np.ndarray:
    """What each byte of mu-law telephone sound stands for (G.711), in parts of 32768."""
    byte = ~np.arange(256) & 255
    size = ((byte & 15) * 8 + 132 << (byte >> 4 & 7)) - 132
    return (np.where(byte & 128, -size, size) / 32768).astype(f32)


# ---- CuPy
@case
def cupy_month_drawdowns(t: Tools) -> Pair:
    cp, shares, days = t.xp, 1 << 22, 32
    price = f32(90) + f32(20) * t.rng.random((shares, days), dtype=f32)
    worst = cp.zeros(shares, f32)
    code = """
        extern "C" __global__ void NAME(const float *price, float *worst, int days)
        {
            __shared__ float quote[128 * PITCH];
            const float *from = price + (size_t)blockIdx.x * (128 * 32);
            #pragma unroll
            for (int k = 0; k < 32; k++) {
                const int at = k * 128 + threadIdx.x;
                quote[at / 32 * PITCH + at % 32] = from[at];
            }
            __syncthreads();
            const float *mine = quote + threadIdx.x * PITCH;
            float peak = mine[0], drop = 0.0f;
            for (int day = 1; day < days; day++) {
                const float now = mine[day];
                peak = fmaxf(peak, now);
                drop = fmaxf(drop, peak - now);
            }
            worst[blockIdx.x * 128 + threadIdx.x] = drop;
        }
    """
    slow, cured = (
        cp.RawKernel(code.replace("NAME", name).replace("PITCH", pitch), name)
        for name, pitch in (("month_drawdowns", "32"), ("month_drawdowns_b", "33"))
    )

    def run(kernel: Any) -> Any:
        kernel((shares // 128,), (128,), (price, worst, i32(days)))
        return worst

    def ref() -> Any:
        peak, drop = price[:, 0].copy(), cp.zeros(shares, f32)
        for day in range(1, days):
            now = price[:, day]
            peak = cp.maximum(peak, now)
            drop = cp.maximum(drop, peak - now)
        return [drop]

    return made(lambda: run(slow), lambda: run(cured), 1e-6, ref)


@case
def cupy_expand_calls(t: Tools) -> Pair:
    cp, words = t.xp, 1 << 24
    byte = t.rng.integers(0, 1 << 16, (words, 2), dtype=i32).astype(np.uint16).view(np.uint8).reshape(-1)
    sound, volts = cp.zeros(4 * words, f32), mu_law()
    code = """
        __constant__ float volt[256] = {VALUES};
        extern "C" __global__ void NAME(const unsigned *code, float4 *sound, int words)
        {
            FILL
            for (int at = blockIdx.x * 256 + threadIdx.x; at < words; at += gridDim.x * 256) {
                const unsigned w = code[at];
                sound[at] = make_float4(TABLE[w & 255], TABLE[w >> 8 & 255], TABLE[w >> 16 & 255], TABLE[w >> 24]);
            }
        }
    """.replace("VALUES", ", ".join(f"{value!r}f" for value in volts.astype(float).tolist()))
    fill = "__shared__ float near[256]; near[threadIdx.x] = volt[threadIdx.x]; __syncthreads();"
    slow, cured = (
        cp.RawKernel(code.replace("NAME", name).replace("FILL", first).replace("TABLE", table), name)
        for name, first, table in (("expand_calls", "", "volt"), ("expand_calls_b", fill, "near"))
    )

    def run(kernel: Any) -> Any:
        kernel((8 * SMS,), (256,), (byte, sound, i32(words)))
        return sound

    return made(lambda: run(slow), lambda: run(cured), 0.0, lambda: [cp.asarray(volts)[byte]])


@case
def cupy_forest_cells(t: Tools) -> Pair:
    cp, rows, columns, forest = t.xp, 16384, 8192, 7
    cover = t.rng.integers(0, 12, (rows, columns), dtype=i32).astype(np.uint8)
    wide = cover.astype(i64)
    slow, cured = (
        cp.ReductionKernel(f"{kind} cover", "int32 cells", f"(int)(cover == {forest})", "a + b", "cells = a", "0", name)
        for kind, name in (("int64", "forest_cells"), ("uint8", "forest_cells_b"))
    )

    def ref() -> Any:
        return [cp.stack([cp.count_nonzero(band == forest, axis=1) for band in cover.reshape(16, -1, columns)])]

    def run(kernel: Any, what: Any) -> Any:
        return kernel(what, axis=1).reshape(16, -1)

    return made(lambda: run(slow, wide), lambda: run(cured, cover), 0.0, ref)


@case
def cupy_age_epidemics(t: Tools) -> Pair:
    cp, scenarios, days = t.xp, 1 << 17, 300
    contact = (t.rng.random((8, 8), dtype=f32) + f32(0.5)) / f32(8)
    rate = f32(0.15) + f32(0.35) * t.rng.random(scenarios, dtype=f32)
    peak = cp.zeros((scenarios, 8), f32)
    code = """
        extern "C" __global__ void NAME(const float *contact, const float *rate, float *peak, int days)
        {
            __shared__ __align__(16) float sick[THREADS];
            const int group = threadIdx.x % 8, at = blockIdx.x * THREADS + threadIdx.x;
            float meet[8];
            #pragma unroll
            for (int k = 0; k < 8; k++) meet[k] = contact[group * 8 + k];
            const float beta = rate[at / 8];
            const float4 *all = (const float4 *)(sick + threadIdx.x / 8 * 8);
            float well = 0.999f, ill = 0.001f, most = ill;
            for (int day = 0; day < days; day++) {
                sick[threadIdx.x] = ill;
                __syncwarp();
                const float4 a = all[0], b = all[1];
                __syncwarp();
                const float young = meet[0] * a.x + meet[1] * a.y + meet[2] * a.z + meet[3] * a.w;
                const float old = meet[4] * b.x + meet[5] * b.y + meet[6] * b.z + meet[7] * b.w;
                const float caught = beta * (young + old) * well;
                well -= caught;
                ill += caught - 0.1f * ill;
                most = fmaxf(most, ill);
            }
            peak[at] = most;
        }
    """
    slow, cured = (
        cp.RawKernel(code.replace("NAME", name).replace("THREADS", str(threads)), name)
        for name, threads in (("age_epidemics", 8), ("age_epidemics_b", 256))
    )

    def run(kernel: Any, threads: int) -> Any:
        kernel((scenarios * 8 // threads,), (threads,), (contact, rate, peak, i32(days)))
        return peak

    def ref() -> Any:
        meet, beta = contact.astype(np.float64).T, rate.astype(np.float64)[:, None]
        well, ill = cp.full((scenarios, 8), 0.999), cp.full((scenarios, 8), 0.001)
        most = ill.copy()
        for _ in range(days):
            caught = beta * (ill @ meet) * well
            well, ill = well - caught, 0.9 * ill + caught
            most = cp.maximum(most, ill)
        return [most]

    return made(lambda: run(slow, 8), lambda: run(cured, 256), 1e-3, ref)


@case
def cupy_sweep_filter(t: Tools) -> Pair:
    cp, n, taps, some = t.xp, 1 << 24, 96, 1 << 20
    angle = f32(3.1415927) * t.rng.random(n, dtype=f32)
    c, s = cp.cos(angle), cp.sin(angle)
    k = np.arange(taps) - (taps - 1) / 2
    tap = (np.sinc(k * 0.3) * 0.3 * np.hamming(taps)).astype(f32).astype(float).tolist()
    steps = "".join(f"t = ({h!r}f + re * c) - im * s; im = re * s + im * c; re = t;\n" for h in tap[1:])
    text = f"float t, re = {tap[0]!r}f, im = 0.0f;\n{steps}power = re * re + im * im;"
    slow = cp.ElementwiseKernel(
        "float32 c, float32 s", "float32 power", text, "sweep_filter", options=("--fmad=false",)
    )
    cured = cp.ElementwiseKernel("float32 c, float32 s", "float32 power", text, "sweep_filter_b")

    def ref() -> Any:
        z = c[:some].astype(np.float64) + 1j * s[:some].astype(np.float64)
        total = cp.zeros(some, np.complex128)
        for h in tap:
            total = total * z + h
        return [cp.abs(total) ** 2]

    return made(lambda: slow(c, s)[:some], lambda: cured(c, s)[:some], 1e-4, ref)


# ---- PyTorch
@case
def torch_global_peaks(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    x = torch.randn(32, 512, 56, 56, device="cuda")

    def slow() -> Any:
        return torch.nn.functional.adaptive_max_pool2d(x, 1).flatten(1)

    def ref() -> Any:
        return [x.flatten(2).cpu().numpy().max(axis=2)]

    return made(slow, lambda: x.amax((2, 3)), 0.0, ref)


@case
def torch_item_affinities(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    users, factors, items = 8192, 1024, 20001
    user = torch.randn(users, factors, device="cuda", dtype=torch.half) / 32
    item = torch.randn(factors, items, device="cuda", dtype=torch.half)
    padded = torch.nn.functional.pad(item, (0, 20032 - items))

    def ref() -> Any:
        return [user[:256].double() @ item.double()]

    return made(lambda: (user @ item)[:256], lambda: (user @ padded)[:256, :items], 2e-3, ref)


@case
def torch_point_features(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    channels, side, points, some = 64, 1024, 1 << 20, 1 << 16
    picture = torch.rand(1, channels, side, side, device="cuda")
    place = torch.rand(points, 2, device="cuda") * 1.98 - 0.99
    pixel = ((place + 1) * (side / 2) - 0.5).floor().long()
    order = torch.argsort(pixel[:, 1] * side + pixel[:, 0])
    in_order = place[order].contiguous()

    def run(where: Any) -> Any:
        return torch.nn.functional.grid_sample(picture, where.view(1, 1024, -1, 2), align_corners=False)

    def ref() -> Any:
        at = (in_order[:some].double() + 1) * (side / 2) - 0.5
        low = at.floor().long()
        (fx, fy), (ix, iy) = (at - low).unbind(1), low.unbind(1)
        top, bottom = (
            picture[0][:, iy + k, ix].double() * (1 - fx) + picture[0][:, iy + k, ix + 1].double() * fx for k in (0, 1)
        )
        return [top * (1 - fy) + bottom * fy]

    pair = made(lambda: run(place), lambda: run(in_order), 2e-3, ref)
    whole, first = pair.outs, order[:some]

    def outs(which: str) -> Any:
        columns = first if which == "slow" else torch.arange(some, device="cuda")
        return [features.view(channels, -1)[:, columns] for features in whole(which)]

    pair.outs = outs
    return pair


# ---- Triton
@case
def triton_sighting_density(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import ninth_triton as k

    wide, high, sightings = 896, 640, 4096
    y, x = (
        grid.reshape(-1).contiguous() * 0.01
        for grid in torch.meshgrid(
            torch.arange(high, device="cuda").float(), torch.arange(wide, device="cuda").float(), indexing="ij"
        )
    )
    seen_x, seen_y = torch.rand(sightings, device="cuda") * 8.96, torch.rand(sightings, device="cuda") * 6.4
    density = torch.zeros(wide * high, device="cuda")

    def run(block: int, warps: int) -> Any:
        grid = (wide * high // block,)
        k.sighting_density[grid](x, y, seen_x, seen_y, density, sightings, BLOCK=block, num_warps=warps)
        return density.view(140, 4096)[::8]

    def ref() -> Any:
        rows = []
        for a, b in zip(x.view(140, 4096)[::8].double(), y.view(140, 4096)[::8].double(), strict=True):
            d = (a[:, None] - seen_x.double()) ** 2 + (b[:, None] - seen_y.double()) ** 2
            rows.append(((1 - d).clamp(min=0) ** 2).sum(1))
        return [torch.stack(rows)]

    return made(lambda: run(4096, 32), lambda: run(512, 4), 1e-4, ref)


@case
def triton_undistort(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import ninth_triton as k

    n, some = 1 << 24, 1 << 20
    u, v = torch.rand(n, device="cuda") * 1920, torch.rand(n, device="cuda") * 1080
    x, y = torch.zeros(n, device="cuda"), torch.zeros(n, device="cuda")
    calibration = np.array([1 / 1310.4, 957.3, 541.8, -0.281, 0.0943, -0.0121, 0.00071, -0.00053])
    as_read = torch.from_numpy(calibration).cuda()
    single = as_read.float()

    def run(lens: Any) -> Any:
        k.undistort[(n // 512,)](u, v, x, y, lens, TURNS=8, BLOCK=512, num_warps=4)
        return torch.stack([x[:some], y[:some]])

    def ref() -> Any:
        scale, cu, cv, k1, k2, k3, p1, p2 = calibration.tolist()
        xd, yd = (u[:some].double() - cu) * scale, (v[:some].double() - cv) * scale
        a, b = xd, yd
        for _ in range(8):
            r = a**2 + b**2
            radial = 1 + k1 * r + k2 * r**2 + k3 * r**3
            a, b = (
                (xd - 2 * p1 * a * b - p2 * (r + 2 * a**2)) / radial,
                (yd - 2 * p2 * a * b - p1 * (r + 2 * b**2)) / radial,
            )
        return [torch.stack([a, b])]

    return made(lambda: run(as_read), lambda: run(single), 1e-4, ref)


@case
def triton_decode_step(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import ninth_triton as k

    heads, keys, d, most = 16, 65536, 128, 64
    q = torch.randn(heads, d, device="cuda", dtype=torch.half) * 2
    key, value = (torch.randn(heads, keys, d, device="cuda", dtype=torch.half) for _ in range(2))
    top, mass = torch.zeros(most, heads, device="cuda"), torch.zeros(most, heads, device="cuda")
    mix, y = torch.zeros(most, heads, d, device="cuda"), torch.zeros(heads, d, device="cuda")

    def run(parts: int) -> Any:
        how = {"H": heads, "D": d, "KEYS": 64, "num_warps": 8}
        k.decode_step[(heads, parts)](q, key, value, top, mass, mix, d**-0.5, keys, parts, **how)
        k.join_parts[(heads,)](top, mass, mix, y, PARTS=parts, H=heads, D=d, num_warps=8)
        return y

    def ref() -> Any:
        rows = []
        for a, b, c in zip(q, key, value, strict=True):
            weight = torch.softmax(b.double() @ a.double() * d**-0.5, 0)
            rows.append(weight @ c.double())
        return [torch.stack(rows)]

    return made(lambda: run(1), lambda: run(most), 2e-3, ref)


@case
def triton_ocean_surface(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import ninth_triton as k

    n, count, some = 1 << 24, 24, 1 << 20
    x, y = torch.rand(n, device="cuda") * 16 - 8, torch.rand(n, device="cuda") * 16 - 8
    length, heading = 0.4 + 2 * torch.rand(count, device="cuda"), torch.rand(count, device="cuda") * 6.28
    phase, high = torch.rand(count, device="cuda") * 6.28, 0.3 / length
    waves = torch.stack([length * heading.cos(), length * heading.sin(), phase, high], 1).contiguous()
    height = torch.zeros(n, device="cuda")

    def run(kernel: Any) -> Any:
        kernel[(n // 1024,)](x, y, height, waves, COUNT=count, BLOCK=1024, num_warps=4)
        return height[:some]

    def ref() -> Any:
        total = 0
        for kx, ky, start, size in waves.double().tolist():
            total = total + size * torch.sin(kx * x[:some].double() + ky * y[:some].double() + start)
        return [total]

    return made(lambda: run(k.ocean_surface), lambda: run(k.ocean_surface_b), 1e-4, ref)


@case
def triton_firing_cells(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import ninth_triton as k

    cells, steps, some = 128 * SMS, 8000, 1024
    start, drive = torch.rand(cells, device="cuda") * 3 - 1.5, torch.rand(cells, device="cuda") * 0.5 + 0.3
    current = np.array([0.002, 1.0, 0.004, -0.32, *(0.003 * (-1) ** p / 1.8**p for p in range(4, 16))], f32)
    c, mean = torch.from_numpy(current).cuda(), torch.zeros(cells, device="cuda")

    def run(kernel: Any) -> Any:
        kernel[(SMS,)](start, drive, c, mean, steps, BLOCK=128, num_warps=4)
        return mean[:some]

    def ref() -> Any:
        v, i = (what[:some].double().cpu().numpy() for what in (start, drive))
        w, total, along = np.zeros(some), np.zeros(some), current.astype(np.float64)
        for _ in range(steps):
            f = np.polynomial.polynomial.polyval(v, along)
            v, w = v + 0.05 * (f + i - w), w + 0.004 * (v + 0.7 - 0.8 * w)
            total += v
        return [total / steps]

    return made(lambda: run(k.firing_cells), lambda: run(k.firing_cells_b), 2e-3, ref)


@case
def triton_mix_levels(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import ninth_triton as k

    levels, columns, block, rate = 40, 1 << 22, 1024, 0.03
    air = torch.rand(levels + 4, columns, device="cuda") + 1
    mixed = torch.zeros(levels, columns, device="cuda")

    def run(kernel: Any, rows: int) -> Any:
        kernel[(columns // block, rows)](air, mixed, columns, rate, levels, BLOCK=block, num_warps=4)
        return mixed[:, -(1 << 18) :]

    def ref() -> Any:
        part = air[:, -(1 << 18) :].double()
        return [part[2:-2] - rate * part.diff(n=4, dim=0)]

    return made(lambda: run(k.mix_levels, levels), lambda: run(k.mix_levels_b, 1), 1e-5, ref)
