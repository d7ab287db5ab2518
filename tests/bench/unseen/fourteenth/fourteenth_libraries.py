"""Pairs of the fourteenth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 141


# ---- CuPy
@case
def cupy_panel_light(t: Tools) -> Pair:
    cp, hours, some = t.xp, 1 << 23, 1 << 18
    high, turn = t.rng.random(hours, dtype=f32) * f32(1.5), t.rng.random(hours, dtype=f32) * f32(6.28)
    beam, sky = t.rng.random(hours, dtype=f32) * f32(900), t.rng.random(hours, dtype=f32) * f32(200)
    formula = """
        const {0} straight = cos({1} * (90.0{2} - 35.0{2})) * sin(high) + sin({1} * 55.0{2}) * cos(high)
            * cos(turn - {1} * 170.0{2});
        const {0} glass = 1.0{2} - 0.05{2} * (1.0{2} / fmax(straight, 0.1{2}) - 1.0{2});
        const {0} air = exp(-0.09{2} * pow(1.0{2} / (sin(high) + 0.05{2}), 0.678{2}));
        light = beam * air * glass * fmax(straight, 0.0{2}) + sky * (1.0{2} + cos({1} * 35.0{2})) * 0.5{2};
    """
    params = "float32 high, float32 turn, float32 beam, float32 sky", "float32 light"
    slow = cp.ElementwiseKernel(*params, formula.format("double", "0.017453292519943295", ""), "panel_light")
    single = formula.format("float", "0.017453292f", "f")
    for name in ("cos", "sin", "exp", "pow", "fmax"):
        single = single.replace(f"{name}(", f"{name}f(")
    cured = cp.ElementwiseKernel(*params, single, "panel_light_b")

    def ref() -> Any:
        h, w, b, s = (a[:some].astype(np.float64) for a in (high, turn, beam, sky))
        deg = np.pi / 180
        straight = np.cos(deg * 55) * cp.sin(h) + np.sin(deg * 55) * cp.cos(h) * cp.cos(w - deg * 170)
        glass = 1 - 0.05 * (1 / cp.maximum(straight, 0.1) - 1)
        air = cp.exp(-0.09 * (1 / (cp.sin(h) + 0.05)) ** 0.678)
        return [b * air * glass * cp.maximum(straight, 0) + s * (1 + np.cos(deg * 35)) * 0.5]

    return made(lambda: slow(high, turn, beam, sky)[:some], lambda: cured(high, turn, beam, sky)[:some], 1e-5, ref)


@case
def cupy_card_debts(t: Tools) -> Pair:
    cp, cards, some = t.xp, 1 << 22, 1 << 16
    months = cp.minimum(f32(6) - f32(60) * cp.log(f32(1) - t.rng.random(cards, dtype=f32)), f32(360))
    rate = f32(0.004) + f32(0.008) * t.rng.random(cards, dtype=f32)
    debt = f32(200) + f32(9000) * t.rng.random(cards, dtype=f32)
    pay = debt * rate / (f32(1) - (f32(1) + rate) ** -months)
    order = cp.argsort(months)
    kept = [a[order].copy() for a in (debt, rate, pay)]
    back = cp.empty_like(order)
    back[order] = cp.arange(cards)
    back = back[:some].copy()
    paid_off = cp.ElementwiseKernel(
        "float32 debt, float32 rate, float32 pay",
        "float32 cost",
        """
        float left = debt, sum = 0.0f;
        for (int month = 0; month < 1200 && left > 0.0f; ++month) {
            const float interest = left * rate;
            sum += interest;
            left = left + interest - pay;
        }
        cost = sum;
        """,
        "card_debts",
    )

    def ref() -> Any:
        owed, part, monthly = (cp.asnumpy(a[:some]) for a in (debt, rate, pay))
        left, total = owed.astype(np.float64), np.zeros(some)
        for _ in range(1200):
            interest = np.where(left > 0, left * part, 0)
            total += interest
            left = np.where(left > 0, left + interest - monthly, left)
        return [total]

    pair = made(lambda: paid_off(debt, rate, pay), lambda: paid_off(*kept), 1e-3, ref)
    whole = pair.outs

    def outs(which: str) -> Any:
        return [found[:some] if which == "slow" else found[back] for found in whole(which)]

    pair.outs = outs
    return pair


@case
def cupy_halftone_screen(t: Tools) -> Pair:
    cp, height, width, inks, cell = t.xp, 3072, 2048, 4, 19
    grey = t.rng.integers(0, 256, height * width * inks, dtype=i32).astype(cp.uint8)
    screen = t.rng.integers(0, 255, cell * cell, dtype=i32).astype(cp.uint8)
    slant = ((3, 1), (1, 3), (4, 0), (2, 2))
    body = """
        const {0} ink = {1} % {2}, x = {1} / {2} % {3}, y = {1} / {2} / {3};
        const {0} a = ink == 0 ? 3 : ink == 1 ? 1 : ink == 2 ? 4 : 2;
        const {0} b = ink == 0 ? 1 : ink == 1 ? 3 : ink == 2 ? 0 : 2;
        const {0} u = (a * x + b * y) % {4}, v = (a * y + b * ({3} - x)) % {4};
        dot = grey > screen[v * {4} + u] ? 255 : 0;
    """
    sizes = "int32 inks, int32 width, int32 cell"
    slow = cp.ElementwiseKernel(
        f"uint8 grey, raw uint8 screen, {sizes}",
        "uint8 dot",
        body.format("ptrdiff_t", "i", "inks", "width", "cell"),
        "halftone_screen",
    )
    known = body.format("unsigned int", "at", f"{inks}u", f"{width}u", f"{cell}u")
    cured = cp.ElementwiseKernel(
        "uint8 grey, raw uint8 screen",
        "uint8 dot",
        f"const unsigned int at = (unsigned int)i;\n{known}",
        "halftone_screen_b",
    )

    def ref() -> Any:
        page = cp.asnumpy(grey).reshape(height, width, inks)
        y, x = np.mgrid[:height, :width]
        layers = [
            page[:, :, k] > cp.asnumpy(screen)[(a * y + b * (width - x)) % cell * cell + (a * x + b * y) % cell]
            for k, (a, b) in enumerate(slant)
        ]
        return [(np.stack(layers, axis=2).reshape(-1) * 255).astype(np.uint8)]

    return made(lambda: slow(grey, screen, i32(inks), i32(width), i32(cell)), lambda: cured(grey, screen), 0.0, ref)


@case
def cupy_cam_lift(t: Tools) -> Pair:
    cp, angles, harmonics, some = t.xp, 1 << 24, 24, 1 << 18
    turn = (t.rng.random(angles, dtype=f32) - f32(0.5)) * f32(6.2831)
    rng = np.random.default_rng(SEED)
    even, odd = (rng.normal(size=harmonics) / np.arange(1, harmonics + 1) ** 1.5 for _ in range(2))
    terms = [(k + 1, even[k], odd[k]) for k in range(harmonics)]
    as_written = [f"sum += {a:.8e}f * __cosf({k}.0f * turn) + {b:.8e}f * __sinf({k}.0f * turn);" for k, a, b in terms]
    by_turns = ["const float c = __cosf(turn), s = __sinf(turn);", "float even = c, odd = s, next;"]
    for k, a, b in terms:
        by_turns.append(f"sum += {a:.8e}f * even + {b:.8e}f * odd;")
        if k < harmonics:
            by_turns.append("next = even * c - odd * s; odd = odd * c + even * s; even = next;")
    params = "float32 turn", "float32 lift"
    slow = cp.ElementwiseKernel(*params, "\n".join(["float sum = 0.0f;", *as_written, "lift = sum;"]), "cam_lift")
    cured = cp.ElementwiseKernel(*params, "\n".join(["float sum = 0.0f;", *by_turns, "lift = sum;"]), "cam_lift_b")

    def ref() -> Any:
        x = cp.asnumpy(turn[:some]).astype(np.float64)
        return [sum(a * np.cos(k * x) + b * np.sin(k * x) for k, a, b in terms)]

    return made(lambda: slow(turn)[:some], lambda: cured(turn)[:some], 2e-4, ref)


@case
def cupy_wave_gauges(t: Tools) -> Pair:
    cp, moments, gauges = t.xp, 1 << 20, 12
    height = t.rng.random((moments, gauges), dtype=f32)
    by_gauge = height.T.copy()

    def ref() -> Any:
        return [cp.asnumpy(height).max(axis=1)]

    return made(lambda: height.max(axis=1), lambda: by_gauge.max(axis=0), 0.0, ref)


# ---- PyTorch
@case
def torch_residue_triangles(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    channels, residues, some = 128, 512, 4
    left, right = (torch.randn(channels, residues, residues, device="cuda") for _ in range(2))

    def run(precision: str) -> Any:
        torch.set_float32_matmul_precision(precision)
        found = torch.bmm(left, right.transpose(1, 2))
        torch.set_float32_matmul_precision("highest")
        return found[:some]

    def ref() -> Any:
        return [left[:some].double() @ right[:some].double().transpose(1, 2)]

    return made(lambda: run("highest"), lambda: run("high"), 2e-3, ref)


@case
def torch_ultrasound_norm(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    channels, side, groups, parts, some = 64, 512, 8, 128, 4
    echo = torch.randn(1, channels, side, side, device="cuda") + 0.5
    gain, shift = torch.rand(channels, device="cuda") + 0.5, torch.randn(channels, device="cuda")

    def slow() -> Any:
        return torch.nn.functional.group_norm(echo, groups, gain, shift)[:, :some]

    def cured() -> Any:
        var, mean = torch.var_mean(echo.view(groups * parts, -1), 1, correction=0)
        var, mean = var.view(groups, parts), mean.view(groups, parts)
        centre = mean.mean(1)
        spread = (var + (mean - centre[:, None]) ** 2).mean(1)
        scale = gain.view(groups, -1) / torch.sqrt(spread + 1e-5)[:, None]
        base = shift.view(groups, -1) - scale * centre[:, None]
        return torch.addcmul(base.view(1, -1, 1, 1), echo, scale.view(1, -1, 1, 1))[:, :some]

    def ref() -> Any:
        first = echo[:, : channels // groups].double()
        by = gain[:some].double().view(1, -1, 1, 1)
        at = shift[:some].double().view(1, -1, 1, 1)
        return [(first[:, :some] - first.mean()) / torch.sqrt(first.var(correction=0) + 1e-5) * by + at]

    return made(slow, cured, 1e-4, ref)


@case
def torch_cloud_layers(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    scenes, channels, side, some = 8, 256, 128, 4
    seen = torch.randn(scenes, channels, side, side, device="cuda").to(memory_format=torch.channels_last)
    forecast = torch.randn(scenes, channels, side, side, device="cuda")
    alike = forecast.to(memory_format=torch.channels_last)

    def ref() -> Any:
        return [seen[:, :some].double() + forecast[:, :some].double()]

    return made(lambda: (seen + forecast)[:, :some], lambda: (seen + alike)[:, :some], 1e-6, ref)


@case
def torch_photon_pulses(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    pulses, photons, some = 1 << 24, 1 << 22, 1 << 18
    start = torch.rand(pulses, device="cuda", dtype=torch.float64).sort().values
    photon = torch.rand(photons, device="cuda", dtype=torch.float64)
    in_order, order = photon.sort()
    back = torch.empty_like(order)
    back[order] = torch.arange(photons, device="cuda")
    back = back[:some].clone()

    def ref() -> Any:
        return [np.searchsorted(start.cpu().numpy(), photon[:some].cpu().numpy()).astype(f32)]

    pair = made(lambda: torch.searchsorted(start, photon), lambda: torch.searchsorted(start, in_order), 0.0, ref)
    whole = pair.outs

    def outs(which: str) -> Any:
        return [found[:some] if which == "slow" else found[back] for found in whole(which)]

    pair.outs = outs
    return pair


@case
def torch_ink_levels(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    height, width, wide = 3072, 2048, 25
    half = wide // 2
    page = torch.rand(1, 1, height, width, device="cuda")
    pool = torch.nn.functional.avg_pool2d

    def cured() -> Any:
        return pool(pool(page, (1, wide), 1, (0, half)), (wide, 1), 1, (half, 0))

    def ref() -> Any:
        sums = np.pad(page[0, 0].double().cpu().numpy(), half)
        for axis in (0, 1):
            sums = np.insert(sums.cumsum(axis), 0, 0, axis)
            rows = sums.shape[axis]
            sums = sums.take(range(wide, rows), axis) - sums.take(range(rows - wide), axis)
        return [sums[None, None] / wide**2]

    return made(lambda: pool(page, wide, 1, half), cured, 1e-5, ref)


# ---- Triton
@case
def triton_sleep_scores(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fourteenth_triton as k

    epochs, features = 1 << 20, 64
    feature, weight = torch.randn(epochs, features, device="cuda"), torch.randn(features, device="cuda") / 8
    score = torch.zeros(epochs, device="cuda")

    def slow() -> Any:
        k.sleep_scores[(epochs // 256,)](feature, weight, score, epochs, FEATURES=features, BLOCK=256, num_warps=4)
        return score

    def cured() -> Any:
        k.sleep_scores_b[(epochs // 64,)](feature, weight, score, epochs, FEATURES=features, BLOCK=64, num_warps=4)
        return score

    return made(slow, cured, 1e-5, lambda: [torch.sigmoid(feature.double() @ weight.double())])


@case
def triton_strain_peaks(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fourteenth_triton as k

    stretches, length, some = 1024, 32000, 16
    strain, noise = torch.randn(stretches, length, device="cuda"), torch.rand(length, device="cuda") + 0.5
    white = torch.zeros_like(strain)

    def run(warps: int) -> Any:
        k.strain_peaks[(stretches,)](strain, noise, white, length, BLOCK=32768, num_warps=warps)
        return white[:some]

    def ref() -> Any:
        x = strain[:some].double()
        power = ((x - x.mean(1, keepdim=True)) / noise.double()) ** 2
        return [(power - power.mean(1, keepdim=True)) / power.std(1, correction=0, keepdim=True)]

    return made(lambda: run(4), lambda: run(32), 1e-4, ref)


@case
def triton_toll_gates(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fourteenth_triton as k

    passages, gates = 1 << 22, 16
    gate = torch.randint(0, gates, (passages,), device="cuda", dtype=torch.int32)
    toll = torch.randint(1, 100, (passages,), device="cuda", dtype=torch.int32)
    takings = torch.zeros(gates, device="cuda", dtype=torch.int32)

    def slow() -> Any:
        takings.zero_()
        k.toll_gates[(passages // 1024,)](gate, toll, takings, passages, BLOCK=1024, num_warps=4)
        return takings

    def cured() -> Any:
        takings.zero_()
        k.toll_gates_b[(passages // 4096,)](gate, toll, takings, passages, GATES=gates, BLOCK=4096, num_warps=4)
        return takings

    def ref() -> Any:
        return [np.bincount(gate.cpu().numpy(), toll.cpu().numpy(), gates)]

    return made(slow, cured, 1e-9, ref)


@case
def triton_jaw_gaps(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fourteenth_triton as k

    scanned, known, points, some = 8192, 1 << 16, 16, 32
    scan, model = torch.rand(3, scanned, device="cuda") * 60, torch.rand(3, known, device="cuda") * 60
    gap = torch.zeros(scanned, device="cuda")

    def slow() -> Any:
        k.jaw_gaps[(scanned,)](scan, model, gap, scanned, known, BLOCK=1024, num_warps=4)
        return gap[:some]

    def cured() -> Any:
        k.jaw_gaps_b[(scanned // points,)](scan, model, gap, scanned, known, POINTS=points, BLOCK=128, num_warps=4)
        return gap[:some]

    def ref() -> Any:
        away = scan[:, :some, None].double() - model[:, None, :].double()
        return [(away**2).sum(0).min(1).values.sqrt()]

    return made(slow, cured, 1e-5, ref)
