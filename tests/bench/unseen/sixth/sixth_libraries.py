"""The pairs of the sixth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, f32, i32, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 31


# ---- CuPy
@case
def cupy_round_cents(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 22
    cents = cp.rint(t.rng.random(n, dtype=f32) * f32(900_000) + f32(100_000))
    rate = t.rng.random(n, dtype=f32) * f32(0.0015) + f32(1.0003)
    code = """
        float b = cents;
        #pragma unroll 4
        for (int month = 0; month < 360; month++) b = {};
        balance = b;
    """
    slow, cured = (
        cp.ElementwiseKernel("float32 cents, float32 rate", "float32 balance", code.format(how), name)
        for how, name in (
            ("rintf(__fmul_rn(b, rate))", "round_cents"),
            ("__fadd_rn(__fadd_rn(__fmul_rn(b, rate), 12582912.0f), -12582912.0f)", "round_cents_b"),
        )
    )

    def ref() -> Any:
        b = cents.copy()
        for _ in range(360):
            b = cp.rint(b * rate)
        return [b]

    return made(lambda: slow(cents, rate), lambda: cured(cents, rate), 0.0, ref)


@case
def cupy_noise_levels(t: Tools) -> Pair:
    cp, n, sources = t.xp, 1 << 22, 16
    x, y = (t.rng.random(n, dtype=f32) * f32(1000) for _ in range(2))
    place = t.rng.random(sources * 3, dtype=f32) * cp.asarray([1000, 1000, 40] * sources, f32)
    place[2::3] += f32(70)
    code = """
        float s = 0.0f;
        for (int k = 0; k < 16; k++) {{
            const float dx = x - place[3 * k], dy = y - place[3 * k + 1];
            const float l = place[3 * k + 2] - 10.0f * {log}(dx * dx + dy * dy + 1.0f);
            s += {power}(10.0f, {tenth});
        }}
        level = 10.0f * {log}(s);
    """
    exact = {"log": "log10f", "power": "powf", "tenth": "l / 10.0f"}
    fast = {"log": "__log10f", "power": "__powf", "tenth": "l * 0.1f"}
    slow, cured = (
        cp.ElementwiseKernel("float32 x, float32 y, raw float32 place", "float32 level", code.format(**how), name)
        for how, name in ((exact, "noise_levels"), (fast, "noise_levels_b"))
    )

    def ref() -> Any:
        total = cp.zeros(n)
        for px, py, level in place.get().astype(float).reshape(-1, 3).tolist():
            total += 10 ** (level / 10) / ((x.astype(np.float64) - px) ** 2 + (y.astype(np.float64) - py) ** 2 + 1)
        return [10 * cp.log10(total)]

    return made(lambda: slow(x, y, place), lambda: cured(x, y, place), 1e-3, ref)


@case
def cupy_crop_stress(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 22
    crop, water = t.rng.integers(0, 4, n, dtype=i32), t.rng.random(n, dtype=f32)
    heat = t.rng.random(n, dtype=f32)
    order = cp.argsort(crop)
    kernel = cp.ElementwiseKernel(
        "int32 crop, float32 water, float32 heat",
        "float32 stress",
        """
        float s = 0.0f, w = water;
        if (crop == 0)
            for (int d = 0; d < 90; d++) {
                w = fmaf(-0.02f * heat, w, w) + 0.004f;
                s += fmaxf(0.4f - w, 0.0f);
            }
        else if (crop == 1)
            for (int d = 0; d < 110; d++) {
                const float u = 0.03f * heat * w * w;
                w = w - u + 0.003f;
                s = fmaf(0.9f, s, u);
            }
        else if (crop == 2)
            for (int d = 0; d < 100; d++) {
                const float r = __expf(-4.0f * w);
                w = fmaf(0.01f, r - heat * w, w);
                s += r;
            }
        else
            for (int d = 0; d < 120; d++) {
                w = fminf(w + 0.002f, 1.0f) * (1.0f - 0.01f * heat);
                s += (1.0f - w) * (1.0f - w);
            }
        stress = s;
        """,
        "crop_stress",
    )
    fields = tuple(x[order] for x in (crop, water, heat))
    last: dict[str, Any] = {}

    def slow() -> None:
        last["slow"] = kernel(crop, water, heat)

    def cured() -> None:
        last["cured"] = kernel(*fields)

    def outs(which: str) -> Any:
        if which not in last:
            return []
        return [last["slow"][order] if which == "slow" else last["cured"]]

    def ref() -> Any:
        h, result = fields[2].astype(np.float64), cp.zeros(n)
        for kind, days in enumerate((90, 110, 100, 120)):
            w, s = fields[1].astype(np.float64), cp.zeros(n)
            for _ in range(days):
                if kind == 0:
                    w = w - 0.02 * h * w + 0.004
                    s = s + cp.maximum(0.4 - w, 0)
                elif kind == 1:
                    u = 0.03 * h * w * w
                    w, s = w - u + 0.003, 0.9 * s + u
                elif kind == 2:
                    r = cp.exp(-4 * w)
                    w, s = w + 0.01 * (r - h * w), s + r
                else:
                    w = cp.minimum(w + 0.002, 1) * (1 - 0.01 * h)
                    s = s + (1 - w) ** 2
            result = cp.where(fields[0] == kind, s, result)
        return [result]

    return Pair(slow, cured, outs, ref, 1e-4)


@case
def cupy_sun_hours(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 22
    latitude, lean = t.rng.random(n, dtype=f32) * f32(2) - f32(1), t.rng.random(n, dtype=f32) * f32(0.3)
    step, tilt = f32(0.0654498469), f32(0.35)
    head = """
        const float a = sinf(latitude + lean) * sinf(tilt), b = cosf(latitude + lean) * cosf(tilt);
        float s = 0.0f;
        for (int k = 0; k < 96; k++) s += fmaxf(fmaf(b, {}, a), 0.0f);
        sun = s;
    """
    slow = cp.ElementwiseKernel(
        "float32 latitude, float32 lean, float32 tilt, float32 step",
        "float32 sun",
        head.format("cosf((k - 48) * step)"),
        "sun_hours",
    )
    cured = cp.ElementwiseKernel(
        "float32 latitude, float32 lean, float32 tilt, raw float32 hour",
        "float32 sun",
        head.format("hour[k]"),
        "sun_hours_b",
    )
    angle = (cp.arange(96) - 48) * float(step)
    hour = cp.cos(angle).astype(f32)

    def ref() -> Any:
        wide = (latitude + lean).astype(np.float64)
        a, b, total = cp.sin(wide) * np.sin(float(tilt)), cp.cos(wide) * np.cos(float(tilt)), cp.zeros(n)
        for c in cp.cos(angle).get().tolist():
            total += cp.maximum(a + b * c, 0)
        return [total]

    return made(lambda: slow(latitude, lean, tilt, step), lambda: cured(latitude, lean, tilt, hour), 1e-4, ref)


# ---- PyTorch
@case
def torch_reader_attention(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q, k, v = (torch.randn(2, 16, 4096, 128, device="cuda", dtype=torch.half) for _ in range(3))

    def run(backend: Any) -> Any:
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v)

    def ref() -> Any:
        heads = []
        for batch in range(2):
            for head in range(16):
                scores = q[batch, head].float() @ k[batch, head].float().t() / 128**0.5
                heads.append(torch.softmax(scores, 1) @ v[batch, head].float())
        return [torch.stack(heads).view(2, 16, 4096, 128)]

    return made(lambda: run(SDPBackend.FLASH_ATTENTION), lambda: run(SDPBackend.CUDNN_ATTENTION), 1e-2, ref)


@case
def torch_pick_channels(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    samples, channels, wanted = 1 << 18, 512, 64
    x = torch.randn(samples, channels, device="cuda")
    turned = x.t().contiguous()
    which = torch.randperm(channels, device="cuda")[:wanted]
    slow, cured = (lambda: torch.index_select(x, 1, which)), (lambda: torch.index_select(turned, 0, which).t())
    return made(slow, cured, 0.0, lambda: [x[:, which]])


@case
def torch_road_peaks(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    n, roads, copies = 1 << 20, 32, 2048
    road, speed = torch.randint(0, roads, (n,), device="cuda"), torch.rand(n, device="cuda") * 130 + 1
    spread = torch.arange(n, device="cuda") % copies * roads + road
    peak, peaks = torch.zeros(roads, device="cuda"), torch.zeros(copies * roads, device="cuda")

    def slow() -> Any:
        return peak.scatter_reduce_(0, road, speed, "amax")

    def cured() -> Any:
        return peaks.scatter_reduce_(0, spread, speed, "amax").view(copies, roads).amax(0)

    def reset() -> None:
        peak.zero_()
        peaks.zero_()

    pair = made(slow, cured, 0.0, lambda: [torch.stack([speed[road == k].max() for k in range(roads)])])
    pair.reset = reset
    return pair


@case
def torch_blend_frames(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    n = 1 << 26
    background, frame = torch.rand(n, device="cuda"), torch.rand(n, device="cuda").half()
    wide = frame.float()

    def run(other: Any) -> Any:
        return torch.add(background, other, alpha=0.25)[: 1 << 22]

    def ref() -> Any:
        return [background[: 1 << 22].double() + 0.25 * wide[: 1 << 22].double()]

    return made(lambda: run(wide), lambda: run(frame), 1e-5, ref)


# ---- Triton
@case
def triton_degree_counts(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import sixth_triton as k

    edges, nodes, block = 1 << 24, 1 << 20, 1024
    end = torch.randint(0, nodes, (edges,), device="cuda", dtype=torch.int32)
    count = torch.zeros(nodes, device="cuda", dtype=torch.int32)

    def run(order: str) -> Any:
        k.degree_counts[(edges // block,)](end, count, BLOCK=block, ORDER=order, num_warps=4)
        return count

    pair = made(lambda: run(""), lambda: run("relaxed"), 0.0, lambda: [torch.bincount(end, minlength=nodes)])
    pair.reset = count.zero_
    return pair


@case
def triton_ragged_gain(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import sixth_triton as k

    rows, longest, block = 1024, 65536, 128
    length = torch.randint(100, 1500, (rows,), device="cuda", dtype=torch.int32)
    length[7] = longest
    x, gain = torch.randn(rows, longest, device="cuda"), torch.rand(rows, device="cuda") + 0.5
    y = torch.zeros(rows, longest, device="cuda")
    pieces = torch.arange(longest // block, device="cuda")[None, :] * block < length[:, None]
    row, piece = pieces.nonzero(as_tuple=True)
    work = (row * 65536 + piece).to(torch.int32)
    how = {"LONGEST": longest, "BLOCK": block, "num_warps": 4}

    def slow() -> Any:
        k.ragged_gain[(longest // block, rows)](x, y, length, gain, **how)
        return y[:, :2048]

    def cured() -> Any:
        k.ragged_gain_b[(len(work),)](x, y, length, gain, work, **how)
        return y[:, :2048]

    def ref() -> Any:
        inside = torch.arange(2048, device="cuda")[None, :] < length[:, None]
        return [x[:, :2048] * gain[:, None] * inside]

    pair = made(slow, cured, 1e-6, ref)
    pair.reset = y.zero_
    return pair


@case
def triton_event_rates(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import sixth_triton as k

    each, block = 4, 128
    n = SMS * each * block
    time = (torch.rand(n, device="cuda").double() * 100).sort().values.float()
    mark, rate = torch.rand(n, device="cuda"), torch.zeros(n, device="cuda")

    def run(in_a_row: bool) -> Any:
        how = {"EACH": each, "IN_A_ROW": in_a_row, "BLOCK": block, "WIDE": 64, "num_warps": 8}
        k.event_rates[(SMS,)](time, mark, rate, **how)
        return rate

    def ref() -> Any:
        wide, weight = time.double(), mark.double()
        lifted = weight * wide.exp()
        return [(lifted.cumsum(0) - lifted) * (-wide).exp()]

    return made(lambda: run(True), lambda: run(False), 1e-3, ref)


@case
def triton_quantised_linear(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import sixth_triton as k

    m, n, depth = 4096, 4096, 4096
    a = torch.randn(m, depth, device="cuda", dtype=torch.half)
    small = torch.randint(-127, 128, (depth, n), device="cuda", dtype=torch.int8)
    scale = torch.rand(n, device="cuda") * 1e-3 + 1e-3
    wide, c = small.half(), torch.empty(m, n, device="cuda", dtype=torch.half)

    def run(w: Any) -> Any:
        how = {"BM": 128, "BN": 128, "BK": 64, "num_warps": 8, "num_stages": 3}
        k.quantised_linear[(n // 128, m // 128)](a, w, scale, c, n, depth, **how)
        return c

    return made(lambda: run(small), lambda: run(wide), 5e-3, lambda: [(a.float() @ wide.float()) * scale])


@case
def triton_word_logits(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import sixth_triton as k

    tokens, words, depth = 2048, 65536, 2048
    h = torch.randn(tokens, depth, device="cuda", dtype=torch.half)
    w = torch.randn(depth, words, device="cuda", dtype=torch.half) / 8
    c = torch.empty(tokens, words, device="cuda", dtype=torch.half)

    def run(along_words: bool) -> Any:
        how = {"BM": 128, "BN": 256, "BK": 64, "num_warps": 8, "num_stages": 3}
        grid = (tokens // 128 * (words // 256),)
        k.word_logits[grid](h, w, c, tokens, words, depth, ALONG_WORDS=along_words, **how)
        return c[:, -4096:]

    return made(lambda: run(True), lambda: run(False), 5e-3, lambda: [h.float() @ w[:, -4096:].float()])
