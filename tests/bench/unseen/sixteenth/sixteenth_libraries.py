"""Pairs of the sixteenth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 161


# ---- CuPy
@case
def cupy_lava_heat(t: Tools) -> Pair:
    cp, bands, pixels, some = t.xp, 16, 1 << 20, 1 << 14
    seen = f32(20) + f32(200) * t.rng.random((bands, pixels), dtype=f32)
    wave = np.linspace(3.5, 5.0, bands).reshape(bands, 1)
    # by band: sunlight, gain, the two of Planck's law, and of the lava its cold limit, stiffness and crust
    table = (
        0.5 + 0 * wave,
        1 + 0.01 * wave,
        14387.8 / wave,
        1.191e8 / wave**5,
        300 + 0 * wave,
        900 + 0 * wave,
        2 / wave,
    )
    wide = [cp.asarray(column) for column in table]
    narrow = [column.astype(f32) for column in wide]

    @cp.fuse(kernel_name="lava_heat")
    def lava(seen: Any, sun: Any, gain: Any, a: Any, b: Any, cold: Any, stiff: Any, crust: Any) -> Any:
        heat = a / cp.log1p(b / ((seen - sun) * gain))
        flow = cp.exp(-stiff / (heat - cold))
        skin = -cp.expm1(-crust * flow)
        return heat * skin + cp.sqrt(heat) * cp.exp(-flow)

    def ref() -> Any:
        x, (sun, gain, a, b, cold, stiff, crust) = cp.asnumpy(seen[:, :some]).astype(np.float64), table
        heat = a / np.log1p(b / ((x - sun) * gain))
        flow = np.exp(-stiff / (heat - cold))
        return [heat * -np.expm1(-crust * flow) + np.sqrt(heat) * np.exp(-flow)]

    return made(lambda: lava(seen, *wide)[:, :some], lambda: lava(seen, *narrow)[:, :some], 1e-4, ref)


@case
def cupy_hail_stones(t: Tools) -> Pair:
    cp, stones, some = t.xp, 1 << 18, 1 << 13
    start = cp.minimum(f32(-900) * cp.log1p(-t.rng.random(stones, dtype=f32)), f32(6000)) + f32(50)
    size = f32(0.3) + f32(1.7) * t.rng.random(stones, dtype=f32)
    order = cp.argsort(-start / cp.sqrt(size))
    back = cp.argsort(order)
    start_b, size_b = start[order], size[order]
    left, left_b = cp.zeros(stones, f32), cp.zeros(stones, f32)
    fall = cp.ElementwiseKernel(
        "float32 start, float32 born",
        "float32 left",
        """
        float height = start, radius = born;
        while (height > 0.01f) {
            const float speed = 14.0f * sqrtf(radius);
            const float time = fminf(1.0f, height / speed);
            const float warm = fmaxf(3500.0f - height, 0.0f) * 0.0065f;
            radius = fmaxf(radius - time * 2e-5f * warm * (1.0f + 0.3f * speed) / radius, 0.2f);
            height -= speed * time;
        }
        left = radius;
        """,
        "hail_stones",
    )

    def ref() -> Any:
        height, radius = (cp.asnumpy(a[:some]).astype(np.float64) for a in (start, size))
        while (falls := height > 0.01).any():
            speed = 14 * np.sqrt(radius)
            time = np.minimum(1, height / speed)
            warm = np.maximum(3500 - height, 0) * 0.0065
            melted = np.maximum(radius - time * 2e-5 * warm * (1 + 0.3 * speed) / radius, 0.2)
            radius, height = np.where(falls, melted, radius), np.where(falls, height - speed * time, height)
        return [radius]

    return Pair(
        lambda: fall(start, size, left),
        lambda: fall(start_b, size_b, left_b),
        lambda w: [left[:some] if w == "slow" else left_b[back[:some]]],
        ref,
        1e-3,
    )


@case
def cupy_shelf_frames(t: Tools) -> Pair:
    cp, pixels, some = t.xp, 1 << 26, 1 << 20
    now, empty = (t.uint32(pixels // 4, (1 << 31) - 1).view(cp.uint8) for _ in range(2))
    taken, taken_b = cp.zeros(pixels, cp.uint8), cp.zeros(pixels, cp.uint8)
    slow = cp.ElementwiseKernel(
        "uint8 now, uint8 empty",
        "uint8 taken",
        """
        const int far = now > empty ? now - empty : empty - now;
        taken = far > 24 ? far : 0;
        """,
        "shelf_frames",
    )
    cured = cp.ElementwiseKernel(
        "uint64 now, uint64 empty",
        "uint64 taken",
        """
        const unsigned low = __vabsdiffu4((unsigned)now, (unsigned)empty);
        const unsigned high = __vabsdiffu4((unsigned)(now >> 32), (unsigned)(empty >> 32));
        const unsigned keep = high & __vcmpgtu4(high, 0x18181818u);
        taken = (unsigned long long)keep << 32 | (low & __vcmpgtu4(low, 0x18181818u));
        """,
        "shelf_frames_b",
    )
    eight = [a.view(cp.uint64) for a in (now, empty, taken_b)]

    def ref() -> Any:
        a, b = (cp.asnumpy(x[:some]).astype(i32) for x in (now, empty))
        far = np.abs(a - b)
        return [np.where(far > 24, far, 0).astype(np.uint8)]

    return Pair(
        lambda: slow(now, empty, taken),
        lambda: cured(*eight),
        lambda w: [taken[:some] if w == "slow" else taken_b[:some]],
        ref,
        0.0,
        lambda: (taken.fill(0), taken_b.fill(0)),
    )


@case
def cupy_glide_heights(t: Tools) -> Pair:
    cp, side, fixes, some = t.xp, 4096, 1 << 23, 1 << 18
    ground = f32(3000) * t.rng.random((side, side), dtype=f32)
    x, y = (f32(side - 2) * t.rng.random(fixes, dtype=f32) for _ in range(2))
    order = cp.argsort(y.astype(i32) * i32(side) + x.astype(i32))
    back = cp.argsort(order)[:some]
    x_b, y_b = x[order], y[order]
    height, height_b = cp.zeros(fixes, f32), cp.zeros(fixes, f32)
    del order
    under = cp.ElementwiseKernel(
        "float32 x, float32 y, raw float32 ground, int32 side",
        "float32 height",
        """
        const int col = (int)x, row = (int)y;
        const float right = x - col, down = y - row;
        const int at = row * side + col;
        const float upper = ground[at] + right * (ground[at + 1] - ground[at]);
        const float lower = ground[at + side] + right * (ground[at + side + 1] - ground[at + side]);
        height = upper + down * (lower - upper);
        """,
        "glide_heights",
    )

    def ref() -> Any:
        g, px, py = (cp.asnumpy(a) for a in (ground, x[:some], y[:some]))
        col, row = px.astype(i32), py.astype(i32)
        right, down = px.astype(np.float64) - col, py.astype(np.float64) - row
        upper = g[row, col] + right * (g[row, col + 1] - g[row, col])
        lower = g[row + 1, col] + right * (g[row + 1, col + 1] - g[row + 1, col])
        return [upper + down * (lower - upper)]

    return Pair(
        lambda: under(x, y, ground, i32(side), height),
        lambda: under(x_b, y_b, ground, i32(side), height_b),
        lambda w: [height[:some] if w == "slow" else height_b[back]],
        ref,
        1e-5,
    )


@case
def cupy_citation_weight(t: Tools) -> Pair:
    cp, papers, famous, long, piece = t.xp, 1 << 18, 12, 6000, 64
    rng = np.random.default_rng(SEED)
    count = rng.integers(8, 41, papers)
    count[rng.choice(papers, famous, replace=False)] = long
    first = np.concatenate([[0], np.cumsum(count)])
    pieces = -(-count // piece)
    owner = np.repeat(np.arange(papers), pieces)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    cuts = np.concatenate([first[owner] + within * piece, first[-1:]])
    age = f32(40) * t.rng.random(int(first[-1]), dtype=f32)
    begins, cut_at, whose = (cp.asarray(a.astype(i32)) for a in (first, cuts, owner))
    worth, worth_b = cp.zeros(papers, f32), cp.zeros(papers, f32)
    body = """
        float sum = 0.0f;
        const int end = first[i + 1];
        for (int k = first[i]; k < end; ++k) sum += expf(-0.1f * age[k]);
    """
    whole = cp.ElementwiseKernel(
        "raw float32 age, raw int32 first", "float32 worth", body + "worth = sum;", "citation_weight"
    )
    parts = cp.ElementwiseKernel(
        "int32 owner, raw float32 age, raw int32 first",
        "raw float32 worth",
        body + "atomicAdd(&worth[owner], sum);",
        "citation_weight_b",
    )

    def cured() -> Any:
        worth_b.fill(0)
        parts(whose, age, cut_at, worth_b)
        return worth_b

    def ref() -> Any:
        return [np.add.reduceat(np.exp(-0.1 * cp.asnumpy(age).astype(np.float64)), first[:-1])]

    return made(lambda: whole(age, begins, worth), cured, 1e-4, ref)


# ---- PyTorch
@case
def torch_search_chances(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    maps, cells, some = 4, 1 << 20, 1 << 16
    likely = torch.randn(maps, cells, device="cuda") * 3

    def slow() -> Any:
        return torch.softmax(likely, 1)[:, :some]

    def cured() -> Any:
        chance = (likely - likely.amax(1, keepdim=True)).exp_()
        return chance.div_(chance.sum(1, keepdim=True))[:, :some]

    return made(slow, cured, 1e-4, lambda: [torch.softmax(likely.double().cpu(), 1)[:, :some]])


@case
def torch_airport_noise(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    hours, samples, some = 4096, 16384, 64
    level = (torch.rand(hours, samples, device="cuda") * 50 + 40).half()

    def ref() -> Any:
        return [level[:some].double().cpu().mean(1)]

    return made(lambda: level.float().mean(1)[:some], lambda: level.mean(1, dtype=torch.float32)[:some], 1e-5, ref)


@case
def torch_mole_quarters(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    pictures, channels, side, half = 64, 64, 128, 64
    maps = torch.rand(pictures, channels, side, side, device="cuda")

    def slow() -> Any:
        return torch.nn.functional.adaptive_avg_pool2d(maps, 2)

    def cured() -> Any:
        columns = maps.view(pictures * channels * 2, half, side).mean(1)
        return columns.view(pictures, channels, 2, 2, half).mean(4)

    def ref() -> Any:
        x = maps[:4].double().cpu().view(4, channels, 2, half, 2, half)
        return [x.mean((3, 5))]

    return made(lambda: slow()[:4], lambda: cured()[:4], 1e-5, ref)


@case
def torch_coin_relief(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    lights, side, reach, some = 16, 512, 7, 2
    conv = torch.nn.functional.conv2d
    relief = torch.rand(1, lights, side, side, device="cuda")
    bell = torch.exp(-0.5 * (torch.arange(-reach, reach + 1, device="cuda") / 3.0) ** 2)
    bell = bell / bell.sum()
    size = 2 * reach + 1
    square = torch.outer(bell, bell).expand(lights, 1, size, size).contiguous()
    column = bell.view(1, 1, size, 1).expand(lights, 1, size, 1).contiguous()
    row = bell.view(1, 1, 1, size).expand(lights, 1, 1, size).contiguous()

    def slow() -> Any:
        return conv(relief, square, padding=reach, groups=lights)[:, :some]

    def cured() -> Any:
        down = conv(relief, column, padding=(reach, 0), groups=lights)
        return conv(down, row, padding=(0, reach), groups=lights)[:, :some]

    def ref() -> Any:
        return [conv(relief[:, :some].double().cpu(), square[:some].double().cpu(), padding=reach, groups=some)]

    return made(slow, cured, 1e-5, ref)


@case
def torch_hotel_stars(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    reviews, most, copies = 1 << 22, 5, 32
    luck = torch.rand(reviews, device="cuda")
    stars = sum((luck > limit).long() for limit in (0.04, 0.08, 0.15, 0.3))
    spread = torch.arange(reviews, device="cuda") % copies * most + stars

    def slow() -> Any:
        return torch.bincount(stars, minlength=most)

    def cured() -> Any:
        return torch.bincount(spread, minlength=copies * most).view(copies, most).sum(0)

    return made(slow, cured, 0.0, lambda: [np.bincount(stars.cpu().numpy(), minlength=most).astype(f32)])


# ---- Triton
@case
def triton_wing_likeness(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import sixteenth_triton as k

    wings, known, dim, some = 4096, 4096, 1024, 64
    wing = torch.randn(wings, dim, device="cuda").half()
    named = torch.randn(known, dim, device="cuda").half()
    match = torch.zeros(wings, known, device="cuda")

    def run(rows: int, cols: int, step: int, warps: int) -> Any:
        sizes = {"DIM": dim, "ROWS": rows, "COLS": cols, "STEP": step}
        k.wing_likeness[(known // cols, wings // rows)](wing, named, match, known, **sizes, num_warps=warps)
        return match[:some]

    def ref() -> Any:
        return [wing[:some].double() @ named.double().t()]

    return made(lambda: run(64, 32, 64, 4), lambda: run(128, 128, 64, 8), 1e-3, ref)


@case
def triton_tunnel_sensors(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import sixteenth_triton as k

    sensors, samples, pieces, tile = 128, 1 << 17, 128, 64
    shake = torch.randn(sensors, samples, device="cuda").half()
    products = torch.zeros(1, sensors, sensors, device="cuda")
    partial = torch.zeros(pieces, sensors, sensors, device="cuda")

    def run(into: Any, parts: int) -> Any:
        grid, sizes = (sensors // tile, sensors // tile, parts), {"SENSORS": sensors, "TILE": tile, "STEP": 64}
        k.tunnel_sensors[grid](shake, into, samples, samples // parts, **sizes, num_warps=4, num_stages=4)
        return into

    def ref() -> Any:
        wide = shake.double()
        return [wide @ wide.t()]

    return made(lambda: run(products, 1)[0], lambda: run(partial, pieces).sum(0), 1e-4, ref)


@case
def triton_atom_shells(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import sixteenth_triton as k

    pairs, shells, block, some = 1 << 24, 32, 1024, 1 << 16
    distance = torch.rand(pairs, device="cuda") * 12.4
    weight = torch.rand(shells, device="cuda") + 0.5
    energy = torch.zeros(pairs, device="cuda")

    def run(kernel: Any) -> Any:
        kernel[(pairs // block,)](distance, weight, energy, SHELLS=shells, BLOCK=block, num_warps=4)
        return energy[:some]

    def ref() -> Any:
        x, centre = distance[:some].double().cpu(), 0.4 * torch.arange(shells, dtype=torch.float64)
        return [torch.exp(-0.5 * (x[:, None] - centre) ** 2) @ weight.double().cpu()]

    return made(lambda: run(k.atom_shells), lambda: run(k.atom_shells_b), 5e-4, ref)


@case
def triton_nozzle_spread(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import sixteenth_triton as k

    rounds, nozzles = 8192, 4096
    fill = torch.randn(rounds, nozzles, device="cuda") * 2 + 0.1
    spread, spread_b = torch.zeros(nozzles, device="cuda"), torch.zeros(nozzles, device="cuda")

    def slow() -> Any:
        k.nozzle_spread[(nozzles,)](fill, spread, rounds, nozzles, BLOCK=1024, num_warps=4)
        return spread

    def cured() -> Any:
        k.nozzle_spread_b[(nozzles // 32,)](fill, spread_b, rounds, nozzles, ROWS=128, COLS=32, num_warps=8)
        return spread_b

    return made(slow, cured, 1e-4, lambda: [fill.double().cpu().var(0, correction=0)])
