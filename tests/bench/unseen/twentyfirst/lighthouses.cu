// Lace and rowing boats, foghorns and dominoes, tattoos and caramel, trams and rope bridges, hedgerows and tactile
// skins, electric fences and pumice, mosquito nets and didgeridoos.

#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

// How hard each crossing of threads in lace is pulled by the pins that hold it; pin k of crossing i is at k * n + i.
extern "C" __global__ void __launch_bounds__(256) lace_tension(
    const int *pin, const float *pull, const float *slack, float *tension, float *strain, int pins, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tension[i] = 0.0f;
    strain[i] = 0.0f;
    for (int k = 0; k < pins; k++) {
        const float force = pull[pin[k * n + i]] * (1.0f - slack[i]);
        tension[i] += force;
        strain[i] += force * force * 0.5f;
    }
}
// Sums in registers, pointers that are known not to overlap.
extern "C" __global__ void __launch_bounds__(256) lace_tension_b(
    const int *__restrict__ pin, const float *__restrict__ pull, const float *__restrict__ slack,
    float *__restrict__ tension, float *__restrict__ strain, int pins, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float tight = 1.0f - slack[i];
    float sum = 0.0f, work = 0.0f;
#pragma unroll 8
    for (int k = 0; k < pins; k++) {
        const float force = pull[pin[k * n + i]] * tight;
        sum += force;
        work += force * force * 0.5f;
    }
    tension[i] = sum;
    strain[i] = work;
}

// Impulse, peak and its time of each stroke of an oar, from samples of force. Sample s of stroke i is at
// i * per_stroke + s * per_sample.
extern "C" __global__ void __launch_bounds__(256) rowing_strokes(
    const float *__restrict__ force, float *__restrict__ impulse, float *__restrict__ peak, int *__restrict__ when,
    float weight, int samples, int strokes, int per_stroke, int per_sample)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= strokes) return;
    const float *at = force + static_cast<size_t>(i) * per_stroke;
    float sum = 0.0f, most = 0.0f, jerk = 0.0f, last = 0.0f;
    int best = 0;
#pragma unroll 4
    for (int s = 0; s < samples; s++) {
        const float f = at[static_cast<size_t>(s) * per_sample];
        sum += f;
        jerk += fabsf(f - last);
        last = f;
        if (f > most) most = f, best = s;
    }
    impulse[i] = sum - weight * jerk;
    peak[i] = most;
    when[i] = best;
}

// Level of the recordings of foghorns: mean, spread, crest over the spread, and the samples beyond two spreads.
struct Plus {
    __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
    __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
template <class Op>
__device__ __forceinline__ float over_block(float v, float *room, Op op)
{
    for (int d = 16; d > 0; d /= 2) v = op(v, __shfl_xor_sync(~0u, v, d));
    __syncthreads();
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = v;
    __syncthreads();
    v = room[threadIdx.x % 32];
    for (int d = 16; d > 0; d /= 2) v = op(v, __shfl_xor_sync(~0u, v, d));
    return v;
}
template <class F>
__device__ __forceinline__ void each_sample(const float4 *__restrict__ sound, int quads, F f)
{
#pragma unroll 4
    for (int q = threadIdx.x; q < quads; q += 1024) {
        const float4 v = sound[q];
        f(v.x), f(v.y), f(v.z), f(v.w);
    }
}
__device__ __forceinline__ float beyond(const float4 *sound, int quads, float mean, float limit, float *room)
{
    float many = 0.0f;
    each_sample(sound, quads, [&](float v) { many += fabsf(v - mean) > limit ? 1.0f : 0.0f; });
    return over_block(many, room, Plus());
}
extern "C" __global__ void __launch_bounds__(1024) foghorn_levels(
    const float4 *__restrict__ sounds, float4 *__restrict__ levels, int quads)
{
    __shared__ float room[32];
    const float4 *sound = sounds + static_cast<size_t>(blockIdx.x) * quads;
    const float n = 4.0f * quads;
    float sum = 0.0f;
    each_sample(sound, quads, [&](float v) { sum += v; });
    const float mean = over_block(sum, room, Plus()) / n;
    float squares = 0.0f;
    each_sample(sound, quads, [&](float v) { squares += (v - mean) * (v - mean); });
    const float spread = sqrtf(over_block(squares, room, Plus()) / n);
    float crest = 0.0f;
    each_sample(sound, quads, [&](float v) { crest = fmaxf(crest, fabsf(v - mean)); });
    crest = over_block(crest, room, Larger());
    const float many = beyond(sound, quads, mean, 2.0f * spread, room);
    if (threadIdx.x == 0) levels[blockIdx.x] = make_float4(mean, spread, crest / spread, many / n);
}
// All but the samples beyond from one look at the sound; the first sample stands for the mean.
extern "C" __global__ void __launch_bounds__(1024) foghorn_levels_b(
    const float4 *__restrict__ sounds, float4 *__restrict__ levels, int quads)
{
    __shared__ float room[32];
    const float4 *sound = sounds + static_cast<size_t>(blockIdx.x) * quads;
    const float n = 4.0f * quads, first = sound[0].x;
    float sum = 0.0f, squares = 0.0f, high = -1e30f, low = -1e30f;
    each_sample(sound, quads, [&](float v) {
        const float off = v - first;
        sum += off;
        squares = fmaf(off, off, squares);
        high = fmaxf(high, off);
        low = fmaxf(low, -off);
    });
    const float shift = over_block(sum, room, Plus()) / n;
    const float spread = sqrtf(over_block(squares, room, Plus()) / n - shift * shift);
    high = over_block(high, room, Larger());
    low = over_block(low, room, Larger());
    const float mean = first + shift, crest = fmaxf(high - shift, low + shift);
    const float many = beyond(sound, quads, mean, 2.0f * spread, room);
    if (threadIdx.x == 0) levels[blockIdx.x] = make_float4(mean, spread, crest / spread, many / n);
}

// How long chains of dominoes take to fall and how fast the last one is. Chains are in bunches of 32 of one length.
constexpr int PATTERN = 16;
__device__ __forceinline__ void bunch_falls(
    const int *__restrict__ length, const float2 *__restrict__ chain, float2 *__restrict__ fall, const float *spacing,
    int bunch)
{
    const int i = bunch * 32 + threadIdx.x % 32, tiles = length[bunch];
    const float2 c = chain[i]; // gap and push
    float speed = 1.0f, time = 0.0f;
    for (int k = 0; k < tiles; k++) {
        const float gap = c.x * spacing[k % PATTERN];
        speed = fmaf(speed, 0.93f, c.y * (1.0f - 0.3f * gap));
        time += __fdividef(gap, speed);
    }
    fall[i] = make_float2(time, speed);
}
extern "C" __global__ void __launch_bounds__(1024) domino_chains(
    const int *__restrict__ length, const float2 *__restrict__ chain, const float *__restrict__ pattern,
    float2 *__restrict__ fall, int *__restrict__ queue, int bunches)
{
    __shared__ float spacing[PATTERN];
    if (threadIdx.x < PATTERN) spacing[threadIdx.x] = pattern[threadIdx.x];
    __syncthreads();
    const int share = (bunches + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
    const int end = min(first + share, bunches);
    for (int b = first + threadIdx.x / 32; b < end; b += 32) bunch_falls(length, chain, fall, spacing, b);
}
// A warp takes the next bunch when it is done with one.
extern "C" __global__ void __launch_bounds__(1024) domino_chains_b(
    const int *__restrict__ length, const float2 *__restrict__ chain, const float *__restrict__ pattern,
    float2 *__restrict__ fall, int *__restrict__ queue, int bunches)
{
    __shared__ float spacing[PATTERN];
    if (threadIdx.x < PATTERN) spacing[threadIdx.x] = pattern[threadIdx.x];
    __syncthreads();
    while (true) {
        int b = 0;
        if (threadIdx.x % 32 == 0) b = atomicAdd(queue, 1);
        b = __shfl_sync(~0u, b, 0);
        if (b >= bunches) break;
        bunch_falls(length, chain, fall, spacing, b);
    }
}

// Likeness of photographed tattoos to known ones: products of their descriptions by tensor cores, 128 by 128 a block.
// Two tiles of each kind are under way by cp.async. ROW: halves from one row of a tile to the next.
constexpr int DEEP = 64;
template <int ROW>
__device__ __forceinline__ void tattoo_tile(__half *tile, const __half *from, int length)
{
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int piece = threadIdx.x + j * 256, row = piece / 8, part = piece % 8 * 8;
        __pipeline_memcpy_async(tile + row * ROW + part, from + static_cast<size_t>(row) * length + part, 16);
    }
}
template <int ROW>
__device__ __forceinline__ void tattoo_products(
    const __half *__restrict__ seen, const __half *__restrict__ known, float *__restrict__ like, int many, int length)
{
    using namespace nvcuda::wmma;
    extern __shared__ __align__(128) unsigned char tattoo_room[];
    __half *a = reinterpret_cast<__half *>(tattoo_room), *b = a + 2 * 128 * ROW;
    const int warp = threadIdx.x / 32, my = warp / 4 * 64, mx = warp % 4 * 32;
    const __half *one = seen + static_cast<size_t>(blockIdx.y) * 128 * length;
    const __half *two = known + static_cast<size_t>(blockIdx.x) * 128 * length;
    fragment<accumulator, 16, 16, 16, float> sum[4][2];
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 2; x++) fill_fragment(sum[y][x], 0.0f);
    tattoo_tile<ROW>(a, one, length);
    tattoo_tile<ROW>(b, two, length);
    __pipeline_commit();
    const int turns = length / DEEP;
    for (int k = 0; k < turns; k++) {
        const int slot = k % 2 * 128 * ROW, other = (k + 1) % 2 * 128 * ROW;
        if (k + 1 < turns) {
            tattoo_tile<ROW>(a + other, one + (k + 1) * DEEP, length);
            tattoo_tile<ROW>(b + other, two + (k + 1) * DEEP, length);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < DEEP; j += 16) {
            fragment<matrix_a, 16, 16, 16, __half, row_major> u[4];
            fragment<matrix_b, 16, 16, 16, __half, col_major> v[2];
#pragma unroll
            for (int y = 0; y < 4; y++) load_matrix_sync(u[y], a + slot + (my + y * 16) * ROW + j, ROW);
#pragma unroll
            for (int x = 0; x < 2; x++) load_matrix_sync(v[x], b + slot + (mx + x * 16) * ROW + j, ROW);
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 2; x++) mma_sync(sum[y][x], u[y], v[x], sum[y][x]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 2; x++)
            store_matrix_sync(like + static_cast<size_t>(blockIdx.y * 128 + my + y * 16) * many + blockIdx.x * 128 +
                    mx + x * 16,
                sum[y][x], many, mem_row_major);
}
extern "C" __global__ void __launch_bounds__(256, 2) tattoo_matches(
    const __half *__restrict__ seen, const __half *__restrict__ known, float *__restrict__ like, int many, int length)
{
    tattoo_products<DEEP>(seen, known, like, many, length);
}
// Rows of the tiles eight halves longer.
extern "C" __global__ void __launch_bounds__(256, 2) tattoo_matches_b(
    const __half *__restrict__ seen, const __half *__restrict__ known, float *__restrict__ like, int many, int length)
{
    tattoo_products<DEEP + 8>(seen, known, like, many, length);
}

// Browning of caramel along traces of temperature; each block has a stretch of the traces, which bulk copies bring to
// shared memory in tiles. TILES: how many are held at a time; QUADS: float4 of a tile.
__device__ __forceinline__ uint32_t shared_at(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void bring(void *to, const void *from, uint64_t *full, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_at(full)), "r"(bytes) : "memory");
    constexpr uint32_t most = 32768;
    for (uint32_t done = 0; done < bytes; done += most)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_at(to) + done),
            "l"(static_cast<const char *>(from) + done), "r"(most), "r"(shared_at(full))
            : "memory");
}
__device__ __forceinline__ void wait_for(uint64_t *full, uint32_t parity)
{
    asm volatile("{\n .reg .pred p;\nagain:\n mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n @!p bra again;\n}" ::
                     "r"(shared_at(full)),
        "r"(parity)
        : "memory");
}
__device__ __forceinline__ float browning(float heat, float acid)
{
    const float x = 0.02f * (heat - 160.0f);
    float rate = 0.0021f;
    rate = fmaf(rate, x, -0.0113f);
    rate = fmaf(rate, x, 0.0317f);
    rate = fmaf(rate, x, 0.0831f);
    rate = fmaf(rate, x, -0.0502f);
    rate = fmaf(rate, x, 0.1411f);
    rate = fmaf(rate, x, 0.4203f);
    rate = fmaf(rate, x, acid);
    float burnt = 0.0007f;
    burnt = fmaf(burnt, x, 0.0041f);
    burnt = fmaf(burnt, x, -0.0203f);
    burnt = fmaf(burnt, x, 0.0307f);
    burnt = fmaf(burnt, x, 0.0911f);
    burnt = fmaf(burnt, x, -0.2051f);
    burnt = fmaf(burnt, x, 0.3022f);
    burnt = fmaxf(fmaf(burnt, x, -0.1f), 0.0f);
    const float colour = rate * rate * (1.0f - 0.2f * rate);
    return __fdividef(colour, 1.0f + burnt * burnt + 0.3f * burnt) - fminf(0.05f * burnt, 0.2f);
}
template <int TILES, int QUADS>
__device__ __forceinline__ void cook(const float4 *__restrict__ heat, float *__restrict__ brown, float acid, int tiles)
{
    extern __shared__ __align__(128) unsigned char kettle[];
    float4 *tile = reinterpret_cast<float4 *>(kettle);
    uint64_t *full = reinterpret_cast<uint64_t *>(kettle + sizeof(float4) * TILES * QUADS);
    const float4 *own = heat + static_cast<size_t>(blockIdx.x) * tiles * QUADS;
    if (threadIdx.x == 0) {
        for (int s = 0; s < TILES; s++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_at(full + s)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int s = 0; s < TILES - 1 && s < tiles; s++) bring(tile + s * QUADS, own + s * QUADS, full + s, QUADS * 16);
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < tiles; k++) {
        const int ahead = k + TILES - 1, to = ahead % TILES, slot = k % TILES;
        if (threadIdx.x == 0 && ahead < tiles) bring(tile + to * QUADS, own + ahead * QUADS, full + to, QUADS * 16);
        wait_for(full + slot, k / TILES % 2);
        const float4 *now = tile + slot * QUADS;
#pragma unroll 2
        for (int q = threadIdx.x; q < QUADS; q += 512) {
            const float4 h = now[q];
            sum += browning(h.x, acid) + browning(h.y, acid) + browning(h.z, acid) + browning(h.w, acid);
        }
        __syncthreads();
    }
    brown[blockIdx.x * 512 + threadIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(512) caramel_batches(
    const float4 *__restrict__ heat, float *__restrict__ brown, float acid, int tiles)
{
    cook<1, 8192>(heat, brown, acid, tiles);
}
// Two tiles of half the size in the same room: one is brought while the other is worked on.
extern "C" __global__ void __launch_bounds__(512) caramel_batches_b(
    const float4 *__restrict__ heat, float *__restrict__ brown, float acid, int tiles)
{
    cook<2, 4096>(heat, brown, acid, tiles);
}

// Energy that trams draw, from a map of losses by speed and current; a record has its place in the map, and in its
// upper half how far it is to the next.
constexpr int LOSSES = 49152, PART = LOSSES / 4;
__device__ __forceinline__ float drawn(float low, float high, uint32_t record, float volts)
{
    const float far = static_cast<float>(record >> 16) * (1.0f / 65536.0f);
    return volts * fmaf(far, high - low, low);
}
// A cluster of four blocks shares the map, a quarter in each.
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(1024, 2) tram_energy(
    const float *__restrict__ losses, const uint2 *__restrict__ records, float2 *__restrict__ energy, float volts,
    int pairs)
{
    extern __shared__ __align__(16) float tram_map[];
    cg::cluster_group cluster = cg::this_cluster();
    const int own = cluster.block_rank() * PART;
    for (int j = threadIdx.x; j < PART; j += 1024) tram_map[j] = losses[own + j];
    cluster.sync();
    const auto loss = [&](uint32_t at) { return *cluster.map_shared_rank(tram_map + at % PART, at / PART); };
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < pairs; i += gridDim.x * 1024) {
        const uint2 r = records[i];
        const uint32_t a = r.x & 0xffff, b = r.y & 0xffff;
        energy[i] = make_float2(drawn(loss(a), loss(a + 1), r.x, volts), drawn(loss(b), loss(b + 1), r.y, volts));
    }
    cluster.sync();
}
// The whole map in each block.
extern "C" __global__ void __launch_bounds__(1024) tram_energy_b(
    const float *__restrict__ losses, const uint2 *__restrict__ records, float2 *__restrict__ energy, float volts,
    int pairs)
{
    extern __shared__ __align__(16) float tram_map[];
    for (int j = threadIdx.x; j < LOSSES; j += 1024) tram_map[j] = losses[j];
    __syncthreads();
    const auto loss = [&](uint32_t at) { return tram_map[at]; };
#pragma unroll 2
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < pairs; i += gridDim.x * 1024) {
        const uint2 r = records[i];
        const uint32_t a = r.x & 0xffff, b = r.y & 0xffff;
        energy[i] = make_float2(drawn(loss(a), loss(a + 1), r.x, volts), drawn(loss(b), loss(b + 1), r.y, volts));
    }
}

// Weight that each of 32 planks of a rope bridge has borne, from steps of walkers in grams.
constexpr int PLANKS = 32;
extern "C" __global__ void __launch_bounds__(256) rope_bridge_loads(
    const uchar4 *__restrict__ plank, const ushort4 *__restrict__ grams, unsigned long long *__restrict__ borne, int n)
{
    __shared__ unsigned sums[PLANKS];
    if (threadIdx.x < PLANKS) sums[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 2
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        const uchar4 p = plank[i];
        const ushort4 g = grams[i];
        atomicAdd(&sums[p.x], static_cast<unsigned>(g.x));
        atomicAdd(&sums[p.y], static_cast<unsigned>(g.y));
        atomicAdd(&sums[p.z], static_cast<unsigned>(g.z));
        atomicAdd(&sums[p.w], static_cast<unsigned>(g.w));
    }
    __syncthreads();
    if (threadIdx.x < PLANKS) atomicAdd(&borne[threadIdx.x], static_cast<unsigned long long>(sums[threadIdx.x]));
}
// Sums of its own for each thread, those of a warp's lanes in banks of their own.
extern "C" __global__ void __launch_bounds__(256) rope_bridge_loads_b(
    const uchar4 *__restrict__ plank, const ushort4 *__restrict__ grams, unsigned long long *__restrict__ borne, int n)
{
    __shared__ unsigned sums[PLANKS * 256];
    unsigned *own = sums + threadIdx.x;
    for (int b = 0; b < PLANKS; b++) own[b * 256] = 0;
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        const uchar4 p = plank[i];
        const ushort4 g = grams[i];
        own[p.x * 256] += g.x;
        own[p.y * 256] += g.y;
        own[p.z * 256] += g.z;
        own[p.w * 256] += g.w;
    }
    __syncthreads();
    for (int b = threadIdx.x / 32; b < PLANKS; b += 8) {
        unsigned sum = 0;
        for (int j = threadIdx.x % 32; j < 256; j += 32) sum += sums[b * 256 + j];
        sum = __reduce_add_sync(~0u, sum);
        if (threadIdx.x % 32 == 0) atomicAdd(&borne[b], static_cast<unsigned long long>(sum));
    }
}

// Shelter that hedgerows give to the land on their lee side, over 64 steps up the wind.
constexpr int STEPS = 64;
__device__ __forceinline__ float shelter_of(float far, float reach, float dense)
{
    const float x = far * reach, y = x * x;
    float eddy = 0.00031f;
    eddy = fmaf(eddy, x, -0.0021f);
    eddy = fmaf(eddy, x, 0.0093f);
    eddy = fmaf(eddy, x, -0.0172f);
    eddy = fmaf(eddy, x, -0.0214f);
    eddy = fmaf(eddy, x, 0.0811f);
    eddy = fmaf(eddy, x, -0.1102f);
    eddy = fmaf(eddy, x, -0.2409f);
    eddy = fmaf(eddy, x, dense);
    float porous = 0.0013f;
    porous = fmaf(porous, y, -0.0117f);
    porous = fmaf(porous, y, 0.0421f);
    porous = fmaf(porous, y, -0.0913f);
    porous = fmaf(porous, y, 0.7f * dense);
    return (eddy * eddy + 0.4f * porous) * __expf(-y) + 0.01f * fmaxf(1.0f - x, 0.0f);
}
extern "C" __global__ void __launch_bounds__(256) hedgerow_shelter(
    const float *__restrict__ height, float *__restrict__ calm, float reach, float dense, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < STEPS; k++) sum = fmaf(shelter_of(k + 0.5f, reach, dense), height[i + STEPS - k], sum);
    calm[i] = sum;
}
// The shelter by distance once a block.
extern "C" __global__ void __launch_bounds__(256) hedgerow_shelter_b(
    const float *__restrict__ height, float *__restrict__ calm, float reach, float dense, int n)
{
    __shared__ __align__(16) float shelter[STEPS];
    if (threadIdx.x < STEPS) shelter[threadIdx.x] = shelter_of(threadIdx.x + 0.5f, reach, dense);
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < STEPS; k++) sum = fmaf(shelter[k], height[i + STEPS - k], sum);
    calm[i] = sum;
}

// Readings of a tactile skin brought from the order time, row, layer, column to layer, row, time, column, less what
// each place shows at rest.
__device__ __forceinline__ unsigned short felt(unsigned short reading, unsigned short rest)
{
    return reading > rest ? reading - rest : 0;
}
extern "C" __global__ void __launch_bounds__(256) touch_skin_order(
    const unsigned short *__restrict__ skin, const unsigned short *__restrict__ rest, unsigned short *__restrict__ out,
    unsigned times, unsigned rows, unsigned layers, unsigned columns)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= times * rows * layers * columns) return;
    const unsigned x = i % columns, t = i / columns % times, r = i / (columns * times) % rows;
    const unsigned c = i / (columns * times * rows);
    out[i] = felt(skin[((t * rows + r) * layers + c) * columns + x], rest[r * columns + x]);
}
// Places from the grid and the block, which is as wide as the columns.
extern "C" __global__ void __launch_bounds__(768) touch_skin_order_b(
    const unsigned short *__restrict__ skin, const unsigned short *__restrict__ rest, unsigned short *__restrict__ out,
    unsigned times, unsigned rows, unsigned layers, unsigned columns)
{
    const unsigned x = threadIdx.x, t = blockIdx.x * blockDim.y + threadIdx.y, r = blockIdx.y, c = blockIdx.z;
    if (t >= times) return;
    out[((c * rows + r) * times + t) * columns + x] =
        felt(skin[((t * rows + r) * layers + c) * columns + x], rest[r * columns + x]);
}

// Resistance of electric fences as seen from the charger, post by post from the far end, each with a leak to earth; a
// fence has four kinds of wire to choose from.
constexpr int WIRES = 4, POSTS = 512;
__device__ __forceinline__ float post(float seen, float wire, float leak)
{
    return wire + __fdividef(1.0f, leak + __fdividef(1.0f, seen));
}
extern "C" __global__ void __launch_bounds__(128) fence_resistance(
    const float *__restrict__ leaks, const float4 *__restrict__ wires, const float *__restrict__ ends,
    float4 *__restrict__ seen)
{
    __shared__ float leak[POSTS];
    for (int p = threadIdx.x; p < POSTS; p += blockDim.x) leak[p] = leaks[p];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 w = wires[i];
    const float end = ends[i];
    float4 all = {};
#pragma unroll 1
    for (int k = 0; k < WIRES; k++) {
        const float wire = k == 0 ? w.x : k == 1 ? w.y : k == 2 ? w.z : w.w;
        float z = end;
        for (int p = 0; p < POSTS; p++) z = post(z, wire, leak[p]);
        (k == 0 ? all.x : k == 1 ? all.y : k == 2 ? all.z : all.w) = z;
    }
    seen[i] = all;
}
// All four wires at each post.
extern "C" __global__ void __launch_bounds__(128) fence_resistance_b(
    const float *__restrict__ leaks, const float4 *__restrict__ wires, const float *__restrict__ ends,
    float4 *__restrict__ seen)
{
    __shared__ float leak[POSTS];
    for (int p = threadIdx.x; p < POSTS; p += blockDim.x) leak[p] = leaks[p];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 w = wires[i];
    const float end = ends[i];
    float4 z = {end, end, end, end};
    for (int p = 0; p < POSTS; p++) {
        const float g = leak[p];
        z = make_float4(post(z.x, w.x, g), post(z.y, w.y, g), post(z.z, w.z, g), post(z.w, w.w, g));
    }
    seen[i] = z;
}

// Pores along cuts through pumice: how far each place lies below the mean about it. A cut a block, in shared memory
// that the host gives for the longest cut it knows of.
constexpr int ABOUT = 4;
extern "C" __global__ void __launch_bounds__(128) pumice_pores(
    const float4 *__restrict__ cuts, float *__restrict__ depth, float *__restrict__ open, int length)
{
    extern __shared__ __align__(16) float cut[];
    float4 *quad = reinterpret_cast<float4 *>(cut + ABOUT);
    const float4 *own = cuts + static_cast<size_t>(blockIdx.x) * (length / 4);
    float *to = depth + static_cast<size_t>(blockIdx.x) * length;
    if (threadIdx.x < ABOUT) cut[threadIdx.x] = cut[ABOUT + length + threadIdx.x] = 0.0f;
#pragma unroll 4
    for (int q = threadIdx.x; q < length / 4; q += 128) quad[q] = own[q];
    __syncthreads();
    float pores = 0.0f;
#pragma unroll 2
    for (int x = threadIdx.x; x < length; x += 128) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k <= 2 * ABOUT; k++) sum += cut[x + k];
        const float below = fmaxf(sum * (1.0f / (2 * ABOUT + 1)) - cut[x + ABOUT], 0.0f);
        to[x] = below;
        pores += below;
    }
    for (int d = 16; d > 0; d /= 2) pores += __shfl_xor_sync(~0u, pores, d);
    if (threadIdx.x % 32 == 0) open[blockIdx.x * 4 + threadIdx.x / 32] = pores;
}

// New holes in pictures of mosquito nets: where two pictures differ by more than a limit, the difference is kept.
extern "C" __global__ void __launch_bounds__(256) mosquito_net_holes(
    const unsigned char *__restrict__ before, const unsigned char *__restrict__ after, unsigned char *__restrict__ hole,
    int limit, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        const int off = abs(static_cast<int>(before[i]) - static_cast<int>(after[i]));
        hole[i] = off > limit ? static_cast<unsigned char>(off) : 0;
    }
}
// 16 points of a picture at a time.
__device__ __forceinline__ unsigned four_holes(unsigned a, unsigned b, unsigned limits)
{
    const unsigned off = __vabsdiffu4(a, b);
    return off & __vcmpgtu4(off, limits);
}
extern "C" __global__ void __launch_bounds__(256) mosquito_net_holes_b(
    const uint4 *__restrict__ before, const uint4 *__restrict__ after, uint4 *__restrict__ hole, int limit, int n)
{
    const unsigned limits = limit * 0x01010101u;
#pragma unroll 1
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 16; i += gridDim.x * 256) {
        const uint4 a = before[i], b = after[i];
        hole[i] = make_uint4(four_holes(a.x, b.x, limits), four_holes(a.y, b.y, limits),
            four_holes(a.z, b.z, limits), four_holes(a.w, b.w, limits));
    }
}

// Tone of didgeridoos: the breath goes down the bore, comes back after a delay that is the length of the bore, and
// meets the lips. bore(j): what is under way.
constexpr int BORE = 48;
template <class Bore>
__device__ __forceinline__ float2 blow(Bore bore, float breath, int length, int steps)
{
    float low = 0.0f, energy = 0.0f;
    int at = 0;
    for (int s = 0; s < steps; s++) {
        float &cell = bore(at);
        low = 0.5f * (cell + low);
        const float lips = breath - 0.9f * low;
        const float sent = lips * (1.0f - 0.3f * lips * lips);
        cell = sent;
        at = at + 1 == length ? 0 : at + 1;
        energy = fmaf(sent, sent, energy);
    }
    return make_float2(energy, low);
}
extern "C" __global__ void __launch_bounds__(128) didgeridoo_tones(
    const float *__restrict__ breath, const int *__restrict__ length, float2 *__restrict__ tone, int steps, int n)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    float bore[BORE] = {};
    tone[i] = blow([&](int j) -> float & { return bore[j]; }, breath[i], length[i], steps);
}
// The bores in shared memory, a thread's in a bank of its own.
extern "C" __global__ void __launch_bounds__(128) didgeridoo_tones_b(
    const float *__restrict__ breath, const int *__restrict__ length, float2 *__restrict__ tone, int steps, int n)
{
    __shared__ float bores[BORE * 128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    float *bore = bores + threadIdx.x;
    for (int j = 0; j < BORE; j++) bore[j * 128] = 0.0f;
    tone[i] = blow([&](int j) -> float & { return bore[j * 128]; }, breath[i], length[i], steps);
}
