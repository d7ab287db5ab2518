"""The pairs of the third round that are not CUDA C: CuPy's elementwise kernels and ufuncs, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, made, seeded_torch

CASES = Cases()
case = CASES.add


# ---- CuPy
@case
def cupy_film_response(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 24
    x = t.rng.random(n, dtype=f32) * f32(0.9) + f32(0.1)
    g = cp.asarray([0.45, 0.6, 0.8, 1.1, 1.4, 1.8, 2.2, 2.6], dtype=f32)
    code = "float s = 0; for (int k = 0; k < 8; k++) s += 0.125f * {}(x, g[k]); y = s"
    slow, cured = (
        cp.ElementwiseKernel("float32 x, raw float32 g", "float32 y", code.format(p), name)
        for p, name in (("powf", "film_response"), ("__powf", "film_response_b"))
    )
    ref = lambda: [sum(0.125 * cp.power(x.astype(np.float64), float(v)) for v in g.get())]  # noqa: E731
    return made(lambda: slow(x, g), lambda: cured(x, g), 1e-4, ref)


@case
def cupy_add_turned(t: Tools) -> Pair:
    cp, side = t.xp, 8192
    a, b = (t.rng.random((side, side), dtype=f32) for _ in range(2))
    turned = cp.ascontiguousarray(b.T)
    out = cp.empty_like(a)

    def run(other: Any) -> Any:
        cp.add(a, other, out=out)
        return out

    return made(lambda: run(b.T), lambda: run(turned), 1e-6, lambda: [a + turned])


@case
def cupy_bessel(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 23
    x = t.rng.random(n, dtype=f32) * f32(24)
    order = cp.argsort(x)
    ordered = x[order]
    kernel = cp.ElementwiseKernel(
        "float32 x",
        "float32 y",
        """
        if (x < 6.0f) {                       // the power series
            float q = -0.25f * x * x, term = 1.0f, s = 1.0f;
            #pragma unroll
            for (int k = 1; k < 32; k++) { term *= q * (1.0f / (k * k)); s += term; }
            y = s;
        } else if (x < 14.0f) {               // the integral, by the midpoint rule
            float s = 0.0f;
            for (int k = 0; k < 40; k++) s += __cosf(x * __sinf((k + 0.5f) * 0.078539816f));
            y = s * 0.025f;
        } else {                              // Hankel's expansion
            float z = 0.125f / x, p = 1.0f, q = -z, term = -z;
            for (int k = 2; k < 28; k++) {
                float m = 2.0f * k - 1.0f;
                float next = -term * m * m * z / k;
                if (fabsf(next) > fabsf(term)) next = 0.0f;
                term = next;
                if (k & 1) q += (k & 2 ? -term : term); else p += (k & 2 ? -term : term);
            }
            float w = x - 0.78539816f;
            y = sqrtf(0.63661977f / x) * (p * __cosf(w) - q * __sinf(w));
        }
        """,
        "bessel_j0",
    )
    last: dict[str, Any] = {}

    def slow() -> None:
        last["slow"] = kernel(x)

    def cured() -> None:
        last["cured"] = kernel(ordered)

    def outs(which: str) -> Any:
        if which not in last:
            return []
        return [last["slow"][order] if which == "slow" else last["cured"]]

    return Pair(slow, cured, outs, None, 1e-6)


@case
def cupy_mask_bytes(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 27
    a, b = (t.rng.integers(0, 256, n, dtype=np.int32).astype(cp.uint8) for _ in range(2))
    out = cp.empty_like(a)

    def run(form: Any) -> Any:
        cp.bitwise_xor(a.view(form), b.view(form), out=out.view(form))
        return out

    return made(lambda: run(cp.uint8), lambda: run(cp.uint64), 0.0)


@case
def cupy_log_normal(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 24
    x, s = t.rng.random(n, dtype=f32) + f32(0.5), t.rng.random(n, dtype=f32) + f32(0.2)
    code = """
        {0} z = (log(x + 1e-3{1}) - 0.05{1}) / s;
        {0} body = exp(-0.5{1} * z * z) / (x * s * 2.5066283{1});
        {0} tail = 0.5{1} * erfc(z * 0.70710678{1});
        y = 0.9{1} * body + 0.1{1} * tail + 0.01{1} * log(1.0{1} + exp(-z));
    """
    slow, cured = (
        cp.ElementwiseKernel("float32 x, float32 s", "float32 y", code.format(kind, suffix), name)
        for kind, suffix, name in (("double", "", "log_normal"), ("float", "f", "log_normal_b"))
    )
    return made(lambda: slow(x, s), lambda: cured(x, s), 1e-4)


# ---- PyTorch
@case
def torch_running_balance(t: Tools) -> Pair:
    torch = seeded_torch(7)
    x = torch.rand(8, 1 << 22, device="cuda") - 0.5

    def cured() -> Any:
        parts = x.view(8, 4096, 1024).cumsum(-1)
        before = parts[:, :, -1].cumsum(-1) - parts[:, :, -1]
        return parts.add_(before.unsqueeze(-1)).view(8, -1)

    return made(lambda: x.cumsum(1), cured, 1e-3, lambda: [x.double().cumsum(1)])


@case
def torch_spend_by_group(t: Tools) -> Pair:
    torch = seeded_torch(7)
    n = 1 << 21
    group, amount = torch.randint(0, 16, (n,), device="cuda"), torch.rand(n, device="cuda")
    apart = group * 8192 + torch.arange(n, device="cuda") % 8192
    few, many = torch.zeros(16, device="cuda"), torch.zeros(16 * 8192, device="cuda")

    def ref() -> Any:
        return [torch.bincount(group, amount.double(), 16)]

    def cured() -> Any:
        return many.index_add_(0, apart, amount).view(16, -1).sum(1)

    def reset() -> None:
        few.zero_()
        many.zero_()

    pair = made(lambda: few.index_add_(0, group, amount), cured, 1e-2, ref)
    pair.reset = reset
    return pair


@case
def torch_project(t: Tools) -> Pair:
    torch = seeded_torch(7)
    a, b = (torch.randn(4096, 4096, device="cuda") for _ in range(2))

    def run(precision: str) -> Any:
        torch.set_float32_matmul_precision(precision)
        return a @ b

    return made(lambda: run("highest"), lambda: run("high"), 5e-3, lambda: [a.double() @ b.double()])


# ---- Triton
def _layer(t: Tools, slow: dict[str, int], cured: dict[str, int]) -> Pair:
    torch = seeded_torch(7)
    import third_triton as k

    m, n, depth = 4096, 4096, 4096
    a = torch.randn(m, depth, device="cuda", dtype=torch.half)
    b = torch.randn(depth, n, device="cuda", dtype=torch.half)
    bias = torch.randn(n, device="cuda", dtype=torch.half)
    c = torch.empty(m, n, device="cuda", dtype=torch.half)

    def run(how: dict[str, int]) -> Any:
        k.mlp_up[((m // how["BM"]) * (n // how["BN"]),)](a, b, bias, c, m, n, depth, GROUP=8, **how)
        return c

    ref = lambda: [torch.relu(a @ b + bias)]  # noqa: E731
    return made(lambda: run(slow), lambda: run(cured), 5e-3, ref)


@case
def triton_mlp_small(t: Tools) -> Pair:
    slow = {"BM": 64, "BN": 64, "BK": 64, "num_warps": 2, "num_stages": 4}
    return _layer(t, slow, {"BM": 128, "BN": 256, "BK": 64, "num_warps": 8, "num_stages": 3})


@case
def triton_mlp_plain(t: Tools) -> Pair:
    shape = {"BM": 128, "BN": 256, "BK": 64, "num_warps": 8}
    return _layer(t, shape | {"num_stages": 1}, shape | {"num_stages": 3})


@case
def triton_scale_channels(t: Tools) -> Pair:
    torch = seeded_torch(7)
    import third_triton as k

    pixels, c = 1 << 19, 64
    x, y = torch.randn(pixels, c, device="cuda"), torch.empty(pixels, c, device="cuda")
    mean, inverse = torch.randn(c, device="cuda"), torch.rand(c, device="cuda") + 0.5

    def slow() -> Any:
        k.scale_channels[(pixels // 1024, c)](x, mean, inverse, y, pixels, C=c, BLOCK=1024)
        return y

    def cured() -> Any:
        k.scale_channels_b[(pixels * c // 1024,)](x, mean, inverse, y, pixels, C=c, BLOCK=1024)
        return y

    return made(slow, cured, 1e-5, lambda: [(x - mean) * inverse])


@case
def triton_attention_weights(t: Tools) -> Pair:
    torch = seeded_torch(7)
    import third_triton as k

    rows, columns = 4096, 16384
    x, y = torch.randn(rows, columns, device="cuda"), torch.empty(rows, columns, device="cuda")

    def run(warps: int) -> Any:
        k.attention_weights[(rows,)](x, y, columns, BLOCK=16384, num_warps=warps)
        return y

    return made(lambda: run(1), lambda: run(16), 1e-4, lambda: [torch.softmax(x, 1)])


@case
def triton_signal_power(t: Tools) -> Pair:
    torch = seeded_torch(7)
    import third_triton as k

    channels, length = 16, 1 << 21
    x, power = torch.randn(channels, length, device="cuda"), torch.zeros(channels, device="cuda")

    def run(pieces: int) -> Any:
        k.signal_power[(channels, pieces)](x, power, length, length // pieces, BLOCK=1024)
        return power

    pair = made(lambda: run(1), lambda: run(64), 1e-3, lambda: [(x.double() ** 2).sum(1)])
    pair.reset = power.zero_
    return pair


@case
def triton_class_losses(t: Tools) -> Pair:
    torch = seeded_torch(7)
    import third_triton as k

    n = 1 << 22
    logit, target = torch.rand(n, device="cuda"), torch.randint(0, 8, (n,), device="cuda", dtype=torch.int32)
    loss = torch.zeros(8, device="cuda")

    def run(kernel: Any) -> Any:
        kernel[(n // 1024,)](logit, target, loss, n, BLOCK=1024)
        return loss

    def ref() -> Any:
        return [torch.bincount(target, (logit.double() - 0.125 * target) ** 2, 8)]

    pair = made(lambda: run(k.class_losses), lambda: run(k.class_losses_b), 1e-2, ref)
    pair.reset = loss.zero_
    return pair
