"""Pairs of the eighteenth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, i64, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 181


# ---- CuPy
@case
def cupy_comb_fringes(t: Tools) -> Pair:
    cp, pixels, lines, some = t.xp, 1 << 22, 16, 1 << 16
    path = f32(0.012) + f32(0.018) * t.rng.random(pixels, dtype=f32)
    wave = (f32(9.9e6) + f32(1.3e4) * cp.arange(lines, dtype=f32)).astype(f32)
    share = f32(0.5) + f32(0.5) * t.rng.random(lines, dtype=f32)
    light = cp.zeros(pixels, f32)
    body = """
        float sum = 0.0f;
        for (int line = 0; line < lines; ++line) {
            float phase = wave[line] * path;
            REDUCE
            sum += share[line] * (1.0f + cosf(phase));
        }
        light = sum;
        """
    reduced = """const float turns = rintf(phase * 0.159154943f);
            phase = fmaf(turns, -6.28125f, phase);
            phase = fmaf(turns, -1.93530718e-3f, phase);"""
    slow, cured = (
        cp.ElementwiseKernel(
            "float32 path, raw float32 wave, raw float32 share, int32 lines",
            "float32 light",
            body.replace("REDUCE", how),
            f"comb_fringes{name}",
        )
        for how, name in (("", ""), (reduced, "_b"))
    )

    def ref() -> Any:
        p, w, s = (cp.asnumpy(a) for a in (path[:some], wave, share))
        return [sum(s[k] * (1 + np.cos((w[k] * p).astype(np.float64))) for k in range(lines))]

    return made(
        lambda: slow(path, wave, share, i32(lines), light)[:some],
        lambda: cured(path, wave, share, i32(lines), light)[:some],
        1e-4,
        ref,
    )


@case
def cupy_vat_warmth(t: Tools) -> Pair:
    cp, vats, hours, some = t.xp, 1 << 16, 512, 1 << 12
    start = f32(12) + f32(8) * t.rng.random(vats, dtype=f32)
    room = f32(8) + f32(14) * t.rng.random(hours * vats, dtype=f32)
    warmth = cp.zeros(hours * vats, f32)
    slow = cp.ElementwiseKernel(
        "float32 start, raw float32 room, int32 vats, int32 hours",
        "raw float32 warmth",
        """
        float at = start;
        for (int hour = 0; hour < hours; ++hour) {
            const int here = hour * vats + i;
            at += 0.05f * (room[here] - at) + 0.004f * fmaxf(24.0f - at, 0.0f);
            warmth[here] = at;
        }
        """,
        "vat_warmth",
    )
    cured = cp.ElementwiseKernel(
        "float32 start, raw float32 room, int32 vats, int32 hours",
        "raw float32 warmth",
        """
        float at = start;
        for (int first = 0; first < hours; first += 8) {
            float around[8];
            #pragma unroll
            for (int k = 0; k < 8; ++k) around[k] = room[(first + k) * vats + i];
            #pragma unroll
            for (int k = 0; k < 8; ++k) {
                at += 0.05f * (around[k] - at) + 0.004f * fmaxf(24.0f - at, 0.0f);
                warmth[(first + k) * vats + i] = at;
            }
        }
        """,
        "vat_warmth_b",
    )

    def run(kernel: Any) -> Any:
        kernel(start, room, i32(vats), i32(hours), warmth)
        return warmth.reshape(hours, vats)[:, :some]

    def ref() -> Any:
        at = cp.asnumpy(start[:some]).astype(np.float64)
        around = cp.asnumpy(room.reshape(hours, vats)[:, :some]).astype(np.float64)
        seen = []
        for hour in range(hours):
            at = at + 0.05 * (around[hour] - at) + 0.004 * np.maximum(24 - at, 0)
            seen.append(at)
        return [np.stack(seen)]

    return made(lambda: run(slow), lambda: run(cured), 1e-4, ref)


@case
def cupy_ferry_decks(t: Tools) -> Pair:
    cp, cars, fields, some = t.xp, 1 << 24, 16, 1 << 18
    cargo = t.rng.random((cars, fields), dtype=f32)
    length, width = (cp.ascontiguousarray(cargo[:, k]) for k in (3, 9))

    def ref() -> Any:
        seen = cp.asnumpy(cargo[:some])
        return [seen[:, 3] * seen[:, 9]]

    return made(lambda: (cargo[:, 3] * cargo[:, 9])[:some], lambda: (length * width)[:some], 0.0, ref)


@case
def cupy_evening_alarms(t: Tools) -> Pair:
    cp, stations, calls, some = t.xp, 4096, 8192, 64
    time = (t.rng.random((stations, calls)) * 3e10).astype(cp.int64) + i64(1_700_000_000_000)
    day, hour, zone = 86_400_000, 3_600_000, 7_200_000
    evening = "((time + zone) % DAY / HOUR >= 17 && (time + zone) / DAY % 7 < 5 ? 1 : 0)"
    slow = cp.ReductionKernel(
        "int64 time, int64 zone, int64 day, int64 hour",
        "int32 alarms",
        evening.replace("DAY", "day").replace("HOUR", "hour"),
        "a + b",
        "alarms = a",
        "0",
        "evening_alarms",
    )
    cured = cp.ReductionKernel(
        "int64 time, int64 zone",
        "int32 alarms",
        evening.replace("DAY", f"{day}ll").replace("HOUR", f"{hour}ll"),
        "a + b",
        "alarms = a",
        "0",
        "evening_alarms_b",
    )

    def ref() -> Any:
        local = cp.asnumpy(time[:some]) + zone
        return [((local % day // hour >= 17) & (local // day % 7 < 5)).sum(1).astype(i32)]

    return made(
        lambda: slow(time, i64(zone), i64(day), i64(hour), axis=1)[:some],
        lambda: cured(time, i64(zone), axis=1)[:some],
        0.0,
        ref,
    )


@case
def cupy_ripening_fruit(t: Tools) -> Pair:
    cp, lots, some = t.xp, 1 << 22, 1 << 14
    kind = t.uint32(lots, 8).astype(cp.uint8)
    ripe = f32(0.05) + f32(0.2) * t.rng.random(lots, dtype=f32)
    warm = f32(0.5) + t.rng.random(lots, dtype=f32)
    steps = (
        ("0.04f * warm * r * (1.0f - r)", lambda r, w: 0.04 * w * r * (1 - r)),
        ("0.03f * warm * expf(-2.0f * r)", lambda r, w: 0.03 * w * np.exp(-2 * r)),
        ("0.02f * warm * sqrtf(r) / (1.0f + r)", lambda r, w: 0.02 * w * np.sqrt(r) / (1 + r)),
        ("0.03f * warm / (1.0f + expf(3.0f * r - 1.0f))", lambda r, w: 0.03 * w / (1 + np.exp(3 * r - 1))),
        ("0.02f * logf(1.0f + warm * r)", lambda r, w: 0.02 * np.log(1 + w * r)),
        ("0.01f * warm * (1.0f - r) / (0.3f + r * r)", lambda r, w: 0.01 * w * (1 - r) / (0.3 + r * r)),
        ("0.02f * warm * r / sqrtf(0.2f + r)", lambda r, w: 0.02 * w * r / np.sqrt(0.2 + r)),
        ("0.03f * r * expf(-warm * r)", lambda r, w: 0.03 * r * np.exp(-w * r)),
    )
    cases = "".join(
        f"case {k}: for (int hour = 0; hour < 24; ++hour) r += {step}; break;\n" for k, (step, _) in enumerate(steps)
    )
    kernel = cp.ElementwiseKernel(
        "uint8 kind, float32 ripe, float32 warm",
        "float32 after",
        f"float r = ripe;\nswitch (kind) {{\n{cases}}}\nafter = r;",
        "ripening_fruit",
    )
    order = cp.argsort(kind)
    back = cp.argsort(order)[:some]
    sorted_kind, sorted_ripe, sorted_warm = kind[order], ripe[order], warm[order]
    after, sorted_after = cp.zeros(lots, f32), cp.zeros(lots, f32)

    def outs(which: str) -> Any:
        return [after[:some] if which == "slow" else sorted_after[back]]

    def ref() -> Any:
        k, r, w = (cp.asnumpy(a[:some]) for a in (kind, ripe, warm))
        r, w = r.astype(np.float64), w.astype(np.float64)
        for number, (_, step) in enumerate(steps):
            for _ in range(24):
                r = np.where(k == number, r + step(r, w), r)
        return [r]

    return Pair(
        lambda: kernel(kind, ripe, warm, after),
        lambda: kernel(sorted_kind, sorted_ripe, sorted_warm, sorted_after),
        outs,
        ref,
        1e-4,
    )


# ---- PyTorch
@case
def torch_drum_modes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    points, some = 1 << 23, 1 << 18
    radius = torch.rand(points, device="cuda", dtype=torch.float64) * 30
    narrow = radius.float()

    def ref() -> Any:
        return [torch.special.bessel_j0(radius[:some].cpu())]

    j0 = torch.special.bessel_j0
    return made(lambda: j0(radius)[:some], lambda: j0(narrow)[:some], 1e-4, ref)


@case
def torch_trap_species(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    insects, species, some = 1 << 22, 32, 1 << 16
    kind = torch.randint(0, species, (insects,), device="cuda")

    def cured() -> Any:
        marks = torch.zeros(insects, species, device="cuda", dtype=torch.uint8)
        return marks.scatter_(1, kind[:, None], 1)[:some]

    def ref() -> Any:
        return [np.eye(species, dtype=f32)[kind[:some].cpu().numpy()]]

    return made(lambda: torch.nn.functional.one_hot(kind, species)[:some], cured, 0.0, ref)


@case
def torch_ice_dates(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    lakes, hours, pieces = 8, 1 << 19, 1024
    chance = torch.randn(lakes, hours, device="cuda")

    def cured() -> Any:
        part = torch.logcumsumexp(chance.view(lakes, pieces, hours // pieces), 2)
        before = torch.logcumsumexp(part[:, :-1, -1], 1)
        before = torch.nn.functional.pad(before, (1, 0), value=float("-inf"))
        return torch.logaddexp(part, before[:, :, None]).view(lakes, hours)

    def ref() -> Any:
        return [torch.logcumsumexp(chance.double().cpu(), 1)]

    return made(lambda: torch.logcumsumexp(chance, 1), cured, 1e-4, ref)


@case
def torch_stamp_matches(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    stamps, designs, some = 16384, 4096, 4096
    like = torch.rand(stamps, designs, device="cuda")

    def ref() -> Any:
        return [like[:some].cpu().numpy().max(1, keepdims=True)]

    return made(lambda: like.topk(1, dim=1).values[:some], lambda: like.amax(1, keepdim=True)[:some], 0.0, ref)


@case
def torch_buoy_depths(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    fixes, cells, some = 1 << 24, 1 << 26, 1 << 18
    depth = torch.rand(cells, device="cuda")
    cell = torch.randint(0, cells, (fixes,), device="cuda")
    in_order, order = cell.sort()
    back = torch.empty_like(order)
    back[order] = torch.arange(fixes, device="cuda")
    back = back[:some].clone()
    del order
    last: dict[str, Any] = {}

    def run(which: str, cells_of: Any) -> None:
        last[which] = depth[cells_of]

    def outs(which: str) -> Any:
        if which not in last:
            return []
        return [last[which][:some] if which == "slow" else last[which][back]]

    def ref() -> Any:
        return [depth.cpu().numpy()[cell[:some].cpu().numpy()]]

    return Pair(lambda: run("slow", cell), lambda: run("cured", in_order), outs, ref)


# ---- Triton
@case
def triton_escalator_wear(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eighteenth_triton as k

    moments, sensors, each = 1 << 16, 1024, 64
    shakes = torch.randn(moments, sensors, device="cuda")
    wear = torch.zeros(sensors, device="cuda")

    def slow() -> None:
        k.escalator_wear[(moments,)](shakes, wear, SENSORS=sensors, num_warps=8)

    def cured() -> None:
        k.escalator_wear_b[(moments // each,)](shakes, wear, SENSORS=sensors, MOMENTS=each, num_warps=8)

    def ref() -> Any:
        return [(shakes.double() ** 2).sum(0)]

    return Pair(slow, cured, lambda _: [wear], ref, 1e-4, wear.zero_)


@case
def triton_pottery_glazes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eighteenth_triton as k

    tiles, waves, block, some = 8192, 8192, 2048, 64
    thick = (torch.rand(tiles, waves, device="cuda") * 2).half()
    kinds = torch.randint(0, 6, (tiles,), device="cuda", dtype=torch.int32)
    light = torch.zeros(tiles, waves, device="cuda", dtype=torch.float16)

    def run(kernel: Any) -> Any:
        kernel[(waves // block, tiles)](thick, kinds, light, waves, BLOCK=block, num_warps=4)
        return light[:some]

    def ref() -> Any:
        x, kind = thick[:some].double().cpu().numpy(), kinds[:some].cpu().numpy()[:, None]
        exp, log, sqrt = np.exp, np.log, np.sqrt
        each = [
            exp(-0.8 * x) * sqrt(1 + x) / (1 + 0.3 * exp(-x * x)),
            log(1 + x) * exp(-1.7 * x) / (0.4 + sqrt(x + 0.1)),
            0.9 / (1 + exp(2 * x - 1)) + 0.05 * log(0.5 + x * x),
            sqrt(0.2 + x * exp(-0.5 * x)) / (1 + log(2 + x)),
            exp(-sqrt(0.3 + x)) * (1 + 0.2 / (1 + exp(-3 * x))),
            1 / (1.1 + log(1 + exp(1.5 * x - 0.7))) + 0.1 * sqrt(0.7 + x),
        ]
        return [np.select([kind == n for n in range(6)], each)]

    return made(lambda: run(k.glazes), lambda: run(k.glazes_b), 3e-3, ref)


@case
def triton_peat_echoes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eighteenth_triton as k

    times, places, taps, cols, each, some = 4096, 4096, 65, 512, 8, 64
    echo = torch.randn(times + taps - 1, places, device="cuda")
    weights = torch.hann_window(taps, periodic=False, device="cuda") / 32
    smooth = torch.zeros(times, places, device="cuda")

    def slow() -> Any:
        grid = (places // cols, times)
        k.peat_echoes[grid](echo, weights, smooth, places, TAPS=taps, COLS=cols, num_warps=4)
        return smooth[:some]

    def cured() -> Any:
        grid = (places // cols, times // each)
        k.peat_echoes_b[grid](echo, weights, smooth, places, TAPS=taps, COLS=cols, TIMES=each, num_warps=4)
        return smooth[:some]

    def ref() -> Any:
        x, w = echo[: some + taps - 1].double().cpu(), weights.double().cpu()
        return [sum(w[tap] * x[tap : tap + some] for tap in range(taps))]

    return made(slow, cured, 1e-4, ref)


@case
def triton_barcode_likeness(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eighteenth_triton as k

    samples, known, words, tile, some = 4096, 4096, 512, 128, 64
    counts = torch.randn(words, samples, device="cuda") / 8
    codes = torch.randn(words, known, device="cuda") / 8
    like = torch.zeros(samples, known, device="cuda")
    sizes = {"WORDS": words, "ROWS": tile, "COLS": tile}
    grid = (known // tile, samples // tile)

    def slow() -> Any:
        k.barcode_likeness[grid](counts, codes, like, samples, known, **sizes, num_warps=8)
        return like[:some]

    def cured() -> Any:
        k.barcode_likeness_b[grid](counts, codes, like, samples, known, **sizes, STEP=32, num_warps=8, num_stages=3)
        return like[:some]

    def ref() -> Any:
        return [counts[:, :some].double().t() @ codes.double()]

    return made(slow, cured, 3e-3, ref)
