"""The pairs of the seventh round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 43


# ---- CuPy
@case
def cupy_hill_slopes(t: Tools) -> Pair:
    cp, side = t.xp, 8192
    height, slope = t.rng.random((side, side), dtype=f32) * f32(20), cp.zeros((side, side), f32)
    code = """
        extern "C" __global__ void {name}(const float *height, float *slope, int rows, int columns, float scale)
        {{
            const int r = blockIdx.{r} * blockDim.{r} + threadIdx.{r};
            const int c = blockIdx.{c} * blockDim.{c} + threadIdx.{c};
            if (r < 1 || c < 1 || r >= rows - 1 || c >= columns - 1) return;
            const int at = r * columns + c;
            const float dx = height[at + 1] - height[at - 1];
            const float dy = height[at + columns] - height[at - columns];
            slope[at] = scale * sqrtf(dx * dx + dy * dy);
        }}
    """
    slow = cp.RawKernel(code.format(name="hill_slopes", r="x", c="y"), "hill_slopes")
    cured = cp.RawKernel(code.format(name="hill_slopes_b", r="y", c="x"), "hill_slopes_b")

    def run(kernel: Any) -> Any:
        kernel((side // 16, side // 16), (16, 16), (height, slope, i32(side), i32(side), f32(0.05)))
        return slope

    def ref() -> Any:
        h, want = height.astype(np.float64), cp.zeros((side, side))
        want[1:-1, 1:-1] = 0.05 * cp.hypot(h[1:-1, 2:] - h[1:-1, :-2], h[2:, 1:-1] - h[:-2, 1:-1])
        return [want]

    return made(lambda: run(slow), lambda: run(cured), 1e-5, ref)


@case
def cupy_row_entropy(t: Tools) -> Pair:
    cp, rows, columns = t.xp, 16384, 4096
    p = t.rng.random((rows, columns), dtype=f32) + f32(0.01)
    p /= p.sum(axis=1, keepdims=True)
    slow, cured = (
        cp.ReductionKernel("float32 p", "float32 h", how, "a + b", "h = a", "0", name)
        for how, name in (("-p * log2(p + 1e-12)", "row_entropy"), ("-p * log2f(p + 1e-12f)", "row_entropy_b"))
    )

    def ref() -> Any:
        wide = p.astype(np.float64)
        return [-(wide * cp.log2(wide)).sum(axis=1)]

    return made(lambda: slow(p, axis=1), lambda: cured(p, axis=1), 1e-4, ref)


@case
def cupy_saw_waves(t: Tools) -> Pair:
    cp, n, harmonics = t.xp, 1 << 24, 64
    phase = t.rng.random(n, dtype=f32) * f32(6.2831853)
    each = f"""
        float s = 0.0f;
        #pragma unroll
        for (int k = 1; k <= {harmonics}; k++) s += __sinf(k * phase) * (1.0f / k);
        wave = s;
    """
    from_two_before = f"""
        const float twice = 2.0f * cosf(phase);
        float before = 0.0f, now = sinf(phase), s = now;
        #pragma unroll
        for (int k = 2; k <= {harmonics}; k++) {{
            const float next = fmaf(twice, now, -before);
            before = now;
            now = next;
            s += next * (1.0f / k);
        }}
        wave = s;
    """
    slow = cp.ElementwiseKernel("float32 phase", "float32 wave", each, "saw_waves")
    cured = cp.ElementwiseKernel("float32 phase", "float32 wave", from_two_before, "saw_waves_b")

    def ref() -> Any:
        wide, total = phase.astype(np.float64), cp.zeros(n)
        for k in range(1, harmonics + 1):
            total += cp.sin(k * wide) / k
        return [total]

    return made(lambda: slow(phase), lambda: cured(phase), 2e-3, ref)


@case
def cupy_face_areas(t: Tools) -> Pair:
    cp, side = t.xp, 2048
    vertices = side * side
    vertex = t.rng.random((vertices, 3), dtype=f32)
    first = (cp.arange(side - 1)[:, None] * side + cp.arange(side - 1)[None, :]).reshape(-1)
    upper, lower = (first, first + 1, first + side), (first + side, first + 1, first + side + 1)
    corners = [cp.stack(pair, axis=1).reshape(-1).astype(i32) for pair in zip(upper, lower, strict=True)]
    place = cp.argsort(t.rng.random(vertices, dtype=f32)).astype(i32)
    scanned = cp.empty_like(vertex)
    scanned[place] = vertex
    scanned_corners = [place[corner] for corner in corners]
    kernel = cp.ElementwiseKernel(
        "raw float32 vertex, int32 a, int32 b, int32 c",
        "float32 area",
        """
        const float px = vertex[3 * a], py = vertex[3 * a + 1], pz = vertex[3 * a + 2];
        const float ux = vertex[3 * b] - px, uy = vertex[3 * b + 1] - py, uz = vertex[3 * b + 2] - pz;
        const float vx = vertex[3 * c] - px, vy = vertex[3 * c + 1] - py, vz = vertex[3 * c + 2] - pz;
        const float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        area = 0.5f * sqrtf(nx * nx + ny * ny + nz * nz);
        """,
        "face_areas",
    )

    def ref() -> Any:
        a, b, c = (vertex[corner].astype(np.float64) for corner in corners)
        return [0.5 * cp.sqrt((cp.cross(b - a, c - a) ** 2).sum(axis=1))]

    in_order, as_scanned = vertex.reshape(-1), scanned.reshape(-1)
    return made(lambda: kernel(as_scanned, *scanned_corners), lambda: kernel(in_order, *corners), 1e-5, ref)


# ---- PyTorch
@case
def torch_padded_gradients(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    tokens, words, wide = 1 << 20, 32768, 64
    word = torch.randint(1, words, (tokens,), device="cuda")
    word[torch.rand(tokens, device="cuda") < 0.25] = 0  # padding
    gradient = torch.randn(tokens, wide, device="cuda")
    kept = word != 0
    packed, packed_gradient = word[kept], gradient[kept]
    table = torch.zeros(words, wide, device="cuda")

    def run(index: Any, source: Any) -> Any:
        return table.index_add_(0, index, source)[1:]

    def ref() -> Any:
        columns = [torch.bincount(packed, packed_gradient[:, k].double(), words) for k in range(wide)]
        return [torch.stack(columns, 1)[1:]]

    pair = made(lambda: run(word, gradient), lambda: run(packed, packed_gradient), 1e-4, ref)
    pair.reset = table.zero_
    return pair


@case
def torch_path_growth(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    days, paths = 4096, 24576
    growth = 1.0003 + 0.01 * torch.randn(days, paths, device="cuda")
    by_path = growth.t().contiguous()

    def ref() -> Any:
        rows = [growth[:-31].double().prod(0)]
        for k in range(days - 31, days):
            rows.append(rows[-1] * growth[k])
        return [torch.stack(rows)]

    slow, cured = (lambda: torch.cumprod(growth, 0)[-32:]), (lambda: torch.cumprod(by_path, 1).t()[-32:])
    return made(slow, cured, 1e-3, ref)


@case
def torch_session_totals(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    sessions, features, most = 32768, 64, 64
    length = torch.randint(32, 97, (sessions,), device="cuda")
    length[torch.randperm(sessions, device="cuda")[:8]] = 6000
    x = torch.randn(int(length.sum()), features, device="cuda")
    count = (length + most - 1) // most
    owner = torch.repeat_interleave(torch.arange(sessions, device="cuda"), count)
    number = torch.arange(len(owner), device="cuda") - (count.cumsum(0) - count)[owner]
    piece = (length[owner] - most * number).clamp(max=most)

    def total(values: Any, lengths: Any) -> Any:
        return torch.segment_reduce(values, "sum", lengths=lengths, unsafe=True)

    def ref() -> Any:
        session = torch.repeat_interleave(torch.arange(sessions, device="cuda"), length)
        return [torch.zeros(sessions, features, device="cuda").double().index_add_(0, session, x.double())]

    return made(lambda: total(x, length), lambda: total(total(x, piece), count), 1e-4, ref)


@case
def torch_sequence_norm(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    batch, channels, length = 64, 256, 4096
    x = torch.randn(batch, channels, length, device="cuda")
    channels_last = x.transpose(1, 2).contiguous()
    weight, bias = torch.rand(channels, device="cuda") + 0.5, torch.randn(channels, device="cuda")

    def run(what: Any) -> Any:
        return torch.nn.functional.layer_norm(what, (channels,), weight, bias)[:4]

    def ref() -> Any:
        wide = channels_last[:4].double()
        spread = (wide.var(2, correction=0, keepdim=True) + 1e-5).sqrt()
        return [(wide - wide.mean(2, keepdim=True)) / spread * weight + bias]

    return made(lambda: run(x.transpose(1, 2)), lambda: run(channels_last), 1e-4, ref)


@case
def torch_hand_gelu(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    x = torch.randn(16384, 4096, device="cuda")

    def slow() -> Any:
        inner = 0.7978845608 * (x + 0.044715 * torch.pow(x, 3.0))
        return (0.5 * x * (1.0 + torch.tanh(inner)))[:512]

    def cured() -> Any:
        return torch.nn.functional.gelu(x, approximate="tanh")[:512]

    def ref() -> Any:
        wide = x[:512].double()
        return [wide / (1 + torch.exp(-1.5957691216 * (wide + 0.044715 * wide * wide * wide)))]

    return made(slow, cured, 1e-5, ref)


# ---- Triton
@case
def triton_rotate_heads(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import seventh_triton as k

    batch, length, heads, d, rows = 4, 4096, 32, 128, 16
    x = torch.randn(batch, length, heads, d, device="cuda", dtype=torch.half)
    y = torch.zeros_like(x)
    how = {"H": heads, "D": d, "ROWS": rows, "num_warps": 4}

    def slow() -> Any:
        k.rotate_heads[(batch * length // rows, heads)](x, y, length, **how)
        return y[:1]

    def cured() -> Any:
        k.rotate_heads_b[(batch * length // rows,)](x, y, length, **how)
        return y[:1]

    def ref() -> Any:
        frequency = 10000.0 ** (-torch.arange(d // 2, device="cuda").double() * 2 / d)
        ramp = ((1024 * frequency / (2 * np.pi) - 1) / 31).clamp(0, 1)
        angle = torch.arange(length, device="cuda").double()[:, None] * frequency * (0.25 + 0.75 * ramp)
        c, s = angle.cos()[None, :, None, :], angle.sin()[None, :, None, :]
        a, b = x[:1, :, :, : d // 2].double(), x[:1, :, :, d // 2 :].double()
        return [torch.cat([a * c - b * s, b * c + a * s], 3)]

    return made(slow, cured, 5e-3, ref)


@case
def triton_cut_windows(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import seventh_triton as k

    batch, side, channels, window, shift, block = 96, 64, 180, 8, 4, 1024
    x = torch.randn(batch, side, side, channels, device="cuda", dtype=torch.half)
    y = torch.zeros(batch * side * side * channels, device="cuda", dtype=torch.half)
    grid, sizes = (len(y) // block,), (side, side, channels, window, shift)

    def run(kernel: Any) -> Any:
        kernel[grid](x, y, *sizes, BLOCK=block, num_warps=4)
        return y[: 1 << 22]

    def ref() -> Any:
        rolled = torch.roll(x, (-shift, -shift), (1, 2)).view(batch, 8, 8, 8, 8, channels)
        return [rolled.permute(0, 1, 3, 2, 4, 5).reshape(-1)[: 1 << 22]]

    return made(lambda: run(k.cut_windows), lambda: run(k.cut_windows_b), 0.0, ref)


@case
def triton_filter_taps(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import seventh_triton as k

    n, taps, rows = 1 << 25, 64, 128
    x, w = torch.randn(n + 2 * taps, device="cuda"), torch.randn(taps, device="cuda") / 8
    y, band = torch.zeros(n, device="cuda"), torch.zeros(2 * taps, taps, device="cuda")
    for c in range(taps):
        band[c : c + taps, c] = w

    def slow() -> Any:
        k.filter_taps[(n // 128,)](x, w, y, TAPS=taps, BLOCK=128, num_warps=4)
        return y[-(1 << 22) :]

    def cured() -> Any:
        k.filter_taps_b[(n // (taps * rows),)](x, band, y, HOP=taps, ROWS=rows, num_warps=8)
        return y[-(1 << 22) :]

    def ref() -> Any:
        last, total = n - (1 << 22), torch.zeros(1 << 22, device="cuda").double()
        for tap, weight in enumerate(w.double().tolist()):
            total += weight * x[last + tap : n + tap]
        return [total]

    return made(slow, cured, 5e-3, ref)


@case
def triton_smooth_series(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import seventh_triton as k

    batch, steps, channels, block = 16, 2048, 4096, 128
    x = torch.randn(batch, steps, channels, device="cuda", dtype=torch.half)
    y, decay = torch.zeros_like(x), torch.rand(channels, device="cuda") * 0.5 + 0.4

    def run(kernel: Any) -> Any:
        kernel[(channels // block, batch)](x, decay, y, steps, channels, BLOCK=block, num_warps=4)
        return y[:, -16:]

    def ref() -> Any:
        state = torch.zeros(batch, channels, device="cuda").double()
        rows, d = [], decay.double()
        for step in range(steps - 512, steps):  # what was before has faded
            state = d * state + (1 - d) * x[:, step].double()
            rows.append(state)
        return [torch.stack(rows[-16:], 1)]

    return made(lambda: run(k.smooth_series), lambda: run(k.smooth_series_b), 2e-3, ref)
