# ruff: noqa: N803
"""Kernels in Triton of the twentieth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def clue_norm(clues, weight, bias, out, WIDE: tl.constexpr):
    """Layer norm of the short vectors of crossword clues, a program a row."""
    row, at = tl.program_id(0), tl.arange(0, WIDE)
    x = tl.load(clues + row * WIDE + at).to(tl.float32)
    off = x - tl.sum(x, 0) / WIDE
    scale = tl.rsqrt(tl.sum(off * off, 0) / WIDE + 1e-5)
    y = off * scale * tl.load(weight + at) + tl.load(bias + at)
    tl.store(out + row * WIDE + at, y.to(tl.float16))


@triton.jit
def clue_norm_b(clues, weight, bias, out, ROWS: tl.constexpr, WIDE: tl.constexpr):
    """The same; a program takes ROWS rows."""
    rows, at = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDE)
    here = rows[:, None] * WIDE + at[None, :]
    x = tl.load(clues + here).to(tl.float32)
    off = x - (tl.sum(x, 1) / WIDE)[:, None]
    scale = tl.rsqrt(tl.sum(off * off, 1) / WIDE + 1e-5)
    y = off * scale[:, None] * tl.load(weight + at)[None, :] + tl.load(bias + at)[None, :]
    tl.store(out + here, y.to(tl.float16))


@triton.jit
def patent_topics(
    words,
    topics,
    scores,
    deep,
    wide,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Scores of patents (rows of words, deep columns) for topics (deep rows, wide columns), with a soft cap at 30."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_at = words + m[:, None] * deep + k[None, :]
    b_at = topics + k[:, None] * wide + n[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, deep, BK):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total, input_precision=PRECISION)
        a_at += BK
        b_at += BK * wide
    capped = 30.0 * (2.0 / (1.0 + tl.exp(total * (-2.0 / 30.0))) - 1.0)
    tl.store(scores + m[:, None] * wide + n[None, :], capped)


@triton.jit
def phrase_routing(logits, expert, chance, count, mass, BLOCK: tl.constexpr, EXPERTS: tl.constexpr):
    """Best expert of each token of a phrase book, its chance, and by expert the tokens and the mass of chance."""
    token, at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, EXPERTS)
    x = tl.load(logits + token[:, None] * EXPERTS + at[None, :]).to(tl.float32)
    most = tl.max(x, 1)
    part = tl.exp(x - most[:, None])
    best = tl.argmax(x, 1)
    p = 1.0 / tl.sum(part, 1)
    tl.store(expert + token, best)
    tl.store(chance + token, p)
    tl.atomic_add(count + best, 1.0, sem="relaxed")
    tl.atomic_add(mass + best, p, sem="relaxed")


@triton.jit
def phrase_routing_b(logits, expert, chance, count, mass, BLOCK: tl.constexpr, EXPERTS: tl.constexpr):
    """The same; a program sums its tokens by expert first."""
    token, at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, EXPERTS)
    x = tl.load(logits + token[:, None] * EXPERTS + at[None, :]).to(tl.float32)
    most = tl.max(x, 1)
    part = tl.exp(x - most[:, None])
    best = tl.argmax(x, 1)
    p = 1.0 / tl.sum(part, 1)
    tl.store(expert + token, best)
    tl.store(chance + token, p)
    mine = best[:, None] == at[None, :]
    tl.atomic_add(count + at, tl.sum(tl.where(mine, 1.0, 0.0), 0), sem="relaxed")
    tl.atomic_add(mass + at, tl.sum(tl.where(mine, p[:, None], 0.0), 0), sem="relaxed")


@triton.jit
def court_attention(
    q, k, v, out, seq, window, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, SKIP: tl.constexpr
):
    """Attention of court records, each word to itself and the words of the window before it; (heads, seq, D)."""
    head, m = tl.program_id(1) * seq * D, tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    queries = tl.load(q + head + m[:, None] * D + d[None, :])
    most = tl.full((BM,), -1e6, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    first, last = 0, seq
    if SKIP:
        first = tl.maximum(tl.program_id(0) * BM - window, 0) // BN * BN
        last = tl.program_id(0) * BM + BM
    for start in range(first, last, BN):
        n = start + tl.arange(0, BN)
        keys = tl.load(k + head + n[None, :] * D + d[:, None])
        score = tl.dot(queries, keys) * scale
        ago = m[:, None] - n[None, :]
        score = tl.where((ago >= 0) & (ago < window), score, -1e6)
        new = tl.maximum(most, tl.max(score, 1))
        p = tl.exp2(score - new[:, None])
        old = tl.exp2(most - new)
        values = tl.load(v + head + n[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.float16), values, acc * old[:, None])
        total = total * old + tl.sum(p, 1)
        most = new
    tl.store(out + head + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def museum_bytes(rows, codes, scales, WIDE: tl.constexpr, BLOCK: tl.constexpr, STEP: tl.constexpr):
    """Rows of features of museum labels as bytes with a scale a row; a program has BLOCK rows, STEP columns a turn."""
    row, at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, STEP)
    here = row[:, None] * WIDE + at[None, :]
    most = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, WIDE, STEP):
        x = tl.load(rows + here + first).to(tl.float32)
        most = tl.maximum(most, tl.max(tl.abs(x), 1))
    per = 127.0 / tl.maximum(most, 1e-6)
    for first in range(0, WIDE, STEP):
        x = tl.load(rows + here + first).to(tl.float32) * per[:, None]
        code = tl.where(x < 0, x - 0.5, x + 0.5).to(tl.int32)
        tl.store(codes + here + first, code.to(tl.int8))
    tl.store(scales + row, most / 127.0)


@triton.jit
def pool_levels(level, calm, out, hours, pools, keep, BLOCK: tl.constexpr):
    """Level of tide pools hour by hour, smoothed with memory `keep`, and its excess over calm water, (hours, pools)."""
    pool = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rest = tl.load(calm + pool)
    mean = rest
    for hour in range(hours):
        now = tl.load(level + hour * pools + pool)
        mean = keep * mean + (1.0 - keep) * now
        tl.store(out + hour * pools + pool, tl.maximum(mean - rest, 0.0))


@triton.jit
def pool_levels_b(level, calm, out, hours, pools, keep, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """The same; the levels of some hours ahead are on their way."""
    pool = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rest = tl.load(calm + pool)
    mean = rest
    for hour in tl.range(hours, num_stages=STAGES):
        now = tl.load(level + hour * pools + pool)
        mean = keep * mean + (1.0 - keep) * now
        tl.store(out + hour * pools + pool, tl.maximum(mean - rest, 0.0))


@triton.jit
def spelling_chances(scores, chances, words, heat, BLOCK: tl.constexpr):
    """Softmax over all words that a spelling checker knows, a program a misspelt word."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < words
    x = tl.load(scores + row * words + at, mask=inside, other=-float("inf")) * heat
    part = tl.exp(x - tl.max(x, 0))
    tl.store(chances + row * words + at, part / tl.sum(part, 0), mask=inside)


@triton.jit
def wallpaper_windows(picture, windows, high, wide, deep, win, BLOCK: tl.constexpr):
    """Pictures (pictures, high, wide, deep) of wallpapers cut into windows (pictures, down, across, win, win, deep)."""
    here = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel, rest = here % deep, here // deep
    x, rest = rest % win, rest // win
    y, rest = rest % win, rest // win
    across, rest = rest % (wide // win), rest // (wide // win)
    down, number = rest % (high // win), rest // (high // win)
    there = ((number * high + down * win + y) * wide + across * win + x) * deep + channel
    tl.store(windows + here, tl.load(picture + there))


@triton.jit
def wallpaper_windows_b(
    picture,
    windows,
    HIGH: tl.constexpr,
    WIDE: tl.constexpr,
    DEEP: tl.constexpr,
    WIN: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The same, for sizes known to the compiler and places of 32 bits."""
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    channel, rest = here % DEEP, here // DEEP
    x, rest = rest % WIN, rest // WIN
    y, rest = rest % WIN, rest // WIN
    across, rest = rest % (WIDE // WIN), rest // (WIDE // WIN)
    down, number = rest % (HIGH // WIN), rest // (HIGH // WIN)
    there = ((number * HIGH + down * WIN + y) * WIDE + across * WIN + x) * DEEP + channel
    tl.store(windows + here, tl.load(picture + there))
