// Prices, flames, tracks, bids, radar pulses, spectra, rods.

// The mean of 9 prices around each, 1024 a block of 128; price has 4 more on either side.
extern __shared__ float window[];
extern "C" __global__ void __launch_bounds__(128) trend_lines(const float *price, float *trend)
{
    const float *mine = price + (size_t)blockIdx.x * 1024;
#pragma unroll
    for (int k = 0; k < 8; k++) window[k * 128 + threadIdx.x] = mine[k * 128 + threadIdx.x];
    if (threadIdx.x < 8) window[1024 + threadIdx.x] = mine[1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float sum = 0;
#pragma unroll
        for (int d = 0; d < 9; d++) sum += window[k * 128 + threadIdx.x + d];
        trend[(size_t)blockIdx.x * 1024 + k * 128 + threadIdx.x] = sum * (1.0f / 9);
    }
}

// Reactions in cells, some steps in each; a block of 256 takes 32 rows of 256 cells, either its own or each gridDim.x-th.
__device__ void react(const float *fuel, const int *steps, float *left, int cell)
{
    float f = fuel[cell], heat = 1.0f - f;
    for (int s = steps[cell]; s > 0; s--) {
        const float burnt = 0.003f * f * fmaf(heat, heat, 0.05f);
        heat = fmaf(-0.0005f, heat, heat + burnt);
        f = f - burnt + 1e-5f;
    }
    left[cell] = f + heat;
}
extern "C" __global__ void __launch_bounds__(256) stiff_cells(const float *fuel, const int *steps, float *left)
{
    for (int row = 0; row < 32; row++) react(fuel, steps, left, (blockIdx.x * 32 + row) * 256 + threadIdx.x);
}
extern "C" __global__ void __launch_bounds__(256) stiff_cells_b(const float *fuel, const int *steps, float *left)
{
    for (int row = 0; row < 32; row++) react(fuel, steps, left, (row * gridDim.x + blockIdx.x) * 256 + threadIdx.x);
}

// Kalman filters of places and speeds (six states) from measured places, [steps][3][n]; noise is each track's variance.
__device__ constexpr int at(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }
__device__ void follow(const float *measured, const float *noise, float *state, int n, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float r = noise[i];
    float x[6] = {}, p[21] = {};
#pragma unroll
    for (int a = 0; a < 6; a++) p[at(a, a)] = 10.0f;
#pragma unroll
    for (int a = 0; a < 3; a++) p[at(a + 1, a)] = 1.0f;
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        // x += 0.1 v; with P = (A B'; B D): A += 0.1 (B + B') + 0.01 D, B += 0.1 D
#pragma unroll
        for (int a = 0; a < 3; a++) {
            x[a] = fmaf(0.1f, x[a + 3], x[a]);
#pragma unroll
            for (int b = 0; b <= a; b++)
                p[at(a, b)] += 0.1f * (p[at(a + 3, b)] + p[at(b + 3, a)]) + 0.01f * p[at(a + 3, b + 3)];
        }
#pragma unroll
        for (int a = 0; a < 3; a++)
#pragma unroll
            for (int b = 0; b < 3; b++) p[at(a + 3, b)] = fmaf(0.1f, p[at(a + 3, b + 3)], p[at(a + 3, b)]);
#pragma unroll
        for (int a = 0; a < 6; a++) p[at(a, a)] += a < 3 ? 0.01f : 0.1f;
#pragma unroll
        for (int m = 0; m < 3; m++) {
            const float off = measured[((size_t)s * 3 + m) * n + i] - x[m], share = __fdividef(1.0f, p[at(m, m)] + r);
            float row[6];
#pragma unroll
            for (int a = 0; a < 6; a++) row[a] = p[at(a, m)];
#pragma unroll
            for (int a = 0; a < 6; a++) {
                const float gain = row[a] * share;
                x[a] = fmaf(gain, off, x[a]);
#pragma unroll
                for (int b = 0; b <= a; b++) p[at(a, b)] = fmaf(-gain, row[b], p[at(a, b)]);
            }
        }
    }
#pragma unroll
    for (int a = 0; a < 6; a++) state[a * n + i] = x[a];
}
extern "C" __global__ void __launch_bounds__(256, 8) kalman_tracks(const float *measured, const float *noise, float *state, int n, int steps)
{
    follow(measured, noise, state, n, steps);
}
extern "C" __global__ void __launch_bounds__(256, 2) kalman_tracks_b(const float *measured, const float *noise, float *state, int n, int steps)
{
    follow(measured, noise, state, n, steps);
}

// The 8 highest of the 24 bids of each auction ([24][n]), weighted by rank.
extern "C" __global__ void __launch_bounds__(256) sort_bids(const int *bid, int *worth, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sorted[24];
#pragma unroll 1
    for (int k = 0; k < 24; k++) {
        const int v = bid[(size_t)k * n + i];
        int j = k;
        for (; j > 0 && sorted[j - 1] < v; j--) sorted[j] = sorted[j - 1];
        sorted[j] = v;
    }
    int sum = 0;
    for (int k = 0; k < 8; k++) sum += (8 - k) * sorted[k];
    worth[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256) sort_bids_b(const int *bid, int *worth, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sorted[24];
#pragma unroll
    for (int k = 0; k < 24; k++) sorted[k] = bid[(size_t)k * n + i];
#pragma unroll
    for (int round = 0; round < 24; round++)
#pragma unroll
        for (int k = round & 1; k + 1 < 24; k += 2) {
            const int high = max(sorted[k], sorted[k + 1]);
            sorted[k + 1] = min(sorted[k], sorted[k + 1]);
            sorted[k] = high;
        }
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += (8 - k) * sorted[k];
    worth[i] = sum;
}

// Radar pulses ([pulse][range], pairs of halves) to [range][pulse]; blocks of 32 by 8.
template <int PITCH> __device__ void turn_corner(const unsigned *in, unsigned *out, int side)
{
    __shared__ unsigned tile[32 * PITCH];
    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
#pragma unroll
    for (int k = 0; k < 32; k += 8) tile[(threadIdx.y + k) * PITCH + threadIdx.x] = in[(size_t)(y + threadIdx.y + k) * side + x + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 8) out[(size_t)(x + threadIdx.y + k) * side + y + threadIdx.x] = tile[threadIdx.x * PITCH + threadIdx.y + k];
}
extern "C" __global__ void __launch_bounds__(256) corner_turn(const unsigned *in, unsigned *out, int side) { turn_corner<32>(in, out, side); }
extern "C" __global__ void __launch_bounds__(256) corner_turn_b(const unsigned *in, unsigned *out, int side) { turn_corner<33>(in, out, side); }

// Spectra of stars at 32 wavelengths, [32][n]: Gaussian lines (centre, strength) moved and widened by each star (x, y).
__constant__ float2 spectral_line[128];
extern "C" __global__ void __launch_bounds__(256) line_profiles(const float2 *star, float *flux, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float2 s = star[i];
    const float q = -0.72134752f / (s.y * s.y); // 2^(q d d) = e^(-d d / (2 y y))
    float sum[32] = {};
#pragma unroll 1
    for (int l = 0; l < 128; l++) {
        const float centre = spectral_line[l].x + s.x, strength = spectral_line[l].y;
#pragma unroll
        for (int k = 0; k < 32; k++) {
            const float d = k - centre;
            float e;
            asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(q * d * d));
            sum[k] = fmaf(strength, e, sum[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < 32; k++) flux[(size_t)k * n + i] = sum[k];
}
extern "C" __global__ void __launch_bounds__(256) line_profiles_b(const float2 *star, float *flux, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float2 s = star[i];
    const float q = -0.72134752f / (s.y * s.y), widen = exp2f(2 * q);
    float sum[32] = {};
#pragma unroll 2
    for (int l = 0; l < 128; l++) {
        const float centre = spectral_line[l].x + s.x, strength = spectral_line[l].y;
        float e = strength * exp2f(q * centre * centre), ratio = exp2f(q * (1 - 2 * centre));
#pragma unroll
        for (int k = 0; k < 32; k++) {
            sum[k] += e;
            e *= ratio;
            ratio *= widen;
        }
    }
#pragma unroll
    for (int k = 0; k < 32; k++) flux[(size_t)k * n + i] = sum[k];
}

// Heat in rods of 1024 points whose ends are kept at 0, some steps.
extern "C" __global__ void __launch_bounds__(1024) anneal_rods(const float *heat, const float *conductance, float *after, int steps)
{
    __shared__ float rod[1026];
    const int t = threadIdx.x + 1;
    const float c = conductance[blockIdx.x];
    if (t == 1) rod[0] = rod[1025] = 0;
    rod[t] = heat[(size_t)blockIdx.x * 1024 + threadIdx.x];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        const float mine = rod[t], next = fmaf(c, rod[t - 1] - 2 * mine + rod[t + 1], mine);
        __syncthreads();
        rod[t] = next;
        __syncthreads();
    }
    after[(size_t)blockIdx.x * 1024 + threadIdx.x] = rod[t];
}
extern "C" __global__ void __launch_bounds__(128) anneal_rods_b(const float *heat, const float *conductance, float *after, int steps)
{
    const int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x & 31;
    const float c = conductance[r];
    const float4 *from = (const float4 *)(heat + (size_t)r * 1024 + lane * 32);
    float v[32];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const float4 w = from[k];
        v[4 * k] = w.x;
        v[4 * k + 1] = w.y;
        v[4 * k + 2] = w.z;
        v[4 * k + 3] = w.w;
    }
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        float left = __shfl_up_sync(~0u, v[31], 1), end = __shfl_down_sync(~0u, v[0], 1);
        if (lane == 0) left = 0;
        if (lane == 31) end = 0;
#pragma unroll
        for (int k = 0; k < 32; k++) {
            const float mine = v[k];
            v[k] = fmaf(c, left - 2 * mine + (k < 31 ? v[k + 1] : end), mine);
            left = mine;
        }
    }
    float4 *to = (float4 *)(after + (size_t)r * 1024 + lane * 32);
#pragma unroll
    for (int k = 0; k < 8; k++) to[k] = make_float4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
}
