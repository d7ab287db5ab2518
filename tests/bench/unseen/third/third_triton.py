# ruff: noqa: N803
"""Kernels in Triton of the third round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def mlp_up(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """c = relu(a b + bias) in half precision."""
    pid = tl.program_id(0)
    across, down = tl.cdiv(N, BN), tl.cdiv(M, BM)
    first = pid // (GROUP * across) * GROUP
    tall = min(down - first, GROUP)
    i = first + (pid % (GROUP * across)) % tall
    j = (pid % (GROUP * across)) // tall
    rows, columns, ks = i * BM + tl.arange(0, BM), j * BN + tl.arange(0, BN), tl.arange(0, BK)
    at = a + rows[:, None] * K + ks[None, :]
    bt = b + ks[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(at), tl.load(bt), total)
        at += BK
        bt += BK * N
    total += tl.load(bias + columns)[None, :].to(tl.float32)
    tl.store(c + rows[:, None] * N + columns[None, :], tl.maximum(total, 0.0).to(tl.float16))


@triton.jit
def scale_channels(x, mean, inverse, y, pixels, C: tl.constexpr, BLOCK: tl.constexpr):
    """y = (x - mean) * inverse for the channels-last x; a program takes a channel of some pixels."""
    p, c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.program_id(1)
    at = p * C + c
    v = tl.load(x + at, mask=p < pixels)
    tl.store(y + at, (v - tl.load(mean + c)) * tl.load(inverse + c), mask=p < pixels)


@triton.jit
def scale_channels_b(x, mean, inverse, y, pixels, C: tl.constexpr, BLOCK: tl.constexpr):
    """The same; a program takes all channels of some pixels, as they lie."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v, c = tl.load(x + at, mask=at < pixels * C), at % C
    tl.store(y + at, (v - tl.load(mean + c)) * tl.load(inverse + c), mask=at < pixels * C)


@triton.jit
def attention_weights(x, y, columns, BLOCK: tl.constexpr):
    """Softmax of a row in a program."""
    row, at = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * columns + at, e / tl.sum(e, 0), mask=at < columns)


@triton.jit
def signal_power(x, power, length, PIECE, BLOCK: tl.constexpr):
    """Sum of squares of PIECE samples of a channel; power is 0 before."""
    channel, at = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    first = tl.program_id(1) * PIECE
    for k in range(first, first + PIECE, BLOCK):
        v = tl.load(x + channel * length + k + at)
        total += v * v
    tl.atomic_add(power + channel, tl.sum(total, 0), sem="relaxed")


@triton.jit
def class_losses(logit, target, loss, n, BLOCK: tl.constexpr):
    """Sum of the squared errors of each of 8 classes."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t, v = tl.load(target + at), tl.load(logit + at)
    e = v - t.to(tl.float32) * 0.125
    tl.atomic_add(loss + t, e * e, sem="relaxed")


@triton.jit
def class_losses_b(logit, target, loss, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t, v = tl.load(target + at), tl.load(logit + at)
    e = v - t.to(tl.float32) * 0.125
    for c in tl.static_range(8):
        tl.atomic_add(loss + c, tl.sum(tl.where(t == c, e * e, 0.0), 0), sem="relaxed")
