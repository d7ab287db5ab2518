// Arithmetic: quantisation, filters on bytes, wave tables, forces, demodulation, function calls.
#include <cstdio>
#include <cuda_fp16.h>
typedef unsigned int u32;

// The squared error of 16 quantisation steps for each group of 1024 weights, a warp a group.
__device__ float quantised(float x, float inverse, float step) { return (float)__float2int_rn(x * inverse) * step; }
__device__ float quantised_b(float x, float inverse, float step)
{
    const float magic = 12582912.0f; // 1.5 * 2^23: what is added to it is rounded to a whole number
    return (fmaf(x, inverse, magic) - magic) * step;
}
template <typename Q> __device__ void steps(const float *weight, float *error, int groups, float smallest, Q quantise)
{
    const int g = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (g >= groups) return;
    float sum[16], step[16], inverse[16];
#pragma unroll
    for (int c = 0; c < 16; c++) {
        sum[c] = 0.0f;
        step[c] = smallest * (1.0f + 0.125f * c);
        inverse[c] = 1.0f / step[c];
    }
    for (int k = lane; k < 1024; k += 32) {
        const float x = weight[(long long)g * 1024 + k];
#pragma unroll
        for (int c = 0; c < 16; c++) {
            const float e = x - quantise(x, inverse[c], step[c]);
            sum[c] += e * e;
        }
    }
#pragma unroll
    for (int c = 0; c < 16; c++) {
        for (int o = 16; o; o /= 2) sum[c] += __shfl_xor_sync(~0u, sum[c], o);
        if (lane == 0) error[g * 16 + c] = sum[c];
    }
}
extern "C" __global__ void choose_steps(const float *weight, float *error, int groups, float smallest)
{
    steps(weight, error, groups, smallest, [](float x, float i, float s) { return quantised(x, i, s); });
}
extern "C" __global__ void choose_steps_b(const float *weight, float *error, int groups, float smallest)
{
    steps(weight, error, groups, smallest, [](float x, float i, float s) { return quantised_b(x, i, s); });
}

// How many atoms lie within a cutoff in a periodic box of side 1.
__device__ float nearest_image(float d) { return d - rintf(d); }
__device__ float nearest_image_b(float d) { return fminf(fabsf(d), 1.0f - fabsf(d)); } // atoms lie in [0, 1)
template <typename I> __device__ void count_near(const float4 *atom, int *near, int n, float cutoff2, I image)
{
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 me = atom[i];
    int count = 0;
    for (int from = 0; from < n; from += 256) {
        tile[threadIdx.x] = atom[from + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            const float x = image(tile[k].x - me.x), y = image(tile[k].y - me.y), z = image(tile[k].z - me.z);
            count += x * x + y * y + z * z < cutoff2;
        }
        __syncthreads();
    }
    near[i] = count;
}
extern "C" __global__ void coordination(const float4 *atom, int *near, int n, float cutoff2)
{
    count_near(atom, near, n, cutoff2, [](float d) { return nearest_image(d); });
}
extern "C" __global__ void coordination_b(const float4 *atom, int *near, int n, float cutoff2)
{
    count_near(atom, near, n, cutoff2, [](float d) { return nearest_image_b(d); });
}

// A fingerprint of points: the least hash of the cells that hold them in 24 grids.
__device__ u32 cell_of(float x) { return (int)x; }
__device__ u32 cell_of_b(float x) { return __float_as_uint(__fadd_rd(x, 8388608.0f)) & 0x7fffffu; }
template <typename C> __device__ void least_hash(const float *x, const float *y, const float *z, u32 *print, int n, C cell)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float px = x[i], py = y[i], pz = z[i];
        u32 least = ~0u;
#pragma unroll
        for (int level = 0; level < 24; level++) {
            const float scale = 16.0f * (1.0f + 0.37f * level);
            least = min(least, cell(px * scale) ^ cell(py * scale) * 2654435761u ^ cell(pz * scale) * 805459861u);
        }
        print[i] = least;
    }
}
extern "C" __global__ void fingerprint(const float *x, const float *y, const float *z, u32 *print, int n)
{
    least_hash(x, y, z, print, n, [](float v) { return cell_of(v); });
}
extern "C" __global__ void fingerprint_b(const float *x, const float *y, const float *z, u32 *print, int n)
{
    least_hash(x, y, z, print, n, [](float v) { return cell_of_b(v); });
}

// Forces of all particles on all, with a charge and a soft core.
struct Exact {
    static __device__ float pull(float r2, float q) { return q / (sqrtf(r2) * r2) - 1.0f / (r2 * r2); }
};
struct Quick {
    static __device__ float pull(float r2, float q)
    {
        const float i = rsqrtf(r2), i2 = i * i;
        return q * i * i2 - i2 * i2;
    }
};
template <typename M> __device__ void all_pairs(const float4 *body, float4 *force, int n)
{
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 me = body[i];
    float fx = 0, fy = 0, fz = 0;
    for (int from = 0; from < n; from += 256) {
        tile[threadIdx.x] = body[from + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 256; k++) {
            const float4 o = tile[k];
            const float x = o.x - me.x, y = o.y - me.y, z = o.z - me.z;
            const float p = M::pull(x * x + y * y + z * z + 0.01f, me.w * o.w);
            fx += p * x;
            fy += p * y;
            fz += p * z;
        }
        __syncthreads();
    }
    force[i] = make_float4(fx, fy, fz, 0);
}
extern "C" __global__ void ion_forces(const float4 *body, float4 *force, int n) { all_pairs<Exact>(body, force, n); }
extern "C" __global__ void ion_forces_b(const float4 *body, float4 *force, int n) { all_pairs<Quick>(body, force, n); }

// Baseband of a signal whose phase (radians, large) was recorded with it.
extern "C" __global__ void demodulate(const float *signal, const float *phase, float *i_out, float *q_out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float p = phase[i];
        i_out[i] = signal[i] * cosf(p);
        q_out[i] = -signal[i] * sinf(p);
    }
}
extern "C" __global__ void demodulate_b(const float *signal, const float *phase, float *i_out, float *q_out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float turns = rintf(phase[i] * 0.15915494f);
        const float p = fmaf(turns, 1.7484556e-7f, fmaf(turns, -6.2831855f, phase[i]));
        float s, c;
        __sincosf(p, &s, &c);
        i_out[i] = signal[i] * c;
        q_out[i] = -signal[i] * s;
    }
}

// Grains touch 16 others each (in planes); the law of contact depends on the material.
typedef float (*Law)(float overlap, float speed, float stiffness);
__device__ float spring(float o, float, float k) { return k * o; }
__device__ float damped(float o, float v, float k) { return k * o - 0.3f * v; }
__device__ float hertz(float o, float, float k) { return k * o * (1.0f + 0.25f * o); }
__device__ float sticky(float o, float v, float k) { return k * (o - 0.01f) - 0.1f * v * o; }
__device__ Law laws[4] = {spring, damped, hertz, sticky};

extern "C" __global__ void touch(const float *overlap, const float *speed, const int *material, float *force, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Law law = laws[material[i]];
    const float o = overlap[i], v = speed[i];
    float sum = 0;
    for (int k = 0; k < 96; k++) sum += law(o + 0.001f * k, v - sum * 1e-3f, 5.0f);
    force[i] = sum;
}
extern "C" __global__ void touch_b(const float *overlap, const float *speed, const int *material, float *force, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int m = material[i];
    const float o = overlap[i], v = speed[i];
    float sum = 0;
    for (int k = 0; k < 96; k++) {
        const float d = o + 0.001f * k, w = v - sum * 1e-3f;
        sum += m == 0 ? spring(d, w, 5.0f) : m == 1 ? damped(d, w, 5.0f) : m == 2 ? hertz(d, w, 5.0f) : sticky(d, w, 5.0f);
    }
    force[i] = sum;
}

// Paths of a price with a barrier, 128 steps; the noise is uniform and summed.
struct Random {
    u32 a, b;
};
__device__ __noinline__ float noise(Random *r)
{
    r->a = r->a * 1664525u + 1013904223u;
    r->b ^= r->b << 13;
    r->b ^= r->b >> 17;
    r->b ^= r->b << 5;
    return (r->a ^ r->b) * 2.3283064e-10f - 0.5f;
}
__device__ __forceinline__ float noise_b(Random *r)
{
    r->a = r->a * 1664525u + 1013904223u;
    r->b ^= r->b << 13;
    r->b ^= r->b >> 17;
    r->b ^= r->b << 5;
    return (r->a ^ r->b) * 2.3283064e-10f - 0.5f;
}
__device__ __noinline__ float grown(float price, float drift, float n) { return fmaf(price, drift + 0.02f * n, price); }
__device__ __forceinline__ float grown_b(float price, float drift, float n) { return fmaf(price, drift + 0.02f * n, price); }

extern "C" __global__ void walk(float *value, float drift, float barrier, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Random r = {i * 9781u + 7u, i * 6271u + 1u};
    float price = 1.0f, highest = 1.0f;
    for (int step = 0; step < 128; step++) {
        price = grown(price, drift, noise(&r));
        highest = fmaxf(highest, price);
    }
    value[i] = highest > barrier ? 0.0f : price;
}
extern "C" __global__ void walk_b(float *value, float drift, float barrier, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Random r = {i * 9781u + 7u, i * 6271u + 1u};
    float price = 1.0f, highest = 1.0f;
    for (int step = 0; step < 128; step++) {
        price = grown_b(price, drift, noise_b(&r));
        highest = fmaxf(highest, price);
    }
    value[i] = highest > barrier ? 0.0f : price;
}

// A row of samples put on another grid by a kernel of 16 points; a table of 64 fractions.
__device__ float at(const float *row, int i, int n)
{
    if (i < 0 || i >= n) printf("resample: %d is outside of %d\n", i, n);
    return row[i];
}
__device__ float at_b(const float *row, int i, int) { return row[i]; }
template <typename A> __device__ void resampled(const float *in, const float *table, float *out, int width, float ratio, A get)
{
    extern __shared__ float row[];
    float *tap = row + width;
    for (int k = threadIdx.x; k < width; k += blockDim.x) row[k] = in[(long long)blockIdx.x * width + k];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) tap[k] = table[k];
    __syncthreads();
    for (int x = threadIdx.x; x < width; x += blockDim.x) {
        const float p = fminf(8.0f + x * ratio, width - 9.0f);
        const int k = (int)p, f = (int)((p - k) * 64);
        float sum = 0;
        for (int j = 0; j < 16; j++) sum += get(tap, j * 64 + f, 1024) * get(row, k + j - 7, width);
        out[(long long)blockIdx.x * width + x] = sum;
    }
}
extern "C" __global__ void resample(const float *in, const float *table, float *out, int width, float ratio)
{
    resampled(in, table, out, width, ratio, [](const float *r, int i, int n) { return at(r, i, n); });
}
extern "C" __global__ void resample_b(const float *in, const float *table, float *out, int width, float ratio)
{
    resampled(in, table, out, width, ratio, [](const float *r, int i, int n) { return at_b(r, i, n); });
}
