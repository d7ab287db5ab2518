"""Pairs of the eleventh round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 103


# ---- CuPy
@case
def cupy_top_rated(t: Tools) -> Pair:
    cp, readers, books, rated = t.xp, 1 << 19, 1 << 14, 64
    from cupyx.scipy import sparse

    wide = books // rated
    book = t.rng.integers(0, wide, (readers, rated), dtype=i32) + cp.arange(rated, dtype=i32) * i32(wide)
    stars = t.rng.integers(1, 1 << 17, (readers, rated), dtype=i32) * i32(rated) + cp.arange(rated, dtype=i32)
    rating = stars.astype(f32) / f32(1 << 20)  # no two ratings of a reader are alike
    first = cp.arange(0, readers * rated + 1, rated, dtype=i32)
    table = sparse.csr_matrix((rating.reshape(-1), book.reshape(-1), first), shape=(readers, books))
    kernel = cp.ElementwiseKernel(
        "raw float32 rating, raw int32 book, raw int32 first",
        "int64 best",
        """
        const int last = first[i + 1];
        int at = first[i];
        float most = rating[at];
        for (int k = at + 1; k < last; k++) {
            const float now = rating[k];
            if (now > most) {
                most = now;
                at = k;
            }
        }
        best = book[at];
        """,
        "top_rated",
    )

    def slow() -> Any:
        return cp.asarray(table.argmax(axis=1)).reshape(-1)

    def cured() -> Any:
        return kernel(table.data, table.indices, table.indptr, size=readers)

    def ref() -> Any:
        return [book[cp.arange(readers), rating.argmax(axis=1)]]

    return made(slow, cured, 0.0, ref)


@case
def cupy_road_segments(t: Tools) -> Pair:
    cp, segments, cars, some = t.xp, 1 << 22, 1 << 24, 1 << 18
    end = cp.sort(t.rng.random(segments, dtype=f32) * f32(9000))
    place = t.rng.random(cars, dtype=f32) * f32(9000)
    order = cp.argsort(place)
    in_order, back = place[order], cp.empty_like(order)
    back[order] = cp.arange(cars)
    back = back[:some].copy()

    def ref() -> Any:
        return [np.searchsorted(cp.asnumpy(end), cp.asnumpy(place[:some]))]

    pair = made(lambda: cp.searchsorted(end, place), lambda: cp.searchsorted(end, in_order), 0.0, ref)
    whole = pair.outs

    def outs(which: str) -> Any:
        return [found[:some] if which == "slow" else found[back] for found in whole(which)]

    pair.outs = outs
    return pair


@case
def cupy_falloff_rates(t: Tools) -> Pair:
    cp, cells, rng = t.xp, 1 << 21, np.random.default_rng(SEED)
    reactions = 8
    columns = (
        10 ** rng.uniform(16, 18, reactions),
        rng.uniform(-2.0, -0.5, reactions),
        rng.uniform(500, 3000, reactions),
        10 ** rng.uniform(11, 13, reactions),
        rng.uniform(0.1, 1.2, reactions),
        rng.uniform(1000, 9000, reactions),
    )
    as_read = [cp.asarray(column)[:, None] for column in columns]
    single = [column.astype(f32) for column in as_read]
    kelvin = f32(700) + f32(1800) * t.rng.random((1, cells), dtype=f32)
    gas = f32(1e-6) + f32(1e-4) * t.rng.random((1, cells), dtype=f32)

    @cp.fuse(kernel_name="falloff_rates")
    def rates(a_low: Any, n_low: Any, e_low: Any, a: Any, n: Any, e: Any, kelvin: Any, gas: Any) -> Any:
        low = a_low * kelvin**n_low * cp.exp(-e_low / kelvin) * gas
        high = a * kelvin**n * cp.exp(-e / kelvin)
        return low * high / (low + high)

    def ref() -> Any:
        rows, warm, dense = [], kelvin[0].astype(np.float64), gas[0].astype(np.float64)
        for a_low, n_low, e_low, a, n, e in zip(*(column.tolist() for column in columns), strict=True):
            low = cp.exp(np.log(a_low) + n_low * cp.log(warm) - e_low / warm) * dense
            high = cp.exp(np.log(a) + n * cp.log(warm) - e / warm)
            rows.append(1 / (1 / low + 1 / high))
        return [cp.stack(rows)]

    return made(lambda: rates(*as_read, kelvin, gas), lambda: rates(*single, kelvin, gas), 1e-4, ref)


# Covalent radii in parts of a hundredth of an angstrom, hydrogen to radon (Cordero and others, 2008); 0: no element.
RADII = """
    0 31 28 128 96 84 76 71 66 57 58 166 141 121 111 107 105 102 106 203 176 170 160 153 139 139 132 126 124 132 122
    122 120 119 120 116 116 220 195 190 175 164 154 147 146 142 139 145 144 142 139 139 138 139 140 244 215 207 204
    203 201 199 198 198 196 194 192 192 189 190 187 187 175 170 162 151 144 141 136 136 132 145 146 148 140 150 150
"""


@case
def cupy_bond_strain(t: Tools) -> Pair:
    cp, bonds = t.xp, 1 << 24
    one, other = (t.rng.integers(1, 87, bonds, dtype=i32).astype(np.uint8) for _ in range(2))
    length = f32(0.8) + f32(2.5) * t.rng.random(bonds, dtype=f32)
    radii = np.array(RADII.split(), f32)
    body = """
        const float off = length - 0.01f * (radius[one] + radius[other]);
        strain = 0.5f * off * off;
    """
    inside = cp.ElementwiseKernel(
        "uint8 one, uint8 other, float32 length",
        "float32 strain",
        f"const float radius[{radii.size}] = {{{', '.join(f'{value}f' for value in radii.tolist())}}};{body}",
        "bond_strain",
    )
    given = cp.ElementwiseKernel(
        "uint8 one, uint8 other, float32 length, raw float32 radius", "float32 strain", body, "bond_strain_b"
    )
    radius = cp.asarray(radii)

    def ref() -> Any:
        wide = radius.astype(np.float64) / 100
        return [(length - wide[one] - wide[other]) ** 2 / 2]

    return made(lambda: inside(one, other, length), lambda: given(one, other, length, radius), 1e-5, ref)


@case
def cupy_duel_damage(t: Tools) -> Pair:
    cp, duels, kinds, rng = t.xp, 1 << 24, 18, np.random.default_rng(SEED)
    effect = rng.choice([0.0, 0.5, 1.0, 2.0], (kinds, kinds), p=[0.03, 0.17, 0.63, 0.17]).astype(f32)
    move = t.rng.integers(0, kinds, (duels, 4), dtype=i32).astype(np.uint8)
    power = t.rng.integers(20, 120, (duels, 4), dtype=i32).astype(np.uint8)
    first, second = (t.rng.integers(0, kinds, duels, dtype=i32).astype(np.uint8) for _ in range(2))
    body = """
        float best = 0.0f;
        for (int k = 0; k < 32; k += 8) {
            const int row = (moves >> k & 255) * 18;
            best = fmaxf(best, (powers >> k & 255) * chart[row + first] * chart[row + second]);
        }
        damage = best;
    """
    params = "uint32 moves, uint32 powers, uint8 first, uint8 second"
    values = ", ".join(f"{value}f" for value in effect.reshape(-1).tolist())
    slow = cp.ElementwiseKernel(
        params, "float32 damage", body, "duel_damage", preamble=f"__constant__ float chart[324] = {{{values}}};"
    )
    cured = cp.ElementwiseKernel(f"{params}, raw float32 chart", "float32 damage", body, "duel_damage_b")
    given = (move.view(np.uint32).reshape(-1), power.view(np.uint32).reshape(-1), first, second)
    chart = cp.asarray(effect)
    flat = chart.reshape(-1)

    def ref() -> Any:
        return [(power * chart[move, first[:, None]] * chart[move, second[:, None]]).max(axis=1)]

    return made(lambda: slow(*given), lambda: cured(*given, flat), 0.0, ref)


@case
def cupy_comet_orbits(t: Tools) -> Pair:
    cp, bodies, some = t.xp, 1 << 23, 1 << 18
    round_ones = t.rng.random(bodies, dtype=f32) < 0.9
    share = t.rng.random(bodies, dtype=f32)
    stretch = cp.where(round_ones, f32(0.1) * share, f32(0.6) + f32(0.36) * share)
    mean = t.rng.random(bodies, dtype=f32) * f32(6.2831)
    order = cp.lexsort(cp.stack([cp.abs(cp.sin(mean)), cp.floor(stretch * 50)]))
    mean_sorted, stretch_sorted, back = mean[order], stretch[order], cp.empty_like(order)
    back[order] = cp.arange(bodies)
    back = back[:some].copy()
    kernel = cp.ElementwiseKernel(
        "float32 mean, float32 stretch",
        "float32 anomaly",
        """
        float now = mean;
        for (int turn = 0; turn < 250; turn++) {
            const float next = mean + stretch * sinf(now);
            const bool close = fabsf(next - now) < 2e-6f;
            now = next;
            if (close) break;
        }
        anomaly = now;
        """,
        "comet_orbits",
    )

    def ref() -> Any:
        m, e = mean[:some].astype(np.float64), stretch[:some].astype(np.float64)
        found = cp.full(some, np.pi)
        for _ in range(60):
            found -= (found - e * cp.sin(found) - m) / (1 - e * cp.cos(found))
        return [found]

    pair = made(lambda: kernel(mean, stretch), lambda: kernel(mean_sorted, stretch_sorted), 1e-4, ref)
    whole = pair.outs

    def outs(which: str) -> Any:
        return [found[:some] if which == "slow" else found[back] for found in whole(which)]

    pair.outs = outs
    return pair


# ---- PyTorch
@case
def torch_harmonic_frames(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    voices, harmonics, frames, samples = 64, 64, 256, 16384
    level = torch.rand(voices, harmonics, frames, device="cuda")
    stretch = torch.nn.functional.interpolate

    def slow() -> Any:
        return stretch(level, size=samples, mode="linear")[-1]

    def cured() -> Any:
        rows = level.view(1, 1, -1, frames)
        picture = stretch(rows, size=(voices * harmonics, samples), mode="bilinear")
        return picture.view(voices, harmonics, samples)[-1]

    def ref() -> Any:
        given = level[-1].double().cpu().numpy()
        at = (np.arange(samples) + 0.5) * (frames / samples) - 0.5
        return [np.stack([np.interp(at, np.arange(frames), row) for row in given])]

    return made(slow, cured, 1e-5, ref)


@case
def torch_median_exposure(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    pictures, side = 4, 512
    light = torch.rand(pictures, side, side, device="cuda") ** 2
    pixels = light.flatten(1)

    def ref() -> Any:
        return [np.sort(pixels.cpu().numpy(), axis=1)[:, (side * side - 1) // 2]]

    slow, cured = (lambda: pixels.median(1).values), (lambda: pixels.sort(1).values[:, (side * side - 1) // 2])
    return made(slow, cured, 0.0, ref)


@case
def torch_wind_levels(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    levels, side = 96, 512
    east, north = (torch.randn(levels, side, side, device="cuda") * 12 for _ in range(2))

    def slow() -> Any:
        speed = torch.empty_like(east)
        for level in range(levels):
            speed[level] = torch.sqrt(east[level] * east[level] + north[level] * north[level])
        return speed

    def cured() -> Any:
        return torch.sqrt(east * east + north * north)

    return made(slow, cured, 1e-5, lambda: [torch.hypot(east.double(), north.double())])


# ---- Triton
@case
def triton_move_sparks(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eleventh_triton as k

    n, fields, some, dt = 1 << 23, 16, 1 << 18, 0.016
    records = torch.rand(n, fields, device="cuda") + 0.1
    records[:, 3:6] = 8 * records[:, 3:6] - 5
    moved = torch.zeros_like(records)
    planes = records.t().contiguous()
    moved_planes = torch.zeros_like(planes)

    def slow() -> Any:
        k.move_sparks[(n // 512,)](records, moved, fields, 1, dt, BLOCK=512, num_warps=4)
        return moved[-some:, :8].t()

    def cured() -> Any:
        k.move_sparks[(n // 512,)](planes, moved_planes, 1, n, dt, BLOCK=512, num_warps=4)
        return moved_planes[:8, -some:]

    def ref() -> Any:
        state = planes[:, -some:].double()
        speed = state[3:6] * (1 - dt * state[12] / state[14])
        speed[1] -= 9.81 * dt
        place = state[:3] + dt * speed
        under = place[1] < 0
        speed[1] = torch.where(under, -0.6 * speed[1], speed[1])
        place[1] = torch.where(under, -0.6 * place[1], place[1])
        life, size = state[6], state[7]
        return [torch.cat([place, speed, torch.stack([life - dt, size * (1 - 0.5 * dt * (1 - life))])])]

    return made(slow, cured, 1e-5, ref)


@case
def triton_template_scores(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eleventh_triton as k

    n, d, kinds, some = 1 << 22, 64, 8, 1 << 16
    spectrum = torch.rand(n, d, device="cuda", dtype=torch.half)
    template = torch.randn(kinds, d, device="cuda")
    score = torch.zeros(kinds, n, device="cuda")

    def slow() -> Any:
        k.template_scores[(n // 64, kinds)](spectrum, template, score, n, D=d, BLOCK=64, num_warps=4)
        return score[:, -some:]

    def cured() -> Any:
        k.template_scores_b[(n // 64,)](spectrum, template, score, n, kinds, D=d, BLOCK=64, num_warps=4)
        return score[:, -some:]

    return made(slow, cured, 1e-5, lambda: [template.double() @ spectrum[-some:].double().t()])


@case
def triton_offer_scores(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eleventh_triton as k

    offers, d, weight = 1 << 22, 32, 0.3
    feature = torch.randn(offers, d, device="cuda", dtype=torch.half)
    taste, score = torch.randn(d, device="cuda"), torch.zeros(offers, device="cuda")
    popularity = torch.rand(offers).pin_memory()
    copied = popularity.cuda()

    def run(popular: Any) -> Any:
        k.offer_scores[(offers // 128,)](feature, taste, popular, score, weight, D=d, BLOCK=128, num_warps=4)
        return score

    def ref() -> Any:
        return [feature.double() @ taste.double() + weight * copied.double()]

    return made(lambda: run(popularity), lambda: run(copied), 1e-5, ref)


@case
def triton_surface_temperatures(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eleventh_triton as k

    n, steps, some = 1 << 23, 8, 1 << 16
    warmth, salt = torch.rand(n, device="cuda") * 25 + 1, torch.rand(n, device="cuda") * 6 + 31
    depth, surface = torch.rand(n, device="cuda") * 5000 + 100, torch.zeros(n, device="cuda")

    def run(fused: bool) -> Any:
        how = {"BLOCK": 512, "num_warps": 4, "enable_fp_fusion": fused}
        k.surface_temperatures[(n // 512,)](warmth, salt, depth, surface, steps, **how)
        return surface[:some]

    def lapse(s: Any, t: Any, p: Any) -> Any:
        still = 3.5803e-5 + 8.5258e-6 * t - 6.836e-8 * t**2 + 6.6228e-10 * t**3 + (1.8932e-6 - 4.2393e-8 * t) * s
        first = 1.8741e-8 - 6.7795e-10 * t + 8.733e-12 * t**2 - 5.4481e-14 * t**3
        first = first + (2.7759e-12 * t - 1.1351e-10) * s
        return still + first * p + (1.8676e-14 * t - 4.6206e-13 - 2.1687e-16 * t**2) * p**2

    def ref() -> Any:
        now, p = warmth[:some].double(), depth[:some].double()
        s, h = salt[:some].double() - 35, -p / 32
        for _ in range(32):
            a = lapse(s, now, p)
            b = lapse(s, now + h / 2 * a, p + h / 2)
            c = lapse(s, now + h / 2 * b, p + h / 2)
            now = now + h / 6 * (a + 2 * b + 2 * c + lapse(s, now + h * c, p + h))
            p = p + h
        return [now]

    return made(lambda: run(False), lambda: run(True), 1e-5, ref)


@case
def triton_hall_echoes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eleventh_triton as k

    sounds, length, taps, some = 4096, 12288, 16, 16
    sound = torch.randn(sounds, length, device="cuda")
    delay = torch.randint(1, 960, (taps,), device="cuda", dtype=torch.int32).sort().values
    share, heard = 0.8 ** torch.arange(taps, device="cuda", dtype=torch.float32), torch.zeros_like(sound)

    def run(kernel: Any) -> Any:
        kernel[(length // 1024, sounds)](sound, delay, share, heard, length, TAPS=taps, BLOCK=1024, num_warps=4)
        return heard[:some]

    def ref() -> Any:
        wide = sound[:some].double()
        echoes = zip(share.tolist(), delay.tolist(), strict=True)
        return [sum(part * wide.roll(late, 1) for part, late in echoes)]

    return made(lambda: run(k.hall_echoes), lambda: run(k.hall_echoes_b), 1e-5, ref)
