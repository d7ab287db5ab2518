"""Pairs of the twelfth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 211


# ---- CuPy
@case
def cupy_leaf_greenness(t: Tools) -> Pair:
    cp, frames, pixels, some = t.xp, 512, 1 << 16, 1 << 10
    red, green, blue = (f32(0.1) + t.rng.random((frames, pixels), dtype=f32) for _ in range(3))
    kernel = cp.ElementwiseKernel(
        "float32 red, float32 green, float32 blue",
        "float32 share",
        "share = green / (red + green + blue)",
        "leaf_greenness",
    )
    traces, shares = cp.zeros((pixels, frames), f32), cp.zeros((frames, pixels), f32)

    def ref() -> Any:
        r, g, b = (colour[:, -some:].T.astype(np.float64) for colour in (red, green, blue))
        return [g / (r + g + b)]

    return Pair(
        lambda: kernel(red.T, green.T, blue.T, traces),
        lambda: kernel(red, green, blue, shares),
        lambda which: [traces[-some:] if which == "slow" else shares.T[-some:]],
        ref,
        1e-5,
    )


@case
def cupy_drug_levels(t: Tools) -> Pair:
    cp, samples, doses, some = t.xp, 1 << 23, 12, 1 << 16
    hours, absorb, clear = (
        f32(low) + f32(wide) * t.rng.random(samples, dtype=f32) for low, wide in ((90, 30), (0.8, 1), (0.05, 0.2))
    )
    plan = cp.asarray(np.stack([8.0 * np.arange(doses), np.linspace(150, 40, doses)], 1).reshape(-1))
    single = plan.astype(f32)
    kernel = cp.ElementwiseKernel(
        "float32 hours, float32 absorb, float32 clear, raw T plan, int32 last",
        "float32 level",
        """
        T sum = 0;
        for (int k = 0; k < last; k += 2) {
            const T since = hours - plan[k];
            if (since > 0) sum += plan[k + 1] * (exp(-clear * since) - exp(-absorb * since));
        }
        level = sum * absorb / (absorb - clear);
        """,
        "drug_levels",
    )

    def ref() -> Any:
        h, a, c = (given[-some:].astype(np.float64)[:, None] for given in (hours, absorb, clear))
        since = h - plan[::2]
        each = plan[1::2] * (cp.exp(-c * since) - cp.exp(-a * since))
        return [cp.where(since > 0, each, 0).sum(axis=1) * (a / (a - c))[:, 0]]

    def run(given: Any) -> Any:
        return kernel(hours, absorb, clear, given, 2 * doses)[-some:]

    return made(lambda: run(plan), lambda: run(single), 1e-5, ref)


@case
def cupy_tariff_energy(t: Tools) -> Pair:
    cp, meters, tariffs, street = t.xp, 1 << 21, 12, 512
    tariff = t.rng.integers(0, tariffs, meters, dtype=i32)
    energy = t.rng.random(meters, dtype=f32) * f32(40)
    streets = meters // street
    local = cp.arange(meters, dtype=i32) // i32(street) * i32(tariffs) + tariff

    def cured() -> Any:
        return cp.bincount(local, energy, streets * tariffs).reshape(streets, tariffs).sum(axis=0)

    def ref() -> Any:
        used = energy.astype(np.float64)
        return [cp.stack([used[tariff == k].sum() for k in range(tariffs)])]

    return made(lambda: cp.bincount(tariff, energy, tariffs), cured, 1e-9, ref)


@case
def cupy_chess_planes(t: Tools) -> Pair:
    cp, boards, some = t.xp, 1 << 21, 1 << 19
    squares = t.rng.integers(0, 256, boards * 8, dtype=i32).astype(np.uint8)  # a board is 64 bits
    spread = cp.ElementwiseKernel(
        "uint8 squares",
        "uint64 planes",
        """
        unsigned long long row = 0;
        for (int k = 0; k < 8; k++) row |= (unsigned long long)(squares >> (7 - k) & 1) << 8 * k;
        planes = row;
        """,
        "chess_planes",
    )

    def ref() -> Any:
        return [np.unpackbits(cp.asnumpy(squares[-some // 8 :]))]

    pair = made(lambda: cp.unpackbits(squares), lambda: spread(squares).view(np.uint8), 0.0, ref)
    whole = pair.outs
    pair.outs = lambda which: [found[-some:] for found in whole(which)]
    return pair


@case
def cupy_well_levels(t: Tools) -> Pair:
    cp, wells, some = t.xp, 1 << 22, 1 << 16
    from cupyx.scipy import special

    u = 10 ** (5 * t.rng.random(wells) - 3)
    order = cp.argsort(u)
    in_order, back = u[order], cp.empty_like(order)
    back[order] = cp.arange(wells)
    back = back[:some].copy()

    def ref() -> Any:
        x = u[:some]
        low, term = -np.euler_gamma - cp.log(x), cp.ones_like(x)
        for k in range(1, 40):
            term = -term * cp.minimum(x, 1) / k
            low -= term / k
        high, far = cp.zeros_like(x), cp.maximum(x, 1)
        for k in range(400, 0, -1):  # exp(-x) / (x + 1 - 1 / (x + 3 - 4 / (x + 5 - ...)))
            high = k * k / (far + 2 * k + 1 - high)
        return [cp.where(x <= 1, low, cp.exp(-x) / (far + 1 - high))]

    pair = made(lambda: special.exp1(u), lambda: special.exp1(in_order), 1e-8, ref)
    whole = pair.outs
    pair.outs = lambda which: [found[:some] if which == "slow" else found[back] for found in whole(which)]
    return pair


# ---- PyTorch
@case
def torch_star_trails(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    night = torch.rand(24, 2048, 2048, device="cuda")
    exposures = list(night.unbind(0))

    def ref() -> Any:
        return [functools.reduce(torch.maximum, exposures)]

    return made(lambda: torch.stack(exposures).amax(0), lambda: night.amax(0), 0.0, ref)


@case
def torch_bearing_axes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    machines, axes, samples, some = 64, 6, 32768, 4
    shake = torch.randn(machines, axes, samples, device="cuda") * 3 + 0.5
    norm = torch.nn.functional.batch_norm

    def slow() -> Any:
        return norm(shake, None, None, training=True)[-some:]

    def cured() -> Any:
        spread, mean = torch.var_mean(shake, (0, 2), correction=0)
        return norm(shake, mean, spread, training=False)[-some:]

    def ref() -> Any:
        given = shake.double()
        mean, spread = given.mean((0, 2), keepdim=True), given.var((0, 2), correction=0, keepdim=True)
        return [((given - mean) / torch.sqrt(spread + 1e-5))[-some:]]

    return made(slow, cured, 1e-4, ref)


@case
def torch_face_search(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    faces, known, d, some = 2048, 32768, 512, 64
    unit = torch.nn.functional.normalize
    face, gallery = (unit(torch.randn(n, d, device="cuda"), dim=1).half() for n in (faces, known))
    wide_face, wide_gallery = face.float(), gallery.float()

    def slow() -> Any:
        return (wide_face @ wide_gallery.t())[-some:]

    def cured() -> Any:
        return (face @ gallery.t())[-some:]

    return made(slow, cured, 2e-3, lambda: [face[-some:].double() @ gallery.double().t()])


@case
def torch_playlist_vectors(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    songs, lists, d, piece, rng = 65536, 32768, 64, 64, np.random.default_rng(SEED)
    length = rng.integers(8, 57, lists)
    length[[5000, 12000, 21000, 30000]] = 4096
    start = np.concatenate([[0], np.cumsum(length)[:-1]])
    pieces = -(-length // piece)
    of = np.repeat(np.arange(lists), pieces)
    nth = np.arange(of.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    song = torch.randint(0, songs, (int(length.sum()),), device="cuda")
    vector = torch.randn(songs, d, device="cuda")
    first, owner = torch.from_numpy(start).cuda(), torch.from_numpy(of).cuda()
    first_of_piece = torch.from_numpy(start[of] + nth * piece).cuda()
    bag = torch.nn.functional.embedding_bag

    def slow() -> Any:
        return bag(song, vector, first, mode="sum")

    def cured() -> Any:
        parts = bag(song, vector, first_of_piece, mode="sum")
        return torch.zeros(lists, d, device="cuda").index_add_(0, owner, parts)

    def ref() -> Any:
        to = torch.from_numpy(np.repeat(np.arange(lists), length)).cuda()
        return [torch.zeros(lists, d, device="cuda", dtype=torch.double).index_add_(0, to, vector[song].double())]

    return made(slow, cured, 1e-5, ref)


@case
def torch_mosaic_tiles(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    pictures, side, tile = 4, 2048, 8
    across = side // tile
    tiles = torch.rand(pictures, tile * tile, across * across, device="cuda")

    def slow() -> Any:
        return torch.nn.functional.fold(tiles, (side, side), kernel_size=tile, stride=tile)

    def cured() -> Any:
        return torch.nn.functional.pixel_shuffle(tiles.view(pictures, tile * tile, across, across), tile)

    def ref() -> Any:
        given = tiles.cpu().numpy().reshape(pictures, tile, tile, across, across)
        return [given.transpose(0, 3, 1, 4, 2).reshape(pictures, 1, side, side)]

    return made(slow, cured, 0.0, ref)


# ---- Triton
@case
def triton_scan_totals(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twelfth_triton as k

    scans, bins, rows = 32768, 1024, 64
    scan = torch.rand(scans, bins, device="cuda", dtype=torch.half)
    lock = torch.zeros(64, device="cuda", dtype=torch.int32)

    def run(locks: int) -> Any:
        total = torch.zeros(locks, bins, device="cuda")
        k.scan_totals[(scans // rows,)](scan, total, lock, locks, ROWS=rows, BINS=bins, num_warps=4)
        return total.sum(0)

    return made(lambda: run(1), lambda: run(64), 1e-4, lambda: [scan.double().sum(0)])


@case
def triton_robust_doses(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twelfth_triton as k

    badges, readings, turns, spread, some = 16384, 1024, 20, 2.0, 1024
    reading = torch.randn(badges, readings, device="cuda") * 0.5 + 3
    reading += 30 * (torch.rand(badges, readings, device="cuda") < 0.05)
    dose = torch.zeros(badges, device="cuda")

    def run(warps: int) -> Any:
        k.robust_doses[(badges,)](reading, dose, spread, turns, N=readings, num_warps=warps)
        return dose

    def ref() -> Any:
        value = reading.double()
        mean = value.mean(1, keepdim=True)
        for _ in range(turns):
            weight = 1 / (1 + ((value - mean) * spread) ** 2)
            mean = (weight * value).sum(1, keepdim=True) / weight.sum(1, keepdim=True)
        return [mean[:, 0]]

    pair = made(lambda: run(32), lambda: run(1), 1e-4, lambda: [ref()[0][-some:]])
    whole = pair.outs
    pair.outs = lambda which: [found[-some:] for found in whole(which)]
    return pair


@case
def triton_skylines(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twelfth_triton as k

    points, reach, some = 1 << 22, 64, 1 << 16
    height = torch.cumsum(torch.rand(points + reach, device="cuda") - 0.5, 0) * 2
    steepest = torch.zeros(points, device="cuda")

    def run(live: bool) -> Any:
        how = {"REACH": reach, "LIVE": live, "BLOCK": 1024, "num_warps": 4}
        k.skylines[(points // 1024,)](height, steepest, **how)
        return steepest[-some:]

    def ref() -> Any:
        near = height[-some - reach :].double().unfold(0, reach + 1, 1)[:some]
        far = torch.arange(1, reach + 1, device="cuda", dtype=torch.double)
        return [((near[:, 1:] - near[:, :1]) / far).amax(1)]

    return made(lambda: run(True), lambda: run(False), 1e-5, ref)


@case
def triton_tree_biomass(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import twelfth_triton as k

    trees, formulas, some = 1 << 23, 8, 1 << 18
    girth, height = torch.rand(trees, device="cuda") * 80 + 5, torch.rand(trees, device="cuda") * 35 + 3
    low, wide = torch.tensor([0.02, 1.7, 0.5]), torch.tensor([0.06, 0.5, 0.5])
    formula = (low + wide * torch.rand(formulas, 3)).cuda()
    mass = torch.zeros(trees, device="cuda")

    def run(kernel: Any) -> Any:
        kernel[(trees // 512,)](girth, height, formula, mass, FORMULAS=formulas, BLOCK=512, num_warps=4)
        return mass[-some:]

    def ref() -> Any:
        factor, b, c = formula.double().t()[:, :, None]
        return [(factor * girth[-some:].double() ** b * height[-some:].double() ** c).mean(0)]

    return made(lambda: run(k.tree_biomass), lambda: run(k.tree_biomass_b), 1e-5, ref)
