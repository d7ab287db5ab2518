"""More pairs of the .cu files here: pictures, words, ledgers."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from fourth_ours import same
from pair import SMS, Cases, Pair, f32, i32, i64, launch, zero

CASES = Cases()
case = CASES.add


# ---- pictures and volumes
@case
def smooth_depth(t: Tools) -> Pair:
    xp, planes = t.xp, t.size(32, 2)
    volume, out = t.rng.random((planes, 2048, 2048), dtype=f32), xp.zeros((planes, 2048, 2048), f32)

    def ref() -> Any:
        want = xp.zeros_like(volume)
        for k, w in enumerate((0.02, 0.06, 0.12, 0.18, 0.24, 0.18, 0.12, 0.06, 0.02)):
            for z in range(planes):
                want[z] += f32(w) * volume[min(max(z + k - 4, 0), planes - 1)]
        return [want]

    args, grids = (volume, out, i32(planes)), ((8, 2048, planes), (planes, 8, 2048))
    return same(t, "pictures", "smooth_depth", grids, 256, args, out, ref=ref, near=1e-5)


@case
def picture_blocks(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 20, 1 << 10)
    waves, out = t.rng.standard_normal((64, n), dtype=f32) * f32(40), xp.zeros((64, n), f32)

    def ref() -> Any:
        at, wave = np.arange(8)[:, None], np.arange(8)[None, :]
        basis = np.where(wave == 0, 1, 2**0.5 * np.cos((2 * at + 1) * wave * np.pi / 16))
        whole = xp.asarray(np.kron(basis, basis).astype(f32))
        return [xp.clip(0.125 * (whole @ waves) + 128, 0, 255)]

    args, grid = (waves, out, i32(n)), n // 256
    return same(t, "pictures", "picture_blocks", (grid, grid), 256, args, out, ref=ref, near=2e-3)


@case
def match_stamp(t: Tools) -> Pair:
    xp, side = t.xp, t.size(4096, 128)
    picture, stamp = t.rng.random((side + 10, side + 32), dtype=f32), t.rng.standard_normal((11, 11), dtype=f32)
    out = xp.zeros((side, side), f32)
    t.constant("pictures", "stamp", stamp.reshape(121))

    def ref() -> Any:
        want, weight = xp.zeros((side, side)), t.host(stamp).tolist()
        for j in range(11):
            for i in range(11):
                want += weight[j][i] * picture[j : j + side, i : i + side]
        return [want]

    args, grids = (picture, out, i32(side), i32(side + 32)), ((side // 32, side // 8), (side // 32, side // 64))
    return same(t, "pictures", "match_stamp", grids, (32, 8), args, out, ref=ref, near=1e-4)


@case
def blur_rows(t: Tools) -> Pair:
    xp, height, width, sigma = t.xp, t.size(2048, 4), t.size(4096, 256), 5.5
    picture, out = t.rng.random((height, width + 32), dtype=f32), xp.zeros((height, width), f32)
    weight = np.exp(-0.5 * (np.arange(-15, 16) / sigma) ** 2)
    weight /= weight.sum()
    t.constant("pictures", "blur_weight", xp.asarray(weight.astype(f32)))

    def ref() -> Any:
        return [sum(float(w) * picture[:, k + 1 : k + 1 + width] for k, w in enumerate(weight))]

    grid, args = (width // 256, height), (picture, out, i32(width))
    slow = launch(t, "pictures", "blur_rows", grid, 256, (*args, f32(sigma)))
    return Pair(slow, launch(t, "pictures", "blur_rows_b", grid, 256, args), lambda _: (out,), ref, 1e-4)


@case
def expose_frame(t: Tools) -> Pair:
    xp, width, height = t.xp, t.size(8192, 64), t.size(4096, 64)
    n = width * height
    hot = t.rng.random(n, dtype=f32) < f32(1 / 8192)
    raw = xp.where(hot, f32(5000), t.rng.random(n, dtype=f32) * f32(20) + f32(100)).astype(f32)
    dark, gain = t.rng.random(n, dtype=f32) * f32(5), t.rng.random(n, dtype=f32) * f32(0.1) + f32(1)
    out = xp.zeros(n, f32)
    args, grid = (raw, dark, gain, out, i32(width), i32(n), f32(1000)), n // 256
    return same(t, "pictures", "expose_frame", (grid, grid), 256, args, out, near=1e-3)


# ---- words and sequences
@case
def anagram_keys(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 23, 1 << 10)
    letter = t.rng.integers(0, 26, (12, n), dtype=i32).astype(xp.uint8)
    places = [(letter[k].astype(xp.uint32) + xp.uint32(97)) << xp.uint32(8 * (k % 4)) for k in range(12)]
    word = xp.stack([places[k] | places[k + 1] | places[k + 2] | places[k + 3] for k in (0, 4, 8)])
    del places
    key = xp.zeros(n, xp.uint32)

    def ref() -> Any:
        hashed = xp.full(n, 17, xp.uint32)
        for k in range(26):
            hashed = hashed * xp.uint32(31) + (letter == k).sum(axis=0).astype(xp.uint32)
        return [hashed]

    args, grid = (word, key, i32(n)), n // 256
    return same(t, "texts", "anagram_keys", (grid, grid), 256, args, key, ref=ref)


@case
def common_bases(t: Tools) -> Pair:
    xp, pairs = t.xp, t.size(SMS * 7 * 128, 128)
    a, b = (t.uint32((15, pairs), (1 << 31) - 1) for _ in range(2))
    length = xp.zeros(pairs, i32)
    args = (a, b, length, i32(pairs))
    slow = launch(t, "texts", "common_bases", pairs // 128, 128, args, 240 * 128 * 4)
    cured = launch(t, "texts", "common_bases_b", pairs // 128, 128, args, 240 * 128)
    return Pair(slow, cured, lambda _: (length,))


@case
def count_commas(t: Tools) -> Pair:
    xp, lines = t.xp, t.size(1 << 21, 1 << 8)
    text = xp.where(t.rng.random((lines, 64), dtype=f32) < 0.1, 44, t.rng.integers(48, 123, (lines, 64), dtype=i32))
    text, commas = text.astype(xp.uint8), xp.zeros(lines, i32)
    slow = launch(t, "texts", "count_commas", lines, 64, (text, commas))
    cured = launch(t, "texts", "count_commas_b", SMS * 8, 256, (text, commas, i32(lines)))
    return Pair(slow, cured, lambda _: (commas,), lambda: [(text == 44).sum(axis=1).astype(i32)])


# ---- packets and points
@case
def send_packets(t: Tools) -> Pair:
    xp, packets = t.xp, t.size(1 << 20, 1 << 8)
    words, out = t.uint32((packets, 32), (1 << 31) - 1), xp.zeros((packets, 32), xp.uint32)
    ready = xp.zeros(packets, xp.uint32)

    def ref() -> Any:
        sums = xp.cumsum(words * xp.uint32(2654435761), axis=1, dtype=xp.uint32)
        return [words ^ sums, sums[:, 31] | xp.uint32(1)]

    args, grid = (words, out, ready, i32(packets)), SMS * 8
    return same(t, "packets", "send_packets", (grid, grid), 256, args, (out, ready), ref=ref)


@case
def harden_points(t: Tools) -> Pair:
    xp, elements = t.xp, t.size(1 << 17, 1 << 6)
    n = elements * 40
    strain, strength = t.rng.standard_normal(n, dtype=f32), t.rng.random(elements, dtype=f32) * f32(0.5) + f32(0.1)
    stress = xp.zeros(n, f32)
    args = (strain, strength, stress, i32(n))
    calls = (launch(t, "packets", "harden_points", n // b, b, args) for b in (40, 320))
    return Pair(*calls, lambda _: (stress,), None, 1e-6)


# ---- ledgers
@case
def list_offsets(t: Tools) -> Pair:
    xp, rows = t.xp, t.size(1 << 13, 4)
    count, offset = t.uint32((rows, 4096), 50), xp.zeros((rows, 4096), xp.uint32)
    ref = lambda: [(xp.cumsum(count, axis=1, dtype=i64) - count).astype(xp.uint32)]  # noqa: E731
    return same(t, "ledgers", "list_offsets", (rows, rows), 128, (count, offset), offset, ref=ref)


@case
def playlist_seconds(t: Tools) -> Pair:
    xp, lists = t.xp, t.size(1 << 18, 1 << 8)
    length = np.random.default_rng(4).integers(8, 57, lists)
    length[5 :: t.size(4096, 128)] = t.size(1 << 16, 1 << 11)
    first = np.concatenate([[0], np.cumsum(length)])
    parts = -(-length // 512)
    owner = np.repeat(np.arange(lists), parts)
    number = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    piece = xp.asarray(np.stack([owner, first[owner] + 512 * number], axis=1).astype(i32))
    song = t.rng.integers(0, 1 << 22, int(first[-1]), dtype=i32)
    seconds, total = t.uint32(1 << 22, 400) + xp.uint32(60), xp.zeros(lists, xp.uint32)
    first = xp.asarray(first.astype(i32))

    def ref() -> Any:
        sums = xp.concatenate([xp.zeros(1, i64), xp.cumsum(seconds[song], dtype=i64)])
        return [(sums[first[1:]] - sums[first[:-1]]).astype(xp.uint32)]

    rest, pieces = (first, song, seconds, total), len(owner)
    slow = launch(t, "ledgers", "playlist_seconds", lists // 8, 256, (*rest, i32(lists)))
    cured = launch(t, "ledgers", "playlist_seconds_b", -(-pieces // 8), 256, (piece, *rest, i32(pieces)))
    return Pair(slow, cured, lambda _: (total,), ref, reset=zero(total))


@case
def count_arrivals(t: Tools) -> Pair:
    xp, n = t.xp, t.size(1 << 24, 1 << 12)
    airport = xp.minimum(f32(2048) ** t.rng.random(n, dtype=f32) - 1, 2047).astype(i32)
    late = t.rng.integers(0, 90, n, dtype=i32)
    flights, minutes = xp.zeros(2048, xp.uint32), xp.zeros(2048, xp.uint32)

    def ref() -> Any:
        sums = xp.bincount(airport, late.astype(np.float64), 2048)
        return [xp.bincount(airport, minlength=2048).astype(xp.uint32), sums.astype(i64).astype(xp.uint32)]

    args, more = (airport, late, flights, minutes, i32(n)), {"ref": ref, "reset": zero(flights, minutes)}
    return same(t, "ledgers", "count_arrivals", (SMS * 2, SMS * 2), 1024, args, (flights, minutes), **more)


@case
def tally_boxes(t: Tools) -> Pair:
    xp, boxes = t.xp, t.size(1024, 4)
    ballot, tally = t.rng.integers(0, 64, (boxes, 4096), dtype=i32).astype(xp.uint8), xp.zeros(192, xp.uint32)
    taken, turn = xp.zeros(1, i32), xp.zeros(1, i32)

    def ref() -> Any:
        box = xp.arange(boxes, dtype=i64)[:, None] * 64 + ballot
        votes = xp.bincount(box.reshape(-1), minlength=boxes * 64).reshape(boxes, 64)
        parts = [votes.sum(axis=0), (votes > 0).sum(axis=0), votes.max(axis=0)]
        return [xp.concatenate(parts).astype(xp.uint32)]

    slow = launch(t, "ledgers", "tally_boxes", boxes, 256, (ballot, tally, taken, turn))
    cured = launch(t, "ledgers", "tally_boxes_b", boxes, 256, (ballot, tally))
    return Pair(slow, cured, lambda _: (tally,), ref, reset=zero(tally, taken, turn))
