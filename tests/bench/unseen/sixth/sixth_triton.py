# ruff: noqa: N803
"""Kernels in Triton of the sixth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def degree_counts(end, count, BLOCK: tl.constexpr, ORDER: tl.constexpr):
    """Adds 1 to the count of the node at which each edge ends."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    one = tl.full((BLOCK,), 1, tl.int32)
    if ORDER == "":
        tl.atomic_add(count + tl.load(end + at), one)
    else:
        tl.atomic_add(count + tl.load(end + at), one, sem=ORDER)


@triton.jit
def ragged_gain(x, y, length, gain, LONGEST: tl.constexpr, BLOCK: tl.constexpr):
    """y = x gain of each row as far as the row goes; program_id(0) is the piece, program_id(1) the row."""
    row, piece = tl.program_id(1), tl.program_id(0)
    n = tl.load(length + row)
    if piece * BLOCK >= n:
        return
    at = piece * BLOCK + tl.arange(0, BLOCK)
    first = row.to(tl.int64) * LONGEST
    tl.store(y + first + at, tl.load(x + first + at, mask=at < n) * tl.load(gain + row), mask=at < n)


@triton.jit
def ragged_gain_b(x, y, length, gain, work, LONGEST: tl.constexpr, BLOCK: tl.constexpr):
    """The same for the pieces that there are: work holds row * 65536 + piece."""
    which = tl.load(work + tl.program_id(0))
    row, piece = which // 65536, which % 65536
    n = tl.load(length + row)
    at = piece * BLOCK + tl.arange(0, BLOCK)
    first = row.to(tl.int64) * LONGEST
    tl.store(y + first + at, tl.load(x + first + at, mask=at < n) * tl.load(gain + row), mask=at < n)


@triton.jit
def event_rates(time, mark, rate, EACH: tl.constexpr, IN_A_ROW: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    """Rates of a self-exciting process at its events: the sum over all events before of mark exp(-(time since)).

    A program takes EACH blocks of events, neighbours or dealt out to and fro.
    """
    for k in tl.static_range(EACH):
        if IN_A_ROW:
            b = tl.program_id(0) * EACH + k
        elif k % 2 == 0:
            b = k * tl.num_programs(0) + tl.program_id(0)
        else:
            b = (k + 1) * tl.num_programs(0) - 1 - tl.program_id(0)
        i = b * BLOCK + tl.arange(0, BLOCK)
        ti = tl.load(time + i)
        total = tl.zeros((BLOCK,), tl.float32)
        for first in range(0, (b + 1) * BLOCK, WIDE):
            j = first + tl.arange(0, WIDE)
            tj, mj = tl.load(time + j), tl.load(mark + j)
            before = j[None, :] < i[:, None]
            total += tl.sum(tl.where(before, mj[None, :] * tl.exp(tj[None, :] - ti[:, None]), 0.0), 1)
        tl.store(rate + i, total)


@triton.jit
def quantised_linear(a, w, scale, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a w scale with w in bytes or in halves."""
    rows, columns = tl.program_id(1) * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    at = a + rows[:, None] * K + ks[None, :]
    wt = w + ks[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(at), tl.load(wt).to(tl.float16), total)
        at += BK
        wt += BK * N
    total *= tl.load(scale + columns)[None, :]
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


@triton.jit
def word_logits(h, w, c, M, N, K, ALONG_WORDS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = h w; programs go along the words of a block of rows first or through the blocks of rows."""
    pid = tl.program_id(0)
    if ALONG_WORDS:
        i, j = pid // (N // BN), pid % (N // BN)
    else:
        i, j = pid % (M // BM), pid // (M // BM)
    rows, columns, ks = i * BM + tl.arange(0, BM), j * BN + tl.arange(0, BN), tl.arange(0, BK)
    at = h + rows[:, None] * K + ks[None, :]
    wt = w + ks[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(at), tl.load(wt), total)
        at += BK
        wt += BK * N
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))
