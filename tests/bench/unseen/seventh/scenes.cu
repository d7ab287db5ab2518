// Tones of pictures, burning cells, skins, particles in a beam, beams of an array, films.

// 16-bit pixels to bytes by a curve of 65,536 entries in shared memory.
extern __shared__ unsigned char curve[];
extern "C" __global__ void __launch_bounds__(1024) tone_pixels(const uint4 *entry, const ushort4 *pixel, uchar4 *tone, int quads)
{
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) ((uint4 *)curve)[i] = entry[i];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        const ushort4 p = pixel[i];
        tone[i] = make_uchar4(curve[p.x], curve[p.y], curve[p.z], curve[p.w]);
    }
}

// Steps of the fifth order (Dormand and Prince) of ten species that make one another, [species][cell].
constexpr int SPECIES = 10;
__device__ void burn_rates(const float *y, float *rate, float heat)
{
#pragma unroll
    for (int j = 0; j < SPECIES; j++) {
        const int a = (j + 1) % SPECIES, b = (j + 3) % SPECIES;
        rate[j] = heat * y[a] * y[b] - (0.5f + 0.1f * j) * y[j] * y[(j + 7) % SPECIES] + 0.02f * (y[(j + 4) % SPECIES] - y[j]);
    }
}
template <class... C> __device__ void between(const float *y, float (&k)[6][SPECIES], float *at, float h, C... c)
{
    const float share[] = {c...};
#pragma unroll
    for (int j = 0; j < SPECIES; j++) {
        float sum = 0;
#pragma unroll
        for (int s = 0; s < (int)sizeof...(C); s++)
            if (share[s] != 0) sum = fmaf(share[s], k[s][j], sum);
        at[j] = fmaf(h, sum, y[j]);
    }
}
__device__ void burn(const float *fuel, const float *warm, float *left, float h, int steps, int cells)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    float y[SPECIES], at[SPECIES], k[6][SPECIES];
    const float heat = warm[i];
#pragma unroll
    for (int j = 0; j < SPECIES; j++) y[j] = fuel[(size_t)j * cells + i];
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        burn_rates(y, k[0], heat);
        between(y, k, at, h, 1.0f / 5);
        burn_rates(at, k[1], heat);
        between(y, k, at, h, 3.0f / 40, 9.0f / 40);
        burn_rates(at, k[2], heat);
        between(y, k, at, h, 44.0f / 45, -56.0f / 15, 32.0f / 9);
        burn_rates(at, k[3], heat);
        between(y, k, at, h, 19372.0f / 6561, -25360.0f / 2187, 64448.0f / 6561, -212.0f / 729);
        burn_rates(at, k[4], heat);
        between(y, k, at, h, 9017.0f / 3168, -355.0f / 33, 46732.0f / 5247, 49.0f / 176, -5103.0f / 18656);
        burn_rates(at, k[5], heat);
        between(y, k, y, h, 35.0f / 384, 0.0f, 500.0f / 1113, 125.0f / 192, -2187.0f / 6784, 11.0f / 84);
    }
#pragma unroll
    for (int j = 0; j < SPECIES; j++) left[(size_t)j * cells + i] = y[j];
}
extern "C" __global__ void __launch_bounds__(256, 8) burn_cells(const float *fuel, const float *warm, float *left, float h, int steps, int cells)
{
    burn(fuel, warm, left, h, steps, cells);
}
extern "C" __global__ void __launch_bounds__(256, 2) burn_cells_b(const float *fuel, const float *warm, float *left, float h, int steps, int cells)
{
    burn(fuel, warm, left, h, steps, cells);
}

// Vertices of a skin, each moved by four of 64 bones of three rows.
__constant__ float4 bone[192];
__device__ float3 move_vertex(const float4 *bones, float4 p, uchar4 which, float4 weight)
{
    const int b[4] = {which.x, which.y, which.z, which.w};
    const float w[4] = {weight.x, weight.y, weight.z, weight.w};
    float3 sum = {0, 0, 0};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float4 x = bones[b[k] * 3], y = bones[b[k] * 3 + 1], z = bones[b[k] * 3 + 2];
        sum.x += w[k] * (x.x * p.x + x.y * p.y + x.z * p.z + x.w);
        sum.y += w[k] * (y.x * p.x + y.y * p.y + y.z * p.z + y.w);
        sum.z += w[k] * (z.x * p.x + z.y * p.y + z.z * p.z + z.w);
    }
    return sum;
}
extern "C" __global__ void __launch_bounds__(256) skin_vertices(const float4 *vertex, const uchar4 *which, const float4 *weight, float4 *moved)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float3 m = move_vertex(bone, vertex[i], which[i], weight[i]);
    moved[i] = make_float4(m.x, m.y, m.z, 1.0f);
}
extern "C" __global__ void __launch_bounds__(256) skin_vertices_b(const float4 *vertex, const uchar4 *which, const float4 *weight, float4 *moved, const float4 *bones)
{
    __shared__ float4 mine[192];
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x < 192) mine[threadIdx.x] = bones[threadIdx.x];
    __syncthreads();
    const float3 m = move_vertex(mine, vertex[i], which[i], weight[i]);
    moved[i] = make_float4(m.x, m.y, m.z, 1.0f);
}

// Particles through a line of magnets, each a matrix of 6 by 6; four particles a thread, [coordinate][particle].
__constant__ float magnet[256][36];
template <bool APART> __device__ void through_magnets(const float *in, float *out, int magnets, int particles)
{
    const int i = blockIdx.x * 1024 + threadIdx.x;
    float x[4][6];
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int c = 0; c < 6; c++) x[p][c] = in[(size_t)c * particles + i + p * 256];
#pragma unroll 1
    for (int m = 0; m < magnets; m++) {
        float y[4][6];
#pragma unroll
        for (int r = 0; r < 6; r++)
#pragma unroll
            for (int p = 0; p < 4; p++) {
                float sum = __fmul_rn(magnet[m][r * 6], x[p][0]);
#pragma unroll
                for (int c = 1; c < 6; c++)
                    sum = APART ? __fadd_rn(sum, __fmul_rn(magnet[m][r * 6 + c], x[p][c])) : fmaf(magnet[m][r * 6 + c], x[p][c], sum);
                y[p][r] = sum;
            }
#pragma unroll
        for (int p = 0; p < 4; p++)
#pragma unroll
            for (int c = 0; c < 6; c++) x[p][c] = y[p][c];
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int c = 0; c < 6; c++) out[(size_t)c * particles + i + p * 256] = x[p][c];
}
extern "C" __global__ void __launch_bounds__(256) track_beam(const float *in, float *out, int magnets, int particles)
{
    through_magnets<true>(in, out, magnets, particles);
}
extern "C" __global__ void __launch_bounds__(256) track_beam_b(const float *in, float *out, int magnets, int particles)
{
    through_magnets<false>(in, out, magnets, particles);
}

// Beams of an array: weights [beam][antenna] in halves times samples [antenna][time] in halves.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void __launch_bounds__(256) form_beams(const half *weight, const half *sample, float *beam, int antennas, int times)
{
    __shared__ float a[16][65], b[16][64];
    const int me = threadIdx.x, x = me & 15, y = me / 16, i = blockIdx.y * 64, j = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int from = 0; from < antennas; from += 16) {
        for (int k = me; k < 1024; k += 256) {
            a[k & 15][k / 16] = __half2float(weight[(size_t)(i + k / 16) * antennas + from + (k & 15)]);
            b[k / 64][k & 63] = __half2float(sample[(size_t)(from + k / 64) * times + j + (k & 63)]);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float p[4], q[4];
#pragma unroll
            for (int r = 0; r < 4; r++) p[r] = a[k][y + 16 * r], q[r] = b[k][x + 16 * r];
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int s = 0; s < 4; s++) sum[r][s] = fmaf(p[r], q[s], sum[r][s]);
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++) beam[(size_t)(i + y + 16 * r) * times + j + x + 16 * s] = sum[r][s];
}
extern "C" __global__ void __launch_bounds__(256) form_beams_b(const half *weight, const half *sample, float *beam, int antennas, int times)
{
    __shared__ __align__(16) half a[128][40], b[32][136];
    const int me = threadIdx.x, warp = me / 32, i = blockIdx.y * 128, j = blockIdx.x * 128;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][4];
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 4; s++) wmma::fill_fragment(sum[r][s], 0.0f);
    for (int from = 0; from < antennas; from += 32) {
        for (int k = me; k < 512; k += 256) {
            *(uint4 *)&a[k / 4][(k & 3) * 8] = *(const uint4 *)&weight[(size_t)(i + k / 4) * antennas + from + (k & 3) * 8];
            *(uint4 *)&b[k / 16][(k & 15) * 8] = *(const uint4 *)&sample[(size_t)(from + k / 16) * times + j + (k & 15) * 8];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> q;
            for (int r = 0; r < 2; r++) wmma::load_matrix_sync(p[r], &a[warp / 2 * 32 + r * 16][k], 40);
            for (int s = 0; s < 4; s++) {
                wmma::load_matrix_sync(q, &b[k][(warp & 1) * 64 + s * 16], 136);
                for (int r = 0; r < 2; r++) wmma::mma_sync(sum[r][s], p[r], q, sum[r][s]);
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 4; s++)
            wmma::store_matrix_sync(&beam[(size_t)(i + warp / 2 * 32 + r * 16) * times + j + (warp & 1) * 64 + s * 16], sum[r][s], times, wmma::mem_row_major);
}

// Light of 12 colours that a film throws back, by Fresnel's equations for both polarisations; ray: cosine and strength.
template <bool EXACT> __device__ __forceinline__ float over(float a, float b) { return EXACT ? a / b : __fdividef(a, b); }
template <bool EXACT> __device__ __forceinline__ float root(float a)
{
    if (EXACT) return sqrtf(a);
    float r;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
template <bool EXACT> __device__ void reflect(const float2 *ray, float *light, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    const float2 r = ray[i];
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < 12; k++) {
        const float index = 1.3f + 0.03f * k, sine = over<EXACT>(1.0f - r.x * r.x, index * index), inner = root<EXACT>(1.0f - sine);
        const float s = over<EXACT>(r.x - index * inner, r.x + index * inner), p = over<EXACT>(inner - index * r.x, inner + index * r.x);
        sum += s * s + p * p;
    }
    light[i] = 0.5f * r.y * sum;
}
extern "C" __global__ void __launch_bounds__(256) film_light(const float2 *ray, float *light, int n) { reflect<true>(ray, light, n); }
extern "C" __global__ void __launch_bounds__(256) film_light_b(const float2 *ray, float *light, int n) { reflect<false>(ray, light, n); }
