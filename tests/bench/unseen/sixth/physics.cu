// Sums over decays, lines of sight, modes, charges, genes, clouds of points, rays, ice, wings.

// Sums of a series over random numbers, 8 numbers a thread and round: first all words of a round are made, then they are
// summed, in double precision.
__device__ unsigned next_word(unsigned &state)
{
#pragma unroll
    for (int k = 0; k < 2; k++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
    }
    return state ^ (state >> 9 & 0x2aaaaau);
}
__device__ double decay_of(unsigned word)
{
    const double x = __hiloint2double(0x3ff00000 | (int)(word >> 12), (int)(word << 20)) - 1.0;
    double s = 1.0 / 13;
#pragma unroll
    for (int k = 12; k > 0; k--) s = fma(s, x, 1.0 / k);
    return s;
}
extern "C" __global__ void __launch_bounds__(1024) decay_sums(double *total, int rounds)
{
    __shared__ unsigned words[8][1024];
    const int me = blockIdx.x * 1024 + threadIdx.x;
    unsigned state = me * 2654435761u + 12345u;
    double sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 8; k++) words[k][threadIdx.x] = next_word(state);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) sum += decay_of(words[k][threadIdx.x]);
        __syncthreads();
    }
    total[me] = sum;
}
extern "C" __global__ void __launch_bounds__(1024) decay_sums_b(double *total, int rounds)
{
    const int me = blockIdx.x * 1024 + threadIdx.x;
    unsigned state = me * 2654435761u + 12345u;
    double sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 8; k++) sum += decay_of(next_word(state));
    total[me] = sum;
}

// The steepest of 96 steps over a periodic map of 256 by 128 heights, from places and in ways in 1/65536 of a cell.
template <class Map> __device__ void look(Map map, const int4 *ray, float *steepest)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    int4 r = ray[i];
    float most = -1e30f;
#pragma unroll
    for (int k = 1; k <= 96; k++) {
        r.x += r.z;
        r.y += r.w;
        most = fmaxf(most, map[(r.y >> 8 & 32512) + (r.x >> 16 & 255)] * __fdividef(1.0f, (float)k));
    }
    steepest[i] = most;
}
extern "C" __global__ void __launch_bounds__(256) sight_lines(const volatile float *map, const int4 *ray, float *steepest)
{
    look(map, ray, steepest);
}
extern "C" __global__ void __launch_bounds__(256) sight_lines_b(const float *map, const int4 *ray, float *steepest)
{
    look(map, ray, steepest);
}

// 200 steps of the control of 33 modes of a mirror for each aperture: a thread a mode.
extern "C" __global__ void mirror_modes(const float *wanted, const float *gain, float *shape, int modes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= modes) return;
    const float to = wanted[i], g = gain[i % 33];
    float a = 0, sum = 0;
#pragma unroll 4
    for (int k = 0; k < 200; k++) {
        const float e = to - a;
        sum = fmaf(0.98f, sum, e);
        a = fmaf(g, sum, 0.97f * a);
    }
    shape[i] = a;
}

// The field of charges at probes, forces in single and sums in double precision.
template <int PART> __device__ void fields(const float4 *charge, const float4 *probe, double *field, int charges)
{
    __shared__ float4 some[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 p = probe[i];
    double ax = 0, ay = 0, az = 0;
    for (int from = 0; from < charges; from += 256) {
        __syncthreads();
        some[threadIdx.x] = charge[from + threadIdx.x];
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < 256; j += 32) {
            float bx = 0, by = 0, bz = 0;
#pragma unroll
            for (int k = 0; k < 32; k++) {
                const float4 c = some[j + k];
                const float x = p.x - c.x, y = p.y - c.y, z = p.z - c.z, r = rsqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, 0.01f))));
                const float f = c.w * r * r * r;
                if (PART == 1) {
                    ax += f * x;
                    ay += f * y;
                    az += f * z;
                } else {
                    bx = fmaf(f, x, bx);
                    by = fmaf(f, y, by);
                    bz = fmaf(f, z, bz);
                }
            }
            if (PART > 1) {
                ax += bx;
                ay += by;
                az += bz;
            }
        }
    }
    field[3 * i] = ax;
    field[3 * i + 1] = ay;
    field[3 * i + 2] = az;
}
extern "C" __global__ void __launch_bounds__(256) charge_fields(const float4 *charge, const float4 *probe, double *field, int charges)
{
    fields<1>(charge, probe, field, charges);
}
extern "C" __global__ void __launch_bounds__(256) charge_fields_b(const float4 *charge, const float4 *probe, double *field, int charges)
{
    fields<32>(charge, probe, field, charges);
}

// 64 steps of three genes that hold each other down.
template <bool EXACT> __device__ float made_of(float other, float rate, float hill)
{
    return EXACT ? rate / (1.0f + powf(other, hill)) : __fdividef(rate, 1.0f + __powf(other, hill));
}
template <bool EXACT> __device__ void genes(const float4 *cell, float4 *level, float hill, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float4 c = cell[i];
#pragma unroll 1
    for (int k = 0; k < 64; k++) {
        const float a = made_of<EXACT>(c.z, c.w, hill), b = made_of<EXACT>(c.x, c.w, hill), d = made_of<EXACT>(c.y, c.w, hill);
        c.x = fmaf(0.1f, a - c.x, c.x);
        c.y = fmaf(0.1f, b - c.y, c.y);
        c.z = fmaf(0.1f, d - c.z, c.z);
    }
    level[i] = c;
}
extern "C" __global__ void __launch_bounds__(256) gene_levels(const float4 *cell, float4 *level, float hill, int n) { genes<true>(cell, level, hill, n); }
extern "C" __global__ void __launch_bounds__(256) gene_levels_b(const float4 *cell, float4 *level, float hill, int n) { genes<false>(cell, level, hill, n); }

// Farthest points of clouds of 2048 points with whole coordinates: each next point is the one farthest from all before.
struct Best {
    int far, at;
};
__device__ Best better(Best a, Best b) { return a.far > b.far || (a.far == b.far && a.at < b.at) ? a : b; }
__device__ Best best_by_halves(Best mine)
{
    __shared__ Best all[1024];
    all[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 512; half; half /= 2) {
        if (threadIdx.x < half) all[threadIdx.x] = better(all[threadIdx.x], all[threadIdx.x + half]);
        __syncthreads();
    }
    mine = all[0];
    __syncthreads();
    return mine;
}
__device__ Best best_of_warp(Best mine)
{
    for (int o = 16; o; o /= 2) mine = better(mine, Best{__shfl_xor_sync(~0u, mine.far, o), __shfl_xor_sync(~0u, mine.at, o)});
    return mine;
}
__device__ Best best_by_warps(Best mine, int turn)
{
    __shared__ Best all[2][32];
    mine = best_of_warp(mine);
    if ((threadIdx.x & 31) == 0) all[turn & 1][threadIdx.x / 32] = mine;
    __syncthreads();
    return best_of_warp(all[turn & 1][threadIdx.x & 31]);
}
template <bool HALVES> __device__ void farthest(const int4 *point, int *chosen, int wanted)
{
    const int4 *cloud = point + blockIdx.x * 2048;
    const int4 p = cloud[threadIdx.x], q = cloud[threadIdx.x + 1024];
    int a = 1 << 30, b = 1 << 30, last = 0;
#pragma unroll 1
    for (int k = 0; k < wanted; k++) {
        if (threadIdx.x == 0) chosen[blockIdx.x * wanted + k] = last;
        const int4 c = cloud[last];
        a = min(a, (p.x - c.x) * (p.x - c.x) + (p.y - c.y) * (p.y - c.y) + (p.z - c.z) * (p.z - c.z));
        b = min(b, (q.x - c.x) * (q.x - c.x) + (q.y - c.y) * (q.y - c.y) + (q.z - c.z) * (q.z - c.z));
        const Best mine = better(Best{a, (int)threadIdx.x}, Best{b, (int)threadIdx.x + 1024});
        last = (HALVES ? best_by_halves(mine) : best_by_warps(mine, k)).at;
    }
}
extern "C" __global__ void __launch_bounds__(1024) farthest_points(const int4 *point, int *chosen, int wanted) { farthest<true>(point, chosen, wanted); }
extern "C" __global__ void __launch_bounds__(1024) farthest_points_b(const int4 *point, int *chosen, int wanted) { farthest<false>(point, chosen, wanted); }

// Rays through a channel of 256 lenses with aberration.
__device__ float2 through_lens(float2 r)
{
    r.x = r.x + 0.035 * r.y;
    r.y = r.y * 0.995 - 0.02 * r.x * (1.0 + 0.08 * r.x * r.x);
    return r;
}
__device__ float2 through_lens_b(float2 r)
{
    r.x = r.x + 0.035f * r.y;
    r.y = r.y * 0.995f - 0.02f * r.x * (1.0f + 0.08f * r.x * r.x);
    return r;
}
extern "C" __global__ void __launch_bounds__(256) refract_rays(const float2 *in, float2 *out, int n, int lenses)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float2 r = in[i];
#pragma unroll 4
    for (int k = 0; k < lenses; k++) r = through_lens(r);
    out[i] = r;
}
extern "C" __global__ void __launch_bounds__(256) refract_rays_b(const float2 *in, float2 *out, int n, int lenses)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float2 r = in[i];
#pragma unroll 4
    for (int k = 0; k < lenses; k++) r = through_lens_b(r);
    out[i] = r;
}

// Thickness of ice after some years of snow, flow and melting; a column a thread.
extern "C" __global__ void __launch_bounds__(1024) ice_columns(const float2 *column, float *thickness, int years)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 c = column[i];
    float h = 1.0f;
#pragma unroll 4
    for (int k = 0; k < years; k++) {
        const float flow = h * h * c.y;
        h = fmaf(0.01f, c.x - fmaf(flow, h, 0.3f * h), h);
    }
    thickness[i] = h;
}

// Loads of a wing by a network of 16 inputs, 512 hidden units and one output; 18 numbers a unit.
__constant__ float unit[512][18];
template <int UNROLL> __device__ void loads_of_wing(const float *state, float *load, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float x[16], y = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) x[k] = state[(size_t)k * n + i];
#pragma unroll UNROLL
    for (int u = 0; u < 512; u++) {
        float a = unit[u][16];
#pragma unroll
        for (int k = 0; k < 16; k++) a = fmaf(unit[u][k], x[k], a);
        y = fmaf(unit[u][17], fmaxf(a, 0.0f), y);
    }
    load[i] = y;
}
extern "C" __global__ void __launch_bounds__(256) wing_loads(const float *state, float *load, int n) { loads_of_wing<512>(state, load, n); }
extern "C" __global__ void __launch_bounds__(256) wing_loads_b(const float *state, float *load, int n) { loads_of_wing<8>(state, load, n); }
