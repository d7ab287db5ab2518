// Kernels of dovetails.cu after the advice that was given on their profiles.
#include "../nineteenth/dovetails.cu"

namespace followed {

// Places in the bank by a scan of the block's births, and one atomic a block.
extern "C" __global__ void __launch_bounds__(256) fission_bank_f(
    const float4 *__restrict__ neutron, const unsigned *__restrict__ draw, const int *__restrict__ fuel,
    float4 *__restrict__ site, unsigned *__restrict__ born, int *__restrict__ total, int room, int n)
{
    __shared__ int before[8], base;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int many = i < n ? births(draw[i], fuel[i]) : 0;
    int upto = many;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const int other = __shfl_up_sync(~0u, upto, by);
        if (lane >= by) upto += other;
    }
    if (lane == 31) before[warp] = upto;
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
#pragma unroll
        for (int w = 0; w < 8; w++) {
            const int own = before[w];
            before[w] = all;
            all += own;
        }
        base = all > 0 ? atomicAdd(total, all) : 0;
    }
    __syncthreads();
    if (many > 0) give_birth(neutron[i], draw[i], i, many, base + before[warp] + upto - many, room, site, born);
}

// Padded words for the growing strides; the last 32 equations are solved in registers of one warp, by shuffles.
struct Padded : Reduction<1> {
    __device__ __forceinline__ void solve_top()
    {
        const int t = threadIdx.x, k = at(32 * t + 31), l = at(32 * t + 15), r = at(min(32 * t + 47, RATES - 1));
        float left = __fdividef(a[k], b[l]), right = __fdividef(c[k], b[r]);
        float low = -a[l] * left, high = -c[r] * right;
        float main = b[k] - (c[l] * left + a[r] * right), value = d[k] - (d[l] * left + d[r] * right);
        // A lane without a neighbour has 0 for its share and gets its own values back.
#pragma unroll
        for (int by = 1; by < 32; by *= 2) {
            left = __fdividef(low, __shfl_up_sync(~0u, main, by));
            right = __fdividef(high, __shfl_down_sync(~0u, main, by));
            const float d0 = __shfl_up_sync(~0u, value, by), d1 = __shfl_down_sync(~0u, value, by);
            const float c0 = __shfl_up_sync(~0u, high, by), a1 = __shfl_down_sync(~0u, low, by);
            const float a0 = __shfl_up_sync(~0u, low, by), c1 = __shfl_down_sync(~0u, high, by);
            main -= c0 * left + a1 * right;
            value -= d0 * left + d1 * right;
            low = -a0 * left;
            high = -c1 * right;
        }
        const float own = __fdividef(value, main), other = __shfl_up_sync(~0u, own, 1);
        x[k] = own;
        x[l] = __fdividef(d[l] - a[l] * (t == 0 ? 0.0f : other) - c[l] * own, b[l]);
    }
    __device__ __forceinline__ void solve()
    {
        const int t = threadIdx.x;
#pragma unroll 1
        for (int s = 1; s <= 8; s *= 2) {
            if (t < RATES / (2 * s)) {
                const int i = 2 * s * t + 2 * s - 1;
                const int k = at(i), l = at(i - s), r = at(min(i + s, RATES - 1));
                const float left = __fdividef(a[k], b[l]), right = __fdividef(c[k], b[r]);
                b[k] -= c[l] * left + a[r] * right;
                d[k] -= d[l] * left + d[r] * right;
                a[k] = -a[l] * left;
                c[k] = -c[r] * right;
            }
            __syncthreads();
        }
        if (t < 32) solve_top();
        __syncthreads();
#pragma unroll 1
        for (int s = 8; s >= 1; s /= 2) {
            if (t < RATES / (2 * s)) {
                const int i = 2 * s * t + s - 1, k = at(i);
                const float low = t == 0 ? 0.0f : x[at(i - s)];
                x[k] = __fdividef(d[k] - a[k] * low - c[k] * x[at(i + s)], b[k]);
            }
            __syncthreads();
        }
    }
};
extern "C" __global__ void __launch_bounds__(RATES / 2, 4) callable_bonds_f(
    const float4 *__restrict__ bond, float *__restrict__ value, float call, float dr, float dt, int steps)
{
    __shared__ Padded line;
    const int t = threadIdx.x;
    const float4 own = bond[blockIdx.x];
    float v = 1.0f, w = 1.0f;
    for (int k = 0; k < steps; k++) {
        line.fill(t, v, own, dr, dt);
        line.fill(t + RATES / 2, w, own, dr, dt);
        __syncthreads();
        line.solve();
        v = fminf(line.x[line.at(t)], call) + own.w;
        w = fminf(line.x[line.at(t + RATES / 2)], call) + own.w;
    }
    value[blockIdx.x * RATES + t] = v;
    value[blockIdx.x * RATES + t + RATES / 2] = w;
}

// One loop over attempts: a lane goes on to its next photon while others still try.
extern "C" __global__ void __launch_bounds__(256) compton_angles_f(
    const unsigned *__restrict__ seed, const float *__restrict__ alpha, float *__restrict__ left, int photons, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Photon one{seed[i]};
    const float a = alpha[i];
    float sum = 0.0f;
    int done = 0;
    while (done < photons) {
        const bool met = one.attempt(a);
        const float more = __fmaf_rn(a, one.lost, sum);
        sum = met ? more : sum;
        done += met;
    }
    left[i] = sum;
}

// All indices known to the compiler: where volumes double, i and a smaller j make something between i and i + 1.
extern "C" __global__ void __launch_bounds__(256) coagulate_bins_f(
    const float *__restrict__ number, float *__restrict__ after, int steps, int n)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n) return;
    float now[BINS + 1], next[BINS + 1];
#pragma unroll
    for (int k = 0; k <= BINS; k++) next[k] = k < BINS ? number[static_cast<size_t>(k) * n + cell] : 0.0f;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int k = 0; k <= BINS; k++) now[k] = next[k];
#pragma unroll
        for (int i = 0; i < BINS; i++) {
#pragma unroll
            for (int j = 0; j <= i; j++) {
                const int pair = i * (i + 1) / 2 + j;
                const float met = meet_rate[pair] * now[i] * now[j];
                next[i] -= met;
                next[j] -= met;
                next[i] += met * (1.0f - meet_share[pair]);
                next[i + 1] += met * meet_share[pair];
            }
        }
    }
#pragma unroll
    for (int k = 0; k <= BINS; k++) after[static_cast<size_t>(k) * n + cell] = next[k];
}

// Four values a thread, scanned by shuffles within the warps; one barrier, at which the warps' sums pass.
extern "C" __global__ void __launch_bounds__(256) sky_draws_f(
    const float *__restrict__ light, const float *__restrict__ height, float *__restrict__ chance, int rows)
{
    __shared__ float part[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, row = blockIdx.x;
    if (row >= rows) return;
    const float high = height[row];
    float4 v = reinterpret_cast<const float4 *>(light)[row * 256 + t];
    v.x *= high;
    v.y = v.x + v.y * high;
    v.z = v.y + v.z * high;
    v.w = v.z + v.w * high;
    float upto = v.w;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const float other = __shfl_up_sync(~0u, upto, by);
        if (lane >= by) upto += other;
    }
    if (lane == 31) part[warp] = upto;
    float before = __shfl_up_sync(~0u, upto, 1);
    if (lane == 0) before = 0.0f;
    __syncthreads();
    float all = 0.0f, first = 0.0f;
#pragma unroll
    for (int w = 0; w < 8; w++) {
        if (w == warp) first = all;
        all += part[w];
    }
    before += first;
    reinterpret_cast<float4 *>(chance)[row * 256 + t] =
        make_float4(__fdividef(before + v.x, all), __fdividef(before + v.y, all), __fdividef(before + v.z, all),
                    __fdividef(before + v.w, all));
}

// Weights as operands from constant memory, each for two applicants; n is even.
extern "C" __global__ void __launch_bounds__(256) loan_offers_f(
    const float *__restrict__ known, float *__restrict__ score, int *__restrict__ best, int n)
{
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 >= n) return;
    float2 x[KNOWN], top = make_float2(-1e30f, -1e30f);
    int2 which = make_int2(0, 0);
#pragma unroll
    for (int k = 0; k < KNOWN; k++) x[k] = *reinterpret_cast<const float2 *>(known + static_cast<size_t>(k) * n + i);
#pragma unroll
    for (int o = 0; o < OFFERS; o++) {
        float2 s = make_float2(offer_base[o], offer_base[o]);
#pragma unroll
        for (int k = 0; k < KNOWN; k++) {
            s.x += offer_weight[o * KNOWN + k] * x[k].x;
            s.y += offer_weight[o * KNOWN + k] * x[k].y;
        }
        if (s.x > top.x) {
            top.x = s.x;
            which.x = o;
        }
        if (s.y > top.y) {
            top.y = s.y;
            which.y = o;
        }
    }
    *reinterpret_cast<float2 *>(score + i) = top;
    *reinterpret_cast<int2 *>(best + i) = which;
}

// A bit a state and step in shared memory, where it was a byte.
extern "C" __global__ void __launch_bounds__(64) probe_frames_f(
    const float2 *__restrict__ heard, unsigned *__restrict__ bits)
{
    decode_frame<WayBits>(heard, bits);
}

// As it was; the links of each page come sorted.
extern "C" __global__ void __launch_bounds__(256) page_ranks_f(
    const int *__restrict__ start, const int *__restrict__ from, const float *__restrict__ share,
    float *__restrict__ rank, float stay, int pages)
{
    const int page = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (page >= pages) return;
    const int end = start[page + 1];
    float sum = 0.0f;
    for (int k = start[page] + lane; k < end; k += 32) sum += share[from[k]];
#pragma unroll
    for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
    if (lane == 0) rank[page] = 1.0f - stay + stay * sum;
}

// Without volatile: nobody writes the levels meanwhile.
extern "C" __global__ void __launch_bounds__(256) drain_terrain_f(
    const float *__restrict__ ground, const float *__restrict__ level, float *__restrict__ next, float slope,
    int width, int height)
{
    drain_step(ground, level, next, slope, width, height);
}

// The table in shared memory, with rows of 21 so that rows begin in different banks.
extern "C" __global__ void __launch_bounds__(CHAIN) contact_energies_f(
    const float4 *__restrict__ residue, float *__restrict__ energy, float inverse)
{
    __shared__ float4 tile[CHAIN];
    __shared__ float table[KINDS * (KINDS + 1)];
    const int i = blockIdx.x * CHAIN + threadIdx.x;
    const float4 own = residue[i];
    tile[threadIdx.x] = own;
    for (int k = threadIdx.x; k < KINDS * KINDS; k += CHAIN) table[k / KINDS * (KINDS + 1) + k % KINDS] = contact[k];
    __syncthreads();
    energy[i] = contacts<KINDS + 1>(tile, table, own, inverse);
}

// Places from the grid's dimensions, and comparisons where the lattice's ends meet.
extern "C" __global__ void __launch_bounds__(512) spin_glass_f(
    const signed char *__restrict__ spin, const unsigned char *__restrict__ bond, signed char *__restrict__ next,
    int stiff, int lx, int ly, int lz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= lx || y >= ly || z >= lz) return;
    const int plane = lx * ly, at = z * plane + y * lx + x;
    const int east = x == lx - 1 ? at - x : at + 1, west = x == 0 ? at + lx - 1 : at - 1;
    const int north = y == ly - 1 ? at - y * lx : at + lx, south = y == 0 ? at + plane - lx : at - lx;
    const int up = z == lz - 1 ? at - z * plane : at + plane, down = z == 0 ? at + (lz - 1) * plane : at - plane;
    next[at] = settle_spin(spin, bond, at, east, west, north, south, up, down, stiff);
}

// Each warp brings its 32 columns through shared memory, whole; the sweeps run there.
extern "C" __global__ void __launch_bounds__(128, 3) permafrost_sweep_f(
    const float *__restrict__ warmth, const float4 *__restrict__ law, float *__restrict__ after, int levels,
    int level_step, int column_step, int columns)
{
    extern __shared__ float tiles[];
    const int lane = threadIdx.x % 32, pitch = levels | 1;
    const int first = blockIdx.x * blockDim.x + threadIdx.x - lane, many = min(32, columns - first);
    if (many <= 0) return;
    float *tile = tiles + (threadIdx.x - lane) * pitch, *own = tile + lane * pitch;
    for (int k = lane; k < levels; k += 32) {
        const float *from = warmth + static_cast<size_t>(first) * column_step + static_cast<size_t>(k) * level_step;
        float part[32];
#pragma unroll
        for (int c = 0; c < 32; c++) part[c] = from[static_cast<size_t>(min(c, many - 1)) * column_step];
#pragma unroll
        for (int c = 0; c < 32; c++) tile[c * pitch + k] = part[c];
    }
    __syncwarp();
    if (lane < many) {
        float last = 0.0f;
#pragma unroll 8
        for (int k = 0; k < levels; k++) {
            const float4 l = law[k];
            last = (own[k] - l.x * last) * l.y;
            own[k] = last;
        }
#pragma unroll 8
        for (int k = levels - 2; k >= 0; k--) {
            last = own[k] - law[k].z * last;
            own[k] = last;
        }
    }
    __syncwarp();
    for (int k = lane; k < levels; k += 32) {
        float *to = after + static_cast<size_t>(first) * column_step + static_cast<size_t>(k) * level_step;
#pragma unroll 8
        for (int c = 0; c < many; c++) to[static_cast<size_t>(c) * column_step] = tile[c * pitch + k];
    }
}

// The cosine of an angle that is an arc cosine is there already, so neither function is needed.
extern "C" __global__ void __launch_bounds__(256) furnace_exchange_f(
    const float4 *__restrict__ place, const float4 *__restrict__ facing, const float4 *__restrict__ hot_place,
    const float4 *__restrict__ hot_facing, float *__restrict__ heat, int hot, int n)
{
    exchange<false>(place, facing, hot_place, hot_facing, heat, hot, n);
}

// All in single precision.
extern "C" __global__ void __launch_bounds__(256) survey_lens_f(
    const float2 *__restrict__ seen, float2 *__restrict__ straight, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 p = seen[i];
    float x = p.x, y = p.y;
    for (int k = 0; k < steps; k++) {
        const float r = x * x + y * y;
        const float by = 1.0f / (1.0f + 0.12f * r - 0.05f * r * r + 0.02f * r * r * r);
        const float dx = 0.002f * x * y + 0.001f * (r + 2.0f * x * x);
        const float dy = 0.001f * (r + 2.0f * y * y) + 0.002f * x * y;
        x = (p.x - dx) * by;
        y = (p.y - dy) * by;
    }
    straight[i] = make_float2(x, y);
}

}  // namespace followed
