// Places that name other places: links of pages, routes, bonds; prints of songs.

// A step of 8 page ranks at once, two threads a page; a page's ranks over its links are float4s 0 and 1 of STRIDE.
template <int STRIDE> __device__ void pull(const float4 *rank, const int *link, float4 *next, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, page = t >> 1, half = t & 1;
    if (page >= n) return;
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
    for (int k = 0; k < 24; k++) {
        const float4 v = rank[(size_t)link[(size_t)k * n + page] * STRIDE + half];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    next[t] = make_float4(0.15f + 0.85f * sum.x, 0.15f + 0.85f * sum.y, 0.15f + 0.85f * sum.z, 0.15f + 0.85f * sum.w);
}
extern "C" __global__ void __launch_bounds__(256) pull_ranks(const float4 *rank, const int *link, float4 *next, int n) { pull<8>(rank, link, next, n); }
extern "C" __global__ void __launch_bounds__(256) pull_ranks_b(const float4 *rank, const int *link, float4 *next, int n) { pull<2>(rank, link, next, n); }

// Mean costs of 31 goods on routes of 80 steps, a warp a route; a place has 32 words: the next place, costs of the goods.
// weight is [classes][80][32], a route's class is its number mod `classes`.
#define STEPS 80
extern "C" __global__ void __launch_bounds__(128) route_costs(const unsigned *place, const int *start, const float *weight, float *cost, int classes)
{
    const int route = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x & 31;
    const float *mine = weight + (size_t)(route % classes) * STEPS * 32 + lane;
    float w[STEPS], sum = 0, whole = 0;
#pragma unroll
    for (int k = 0; k < STEPS; k++) w[k] = mine[k * 32];
#pragma unroll
    for (int k = 0; k < STEPS; k++) whole += w[k];
    const float share = 1.0f / whole;
    unsigned at = start[route];
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        const unsigned v = place[(size_t)at * 32 + lane];
        at = __shfl_sync(~0u, v, 0);
        sum = fmaf(w[k] * share, __uint_as_float(v), sum);
    }
    cost[(size_t)route * 32 + lane] = lane ? sum : at * (1.0f / (1 << 18));
}
extern "C" __global__ void __launch_bounds__(128, 16) route_costs_b(const unsigned *place, const int *start, const float *weight, float *cost, int classes)
{
    const int route = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x & 31;
    const float *mine = weight + (size_t)(route % classes) * STEPS * 32 + lane;
    float sum = 0, whole = 0;
    unsigned at = start[route];
#pragma unroll 4
    for (int k = 0; k < STEPS; k++) {
        const float w = mine[k * 32];
        const unsigned v = place[(size_t)at * 32 + lane];
        at = __shfl_sync(~0u, v, 0);
        whole += w;
        sum = fmaf(w, __uint_as_float(v), sum);
    }
    cost[(size_t)route * 32 + lane] = lane ? sum / whole : at * (1.0f / (1 << 18));
}

// The sum of the squares of the values to which each list of 2048 bonds leads, a block of 128 a list.
template <int AT_ONCE> __device__ void bonds(const int *bond, const float *value, float *energy, int lists)
{
    __shared__ float part[4];
    for (int l = blockIdx.x; l < lists; l += gridDim.x) {
        const int *mine = bond + (size_t)l * 2048 + threadIdx.x;
        float sum = 0;
#pragma unroll 1
        for (int from = 0; from < 2048; from += 128 * AT_ONCE) {
            int at[AT_ONCE];
            float v[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) at[k] = mine[from + k * 128];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) v[k] = value[at[k]];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) sum = fmaf(v[k], v[k], sum);
        }
        for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
        if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0) energy[l] = part[0] + part[1] + part[2] + part[3];
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(128) gather_bonds(const int *bond, const float *value, float *energy, int lists) { bonds<1>(bond, value, energy, lists); }
extern "C" __global__ void __launch_bounds__(128) gather_bonds_b(const int *bond, const float *value, float *energy, int lists) { bonds<8>(bond, value, energy, lists); }

// The best score of each recording among all prints (a power of two, 16 signed bytes each), four recordings a warp; warps
// begin `apart` prints from each other.
extern "C" __global__ void __launch_bounds__(256, 8) match_songs(const int4 *print, const int4 *recording, int *best, int prints, int apart)
{
    const int warp = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x & 31;
    const int begin = (int)((unsigned)warp * (unsigned)apart) & (prints - 1) & ~31;
    int4 r[4];
    int high[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        r[k] = recording[warp * 4 + k];
        high[k] = -(1 << 30);
    }
#pragma unroll 1
    for (int j = 0; j < prints; j += 32) {
        const int4 p = print[((begin + j) & (prints - 1)) + lane];
#pragma unroll
        for (int k = 0; k < 4; k++)
            high[k] = max(high[k], __dp4a(p.x, r[k].x, __dp4a(p.y, r[k].y, __dp4a(p.z, r[k].z, __dp4a(p.w, r[k].w, 0)))));
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int most = __reduce_max_sync(~0u, high[k]);
        if (lane == 0) best[warp * 4 + k] = most;
    }
}
