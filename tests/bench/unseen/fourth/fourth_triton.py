# ruff: noqa: N803
"""Kernels in Triton of the fourth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def covariance(x, c, M, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    """c = x x' for x of M rows of K float32."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    at = x + rows[:, None] * K + ks[None, :]
    bt = x + columns[None, :] * K + ks[:, None]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(at), tl.load(bt), total, input_precision=PRECISION)
        at += BK
        bt += BK
    tl.store(c + rows[:, None] * M + columns[None, :], total)


@triton.jit
def gate(a, b, y, n, BLOCK: tl.constexpr):
    """y = a sigmoid(a) b in half precision."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(a + at, mask=at < n).to(tl.float32)
    w = tl.load(b + at, mask=at < n).to(tl.float32)
    tl.store(y + at, (v * tl.sigmoid(v) * w).to(tl.float16), mask=at < n)
