# ruff: noqa: N803
"""Kernels in Triton of the twenty-second round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def haiku_words(scores, bias, out, entropy, cold, wide, BLOCK: tl.constexpr):
    """Chances of the next word of a haiku and their entropy, a program for a row of scores."""
    row, word = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    here = word < wide
    x = tl.load(scores + row * wide + word, mask=here, other=-float("inf"))
    x = (x + tl.load(bias + word, mask=here, other=0.0)) * cold
    x = x - tl.max(x, 0)
    chance = tl.exp(x)
    total = tl.sum(chance, 0)
    surprise = tl.sum(tl.where(here, chance * x, 0.0), 0)
    tl.store(out + row * wide + word, chance / total, mask=here)
    tl.store(entropy + row, tl.log(total) - surprise / total)


@triton.jit
def horoscope_experts(logits, best, share, counts, BM: tl.constexpr, E: tl.constexpr, TURNS: tl.constexpr):
    """The best of E experts for each token of horoscopes, its share, and how many tokens each expert has."""
    e = tl.arange(0, E)
    for turn in range(TURNS):
        token = (tl.program_id(0) * TURNS + turn) * BM + tl.arange(0, BM)
        x = tl.load(logits + token[:, None] * E + e[None, :])
        top, expert = tl.max(x, 1, return_indices=True)
        mass = tl.sum(tl.exp(x - top[:, None]), 1)
        tl.store(best + token, expert)
        tl.store(share + token, 1.0 / mass)
        tl.atomic_add(counts + expert, 1, sem="relaxed")


@triton.jit
def horoscope_experts_b(logits, best, share, counts, BM: tl.constexpr, E: tl.constexpr, TURNS: tl.constexpr):
    """The same; tokens are counted within the program first."""
    e = tl.arange(0, E)
    seen = tl.zeros((E,), tl.int32)
    for turn in range(TURNS):
        token = (tl.program_id(0) * TURNS + turn) * BM + tl.arange(0, BM)
        x = tl.load(logits + token[:, None] * E + e[None, :])
        top, expert = tl.max(x, 1, return_indices=True)
        mass = tl.sum(tl.exp(x - top[:, None]), 1)
        tl.store(best + token, expert)
        tl.store(share + token, 1.0 / mass)
        seen += tl.sum((expert[:, None] == e[None, :]).to(tl.int32), 0)
    tl.atomic_add(counts + e, seen, sem="relaxed")


@triton.jit
def sign_memory(x, keep, out, frames, deep, BLOCK: tl.constexpr):
    """Gated memory over the frames of films of sign language, h = keep * h + x; all arrays (films, frames, deep)."""
    film, d = tl.program_id(1).to(tl.int64), tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    here = film * frames * deep + d
    h = tl.zeros((BLOCK,), tl.float32)
    for _ in range(frames):
        gate = tl.sigmoid(tl.load(keep + here))
        h = gate * h + (1.0 - gate) * tl.load(x + here)
        tl.store(out + here, h)
        here += deep


@triton.jit
def sign_step(gate_a, value_a, gate_b, value_b):
    """Two stretches of the gated memory, one after the other, as one."""
    return gate_a * gate_b, gate_b * value_a + value_b


@triton.jit
def sign_memory_b(x, keep, out, frames, deep, BLOCK: tl.constexpr, T: tl.constexpr):
    """The same, T frames at a time by a scan."""
    film, d = tl.program_id(1).to(tl.int64), tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    step = tl.arange(0, T)
    here = film * frames * deep + step[:, None] * deep + d[None, :]
    h = tl.zeros((BLOCK,), tl.float32)
    for _ in range(0, frames, T):
        gate = tl.sigmoid(tl.load(keep + here))
        value = (1.0 - gate) * tl.load(x + here)
        whole, part = tl.associative_scan((gate, value), 0, sign_step)
        state = part + whole * h[None, :]
        tl.store(out + here, state)
        h = tl.sum(tl.where(step[:, None] == T - 1, state, 0.0), 0)
        here += T * deep


@triton.jit
def bonsai_gelu(x, bias, out, wide, BLOCK: tl.constexpr):
    """GELU of a layer of a network that grades bonsai, by the formula with tanh."""
    row, at = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + row * wide + at).to(tl.float32) + tl.load(bias + at)
    inner = 0.7978845608 * (a + 0.044715 * libdevice.pow(a, 3.0))
    tl.store(out + row * wide + at, (0.5 * a * (1.0 + libdevice.tanh(inner))).to(tl.float16))


@triton.jit
def bonsai_gelu_b(x, bias, out, wide, BLOCK: tl.constexpr):
    """The same by products and a logistic function."""
    row, at = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + row * wide + at).to(tl.float32) + tl.load(bias + at)
    inner = 0.7978845608 * (a + 0.044715 * a * a * a)
    tl.store(out + row * wide + at, (a * tl.sigmoid(2.0 * inner)).to(tl.float16))


@triton.jit
def basket_items(items, price, starts, taste, out, D: tl.constexpr, BLOCK: tl.constexpr):
    """Vectors of the items in grocery baskets of many lengths, weighed by price and by the buyer's taste (baskets, D).

    The grid has a row of programs for each basket, as long as the longest basket needs.
    """
    basket, tile, d = tl.program_id(1), tl.program_id(0), tl.arange(0, D)
    first, last = tl.load(starts + basket), tl.load(starts + basket + 1)
    if first + tile * BLOCK >= last:
        return
    liking = tl.load(taste + basket * D + d)
    at = first + tile * BLOCK + tl.arange(0, BLOCK)
    here = at[:, None] * D + d[None, :]
    weight = tl.log(1.0 + tl.load(price + at, mask=at < last, other=0.0))
    vector = tl.load(items + here, mask=(at < last)[:, None], other=0.0).to(tl.float32)
    tl.store(out + here, (vector * liking[None, :] * weight[:, None]).to(tl.float16), mask=(at < last)[:, None])


@triton.jit
def basket_items_b(items, price, starts, taste, out, D: tl.constexpr, BLOCK: tl.constexpr, EACH: tl.constexpr):
    """The same; EACH programs go through a basket."""
    basket, tile, d = tl.program_id(1), tl.program_id(0), tl.arange(0, D)
    first, last = tl.load(starts + basket), tl.load(starts + basket + 1)
    liking = tl.load(taste + basket * D + d)
    for start in range(first + tile * BLOCK, last, EACH * BLOCK):
        at = start + tl.arange(0, BLOCK)
        here = at[:, None] * D + d[None, :]
        weight = tl.log(1.0 + tl.load(price + at, mask=at < last, other=0.0))
        vector = tl.load(items + here, mask=(at < last)[:, None], other=0.0).to(tl.float32)
        tl.store(out + here, (vector * liking[None, :] * weight[:, None]).to(tl.float16), mask=(at < last)[:, None])


@triton.jit
def trail_messages(state, source, target, length, out, edges, D: tl.constexpr, BLOCK: tl.constexpr):
    """Messages along hiking trails: states of the junctions they come from, weighed by length, added at the target."""
    edge, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    here = edge < edges
    a = tl.load(source + edge, mask=here, other=0)
    b = tl.load(target + edge, mask=here, other=0)
    weight = tl.exp(-tl.load(length + edge, mask=here, other=0.0))
    message = tl.load(state + a[:, None] * D + d[None, :], mask=here[:, None], other=0.0).to(tl.float32)
    tl.atomic_add(out + b[:, None] * D + d[None, :], message * weight[:, None], mask=here[:, None])


@triton.jit
def trail_messages_b(state, source, target, length, out, edges, D: tl.constexpr, BLOCK: tl.constexpr):
    """The same; additions are in no order with other accesses."""
    edge, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    here = edge < edges
    a = tl.load(source + edge, mask=here, other=0)
    b = tl.load(target + edge, mask=here, other=0)
    weight = tl.exp(-tl.load(length + edge, mask=here, other=0.0))
    message = tl.load(state + a[:, None] * D + d[None, :], mask=here[:, None], other=0.0).to(tl.float32)
    to = out + b[:, None] * D + d[None, :]
    tl.atomic_add(to, message * weight[:, None], mask=here[:, None], sem="relaxed")


@triton.jit
def sourdough_rise(warmth, base, knots, slope, out, many, K: tl.constexpr, BLOCK: tl.constexpr):
    """Rise of loaves of sourdough by their warmth, a curve of straight pieces that bends at K knots."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(warmth + at, mask=at < many, other=0.0)
    rise = tl.zeros((BLOCK,), tl.float32) + tl.load(base)
    for k in range(K):
        rise += tl.load(slope + k) * tl.maximum(w - tl.load(knots + k), 0.0)
    tl.store(out + at, rise, mask=at < many)
