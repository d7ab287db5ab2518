// What is read and computed again: distances, thresholds, axes, substitutions, products.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// City-block distances of all profiles to all others; features in rows of n.
extern "C" __global__ void distances(const float *a, const float *b, float *distance, int n, int features)
{
    const int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < features; k++) sum += fabsf(a[k * n + i] - b[k * n + j]);
    distance[i * n + j] = sum;
}
extern "C" __global__ void __launch_bounds__(256) distances_b(const float *a, const float *b, float *distance, int n, int features)
{
    __shared__ float4 left[16][16], right[16][16]; // 16 features of 64 profiles
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < features; k0 += 16) {
        left[ty][tx] = *(const float4 *)&a[(k0 + ty) * n + i0 + 4 * tx];
        right[ty][tx] = *(const float4 *)&b[(k0 + ty) * n + j0 + 4 * tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const float4 p = left[k][ty], q = right[k][tx];
            const float l[4] = {p.x, p.y, p.z, p.w}, r[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int u = 0; u < 4; u++)
#pragma unroll
                for (int v = 0; v < 4; v++) sum[u][v] += fabsf(l[u] - r[v]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int u = 0; u < 4; u++)
        *(float4 *)&distance[(i0 + 4 * ty + u) * n + j0 + 4 * tx] = make_float4(sum[u][0], sum[u][1], sum[u][2], sum[u][3]);
}

// How many points of a field lie above each of 8 levels.
__device__ void add_up(const int *count, int *above)
{
    for (int l = 0; l < 8; l++) {
        const int sum = __reduce_add_sync(~0u, count[l]);
        if ((threadIdx.x & 31) == 0) atomicAdd(&above[l], sum);
    }
}
extern "C" __global__ void level_sets(const float4 *field, const float *level, int *above, int n)
{
    int count[8];
#pragma unroll
    for (int l = 0; l < 8; l++) {
        const float limit = level[l];
        count[l] = 0;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            const float4 v = field[i];
            count[l] += (v.x > limit) + (v.y > limit) + (v.z > limit) + (v.w > limit);
        }
    }
    add_up(count, above);
}
extern "C" __global__ void level_sets_b(const float4 *field, const float *level, int *above, int n)
{
    int count[8] = {};
    float limit[8];
#pragma unroll
    for (int l = 0; l < 8; l++) limit[l] = level[l];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float4 v = field[i];
#pragma unroll
        for (int l = 0; l < 8; l++) count[l] += (v.x > limit[l]) + (v.y > limit[l]) + (v.z > limit[l]) + (v.w > limit[l]);
    }
    add_up(count, above);
}

// A tensor of five axes turned over: out[a][e][c][b][d] = in[a][b][c][d][e] for short b, c, e and a long d.
extern "C" __global__ void turn_axes(const float *in, float *out, long long B, long long C, long long D, long long E, long long n)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x) {
        long long rest = i;
        const long long d = rest % D;
        rest /= D;
        const long long b = rest % B;
        rest /= B;
        const long long c = rest % C;
        rest /= C;
        const long long e = rest % E, a = rest / E;
        out[i] = in[(((a * B + b) * C + c) * E + e) * D + d];
    }
}
extern "C" __global__ void turn_axes_b(const float *in, float *out, int B, int C, int D, int E)
{
    // A block takes a run of d: blockIdx.x is (a, e), blockIdx.y is c, blockIdx.z is b.
    const int a = blockIdx.x / E, e = blockIdx.x % E, c = blockIdx.y, b = blockIdx.z;
    const float *from = in + (long long)(((a * B + b) * C + c) * E + e) * D;
    float *to = out + (long long)(((a * E + e) * C + c) * B + b) * D;
    for (int d = threadIdx.x; d < D; d += blockDim.x) to[d] = from[d];
}

// Scores of pairs of residues by a table of 24 by 24, 16 of them in a word of 4 for each of two proteins.
__constant__ float blosum[24 * 24];
extern "C" __global__ void substitution(const uchar4 *left, const uchar4 *right, float *score, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 8; k++) {
        const uchar4 l = left[k * n + i], r = right[k * n + i];
        sum += blosum[l.x * 24 + r.x] + blosum[l.y * 24 + r.y] + blosum[l.z * 24 + r.z] + blosum[l.w * 24 + r.w];
    }
    score[i] = sum;
}
extern "C" __global__ void substitution_b(const uchar4 *left, const uchar4 *right, float *score, int n)
{
    __shared__ float table[24 * 24];
    for (int k = threadIdx.x; k < 24 * 24; k += blockDim.x) table[k] = blosum[k];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 8; k++) {
        const uchar4 l = left[k * n + i], r = right[k * n + i];
        sum += table[l.x * 24 + r.x] + table[l.y * 24 + r.y] + table[l.z * 24 + r.z] + table[l.w * 24 + r.w];
    }
    score[i] = sum;
}

// C = A B in half precision with sums in single; tiles of 128 by 128, 8 warps of 64 by 32, copies two steps ahead.
__device__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void __launch_bounds__(256) dense_layer(const half *a, const half *b, float *c, int m, int n, int k)
{
    constexpr int AP = 40, BP = 136, STAGES = 3; // pitches of a tile of 128 by 32 and of 32 by 128
    extern __shared__ __align__(128) half tiles[];
    half *ta = tiles, *tb = tiles + STAGES * 128 * AP;
    const int t = threadIdx.x, warp = t / 32, wy = warp / 4, wx = warp % 4, row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
    auto fetch = [&](int step) {
        const int s = step % STAGES;
        for (int q = t; q < 512; q += 256) {
            copy16(&ta[s * 128 * AP + q / 4 * AP + q % 4 * 8], &a[(long long)(row0 + q / 4) * k + step * 32 + q % 4 * 8]);
            copy16(&tb[s * 32 * BP + q / 16 * BP + q % 16 * 8], &b[(long long)(step * 32 + q / 16) * n + col0 + q % 16 * 8]);
        }
    };
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(sum[i][j], 0.0f);
    const int steps = k / 32;
    for (int s = 0; s < STAGES - 1; s++) {
        fetch(s);
        asm volatile("cp.async.commit_group;");
    }
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        if (step + STAGES - 1 < steps) fetch(step + STAGES - 1);
        asm volatile("cp.async.commit_group;");
        const half *pa = ta + step % STAGES * 128 * AP + wy * 64 * AP, *pb = tb + step % STAGES * 32 * BP + wx * 32;
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
#pragma unroll
            for (int i = 0; i < 4; i++) wmma::load_matrix_sync(fa[i], pa + i * 16 * AP + kk, AP);
#pragma unroll
            for (int j = 0; j < 2; j++) wmma::load_matrix_sync(fb[j], pb + kk * BP + j * 16, BP);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 2; j++) wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&c[(long long)(row0 + wy * 64 + i * 16) * n + col0 + wx * 32 + j * 16], sum[i][j], n, wmma::mem_row_major);
}
