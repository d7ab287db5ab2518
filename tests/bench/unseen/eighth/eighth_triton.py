# ruff: noqa: N803
"""Kernels in Triton of the eighth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def kernel_matrix(x, norm, out, gamma, N, D: tl.constexpr, SIDE: tl.constexpr, DEPTH: tl.constexpr):
    """out[i, j] = exp(-gamma |x_i - x_j|^2) of N rows of x (N, D), by their inner products."""
    i = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    j = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    k = tl.arange(0, DEPTH)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for first in range(0, D, DEPTH):
        a = tl.load(x + i[:, None] * D + (first + k)[None, :])
        b = tl.load(x + j[None, :] * D + (first + k)[:, None])
        total = tl.dot(a, b, total, input_precision="ieee")
    apart = tl.load(norm + i)[:, None] + tl.load(norm + j)[None, :] - 2.0 * total
    tl.store(out + i[:, None] * N + j[None, :], tl.exp(-gamma * apart))


@triton.jit
def kernel_matrix_b(x, norm, out, gamma, N, D: tl.constexpr, SIDE: tl.constexpr, DEPTH: tl.constexpr):
    """The same in TF32."""
    i = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    j = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    k = tl.arange(0, DEPTH)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for first in range(0, D, DEPTH):
        a = tl.load(x + i[:, None] * D + (first + k)[None, :])
        b = tl.load(x + j[None, :] * D + (first + k)[:, None])
        total = tl.dot(a, b, total, input_precision="tf32")
    apart = tl.load(norm + i)[:, None] + tl.load(norm + j)[None, :] - 2.0 * total
    tl.store(out + i[:, None] * N + j[None, :], tl.exp(-gamma * apart))


@triton.jit
def softmax_backward(p, dp, dx, WIDE: tl.constexpr):
    """dx = p (dp - sum p dp) of a row of WIDE a program."""
    at = tl.program_id(0).to(tl.int64) * WIDE + tl.arange(0, WIDE)
    a, b = tl.load(p + at), tl.load(dp + at)
    tl.store(dx + at, a * (b - tl.sum(a * b, 0)))


@triton.jit
def dense_layer(x, w, y, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr):
    """y (rows, N) = relu(x (rows, K) w (K, N)) in halves, all multiples of the tile."""
    tile = tl.program_id(0)
    across = N // COLUMNS
    group = tile // (8 * across)
    row = group * 8 + tile % 8
    column = tile % (8 * across) // 8
    i, j = row * ROWS + tl.arange(0, ROWS), column * COLUMNS + tl.arange(0, COLUMNS)
    k = tl.arange(0, DEPTH)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    a_at, b_at = x + i[:, None] * K + k[None, :], w + k[:, None] * N + j[None, :]
    for _ in range(0, K, DEPTH):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += DEPTH
        b_at += DEPTH * N
    tl.store(y + i[:, None] * N + j[None, :], tl.maximum(total, 0.0).to(tl.float16))


@triton.jit
def bias_gradient(dy, db, C: tl.constexpr, ROWS: tl.constexpr):
    """db += the sum over the rows of dy (rows, C) in halves; ROWS rows a program."""
    c = tl.arange(0, C)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    part = tl.load(dy + row[:, None] * C + c[None, :]).to(tl.float32)
    tl.atomic_add(db + c, tl.sum(part, 0))


@triton.jit
def bias_gradient_b(dy, db, C: tl.constexpr, ROWS: tl.constexpr, TURNS: tl.constexpr):
    """The same; a program takes TURNS times ROWS rows before it adds."""
    c = tl.arange(0, C)
    row = tl.program_id(0) * (ROWS * TURNS) + tl.arange(0, ROWS)
    total = tl.zeros((ROWS, C), tl.float32)
    for turn in range(TURNS):
        total += tl.load(dy + (row + turn * ROWS)[:, None] * C + c[None, :]).to(tl.float32)
    tl.atomic_add(db + c, tl.sum(total, 0))


@triton.jit
def dim_samples(x, y, gain, CHUNK: tl.constexpr, BLOCK: tl.constexpr):
    """Bytes times gain / 256, rounded; a program takes CHUNK of them, BLOCK at a time."""
    first = tl.program_id(0) * CHUNK + tl.arange(0, BLOCK)
    for k in range(0, CHUNK, BLOCK):
        v = tl.load(x + first + k).to(tl.int32)
        tl.store(y + first + k, ((v * gain + 128) >> 8).to(tl.uint8))
