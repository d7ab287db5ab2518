# ruff: noqa: N803
"""Kernels in Triton of the twenty-first round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def proverb_adapter(x, down, up, out, scale, BM: tl.constexpr, D: tl.constexpr, R: tl.constexpr):
    """States (tokens, D) of proverbs plus a low-rank adapter, x + scale * (x down^T) up; down and up are (R, D)."""
    m, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    here = m[:, None] * D + d[None, :]
    state = tl.load(x + here).to(tl.float32)
    extra = tl.zeros((BM, D), tl.float32)
    for r in range(R):
        a = tl.load(down + r * D + d).to(tl.float32)
        b = tl.load(up + r * D + d).to(tl.float32)
        hidden = tl.sum(state * a[None, :], 1)
        extra += hidden[:, None] * b[None, :]
    tl.store(out + here, (state + scale * extra).to(tl.float16))


@triton.jit
def proverb_adapter_b(x, down, up, out, scale, BM: tl.constexpr, D: tl.constexpr, R: tl.constexpr):
    """The same by two small matrix products."""
    m, d, r = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D), tl.arange(0, R)
    here = m[:, None] * D + d[None, :]
    state = tl.load(x + here)
    a = tl.load(down + r[None, :] * D + d[:, None])
    b = tl.load(up + r[:, None] * D + d[None, :])
    hidden = tl.dot(state, a)
    extra = tl.dot(hidden.to(tl.float16), b)
    tl.store(out + here, (state.to(tl.float32) + scale * extra).to(tl.float16))


@triton.jit
def lullaby_turns(x, out, first, heads, base, BLOCK: tl.constexpr, D: tl.constexpr, HEADS: tl.constexpr):
    """Rotary positions of lullabies' tokens, (tokens, heads, D) in halves; a program has BLOCK tokens, HEADS heads."""
    token, i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D // 2)
    speed = 1.0 / libdevice.pow(base, 2.0 * i.to(tl.float32) / D)
    angle = (first + token).to(tl.float32)[:, None] * speed[None, :]
    c, s = tl.cos(angle), tl.sin(angle)
    for head in range(tl.program_id(1) * HEADS, tl.program_id(1) * HEADS + HEADS):
        here = (token[:, None] * heads + head) * D + i[None, :]
        a = tl.load(x + here).to(tl.float32)
        b = tl.load(x + here + D // 2).to(tl.float32)
        tl.store(out + here, (a * c - b * s).to(tl.float16))
        tl.store(out + here + D // 2, (b * c + a * s).to(tl.float16))


@triton.jit
def riddle_answers(scores, best, which, total, WIDE: tl.constexpr, K: tl.constexpr):
    """The K best of WIDE answers to each riddle with their weights; the best is taken out K times."""
    row, at = tl.program_id(0), tl.arange(0, WIDE)
    x = tl.load(scores + row * WIDE + at)
    most = tl.max(x, 0)
    mass = 0.0
    for k in range(K):
        top, place = tl.max(x, 0, return_indices=True)
        weight = tl.exp(top - most)
        mass += weight
        tl.store(best + row * K + k, weight)
        tl.store(which + row * K + k, place)
        x = tl.where(at == place, -float("inf"), x)
    tl.store(total + row, mass)


@triton.jit
def fable_decode(q, k, v, out, parts, seq, scale, D: tl.constexpr, BN: tl.constexpr, SPLITS: tl.constexpr):
    """Attention of one new word of each (story, head) to a cache of seq words, (heads, seq, D), in SPLITS pieces."""
    head, split, d = tl.program_id(0).to(tl.int64), tl.program_id(1), tl.arange(0, D)
    query = tl.load(q + head * D + d).to(tl.float32) * scale
    most = -float("inf")
    total = 0.0
    acc = tl.zeros((D,), tl.float32)
    each = seq // SPLITS
    for start in range(split * each, split * each + each, BN):
        n = start + tl.arange(0, BN)
        here = head * seq * D + n[:, None] * D + d[None, :]
        keys = tl.load(k + here).to(tl.float32)
        score = tl.sum(keys * query[None, :], 1)
        new = tl.maximum(most, tl.max(score, 0))
        p = tl.exp2(score - new)
        old = tl.exp2(most - new)
        values = tl.load(v + here).to(tl.float32)
        acc = acc * old + tl.sum(values * p[:, None], 0)
        total = total * old + tl.sum(p, 0)
        most = new
    if SPLITS == 1:
        tl.store(out + head * D + d, acc / total)
    else:
        to = parts + (head * SPLITS + split) * (D + 2)
        tl.store(to + d, acc)
        tl.store(to + D, most)
        tl.store(to + D + 1, total)


@triton.jit
def fable_join(parts, out, D: tl.constexpr, SPLITS: tl.constexpr):
    """Joins the pieces of fable_decode."""
    head, s, d = tl.program_id(0), tl.arange(0, SPLITS), tl.arange(0, D)
    at = parts + (head * SPLITS + s) * (D + 2)
    most = tl.load(at + D)
    share = tl.exp2(most - tl.max(most, 0))
    total = tl.sum(share * tl.load(at + D + 1), 0)
    acc = tl.sum(tl.load(at[:, None] + d[None, :]) * share[:, None], 0)
    tl.store(out + head * D + d, acc / total)


@triton.jit
def mushroom_moments(pictures, mean, scale, pixels, channels, BLOCK: tl.constexpr):
    """Mean and 1 / deviation of a channel of a picture of mushrooms, (pictures, pixels, channels)."""
    channel, picture = tl.program_id(0), tl.program_id(1)
    base = pictures + picture * pixels * channels + channel
    one = tl.zeros((BLOCK,), tl.float32)
    two = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, pixels, BLOCK):
        pixel = start + tl.arange(0, BLOCK)
        x = tl.load(base + pixel * channels, mask=pixel < pixels, other=0.0)
        one += x
        two += x * x
    average = tl.sum(one, 0) / pixels
    spread = tl.sum(two, 0) / pixels - average * average
    tl.store(mean + picture * channels + channel, average)
    tl.store(scale + picture * channels + channel, tl.rsqrt(spread + 1e-5))


@triton.jit
def mushroom_moments_b(pictures, mean, scale, pixels, channels, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    """The same for WIDE channels next to each other."""
    channel, picture = tl.program_id(0) * WIDE + tl.arange(0, WIDE), tl.program_id(1)
    base = pictures + picture * pixels * channels + channel
    one = tl.zeros((BLOCK, WIDE), tl.float32)
    two = tl.zeros((BLOCK, WIDE), tl.float32)
    for start in range(0, pixels, BLOCK):
        pixel = start + tl.arange(0, BLOCK)
        x = tl.load(base[None, :] + pixel[:, None] * channels, mask=pixel[:, None] < pixels, other=0.0)
        one += x
        two += x * x
    average = tl.sum(one, 0) / pixels
    spread = tl.sum(two, 0) / pixels - average * average
    tl.store(mean + picture * channels + channel, average)
    tl.store(scale + picture * channels + channel, tl.rsqrt(spread + 1e-5))


@triton.jit
def comic_layer(x, w, bias, out, deep, wide, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A dense layer with ReLU over panels of comic strips: x (panels, deep), w (deep, wide), float16."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_at = x + m[:, None] * deep + k[None, :]
    b_at = w + k[:, None] * wide + n[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, deep, BK):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += BK
        b_at += BK * wide
    total = tl.maximum(total + tl.load(bias + n)[None, :], 0.0)
    tl.store(out + m[:, None] * wide + n[None, :], total.to(tl.float16))


@triton.jit
def wedding_bags(table, items, starts, out, D: tl.constexpr, BLOCK: tl.constexpr):
    """Sum of the vectors of all gifts on a wedding list, a program a list: items[starts[i]:starts[i + 1]] of table."""
    bag, d = tl.program_id(0), tl.arange(0, D)
    first, last = tl.load(starts + bag), tl.load(starts + bag + 1)
    acc = tl.zeros((BLOCK, D), tl.float32)
    for start in range(first, last, BLOCK):
        at = start + tl.arange(0, BLOCK)
        item = tl.load(items + at, mask=at < last, other=0)
        acc += tl.load(table + item[:, None] * D + d[None, :], mask=(at < last)[:, None], other=0.0).to(tl.float32)
    tl.store(out + bag * D + d, tl.sum(acc, 0))


@triton.jit
def wedding_bags_b(table, items, lists, begins, ends, out, D: tl.constexpr, BLOCK: tl.constexpr):
    """The same from pieces of lists, none of them long; the sums of pieces are added up."""
    piece, d = tl.program_id(0), tl.arange(0, D)
    bag, first, last = tl.load(lists + piece), tl.load(begins + piece), tl.load(ends + piece)
    acc = tl.zeros((BLOCK, D), tl.float32)
    for start in range(first, last, BLOCK):
        at = start + tl.arange(0, BLOCK)
        item = tl.load(items + at, mask=at < last, other=0)
        acc += tl.load(table + item[:, None] * D + d[None, :], mask=(at < last)[:, None], other=0.0).to(tl.float32)
    tl.atomic_add(out + bag * D + d, tl.sum(acc, 0), sem="relaxed")


@triton.jit
def news_interest(read_at, value, now, out, BLOCK: tl.constexpr):
    """Interest in a newspaper article left from a reading, which fades from hour to year."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    age = tl.load(now) - tl.load(read_at + at)
    fresh = 0.4 * tl.exp(age * (-1.0 / 3600)) + 0.2 * tl.exp(age * (-1.0 / 21600)) + 0.1 * tl.exp(age * (-1.0 / 86400))
    stale = tl.exp(age * (-1.0 / 604800)) + tl.exp(age * (-1.0 / 2592000)) + tl.exp(age * (-1.0 / 31536000))
    tl.store(out + at, (tl.load(value + at) * (fresh + 0.1 * stale)).to(tl.float32))


@triton.jit
def news_interest_b(read_at, value, now, out, BLOCK: tl.constexpr):
    """The same; the age is a float from where the times were subtracted."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    age = (tl.load(now) - tl.load(read_at + at)).to(tl.float32)
    fresh = 0.4 * tl.exp(age * (-1.0 / 3600)) + 0.2 * tl.exp(age * (-1.0 / 21600)) + 0.1 * tl.exp(age * (-1.0 / 86400))
    stale = tl.exp(age * (-1.0 / 604800)) + tl.exp(age * (-1.0 / 2592000)) + tl.exp(age * (-1.0 / 31536000))
    tl.store(out + at, tl.load(value + at) * (fresh + 0.1 * stale))
