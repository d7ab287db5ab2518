// Oysters, orchids, xylophones, tide mills, saffron, sponges.

// Growth of oysters in 40 classes of size at each place of a bay. mass: a class after the other, n places each.
constexpr int SIZES = 40;
__device__ __forceinline__ void grow_oysters(
    const float *__restrict__ mass, const float *__restrict__ inflow, float *__restrict__ grown, int days, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float m[SIZES];
#pragma unroll
    for (int k = 0; k < SIZES; k++) m[k] = mass[static_cast<size_t>(k) * n + i];
    const float fresh = inflow[i];
    float food = fresh;
    for (int day = 0; day < days; day++) {
        float eaten = 0.0f, from = 0.002f;
#pragma unroll
        for (int k = 0; k < SIZES; k++) {
            const float gain = 0.03f * food * m[k];
            const float moved = 0.05f * m[k];
            m[k] += gain + from - moved - 0.01f * m[k] * m[k];
            from = moved;
            eaten += gain;
        }
        food = fmaxf(food + 0.2f * (fresh - food) - 0.1f * eaten, 0.0f);
    }
#pragma unroll
    for (int k = 0; k < SIZES; k++) grown[static_cast<size_t>(k) * n + i] = m[k];
}
extern "C" __global__ void __launch_bounds__(128, 10) oyster_growth(
    const float *__restrict__ mass, const float *__restrict__ inflow, float *__restrict__ grown, int days, int n)
{
    grow_oysters(mass, inflow, grown, days, n);
}
extern "C" __global__ void __launch_bounds__(128) oyster_growth_b(
    const float *__restrict__ mass, const float *__restrict__ inflow, float *__restrict__ grown, int days, int n)
{
    grow_oysters(mass, inflow, grown, days, n);
}

// Pairs of orchids whose flowers look alike: how many of the orchids that come later in the list are like each one.
// flower: three measures and the weight that scales the last; n is a multiple of 512 and of the chunk.
__device__ __forceinline__ int alike(float4 a, float4 b, float near)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
    return x * x + y * y + z * z + w * w < near;
}
extern "C" __global__ void __launch_bounds__(512) orchid_likeness(
    const float4 *__restrict__ flower, int *__restrict__ like, float near, int chunk, int n)
{
    __shared__ float4 tile[512];
    const int first = blockIdx.x * 512, i = first + threadIdx.x;
    const float4 own = flower[i];
    int found = 0;
    for (int from = first; from < n; from += 512) {
        __syncthreads();
        tile[threadIdx.x] = flower[from + threadIdx.x];
        __syncthreads();
        const int begin = from == first ? threadIdx.x + 1 : 0;
        if (begin == 0) {
#pragma unroll 8
            for (int j = 0; j < 512; j++) found += alike(own, tile[j], near);
        } else {
            for (int j = begin; j < 512; j++) found += alike(own, tile[j], near);
        }
    }
    like[i] = found;
}
extern "C" __global__ void __launch_bounds__(512) orchid_likeness_b(
    const float4 *__restrict__ flower, int *__restrict__ like, float near, int chunk, int n)
{
    __shared__ float4 tile[512];
    const int first = blockIdx.x * 512, i = first + threadIdx.x;
    const int begin_chunk = blockIdx.y * chunk, end = begin_chunk + chunk;
    if (end <= first) return;
    const float4 own = flower[i];
    int found = 0;
    for (int from = max(begin_chunk, first); from < end; from += 512) {
        __syncthreads();
        tile[threadIdx.x] = flower[from + threadIdx.x];
        __syncthreads();
        const int begin = from == first ? threadIdx.x + 1 : 0;
        if (begin == 0) {
#pragma unroll 8
            for (int j = 0; j < 512; j++) found += alike(own, tile[j], near);
        } else {
            for (int j = begin; j < 512; j++) found += alike(own, tile[j], near);
        }
    }
    atomicAdd(&like[i], found);
}

// Strongest vibration of xylophone bars of 1024 pieces, by repeated multiplication with the stiffness of the bar; a bar
// a block, a piece a thread. stiff: of each piece of each bar; pitch: the last quotient of two sums.
constexpr int PIECES = 1024;
struct SumByTree {
    float part[PIECES];
    __device__ __forceinline__ float sum(float v)
    {
        const int t = threadIdx.x;
        part[t] = v;
        __syncthreads();
        for (int half = PIECES / 2; half > 0; half /= 2) {
            if (t < half) part[t] += part[t + half];
            __syncthreads();
        }
        const float all = part[0];
        __syncthreads();
        return all;
    }
};
__device__ __forceinline__ float bend(const float *shape, float k, int t)
{
    const float here = shape[t + 2];
    return k * (6.0f * here - 4.0f * (shape[t + 1] + shape[t + 3]) + shape[t] + shape[t + 4]);
}
extern "C" __global__ void __launch_bounds__(1024) xylophone_bars(
    const float *__restrict__ stiff, float *__restrict__ pitch, float *__restrict__ form, int rounds)
{
    __shared__ float shape[PIECES + 4];
    __shared__ SumByTree tree;
    const int t = threadIdx.x, at = blockIdx.x * PIECES + t;
    const float k = stiff[at];
    float v = 1.0f + (t % 3 == 0 ? 0.5f : -0.5f) * k, found = 0.0f;
    if (t < 2) shape[t] = shape[PIECES + 2 + t] = 0.0f;
    for (int round = 0; round < rounds; round++) {
        shape[t + 2] = v;
        __syncthreads();
        const float w = bend(shape, k, t);
        const float along = tree.sum(v * w), own = tree.sum(v * v), size = tree.sum(w * w);
        found = along / own;
        v = w * rsqrtf(size) * 32.0f;
    }
    form[at] = v * v;
    if (t == 0) pitch[blockIdx.x] = found;
}
extern "C" __global__ void __launch_bounds__(1024) xylophone_bars_b(
    const float *__restrict__ stiff, float *__restrict__ pitch, float *__restrict__ form, int rounds)
{
    __shared__ float shape[PIECES + 4];
    __shared__ float part[3][32];
    const int t = threadIdx.x, lane = t % 32, at = blockIdx.x * PIECES + t;
    const float k = stiff[at];
    float v = 1.0f + (t % 3 == 0 ? 0.5f : -0.5f) * k, found = 0.0f;
    if (t < 2) shape[t] = shape[PIECES + 2 + t] = 0.0f;
    for (int round = 0; round < rounds; round++) {
        shape[t + 2] = v;
        __syncthreads();
        const float w = bend(shape, k, t);
        float sums[3] = {v * w, v * v, w * w};
#pragma unroll
        for (int s = 0; s < 3; s++) {
#pragma unroll
            for (int by = 16; by > 0; by /= 2) sums[s] += __shfl_xor_sync(~0u, sums[s], by);
            if (lane == 0) part[s][t / 32] = sums[s];
        }
        __syncthreads();
#pragma unroll
        for (int s = 0; s < 3; s++) {
            sums[s] = part[s][lane];
#pragma unroll
            for (int by = 16; by > 0; by /= 2) sums[s] += __shfl_xor_sync(~0u, sums[s], by);
        }
        found = sums[0] / sums[1];
        v = w * rsqrtf(sums[2]) * 32.0f;
    }
    form[at] = v * v;
    if (t == 0) pitch[blockIdx.x] = found;
}

// Yield of a tide mill's pond under 2048 rules of when to open its gates. tide: for each mill and hour the level of the
// sea, the inflow of the brook, the price of flour and the loss by leaks, then four numbers of wind, ice, wages, toll.
// rule: level above which the gate opens, opening, least head, share kept. A block takes every gridDim.y-th 512 rules.
constexpr int HOURS = 3648, RULES = 2048;
extern "C" __global__ void __launch_bounds__(512) tide_mill_rules(
    const float4 *__restrict__ tide, const float4 *__restrict__ rule, float *__restrict__ yield)
{
    extern __shared__ float4 hour[];
    const float4 *own = tide + static_cast<size_t>(blockIdx.x) * HOURS * 2;
    for (int k = threadIdx.x; k < HOURS * 2; k += 512) hour[k] = own[k];
    __syncthreads();
    for (int r = blockIdx.y * 512 + threadIdx.x; r < RULES; r += gridDim.y * 512) {
        const float4 by = rule[r];
        float level = 0.5f, sum = 0.0f;
#pragma unroll 4
        for (int h = 0; h < HOURS; h++) {
            const float4 sea = hour[2 * h], cost = hour[2 * h + 1];
            const float head = level - sea.x;
            const float filled = fmaxf(-head, 0.0f) * by.y;
            const float through = head > by.z ? by.x * head * by.w : 0.0f;
            const float ground = through * (1.0f - cost.x * through) - cost.y * through * head;
            sum += fmaxf(ground * sea.z - cost.z, 0.0f) - cost.w * filled;
            level = fminf(fmaxf(level + sea.y + filled - through - sea.w * level, 0.0f), 1.0f);
        }
        yield[blockIdx.x * RULES + r] = sum;
    }
}

// Which spots of a field are saffron in bloom, by eight mixtures of 16 colours. light: a colour after the other, n
// spots each; n is a multiple of 256. bloom: a byte for each mixture and spot.
constexpr int COLOURS = 16, MIXTURES = 8;
extern "C" __global__ void __launch_bounds__(256) saffron_bloom(
    const float *__restrict__ light, const float *__restrict__ mixture, unsigned char *__restrict__ bloom, float least,
    int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x, which = blockIdx.y;
    const float *share = mixture + which * COLOURS;
    float sum = 0.0f, whole = 0.0f;
#pragma unroll
    for (int c = 0; c < COLOURS; c++) {
        const float seen = __ldg(light + static_cast<size_t>(c) * n + i);
        sum += share[c] * seen;
        whole += seen;
    }
    bloom[static_cast<size_t>(which) * n + i] = sum > least * whole;
}
extern "C" __global__ void __launch_bounds__(256) saffron_bloom_b(
    const float *__restrict__ light, const float *__restrict__ mixture, unsigned char *__restrict__ bloom, float least,
    int n)
{
    __shared__ float share[MIXTURES * COLOURS];
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x < MIXTURES * COLOURS) share[threadIdx.x] = mixture[threadIdx.x];
    float seen[COLOURS], whole = 0.0f;
#pragma unroll
    for (int c = 0; c < COLOURS; c++) seen[c] = light[static_cast<size_t>(c) * n + i];
    __syncthreads();
#pragma unroll
    for (int c = 0; c < COLOURS; c++) whole += seen[c];
#pragma unroll
    for (int which = 0; which < MIXTURES; which++) {
        float sum = 0.0f;
#pragma unroll
        for (int c = 0; c < COLOURS; c++) sum += share[which * COLOURS + c] * seen[c];
        bloom[static_cast<size_t>(which) * n + i] = sum > least * whole;
    }
}

// Water that the cells of a sponge pump: a thread for each place of the picture, of which few hold a cell, or one for
// each place in a list of those that do. cell: 0 where there is none; flow, food: of each place.
__device__ __forceinline__ float pumped(float flow, float food, int kind)
{
    const float rate = 0.2f * kind, held = food / (0.5f + food);
    return rate * held * __expf(-0.3f * flow) + 0.01f * flow;
}
extern "C" __global__ void __launch_bounds__(128) sponge_pumping(
    const unsigned char *__restrict__ cell, const float *__restrict__ flow, const float *__restrict__ food,
    float *__restrict__ water, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int kind = cell[i];
    if (kind == 0) return;
    water[i] = pumped(flow[i], food[i], kind);
}
extern "C" __global__ void __launch_bounds__(128) sponge_pumping_b(
    const int *__restrict__ place, const unsigned char *__restrict__ cell, const float *__restrict__ flow,
    const float *__restrict__ food, float *__restrict__ water, int many)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= many) return;
    const int i = place[k];
    water[i] = pumped(flow[i], food[i], cell[i]);
}
