// Bulk copies and clusters of compute capability 9.0.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;
typedef unsigned int u32;

__device__ u32 in_shared(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void bar_init(uint64_t *bar) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(in_shared(bar)) : "memory"); }
__device__ void bar_expect(uint64_t *bar, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(bar)), "r"(bytes) : "memory");
}
__device__ void bar_wait(uint64_t *bar, u32 phase)
{
    u32 done = 0;
    while (!done)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(in_shared(bar)), "r"(phase)
                     : "memory");
}
__device__ void bulk_copy(void *to, const void *from, u32 bytes, uint64_t *bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(in_shared(to)), "l"(from),
                 "r"(bytes), "r"(in_shared(bar))
                 : "memory");
}

// Energy of the records of a detector, 16 samples each; tiles of 256 records (16 KB) in two buffers; PIECE bytes a copy.
template <int PIECE> __device__ void record_energy(const float4 *record, float *energy, int tiles)
{
    __shared__ alignas(128) float4 tile[2][1024];
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0) {
        bar_init(&full[0]);
        bar_init(&full[1]);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    auto fetch = [&](int t, int into) {
        bar_expect(&full[into], 16384);
        for (int at = 0; at < 16384; at += PIECE)
            bulk_copy((char *)tile[into] + at, (const char *)(record + (long long)t * 1024) + at, PIECE, &full[into]);
    };
    if (threadIdx.x == 0 && blockIdx.x < tiles) fetch(blockIdx.x, 0);
    int step = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, step++) {
        const int now = step & 1;
        if (threadIdx.x == 0 && t + gridDim.x < tiles) fetch(t + gridDim.x, 1 - now);
        bar_wait(&full[now], step >> 1 & 1);
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float4 v = tile[now][threadIdx.x * 4 + (k + (threadIdx.x >> 1)) % 4];
            sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
        energy[t * 256 + threadIdx.x] = sum;
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(256) shower_energy(const float4 *record, float *energy, int tiles) { record_energy<64>(record, energy, tiles); }
extern "C" __global__ void __launch_bounds__(256) shower_energy_b(const float4 *record, float *energy, int tiles) { record_energy<16384>(record, energy, tiles); }

// Column sums of a matrix; a tile has 4096 elements, WIDE columns and 4096 / WIDE rows, a copy a row of the tile.
template <int WIDE> __device__ void columns(const float *matrix, float *sum, int width, int height)
{
    constexpr int TALL = 4096 / WIDE;
    __shared__ alignas(128) float tile[2][4096];
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0) {
        bar_init(&full[0]);
        bar_init(&full[1]);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    const int x0 = blockIdx.x * WIDE, strip = height / gridDim.y, y0 = blockIdx.y * strip, tiles = strip / TALL;
    auto fetch = [&](int t, int into) {
        bar_expect(&full[into], 16384);
        for (int r = 0; r < TALL; r++)
            bulk_copy(&tile[into][r * WIDE], matrix + (long long)(y0 + t * TALL + r) * width + x0, WIDE * 4, &full[into]);
    };
    float mine[(WIDE + 255) / 256] = {};
    if (threadIdx.x == 0) fetch(0, 0);
    for (int t = 0; t < tiles; t++) {
        const int now = t & 1;
        if (threadIdx.x == 0 && t + 1 < tiles) fetch(t + 1, 1 - now);
        bar_wait(&full[now], t >> 1 & 1);
        if (WIDE >= 256) {
#pragma unroll
            for (int k = 0; k < (WIDE + 255) / 256; k++)
                for (int r = 0; r < TALL; r++) mine[k] += tile[now][r * WIDE + k * 256 + threadIdx.x];
        } else {
            for (int e = threadIdx.x; e < 4096; e += 256) mine[0] += tile[now][e];
        }
        __syncthreads();
    }
    if (WIDE >= 256)
        for (int k = 0; k < (WIDE + 255) / 256; k++) atomicAdd(&sum[x0 + k * 256 + threadIdx.x], mine[k]);
    else
        atomicAdd(&sum[x0 + threadIdx.x % WIDE], mine[0]);
}
extern "C" __global__ void __launch_bounds__(256) bias_gradient(const float *matrix, float *sum, int width, int height) { columns<32>(matrix, sum, width, height); }
extern "C" __global__ void __launch_bounds__(256) bias_gradient_b(const float *matrix, float *sum, int width, int height) { columns<1024>(matrix, sum, width, height); }

// How often each of 8192 words occurs; a cluster of 8 blocks shares the counts, a block holds 1024 of them.
extern "C" __global__ void __cluster_dims__(8, 1, 1) word_counts(const unsigned short *word, u32 *count, int n)
{
    __shared__ u32 mine[1024];
    cg::cluster_group cluster = cg::this_cluster();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) mine[k] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int w = word[i];
        atomicAdd(cluster.map_shared_rank(mine, w >> 10) + (w & 1023), 1u);
    }
    cluster.sync();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) atomicAdd(&count[cluster.block_rank() * 1024 + k], mine[k]);
}
extern "C" __global__ void __cluster_dims__(8, 1, 1) word_counts_b(const unsigned short *word, u32 *count, int n)
{
    __shared__ u32 mine[8192];
    cg::cluster_group cluster = cg::this_cluster();
    for (int k = threadIdx.x; k < 8192; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[word[i]], 1u);
    cluster.sync();
    const int first = cluster.block_rank() * 1024;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        u32 sum = 0;
        for (int r = 0; r < 8; r++) sum += cluster.map_shared_rank(mine, r)[first + k];
        atomicAdd(&count[first + k], sum);
    }
    cluster.sync();
}

// A layer of 4096 inputs for rows of activations: the first block of each cluster of 4 holds the weights' vector.
template <bool OWN> __device__ void scores(const float *activation, const float *weight, float *score, int rows)
{
    __shared__ float vector[4096];
    cg::cluster_group cluster = cg::this_cluster();
    if (cluster.block_rank() == 0)
        for (int k = threadIdx.x; k < 4096; k += blockDim.x) vector[k] = weight[k];
    cluster.sync();
    const float *from = cluster.map_shared_rank(vector, 0);
    if (OWN) {
        if (cluster.block_rank() != 0)
            for (int k = threadIdx.x; k < 4096; k += blockDim.x) vector[k] = from[k];
        __syncthreads();
    }
    const int lane = threadIdx.x & 31, warps = gridDim.x * blockDim.x / 32;
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < rows; r += warps) {
        float sum = 0;
#pragma unroll 8
        for (int k = lane; k < 4096; k += 32) sum += activation[(long long)r * 4096 + k] * (OWN ? vector[k] : from[k]);
        for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
        if (lane == 0) score[r] = sum;
    }
    cluster.sync();
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) score_rows(const float *activation, const float *weight, float *score, int rows)
{
    scores<false>(activation, weight, score, rows);
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) score_rows_b(const float *activation, const float *weight, float *score, int rows)
{
    scores<true>(activation, weight, score, rows);
}
