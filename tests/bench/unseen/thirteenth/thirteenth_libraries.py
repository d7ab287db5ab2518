"""Pairs of the thirteenth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 131


# ---- CuPy
@case
def cupy_basin_rain(t: Tools) -> Pair:
    cp, side, tiles, copies = t.xp, 1024, (4, 6), 512
    y, x = cp.mgrid[:side, :side].astype(i32)
    basin = ((y * tiles[0] // side) * tiles[1] + x * tiles[1] // side).reshape(-1).astype(i32)
    basins = tiles[0] * tiles[1]
    rain = t.rng.random(side * side)
    spread = basin * i32(copies) + cp.arange(side * side, dtype=i32) % i32(copies)

    def cured() -> Any:
        return cp.bincount(spread, rain, minlength=basins * copies).reshape(basins, copies).sum(axis=1)

    def ref() -> Any:
        return [np.bincount(cp.asnumpy(basin), cp.asnumpy(rain))]

    return made(lambda: cp.bincount(basin, rain, minlength=basins), cured, 1e-9, ref)


@case
def cupy_kiln_peaks(t: Tools) -> Pair:
    kilns, readings, sensors, parts = 16, 1 << 19, 6, 256
    log = t.rng.random((kilns, readings, sensors), dtype=f32) * f32(1300)

    def cured() -> Any:
        stretches = log.reshape(kilns * parts, readings // parts, sensors)[:, :, 2].max(axis=1)
        return stretches.reshape(kilns, parts).max(axis=1)

    def ref() -> Any:
        return [t.xp.asnumpy(log[:, :, 2].copy()).max(axis=1)]

    return made(lambda: log[:, :, 2].max(axis=1), cured, 0.0, ref)


@case
def cupy_bird_company(t: Tools) -> Pair:
    cp, species, places = t.xp, 1536, 2048
    seen = (t.rng.random((species, places), dtype=f32) < 0.3).astype(i32)
    turned = seen.T.copy()

    def cured() -> Any:
        half = seen.astype(np.float16)
        return half @ half.T  # whole numbers up to 2048 are exact

    def ref() -> Any:
        return [cp.asnumpy(seen).astype(np.float64) @ cp.asnumpy(turned).astype(np.float64)]

    return made(lambda: seen @ turned, cured, 0.0, ref)


def zernike(order: int) -> list[tuple[float, int, bool, list[tuple[float, int]]]]:
    """Weight, turns about the middle, whether it is a sine, and the terms of the radius, highest first, of each."""
    rng, f, terms = np.random.default_rng(SEED), math.factorial, []
    for n in range(1, order + 1):
        for m in range(-n, n + 1, 2):
            up, down = (n + abs(m)) // 2, (n - abs(m)) // 2
            parts = [((-1) ** k * f(n - k) / (f(k) * f(up - k) * f(down - k)), n - 2 * k) for k in range(down + 1)]
            terms.append((float(rng.normal()) / (n + 1), abs(m), m < 0, parts))
    return terms


@case
def cupy_eye_wavefront(t: Tools) -> Pair:
    cp, rays, some, order = t.xp, 1 << 23, 1 << 18, 6
    reach, round_about = cp.sqrt(t.rng.random(rays, dtype=f32)), t.rng.random(rays, dtype=f32) * f32(6.2831)
    x, y = reach * cp.cos(round_about), reach * cp.sin(round_about)
    terms = zernike(order)
    as_written = ["const float r = sqrtf(x * x + y * y), angle = atan2f(y, x);", "float sum = 0.0f;"]
    for weight, m, sine, parts in terms:
        radial = " + ".join(f"{c:.1f}f * powf(r, {power}.0f)" for c, power in parts)
        as_written.append(f"sum += {weight:.9e}f * ({radial}) * {'sinf' if sine else 'cosf'}({m}.0f * angle);")
    by_products = ["const float s = x * x + y * y;", "float sum = 0.0f, even0 = 1.0f, odd0 = 0.0f;"]
    for m in range(1, order + 1):
        by_products.append(f"const float even{m} = even{m - 1} * x - odd{m - 1} * y;")
        by_products.append(f"const float odd{m} = even{m - 1} * y + odd{m - 1} * x;")
    for weight, m, sine, parts in terms:
        radial = f"{parts[0][0]:.1f}f"
        for c, _ in parts[1:]:
            radial = f"({radial} * s + {c:.1f}f)"
        by_products.append(f"sum += {weight:.9e}f * {radial} * {'odd' if sine else 'even'}{m};")
    params, tail = ("float32 x, float32 y", "float32 phase"), "phase = sum;"
    slow = cp.ElementwiseKernel(*params, "\n".join([*as_written, tail]), "eye_wavefront")
    cured = cp.ElementwiseKernel(*params, "\n".join([*by_products, tail]), "eye_wavefront_b")

    def ref() -> Any:
        wide, high = x[:some].astype(np.float64), y[:some].astype(np.float64)
        r, angle, total = cp.hypot(wide, high), cp.arctan2(high, wide), 0
        for weight, m, sine, parts in terms:
            swing = cp.sin(m * angle) if sine else cp.cos(m * angle)
            total = total + weight * sum(c * r**power for c, power in parts) * swing
        return [total]

    return made(lambda: slow(x, y)[:some], lambda: cured(x, y)[:some], 1e-4, ref)


# ---- PyTorch
@case
def torch_flood_marks(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    hours, gauges = 2048, 4096
    level = torch.randn(hours, gauges, device="cuda")
    by_gauge = level.t().contiguous()

    def ref() -> Any:
        return [np.maximum.accumulate(level.cpu().numpy(), axis=0)]

    return made(lambda: level.cummax(0).values, lambda: by_gauge.cummax(1).values.t(), 0.0, ref)


@case
def torch_fish_catches(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    hauls, species, squares, banks, crowd, some = 1 << 18, 64, 1 << 14, 4, 2048, 4
    square = torch.randint(0, squares, (hauls,), device="cuda")
    at = torch.randperm(hauls, device="cuda")[: banks * crowd]
    square[at] = torch.arange(banks, device="cuda").repeat_interleave(crowd) * 4001 + 17
    catch = torch.rand(hauls, species, device="cuda")

    def slow() -> Any:
        total = torch.zeros(squares, species, device="cuda")
        return total.index_put_((square,), catch, accumulate=True)[:, :some]

    def cured() -> Any:
        return torch.zeros(squares, species, device="cuda").index_add_(0, square, catch)[:, :some]

    def ref() -> Any:
        place, kilos = square.cpu().numpy(), catch[:, :some].double().cpu().numpy()
        return [np.stack([np.bincount(place, kilos[:, k], squares) for k in range(some)], axis=1)]

    return made(slow, cured, 1e-5, ref)


@case
def torch_smell_prototypes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    sniffs, smells, sensors, some = 8192, 256, 64, 512
    sniff = torch.randn(sniffs, sensors, device="cuda")
    smell = torch.randn(smells, sensors, device="cuda")

    def slow() -> Any:
        return ((sniff[:, None] - smell[None]) ** 2).sum(-1)[:some]

    def cured() -> Any:
        return (torch.cdist(sniff, smell) ** 2)[:some]

    def ref() -> Any:
        near, far = sniff[:some].double().cpu().numpy(), smell.double().cpu().numpy()
        return [np.stack([((near - one) ** 2).sum(1) for one in far], axis=1)]

    return made(slow, cured, 1e-4, ref)


@case
def torch_peak_tails(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    points, some = 1 << 23, 1 << 16
    late = torch.randn(points, device="cuda", dtype=torch.float64).abs() * 3
    in_order, order = late.sort()
    back = torch.empty_like(order)
    back[order] = torch.arange(points, device="cuda")
    back = back[:some].clone()

    def ref() -> Any:
        x = late[:some]
        return [torch.exp(x * x + torch.log(torch.special.erfc(x)))]

    pair = made(lambda: torch.special.erfcx(late), lambda: torch.special.erfcx(in_order), 1e-5, ref)
    whole = pair.outs

    def outs(which: str) -> Any:
        return [found[:some] if which == "slow" else found[back] for found in whole(which)]

    pair.outs = outs
    return pair


@case
def torch_drawn_markers(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    patients, markers, some = 1 << 14, 2048, 16
    blood = torch.randn(patients, markers, device="cuda")
    drawn = torch.randint(0, patients, (patients, markers), device="cuda")
    by_marker, drawn_by_marker = blood.t().contiguous(), drawn.t().contiguous()

    def cured() -> Any:
        return by_marker.gather(1, drawn_by_marker).t()[:, :some]

    def ref() -> Any:
        return [np.take_along_axis(blood[:, :some].cpu().numpy(), drawn[:, :some].cpu().numpy(), 0)]

    return made(lambda: blood.gather(0, drawn)[:, :some], cured, 0.0, ref)


# ---- Triton
@case
def triton_brand_shares(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import thirteenth_triton as k

    shoppers, brands, slope, rows = 1 << 20, 24, 0.7, 64
    liking, price = torch.randn(shoppers, brands, device="cuda"), torch.rand(brands, device="cuda") * 4
    share = torch.zeros_like(liking)

    def slow() -> Any:
        k.brand_shares[(shoppers,)](liking, price, share, brands, slope, BLOCK=32)
        return share

    def cured() -> Any:
        k.brand_shares_b[(shoppers // rows,)](liking, price, share, brands, slope, ROWS=rows, BLOCK=32)
        return share

    return made(slow, cured, 1e-5, lambda: [(liking.double() - slope * price.double()).softmax(1)])


@case
def triton_tremor_power(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import thirteenth_triton as k

    people, length, width, turn, radius, some = 1024, 16000, 10.5, 0.45, 32, 8
    motion = torch.randn(people, length, device="cuda")
    power = torch.zeros_like(motion)
    late = torch.arange(-radius, radius + 1, device="cuda", dtype=torch.float64)
    wave = torch.exp(-0.5 * (late / width) ** 2) * torch.stack([torch.cos(turn * late), torch.sin(turn * late)])
    taps = wave.float()
    grid = (-(-length // 512), people)

    def slow() -> Any:
        k.tremor_power[grid](motion, power, length, width, turn, radius, BLOCK=512, num_warps=4)
        return power[:some]

    def cured() -> Any:
        k.tremor_power_b[grid](motion, power, taps, length, radius, BLOCK=512, num_warps=4)
        return power[:some]

    def ref() -> Any:
        even, odd = wave.cpu().numpy()
        rows = motion[:some].double().cpu().numpy()
        both = [np.correlate(row, even, "same") ** 2 + np.correlate(row, odd, "same") ** 2 for row in rows]
        return [np.stack(both)]

    return made(slow, cured, 1e-4, ref)


@case
def triton_shell_shapes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import thirteenth_triton as k

    shells, d, kinds, rows, some = 1 << 18, 256, 128, 64, 1 << 14
    outline, basis = torch.randn(shells, d, device="cuda"), torch.randn(d, kinds, device="cuda") / 16
    shape = torch.zeros(shells, kinds, device="cuda")

    def run(how: str) -> Any:
        sizes = {"D": d, "KINDS": kinds, "ROWS": rows, "STEP": 32, "HOW": how}
        k.shell_shapes[(shells // rows,)](outline, basis, shape, **sizes, num_warps=4)
        return shape[:some]

    return made(lambda: run("ieee"), lambda: run("tf32"), 2e-3, lambda: [outline[:some].double() @ basis.double()])


@case
def triton_upscaled_tiles(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import thirteenth_triton as k

    pictures, colours, height, width, factor = 8, 3, 540, 960, 3
    channel = torch.randn(pictures, colours * factor**2, height, width, device="cuda", dtype=torch.half)
    tile = torch.zeros(pictures, colours, height * factor, width * factor, device="cuda", dtype=torch.half)
    n = tile.numel()
    grid = (-(-n // 1024),)

    def slow() -> Any:
        k.upscaled_tiles[grid](channel, tile, n, height, width, factor, BLOCK=1024, num_warps=4)
        return tile[:1]

    def cured() -> Any:
        sizes = {"HEIGHT": height, "WIDTH": width, "FACTOR": factor}
        k.upscaled_tiles_b[grid](channel, tile, n, **sizes, BLOCK=1024, num_warps=4)
        return tile[:1]

    return made(slow, cured, 0.0, lambda: [torch.nn.functional.pixel_shuffle(channel[:1], factor)])


@case
def triton_particle_classes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import thirteenth_triton as k

    pictures, views, pixels, some = 8192, 1024, 4096, 256
    picture = torch.randn(pictures, pixels, device="cuda", dtype=torch.half)
    view = torch.randn(views, pixels, device="cuda", dtype=torch.half)
    match = torch.zeros(pictures, views, device="cuda")
    grid = (pictures // 128, views // 128)

    def run(stages: int) -> Any:
        how = {"ROWS": 128, "COLS": 128, "STEP": 64, "num_warps": 8, "num_stages": stages}
        k.particle_classes[grid](picture, view, match, views, pixels, **how)
        return match[:some]

    return made(lambda: run(1), lambda: run(4), 1e-3, lambda: [picture[:some].double() @ view.double().t()])
