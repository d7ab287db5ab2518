"""Pairs of the tenth round that are not CUDA C: kernels of CuPy, PyTorch and Triton."""

from __future__ import annotations

from typing import Any

import numpy as np
from device import Tools
from pair import SMS, Cases, Pair, f32, i32, i64, made, seeded_torch

CASES = Cases()
case = CASES.add
SEED = 101


# ---- CuPy
@case
def cupy_diverse_slates(t: Tools) -> Pair:
    cp, users, picks, weight = t.xp, 16 * SMS, 16, 0.5
    factors = t.rng.integers(-8, 9, (users, 1024, 8), dtype=i32).astype(f32) / f32(8)
    stars = t.rng.integers(0, 1 << 11, (users, 1024), dtype=i32) * i32(1024) + cp.arange(1024, dtype=i32)
    relevance = stars.astype(f32) / f32(1 << 19)  # no two candidates of a user ever have the same gain
    slate = cp.zeros((users, picks), i32)
    code = """
        extern "C" __global__ void NAME(const float4 *factors, const float *relevance, int *slate, int picks,
                                        float weight)
        {
            __shared__ float gain[1024];
            __shared__ int owner[32];
            __shared__ float4 taken[2];
            __shared__ int best;
            const int me = threadIdx.x;
            const size_t at = (size_t)blockIdx.x * 1024 + me;
            const float4 a = factors[2 * at], b = factors[2 * at + 1];
            const float worth = relevance[at];
            float close = 0.0f;
            bool free = true;
            for (int pick = 0; pick < picks; pick++) {
                float most = free ? worth - weight * close : -1e30f;
                int which = me;
                FIND
                if (me == which) {
                    taken[0] = a;
                    taken[1] = b;
                    slate[blockIdx.x * picks + pick] = me;
                    free = false;
                }
                __syncthreads();
                const float4 c = taken[0], d = taken[1];
                const float alike = a.x * c.x + a.y * c.y + a.z * c.z + a.w * c.w
                                  + b.x * d.x + b.y * d.y + b.z * d.z + b.w * d.w;
                close = fmaxf(close, alike);
            }
        }
    """
    search = """
        gain[me] = most;
        __syncthreads();
        if (me == 0) {
            for (int k = 1; k < 1024; k++) {
                if (gain[k] > most) {
                    most = gain[k];
                    which = k;
                }
            }
            best = which;
        }
        __syncthreads();
        which = best;
    """
    turn = """
        #pragma unroll
        for (int step = 16; step > 0; step /= 2) {
            const float other = __shfl_xor_sync(~0u, most, step);
            const int whose = __shfl_xor_sync(~0u, which, step);
            if (other > most || (other == most && whose < which)) {
                most = other;
                which = whose;
            }
        }
    """
    shuffled = f"""
        {turn}
        if (me % 32 == 0) {{
            gain[me / 32] = most;
            owner[me / 32] = which;
        }}
        __syncthreads();
        if (me < 32) {{
            most = gain[me];
            which = owner[me];
            {turn}
            if (me == 0) best = which;
        }}
        __syncthreads();
        which = best;
    """
    slow, cured = (
        cp.RawKernel(code.replace("NAME", name).replace("FIND", find), name)
        for name, find in (("diverse_slates", search), ("diverse_slates_b", shuffled))
    )

    def run(kernel: Any) -> Any:
        kernel((users,), (1024,), (factors, relevance, slate, i32(picks), f32(weight)))
        return slate

    def ref() -> Any:
        wide, each = factors.astype(np.float64), cp.arange(users)
        close, free, chosen = cp.zeros((users, 1024)), cp.ones((users, 1024), bool), []
        for _ in range(picks):
            best = cp.where(free, relevance - weight * close, -1e30).argmax(axis=1)
            chosen.append(best)
            free[each, best] = False
            close = cp.maximum(close, (wide * wide[each, best][:, None, :]).sum(axis=2))
        return [cp.stack(chosen, axis=1)]

    return made(lambda: run(slow), lambda: run(cured), 0.0, ref)


@case
def cupy_triple_stars(t: Tools) -> Pair:
    cp, systems, steps, step, some = t.xp, 1 << 18, 40, 0.01, 1 << 14
    mass = np.array([1.0, 0.7, 0.4])
    about = np.array(
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-2.6, 0.3, 0.4], [0.0, -0.5, 0.0], [0.0, 0.8, 0.1], [0.1, -0.6, 0]]
    )
    start = t.rng.random((18, systems), dtype=f32) * f32(0.2) - f32(0.1)
    start += cp.asarray(about.reshape(18, 1).astype(f32))
    end = cp.zeros((18, systems), f32)
    code = """
        __device__ __forceinline__ void pull(const float *s, float *d)
        {
            const float mass[3] = {1.0f, 0.7f, 0.4f};
            #pragma unroll
            for (int c = 0; c < 9; c++) {
                d[c] = s[9 + c];
                d[9 + c] = 0.0f;
            }
            #pragma unroll
            for (int i = 0; i < 3; i++) {
                #pragma unroll
                for (int j = i + 1; j < 3; j++) {
                    const float x = s[3 * j] - s[3 * i], y = s[3 * j + 1] - s[3 * i + 1];
                    const float z = s[3 * j + 2] - s[3 * i + 2];
                    const float a = rsqrtf(x * x + y * y + z * z + 1e-2f), b = a * a * a;
                    d[9 + 3 * i] += mass[j] * b * x;
                    d[10 + 3 * i] += mass[j] * b * y;
                    d[11 + 3 * i] += mass[j] * b * z;
                    d[9 + 3 * j] -= mass[i] * b * x;
                    d[10 + 3 * j] -= mass[i] * b * y;
                    d[11 + 3 * j] -= mass[i] * b * z;
                }
            }
        }

        extern "C" __global__ void __launch_bounds__(BOUNDS) NAME(const float *start, float *end, int systems,
                                                                  int steps, float h)
        {
            const float ahead[6][5] = {
                {0.0f, 0.0f, 0.0f, 0.0f, 0.0f},
                {0.2f, 0.0f, 0.0f, 0.0f, 0.0f},
                {0.075f, 0.225f, 0.0f, 0.0f, 0.0f},
                {0.3f, -0.9f, 1.2f, 0.0f, 0.0f},
                {-11.0f / 54.0f, 2.5f, -70.0f / 27.0f, 35.0f / 27.0f, 0.0f},
                {1631.0f / 55296.0f, 175.0f / 512.0f, 575.0f / 13824.0f, 44275.0f / 110592.0f, 253.0f / 4096.0f},
            };
            const float share[6] = {37.0f / 378.0f, 0.0f, 250.0f / 621.0f, 125.0f / 594.0f, 0.0f, 512.0f / 1771.0f};
            const int at = blockIdx.x * 256 + threadIdx.x;
            float s[18], there[18], k[6][18];
            #pragma unroll
            for (int c = 0; c < 18; c++) s[c] = start[c * systems + at];
            for (int now = 0; now < steps; now++) {
                #pragma unroll
                for (int stage = 0; stage < 6; stage++) {
                    #pragma unroll
                    for (int c = 0; c < 18; c++) {
                        float sum = 0.0f;
                        #pragma unroll
                        for (int j = 0; j < stage; j++) sum += ahead[stage][j] * k[j][c];
                        there[c] = s[c] + h * sum;
                    }
                    pull(there, k[stage]);
                }
                #pragma unroll
                for (int c = 0; c < 18; c++) {
                    s[c] += h * (share[0] * k[0][c] + share[2] * k[2][c] + share[3] * k[3][c] + share[5] * k[5][c]);
                }
            }
            #pragma unroll
            for (int c = 0; c < 18; c++) end[c * systems + at] = s[c];
        }
    """
    slow, cured = (
        cp.RawKernel(code.replace("NAME", name).replace("BOUNDS", bounds), name)
        for name, bounds in (("triple_stars", "256, 4"), ("triple_stars_b", "256"))
    )

    def run(kernel: Any) -> Any:
        kernel((systems // 256,), (256,), (start, end, i32(systems), i32(steps), f32(step)))
        return end[:, :some]

    def ref() -> Any:
        def pull(s: Any) -> Any:
            place, rate = s[:3], cp.zeros((3, 3, some))
            for i in range(3):
                for j in range(3):
                    apart = place[j] - place[i]
                    rate[i] += mass[j] * apart / ((apart**2).sum(axis=0) + 0.01) ** 1.5
            return cp.concatenate([s[3:], rate])

        s = start[:, :some].astype(np.float64).reshape(6, 3, some)
        for _ in range(steps):
            k1 = pull(s)
            k2 = pull(s + step / 2 * k1)
            k3 = pull(s + step / 2 * k2)
            s = s + step / 6 * (k1 + 2 * k2 + 2 * k3 + pull(s + step * k3))
        return [s.reshape(18, some)]

    return made(lambda: run(slow), lambda: run(cured), 1e-3, ref)


@case
def cupy_trip_speeds(t: Tools) -> Pair:
    cp, trips = t.xp, 1 << 24
    table = t.rng.random((trips, 16), dtype=f32) + f32(0.1)
    columns = cp.ascontiguousarray(table.T)

    def ref() -> Any:
        return [table[:, 9].astype(np.float64) / table[:, 4].astype(np.float64)]

    return made(lambda: table[:, 9] / table[:, 4], lambda: columns[9] / columns[4], 1e-6, ref)


@case
def cupy_typical_months(t: Tools) -> Pair:
    cp, shops, months = t.xp, 1 << 22, 12
    sales = t.rng.random((months, shops), dtype=f32) * f32(1000)
    frame = """
        float v[12];
        UNROLL
        for (int m = 0; m < MONTHS; m++) v[m] = sales[m * shops + i];
        UNROLL
        for (int last = MONTHS - 1; last > 0; last--) {
            UNROLL
            for (int m = 0; m < last; m++) {
                ORDER
            }
        }
        typical = MONTHS % 2 ? v[MONTHS / 2] : 0.5f * (v[MONTHS / 2 - 1] + v[MONTHS / 2]);
    """
    swap = """
        if (v[m] > v[m + 1]) {
            const float low = v[m + 1];
            v[m + 1] = v[m];
            v[m] = low;
        }
    """
    extremes = """
        const float low = fminf(v[m], v[m + 1]);
        v[m + 1] = fmaxf(v[m], v[m + 1]);
        v[m] = low;
    """
    slow, cured = (
        cp.ElementwiseKernel(
            "raw float32 sales, int32 months, int32 shops",
            "float32 typical",
            frame.replace("UNROLL", unroll).replace("MONTHS", count).replace("ORDER", order),
            name,
        )
        for name, unroll, count, order in (
            ("typical_months", "", "months", swap),
            ("typical_months_b", "#pragma unroll", str(months), extremes),
        )
    )
    flat = sales.reshape(-1)

    def run(kernel: Any) -> Any:
        return kernel(flat, i32(months), i32(shops), size=shops)

    def ref() -> Any:
        rows = cp.sort(cp.ascontiguousarray(sales.T), axis=1)
        return [(rows[:, 5] + rows[:, 6]) / 2]

    return made(lambda: run(slow), lambda: run(cured), 1e-6, ref)


@case
def cupy_listing_distances(t: Tools) -> Pair:
    cp, listings, traits = t.xp, 1 << 21, 64
    trait, far = t.rng.random((listings, traits), dtype=f32), cp.zeros(listings, f32)
    rng = np.random.default_rng(SEED)
    wish, weight = rng.random(traits).astype(f32), (rng.random(traits) + 0.1).astype(f32)
    words = {
        "WISH": ", ".join(f"{v!r}f" for v in wish.astype(float).tolist()),
        "WEIGHT": ", ".join(f"{v!r}f" for v in weight.astype(float).tolist()),
    }
    head = """
        __constant__ float wish[64] = {WISH};
        __constant__ float weight[64] = {WEIGHT};
    """
    one = """
        extern "C" __global__ void listing_distances(const float *trait, float *far, int listings)
        {
            const int at = blockIdx.x * blockDim.x + threadIdx.x;
            if (at >= listings) return;
            const float *mine = trait + (size_t)at * 64;
            float sum = 0.0f;
            for (int k = 0; k < 64; k++) sum += weight[k] * fabsf(mine[k] - wish[k]);
            far[at] = sum;
        }
    """
    many = """
        extern "C" __global__ void listing_distances_b(const float *trait, float *far, int listings)
        {
            const int part = threadIdx.x % 16, step = gridDim.x * 16;
            const float4 *rows = (const float4 *)trait;
            const float w0 = wish[4 * part], w1 = wish[4 * part + 1];
            const float w2 = wish[4 * part + 2], w3 = wish[4 * part + 3];
            const float a = weight[4 * part], b = weight[4 * part + 1];
            const float c = weight[4 * part + 2], d = weight[4 * part + 3];
            #pragma unroll 4
            for (int at = blockIdx.x * 16 + threadIdx.x / 16; at < listings; at += step) {
                const float4 v = rows[(size_t)at * 16 + part];
                float sum = a * fabsf(v.x - w0) + b * fabsf(v.y - w1) + c * fabsf(v.z - w2) + d * fabsf(v.w - w3);
                #pragma unroll
                for (int hop = 8; hop > 0; hop /= 2) sum += __shfl_xor_sync(~0u, sum, hop);
                if (part == 0) far[at] = sum;
            }
        }
    """
    texts = [head + one, head + many]
    for word, values in words.items():
        texts = [text.replace(word, values) for text in texts]
    names = ("listing_distances", "listing_distances_b")
    slow, cured = (cp.RawKernel(text, name) for text, name in zip(texts, names, strict=True))

    def run(kernel: Any, blocks: int) -> Any:
        kernel((blocks,), (256,), (trait, far, i32(listings)))
        return far

    def ref() -> Any:
        total = cp.zeros(listings)
        for k in range(traits):
            total += float(weight[k]) * cp.abs(trait[:, k].astype(np.float64) - float(wish[k]))
        return [total]

    return made(lambda: run(slow, listings // 256), lambda: run(cured, 2048), 1e-5, ref)


# ---- PyTorch
@case
def torch_xray_levels(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    pictures, side, levels = 8, 1024, 64
    grey = (torch.rand(pictures, side, side, device="cuda") * 256).floor() / 256
    grey *= torch.rand(pictures, side, side, device="cuda") > 0.4
    first = torch.arange(32, device="cuda") * (levels + 1.0)

    def cured() -> Any:
        each = torch.add(first, grey.view(-1, 32), alpha=levels)
        wide = 32 * (levels + 1)
        return torch.histc(each, bins=wide, min=0, max=wide).view(32, -1)[:, :levels].sum(0)

    def ref() -> Any:
        level = (grey * levels).floor().cpu().numpy().astype(i64)
        return [np.bincount(level.reshape(-1), minlength=levels)]

    return made(lambda: torch.histc(grey, bins=levels, min=0, max=1), cured, 0.0, ref)


@case
def torch_grow_masks(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    wide, pool = 25, torch.nn.functional.max_pool2d
    mask = torch.rand(1, 4, 1024, 1024, device="cuda")
    half = wide // 2

    def slow() -> Any:
        return pool(mask, wide, stride=1, padding=half)

    def cured() -> Any:
        across = pool(mask, (1, wide), stride=1, padding=(0, half))
        return pool(across, (wide, 1), stride=1, padding=(half, 0))

    def ref() -> Any:
        grown = torch.nn.functional.pad(mask, (half, half, half, half), value=-1.0)
        for dim in (2, 3):
            parts = [grown.narrow(dim, k, 1024) for k in range(wide)]
            grown = parts[0]
            for part in parts[1:]:
                grown = torch.maximum(grown, part)
        return [grown]

    return made(slow, cured, 0.0, ref)


@case
def torch_mean_surprise(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    tokens, letters = 1 << 19, 32
    chance = torch.randn(tokens, letters, device="cuda").log_softmax(1)
    letter = torch.randint(letters, (tokens,), device="cuda")
    loss = torch.nn.functional.nll_loss

    def cured() -> Any:
        return loss(chance, letter, reduction="none").mean().view(1)

    def ref() -> Any:
        rows, columns = chance.cpu().numpy(), letter.cpu().numpy()
        return [-rows[np.arange(tokens), columns].astype(np.float64).mean(keepdims=True)]

    return made(lambda: loss(chance, letter).view(1), cured, 1e-4, ref)


@case
def torch_fit_chances(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    fits, some, rng = 1 << 22, 1 << 18, np.random.default_rng(SEED)
    freedom = rng.integers(1, 39, fits)
    misfit = 2 * rng.gamma(freedom / 2) * np.where(rng.random(fits) < 0.3, 1 + 3 * rng.random(fits), 1)
    order = np.lexsort((misfit, freedom))
    a, x = (torch.from_numpy((part / 2).astype(f32)).cuda() for part in (freedom, misfit))
    back = torch.from_numpy(np.argsort(order)[:some]).cuda()
    in_order = torch.from_numpy(order).cuda()
    a_sorted, x_sorted = a[in_order].contiguous(), x[in_order].contiguous()
    chance = torch.special.gammainc

    def ref() -> Any:
        return [chance(a[:some].double().cpu(), x[:some].double().cpu())]

    pair = made(lambda: chance(a, x), lambda: chance(a_sorted, x_sorted), 1e-4, ref)
    whole = pair.outs

    def outs(which: str) -> Any:
        return [found[:some] if which == "slow" else found[back] for found in whole(which)]

    pair.outs = outs
    return pair


# ---- Triton
@case
def triton_crowd_maps(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import tenth_triton as k

    pictures, side, heads, some = 64, 512, 256, 4
    shrink = (0.5 / np.log(2)) ** 0.5 / 15
    head_x, head_y = (torch.rand(pictures, heads, device="cuda") * side for _ in range(2))
    density = torch.zeros(pictures, side, side, device="cuda")

    def run(kernel: Any) -> Any:
        grid = (side // 64, side // 64, pictures)
        kernel[grid](head_x, head_y, density, heads, side, float(shrink), TILE=64, num_warps=4)
        return density[:some]

    def ref() -> Any:
        pixel = torch.arange(side, device="cuda").double()
        along, down = (
            torch.exp(-0.5 / 15**2 * (pixel - head[:some, :, None].double()) ** 2) for head in (head_x, head_y)
        )
        return [down.transpose(1, 2) @ along]

    return made(lambda: run(k.crowd_maps), lambda: run(k.crowd_maps_b), 1e-4, ref)


@case
def triton_hash_rows(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import tenth_triton as k

    n, ways, rows = 1 << 24, 4, 1000003
    key = torch.randint(1 << 62, (n,), device="cuda")
    seed = torch.randint(1 << 62, (ways,), device="cuda") * 2 + 1
    slot = torch.zeros(ways, n, device="cuda", dtype=torch.int32)

    def slow() -> Any:
        k.hash_rows[(n // 1024,)](key, seed, slot, n, rows, WAYS=ways, BLOCK=1024, num_warps=4)
        return slot

    def cured() -> Any:
        k.hash_rows_b[(n // 1024,)](key, seed, slot, n, ROWS=rows, WAYS=ways, BLOCK=1024, num_warps=4)
        return slot

    def ref() -> Any:
        mixed = key * seed[:, None]
        return [((mixed ^ (mixed >> 31)) & ((1 << 63) - 1)) % rows]

    return made(slow, cured, 0.0, ref)


@case
def triton_member_totals(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import tenth_triton as k

    members, d, rng = 1 << 16, 64, np.random.default_rng(SEED)
    count = rng.integers(8, 57, members)
    count[[9001, 21007, 33013, 45019, 57023, 64007]] = 1 << 16
    end = np.cumsum(count)
    pieces = -(-count // 64)
    whose = np.repeat(np.arange(members), pieces)
    part = np.arange(whose.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = (end - count)[whose] + 64 * part
    stop = np.minimum(begin + 64, end[whose])
    first, last, whose, begin, stop = (
        torch.from_numpy(what.astype(i32)).cuda() for what in (end - count, end, whose, begin, stop)
    )
    event = torch.randn(int(end[-1]), d, device="cuda")
    total = torch.zeros(members, d, device="cuda")

    def slow() -> Any:
        k.member_totals[(members,)](event, first, last, total, D=d, ROWS=16, num_warps=4)
        return total

    def cured() -> Any:
        total.zero_()
        k.member_totals_b[(whose.numel(),)](event, begin, stop, whose, total, D=d, ROWS=16, num_warps=4)
        return total

    def ref() -> Any:
        summed = event.double().cumsum(0)
        upto = summed[last.long() - 1]
        return [torch.diff(upto, dim=0, prepend=torch.zeros_like(upto[:1]))]

    return made(slow, cured, 1e-5, ref)


@case
def triton_unit_tokens(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import tenth_triton as k

    tokens, d, some = 1 << 17, 1024, 1 << 12
    x = torch.randn(tokens, d, device="cuda", dtype=torch.half)
    weight = torch.rand(d, device="cuda", dtype=torch.half) + 0.5
    y = torch.zeros_like(x)

    def run(programs: int) -> Any:
        k.unit_tokens[(programs,)](x, weight, y, tokens, 1e-6, D=d, num_warps=4)
        return y[-some:]

    def ref() -> Any:
        wide = x[-some:].double()
        return [wide * (wide.square().mean(1, keepdim=True) + 1e-6).rsqrt() * weight.double()]

    return made(lambda: run(SMS), lambda: run(16 * SMS), 2e-3, ref)


@case
def triton_token_losses(t: Tools) -> Pair:
    torch = seeded_torch(SEED)
    import tenth_triton as k

    tokens, words, some = 8192, 49152, 256
    logits = torch.randn(tokens, words, device="cuda", dtype=torch.half) * 3
    target = torch.randint(words, (tokens,), device="cuda")
    loss = torch.zeros(tokens, device="cuda")

    def run(kernel: Any) -> Any:
        kernel[(tokens,)](logits, target, loss, words, BLOCK=2048, num_warps=4)
        return loss

    def ref() -> Any:
        wide = logits[:some].double()
        return [wide.logsumexp(1) - wide.gather(1, target[:some, None])[:, 0]]

    pair = made(lambda: run(k.token_losses), lambda: run(k.token_losses_b), 1e-4, ref)
    whole = pair.outs
    pair.outs = lambda which: [found[:some] for found in whole(which)]
    return pair
