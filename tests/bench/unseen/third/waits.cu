// Grids, chains and barriers: exposures, pair energies, walks, polynomials, moments, sorting.

// The exposure of films: 2048 points a row, 180 steps a point; a block takes `rows` rows.
extern "C" __global__ void __launch_bounds__(1024) expose(const float *light, float *density, int rows, int height)
{
    for (int r = blockIdx.x * rows; r < min((blockIdx.x + 1) * rows, height); r++)
        for (int x = threadIdx.x; x < 2048; x += 1024) {
            const float l = light[r * 2048 + x];
            float silver = 1.0f, image = 0.0f;
#pragma unroll 4
            for (int step = 0; step < 180; step++) {
                const float hit = l * silver;
                silver = fmaf(-0.01f, hit, silver);
                image = fmaf(0.02f, hit - 0.1f * image, image);
            }
            density[r * 2048 + x] = image;
        }
}

// Energy of each particle with all before it; a block takes 32 particles, either in a row or gridDim.x apart.
__device__ float energy_with(float4 a, float4 b)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, r2 = x * x + y * y + z * z + 0.02f;
    const float i = rsqrtf(r2);
    return a.w * b.w * i * __expf(-0.5f * r2 * i) + i * i * i * 1e-3f;
}
__device__ void energy_of(const float4 *body, float *energy, int p)
{
    __shared__ float part[8];
    const float4 me = body[p];
    float sum = 0;
    for (int j = threadIdx.x; j < p; j += 256) sum += energy_with(me, body[j]);
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) sum += part[k];
        energy[p] = sum;
    }
    __syncthreads();
}
extern "C" __global__ void __launch_bounds__(256) pair_energy(const float4 *body, float *energy)
{
    for (int k = 0; k < 32; k++) energy_of(body, energy, blockIdx.x * 32 + k);
}
extern "C" __global__ void __launch_bounds__(256) pair_energy_b(const float4 *body, float *energy)
{
    for (int k = 0; k < 32; k++) energy_of(body, energy, k * gridDim.x + (k & 1 ? gridDim.x - 1 - blockIdx.x : blockIdx.x));
}

// Random walks of 64 steps on a graph whose vertices have one heir each; four walks a thread.
extern "C" __global__ void wander(const int *heir, const int *start, int *end, int walks)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int w = t; w < walks; w += threads) {
        int v = start[w];
        for (int step = 0; step < 64; step++) v = heir[v];
        end[w] = v;
    }
}
extern "C" __global__ void wander_b(const int *heir, const int *start, int *end, int walks)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int w = t; w + 3 * threads < walks; w += 4 * threads) {
        int v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = start[w + k * threads];
        for (int step = 0; step < 64; step++)
#pragma unroll
            for (int k = 0; k < 4; k++) v[k] = heir[v[k]];
#pragma unroll
        for (int k = 0; k < 4; k++) end[w + k * threads] = v[k];
    }
}

// A power series of 32768 terms at few points.
extern "C" __global__ void __launch_bounds__(128) series(const float *point, const float *term, float *value, int terms)
{
    __shared__ float c[2048];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float x = point[i];
    float v = 0;
    for (int from = 0; from < terms; from += 2048) {
        __syncthreads();
        for (int k = threadIdx.x; k < 2048; k += 128) c[k] = term[from + k];
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < 2048; k++) v = fmaf(v, x, c[k]);
    }
    value[i] = v;
}
extern "C" __global__ void __launch_bounds__(128) series_b(const float *point, const float *term, float *value, int terms)
{
    __shared__ float c[2048];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float x = point[i], x2 = x * x, x4 = x2 * x2;
    float a = 0, b = 0, d = 0, e = 0;
    for (int from = 0; from < terms; from += 2048) {
        __syncthreads();
        for (int k = threadIdx.x; k < 2048; k += 128) c[k] = term[from + k];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 2048; k += 4) {
            a = fmaf(a, x4, c[k]);
            b = fmaf(b, x4, c[k + 1]);
            d = fmaf(d, x4, c[k + 2]);
            e = fmaf(e, x4, c[k + 3]);
        }
    }
    value[i] = fmaf(fmaf(a, x, b), x2, fmaf(d, x, e));
}

// Rows of 1024 brought to mean 0 and deviation 1.
__device__ float sum_by_halves(float v)
{
    __shared__ float part[1024];
    part[threadIdx.x] = v;
    __syncthreads();
    for (int half = 512; half; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    v = part[0];
    __syncthreads();
    return v;
}
__device__ float sum_by_warps(float v)
{
    __shared__ float part[32];
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x & 31];
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    __syncthreads();
    return v;
}
extern "C" __global__ void __launch_bounds__(1024) standardise(const float *in, float *out, int rows)
{
    for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
        const float v = in[r * 1024 + threadIdx.x];
        const float mean = sum_by_halves(v) / 1024, d = v - mean;
        out[r * 1024 + threadIdx.x] = d * rsqrtf(sum_by_halves(d * d) / 1024 + 1e-6f);
    }
}
extern "C" __global__ void __launch_bounds__(1024) standardise_b(const float *in, float *out, int rows)
{
    for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
        const float v = in[r * 1024 + threadIdx.x];
        const float mean = sum_by_warps(v) / 1024, d = v - mean;
        out[r * 1024 + threadIdx.x] = d * rsqrtf(sum_by_warps(d * d) / 1024 + 1e-6f);
    }
}

// Rows of 1024 sorted by a bitonic network, a block a row.
extern "C" __global__ void __launch_bounds__(1024) sort_rows(const float *in, float *out)
{
    __shared__ float v[1024];
    const int t = threadIdx.x;
    v[t] = in[blockIdx.x * 1024 + t];
    __syncthreads();
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            const int other = t ^ j;
            const float a = v[t], b = v[other];
            __syncthreads();
            v[t] = ((t & k) == 0) == (t < other) ? fminf(a, b) : fmaxf(a, b);
            __syncthreads();
        }
    out[blockIdx.x * 1024 + t] = v[t];
}
extern "C" __global__ void __launch_bounds__(1024) sort_rows_b(const float *in, float *out)
{
    __shared__ float v[1024];
    const int t = threadIdx.x;
    float a = in[blockIdx.x * 1024 + t];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            float b;
            if (j < 32)
                b = __shfl_xor_sync(~0u, a, j);
            else {
                v[t] = a;
                __syncthreads();
                b = v[t ^ j];
                __syncthreads();
            }
            a = ((t & k) == 0) == (t < (t ^ j)) ? fminf(a, b) : fmaxf(a, b);
        }
    out[blockIdx.x * 1024 + t] = a;
}
