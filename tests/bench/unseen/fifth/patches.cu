// Products of halves by wmma (scores of patches, frames) and moments of normal deviates.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> Left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> Right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sum;

// c = a b' for rows of `depth` halves in a and in b; a warp has 32 by 32 results.
extern "C" __global__ void __launch_bounds__(128) score_patches(const half *a, const half *b, float *c, int n, int depth)
{
    const int warp = threadIdx.x / 32, row = blockIdx.y * 64 + (warp >> 1) * 32, column = blockIdx.x * 64 + (warp & 1) * 32;
    Sum sum[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(sum[i][j], 0.0f);
#pragma unroll 1
    for (int k = 0; k < depth; k += 16) {
        Left left[2];
        Right right[2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(left[i], a + (size_t)(row + i * 16) * depth + k, depth);
            wmma::load_matrix_sync(right[i], b + (size_t)(column + i * 16) * depth + k, depth);
        }
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 2; j++) wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(c + (size_t)(row + i * 16) * n + column + j * 16, sum[i][j], n, wmma::mem_row_major);
}

// The same by blocks of 128 by 128; DOWN by ACROSS warps, slices of 32 in STAGES buffers.
template <int DOWN, int ACROSS, int STAGES> struct Tile {
    static constexpr int THREADS = 32 * DOWN * ACROSS, PITCH = 40, TALL = 8 / DOWN, WIDE = 8 / ACROSS, CHUNKS = 1024 / THREADS;
    const half *a, *b;
    half *buffer;
    int depth, row, column, down, across;
    Sum sum[TALL][WIDE];

    __device__ Tile(const half *a, const half *b, half *buffer, int depth)
        : a(a), b(b), buffer(buffer), depth(depth), row(blockIdx.y * 128), column(blockIdx.x * 128)
    {
        down = threadIdx.x / 32 / ACROSS * TALL * 16;
        across = threadIdx.x / 32 % ACROSS * WIDE * 16;
#pragma unroll
        for (int i = 0; i < TALL; i++)
#pragma unroll
            for (int j = 0; j < WIDE; j++) wmma::fill_fragment(sum[i][j], 0.0f);
    }
    // 16 bytes: chunk is 0 to 511 in a's rows, then in b's.
    __device__ const half *from(int chunk, int k) const
    {
        const int r = chunk >> 2 & 127, at = k + (chunk & 3) * 8;
        return chunk < 512 ? a + (size_t)(row + r) * depth + at : b + (size_t)(column + r) * depth + at;
    }
    __device__ half *to(int chunk, int stage) const { return buffer + (size_t)stage * 256 * PITCH + (chunk >> 2) * PITCH + (chunk & 3) * 8; }
    __device__ void copy(int slice)
    {
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            const int chunk = c * THREADS + threadIdx.x;
            const unsigned into = (unsigned)__cvta_generic_to_shared(to(chunk, slice % STAGES));
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(into), "l"(from(chunk, slice * 32)) : "memory");
        }
    }
    __device__ void multiply(int stage)
    {
        const half *left_at = buffer + (size_t)stage * 256 * PITCH + down * PITCH, *right_at = buffer + (size_t)stage * 256 * PITCH + (128 + across) * PITCH;
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            Left left[TALL];
            Right right[WIDE];
#pragma unroll
            for (int i = 0; i < TALL; i++) wmma::load_matrix_sync(left[i], left_at + i * 16 * PITCH + k, PITCH);
#pragma unroll
            for (int j = 0; j < WIDE; j++) wmma::load_matrix_sync(right[j], right_at + j * 16 * PITCH + k, PITCH);
#pragma unroll
            for (int i = 0; i < TALL; i++)
#pragma unroll
                for (int j = 0; j < WIDE; j++) wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);
        }
    }
    __device__ void run_ahead()
    {
        const int slices = depth / 32;
        for (int s = 0; s < STAGES - 1; s++) {
            copy(s);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
#pragma unroll 1
        for (int s = 0; s < slices; s++) {
            asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
            __syncthreads();
            if (s + STAGES - 1 < slices) copy(s + STAGES - 1);
            asm volatile("cp.async.commit_group;" ::: "memory");
            multiply(s % STAGES);
        }
    }
    __device__ void run_in_turn()
    {
#pragma unroll 1
        for (int k = 0; k < depth; k += 32) {
            uint4 next[CHUNKS];
#pragma unroll
            for (int c = 0; c < CHUNKS; c++) next[c] = *(const uint4 *)from(c * THREADS + threadIdx.x, k);
#pragma unroll
            for (int c = 0; c < CHUNKS; c++) *(uint4 *)to(c * THREADS + threadIdx.x, 0) = next[c];
            __syncthreads();
            multiply(0);
            __syncthreads();
        }
    }
    __device__ void store(float *c, int n)
    {
#pragma unroll
        for (int i = 0; i < TALL; i++)
#pragma unroll
            for (int j = 0; j < WIDE; j++)
                wmma::store_matrix_sync(c + (size_t)(row + down + i * 16) * n + column + across + j * 16, sum[i][j], n, wmma::mem_row_major);
    }
};
extern __shared__ uint4 shared_memory[];

extern "C" __global__ void __launch_bounds__(256) score_patches_b(const half *a, const half *b, float *c, int n, int depth)
{
    Tile<2, 4, 4> tile(a, b, (half *)shared_memory, depth);
    tile.run_ahead();
    tile.store(c, n);
}
extern "C" __global__ void __launch_bounds__(128) gram_frames(const half *a, const half *b, float *c, int n, int depth)
{
    Tile<2, 2, 1> tile(a, b, (half *)shared_memory, depth);
    tile.run_in_turn();
    tile.store(c, n);
}
extern "C" __global__ void __launch_bounds__(128) gram_frames_b(const half *a, const half *b, float *c, int n, int depth)
{
    Tile<2, 2, 4> tile(a, b, (half *)shared_memory, depth);
    tile.run_ahead();
    tile.store(c, n);
}

// Fourth moments of normal deviates: each thread makes 16 random words (xoshiro128++), then turns 16 words of another
// thread into normal deviates (Box and Muller). 1024 threads in GROUPS groups that are a phase apart; state is [4][n].
__device__ float log2_of(float v)
{
    float r;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    return r;
}
__device__ float root_below(float v) // 1 / sqrt(v)
{
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    return r;
}
__device__ unsigned turned(unsigned v, int by) { return __funnelshift_l(v, v, by); }
template <int GROUPS> __device__ void moments(const unsigned *state, float *moment, int rounds)
{
    constexpr int SIZE = 1024 / GROUPS;
    const int i = blockIdx.x * 1024 + threadIdx.x, n = gridDim.x * 1024, group = threadIdx.x / SIZE, mine = threadIdx.x % SIZE;
    unsigned *word = (unsigned *)shared_memory + group * 16 * SIZE; // [16][SIZE]
    unsigned s0 = state[i], s1 = state[n + i], s2 = state[2 * n + i], s3 = state[3 * n + i];
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < 2 * rounds + GROUPS - 1; step++) {
        const int phase = step - group;
        if (phase >= 0 && phase < 2 * rounds) {
            if ((phase & 1) == 0) {
#pragma unroll
                for (int k = 0; k < 16; k++) {
                    word[k * SIZE + mine] = turned(s0 + s3, 7) + s0;
                    const unsigned t = s1 << 9;
                    s2 ^= s0;
                    s3 ^= s1;
                    s1 ^= s2;
                    s0 ^= s3;
                    s2 ^= t;
                    s3 = turned(s3, 11);
                }
            } else {
                const unsigned *other = word + (mine ^ 256);
#pragma unroll
                for (int k = 0; k < 16; k += 2) {
                    const float u = fmaf((float)other[k * SIZE], 1.0f / 4294967296, 1.0f / 8589934592);
                    const float angle = (float)other[(k + 1) * SIZE] * (6.2831853f / 4294967296);
                    const float square = fmaxf(-1.3862944f * log2_of(u), 1e-20f), c = __cosf(angle), s = __sinf(angle);
                    const float radius = square * root_below(square), x = radius * c, y = radius * s, x2 = x * x, y2 = y * y;
                    sum = fmaf(x2, x2, sum);
                    sum = fmaf(y2, y2, sum);
                }
            }
        }
        __syncthreads();
    }
    moment[i] = sum;
}
extern "C" __global__ void __launch_bounds__(1024, 1) deviate_moments(const unsigned *state, float *moment, int rounds) { moments<1>(state, moment, rounds); }
extern "C" __global__ void __launch_bounds__(1024, 1) deviate_moments_b(const unsigned *state, float *moment, int rounds) { moments<2>(state, moment, rounds); }
