// Cures of kernels of ../sixteenth/wardrobes.cu by authors who followed the advice: NAME_f for NAME.
#include "../sixteenth/wardrobes.cu"

namespace followed {
// The means of up to 64 rows first, each row by one warp (8 bytes a lane, then shuffles); then all threads go along the
// rows without a barrier. The block must have WARP_THREADS threads.
constexpr int MEANS = 64;
extern "C" __global__ void __launch_bounds__(WARP_THREADS) loom_faults_f(
    const unsigned char *__restrict__ cloth, const float *__restrict__ gain, float *__restrict__ worst, int rows)
{
    constexpr int WARPS = WARP_THREADS / 32;
    static_assert(WARP_THREADS == 32 * 8, "a lane reads 8 bytes of a row");
    __shared__ float level[MEANS];
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    const unsigned char *strip = cloth + static_cast<size_t>(blockIdx.x) * rows * WARP_THREADS;
    const uint2 *strip8 = reinterpret_cast<const uint2 *>(strip);
    float weight[8];
#pragma unroll
    for (int j = 0; j < 8; j++) weight[j] = gain[8 * lane + j];
    const float scale = gain[tid];
    float smooth = 0.0f, most = 0.0f;
    for (int first = 0; first < rows; first += MEANS) {
        const int count = min(MEANS, rows - first);
        if (first > 0) __syncthreads();
#pragma unroll 4
        for (int r = warp; r < count; r += WARPS) {
            const uint2 b = strip8[(first + r) * 32 + lane];
            float sum = 0.0f;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                sum = fmaf(weight[j], static_cast<float>(b.x >> 8 * j & 255), sum);
                sum = fmaf(weight[4 + j], static_cast<float>(b.y >> 8 * j & 255), sum);
            }
#pragma unroll
            for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
            if (lane == 0) level[r] = sum * (1.0f / WARP_THREADS);
        }
        __syncthreads();
#pragma unroll 8
        for (int r = 0; r < count; r++) {
            const float x = scale * strip[(first + r) * WARP_THREADS + tid];
            smooth = 0.8f * smooth + (x - level[r]);
            most = fmaxf(most, fabsf(smooth));
        }
    }
    worst[blockIdx.x * WARP_THREADS + tid] = most;
}
// A sum for each lane and kind.
extern "C" __global__ void __launch_bounds__(256) honey_pollen_f(
    const uint4 *__restrict__ grain, unsigned long long *__restrict__ volume, int n)
{
    __shared__ unsigned sum[POLLENS][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int k = warp; k < POLLENS; k += warps) sum[k][lane] = 0;
    __syncthreads();
    each_grain(grain, n, [lane](unsigned kind, unsigned size) { atomicAdd(&sum[kind][lane], size); });
    __syncthreads();
    for (int k = warp; k < POLLENS; k += warps) {
        const unsigned all = __reduce_add_sync(~0u, sum[k][lane]);
        if (lane == 0) atomicAdd(&volume[k], static_cast<unsigned long long>(all));
    }
}
// Place and strength of each ring are computed once in the block, of up to RINGS rings at a time.
extern "C" __global__ void __launch_bounds__(256) tunnel_settlement_f(
    const float4 *__restrict__ ring, const float *__restrict__ place, float *__restrict__ settled, int rings, int n)
{
    __shared__ float2 trench[RINGS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float at = i < n ? place[i] : 0.0f;
    float sum = 0.0f;
    for (int first = 0; first < rings; first += RINGS) {
        const int count = min(RINGS, rings - first);
        if (first > 0) __syncthreads();
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            const float4 r = ring[first + k];
            trench[k] = make_float2(r.x, r.w * grown(r.z, r.y));
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < count; k++) {
            const float2 r = trench[k];
            sum += r.y * trough(at - r.x);
        }
    }
    if (i < n) settled[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256) meteor_streaks_f(
    const float *__restrict__ sky, float *__restrict__ mass, float limit, int steps, int n)
{
    constexpr int EACH = LOOK / 256;
    __shared__ unsigned short bright[LOOK];
    __shared__ int found;
    const int tid = threadIdx.x, lane = tid % 32, start = blockIdx.x * LOOK;
    if (tid == 0) found = 0;
    __syncthreads();
    float light[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int i = start + j * 256 + tid;
        light[j] = i < n ? sky[i] : 0.0f;
    }
    // One place in the list for each bright pixel of the warp.
    int of_warp = 0, at[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int i = start + j * 256 + tid;
        const bool is = i < n && light[j] > limit;
        const unsigned who = __ballot_sync(~0u, is);
        at[j] = is ? of_warp + __popc(who & (1u << lane) - 1) : -1;
        of_warp += __popc(who);
        if (i < n && !is) mass[i] = 0.0f;
    }
    int base = 0;
    if (lane == 0) base = atomicAdd(&found, of_warp);
    base = __shfl_sync(~0u, base, 0);
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (at[j] >= 0) bright[base + at[j]] = static_cast<unsigned short>(j * 256 + tid);
    __syncthreads();
    const int count = found;
    for (int k = tid; k < count; k += 256) {
        const int i = start + bright[k];
        mass[i] = ablated(sky[i], steps);
    }
}
// The window is known, so that what leaves it stays in registers, as it was read; groups is even.
// The window is LONGEST readings, four groups, which stay packed in registers; groups is a multiple of four.
extern "C" __global__ void __launch_bounds__(256) best_efforts_f(
    const uint4 *__restrict__ power, int *__restrict__ best, int groups, int riders)
{
    constexpr int HELD = LONGEST / 16;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= riders) return;
    uint4 held[HELD];
#pragma unroll
    for (int h = 0; h < HELD; h++) held[h] = make_uint4(0, 0, 0, 0);
    int sum = 0, most = 0;
    for (int g = 0; g < groups; g += HELD) {
#pragma unroll
        for (int h = 0; h < HELD; h++) {
            const uint4 r = power[(g + h) * riders + i];
#pragma unroll
            for (int j = 0; j < 16; j++) {
                sum += reading(r, j) - reading(held[h], j);
                most = max(most, sum);
            }
            held[h] = r;
        }
    }
    best[i] = most;
}
// All speeds by one thread.
extern "C" __global__ void __launch_bounds__(256) bird_speeds_f(
    const float *__restrict__ echo, float *__restrict__ power, int cells)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float re[SPEEDS] = {}, im[SPEEDS] = {};
#pragma unroll
    for (int p = 0; p < PULSES; p++) {
        const float e = echo[p * cells + i];
#pragma unroll
        for (int s = 0; s < SPEEDS; s++) {
            re[s] = fmaf(e, bird_turn[s][p].x, re[s]);
            im[s] = fmaf(e, bird_turn[s][p].y, im[s]);
        }
    }
#pragma unroll
    for (int s = 0; s < SPEEDS; s++) power[s * cells + i] = re[s] * re[s] + im[s] * im[s];
}
// Two halves of seven digits, each of 32 bits.
template <int FIRST> __device__ __forceinline__ unsigned seven_digits(unsigned left)
{
    unsigned sum = 0;
#pragma unroll
    for (int k = FIRST; k < FIRST + 7; k++) {
        sum += (2 + k % 8) * (left % 10);
        left /= 10;
    }
    return sum;
}
extern "C" __global__ void __launch_bounds__(256) tax_check_digits_f(
    const unsigned long long *__restrict__ number, unsigned char *__restrict__ check, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long all = number[i];
    const unsigned upper = static_cast<unsigned>(all / 10000000);  // the only division of 64 bits
    const unsigned lower = static_cast<unsigned>(all) - upper * 10000000u;
    check[i] = static_cast<unsigned char>((seven_digits<0>(lower) + seven_digits<7>(upper)) % 11);
}
// chart: what size_chart holds, in global memory; each block copies it into shared memory.
extern "C" __global__ void __launch_bounds__(256) clothes_spare_f(
    const int *__restrict__ body, const float *__restrict__ girth, float *__restrict__ spare,
    const float *__restrict__ chart, int n)
{
    __shared__ float copy[GARMENTS][BODIES];
    for (int k = threadIdx.x; k < GARMENTS * BODIES; k += blockDim.x) copy[k / BODIES][k % BODIES] = chart[k];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int type = body[i];
        const float mine = girth[i];
        float sum = 0.0f;
#pragma unroll
        for (int g = 0; g < GARMENTS; g++) sum += fabsf(copy[g][type] - mine);
        spare[i] = sum;
    }
}
// Sine and cosine of the angle from the vectors themselves.
// Fast forms: quotient by __fdividef and a short polynomial (to 2e-6), instead of atan2f; not for 0, 0.
__device__ __forceinline__ float fast_atan2(float y, float x)
{
    const float ax = fabsf(x), ay = fabsf(y);
    const float t = __fdividef(fminf(ax, ay), fmaxf(ax, ay)), s = t * t;
    float a = fmaf(s, -0.0117191207f, 0.052647315f);
    a = fmaf(s, a, -0.116426446f);
    a = fmaf(s, a, 0.193540365f);
    a = fmaf(s, a, -0.332622826f);
    a = t * fmaf(s, a, 0.999977231f);
    if (ay > ax) a = 1.57079633f - a;
    if (x < 0.0f) a = 3.14159265f - a;
    return copysignf(a, y);
}
extern "C" __global__ void __launch_bounds__(256) sail_speeds_f(
    const float2 *__restrict__ wind, const float *__restrict__ trim, float *__restrict__ speed, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 w = wind[i];
    const float sheet = trim[i];
    float run = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float along = w.x - run, across = w.y;
        const float angle = fast_atan2(across, along) - sheet;
        const float lift = __sinf(angle), drag = __cosf(angle);
        run += 0.01f * ((along * along + across * across) * lift * (0.6f + 0.1f * drag) - run * run);
    }
    speed[i] = run;
}
}  // namespace followed
