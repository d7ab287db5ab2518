"""Pairs of the nineteenth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 191


# ---- CuPy
@case
def cupy_paper_steps(t: Tools) -> Pair:
    cp, sheets, kinds, some = t.xp, 1 << 22, 64, 1 << 14
    thick = f32(80) + f32(40) * t.rng.random(sheets, dtype=f32)
    cost = cp.zeros(sheets, f32)
    body = """
        float step = 4.0f, per = 0.25f, least = 1e30f;
        for (int kind = 0; kind < kinds; ++kind) {
            CODE
            const float off = thick - step * code;
            least = fminf(least, off * off + 0.002f * per);
            step *= 0.9375f;
            per *= 1.0666667f;
        }
        cost = least;
        """
    slow, cured = (
        cp.ElementwiseKernel("float32 thick, int32 kinds", "float32 cost", body.replace("CODE", how), name)
        for how, name in (
            ("const long long code = llrintf(thick * per);", "paper_steps"),
            ("const float code = (thick * per + 12582912.0f) - 12582912.0f;", "paper_steps_b"),
        )
    )

    def ref() -> Any:
        x = cp.asnumpy(thick[:some]).astype(np.float64)
        step, per, least = 4.0, 0.25, np.full(some, 1e30)
        for _ in range(kinds):
            least = np.minimum(least, (x - step * np.rint(x * per)) ** 2 + 0.002 * per)
            step, per = step * 0.9375, per * 1.0666667
        return [least]

    return made(lambda: slow(thick, i32(kinds), cost)[:some], lambda: cured(thick, i32(kinds), cost)[:some], 1e-3, ref)


@case
def cupy_lamp_phases(t: Tools) -> Pair:
    cp, shots, some = t.xp, 1 << 23, 1 << 18
    time = (t.rng.random(shots) * 3e13).astype(cp.int64).astype(cp.float64) + 1.7e15
    cycle = 1000.0
    cured = cp.ElementwiseKernel(
        "float64 time, float64 cycle", "float64 phase", "phase = time - floor(time / cycle) * cycle", "lamp_phases_b"
    )

    def ref() -> Any:
        return [np.fmod(cp.asnumpy(time[:some]), cycle)]

    return made(lambda: cp.fmod(time, cycle)[:some], lambda: cured(time, cycle)[:some], 0.0, ref)


@case
def cupy_reef_frames(t: Tools) -> Pair:
    cp, frames, pixels, some = t.xp, 2048, 1 << 16, 64
    reef = t.uint32((frames, pixels // 4), (1 << 31) - 1).view(cp.uint8)
    words = reef.view(cp.uint32)
    slow = cp.ReductionKernel("uint8 x", "int32 light", "x", "a + b", "light = a", "0", "reef_frames")
    cured = cp.ReductionKernel(
        "uint32 x",
        "int32 light",
        "(int)((x & 255u) + (x >> 8 & 255u) + (x >> 16 & 255u) + (x >> 24))",
        "a + b",
        "light = a",
        "0",
        "reef_frames_b",
    )

    def ref() -> Any:
        return [cp.asnumpy(reef[:some]).sum(1, dtype=i32)]

    return made(lambda: slow(reef, axis=1)[:some], lambda: cured(words, axis=1)[:some], 0.0, ref)


@case
def cupy_market_stalls(t: Tools) -> Pair:
    cp, guests, stalls, nearest, some = t.xp, 1 << 18, 512, 8, 1 << 10
    east, north = (f32(400) * t.rng.random(guests, dtype=f32) for _ in range(2))
    stall_east, stall_north = (f32(400) * t.rng.random(stalls, dtype=f32) for _ in range(2))
    walk = cp.zeros(guests, f32)
    inputs = "float32 east, float32 north, raw float32 stall_east, raw float32 stall_north, int32 stalls"
    body = """
        float best[SIZE];
        for (int k = 0; k < NEAREST; ++k) best[k] = 1e30f;
        for (int stall = 0; stall < stalls; ++stall) {
            const float dx = stall_east[stall] - east, dy = stall_north[stall] - north;
            float far = dx * dx + dy * dy;
            if (far < best[NEAREST - 1]) {
                INSERT
            }
        }
        float sum = 0.0f;
        for (int k = 0; k < NEAREST; ++k) sum += sqrtf(best[k]);
        walk = sum;
        """
    moved = """int k = nearest - 1;
                for (; k > 0 && best[k - 1] > far; --k) best[k] = best[k - 1];
                best[k] = far;"""
    passed = """#pragma unroll
                for (int k = 0; k < 8; ++k) {
                    const float less = fminf(best[k], far);
                    far = fmaxf(best[k], far);
                    best[k] = less;
                }"""
    slow = cp.ElementwiseKernel(
        f"{inputs}, int32 nearest",
        "float32 walk",
        body.replace("SIZE", "16").replace("NEAREST", "nearest").replace("INSERT", moved),
        "market_stalls",
    )
    cured = cp.ElementwiseKernel(
        inputs,
        "float32 walk",
        body.replace("SIZE", "8").replace("NEAREST", "8").replace("INSERT", passed),
        "market_stalls_b",
    )
    given = (east, north, stall_east, stall_north, i32(stalls))

    def ref() -> Any:
        e, n, se, sn = (cp.asnumpy(a).astype(np.float64) for a in (east[:some], north[:some], *given[2:4]))
        far = np.hypot(se[None] - e[:, None], sn[None] - n[:, None])
        return [np.sort(far, 1)[:, :nearest].sum(1)]

    return made(lambda: slow(*given, i32(nearest), walk)[:some], lambda: cured(*given, walk)[:some], 1e-4, ref)


@case
def cupy_carousel_faults(t: Tools) -> Pair:
    cp, rides, some = t.xp, 1 << 23, 1 << 14
    rare = t.rng.random(rides, dtype=f32)
    faults = cp.where(rare < 0.06, 160 + 96 * rare / 0.06, 1 + 8 * rare).astype(i32)
    rate = faults.astype(f32) * f32(0.3) + f32(0.5) + t.rng.random(rides, dtype=f32)
    chance, sorted_chance = cp.zeros(rides, f32), cp.zeros(rides, f32)
    kernel = cp.ElementwiseKernel(
        "float32 rate, int32 faults",
        "float32 chance",
        """
        float term = expf(-rate), fewer = term;
        for (int k = 1; k < faults; ++k) {
            term *= rate / k;
            fewer += term;
        }
        chance = fewer;
        """,
        "carousel_faults",
    )
    order = cp.argsort(faults)
    sorted_rate, sorted_faults = rate[order], faults[order]
    back = cp.argsort(order)[:some]

    def outs(which: str) -> Any:
        return [chance[:some] if which == "slow" else sorted_chance[back]]

    def ref() -> Any:
        r, n = cp.asnumpy(rate[:some]).astype(np.float64), cp.asnumpy(faults[:some])
        term = np.exp(-r)
        fewer = term.copy()
        for k in range(1, int(n.max())):
            term = term * r / k
            fewer += np.where(k < n, term, 0)
        return [fewer]

    return Pair(
        lambda: kernel(rate, faults, chance),
        lambda: kernel(sorted_rate, sorted_faults, sorted_chance),
        outs,
        ref,
        1e-4,
    )


# ---- PyTorch
@case
def torch_paddy_means(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    bands, side, field = 4, 2048, 32
    green = torch.rand(1, bands, side, side, device="cuda")
    small = side // field

    def cured() -> Any:
        return green.view(1, bands, small, field, small, field).mean((3, 5))

    def ref() -> Any:
        return [green.double().cpu().view(1, bands, small, field, small, field).mean((3, 5))]

    return made(lambda: torch.nn.functional.avg_pool2d(green, field), cured, 1e-4, ref)


@case
def torch_turnstile_counts(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    visits, gates, copies = 1 << 22, 48, 256
    gate = torch.randint(0, gates, (visits,), device="cuda")
    spread = gate + gates * (torch.arange(visits, device="cuda") % copies)
    ones = torch.ones(visits, device="cuda", dtype=torch.int64)

    def slow() -> Any:
        return torch.zeros(gates, device="cuda", dtype=torch.int64).scatter_add_(0, gate, ones)

    def cured() -> Any:
        counts = torch.zeros(copies * gates, device="cuda", dtype=torch.int64).scatter_add_(0, spread, ones)
        return counts.view(copies, gates).sum(0)

    def ref() -> Any:
        return [np.bincount(gate.cpu().numpy(), minlength=gates).astype(f32)]

    return made(slow, cured, 0.0, ref)


@case
def torch_tea_flavours(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    teas, notes = 1448, 8
    flavour = torch.rand(teas, notes, device="cuda")
    one, other = torch.triu_indices(teas, teas, 1, device="cuda")

    def cured() -> Any:
        return (flavour[:, None] - flavour[None]).square().sum(-1).sqrt()[one, other]

    def ref() -> Any:
        x = flavour.double().cpu().numpy()
        return [np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))[np.triu_indices(teas, 1)]]

    return made(lambda: torch.nn.functional.pdist(flavour), cured, 1e-4, ref)


@case
def torch_exam_marks(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    answers, some = 1 << 24, 1 << 18
    above = torch.rand(answers, device="cuda", dtype=torch.float64) * 4.9 - 0.9
    narrow = above.float()
    log_ndtr = torch.special.log_ndtr

    def ref() -> Any:
        return [log_ndtr(above[:some].cpu())]

    return made(lambda: log_ndtr(above)[:some], lambda: log_ndtr(narrow)[:some], 1e-4, ref)


@case
def torch_stadium_seats(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    seats, some = 1 << 25, 1 << 18
    seat = torch.randperm(seats, device="cuda")
    noise = torch.rand(seats, device="cuda") + 0.5
    by_seat = torch.empty_like(noise)
    by_seat[seat] = noise
    in_order = torch.arange(seats, device="cuda")
    plan = torch.zeros(seats, device="cuda")

    def run(where: Any, what: Any) -> None:
        plan[where] = what

    def ref() -> Any:
        want = np.empty(seats, f32)
        want[seat.cpu().numpy()] = noise.cpu().numpy()
        return [want[:some]]

    return Pair(lambda: run(seat, noise), lambda: run(in_order, by_seat), lambda _: [plan[:some]], ref, 0.0, plan.zero_)


# ---- Triton
@case
def triton_rover_frames(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import nineteenth_triton as k

    frames, pixels, block, some = 8, 1 << 23, 1024, 1 << 18
    codes = torch.randint(0, 4096, (frames, pixels), device="cuda", dtype=torch.int16)
    table = torch.arange(4096, device="cuda", dtype=torch.float32) ** 2 / 4096
    mean = torch.zeros(pixels, device="cuda")
    grid = (pixels // block,)

    def slow() -> Any:
        k.rover_frames[grid](codes, table, mean, pixels, FRAMES=frames, BLOCK=block, num_warps=4)
        return mean[:some]

    def cured() -> Any:
        k.rover_frames_b[grid](codes, mean, pixels, FRAMES=frames, BLOCK=block, num_warps=4)
        return mean[:some]

    def ref() -> Any:
        return [(codes[:, :some].cpu().numpy().astype(np.float64) ** 2 / 4096).mean(0)]

    return made(slow, cured, 1e-5, ref)


@case
def triton_carpet_dyes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import nineteenth_triton as k

    tufts, some = 1 << 26, 1 << 18
    wool, taken = (torch.rand(tufts, device="cuda").half() for _ in range(2))
    colour = torch.zeros(tufts, device="cuda", dtype=torch.float16)

    def run(block: int) -> Any:
        k.carpet_dyes[(tufts // block,)](wool, taken, colour, BLOCK=block, num_warps=4)
        return colour[:some]

    def ref() -> Any:
        w, d = (a[:some].double().cpu().numpy() for a in (wool, taken))
        return [np.clip(w * (1 - 0.6 * d), 0.05, 0.95)]

    return made(lambda: run(128), lambda: run(2048), 3e-3, ref)


@case
def triton_kayak_strokes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import nineteenth_triton as k

    paddles, samples, pieces, block = 8, 1 << 22, 128, 4096
    force = torch.randn(paddles, samples, device="cuda")
    work = torch.zeros(paddles, device="cuda")

    def slow() -> None:
        k.kayak_strokes[(paddles,)](force, work, samples, BLOCK=block, num_warps=8)

    def cured() -> None:
        grid = (pieces, paddles)
        k.kayak_strokes_b[grid](force, work, samples, samples // pieces, BLOCK=block, num_warps=8)

    def ref() -> Any:
        return [(force.double() ** 2).sum(1)]

    return Pair(slow, cured, lambda _: [work], ref, 1e-4, work.zero_)


@case
def triton_colloid_centres(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import nineteenth_triton as k

    beads, side, turns, some = 16384, 10, 12, 2048
    voxels = torch.rand(beads, side, side, side, device="cuda")
    centres = torch.zeros(beads, 3, device="cuda")

    def slow() -> Any:
        k.colloid_centres[(beads,)](voxels, centres, SIDE=side, WIDE=16, TURNS=turns, num_warps=4)
        return centres[:some]

    def cured() -> Any:
        k.colloid_centres_b[(beads,)](voxels, centres, SIDE=side, ALL=1024, TURNS=turns, num_warps=4)
        return centres[:some]

    def ref() -> Any:
        light = voxels[:some].cpu().numpy().reshape(some, -1).astype(np.float64)
        z, y, x = (a.ravel() for a in np.indices((side, side, side)))
        place = np.stack([x, y, z], 1)
        at = np.full((some, 3), (side - 1) / 2)
        for _ in range(turns):
            off = [place[None, :, k] - at[:, k, None] for k in range(3)]
            far = sum(d * d for d in off)
            near = np.exp(-0.02 * far)
            weight = light * (near**4 + 0.5 * near)
            at = at + np.stack([(weight * d).sum(1) for d in off], 1) / weight.sum(1)[:, None]
        return [at]

    return made(slow, cured, 1e-4, ref)
