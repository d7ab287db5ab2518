// Cures of kernels of ../eighteenth/orchids.cu by an author who followed the advice: NAME_f for NAME.
#include "../eighteenth/orchids.cu"

namespace followed {
// Neighbouring lanes have neighbouring columns.
extern "C" __global__ void __launch_bounds__(256) ivy_spread_f(
    const float *__restrict__ cover, float *__restrict__ later, float rate, float spread, int width)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    spread_ivy(cover, later, rate, spread, row, column, width);
}

// A block puts a batch of jars in order by sort; few warps then have jars of two sorts. n is a multiple of BATCH.
constexpr int BATCH = 1024, EACH = BATCH / JARS;
extern "C" __global__ void __launch_bounds__(JARS) pickle_sourness_f(
    const unsigned char *__restrict__ sort, const float *__restrict__ salt, const float *__restrict__ warm,
    float *__restrict__ sour, int days, int n)
{
    __shared__ float salts[BATCH], warms[BATCH];  // salts[i] becomes the result of jar i
    __shared__ unsigned short order[BATCH];       // a jar of the batch and its sort
    __shared__ int count[SORTS], start[SORTS];
    const int tid = threadIdx.x, lane = tid % 32, first = blockIdx.x * BATCH;
    if (first + BATCH > n) return;
    if (tid < SORTS) count[tid] = 0;
    __syncthreads();
    int kind[EACH], rank[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int i = j * JARS + tid;
        kind[j] = min(static_cast<int>(sort[first + i]), SORTS - 1);
        salts[i] = salt[first + i];
        warms[i] = warm[first + i];
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        // The lanes with the same sort; the first of them takes places for all.
        unsigned peers = ~0u;
#pragma unroll
        for (int bit = 0; bit < 3; bit++) {
            const bool set = kind[j] >> bit & 1;
            const unsigned with = __ballot_sync(~0u, set);
            peers &= set ? with : ~with;
        }
        const int lead = __ffs(peers) - 1;
        int from = 0;
        if (lane == lead) from = atomicAdd(&count[kind[j]], __popc(peers));
        rank[j] = __shfl_sync(~0u, from, lead) + __popc(peers & ((1u << lane) - 1));
    }
    __syncthreads();
    if (tid < SORTS) {
        int before = 0;
        for (int k = 0; k < tid; k++) before += count[k];
        start[tid] = before;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++) order[start[kind[j]] + rank[j]] = (j * JARS + tid) | kind[j] << 10;
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < EACH; j++) {
        const int o = order[j * JARS + tid], i = o % BATCH;
        salts[i] = sourness(o / BATCH, salts[i], warms[i], days);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++) sour[first + j * JARS + tid] = salts[j * JARS + tid];
}

// Base ten has divisors that the compiler knows; half of the rods at a time, in 32 bits. Other bases go the old way.
constexpr unsigned HALF = 1000000000u;  // ten to the power of RODS / 2
extern "C" __global__ void __launch_bounds__(256) abacus_beads_f(
    const unsigned long long *__restrict__ amount, int *__restrict__ beads, unsigned base, int n)
{
    if (base != 10) {
        set_beads(amount, beads, base, n, [=](unsigned long long left) { return left / base; });
        return;
    }
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long whole = amount[i], upper = whole / HALF;
    const unsigned halves[2] = {static_cast<unsigned>(whole % HALF), static_cast<unsigned>(upper % HALF)};
    int all = 0, most = 0, busiest = 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        unsigned left = halves[h];
#pragma unroll
        for (int rod = 0; rod < RODS / 2; rod++) {
            const unsigned rest = left / 10u;
            const int digit = left - rest * 10u;
            const int moved = digit >= 5 ? digit - 4 : digit;
            all += moved;
            if (moved > most) {
                most = moved;
                busiest = h * (RODS / 2) + rod;
            }
            left = rest;
        }
    }
    beads[i] = all | busiest << 8;
}

// More blocks share the samples, whole slices each: as many shares as the grid has in z.
extern "C" __global__ void __launch_bounds__(PATCH *PATCH) whistle_modes_f(
    const float *__restrict__ sound, float *__restrict__ product, int samples)
{
    __shared__ float a[SLICE][PATCH], b[SLICE][PATCH];
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * PATCH + tx;
    const int slices = samples / SLICE, z = blockIdx.z, shares = gridDim.z;
    const int first = slices * z / shares * SLICE, end = slices * (z + 1) / shares * SLICE;
    float sum = 0.0f;
    for (int s = first; s < end; s += SLICE) {
#pragma unroll
        for (int j = 0; j < SLICE / PATCH; j++) {
            const float *row = sound + (s + j * PATCH + tid / PATCH) * MICS + tid % PATCH;
            a[j * PATCH + tid / PATCH][tid % PATCH] = row[blockIdx.y * PATCH];
            b[j * PATCH + tid / PATCH][tid % PATCH] = row[blockIdx.x * PATCH];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SLICE; k++) sum = fmaf(a[k][ty], b[k][tx], sum);
        __syncthreads();
    }
    atomicAdd(&product[(blockIdx.y * PATCH + ty) * MICS + blockIdx.x * PATCH + tx], sum);
}

// Each block counts in shared memory.
extern "C" __global__ void __launch_bounds__(256) dart_fields_f(
    const float2 *__restrict__ dart, int *__restrict__ hits, int n)
{
    __shared__ int mine[FIELDS];
    for (int k = threadIdx.x; k < FIELDS; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&mine[dart_field(dart[i])], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < FIELDS; k += blockDim.x) {
        if (mine[k] != 0) atomicAdd(&hits[k], mine[k]);
    }
}

// Rows padded by a column.
extern "C" __global__ void __launch_bounds__(CRANE_WARPS * 32) crane_trusses_f(
    const float *__restrict__ stiff, const float *__restrict__ load, float *__restrict__ moved)
{
    solve_truss<JOINTS + 1>(stiff, load, moved);
}

// Rows are swapped by selection, so that all indices are constant.
extern "C" __global__ void __launch_bounds__(128) gear_torques_f(
    const float *__restrict__ slip, const float *__restrict__ pedal, float *__restrict__ most,
    float *__restrict__ power, int n)
{
    turn_gears<Choose>(slip, pedal, most, power, n);
}

// One approximate root in place of a power.
__device__ __forceinline__ float fast_root(float x)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}
extern "C" __global__ void __launch_bounds__(256) pebble_loads_f(
    const float *__restrict__ shear, const float *__restrict__ mean, float *__restrict__ load, int n)
{
    carry(
        shear, mean, load, n, [](float x) { return fast_root(x); }, [](float x) { return x * fast_root(x); });
}

// A drum a warp, without barriers: a lane has a patch of 2 by 4 points, and lanes are 8 by 4. Eight drums a block.
__device__ __forceinline__ float sum_lanes(float v)
{
#pragma unroll
    for (int away = 16; away > 0; away /= 2) v += __shfl_xor_sync(~0u, v, away);
    return v;
}
extern "C" __global__ void __launch_bounds__(256) drum_skins_f(
    const float *__restrict__ push, const float *__restrict__ tension, float *__restrict__ depth, int rounds)
{
    const int lane = threadIdx.x % 32, drum = blockIdx.x * 8 + threadIdx.x / 32;
    const int across = lane % 4, down = lane / 4, at = drum * SKIN * SKIN + down * 2 * SKIN + across * 4;
    const bool top = down == 0, bottom = down == 7, left = across == 0, right = across == 3;
    const float middle = 4.0f + tension[drum];
    float x[2][4], r[2][4], p[2][4], rr = 0.0f;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float4 f = *reinterpret_cast<const float4 *>(push + at + i * SKIN);
        r[i][0] = f.x, r[i][1] = f.y, r[i][2] = f.z, r[i][3] = f.w;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            x[i][j] = 0.0f;
            p[i][j] = r[i][j];
            rr = fmaf(r[i][j], r[i][j], rr);
        }
    }
    rr = sum_lanes(rr);
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        // The patch with the points around it.
        float wide[4][6];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float above = __shfl_up_sync(~0u, p[1][j], 4), below = __shfl_down_sync(~0u, p[0][j], 4);
            wide[0][j + 1] = top ? 0.0f : above;
            wide[3][j + 1] = bottom ? 0.0f : below;
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float before = __shfl_up_sync(~0u, p[i][3], 1), after = __shfl_down_sync(~0u, p[i][0], 1);
            wide[i + 1][0] = left ? 0.0f : before;
            wide[i + 1][5] = right ? 0.0f : after;
#pragma unroll
            for (int j = 0; j < 4; j++) wide[i + 1][j + 1] = p[i][j];
        }
        float ap[2][4], sum = 0.0f, next = 0.0f;
#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const float beside = wide[i][j + 1] + wide[i + 2][j + 1] + wide[i + 1][j] + wide[i + 1][j + 2];
                ap[i][j] = fmaf(middle, p[i][j], -beside);
                sum = fmaf(p[i][j], ap[i][j], sum);
            }
        }
        const float step = rr / sum_lanes(sum);
#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                x[i][j] = fmaf(step, p[i][j], x[i][j]);
                r[i][j] = fmaf(-step, ap[i][j], r[i][j]);
                next = fmaf(r[i][j], r[i][j], next);
            }
        }
        next = sum_lanes(next);
        const float keep = next / rr;
#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int j = 0; j < 4; j++) p[i][j] = fmaf(keep, p[i][j], r[i][j]);
        }
        rr = next;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        *reinterpret_cast<float4 *>(depth + at + i * SKIN) = make_float4(x[i][0], x[i][1], x[i][2], x[i][3]);
    }
}

// In single precision.
extern "C" __global__ void __launch_bounds__(256) parachute_falls_f(
    const float *__restrict__ drag, const float *__restrict__ start, float *__restrict__ speed,
    float *__restrict__ height, float dt, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float k = drag[i];
    float v = 0.0f, h = start[i];
    for (int step = 0; step < steps; step++) {
        const float density = 1.225f * expf(-1.18e-4f * h);
        v += dt * (9.81f - 0.5f * density * k * v * v);
        h -= dt * v;
    }
    speed[i] = v;
    height[i] = h;
}

// No cap on registers but that of the block.
extern "C" __global__ void __launch_bounds__(256) piano_strings_f(
    const float *__restrict__ blow, const float *__restrict__ tune, float *__restrict__ loud, int steps, int n)
{
    ring_string(blow, tune, loud, steps, n);
}

// The two numbers that are used are arrays of their own.
extern "C" __global__ void __launch_bounds__(256) bale_values_f(
    const float *__restrict__ mass, const float *__restrict__ moisture, float *__restrict__ value, float price, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        value[i] = bale_value(mass[i], moisture[i], price);
    }
}

// A part of a net a block: its net, its first mesh and its end.
extern "C" __global__ void __launch_bounds__(256) net_strains_f(
    const float *__restrict__ length, const float *__restrict__ rest, const int *__restrict__ part,
    unsigned *__restrict__ worst, int *__restrict__ torn, float limit)
{
    const int *own = part + 3 * blockIdx.x;
    strain(length, rest, worst, torn, limit, own[0], own[1], own[2]);
}

// Bows were tied to all of the tails in turn, so that the addresses are known: eight loads at once. After the end of a
// tail its weight is 0.
extern "C" __global__ void __launch_bounds__(128) kite_tails_f(
    const int2 *__restrict__ bow, const int *__restrict__ head, float *__restrict__ pull, float fade, int bows,
    int tails)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tails) return;
    const int first = head[i];
    float sum = 0.0f, weight = first >= 0 ? 1.0f : 0.0f;
    const int2 *own = bow + max(first, 0);
#pragma unroll 8
    for (int k = 0; k < bows; k++) {
        const int2 b = own[static_cast<size_t>(k) * tails];
        sum = fmaf(weight, __int_as_float(b.y), sum);
        weight = b.x >= 0 ? weight * fade : 0.0f;
    }
    pull[i] = sum;
}
}
