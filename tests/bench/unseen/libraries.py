"""Launches of PyTorch, cuBLAS, cuDNN, cuFFT and CuPy: tuned kernels at good sizes, and four misuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from device import Case, Tools


def _torch() -> Any:
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(20)
    return torch


def _finite(torch: Any, run: Callable[[], Any], likeness: Callable[[Any], bool] | None = None) -> Case:
    """A call of torch's whose result must be finite and, where simple, pass a further look."""

    def check() -> None:
        out = run()
        assert bool(torch.isfinite(out.flatten()[: 1 << 20]).all()), "not finite"
        assert likeness is None or likeness(out), "a wrong result"

    return Case(run, check)


def torch_add(t: Tools) -> Case:
    torch = _torch()
    a, b = torch.rand(1 << 27, device="cuda"), torch.rand(1 << 27, device="cuda")
    out = torch.empty_like(a)
    return _finite(torch, lambda: torch.add(a, b, out=out), lambda r: bool((r[:99] == a[:99] + b[:99]).all()))


def torch_layer_norm(t: Tools) -> Case:
    torch = _torch()
    x = torch.randn(32768, 4096, device="cuda", dtype=torch.bfloat16)
    w = torch.ones(4096, device="cuda", dtype=torch.bfloat16)
    return _finite(torch, lambda: torch.nn.functional.layer_norm(x, (4096,), w, w))


def torch_softmax(t: Tools) -> Case:
    torch = _torch()
    x = torch.randn(32768, 4096, device="cuda")
    return _finite(torch, lambda: torch.softmax(x, -1), lambda r: abs(float(r[5].sum()) - 1) < 1e-3)


def torch_embedding(t: Tools) -> Case:
    torch = _torch()
    weight = torch.rand(1 << 20, 512, device="cuda")
    index = torch.randint(0, 1 << 20, (1 << 20,), device="cuda")
    return _finite(
        torch, lambda: torch.nn.functional.embedding(index, weight), lambda r: bool((r[7] == weight[index[7]]).all())
    )


def torch_sum(t: Tools) -> Case:
    torch = _torch()
    x = torch.rand(1 << 29, device="cuda")
    return _finite(torch, lambda: x.sum(), lambda r: abs(float(r) / (1 << 28) - 1) < 1e-2)


def torch_cumsum(t: Tools) -> Case:
    torch = _torch()
    x = torch.ones(1 << 27, device="cuda", dtype=torch.int32)
    return _finite(torch, lambda: torch.cumsum(x, 0, dtype=torch.int32), lambda r: int(r[-1]) == 1 << 27)


def cudnn_convolution(t: Tools) -> Case:
    torch = _torch()
    x = torch.randn(128, 256, 56, 56, device="cuda", dtype=torch.half).to(memory_format=torch.channels_last)
    w = torch.randn(256, 256, 3, 3, device="cuda", dtype=torch.half).to(memory_format=torch.channels_last)
    return _finite(torch, lambda: torch.nn.functional.conv2d(x, w, padding=1))


def torch_attention(t: Tools) -> Case:
    torch = _torch()
    q, k, v = (torch.randn(4, 32, 4096, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    return _finite(torch, lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v))


def _product(n: int, dtype: str) -> Case:
    torch = _torch()
    a, b = (torch.randn(n, n, device="cuda", dtype=getattr(torch, dtype)) for _ in range(2))

    def alike(r: Any) -> bool:
        want = a[3].double() @ b.double()
        return float((r[3].double() - want).abs().mean() / want.abs().mean()) < 0.02

    return _finite(torch, lambda: a @ b, alike)


def cublas_sgemm(t: Tools) -> Case:
    return _product(8192, "float32")


def cublas_bf16(t: Tools) -> Case:
    return _product(8192, "bfloat16")


def cublas_gemv(t: Tools) -> Case:
    torch = _torch()
    a, x = torch.randn(32768, 16384, device="cuda"), torch.randn(16384, device="cuda")
    return _finite(torch, lambda: torch.mv(a, x), lambda r: abs(float(r[3] - a[3] @ x)) < 0.5)


def cufft_rows(t: Tools) -> Case:
    cp = t.xp
    x = (t.rng.random((1 << 16, 1024), dtype=cp.float32) + 0j).astype(cp.complex64)
    last: list[Any] = []

    def run() -> None:
        last[:] = [cp.fft.fft(x, axis=1)]

    def check() -> None:
        assert abs(complex(last[0][3, 0]) - complex(x[3].sum())) < 0.5, "a wrong result"

    return Case(run, check)


def tiny_add(t: Tools) -> Case:
    torch = _torch()
    a, b = torch.rand(2048, device="cuda"), torch.rand(2048, device="cuda")
    return _finite(torch, lambda: torch.add(a, b))


def double_gamma(t: Tools) -> Case:
    cp, n = t.xp, 1 << 26
    x, y = t.rng.random(n, dtype=cp.float32), cp.empty(n, cp.float32)
    slow = cp.ElementwiseKernel("float32 x", "float32 y", "y = 0.5 * pow((double)x, 1.0 / 2.2)", "gamma_by_double")
    cured = cp.ElementwiseKernel("float32 x", "float32 y", "y = 0.5f * powf(x, 1.0f / 2.2f)", "gamma_by_float")

    def check() -> None:
        assert float(cp.abs(y[:4096] - 0.5 * x[:4096] ** (1 / 2.2)).max()) < 1e-4, "a wrong result"

    return Case(lambda: slow(x, y), check, lambda: cured(x, y))


def transposed_copy(t: Tools) -> Case:
    cp, n = t.xp, 1 << 14
    a = t.rng.random((n, n), dtype=cp.float32)
    out = cp.empty((n, n), cp.float32)

    def check() -> None:
        assert bool((out[:9] == a.T[:9]).all()) or bool((out[:9] == a[:9]).all()), "a wrong result"

    return Case(lambda: cp.copyto(out, a.T), check, lambda: cp.copyto(out, a))


def few_row_scatter(t: Tools) -> Case:
    torch = _torch()
    n = 1 << 22
    index, value = torch.randint(0, 16, (n,), device="cuda"), torch.rand(n, device="cuda")
    out = torch.zeros(16, device="cuda")

    def check() -> None:
        assert abs(float(out.sum()) / float(value.sum()) - 1) < 1e-2, "a wrong result"

    return Case(lambda: out.scatter_add_(0, index, value), check, None, lambda: out.zero_())


CASES = {
    f.__name__: f
    for f in (
        torch_add,
        torch_layer_norm,
        torch_softmax,
        torch_embedding,
        torch_sum,
        torch_cumsum,
        cudnn_convolution,
        torch_attention,
        cublas_sgemm,
        cublas_bf16,
        cublas_gemv,
        cufft_rows,
        tiny_add,
        double_gamma,
        transposed_copy,
        few_row_scatter,
    )
}
