"""Pairs of the eighth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import Cases, Pair, f32, i32, i64, made, seeded_torch, zero

CASES = Cases()
case = CASES.add
SEED = 83


# ---- CuPy
@case
def cupy_fuse_labels(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 23
    vote = t.uint32((n, 4), (1 << 31) - 1) & cp.uint32(0x77777777)
    label = cp.zeros(n, i32)
    code = """
        extern "C" __global__ void %s(const uint4 *vote, int *label, int voxels)
        {
            const int at = blockIdx.x * blockDim.x + threadIdx.x;
            if (at >= voxels) return;
            const uint4 v = vote[at];
            const unsigned word[4] = {v.x, v.y, v.z, v.w};
            %s
            #pragma unroll
            for (int w = 0; w < 4; w++) {
                #pragma unroll
                for (int k = 0; k < 8; k++) {
                    const unsigned l = word[w] >> (4 * k) & 7u;
                    %s;
                }
            }
            int best = 0, most = -1;
            #pragma unroll
            for (int l = 0; l < 8; l++) {
                const int votes = %s;
                if (votes > most) { most = votes; best = l; }
            }
            label[at] = best;
        }
    """
    votes = ("int count[8] = {0, 0, 0, 0, 0, 0, 0, 0};", "count[l]++", "count[l]")
    packed = ("unsigned long long count = 0;", "count += 1ull << (8 * l)", "(int)(count >> (8 * l) & 255)")
    slow = cp.RawKernel(code % ("fuse_labels", *votes), "fuse_labels")
    cured = cp.RawKernel(code % ("fuse_labels_b", *packed), "fuse_labels_b")

    def run(kernel: Any) -> Any:
        kernel((n // 256,), (256,), (vote, label, i32(n)))
        return label

    def ref() -> Any:
        count = cp.zeros((8, n), cp.int8)
        for w in range(4):
            for k in range(8):
                voted = vote[:, w] >> cp.uint32(4 * k) & cp.uint32(7)
                for label in range(8):
                    count[label] += voted == label
        return [count.argmax(axis=0)]

    return made(lambda: run(slow), lambda: run(cured), 0.0, ref)


@case
def cupy_radial_profile(t: Tools) -> Pair:
    cp, side, rings = t.xp, 4096, 256
    x, y = cp.arange(side) - 2048.3, cp.arange(side)[:, None] - 2047.6
    ring = cp.minimum(cp.hypot(x, y) * (rings / 2900), rings - 1).astype(i32)
    photons, profile = t.rng.random((side, side), dtype=f32) + f32(0.5), cp.zeros(rings, f32)
    code = """
        extern "C" __global__ void NAME(const float *photons, const int *ring, float *profile, int pixels)
        {
            __shared__ float sum[256 * COPIES];
            for (int b = threadIdx.x; b < 256 * COPIES; b += 256) sum[b] = 0.0f;
            __syncthreads();
            const int copy = threadIdx.x % COPIES;
            for (int first = blockIdx.x * 1024 + threadIdx.x; first < pixels; first += gridDim.x * 1024) {
                float value[4];
                int where[4];
                #pragma unroll
                for (int k = 0; k < 4; k++) {
                    value[k] = photons[first + 256 * k];
                    where[k] = ring[first + 256 * k];
                }
                #pragma unroll
                for (int k = 0; k < 4; k++) atomicAdd(&sum[where[k] * COPIES + copy], value[k]);
            }
            __syncthreads();
            float total = 0.0f;
            for (int c = 0; c < COPIES; c++) total += sum[threadIdx.x * COPIES + (threadIdx.x + c) % COPIES];
            atomicAdd(&profile[threadIdx.x], total);
        }
    """
    slow, cured = (
        cp.RawKernel(code.replace("COPIES", copies).replace("NAME", name), name)
        for name, copies in (("radial_profile", "1"), ("radial_profile_b", "32"))
    )

    def run(kernel: Any) -> None:
        kernel((792,), (256,), (photons, ring, profile, i32(side * side)))

    def ref() -> Any:
        return [cp.bincount(ring.reshape(-1), weights=photons.reshape(-1).astype(np.float64), minlength=rings)]

    return Pair(lambda: run(slow), lambda: run(cured), lambda _: [profile], ref, 1e-3, zero(profile))


@case
def cupy_mixed_book(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 23
    kind = t.rng.integers(0, 6, n, dtype=i32)
    spot, strike = (f32(80) + f32(40) * t.rng.random(n, dtype=f32) for _ in range(2))
    vol, years = f32(0.1) + f32(0.3) * t.rng.random(n, dtype=f32), f32(0.5) + f32(2) * t.rng.random(n, dtype=f32)
    order = cp.argsort(kind)
    book, price = (kind, spot, strike, vol, years), cp.zeros(n, f32)
    sorted_book, sorted_price = [column[order] for column in book], cp.zeros(n, f32)
    text = """
        const int what = kind;
        const float s = spot, x = strike, v = vol, y = years, r = 0.03f;
        float worth = 0.0f;
        switch (what) {
        case 0: {  // a call
            const float d = v * sqrtf(y), up = (logf(s / x) + r * y) / d + 0.5f * d;
            worth = s * normcdff(up) - x * expf(-r * y) * normcdff(up - d);
            break;
        }
        case 1: {  // a digital on four dates
            for (int k = 1; k <= 4; k++) {
                const float when = 0.25f * k * y, d = v * sqrtf(when);
                worth += 25.0f * expf(-r * when) * normcdff((logf(s / x) + r * when) / d - 0.5f * d);
            }
            break;
        }
        case 2: {  // a bond of 16 coupons
            const float rate = 0.2f * v;
            for (int k = 1; k <= 16; k++) worth += 0.02f * expf(-rate * (y + 0.5f * k));
            worth = s * (worth + expf(-rate * (y + 8.0f)));
            break;
        }
        case 3: {  // a variance strip of 12 strikes
            for (int k = 0; k < 12; k++) {
                const float off = logf(s / (x * (0.5f + 0.1f * k)));
                worth += off * off;
            }
            worth *= 10.0f * v * v * y;
            break;
        }
        case 4: {  // a basket of four powers
            for (int k = 1; k <= 4; k++) worth += powf(s / x, 0.5f * k + v) * expf(-r * k * y);
            worth *= 20.0f;
            break;
        }
        default: {  // protection over 12 quarters
            float alive = 1.0f;
            for (int k = 1; k <= 12; k++) {
                const float next = expf(-0.1f * v * k * sqrtf(y + 0.25f * k));
                worth += (alive - next) * expf(-r * 0.25f * k);
                alive = next;
            }
            worth *= 0.6f * s;
        }
        }
        price = worth;
    """
    arguments = "int32 kind, float32 spot, float32 strike, float32 vol, float32 years"
    kernel = cp.ElementwiseKernel(arguments, "float32 price", text, "mixed_book")

    def ref() -> Any:
        s, k, v, y = (column.astype(np.float64) for column in sorted_book[1:])
        which, r, want = sorted_book[0], 0.03, cp.zeros(n)
        from cupyx.scipy.special import ndtr as cdf

        for number in range(6):
            at = cp.nonzero(which == number)[0]
            spot_, strike_, vol_, years_ = s[at], k[at], v[at], y[at]
            if number == 0:
                d = vol_ * cp.sqrt(years_)
                up = (cp.log(spot_ / strike_) + r * years_) / d + d / 2
                got = spot_ * cdf(up) - strike_ * cp.exp(-r * years_) * cdf(up - d)
            elif number == 1:
                got = 0
                for m in (0.25, 0.5, 0.75, 1.0):
                    d = vol_ * cp.sqrt(m * years_)
                    got = got + 25 * cp.exp(-r * m * years_) * cdf(
                        (cp.log(spot_ / strike_) + r * m * years_) / d - d / 2
                    )
            elif number == 2:
                coupons = sum(cp.exp(-0.2 * vol_ * (years_ + m / 2)) for m in range(1, 17))
                got = spot_ * (0.02 * coupons + cp.exp(-0.2 * vol_ * (years_ + 8)))
            elif number == 3:
                got = (
                    sum(cp.log(spot_ / (strike_ * (0.5 + 0.1 * m))) ** 2 for m in range(12)) * 10 * vol_ * vol_ * years_
                )
            elif number == 4:
                got = 20 * sum((spot_ / strike_) ** (m / 2 + vol_) * cp.exp(-r * m * years_) for m in range(1, 5))
            else:
                alive = [cp.exp(-0.1 * vol_ * m * cp.sqrt(years_ + m / 4)) for m in range(13)]
                got = 0.6 * spot_ * sum((alive[m - 1] - alive[m]) * cp.exp(-r * m / 4) for m in range(1, 13))
            want[at] = got
        return [want]

    return Pair(
        lambda: kernel(*book, price),
        lambda: kernel(*sorted_book, sorted_price),
        lambda w: [price[order] if w == "slow" else sorted_price],
        ref,
        1e-4,
        zero(price, sorted_price),
    )


@case
def cupy_column_power(t: Tools) -> Pair:
    cp, rows, columns, parts = t.xp, 1 << 18, 512, 512
    x = t.rng.random((rows, columns), dtype=f32)
    power = cp.ReductionKernel("float32 x", "float32 y", "x * x", "a + b", "y = a", "0", "column_power")
    pieces = x.reshape(parts, rows // parts, columns)

    def ref() -> Any:
        return [sum((piece.astype(np.float64) ** 2).sum(axis=0) for piece in pieces)]

    return made(lambda: power(x, axis=0), lambda: power(pieces, axis=1).sum(axis=0), 1e-3, ref)


@case
def cupy_calendar_slots(t: Tools) -> Pair:
    cp, n = t.xp, 1 << 25
    second = t.rng.integers(0, 100_000_000, n, dtype=i32).astype(i64) + 1_600_000_000
    stamp = second * 1_000_000 + t.rng.integers(0, 1_000_000, n, dtype=i32)
    day, hour, minute = 86_400_000_000, 3_600_000_000, 60_000_000
    slot = """
        const long long date = stamp / day, rest = stamp % day;
        const long long left = rest % hour;
        place = (int)(((date + 4) % 7 * 24 + rest / hour) * 60 + left / minute);
    """
    constants = f"const long long day = {day}LL, hour = {hour}LL, minute = {minute}LL;"
    sizes = "int64 stamp, int64 day, int64 hour, int64 minute"
    slow = cp.ElementwiseKernel(sizes, "int32 place", slot, "calendar_slots")
    cured = cp.ElementwiseKernel("int64 stamp", "int32 place", constants + slot, "calendar_slots_b")

    def ref() -> Any:
        minutes = second // 60
        return [(minutes + 4 * 24 * 60) % (7 * 24 * 60)]

    return made(lambda: slow(stamp, day, hour, minute), lambda: cured(stamp), 0.0, ref)


# ---- PyTorch
@case
def torch_scene_classes(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    batch, classes, side = 2, 150, 512
    x = torch.randn(batch, classes, side, side, device="cuda")
    classes_last = x.permute(0, 2, 3, 1).contiguous()

    def slow() -> Any:
        return torch.softmax(x, 1)[:1, :, :64]

    def cured() -> Any:
        return torch.softmax(classes_last, 3)[:1, :64].permute(0, 3, 1, 2)

    def ref() -> Any:
        e = x[:1, :, :64].double().exp()
        return [e / e.sum(1, keepdim=True)]

    return made(slow, cured, 1e-5, ref)


@case
def torch_taxi_distances(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    stop, home = torch.rand(2048, 3, device="cuda"), torch.rand(4096, 3, device="cuda")

    def slow() -> Any:
        return torch.cdist(stop, home, p=1.0)[:256]

    def cured() -> Any:
        return (stop[:, None] - home).abs().sum(2)[:256]

    def ref() -> Any:
        a, b = stop[:256].double().t(), home.double().t()
        return [sum((a[k][:, None] - b[k][None, :]).abs() for k in range(3))]

    return made(slow, cured, 1e-5, ref)


@case
def torch_pick_users(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    users, features, picks = 1 << 21, 128, 1 << 19
    table = torch.randn(features, users, device="cuda", dtype=torch.half)
    by_user = table.t().contiguous()
    user = torch.randint(0, users, (picks,), device="cuda")

    def ref() -> Any:
        return [torch.stack([row.gather(0, user[:4096]) for row in table])]

    return made(lambda: table[:, user][:, :4096], lambda: by_user[user][:4096].t(), 0.0, ref)


@case
def torch_rolling_mean(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    series, steps, window = 4096, 4096, 256
    x = torch.rand(series, steps, device="cuda")

    def slow() -> Any:
        return x.unfold(1, window, 1).mean(2)[:256]

    def cured() -> Any:
        total = torch.nn.functional.pad(x.cumsum(1), (1, 0))
        return ((total[:, window:] - total[:, :-window]) / window)[:256]

    def ref() -> Any:
        weight = torch.full((1, 1, window), 1 / window, device="cuda", dtype=torch.double)
        return [torch.nn.functional.conv1d(x[:256, None].double(), weight)[:, 0]]

    return made(slow, cured, 1e-4, ref)


# ---- Triton
@case
def triton_kernel_matrix(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eighth_triton as k

    n, wide, side = 4096, 512, 64
    x, out = torch.randn(n, wide, device="cuda"), torch.zeros(n, n, device="cuda")
    norm, gamma, grid = (x * x).sum(1), 1 / (2 * wide), (n // side, n // side)

    def run(kernel: Any) -> Any:
        kernel[grid](x, norm, out, gamma, n, D=wide, SIDE=side, DEPTH=16, num_warps=8)
        return out[:256]

    def ref() -> Any:
        a, b = x[:256].double(), x.double()
        return [torch.exp(-gamma * ((a * a).sum(1)[:, None] + (b * b).sum(1)[None, :] - 2 * a @ b.t()))]

    return made(lambda: run(k.kernel_matrix), lambda: run(k.kernel_matrix_b), 5e-3, ref)


@case
def triton_softmax_backward(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eighth_triton as k

    rows, wide = 2048, 16384
    dp, dx = (torch.randn(rows, wide, device="cuda") for _ in range(2))
    p = torch.softmax(dx, 1)

    def run(warps: int) -> Any:
        k.softmax_backward[(rows,)](p, dp, dx, WIDE=wide, num_warps=warps)
        return dx[:256]

    def ref() -> Any:
        a, b = p[:256].double(), dp[:256].double()
        return [a * (b - (a * b).sum(1, keepdim=True))]

    return made(lambda: run(1), lambda: run(16), 1e-5, ref)


@case
def triton_dense_layer(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eighth_triton as k

    m = n = deep = 4096
    x = torch.randn(m, deep, device="cuda", dtype=torch.half)
    w = torch.randn(deep, n, device="cuda", dtype=torch.half) / 64
    y, grid = torch.zeros(m, n, device="cuda", dtype=torch.half), (m // 128 * (n // 256),)

    def run(stages: int) -> Any:
        how = {"ROWS": 128, "COLUMNS": 256, "DEPTH": 32, "num_warps": 8, "num_stages": stages}
        k.dense_layer[grid](x, w, y, n, deep, **how)
        return y[:256]

    def ref() -> Any:
        return [(x[:256].double() @ w.double()).clamp(min=0)]

    return made(lambda: run(1), lambda: run(4), 2e-3, ref)


@case
def triton_bias_gradient(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eighth_triton as k

    rows, wide = 1 << 20, 256
    dy, db = torch.randn(rows, wide, device="cuda", dtype=torch.half), torch.zeros(wide, device="cuda")

    def slow() -> None:
        k.bias_gradient[(rows // 4,)](dy, db, C=wide, ROWS=4, num_warps=4)

    def cured() -> None:
        k.bias_gradient_b[(rows // 1024,)](dy, db, C=wide, ROWS=16, TURNS=64, num_warps=4)

    def ref() -> Any:
        return [sum(part.double().sum(0) for part in dy.view(32, -1, wide))]

    return Pair(slow, cured, lambda _: [db], ref, 1e-3, db.zero_)


@case
def triton_dim_samples(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import eighth_triton as k

    n, chunk, gain = 1 << 28, 16384, 181
    x = torch.randint(0, 256, (n,), device="cuda", dtype=torch.uint8)
    y = torch.zeros_like(x)

    def run(block: int) -> Any:
        k.dim_samples[(n // chunk,)](x, y, gain, CHUNK=chunk, BLOCK=block, num_warps=4)
        return y[-(1 << 22) :]

    def ref() -> Any:
        return [(x[-(1 << 22) :].int() * gain + 128) // 256]

    return made(lambda: run(128), lambda: run(2048), 0.0, ref)
