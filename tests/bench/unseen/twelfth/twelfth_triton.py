# ruff: noqa: N803
"""Kernels in Triton of the twelfth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def scan_totals(scan, total, lock, locks, ROWS: tl.constexpr, BINS: tl.constexpr):
    """Adds ROWS mass spectra (scans, BINS) in halves to one of the totals, each of which has a lock."""
    pid, d = tl.program_id(0), tl.arange(0, BINS)
    part = tl.zeros((BINS,), tl.float32)
    for row in range(ROWS):
        part += tl.load(scan + (pid * ROWS + row) * BINS + d).to(tl.float32)
    slot = pid % locks
    while tl.atomic_cas(lock + slot, 0, 1) == 1:
        pass
    part += tl.load(total + slot * BINS + d)
    tl.store(total + slot * BINS + d, part)
    tl.debug_barrier()  # all of it is written before the lock is given back
    tl.atomic_xchg(lock + slot, 0)


@triton.jit
def robust_doses(reading, dose, spread, turns, N: tl.constexpr):
    """A mean of N readings of a dosimeter with Cauchy weights, by repeated weighting."""
    row = tl.program_id(0)
    value = tl.load(reading + row * N + tl.arange(0, N))
    mean = tl.sum(value, 0) / N
    for _ in range(turns):
        off = (value - mean) * spread
        weight = 1.0 / (1.0 + off * off)
        mean = tl.sum(weight * value, 0) / tl.sum(weight, 0)
    tl.store(dose + row, mean)


@triton.jit
def skylines(height, steepest, REACH: tl.constexpr, LIVE: tl.constexpr, BLOCK: tl.constexpr):
    """The steepest rise from each of BLOCK points of a profile to one of the REACH points after it."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    here = tl.load(height + at)
    best = tl.full((BLOCK,), -1e9, tl.float32)
    for k in range(1, REACH + 1):
        there = tl.load(height + at + k, volatile=LIVE)
        best = tl.maximum(best, (there - here) * (1.0 / k))
    tl.store(steepest + at, best)


@triton.jit
def tree_biomass(girth, height, formula, mass, FORMULAS: tl.constexpr, BLOCK: tl.constexpr):
    """The mean of FORMULAS allometric formulas factor * girth ** power * height ** power for BLOCK trees."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    wide, tall = tl.load(girth + at), tl.load(height + at)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(FORMULAS):
        factor, b, c = tl.load(formula + 3 * k), tl.load(formula + 3 * k + 1), tl.load(formula + 3 * k + 2)
        total += factor * libdevice.pow(wide, b) * libdevice.pow(tall, c)
    tl.store(mass + at, total / FORMULAS)


@triton.jit
def tree_biomass_b(girth, height, formula, mass, FORMULAS: tl.constexpr, BLOCK: tl.constexpr):
    """The same by powers of two, as girth and height are positive."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    wide, tall = tl.log2(tl.load(girth + at)), tl.log2(tl.load(height + at))
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(FORMULAS):
        factor, b, c = tl.load(formula + 3 * k), tl.load(formula + 3 * k + 1), tl.load(formula + 3 * k + 2)
        total += factor * tl.exp2(b * wide + c * tall)
    tl.store(mass + at, total / FORMULAS)
