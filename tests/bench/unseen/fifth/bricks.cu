// Bricks of volumes by bulk copies, chords in clusters; compute capability 9.0.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;
typedef unsigned int u32;

__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void gate_open(uint64_t *gate) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(gate)) : "memory"); }
__device__ void gate_expect(uint64_t *gate, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(gate)), "r"(bytes) : "memory");
}
__device__ void gate_wait(uint64_t *gate, u32 phase)
{
    u32 done = 0;
    while (!done)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(gate)), "r"(phase)
                     : "memory");
}
__device__ void bring(void *to, const void *from, u32 bytes, uint64_t *gate)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(gate))
                 : "memory");
}

// Least and greatest of the 4096 bytes of each brick; a volume has planes of 512 rows of 512 bytes, a brick 16 planes of 8
// rows of 32. BRICKED: the bricks lie one after another.
template <bool BRICKED> __device__ void ranges(const unsigned char *volume, u32 *range, int bricks)
{
    __shared__ alignas(128) uint4 brick[2][256];
    __shared__ uint64_t full[2];
    __shared__ u32 lows[4], highs[4];
    if (threadIdx.x == 0) {
        gate_open(&full[0]);
        gate_open(&full[1]);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    auto fetch = [&](int b, int into) { // by the first warp
        if (threadIdx.x == 0) gate_expect(&full[into], 4096);
        __syncwarp();
        if (BRICKED) {
            if (threadIdx.x == 0) bring(brick[into], volume + (size_t)b * 4096, 4096, &full[into]);
        } else {
            const unsigned char *corner = volume + (size_t)(b >> 10) * 16 * 512 * 512 + (b >> 4 & 63) * 8 * 512 + (b & 15) * 32;
            for (int row = threadIdx.x; row < 128; row += 32)
                bring(&brick[into][row * 2], corner + (row >> 3) * 512 * 512 + (row & 7) * 512, 32, &full[into]);
        }
    };
    if (threadIdx.x < 32 && blockIdx.x < bricks) fetch(blockIdx.x, 0);
    int step = 0;
    for (int b = blockIdx.x; b < bricks; b += gridDim.x, step++) {
        const int now = step & 1;
        if (threadIdx.x < 32 && b + gridDim.x < bricks) fetch(b + gridDim.x, 1 - now);
        gate_wait(&full[now], step >> 1 & 1);
        u32 low = ~0u, high = 0;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const uint4 v = brick[now][k * 128 + threadIdx.x];
            low = __vminu4(__vminu4(low, v.x), __vminu4(__vminu4(v.y, v.z), v.w));
            high = __vmaxu4(__vmaxu4(high, v.x), __vmaxu4(__vmaxu4(v.y, v.z), v.w));
        }
        low = min(min(low & 255, low >> 8 & 255), min(low >> 16 & 255, low >> 24));
        high = max(max(high & 255, high >> 8 & 255), max(high >> 16 & 255, high >> 24));
        low = __reduce_min_sync(~0u, low);
        high = __reduce_max_sync(~0u, high);
        if ((threadIdx.x & 31) == 0) {
            lows[threadIdx.x / 32] = low;
            highs[threadIdx.x / 32] = high;
        }
        __syncthreads();
        if (threadIdx.x == 0)
            range[b] = min(min(lows[0], lows[1]), min(lows[2], lows[3])) | max(max(highs[0], highs[1]), max(highs[2], highs[3])) << 8;
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(128) brick_ranges(const unsigned char *volume, u32 *range, int bricks)
{
    ranges<false>(volume, range, bricks);
}
extern "C" __global__ void __launch_bounds__(128) brick_ranges_b(const unsigned char *volume, u32 *range, int bricks)
{
    ranges<true>(volume, range, bricks);
}

// The square of the distance of the nearest of 2048 chords of 8 notes from each moment; notes are [8][moments].
struct Moment {
    float note[8], best;
    __device__ Moment(const float *notes, int moments, int m) : best(1e30f)
    {
#pragma unroll
        for (int k = 0; k < 8; k++) note[k] = notes[(size_t)k * moments + m];
    }
    __device__ void compare(const float4 *chord, int count)
    {
#pragma unroll 4
        for (int c = 0; c < count; c++) {
            const float4 a = chord[2 * c], b = chord[2 * c + 1];
            const float d[8] = {note[0] - a.x, note[1] - a.y, note[2] - a.z, note[3] - a.w, note[4] - b.x, note[5] - b.y, note[6] - b.z, note[7] - b.w};
            float even = d[0] * d[0], odd = d[1] * d[1];
#pragma unroll
            for (int k = 2; k < 8; k += 2) {
                even = fmaf(d[k], d[k], even);
                odd = fmaf(d[k + 1], d[k + 1], odd);
            }
            best = fminf(best, even + odd);
        }
    }
};
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256)
    nearest_chords(const float *notes, const float4 *chord, float *nearest, int moments)
{
    __shared__ float4 mine[1024];
    cg::cluster_group cluster = cg::this_cluster();
    for (int k = threadIdx.x; k < 1024; k += 256) mine[k] = chord[cluster.block_rank() * 1024 + k];
    cluster.sync();
    const int m = blockIdx.x * 256 + threadIdx.x;
    Moment moment(notes, moments, m);
    for (int r = 0; r < 4; r++) moment.compare(cluster.map_shared_rank(mine, r), 512);
    nearest[m] = moment.best;
    cluster.sync();
}
extern "C" __global__ void __launch_bounds__(256) nearest_chords_b(const float *notes, const float4 *chord, float *nearest, int moments)
{
    extern __shared__ float4 whole[];
    for (int k = threadIdx.x; k < 4096; k += 256) whole[k] = chord[k];
    __syncthreads();
    const int m = blockIdx.x * 256 + threadIdx.x;
    Moment moment(notes, moments, m);
    moment.compare(whole, 2048);
    nearest[m] = moment.best;
}
