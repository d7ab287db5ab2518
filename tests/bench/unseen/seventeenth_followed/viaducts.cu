// Cures of kernels of ../seventeenth/viaducts.cu by authors who followed the advice: NAME_f for NAME.
#include <cuda_pipeline.h>
#include "../seventeenth/viaducts.cu"

namespace followed {
// Marks which of 64 ions are near, then goes through the marks.
extern "C" __global__ void __launch_bounds__(IONS) spray_charges_f(
    const float4 *__restrict__ ion, float4 *__restrict__ force, float alpha, float cutoff)
{
    __shared__ float4 drop[IONS];
    const int t = threadIdx.x;
    const float4 own = ion[blockIdx.x * IONS + t];
    drop[t] = own;
    __syncthreads();
    const float reach = cutoff * cutoff;
    float4 f = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 1
    for (int from = 0; from < IONS; from += 64) {
        unsigned near[2] = {0u, 0u};  // the first ion is the highest bit
#pragma unroll
        for (int k = 0; k < 64; k++) {
            const float4 other = drop[from + k];
            const float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
            if (dx * dx + dy * dy + dz * dz < reach) near[k / 32] |= 0x80000000u >> (k % 32);
        }
        if (t / 32 == from / 32) near[0] &= ~(0x80000000u >> (t % 32));
        if (t / 32 == from / 32 + 1) near[1] &= ~(0x80000000u >> (t % 32));
        unsigned low = near[0], high = near[1];
        while (low | high) {
            const bool early = low != 0u;
            const int k = __clz(early ? low : high);
            const unsigned bit = 0x80000000u >> k;
            low = early ? low ^ bit : low;
            high = early ? high : high ^ bit;
            push_ion(own, drop[from + (early ? k : k + 32)], alpha, f);
        }
    }
    force[blockIdx.x * IONS + t] = f;
}
extern "C" __global__ void __launch_bounds__(256) enzyme_cascades_f(
    const float *__restrict__ before, float *__restrict__ after, float dt, int steps, int kinds, int cells)
{
    switch (kinds) {
        case 1: cascade<1>(before, after, dt, steps, kinds, cells); break;
        case 2: cascade<2>(before, after, dt, steps, kinds, cells); break;
        case 3: cascade<3>(before, after, dt, steps, kinds, cells); break;
        case 4: cascade<4>(before, after, dt, steps, kinds, cells); break;
        case 5: cascade<5>(before, after, dt, steps, kinds, cells); break;
        case 6: cascade<6>(before, after, dt, steps, kinds, cells); break;
        case 7: cascade<7>(before, after, dt, steps, kinds, cells); break;
        case 8: cascade<8>(before, after, dt, steps, kinds, cells); break;
    }
}
// By matrix instructions: a block has 128 features, a warp 32 of them and half of each tile of others.
constexpr int SEEN = 128, ROW = WORDS * 4 + 16;  // bytes of a row of the tile: 16 more, against bank conflicts
__device__ __forceinline__ void fetch_others(const unsigned *__restrict__ other, uint8_t *tile, int start)
{
#pragma unroll
    for (int q = 0; q < TILE * WORDS / 4 / 256; q++) {
        const int c = q * 256 + threadIdx.x, row = c / 8, part = c % 8;
        __pipeline_memcpy_async(tile + row * ROW + part * 16, other + (start + row) * WORDS + part * 4, 16);
    }
}
__device__ __forceinline__ void load_matrices(const uint8_t *from, unsigned *to)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(from))
                 : "memory");
}
__device__ __forceinline__ void multiply_bytes(int (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
extern "C" __global__ void __launch_bounds__(256, 2) panorama_matches_f(
    const unsigned *__restrict__ feature, const unsigned *__restrict__ other, unsigned *__restrict__ best, int others)
{
    __shared__ __align__(16) uint8_t tile[2][TILE * ROW];
    __shared__ unsigned tops[2][SEEN];
    const int t = threadIdx.x, lane = t % 32, part = t / 32 % 2, rows = t / 64 * 32, first = blockIdx.x * SEEN;
    fetch_others(other, tile[0], 0);
    __pipeline_commit();
    unsigned own[2][4][4];
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int s = 0; s < 4; s++) {
            const unsigned *at = feature + (first + rows + m * 16 + lane / 4) * WORDS + s * 8 + lane % 4;
            own[m][s][0] = at[0];
            own[m][s][1] = at[8 * WORDS];
            own[m][s][2] = at[4];
            own[m][s][3] = at[8 * WORDS + 4];
        }
    unsigned top[2][2] = {};
    for (int start = 0, now = 0; start < others; start += TILE, now ^= 1) {
        if (start + TILE < others) fetch_others(other, tile[now ^ 1], start + TILE);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll 2
        for (int n = 0; n < TILE / 2; n += 8) {
            const int row = part * (TILE / 2) + n;
            const uint8_t *at = tile[now] + (row + lane % 8) * ROW + lane / 8 * 16;
            unsigned theirs[8];
            load_matrices(at, theirs);
            load_matrices(at + 64, theirs + 4);
            const unsigned place = 1023 - start - row - lane % 4 * 2;
#pragma unroll
            for (int m = 0; m < 2; m++) {
                int like[4] = {};
#pragma unroll
                for (int s = 0; s < 4; s++) multiply_bytes(like, own[m][s], theirs[2 * s], theirs[2 * s + 1]);
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    const unsigned even = like[2 * h] * 1024u + place, odd = like[2 * h + 1] * 1024u + place - 1;
                    top[m][h] = max(top[m][h], max(even, odd));
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            unsigned all = top[m][h];
            all = max(all, __shfl_xor_sync(0xffffffffu, all, 1));
            all = max(all, __shfl_xor_sync(0xffffffffu, all, 2));
            if (lane % 4 == 0) tops[part][rows + m * 16 + h * 8 + lane / 4] = all;
        }
    __syncthreads();
    if (t < SEEN) best[first + t] = max(tops[0][t], tops[1][t]);
}
extern "C" __global__ void __launch_bounds__(256) slide_radar_f(
    const float4 *__restrict__ place, const float2 *__restrict__ echo, float2 *__restrict__ picture, float wave,
    float nearest, float fine, float spacing, int pulses, int bins, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    const float px = x * spacing, py = y * spacing, per_metre = 2.0f / wave;
    float real = 0.0f, imaginary = 0.0f;
    for (int k = 0; k < pulses; k++) {
        const float4 at = place[k];
        const float dx = px - at.x, dy = py - at.y;
        float range, s, c;
        asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(range) : "f"(dx * dx + dy * dy + at.z * at.z));
        const int bin = min(max((int)((range - nearest) * fine), 0), bins - 1);
        const float2 e = echo[k * bins + bin];
        const float turns = range * per_metre;
        __sincosf(6.2831853f * (turns - rintf(turns)), &s, &c);
        real += e.x * c - e.y * s;
        imaginary += e.x * s + e.y * c;
    }
    picture[y * width + x] = make_float2(real, imaginary);
}
// A warp has 32 samples of 32 recordings, a block 16 such spans; each begins with what those before it leave behind,
// which is carried over a span by the 32nd power of the filter's matrix.
constexpr int SPAN = 32, SPANS = 16;
extern "C" __global__ void __launch_bounds__(32 * SPANS, 2) heart_murmurs_f(
    const float *__restrict__ factor, const float *__restrict__ sound, float *__restrict__ murmur, int samples, int n)
{
    __shared__ float2 ends[SPANS][32], last[32];
    const int lane = threadIdx.x % 32, span = threadIdx.x / 32, i = blockIdx.x * 32 + lane, own = min(i, n - 1);
    const float b0 = factor[own], b1 = factor[n + own], b2 = factor[2 * n + own], a1 = factor[3 * n + own];
    const float a2 = factor[4 * n + own];
    float p = -a1, q = 1.0f, r = -a2, s = 0.0f;  // rows p q and r s
#pragma unroll
    for (int k = 1; k < SPAN; k *= 2) {
        const float p2 = p * p + q * r, q2 = q * (p + s), r2 = r * (p + s), s2 = q * r + s * s;
        p = p2;
        q = q2;
        r = r2;
        s = s2;
    }
    float2 start = make_float2(0.0f, 0.0f);
    for (int base = 0; base < samples; base += SPAN * SPANS) {
        const int from = base + span * SPAN, room = i < n ? samples - from : 0;
        float x[SPAN];
#pragma unroll
        for (int k = 0; k < SPAN; k++) x[k] = k < room ? sound[(from + k) * n + i] : 0.0f;
        float first = 0.0f, second = 0.0f;
#pragma unroll
        for (int k = 0; k < SPAN; k++) {
            const float y = b0 * x[k] + first;
            first = b1 * x[k] - a1 * y + second;
            second = b2 * x[k] - a2 * y;
        }
        ends[span][lane] = make_float2(first, second);
        __syncthreads();
        first = start.x;
        second = start.y;
        for (int k = 0; k < span; k++) {
            const float2 end = ends[k][lane];
            const float next = p * first + q * second + end.x;
            second = r * first + s * second + end.y;
            first = next;
        }
#pragma unroll
        for (int k = 0; k < SPAN; k++) {
            const float y = b0 * x[k] + first;
            first = b1 * x[k] - a1 * y + second;
            second = b2 * x[k] - a2 * y;
            if (k < room) murmur[(from + k) * n + i] = y;
        }
        if (span == SPANS - 1) last[lane] = make_float2(first, second);
        __syncthreads();
        start = last[lane];
    }
}
// task: cluster and first grain of each block.
// A cluster of more than 128 grains has a block for each 32 of them, whose warps share the others.
extern "C" __global__ void __launch_bounds__(GRAINS) dust_clusters_f(
    const float4 *__restrict__ grain, const int *__restrict__ start, const int2 *__restrict__ task,
    float4 *__restrict__ pull)
{
    __shared__ float4 tile[GRAINS];
    const int2 own_task = task[blockIdx.x];
    const int begin = start[own_task.x], end = start[own_task.x + 1];
    if (end - begin <= GRAINS) {
        pull_grains(grain, pull, begin, end, own_task.y, tile);
        return;
    }
    const int t = threadIdx.x, lane = t % 32, part = t / 32 * 32, i = own_task.y + lane;
    const float4 own = i < end ? grain[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int from = begin; from < end; from += GRAINS) {
        const int j = from + t;
        tile[t] = j < end ? grain[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            const float4 other = tile[part + k];
            const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float much = other.w * inverse, weight = much * inverse * inverse;
            a.x += weight * dx;
            a.y += weight * dy;
            a.z += weight * dz;
            a.w += much;
        }
        __syncthreads();
    }
    tile[t] = a;
    __syncthreads();
    if (t >= 32) return;
#pragma unroll
    for (int k = 32; k < GRAINS; k += 32) {
        const float4 more_of_it = tile[k + t];
        a.x += more_of_it.x;
        a.y += more_of_it.y;
        a.z += more_of_it.z;
        a.w += more_of_it.w;
    }
    if (i < end) pull[i] = a;
}
// 64 pixels down a column a thread, summed as long as the label is the same.
// A thread has 16 pixels down a column, summed as long as the label is the same; a block sums the labels that it meets
// in a table of its own.
constexpr int DOWN = 16, LABELS = 64;
struct Met {
    int label[LABELS];  // -1: free
    unsigned area[LABELS], total[LABELS];
};
__device__ __forceinline__ void put_down(
    Met &met, int label, unsigned pixels, unsigned stains, unsigned *__restrict__ area, unsigned *__restrict__ total)
{
    int slot = label % LABELS;
#pragma unroll 1
    for (int tries = 0; tries < LABELS; tries++) {
        int held = *(volatile int *)&met.label[slot];
        if (held == -1) held = atomicCAS(&met.label[slot], -1, label);
        if (held == -1 || held == label) {
            atomicAdd(&met.area[slot], pixels);
            atomicAdd(&met.total[slot], stains);
            return;
        }
        slot = (slot + 1) % LABELS;
    }
    atomicAdd(&area[label], pixels);
    atomicAdd(&total[label], stains);
}
extern "C" __global__ void __launch_bounds__(256) nuclei_stains_f(
    const int *__restrict__ label, const uint8_t *__restrict__ stain, unsigned *__restrict__ area,
    unsigned *__restrict__ total, int width, int height)
{
    __shared__ Met met;
    const int t = threadIdx.x, x = blockIdx.x * 256 + t, y = blockIdx.y * DOWN;
    const int rows = x < width ? min(DOWN, height - y) : 0;
    if (t < LABELS) {
        met.label[t] = -1;
        met.area[t] = met.total[t] = 0u;
    }
    int own[DOWN];
    unsigned stained[DOWN];
#pragma unroll
    for (int k = 0; k < DOWN; k++) {
        own[k] = k < rows ? label[(y + k) * width + x] : -1;
        stained[k] = k < rows ? stain[(y + k) * width + x] : 0u;
    }
    __syncthreads();
    int last = own[0];
    unsigned pixels = 0u, stains = 0u;
#pragma unroll
    for (int k = 0; k < DOWN; k++) {
        if (k < rows) {
            if (own[k] != last) {
                put_down(met, last, pixels, stains, area, total);
                last = own[k];
                pixels = stains = 0u;
            }
            pixels++;
            stains += stained[k];
        }
    }
    __syncwarp();
    unsigned left = __ballot_sync(0xffffffffu, last >= 0);
    while (left) {
        const int one = __shfl_sync(0xffffffffu, last, __ffs(left) - 1);
        const bool mine = last == one;
        const unsigned all_pixels = __reduce_add_sync(0xffffffffu, mine ? pixels : 0u);
        const unsigned all_stains = __reduce_add_sync(0xffffffffu, mine ? stains : 0u);
        if (__ffs(left) - 1 == t % 32) put_down(met, one, all_pixels, all_stains, area, total);
        __syncwarp();
        left &= ~__ballot_sync(0xffffffffu, mine);
    }
    __syncthreads();
    if (t < LABELS && met.label[t] >= 0) {
        atomicAdd(&area[met.label[t]], met.area[t]);
        atomicAdd(&total[met.label[t]], met.total[t]);
    }
}
// A block has 256 rows, whose mains follow each other: neighbouring lanes take neighbouring mains, and put their flows
// into shared memory, where a thread sums those of its row. Heads of the nodes near the rows lie there as well.
constexpr int MAINS = 2048, FAR = 512, HEADS = 256 + 2 * FAR;
extern "C" __global__ void __launch_bounds__(256) water_mains_f(
    const int *__restrict__ start, const int *__restrict__ node, const float *__restrict__ ease,
    const float *__restrict__ head, float *__restrict__ inflow, int nodes)
{
    __shared__ float heads[HEADS], flows[MAINS];
    const int t = threadIdx.x, first = blockIdx.x * 256, row = min(first + t, nodes), low = first - FAR;
    const int begin = start[first], end = start[min(first + 256, nodes)];
    const int from = start[row], to = start[min(row + 1, nodes)];
    float ahead[HEADS / 256], sum = 0.0f;
#pragma unroll
    for (int k = 0; k < HEADS / 256; k++) ahead[k] = head[min(max(low + k * 256 + t, 0), nodes - 1)];
    for (int base = begin; base < end; base += MAINS) {
        int other[MAINS / 256];
        float easy[MAINS / 256];
#pragma unroll
        for (int k = 0; k < MAINS / 256; k++) {
            const int at = base + k * 256 + t;
            other[k] = at < end ? node[at] : first;
            easy[k] = at < end ? ease[at] : 0.0f;
        }
        if (base == begin) {
#pragma unroll
            for (int k = 0; k < HEADS / 256; k++) heads[k * 256 + t] = ahead[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < MAINS / 256; k++) {
            const unsigned at = other[k] - low;
            flows[k * 256 + t] = easy[k] * (at < HEADS ? heads[at] : head[other[k]]);
        }
        __syncthreads();
        const int stop = min(to - base, MAINS);
        for (int k = max(from - base, 0); k < stop; k++) sum += flows[k];
    }
    if (first + t < nodes) inflow[first + t] = sum;
}
// Echo of each cell of a ship's radar over the mean of 64 cells on each side, four cells away, as a sign of icebergs.
// echo: with SIDE more cells at each end.
constexpr int CELLS = 64, GUARD = 4, SIDE = CELLS + GUARD;
// A thread has 16 cells in a row, so that a sum over 64 cells serves the next cell less one and plus one. Four floats
// are left free after each 16, so that lanes 16 apart hit different banks.
constexpr int EACH = 16, BLOCK_CELLS = 128 * EACH, QUADS = (BLOCK_CELLS + 2 * SIDE) / 4;
__device__ __forceinline__ int quad_place(int quad)
{
    return quad + quad / 4;
}
// sum[j] += values FROM + j to FROM + j + CELLS - 1 of the thread's; quads: where its first value lies.
template <int FROM>
__device__ __forceinline__ void add_side(const float4 *quads, float (&sum)[EACH])
{
    constexpr int FIRST = FROM / 4, SKIP = FROM % 4, KEPT = (SKIP + EACH + 2) / 4, ADDED = (FROM + CELLS) / 4;
    constexpr int LAST = (FROM + CELLS + EACH - 2) / 4;
    static_assert((FROM + CELLS) % 4 == SKIP && FIRST + KEPT <= ADDED, "quads of both ends");
    float out[KEPT * 4], in[(LAST - ADDED + 1) * 4], run = 0.0f;
#pragma unroll
    for (int q = 0; q < KEPT; q++) {
        const float4 v = quads[quad_place(FIRST + q)];
        out[4 * q] = v.x;
        out[4 * q + 1] = v.y;
        out[4 * q + 2] = v.z;
        out[4 * q + 3] = v.w;
    }
#pragma unroll
    for (int k = SKIP; k < KEPT * 4; k++) run += out[k];
#pragma unroll
    for (int q = FIRST + KEPT; q < ADDED; q++) {
        const float4 v = quads[quad_place(q)];
        run += (v.x + v.y) + (v.z + v.w);
    }
#pragma unroll
    for (int q = ADDED; q <= LAST; q++) {
        const float4 v = quads[quad_place(q)];
        in[4 * (q - ADDED)] = v.x;
        in[4 * (q - ADDED) + 1] = v.y;
        in[4 * (q - ADDED) + 2] = v.z;
        in[4 * (q - ADDED) + 3] = v.w;
    }
#pragma unroll
    for (int k = 0; k < SKIP; k++) run += in[k];
    sum[0] += run;
#pragma unroll
    for (int j = 1; j < EACH; j++) {
        run += in[SKIP + j - 1] - out[SKIP + j - 1];
        sum[j] += run;
    }
}
extern "C" __global__ void __launch_bounds__(128) iceberg_alarms_f(
    const float *__restrict__ echo, float *__restrict__ alarm, int n)
{
    __shared__ float4 room[QUADS + QUADS / 4 + 1];
    const int t = threadIdx.x, first = blockIdx.x * BLOCK_CELLS, have = n + 2 * SIDE - first;
    for (int q = t; q < QUADS; q += 128) {
        const float *from = echo + first + 4 * q;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (4 * q + 3 < have) {
            v = *(const float4 *)from;
        } else {
            if (4 * q < have) v.x = from[0];
            if (4 * q + 1 < have) v.y = from[1];
            if (4 * q + 2 < have) v.z = from[2];
        }
        room[quad_place(q)] = v;
    }
    __syncthreads();
    const float4 *quads = room + quad_place(EACH / 4 * t);
    float sum[EACH] = {};
    add_side<0>(quads, sum);
    add_side<SIDE + GUARD + 1>(quads, sum);
    float4 found[EACH / 4];
#pragma unroll
    for (int q = 0; q < EACH / 4; q++) {
        const float4 v = quads[quad_place(SIDE / 4 + q)];
        found[q].x = __fdividef(2 * CELLS * v.x, sum[4 * q]);
        found[q].y = __fdividef(2 * CELLS * v.y, sum[4 * q + 1]);
        found[q].z = __fdividef(2 * CELLS * v.z, sum[4 * q + 2]);
        found[q].w = __fdividef(2 * CELLS * v.w, sum[4 * q + 3]);
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < EACH / 4; q++) room[quad_place(EACH / 4 * t + q)] = found[q];
    __syncthreads();
#pragma unroll
    for (int q = t; q < BLOCK_CELLS / 4; q += 128) {
        const float4 v = room[quad_place(q)];
        const int at = first + 4 * q;
        if (at + 3 < n) {
            *(float4 *)(alarm + at) = v;
        } else {
            if (at < n) alarm[at] = v.x;
            if (at + 1 < n) alarm[at + 1] = v.y;
            if (at + 2 < n) alarm[at + 2] = v.z;
        }
    }
}
// fresh: who heard it on that day, as the day before put them down.
extern "C" __global__ void __launch_bounds__(256) rumour_days_f(
    const int4 *__restrict__ friends, const int *__restrict__ fresh, int *__restrict__ heard, int day, int many)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < many) tell(friends, heard, fresh[i], day);
}
// kind: the material of each cell, one of 16; table: its factors.
extern "C" __global__ void __launch_bounds__(256) chip_fields_f(
    const uint8_t *__restrict__ kind, const float2 *__restrict__ table, const float *__restrict__ hx,
    const float *__restrict__ hy, float *__restrict__ field, float *__restrict__ current, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, at = y * width + x;
    if (x >= width) return;
    const int own = kind[at];
    float c[6];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const float2 two = table[own * 3 + k];
        c[2 * k] = two.x;
        c[2 * k + 1] = two.y;
    }
    drive_cell(c, hx, hy, field, current, at, x, y, width);
}
}  // namespace followed
