# ruff: noqa: N803
"""Kernels in Triton of the tenth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def crowd_maps(head_x, head_y, density, heads, side, shrink, TILE: tl.constexpr):
    """The density of a crowd: a Gaussian of each of the heads of a picture, summed at TILE by TILE of its pixels."""
    picture = tl.program_id(2)
    x = tl.program_id(0) * TILE + tl.arange(0, TILE)
    y = tl.program_id(1) * TILE + tl.arange(0, TILE)
    at_x, at_y = x.to(tl.float32), y.to(tl.float32)
    total = tl.zeros((TILE, TILE), tl.float32)
    for k in range(heads):
        dx = (at_x - tl.load(head_x + picture * heads + k)) * shrink
        dy = (at_y - tl.load(head_y + picture * heads + k)) * shrink
        total += tl.exp2(-((dy * dy)[:, None] + (dx * dx)[None, :]))
    tl.store(density + picture * side * side + y[:, None] * side + x[None, :], total)


@triton.jit
def crowd_maps_b(head_x, head_y, density, heads, side, shrink, TILE: tl.constexpr):
    """The same; a Gaussian is the product of one along x and one along y."""
    picture = tl.program_id(2)
    x = tl.program_id(0) * TILE + tl.arange(0, TILE)
    y = tl.program_id(1) * TILE + tl.arange(0, TILE)
    at_x, at_y = x.to(tl.float32), y.to(tl.float32)
    total = tl.zeros((TILE, TILE), tl.float32)
    for k in range(heads):
        dx = (at_x - tl.load(head_x + picture * heads + k)) * shrink
        dy = (at_y - tl.load(head_y + picture * heads + k)) * shrink
        along, down = tl.exp2(-(dx * dx)), tl.exp2(-(dy * dy))
        total += down[:, None] * along[None, :]
    tl.store(density + picture * side * side + y[:, None] * side + x[None, :], total)


@triton.jit
def hash_rows(key, seed, slot, n, rows, WAYS: tl.constexpr, BLOCK: tl.constexpr):
    """The rows of a table of vectors that keys share, one for each of WAYS hash functions (WAYS, n)."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number = tl.load(key + at)
    for way in range(WAYS):
        mixed = number * tl.load(seed + way)
        mixed = (mixed ^ (mixed >> 31)) & 0x7FFFFFFFFFFFFFFF
        tl.store(slot + way * n + at, (mixed % rows).to(tl.int32))


@triton.jit
def hash_rows_b(key, seed, slot, n, ROWS: tl.constexpr, WAYS: tl.constexpr, BLOCK: tl.constexpr):
    """The same; the number of rows is known when it is compiled."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number = tl.load(key + at)
    for way in range(WAYS):
        mixed = number * tl.load(seed + way)
        mixed = (mixed ^ (mixed >> 31)) & 0x7FFFFFFFFFFFFFFF
        tl.store(slot + way * n + at, (mixed % ROWS).to(tl.int32))


@triton.jit
def member_totals(event, first, last, total, D: tl.constexpr, ROWS: tl.constexpr):
    """Sums over the events (events, D) of a member, which lie one after another; a member a program."""
    member = tl.program_id(0)
    begin, end = tl.load(first + member), tl.load(last + member)
    row, d = tl.arange(0, ROWS), tl.arange(0, D)
    summed = tl.zeros((ROWS, D), tl.float32)
    for k in range(begin, end, ROWS):
        at = k + row
        summed += tl.load(event + at[:, None] * D + d[None, :], mask=at[:, None] < end, other=0.0)
    tl.store(total + member * D + d, tl.sum(summed, 0))


@triton.jit
def member_totals_b(event, begin, stop, whose, total, D: tl.constexpr, ROWS: tl.constexpr):
    """The same by pieces of at most 64 events of a member; a piece a program, added to totals that are 0."""
    piece = tl.program_id(0)
    start, end, member = tl.load(begin + piece), tl.load(stop + piece), tl.load(whose + piece)
    row, d = tl.arange(0, ROWS), tl.arange(0, D)
    summed = tl.zeros((ROWS, D), tl.float32)
    for k in range(start, end, ROWS):
        at = k + row
        summed += tl.load(event + at[:, None] * D + d[None, :], mask=at[:, None] < end, other=0.0)
    tl.atomic_add(total + member * D + d, tl.sum(summed, 0), sem="relaxed")


@triton.jit
def unit_tokens(x, weight, y, tokens, eps, D: tl.constexpr):
    """Rows of x (tokens, D) over their root mean square, times a weight; a program takes every so manyth row."""
    d = tl.arange(0, D)
    w = tl.load(weight + d).to(tl.float32)
    for token in range(tl.program_id(0), tokens, tl.num_programs(0)):
        v = tl.load(x + token * D + d).to(tl.float32)
        scale = tl.rsqrt(tl.sum(v * v, 0) / D + eps)
        tl.store(y + token * D + d, (v * scale * w).to(tl.float16))


@triton.jit
def token_losses(logits, target, loss, words, BLOCK: tl.constexpr):
    """The cross-entropy of a token's logits (tokens, words) with its target; a token a program."""
    token = tl.program_id(0)
    row, at = logits + token * words, tl.arange(0, BLOCK)
    high = tl.full((BLOCK,), -1.0e30, tl.float32)
    for first in range(0, words, BLOCK):
        high = tl.maximum(high, tl.load(row + first + at).to(tl.float32))
    most = tl.max(high, 0)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, words, BLOCK):
        total += tl.exp(tl.load(row + first + at).to(tl.float32) - most)
    own = tl.load(row + tl.load(target + token)).to(tl.float32)
    tl.store(loss + token, most + tl.log(tl.sum(total, 0)) - own)


@triton.jit
def token_losses_b(logits, target, loss, words, BLOCK: tl.constexpr):
    """The same; the sum is scaled anew whenever a larger logit is found."""
    token = tl.program_id(0)
    row, at = logits + token * words, tl.arange(0, BLOCK)
    most = -1.0e30
    total = 0.0
    for first in range(0, words, BLOCK):
        x = tl.load(row + first + at).to(tl.float32)
        higher = tl.maximum(tl.max(x, 0), most)
        total = total * tl.exp(most - higher) + tl.sum(tl.exp(x - higher), 0)
        most = higher
    own = tl.load(row + tl.load(target + token)).to(tl.float32)
    tl.store(loss + token, most + tl.log(total) - own)
