// Where data lie and which lane takes what: particles, wavelets, codes, prices, fractals, medians, decoding.
typedef unsigned int u32;

// A step of particles in a field; a record holds all that is known of one.
struct Particle {
    float x, y, z, mass, vx, vy, vz, charge, birth, radius, energy, spare[5];
};
__device__ void push(float &x, float &y, float &z, float &vx, float &vy, float &vz, float dt)
{
    const float ax = vy * 0.3f - x, ay = -vx * 0.3f - y, az = -0.1f * z;
    vx += dt * ax;
    vy += dt * ay;
    vz += dt * az;
    x += dt * vx;
    y += dt * vy;
    z += dt * vz;
}
extern "C" __global__ void push_records(Particle *p, float dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle &q = p[i];
    float x = q.x, y = q.y, z = q.z, vx = q.vx, vy = q.vy, vz = q.vz;
    push(x, y, z, vx, vy, vz, dt);
    q.x = x;
    q.y = y;
    q.z = z;
    q.vx = vx;
    q.vy = vy;
    q.vz = vz;
}
extern "C" __global__ void push_planes(float *p, float dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = p[i], y = p[n + i], z = p[2 * n + i], vx = p[3 * n + i], vy = p[4 * n + i], vz = p[5 * n + i];
    push(x, y, z, vx, vy, vz, dt);
    p[i] = x;
    p[n + i] = y;
    p[2 * n + i] = z;
    p[3 * n + i] = vx;
    p[4 * n + i] = vy;
    p[5 * n + i] = vz;
}

// Four levels of a Haar wavelet of rows of 64 points, a thread a row, 64 rows a block, in shared memory.
template <int PITCH> __device__ void haar(const float *in, float *out)
{
    __shared__ float line[64 * PITCH];
    const long long first = (long long)blockIdx.x * 64 * 64;
    for (int k = threadIdx.x; k < 64 * 64; k += 64) line[k / 64 * PITCH + k % 64] = in[first + k];
    __syncthreads();
    float *mine = line + threadIdx.x * PITCH;
    for (int step = 1; step < 16; step *= 2)
        for (int k = 0; k < 64; k += 2 * step) {
            const float a = mine[k], b = mine[k + step];
            mine[k] = (a + b) * 0.70710678f;
            mine[k + step] = (a - b) * 0.70710678f;
        }
    __syncthreads();
    for (int k = threadIdx.x; k < 64 * 64; k += 64) out[first + k] = line[k / 64 * PITCH + k % 64];
}
extern "C" __global__ void __launch_bounds__(64) wavelet_rows(const float *in, float *out) { haar<64>(in, out); }
extern "C" __global__ void __launch_bounds__(64) wavelet_rows_b(const float *in, float *out) { haar<65>(in, out); }

// The commonest of 32 codes in windows of 64 symbols, a thread a window; symbols in planes.
template <bool APART> __device__ void commonest(const unsigned char *symbol, u32 *most, int n)
{
    __shared__ unsigned short count[32 * 128];
    const int i = blockIdx.x * 128 + threadIdx.x, code = APART ? 128 : 1, mine = APART ? threadIdx.x : threadIdx.x * 32;
    for (int c = 0; c < 32; c++) count[mine + c * code] = 0;
#pragma unroll 4
    for (int k = 0; k < 64; k++) {
        const int s = symbol[(long long)k * n + i];
        count[mine + s * code]++;
    }
    u32 best = 0;
    for (int c = 0; c < 32; c++) best = max(best, (u32)count[mine + c * code] << 8 | c);
    most[i] = best;
}
extern "C" __global__ void __launch_bounds__(128) commonest_code(const unsigned char *symbol, u32 *most, int n) { commonest<false>(symbol, most, n); }
extern "C" __global__ void __launch_bounds__(128) commonest_code_b(const unsigned char *symbol, u32 *most, int n) { commonest<true>(symbol, most, n); }

// Four kinds of options, 96 dates each; `order` says which option a thread takes.
extern "C" __global__ void price_book(const int *order, const unsigned char *kind, const float *spot, const float *strike, float *value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int o = order[i];
    const float s = spot[o], k = strike[o];
    float p = s, v = 0.0f;
    switch (kind[o]) {
    case 0: // the mean of all dates
        for (int t = 0; t < 96; t++) {
            p = fmaf(p, 0.002f, p) - 0.001f * k;
            v += p;
        }
        v = fmaxf(v / 96 - k, 0.0f);
        break;
    case 1: // the highest
        for (int t = 0; t < 96; t++) {
            p = fmaf(p, -0.01f, p) + 0.012f * s;
            v = fmaxf(v, p - k * (1.0f - 0.001f * t));
        }
        break;
    case 2: // a barrier that grows
        v = s;
        for (int t = 0; t < 96; t++) {
            p = fmaf(p, 0.004f, p);
            if (p > k * (1.2f + 0.01f * t)) v *= 0.9f;
        }
        break;
    default: // a discounted power
        for (int t = 0; t < 96; t++) {
            p = fmaf(p, p * 1e-4f, 0.99f * p);
            v = fmaf(v, 0.97f, p * p * 0.01f);
        }
    }
    value[o] = v;
}

// A Julia set; `order` says which point a thread takes.
extern "C" __global__ void julia(const int *order, int *steps, int width, float cx, float cy, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = order[i];
    float x = (at % width) * (3.0f / width) - 1.5f, y = (at / width) * (3.0f / width) - 1.5f;
    int k = 0;
    while (k < 400 && x * x + y * y < 4.0f) {
        const float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        k++;
    }
    steps[at] = k;
}

// The median of 7 by 7 points.
__device__ __forceinline__ void median49(const float *in, float *out, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width - 6 || y >= height - 6) return;
    float v[49];
#pragma unroll
    for (int k = 0; k < 49; k++) v[k] = in[(y + k / 7) * width + x + k % 7];
#pragma unroll
    for (int k = 0; k < 25; k++)
#pragma unroll
        for (int j = k + 1; j < 49; j++) {
            const float low = fminf(v[k], v[j]);
            v[j] = fmaxf(v[k], v[j]);
            v[k] = low;
        }
    out[y * width + x] = v[24];
}
extern "C" __global__ void __launch_bounds__(256, 8) despeckle(const float *in, float *out, int width, int height) { median49(in, out, width, height); }
extern "C" __global__ void __launch_bounds__(256, 3) despeckle_b(const float *in, float *out, int width, int height) { median49(in, out, width, height); }

// The cost of the likeliest path through a trellis of 16 states, each with two that lead to it; 64 symbols of 4 kinds.
extern "C" __global__ void __launch_bounds__(128) trellis(const unsigned char *seen, const int *origin, const float *cost, float *least, int n)
{
    __shared__ float show[64];
    __shared__ int from[32];
    if (threadIdx.x < 64) show[threadIdx.x] = cost[threadIdx.x];
    if (threadIdx.x < 32) from[threadIdx.x] = origin[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * 128 + threadIdx.x;
    float now[16], next[16];
    for (int s = 0; s < 16; s++) now[s] = 0.1f * s;
    for (int t = 0; t < 64; t++) {
        const int o = seen[(long long)t * n + i];
        for (int s = 0; s < 16; s++) next[s] = fminf(now[from[2 * s]], now[from[2 * s + 1]] + 0.25f) + show[s * 4 + o];
        for (int s = 0; s < 16; s++) now[s] = next[s];
    }
    float best = now[0];
    for (int s = 1; s < 16; s++) best = fminf(best, now[s]);
    least[i] = best;
}
extern "C" __global__ void __launch_bounds__(128) trellis_b(const unsigned char *seen, const int *origin, const float *cost, float *least, int n)
{
    __shared__ float show[64], now[16][128];
    __shared__ int from[32];
    if (threadIdx.x < 64) show[threadIdx.x] = cost[threadIdx.x];
    if (threadIdx.x < 32) from[threadIdx.x] = origin[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * 128 + threadIdx.x;
    float next[16];
#pragma unroll
    for (int s = 0; s < 16; s++) now[s][threadIdx.x] = 0.1f * s;
    for (int t = 0; t < 64; t++) {
        const int o = seen[(long long)t * n + i];
#pragma unroll
        for (int s = 0; s < 16; s++)
            next[s] = fminf(now[from[2 * s]][threadIdx.x], now[from[2 * s + 1]][threadIdx.x] + 0.25f) + show[s * 4 + o];
#pragma unroll
        for (int s = 0; s < 16; s++) now[s][threadIdx.x] = next[s];
    }
    float best = now[0][threadIdx.x];
    for (int s = 1; s < 16; s++) best = fminf(best, now[s][threadIdx.x]);
    least[i] = best;
}
