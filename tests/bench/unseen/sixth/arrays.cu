// Frames by bulk copies, antenna patterns on tensor cores, draws from a table in a cluster; compute capability 9.0.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// 16-bit samples to scaled floats; frames of 16 samples, 128 frames a tile, from shared memory by bulk copies of `piece` bytes.
template <int PIECE> __device__ void pack(const short4 *sample, float *frame, float scale, int tiles)
{
    __shared__ alignas(128) float4 tile[2][512];
    int turn = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, turn ^= 1) {
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory"); // what was in this half has been read
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const short4 s = sample[(size_t)t * 512 + k * 128 + threadIdx.x];
            tile[turn][k * 128 + threadIdx.x] = make_float4(s.x * scale, s.y * scale, s.z * scale, s.w * scale);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x < 8192 / PIECE)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"((char *)frame + (size_t)t * 8192 + threadIdx.x * PIECE),
                         "r"(shared_address(tile[turn]) + threadIdx.x * PIECE), "r"(PIECE)
                         : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
extern "C" __global__ void __launch_bounds__(128) pack_frames(const short4 *sample, float *frame, float scale, int tiles)
{
    pack<64>(sample, frame, scale, tiles);
}
extern "C" __global__ void __launch_bounds__(128) pack_frames_b(const short4 *sample, float *frame, float scale, int tiles)
{
    pack<8192>(sample, frame, scale, tiles);
}

// Patterns of antennas: weights [M][K] times responses [K][N], a tile of 128 by 128 a block. Warp 8 brings slices of 64
// into four stages of shared memory, three ahead of the eight warps that multiply.
constexpr int STAGES = 4, LEFT = 128 * 72, RIGHT = 64 * 136;
template <bool ASYNC> __device__ void bring_slice(const __half *a, const __half *b, __half *left, __half *right, int n, int depth)
{
    const int lane = threadIdx.x & 31;
#pragma unroll 1
    for (int from = 0; from < 64; from += 8) {
        uint4 v[8];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const int c = (from + k) * 32 + lane;
            const bool first = from + k < 32;
            const __half *source = first ? a + (size_t)(c >> 3) * depth + (c & 7) * 8 : b + (size_t)(c - 1024 >> 4) * n + (c & 15) * 8;
            __half *target = first ? left + (c >> 3) * 72 + (c & 7) * 8 : right + (c - 1024 >> 4) * 136 + (c & 15) * 8;
            if (ASYNC)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(target)), "l"(source) : "memory");
            else
                v[k] = *(const uint4 *)source;
        }
        if (!ASYNC)
#pragma unroll
            for (int k = 0; k < 8; k++) {
                const int c = (from + k) * 32 + lane;
                __half *target = from + k < 32 ? left + (c >> 3) * 72 + (c & 7) * 8 : right + (c - 1024 >> 4) * 136 + (c & 15) * 8;
                *(uint4 *)target = v[k];
            }
    }
}
extern __shared__ __half room[]; // STAGES of LEFT and RIGHT
template <bool ASYNC> __device__ void patterns(const __half *a, const __half *b, float *c, int n, int depth)
{
    const int warp = threadIdx.x / 32, slices = depth / 64;
    const __half *rows = a + (size_t)blockIdx.y * 128 * depth, *columns = b + blockIdx.x * 128;
    auto fetch = [&](int s) {
        if (s < slices) {
            __half *left = room + (s % STAGES) * (LEFT + RIGHT);
            bring_slice<ASYNC>(rows + s * 64, columns + (size_t)s * 64 * n, left, left + LEFT, n, depth);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][2];
#pragma unroll
    for (int i = 0; i < 8; i++) wmma::fill_fragment(sum[i / 2][i % 2], 0.0f);
    if (warp == 8)
        for (int s = 0; s < STAGES - 1; s++) fetch(s);
    const int down = (warp & 1) * 64, across = (warp / 2 & 3) * 32;
#pragma unroll 1
    for (int s = 0; s < slices; s++) {
        if (warp == 8) asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads(); // slice s is there, and slice s - 1 is used up
        if (warp == 8) {
            fetch(s + STAGES - 1);
            continue;
        }
        const __half *left = room + (s % STAGES) * (LEFT + RIGHT), *right = left + LEFT;
#pragma unroll
        for (int k = 0; k < 64; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
#pragma unroll
            for (int i = 0; i < 4; i++) wmma::load_matrix_sync(fa[i], left + (down + i * 16) * 72 + k, 72);
#pragma unroll
            for (int j = 0; j < 2; j++) wmma::load_matrix_sync(fb[j], right + k * 136 + across + j * 16, 136);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 2; j++) wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
        }
    }
    if (warp < 8)
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                wmma::store_matrix_sync(c + (size_t)(blockIdx.y * 128 + down + i * 16) * n + blockIdx.x * 128 + across + j * 16, sum[i][j], n,
                                        wmma::mem_row_major);
}
extern "C" __global__ void __launch_bounds__(288) antenna_patterns(const __half *a, const __half *b, float *c, int n, int depth)
{
    patterns<false>(a, b, c, n, depth);
}
extern "C" __global__ void __launch_bounds__(288) antenna_patterns_b(const __half *a, const __half *b, float *c, int n, int depth)
{
    patterns<true>(a, b, c, n, depth);
}

// Draws from a distribution over 16384 kinds by an alias table: (limit, other kind) of each.
__device__ unsigned scramble(unsigned h)
{
    h = h * 747796405u + 2891336453u;
    h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
    return h ^ h >> 22;
}
extern __shared__ uint2 slots[];
template <class Slot> __device__ void draw(unsigned *result, int draws, Slot slot)
{
    const unsigned me = blockIdx.x * 1024 + threadIdx.x;
    unsigned state = scramble(me + 1), sum = 0;
#pragma unroll 4
    for (int k = 0; k < draws; k++) {
        const unsigned h = scramble(state + k);
        const uint2 s = slot(h & 16383);
        sum = sum * 31 + (h >> 14 < s.x ? h & 16383 : s.y);
    }
    result[me] = sum;
}
extern "C" __global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(1024) draw_aliases(const uint2 *table, unsigned *result, int draws)
{
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    for (int k = threadIdx.x; k < 2048; k += 1024) slots[k] = table[rank * 2048 + k];
    cluster.sync();
    draw(result, draws, [&](unsigned k) { return *cluster.map_shared_rank(slots + (k & 2047), k >> 11); });
    cluster.sync();
}
extern "C" __global__ void __launch_bounds__(1024) draw_aliases_b(const uint2 *table, unsigned *result, int draws)
{
    for (int k = threadIdx.x; k < 16384; k += 1024) slots[k] = table[k];
    __syncthreads();
    draw(result, draws, [&](unsigned k) { return slots[k]; });
}
