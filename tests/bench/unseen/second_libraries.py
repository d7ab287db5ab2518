"""A second round of library launches: PyTorch, cuBLAS, CUB through CuPy and Triton at good sizes, and two misuses."""

from __future__ import annotations

from typing import Any

from device import Case, Tools
from libraries import _finite, _torch

tl: Any = None  # triton.language, once add_rms_norm is made


def half_mse(t: Tools) -> Case:
    torch = _torch()
    x, y = (torch.randn(1 << 28, device="cuda", dtype=torch.half) for _ in range(2))

    def alike(r: Any) -> bool:
        want = (x[-4096:].float() - y[-4096:].float()) ** 2
        return bool(torch.allclose(r[-4096:].float(), want, rtol=1e-2, atol=1e-3))

    return _finite(torch, lambda: torch.nn.functional.mse_loss(x, y, reduction="none"), alike)


def torch_adam_step(t: Tools) -> Case:
    torch = _torch()
    n = 1 << 27
    weight, mean = torch.zeros(n, device="cuda"), torch.randn(n, device="cuda")
    root = torch.rand(n, device="cuda") + 0.5

    def check() -> None:
        for part in (slice(0, 4096), slice(n - 4096, n)):
            assert torch.allclose(weight[part], -0.001 * mean[part] / root[part], rtol=1e-4, atol=1e-7), "wrong"

    return Case(lambda: weight.addcdiv_(mean, root, value=-0.001), check, None, lambda: weight.zero_())


def class_log_softmax(t: Tools) -> Case:
    torch = _torch()
    x = torch.randn(1 << 18, 1024, device="cuda")
    return _finite(torch, lambda: torch.log_softmax(x, -1), lambda r: abs(float(r[-5].double().exp().sum()) - 1) < 1e-3)


def double_sum(t: Tools) -> Case:
    cp, last = t.xp, []
    x = t.rng.random(t.size(1 << 28, 1 << 18))

    def run() -> None:
        last[:] = [cp.sum(x)]

    def check() -> None:
        want = float(t.host(x.reshape(1 << 12, -1).sum(axis=1)).sum())
        assert last and abs(float(last[0]) / want - 1) < 1e-9, "a wrong result"

    return Case(run, check, None, last.clear)


def row_offsets(t: Tools) -> Case:
    from cupy.cuda import cub

    cp, n = t.xp, 1 << 27
    x = cp.ones(n, cp.int64)

    def check() -> None:
        at = [0, 1, 12345, 98765432, n - 1]
        assert [int(x[i]) for i in at] == [i + 1 for i in at], "a wrong result"

    return Case(lambda: cub.device_scan(x, cub.CUPY_CUB_CUMSUM), check, None, lambda: x.fill(1))


def _add_rms_norm(x, residual, weight, total, out, eps, cols: tl.constexpr):
    """Of each row: total = x + residual, out = weight total / sqrt(mean(total^2) + eps); a program a row."""
    column = tl.arange(0, cols)
    at = tl.program_id(0) * cols + column
    row = tl.load(x + at).to(tl.float32) + tl.load(residual + at).to(tl.float32)
    tl.store(total + at, row.to(tl.bfloat16))
    scale = tl.rsqrt(tl.sum(row * row, axis=0) / cols + eps)
    out_row = row * scale * tl.load(weight + column).to(tl.float32)
    tl.store(out + at, out_row.to(tl.bfloat16))


def add_rms_norm(t: Tools) -> Case:
    global tl
    torch = _torch()
    import triton
    import triton.language

    tl = triton.language
    kernel = triton.jit(_add_rms_norm)
    rows, cols = 1 << 16, 4096
    x, residual = (torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    weight = torch.rand(cols, device="cuda", dtype=torch.bfloat16)
    total, out = torch.zeros_like(x), torch.zeros_like(x)

    def check() -> None:
        for row in (0, 777, rows - 1):
            want = x[row].float() + residual[row].float()
            assert torch.allclose(total[row].float(), want, rtol=0.02, atol=0.01), "a wrong sum"
            want = want * torch.rsqrt((want * want).mean() + 1e-6) * weight.float()
            assert torch.allclose(out[row].float(), want, rtol=0.02, atol=0.01), "a wrong result"

    return Case(lambda: kernel[(rows,)](x, residual, weight, total, out, 1e-6, cols=cols, num_warps=8), check)


def _alike(r: Any, row: Any, b: Any, bias: Any = 0) -> bool:
    """Whether r is row @ b + bias, on the average to a percent; computed in double precision."""
    want = row.double() @ b.double() + bias
    return float((r.double() - want).abs().mean() / want.abs().mean()) < 0.01


def cublas_dgemm(t: Tools) -> Case:
    torch = _torch()
    a, b = (torch.randn(6144, 6144, device="cuda", dtype=torch.double) for _ in range(2))
    return _finite(torch, lambda: a @ b, lambda r: _alike(r[3], a[3], b))


def tf32_linear(t: Tools) -> Case:
    torch = _torch()
    torch.backends.cuda.matmul.allow_tf32 = True  # _torch() of the next case takes it back
    x, weight = (torch.randn(8192, 8192, device="cuda") for _ in range(2))
    return _finite(torch, lambda: torch.nn.functional.linear(x, weight), lambda r: _alike(r[3], x[3], weight.t()))


def half_batch(t: Tools) -> Case:
    torch = _torch()
    a, b = (torch.randn(16, 4096, 4096, device="cuda", dtype=torch.half) for _ in range(2))
    return _finite(torch, lambda: torch.bmm(a, b), lambda r: _alike(r[15, 3], a[15, 3], b[15]))


def bias_linear(t: Tools) -> Case:
    torch = _torch()
    x = torch.randn(16384, 8192, device="cuda", dtype=torch.bfloat16)
    weight = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    bias = 100 * torch.randn(8192, device="cuda", dtype=torch.bfloat16)
    return _finite(
        torch,
        lambda: torch.nn.functional.linear(x, weight, bias),
        lambda r: _alike(r[3], x[3], weight.t(), bias.double()),
    )


def token_softmax(t: Tools) -> Case:
    torch = _torch()
    x, last = torch.randn(1 << 23, device="cuda"), []

    def check() -> None:
        assert last, "nothing ran"
        want = torch.exp(x[:4096].double() - torch.logsumexp(x.double(), 0))
        assert torch.allclose(last[0][:4096].double(), want, rtol=1e-2, atol=0), "a wrong result"

    def slow() -> None:
        last[:] = [torch.softmax(x, 0)]

    def cured() -> None:
        last[:] = [torch.exp(x - torch.logsumexp(x, 0))]

    return Case(slow, check, cured, last.clear)


def parity_bytes(t: Tools) -> Case:
    cp, n = t.xp, t.size(1 << 30, 1 << 16)
    a, b = (t.uint32(n // 4, 1 << 30).view(cp.uint8) for _ in range(2))
    out = cp.zeros(n, cp.uint8)
    wide = [x.view(cp.uint64) for x in (a, b, out)]

    def check() -> None:
        for part in (slice(0, 4096), slice(n - 4096, n)):
            assert (t.host(out[part]) == t.host(a[part]) ^ t.host(b[part])).all(), "a wrong result"

    return Case(
        lambda: cp.bitwise_xor(a, b, out=out),
        check,
        lambda: cp.bitwise_xor(wide[0], wide[1], out=wide[2]),
        lambda: out.fill(0),
    )


CASES = {
    f.__name__: f
    for f in (
        half_mse,
        torch_adam_step,
        class_log_softmax,
        double_sum,
        row_offsets,
        add_rms_norm,
        cublas_dgemm,
        tf32_linear,
        half_batch,
        bias_linear,
        token_softmax,
        parity_bytes,
    )
}
