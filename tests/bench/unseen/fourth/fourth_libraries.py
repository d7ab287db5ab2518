"""The pairs of the fourth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, made, seeded_torch

CASES = Cases()
case = CASES.add


# ---- CuPy
@case
def cupy_linear_light(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 24
    x = t.rng.random(n, dtype=f32)
    slow, cured = (
        cp.ElementwiseKernel("float32 x", "float32 y", code, name)
        for code, name in (
            ("y = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)", "linear_light"),
            ("y = x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f)", "linear_light_b"),
        )
    )

    def ref() -> Any:
        wide = x.astype(np.float64)
        return [cp.where(wide <= 0.04045, wide / 12.92, ((wide + 0.055) / 1.055) ** 2.4)]

    return made(lambda: slow(x), lambda: cured(x), 1e-5, ref)


@case
def cupy_track_power(t: Tools) -> Pair:
    cp, tracks, length = t.xp, 4, 1 << 23
    x = t.rng.random((tracks, length), dtype=f32)
    kernel = cp.ReductionKernel("float32 x", "float32 y", "x * x", "a + b", "y = a", "0", "track_power")

    def cured() -> Any:
        return kernel(kernel_parts, axis=1).reshape(tracks, -1).sum(axis=1)

    kernel_parts = x.reshape(tracks * 2048, length // 2048)
    return made(lambda: kernel(x, axis=1), cured, 1e-3, lambda: [(x.astype(np.float64) ** 2).sum(axis=1)])


@case
def cupy_price_lookup(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 25
    price, article = t.rng.random(1 << 24, dtype=f32), t.rng.integers(0, 1 << 24, n, dtype=np.int32)
    order = cp.argsort(article)
    ordered = article[order]
    last: dict[str, Any] = {}

    def slow() -> None:
        last["slow"] = cp.take(price, article)

    def cured() -> None:
        last["cured"] = cp.take(price, ordered)

    def outs(which: str) -> Any:
        if which not in last:
            return []
        return [last["slow"][order] if which == "slow" else last["cured"]]

    return Pair(slow, cured, outs)


@case
def cupy_grey_picture(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 26
    rgb = t.rng.integers(0, (1 << 31) - 1, 3 * n // 4, dtype=np.int32).view(cp.uint8)
    slow = cp.ElementwiseKernel(
        "raw uint8 rgb",
        "uint8 grey",
        "grey = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8",
        "grey_picture",
    )
    cured = cp.ElementwiseKernel(
        "raw uint32 rgb",
        "uint32 grey",
        """
        const unsigned a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
        const unsigned p = (77 * (a & 255) + 150 * (a >> 8 & 255) + 29 * (a >> 16 & 255)) >> 8;
        const unsigned q = (77 * (a >> 24) + 150 * (b & 255) + 29 * (b >> 8 & 255)) >> 8;
        const unsigned r = (77 * (b >> 16 & 255) + 150 * (b >> 24) + 29 * (c & 255)) >> 8;
        const unsigned s = (77 * (c >> 8 & 255) + 150 * (c >> 16 & 255) + 29 * (c >> 24)) >> 8;
        grey = p | q << 8 | r << 16 | s << 24;
        """,
        "grey_picture_b",
    )

    def ref() -> Any:
        r, g, b = (rgb[k::3].astype(cp.int32) for k in range(3))
        return [((77 * r + 150 * g + 29 * b) >> 8).astype(cp.uint8)]

    return made(lambda: slow(rgb, size=n), lambda: cured(rgb.view(cp.uint32), size=n // 4).view(cp.uint8), 0.0, ref)


@case
def cupy_radiance(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 22
    kelvin = t.rng.random(n, dtype=f32) * f32(70) + f32(250)
    micron = cp.linspace(8, 12, 8).astype(f32)
    code = """
        float s = 0.0f;
        for (int k = 0; k < 8; k++) {{
            const float l = micron[k];
            s += {divide}(1.1910e8f, {power}(l, 5.0f) * ({exp}({divide}(14387.8f, l * kelvin)) - 1.0f));
        }}
        y = 0.125f * s;
    """
    exact = {"divide": "__fdiv_rn", "power": "powf", "exp": "expf"}
    fast = {"divide": "__fdividef", "power": "__powf", "exp": "__expf"}
    slow, cured = (
        cp.ElementwiseKernel("float32 kelvin, raw float32 micron", "float32 y", code.format(**how), name)
        for how, name in ((exact, "radiance"), (fast, "radiance_b"))
    )

    def ref() -> Any:
        wide = kelvin.astype(np.float64)
        terms = (1.1910e8 / (v**5 * (cp.exp(14387.8 / (v * wide)) - 1)) for v in micron.get().astype(float).tolist())
        return [0.125 * sum(terms)]

    return made(lambda: slow(kelvin, micron), lambda: cured(kelvin, micron), 1e-3, ref)


# ---- PyTorch
@case
def torch_log_gamma(t: Tools) -> Pair:
    torch = seeded_torch(11)
    wide = torch.rand(1 << 24, device="cuda", dtype=torch.float64) * 40 + 3
    narrow = wide.float()
    return made(lambda: torch.lgamma(wide), lambda: torch.lgamma(narrow), 1e-4)


@case
def torch_softmax_down(t: Tools) -> Pair:
    torch = seeded_torch(11)
    x = torch.randn(16384, 64, device="cuda")
    turned = x.t().contiguous()

    def ref() -> Any:
        e = x.double().exp()
        return [e / e.sum(0, keepdim=True)]

    return made(lambda: torch.softmax(x, 0), lambda: torch.softmax(turned, 1).t(), 1e-4, ref)


@case
def torch_one_channel(t: Tools) -> Pair:
    torch = seeded_torch(11)
    x = torch.rand(1 << 23, 8, device="cuda")
    planes = x.t().contiguous()
    return made(lambda: torch.sqrt(x[:, 2]), lambda: torch.sqrt(planes[2]), 1e-6, lambda: [x[:, 2].double().sqrt()])


# ---- Triton
@case
def triton_covariance(t: Tools) -> Pair:
    torch = seeded_torch(11)
    import fourth_triton as k

    m, depth = 2048, 4096
    x, c = torch.randn(m, depth, device="cuda"), torch.empty(m, m, device="cuda")

    def run(precision: str) -> Any:
        how = {"BM": 128, "BN": 64, "BK": 32, "num_warps": 8, "num_stages": 3}
        k.covariance[(m // 128, m // 64)](x, c, m, depth, PRECISION=precision, **how)
        return c

    def ref() -> Any:
        wide = x.double()
        return [wide @ wide.t()]

    return made(lambda: run("ieee"), lambda: run("tf32"), 5e-3, ref)


@case
def triton_gate(t: Tools) -> Pair:
    torch = seeded_torch(11)
    import fourth_triton as k

    n = 1 << 26
    a, b = (torch.randn(n, device="cuda", dtype=torch.half) for _ in range(2))
    y = torch.empty(n, device="cuda", dtype=torch.half)

    def run(block: int) -> Any:
        k.gate[(n // block,)](a, b, y, n, BLOCK=block, num_warps=4)
        return y

    return made(lambda: run(128), lambda: run(2048), 5e-3, lambda: [torch.nn.functional.silu(a.float()) * b.float()])
