"""Pairs of the fifteenth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 151


# ---- CuPy
@case
def cupy_ring_likeness(t: Tools) -> Pair:
    cp, cores, samples, parts = t.xp, 8, 1 << 19, 256
    core, master = t.rng.random((cores, samples), dtype=f32), t.rng.random(samples, dtype=f32)
    likeness = cp.ReductionKernel(
        "float32 x, float32 y", "float32 z", "x * y / (x + y + 0.1f)", "a + b", "z = a", "0", "ring_likeness"
    )

    def slow() -> Any:
        return likeness(core, master, axis=1)

    def cured() -> Any:
        pieces = likeness(core.reshape(cores, parts, -1), master.reshape(parts, -1), axis=2)
        return pieces.sum(axis=1)

    def ref() -> Any:
        x, y = cp.asnumpy(core).astype(np.float64), cp.asnumpy(master).astype(np.float64)
        return [(x * y / (x + y + 0.1)).sum(axis=1)]

    return made(slow, cured, 1e-4, ref)


@case
def cupy_blight_hours(t: Tools) -> Pair:
    cp, fields, hours = t.xp, 1 << 20, 64
    wet = t.rng.random((fields, hours), dtype=f32)
    by_hour = wet.T.copy()
    risk, risk_b = cp.zeros(fields, f32), cp.zeros(fields, f32)
    body = """
        float sum = 0.0f, most = 0.0f;
        for (int h = 0; h < hours; ++h) {{
            const float now = wet[{0}];
            sum = now > 0.4f ? sum + now : 0.5f * sum;
            most = fmaxf(most, sum);
        }}
        risk = most;
    """
    slow = cp.ElementwiseKernel(
        "raw float32 wet, int32 hours", "float32 risk", body.format("(int)i * hours + h"), "blight_hours"
    )
    cured = cp.ElementwiseKernel(
        "raw float32 wet, int32 hours, int32 fields",
        "float32 risk",
        body.format("h * fields + (int)i"),
        "blight_hours_b",
    )

    def ref() -> Any:
        now, total = cp.asnumpy(by_hour), np.zeros(fields, f32)
        most = total.copy()
        for h in range(hours):
            total = np.where(now[h] > f32(0.4), total + now[h], f32(0.5) * total)
            most = np.maximum(most, total)
        return [most]

    return made(lambda: slow(wet, i32(hours), risk), lambda: cured(by_hour, i32(hours), i32(fields), risk_b), 1e-5, ref)


@case
def cupy_bed_load(t: Tools) -> Pair:
    cp, reaches, some = t.xp, 1 << 24, 1 << 18
    depth = f32(0.3) + f32(4) * t.rng.random(reaches, dtype=f32)
    speed = f32(0.2) + f32(2) * t.rng.random(reaches, dtype=f32)
    grain = f32(0.0002) + f32(0.02) * t.rng.random(reaches, dtype=f32)
    formula = """
        const float grip = 0.0061f / {third};
        const float shields = grip * speed * speed / (16.2f * grain);
        const float over = fmaxf(shields - 0.047f, 0.0f);
        const float rolling = 8.0f * {over};
        const float floating = 0.05f * {shields} / grip;
        const float slide = 0.02f * {speed} / {depth};
        load = (rolling + floating + slide) * 4.02f * {grain};
    """
    params = "float32 depth, float32 speed, float32 grain", "float32 load"
    powers = {
        "third": "powf(depth, 1.0f / 3.0f)",
        "over": "powf(over, 1.5f)",
        "shields": "powf(shields, 2.5f)",
        "speed": "powf(speed, 3.5f)",
        "depth": "powf(depth, 1.25f)",
        "grain": "powf(grain, 1.5f)",
    }
    roots = {
        "third": "cbrtf(depth)",
        "over": "(over * sqrtf(over))",
        "shields": "(shields * shields * sqrtf(shields))",
        "speed": "(speed * speed * speed * sqrtf(speed))",
        "depth": "(depth * sqrtf(sqrtf(depth)))",
        "grain": "(grain * sqrtf(grain))",
    }
    slow = cp.ElementwiseKernel(*params, formula.format(**powers), "bed_load")
    cured = cp.ElementwiseKernel(*params, formula.format(**roots), "bed_load_b")

    def ref() -> Any:
        d, u, g = (cp.asnumpy(a[:some]).astype(np.float64) for a in (depth, speed, grain))
        grip = 0.0061 / np.cbrt(d)
        shields = grip * u * u / (16.2 * g)
        rolling = 8 * np.maximum(shields - 0.047, 0) ** 1.5
        return [(rolling + 0.05 * shields**2.5 / grip + 0.02 * u**3.5 / d**1.25) * 4.02 * g**1.5]

    return made(lambda: slow(depth, speed, grain)[:some], lambda: cured(depth, speed, grain)[:some], 1e-4, ref)


@case
def cupy_burst_median(t: Tools) -> Pair:
    cp, pixels, shots, some = t.xp, 1 << 21, 15, 1 << 18
    shot = t.rng.random((shots, pixels), dtype=f32)
    median, median_b = cp.zeros(pixels, f32), cp.zeros(pixels, f32)
    body = """
        float v[{most}];
        {unroll}
        for (int k = 0; k < {shots}; ++k) v[k] = shot[k * pixels + (int)i];
        {unroll}
        for (int last = {shots} - 1; last > 0; --last) {{
            {unroll}
            for (int k = 0; k < {inner}; ++k) {{
                {test}
                const float low = fminf(v[k], v[k + 1]), high = fmaxf(v[k], v[k + 1]);
                v[k] = low;
                v[k + 1] = high;
            }}
        }}
        median = v[{shots} / 2];
    """
    any_number = body.format(most=32, unroll="", shots="shots", inner="last", test="")
    known = body.format(
        most=shots, unroll="#pragma unroll", shots=shots, inner=shots - 1, test="if (k >= last) continue;"
    )
    slow = cp.ElementwiseKernel(
        "raw float32 shot, int32 shots, int32 pixels", "float32 median", any_number, "burst_median"
    )
    cured = cp.ElementwiseKernel("raw float32 shot, int32 pixels", "float32 median", known, "burst_median_b")

    def ref() -> Any:
        return [np.median(cp.asnumpy(shot[:, :some]), axis=0)]

    return made(
        lambda: slow(shot, i32(shots), i32(pixels), median)[:some],
        lambda: cured(shot, i32(pixels), median_b)[:some],
        0.0,
        ref,
    )


@case
def cupy_town_roofs(t: Tools) -> Pair:
    cp, roofs, hours, some = t.xp, 4096, 4096, 64
    tilt = (f32(1.2) * t.rng.random(roofs, dtype=f32)).reshape(roofs, 1)
    facing = (f32(6.28) * t.rng.random(roofs, dtype=f32) - f32(3.14)).reshape(roofs, 1)
    day = (cp.arange(hours, dtype=f32) / f32(12)).reshape(1, hours)
    sun = """
        const float year = 0.0172142f * day, turn = 6.2831853f * (day - floorf(day));
        const float late = 0.0430f * sinf(2.0f * year) - 0.0334f * cosf(year) - 0.0066f * sinf(year);
        const float tip = 0.4091f * sinf(year - 1.39f), angle = turn - 3.1415927f + late;
        const float north = 0.6428f * sinf(tip) - 0.7660f * cosf(tip) * cosf(angle);
        {0} = 0.7660f * sinf(tip) + 0.6428f * cosf(tip) * cosf(angle);
        {1} = cosf(tip) * sinf(angle);
        {2} = -north;
        {3} = 1361.0f * expf(-0.21f / fmaxf({0}, 0.02f));
    """
    roof = """
        {0} = cosf(tilt);
        {1} = sinf(tilt) * sinf(facing);
        {2} = sinf(tilt) * cosf(facing);
    """
    light = "light = up > 0.0f ? beam * fmaxf(up * a + west * b + south * c, 0.0f) : 0.0f;"
    at_once = "float up, west, south, beam, a, b, c;" + sun.format("up", "west", "south", "beam")
    slow = cp.ElementwiseKernel(
        "float32 day, float32 tilt, float32 facing",
        "float32 light",
        at_once + roof.format("a", "b", "c") + light,
        "town_roofs",
    )
    suns = cp.ElementwiseKernel(
        "float32 day",
        "float32 up, float32 west, float32 south, float32 beam",
        sun.format("up", "west", "south", "beam"),
        "town_suns",
    )
    normals = cp.ElementwiseKernel(
        "float32 tilt, float32 facing", "float32 a, float32 b, float32 c", roof.format("a", "b", "c"), "town_normals"
    )
    lit = cp.ElementwiseKernel(
        "float32 up, float32 west, float32 south, float32 beam, float32 a, float32 b, float32 c",
        "float32 light",
        light,
        "town_roofs_b",
    )

    def ref() -> Any:
        x, lean, way = (cp.asnumpy(a).astype(np.float64) for a in (day, tilt[:some], facing[:some]))
        year, turn = 0.0172142 * x, 2 * np.pi * (x - np.floor(x))
        late = 0.0430 * np.sin(2 * year) - 0.0334 * np.cos(year) - 0.0066 * np.sin(year)
        tip, angle = 0.4091 * np.sin(year - 1.39), turn - np.pi + late
        up = 0.7660 * np.sin(tip) + 0.6428 * np.cos(tip) * np.cos(angle)
        west = np.cos(tip) * np.sin(angle)
        south = 0.7660 * np.cos(tip) * np.cos(angle) - 0.6428 * np.sin(tip)
        faced = up * np.cos(lean) + np.sin(lean) * (west * np.sin(way) + south * np.cos(way))
        return [np.where(up > 0, 1361 * np.exp(-0.21 / np.maximum(up, 0.02)) * np.maximum(faced, 0), 0)]

    return made(
        lambda: slow(day, tilt, facing)[:some], lambda: lit(*suns(day), *normals(tilt, facing))[:some], 1e-4, ref
    )


# ---- PyTorch
@case
def torch_display_light(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    values, some = 1 << 24, 1 << 18
    signal = torch.rand(values, device="cuda")

    def slow() -> Any:
        return torch.float_power(signal, 2.2)[:some]

    def cured() -> Any:
        return torch.pow(signal, 2.2)[:some]

    return made(slow, cured, 1e-5, lambda: [signal[:some].double().cpu().numpy() ** 2.2])


@case
def torch_record_heat(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    days, stations = 2048, 4096
    heat = torch.randn(days, stations, device="cuda") * 8 + 15
    by_station = heat.t().contiguous()

    def slow() -> Any:
        return torch.cummax(heat, 0).values

    def cured() -> Any:
        return torch.cummax(by_station, 1).values.t()

    return made(slow, cured, 0.0, lambda: [np.maximum.accumulate(heat.cpu().numpy(), axis=0)])


@case
def torch_parent_calls(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    markers, some = 1 << 25, 1 << 18
    parent, child = (torch.randint(-1, 3, (markers,), device="cuda", dtype=torch.int64) for _ in range(2))
    small_parent, small_child = parent.to(torch.int8), child.to(torch.int8)

    def ref() -> Any:
        return [(parent[:some].cpu().numpy() != child[:some].cpu().numpy()).astype(f32)]

    return made(lambda: torch.ne(parent, child)[:some], lambda: torch.ne(small_parent, small_child)[:some], 0.0, ref)


@case
def torch_tyre_norm(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    moments, sensors, some = 1 << 20, 16, 1 << 14
    seen = torch.randn(moments, sensors, device="cuda") + 2
    gain, shift = torch.rand(sensors, device="cuda") + 0.5, torch.randn(sensors, device="cuda")

    def slow() -> Any:
        return torch.nn.functional.layer_norm(seen, (sensors,), gain, shift)[:some]

    def cured() -> Any:
        var, mean = torch.var_mean(seen, 1, correction=0, keepdim=True)
        scale = torch.rsqrt(var + 1e-5)
        return torch.addcmul(shift, torch.addcmul(-mean * scale, seen, scale), gain)[:some]

    def ref() -> Any:
        x = seen[:some].double().cpu().numpy()
        x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
        return [x * gain.cpu().numpy() + shift.cpu().numpy()]

    return made(slow, cured, 1e-4, ref)


@case
def torch_lift_metres(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    rides, lifts, copies = 1 << 21, 14, 1024
    lift = torch.randint(0, lifts, (rides,), device="cuda")
    climb = torch.randint(1, 10, (rides,), device="cuda").float()
    spread = torch.arange(rides, device="cuda") % copies * lifts + lift

    def slow() -> Any:
        return torch.zeros(lifts, device="cuda").index_add_(0, lift, climb)

    def cured() -> Any:
        apart = torch.zeros(copies * lifts, device="cuda").index_add_(0, spread, climb)
        return apart.view(copies, lifts).sum(0)

    def ref() -> Any:
        return [np.bincount(lift.cpu().numpy(), climb.cpu().numpy(), lifts)]

    return made(slow, cured, 1e-6, ref)


# ---- Triton
@case
def triton_bat_calls(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifteenth_triton as k

    calls, known, dim, some = 2048, 4096, 512, 64
    call = torch.randn(calls, dim, device="cuda").half()
    named = torch.randn(known, dim, device="cuda").half()
    match = torch.zeros(calls, known, device="cuda")

    def run(kernel: Any) -> Any:
        sizes = {"DIM": dim, "ROWS": 64, "COLS": 64, "STEP": 16}
        kernel[(known // 64, calls // 64)](call, named, match, known, **sizes, num_warps=4)
        return match[:some]

    def ref() -> Any:
        return [call[:some].double() @ named.double().t()]

    return made(lambda: run(k.bat_calls), lambda: run(k.bat_calls_b), 1e-3, ref)


@case
def triton_show_minutes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifteenth_triton as k

    shows, hits, long, piece = 4096, 6, 1 << 19, 8192
    rng = np.random.default_rng(SEED)
    count = rng.integers(200, 1800, shows)
    count[rng.choice(shows, hits, replace=False)] = long
    first = np.concatenate([[0], np.cumsum(count)])
    pieces = -(-count // piece)
    owner = np.repeat(np.arange(shows), pieces)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    cuts = np.concatenate([first[owner] + within * piece, first[-1:]])
    heard = torch.rand(int(first[-1]), device="cuda") * 60
    begins, cut_at, whose = (torch.from_numpy(a.astype(i32)).cuda() for a in (first, cuts, owner))
    total, total_b = torch.zeros(shows, device="cuda"), torch.zeros(shows, device="cuda")

    def slow() -> Any:
        k.show_minutes[(shows,)](heard, begins, total, BLOCK=1024, num_warps=4)
        return total

    def cured() -> Any:
        total_b.zero_()
        k.show_minutes_b[(len(owner),)](heard, cut_at, whose, total_b, BLOCK=1024, num_warps=4)
        return total_b

    def ref() -> Any:
        return [np.add.reduceat(np.log1p(heard.double().cpu().numpy()), first[:-1])]

    return made(slow, cured, 1e-4, ref)


@case
def triton_hive_weights(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifteenth_triton as k

    hours, hives, block, some = 256, 1 << 16, 512, 1024
    weight = torch.rand(hours, hives, device="cuda") * 40 + 10
    smooth = torch.zeros_like(weight)

    def run(kernel: Any) -> Any:
        kernel[(hives // block,)](weight, smooth, hives, hours, 0.125, BLOCK=block, num_warps=4)
        return smooth[:, :some]

    def ref() -> Any:
        x = weight[:, :some].double().cpu().numpy()
        level, found = x[0].copy(), []
        for now in x:
            level = level + 0.125 * (now - level)
            found.append(level)
        return [np.stack(found)]

    return made(lambda: run(k.hive_weights), lambda: run(k.hive_weights_b), 1e-5, ref)


@case
def triton_grain_spectra(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import fifteenth_triton as k

    spectra, length, block, some = 1024, 16384, 1024, 16
    spectrum = torch.rand(spectra, length, device="cuda") * 2
    scaled = torch.zeros_like(spectrum)

    def slow() -> Any:
        k.grain_spectra[(length // block, spectra)](spectrum, scaled, LENGTH=length, BLOCK=block, num_warps=4)
        return scaled[:some]

    def cured() -> Any:
        k.grain_spectra_b[(spectra,)](spectrum, scaled, LENGTH=length, num_warps=16)
        return scaled[:some]

    def ref() -> Any:
        x = spectrum[:some].double()
        return [(x - x.mean(1, keepdim=True)) / x.std(1, correction=0, keepdim=True)]

    return made(slow, cured, 1e-4, ref)
