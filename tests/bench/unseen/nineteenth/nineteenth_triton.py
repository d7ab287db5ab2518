# ruff: noqa: N803
"""Kernels in Triton of the nineteenth round; importable only where Triton is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def rover_frames(codes, table, mean, pixels, FRAMES: tl.constexpr, BLOCK: tl.constexpr):
    """Mean light of FRAMES frames (FRAMES, pixels) of codes of 12 bits, which a table turns into light."""
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for frame in tl.static_range(FRAMES):
        code = tl.load(codes + frame * pixels + here)
        total += tl.load(table + code)
    tl.store(mean + here, total / FRAMES)


@triton.jit
def rover_frames_b(codes, mean, pixels, FRAMES: tl.constexpr, BLOCK: tl.constexpr):
    """The same; the light is worked out, as the camera took the root of it."""
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for frame in tl.static_range(FRAMES):
        code = tl.load(codes + frame * pixels + here).to(tl.float32)
        total += code * code * (1.0 / 4096.0)
    tl.store(mean + here, total / FRAMES)


@triton.jit
def carpet_dyes(wool, taken, colour, BLOCK: tl.constexpr):
    """Colour of each tuft of a carpet from the lightness of its wool and the dye that it took."""
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(wool + here).to(tl.float32) * (1.0 - 0.6 * tl.load(taken + here).to(tl.float32))
    tl.store(colour + here, tl.minimum(tl.maximum(left, 0.05), 0.95).to(tl.float16))


@triton.jit
def kayak_strokes(force, work, samples, BLOCK: tl.constexpr):
    """Sum of squares of each paddle's force (paddles, samples), a program a paddle."""
    paddle, at = tl.program_id(0), tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, samples, BLOCK):
        x = tl.load(force + paddle * samples + first + at)
        total += x * x
    tl.store(work + paddle, tl.sum(total, 0))


@triton.jit
def kayak_strokes_b(force, work, samples, piece, BLOCK: tl.constexpr):
    """The same; a program takes a piece of a paddle's samples and adds its sum to the paddle's."""
    paddle, at = tl.program_id(1), tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, piece, BLOCK):
        x = tl.load(force + paddle * samples + tl.program_id(0) * piece + first + at)
        total += x * x
    tl.atomic_add(work + paddle, tl.sum(total, 0), sem="relaxed")


@triton.jit
def colloid_centres(voxels, centres, SIDE: tl.constexpr, WIDE: tl.constexpr, TURNS: tl.constexpr):
    """Centre of a bead in a cube of SIDE voxels a side, by TURNS turns of a mean under Gaussians about it."""
    bead, at = tl.program_id(0), tl.arange(0, WIDE)
    z, y, x = at[:, None, None], at[None, :, None], at[None, None, :]
    inside = (z < SIDE) & (y < SIDE) & (x < SIDE)
    here = bead * SIDE * SIDE * SIDE + (z * SIDE + y) * SIDE + x
    light = tl.load(voxels + here, mask=inside, other=0.0)
    fx, fy, fz = x.to(tl.float32), y.to(tl.float32), z.to(tl.float32)
    cx = (SIDE - 1) * 0.5
    cy = (SIDE - 1) * 0.5
    cz = (SIDE - 1) * 0.5
    for _ in tl.static_range(TURNS):
        dx, dy, dz = fx - cx, fy - cy, fz - cz
        far = dx * dx + dy * dy + dz * dz
        weight = light * (tl.exp(far * -0.08) + 0.5 * tl.exp(far * -0.02))
        total = tl.sum(weight)
        cx += tl.sum(weight * dx) / total
        cy += tl.sum(weight * dy) / total
        cz += tl.sum(weight * dz) / total
    tl.store(centres + bead * 3, cx)
    tl.store(centres + bead * 3 + 1, cy)
    tl.store(centres + bead * 3 + 2, cz)


@triton.jit
def colloid_centres_b(voxels, centres, SIDE: tl.constexpr, ALL: tl.constexpr, TURNS: tl.constexpr):
    """The same; the voxels of the cube as one row of ALL lanes."""
    bead, at = tl.program_id(0), tl.arange(0, ALL)
    light = tl.load(voxels + bead * SIDE * SIDE * SIDE + at, mask=at < SIDE * SIDE * SIDE, other=0.0)
    fx = (at % SIDE).to(tl.float32)
    fy = (at // SIDE % SIDE).to(tl.float32)
    fz = (at // (SIDE * SIDE)).to(tl.float32)
    cx = (SIDE - 1) * 0.5
    cy = (SIDE - 1) * 0.5
    cz = (SIDE - 1) * 0.5
    for _ in tl.static_range(TURNS):
        dx, dy, dz = fx - cx, fy - cy, fz - cz
        far = dx * dx + dy * dy + dz * dz
        weight = light * (tl.exp(far * -0.08) + 0.5 * tl.exp(far * -0.02))
        total = tl.sum(weight)
        cx += tl.sum(weight * dx) / total
        cy += tl.sum(weight * dy) / total
        cz += tl.sum(weight * dz) / total
    tl.store(centres + bead * 3, cx)
    tl.store(centres + bead * 3 + 1, cy)
    tl.store(centres + bead * 3 + 2, cz)
