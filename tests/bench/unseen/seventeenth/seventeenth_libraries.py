"""Pairs of the seventeenth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, i64, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 171


# ---- CuPy
@case
def cupy_crop_rotation(t: Tools) -> Pair:
    cp, years, pixels, some = t.xp, 15, 1 << 23, 1 << 14
    crops = t.uint32(years * pixels // 4, (1 << 31) - 1).view(cp.uint8) & 15
    slow = cp.ElementwiseKernel(
        "raw uint8 crops, int64 pixels",
        "uint8 usual",
        """
        int count[16];
        for (int k = 0; k < 16; ++k) count[k] = 0;
        for (int year = 0; year < 15; ++year) ++count[crops[year * pixels + i]];
        int best = 0, often = count[0];
        for (int k = 1; k < 16; ++k)
            if (count[k] > often) { best = k; often = count[k]; }
        usual = best;
        """,
        "crop_rotation",
    )
    cured = cp.ElementwiseKernel(
        "raw uint8 crops, int64 pixels",
        "uint8 usual",
        """
        unsigned long long count = 0;  // 4 bits a crop
        for (int year = 0; year < 15; ++year) count += 1ull << 4 * crops[year * pixels + i];
        int best = 0, often = count & 15;
        for (int k = 1; k < 16; ++k) {
            const int here = count >> 4 * k & 15;
            if (here > often) { best = k; often = here; }
        }
        usual = best;
        """,
        "crop_rotation_b",
    )
    usual = cp.zeros(pixels, cp.uint8)

    def ref() -> Any:
        seen = cp.asnumpy(crops.reshape(years, pixels)[:, :some])
        return [np.stack([(seen == k).sum(0) for k in range(16)]).argmax(0).astype(np.uint8)]

    return made(
        lambda: slow(crops, i64(pixels), usual)[:some], lambda: cured(crops, i64(pixels), usual)[:some], 0.0, ref
    )


@case
def cupy_pipe_corrosion(t: Tools) -> Pair:
    cp, places, some = t.xp, 1 << 23, 1 << 16
    kelvin = f32(293) + f32(60) * t.rng.random(places, dtype=f32)
    co2 = f32(0.1) + f32(9.9) * t.rng.random(places, dtype=f32)
    ph = f32(4.2) + f32(2) * t.rng.random(places, dtype=f32)
    rate = cp.zeros(places, f32)
    slow = cp.ElementwiseKernel(
        "float32 kelvin, float32 co2, float32 ph",
        "float32 rate",
        """
        const double bare = pow(10.0, 5.8 - 1710.0 / kelvin + 0.67 * log10(co2));
        const double scale = 1.0 / (1.0 + exp(2400.0 / kelvin - 0.6 * log(co2) - 6.7));
        rate = bare * scale * exp(-0.34 * (ph - 4.2));
        """,
        "pipe_corrosion",
    )
    cured = cp.ElementwiseKernel(
        "float32 kelvin, float32 co2, float32 ph",
        "float32 rate",
        """
        const float bare = powf(10.0f, 5.8f - 1710.0f / kelvin + 0.67f * log10f(co2));
        const float scale = 1.0f / (1.0f + expf(2400.0f / kelvin - 0.6f * logf(co2) - 6.7f));
        rate = bare * scale * expf(-0.34f * (ph - 4.2f));
        """,
        "pipe_corrosion_b",
    )

    def ref() -> Any:
        k, p, h = (cp.asnumpy(a[:some]).astype(np.float64) for a in (kelvin, co2, ph))
        bare = 10 ** (5.8 - 1710 / k + 0.67 * np.log10(p))
        return [bare / (1 + np.exp(2400 / k - 0.6 * np.log(p) - 6.7)) * np.exp(-0.34 * (h - 4.2))]

    return made(lambda: slow(kelvin, co2, ph, rate)[:some], lambda: cured(kelvin, co2, ph, rate)[:some], 1e-4, ref)


@case
def cupy_flux_towers(t: Tools) -> Pair:
    cp, towers, samples, pieces = t.xp, 8, 1 << 21, 256
    wind = t.rng.random((towers, samples), dtype=f32) - f32(0.5)
    gas = f32(0.6) * wind + f32(0.5) * t.rng.random((towers, samples), dtype=f32) - f32(0.25)
    flux = cp.ReductionKernel(
        "float32 wind, float32 gas", "float32 flux", "wind * gas", "a + b", "flux = a", "0", "flux_covariance"
    )
    pieced = [a.reshape(towers * pieces, samples // pieces) for a in (wind, gas)]

    def cured() -> Any:
        return flux(*pieced, axis=1).reshape(towers, pieces).sum(1)

    def ref() -> Any:
        return [np.stack([np.dot(*(cp.asnumpy(a[k]).astype(np.float64) for a in (wind, gas))) for k in range(towers)])]

    return made(lambda: flux(wind, gas, axis=1), cured, 1e-4, ref)


@case
def cupy_counter_queues(t: Tools) -> Pair:
    cp, days, customers, some = t.xp, 1 << 21, 32, 1 << 14
    modulus = (1 << 31) - 1
    seed = (t.uint32(days, modulus - 1) + 1).astype(cp.int64)
    mean = cp.zeros(days, f32)
    wait = """
            const float gap = (int)state * 5.6e-10f;
            {next}
            wait = fmaxf(wait + (int)state * 4.6e-10f - gap, 0.0f);
            total += wait;
        }}
        mean = total / 32.0f;
        """
    begin = """
        long long state = seed;
        float wait = 0.0f, total = 0.0f;
        for (int customer = 0; customer < 32; ++customer) {
            """
    drawn = "state = state * 16807 % modulus;"
    folded = """state *= 16807;
            state = (state & 0x7fffffff) + (state >> 31);
            if (state >= 0x7fffffff) state -= 0x7fffffff;"""
    slow, cured = (
        cp.ElementwiseKernel(
            "int64 seed, int64 modulus", "float32 mean", begin + step + wait.format(next=step), f"counter_queues{name}"
        )
        for step, name in ((drawn, ""), (folded, "_b"))
    )

    def ref() -> Any:
        state = cp.asnumpy(seed[:some])
        queue, total = np.zeros(some), np.zeros(some)
        for _ in range(customers):
            state = state * 16807 % modulus
            gap = state * 5.6e-10
            state = state * 16807 % modulus
            queue = np.maximum(queue + state * 4.6e-10 - gap, 0)
            total += queue
        return [total / customers]

    return made(
        lambda: slow(seed, i64(modulus), mean)[:some], lambda: cured(seed, i64(modulus), mean)[:some], 1e-4, ref
    )


@case
def cupy_parking_zones(t: Tools) -> Pair:
    cp, tickets, zones, copies = t.xp, 1 << 22, 16, 256
    zone = (t.uint32(tickets, zones)).astype(i32)
    cents = (t.uint32(tickets, 900) + 50).astype(i32)
    spread = zone + cp.arange(tickets, dtype=i32) % i32(copies) * i32(zones)
    total, wide = cp.zeros(zones, i32), cp.zeros(copies * zones, i32)

    def slow() -> Any:
        total.fill(0)
        cp.add.at(total, zone, cents)
        return total

    def cured() -> Any:
        wide.fill(0)
        cp.add.at(wide, spread, cents)
        return wide.reshape(copies, zones).sum(0, dtype=i32)

    def ref() -> Any:
        return [np.bincount(cp.asnumpy(zone), cp.asnumpy(cents), zones).astype(i32)]

    return made(slow, cured, 0.0, ref)


# ---- PyTorch
@case
def torch_violin_bands(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    frames, bins, bands, some = 16384, 2049, 1024, 64
    spectra = (torch.randn(frames, bins, device="cuda") / 8).half()
    filters = (torch.randn(bins, bands, device="cuda") / 8).half()
    padded = torch.nn.functional.pad(spectra, (0, 7))
    padded_filters = torch.nn.functional.pad(filters, (0, 0, 0, 7))

    def ref() -> Any:
        return [spectra[:some].double() @ filters.double()]

    return made(lambda: (spectra @ filters)[:some], lambda: (padded @ padded_filters)[:some], 3e-3, ref)


@case
def torch_henhouse_heat(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    houses, channels, side = 32, 64, 64
    maps = torch.rand(houses, channels, side, side, device="cuda")
    last = maps.contiguous(memory_format=torch.channels_last)

    def finer(x: Any) -> Any:
        return torch.nn.functional.interpolate(x, size=(2 * side, 2 * side), mode="bilinear", align_corners=False)

    def ref() -> Any:
        return [finer(maps[:2].double().cpu())]

    return made(lambda: finer(maps)[:2], lambda: finer(last)[:2], 1e-5, ref)


@case
def torch_drone_show(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    drones, some = 1 << 24, 1 << 18
    columns = [torch.rand(drones, device="cuda") for _ in range(4)]

    def ref() -> Any:
        return [np.stack([c[:some].cpu().numpy() for c in columns], 1)]

    return made(lambda: torch.stack(columns, 1)[:some], lambda: torch.stack(columns, 0)[:, :some].t(), 0.0, ref)


@case
def torch_paw_prints(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    prints, pixels, shapes, some = 8192, 2048, 1024, 64
    seen = torch.randn(prints, pixels, device="cuda")
    basis = torch.randn(pixels, shapes, device="cuda")

    def project(precision: str) -> Any:
        torch.set_float32_matmul_precision(precision)
        out = seen @ basis
        torch.set_float32_matmul_precision("highest")
        return out[:some]

    def ref() -> Any:
        return [seen[:some].double() @ basis.double()]

    return made(lambda: project("highest"), lambda: project("high"), 3e-3, ref)


@case
def torch_reed_changes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    pixels, kinds, some = 1 << 26, 12, 1 << 20
    before = torch.randint(0, kinds, (pixels,), device="cuda")
    after = torch.randint(0, kinds, (pixels,), device="cuda")
    before_b, after_b = before.to(torch.uint8), after.to(torch.uint8)

    def ref() -> Any:
        return [(before[:some].cpu().numpy() != after[:some].cpu().numpy()).astype(f32)]

    return made(lambda: (before != after)[:some], lambda: (before_b != after_b)[:some], 0.0, ref)


# ---- Triton
@case
def triton_cask_spectra(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import seventeenth_triton as k

    waves, casks, tile, some = 128, 2048, 128, 64
    spectra = torch.rand(waves, casks, device="cuda")
    apart = torch.zeros(3, casks, casks, device="cuda")

    def run(warps: int) -> Any:
        sizes = {"WAVES": waves, "ROWS": tile, "COLS": tile}
        k.cask_spectra[(casks // tile, casks // tile)](spectra, apart, casks, **sizes, num_warps=warps)
        return apart[:, :some]

    def ref() -> Any:
        x = spectra.double().cpu().t().contiguous()
        return [torch.stack([torch.cdist(x[:some], x, p=p) for p in (1.0, 2.0, float("inf"))])]

    return made(lambda: run(4), lambda: run(8), 1e-4, ref)


@case
def triton_typing_rhythms(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import seventeenth_triton as k

    typists, known, dim, some = 8192, 4096, 2048, 64
    typed = (torch.randn(typists, dim, device="cuda") / 8).half()
    names = (torch.randn(known, dim, device="cuda") / 8).half()
    match = torch.zeros(typists, known, device="cuda", dtype=torch.float16)

    def run(stages: int) -> Any:
        rows, cols = 128, 256
        sizes = {"DIM": dim, "ROWS": rows, "COLS": cols, "STEP": 64}
        grid = (known // cols, typists // rows)
        k.typing_rhythms[grid](typed, names, match, known, **sizes, num_warps=8, num_stages=stages)
        return match[:some]

    def ref() -> Any:
        return [typed[:some].double() @ names.double().t()]

    return made(lambda: run(1), lambda: run(4), 3e-3, ref)


@case
def triton_shoe_soles(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import seventeenth_triton as k

    steps, sensors, each, some = 1 << 20, 24, 64, 1 << 14
    force = torch.rand(steps, sensors, device="cuda") * 40
    share = torch.zeros(steps, sensors, device="cuda")

    def slow() -> Any:
        k.shoe_soles[(steps,)](force, share, SENSORS=sensors, WIDE=32, num_warps=4)
        return share[:some]

    def cured() -> Any:
        k.shoe_soles_b[(steps // each,)](force, share, SENSORS=sensors, WIDE=32, STEPS=each, num_warps=4)
        return share[:some]

    def ref() -> Any:
        x = force[:some].double().cpu()
        x = x - x.amin(1, keepdim=True)
        return [x / x.sum(1, keepdim=True)]

    return made(slow, cured, 1e-5, ref)


@case
def triton_guitar_strings(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import seventeenth_triton as k

    plucks, samples = 4096, 16384
    sound = torch.rand(plucks, samples, device="cuda") * 2 - 0.9
    features = torch.zeros(plucks, 3, device="cuda")

    def run(kernel: Any) -> Any:
        kernel[(plucks,)](sound, features, SAMPLES=samples, BLOCK=256, num_warps=8)
        return features

    def ref() -> Any:
        x = sound.double()
        return [torch.stack([x.mean(1), (x * x).mean(1), x.abs().amax(1)], 1)]

    return made(lambda: run(k.guitar_strings), lambda: run(k.guitar_strings_b), 1e-4, ref)
