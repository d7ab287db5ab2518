# ruff: noqa: N803
"""Kernels in Triton of the fifth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def expert_rows(a, index, w, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The rows of a that index names, times w."""
    place = tl.program_id(0) * BM + tl.arange(0, BM)
    rows = tl.load(index + place)
    columns, ks = tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    at = a + rows[:, None] * K + ks[None, :]
    wt = w + ks[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(at), tl.load(wt), total)
        at += BK
        wt += BK * N
    tl.store(c + place[:, None] * N + columns[None, :], total.to(tl.float16))


@triton.jit
def attend(q, k, v, o, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Attention of a head for BM queries; scale has the logarithm of e to base 2 in it."""
    head = tl.program_id(1).to(tl.int64) * N * D
    rows, d, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D), tl.arange(0, BN)
    x = tl.load(q + head + rows[:, None] * D + d[None, :])
    kt = k + head + columns[None, :] * D + d[:, None]
    vt = v + head + columns[:, None] * D + d[None, :]
    most, whole = tl.full((BM,), -1e30, tl.float32), tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    for _ in range(0, N, BN):
        s = tl.dot(x, tl.load(kt)) * scale
        high = tl.maximum(most, tl.max(s, 1))
        p, keep = tl.exp2(s - high[:, None]), tl.exp2(most - high)
        whole = whole * keep + tl.sum(p, 1)
        out = tl.dot(p.to(tl.float16), tl.load(vt), out * keep[:, None])
        most = high
        kt += BN * D
        vt += BN * D
    tl.store(o + head + rows[:, None] * D + d[None, :], (out / whole[:, None]).to(tl.float16))


@triton.jit
def big_tile(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a b in half precision."""
    rows, columns = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    at = a + rows[:, None] * K + ks[None, :]
    bt = b + ks[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(at), tl.load(bt), total)
        at += BK
        bt += BK * N
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


@triton.jit
def row_norms(x, norm, C: tl.constexpr, ROWS: tl.constexpr):
    """The Euclidean norms of ROWS rows of C."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    v = tl.load(x + rows[:, None] * C + tl.arange(0, C)[None, :])
    tl.store(norm + rows, tl.sqrt(tl.sum(v * v, 1)))


@triton.jit
def flat_fields(x, flat, dark, y, pixels, frames, ONE_BY_ONE: tl.constexpr, BLOCK: tl.constexpr):
    """y = (x - dark) flat for frames of halves; programs go frame by frame or through all frames at one place."""
    pid = tl.program_id(0)
    if ONE_BY_ONE:
        frame, piece = pid // (pixels // BLOCK), pid % (pixels // BLOCK)
    else:
        frame, piece = pid % frames, pid // frames
    at = piece * BLOCK + tl.arange(0, BLOCK)
    first = frame.to(tl.int64) * pixels
    v = tl.load(x + first + at).to(tl.float32)
    tl.store(y + first + at, ((v - tl.load(dark + at)) * tl.load(flat + at)).to(tl.float16))


@triton.jit
def feature_means(x, mean, C, BLOCK: tl.constexpr):
    """Means of BLOCK rows of C features, a feature of all rows at a time."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for c in range(C):
        total += tl.load(x + rows * C + c)
    tl.store(mean + rows, total / C)


@triton.jit
def feature_means_b(x, mean, C: tl.constexpr, BLOCK: tl.constexpr):
    """The same, all features of a row at a time."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + rows[:, None] * C + tl.arange(0, C)[None, :])
    tl.store(mean + rows, tl.sum(v, 1) / C)
