"""The pairs of the fifth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, i64, made, seeded_torch, zero

CASES = Cases()
case = CASES.add
SEED = 23


# ---- CuPy
@case
def cupy_atom_fields(t: Tools) -> Pair:
    cp, atoms, n = t.xp, 786432, 1 << 24
    record = t.rng.random((atoms, 32), dtype=f32)
    packed = cp.ascontiguousarray(record[:, :4])
    a, b = (t.rng.integers(0, atoms, n, dtype=i32) for _ in range(2))
    kernel = cp.ElementwiseKernel(
        "raw float32 atom, int32 a, int32 b, int32 pitch",
        "float32 e",
        """
        const float4 p = *reinterpret_cast<const float4 *>(&atom[a * pitch]);
        const float4 q = *reinterpret_cast<const float4 *>(&atom[b * pitch]);
        const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        e = p.w * q.w * rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        """,
        "atom_fields",
    )

    def ref() -> Any:
        p, q = packed[a].astype(np.float64), packed[b].astype(np.float64)
        return [p[:, 3] * q[:, 3] / cp.sqrt(((p[:, :3] - q[:, :3]) ** 2).sum(axis=1) + 0.01)]

    wide, narrow = record.reshape(-1), packed.reshape(-1)
    return made(lambda: kernel(wide, a, b, i32(32)), lambda: kernel(narrow, a, b, i32(4)), 1e-5, ref)


@case
def cupy_bin_energy(t: Tools) -> Pair:
    cp, n, copies = t.xp, 1 << 22, 4096
    layer, energy = t.rng.integers(0, 12, n, dtype=i32), t.rng.random(n, dtype=f32)
    sums, spread = cp.zeros(12, f32), cp.zeros(copies * 12, f32)
    slow, cured = (
        cp.ElementwiseKernel("int32 layer, float32 energy", "raw float32 sums", code, name)
        for code, name in (
            ("atomicAdd(&sums[layer], energy)", "bin_energy"),
            (f"atomicAdd(&sums[(i & {copies - 1}) * 12 + layer], energy)", "bin_energy_b"),
        )
    )

    def run_slow() -> Any:
        slow(layer, energy, sums)
        return sums

    def run_cured() -> Any:
        cured(layer, energy, spread)
        return spread.reshape(copies, 12).sum(axis=0)

    pair = made(run_slow, run_cured, 1e-3, lambda: [cp.bincount(layer, energy.astype(np.float64), 12)])
    pair.reset = zero(sums, spread)
    return pair


@case
def cupy_growth(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 23
    months, start = t.rng.integers(1, 361, n, dtype=i32), t.rng.random(n, dtype=f32) * f32(1000) + f32(100)
    rate = t.rng.random(n, dtype=f32) * f32(0.004) + f32(0.001)
    order = cp.argsort(months)
    kernel = cp.ElementwiseKernel(
        "float32 start, float32 rate, int32 months",
        "float32 balance",
        """
        float b = start;
        for (int m = 0; m < months; m++) b = fmaf(b, rate, b - 0.25f);
        balance = b;
        """,
        "growth",
    )
    sorted_loans = tuple(x[order] for x in (start, rate, months))
    last: dict[str, Any] = {}

    def slow() -> None:
        last["slow"] = kernel(start, rate, months)

    def cured() -> None:
        last["cured"] = kernel(*sorted_loans)

    def outs(which: str) -> Any:
        if which not in last:
            return []
        return [last["slow"][order] if which == "slow" else last["cured"]]

    def ref() -> Any:
        wide = rate.astype(np.float64)
        grown = (1 + wide) ** months
        return [(start * grown - 0.25 * (grown - 1) / wide)[order]]

    return Pair(slow, cured, outs, ref, 1e-4)


@case
def cupy_pixel_rings(t: Tools) -> Pair:
    cp, shape = t.xp, (336, 400, 500)
    n = shape[0] * shape[1] * shape[2]
    code = """
        unsigned four = 0;
        for (int k = 0; k < 4; k++) {{
            const {whole} at = 4 * ({whole})i + k;
            const int x = (int)(at % wide) - 250, y = (int)(at / wide % tall) - 200;
            const int z = (int)(at / (wide * tall)) - 168;
            four |= ((unsigned)(0.5f * sqrtf((float)(x * x + y * y + z * z))) & 255u) << (8 * k);
        }}
        rings = four;
    """
    slow, cured = (
        cp.ElementwiseKernel(f"{kind} wide, {kind} tall", "uint32 rings", code.format(whole=whole), name)
        for kind, whole, name in (("int64", "long long", "pixel_rings"), ("uint32", "unsigned", "pixel_rings_b"))
    )

    def ref() -> Any:
        z, y, x = (cp.arange(size, dtype=np.float64) - size // 2 for size in shape)
        square = z[:, None, None] ** 2 + y[None, :, None] ** 2 + x[None, None, :] ** 2
        return [(0.5 * cp.sqrt(square)).astype(cp.uint8).reshape(-1)]

    def run(kernel: Any, kind: Any) -> Any:
        return kernel(kind(shape[2]), kind(shape[1]), size=n // 4).view(cp.uint8)

    return made(lambda: run(slow, i64), lambda: run(cured, np.uint32), 0.0, ref)


@case
def cupy_lens_sum(t: Tools) -> Pair:
    cp, n, masses = t.xp, 1 << 22, 96
    x, y = (t.rng.random(n, dtype=f32) * f32(8) - f32(4) for _ in range(2))
    rng = np.random.default_rng(SEED)
    mass = (rng.random((masses, 3)) * [8, 8, 1] - [4, 4, -0.1]).astype(f32)
    on_device = cp.asarray(mass.reshape(-1))
    one = """
        {{
            const float dx = x - {a}, dy = y - {b}, w = __fdividef({c}, dx * dx + dy * dy + 0.01f);
            ax = fmaf(w, dx, ax);
            ay = fmaf(w, dy, ay);
        }}
    """
    loop = f"for (int k = 0; k < {masses}; k++)" + one.format(a="mass[3 * k]", b="mass[3 * k + 1]", c="mass[3 * k + 2]")
    written = "".join(one.format(**{k: f"({v:.9e}f)" for k, v in zip("abc", m.tolist(), strict=True)}) for m in mass)
    frame = "float ax = 0.0f, ay = 0.0f; {} bend = sqrtf(ax * ax + ay * ay);"
    slow = cp.ElementwiseKernel(
        "float32 x, float32 y, raw float32 mass", "float32 bend", frame.format(loop), "lens_sum"
    )
    cured = cp.ElementwiseKernel("float32 x, float32 y", "float32 bend", frame.format(written), "lens_sum_b")

    def ref() -> Any:
        ax, ay, wx, wy = cp.zeros(n), cp.zeros(n), x.astype(np.float64), y.astype(np.float64)
        for a, b, c in mass.tolist():
            dx, dy = wx - a, wy - b
            w = c / (dx * dx + dy * dy + 0.01)
            ax += w * dx
            ay += w * dy
        return [cp.sqrt(ax * ax + ay * ay)]

    return made(lambda: slow(x, y, on_device), lambda: cured(x, y), 1e-4, ref)


# ---- PyTorch
@case
def torch_conv_field(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    x = torch.randn(32, 128, 64, 64, device="cuda")
    w = torch.randn(128, 128, 3, 3, device="cuda") / 34

    def run(tf32: bool) -> Any:
        torch.backends.cudnn.allow_tf32 = tf32
        return torch.nn.functional.conv2d(x, w, padding=1)

    def ref() -> Any:
        pieces = [torch.nn.functional.conv2d(x[k : k + 4].double(), w.double(), padding=1) for k in range(0, 32, 4)]
        return [torch.cat(pieces)]

    return made(lambda: run(False), lambda: run(True), 5e-3, ref)


@case
def torch_norm_scans(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    rows, length = 8, 1 << 22
    x = torch.randn(rows, length, device="cuda") * 3 + 1

    def cured() -> Any:
        variance, mean = torch.var_mean(x, dim=1, correction=0, keepdim=True)
        inverse = torch.rsqrt(variance + 1e-5)
        return torch.addcmul(-mean * inverse, x, inverse)

    def ref() -> Any:
        wide = x.double()
        return [(wide - wide.mean(1, keepdim=True)) / (wide.var(1, correction=0, keepdim=True) + 1e-5).sqrt()]

    return made(lambda: torch.nn.functional.layer_norm(x, (length,)), cured, 1e-3, ref)


# ---- Triton
@case
def triton_expert_rows(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifth_triton as k

    tokens, n, depth = 8192, 2048, 2048
    a = torch.randn(tokens, depth, device="cuda", dtype=torch.half)
    w = torch.randn(depth, n, device="cuda", dtype=torch.half) / 8
    index = torch.randperm(tokens, device="cuda").to(torch.int32)
    c = torch.empty(tokens, n, device="cuda", dtype=torch.half)

    def run(how: dict[str, int]) -> Any:
        k.expert_rows[(tokens // 128, n // 128)](a, index, w, c, n, depth, BM=128, BN=128, num_warps=4, **how)
        return c

    def ref() -> Any:
        return [a[index.long()].float() @ w.float()]

    return made(lambda: run({"BK": 16, "num_stages": 1}), lambda: run({"BK": 64, "num_stages": 4}), 5e-3, ref)


@case
def triton_attend(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifth_triton as k

    heads, n, d = 32, 4096, 64
    q, key, v = (torch.randn(1, heads, n, d, device="cuda", dtype=torch.half) for _ in range(3))
    o = torch.empty(1, heads, n, d, device="cuda", dtype=torch.half)
    scale = d**-0.5 * 1.4426950408889634

    def run(queries: int, warps: int) -> Any:
        how = {"D": d, "BM": queries, "BN": 64, "num_warps": warps, "num_stages": 3}
        k.attend[(n // queries, heads)](q, key, v, o, n, scale, **how)
        return o

    def ref() -> Any:
        return [torch.nn.functional.scaled_dot_product_attention(q, key, v)]

    return made(lambda: run(64, 2), lambda: run(128, 4), 1e-2, ref)


@case
def triton_big_tile(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifth_triton as k

    n = 4096
    a = torch.randn(n, n, device="cuda", dtype=torch.half)
    b = torch.randn(n, n, device="cuda", dtype=torch.half) / 8
    c = torch.empty(n, n, device="cuda", dtype=torch.half)

    def run(how: dict[str, int]) -> Any:
        k.big_tile[(n // how["BN"], n // how["BM"])](a, b, c, n, n, **how)
        return c

    slow = {"BM": 256, "BN": 128, "BK": 64, "num_warps": 4, "num_stages": 3}
    return made(lambda: run(slow), lambda: run(slow | {"num_warps": 8}), 5e-3, lambda: [a.float() @ b.float()])


@case
def triton_row_norms(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifth_triton as k

    rows, c = 1 << 21, 32
    x, norm = torch.randn(rows, c, device="cuda"), torch.zeros(rows, device="cuda")

    def run(at_once: int, warps: int) -> Any:
        k.row_norms[(rows // at_once,)](x, norm, C=c, ROWS=at_once, num_warps=warps)
        return norm

    return made(lambda: run(1, 1), lambda: run(128, 4), 1e-5, lambda: [(x.double() ** 2).sum(1).sqrt()])


@case
def triton_flat_fields(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifth_triton as k

    frames, pixels, block = 8, 1 << 24, 2048
    x = torch.randint(0, 2000, (frames, pixels), device="cuda", dtype=torch.int16).half()
    y = torch.zeros(frames, pixels, device="cuda", dtype=torch.half)
    flat, dark = torch.rand(pixels, device="cuda") + 0.5, torch.rand(pixels, device="cuda") * 20

    def run(one_by_one: bool) -> Any:
        how = {"ONE_BY_ONE": one_by_one, "BLOCK": block, "num_warps": 4}
        k.flat_fields[(frames * pixels // block,)](x, flat, dark, y, pixels, frames, **how)
        return y

    return made(lambda: run(True), lambda: run(False), 2e-3, lambda: [((x.float() - dark) * flat).half()])


@case
def triton_feature_means(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifth_triton as k

    n, c = 1 << 18, 256
    x, mean = torch.rand(n, c, device="cuda"), torch.zeros(n, device="cuda")

    def slow() -> Any:
        k.feature_means[(n // 128,)](x, mean, c, BLOCK=128, num_warps=4)
        return mean

    def cured() -> Any:
        k.feature_means_b[(n // 4,)](x, mean, C=c, BLOCK=4, num_warps=4)
        return mean

    return made(slow, cured, 1e-5, lambda: [x.double().mean(1)])
