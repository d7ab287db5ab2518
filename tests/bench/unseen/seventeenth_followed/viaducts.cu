// Reserves, sprays, levees, enzymes, panoramas, landslides, hearts, dust, tissue, storage, water mains, icebergs,
// rumours, optical chips.
#include <cstdint>
#include <cuda_pipeline.h>

// Sums of two numbers of 2048 bits each, for proofs that a bank holds what it owes. A thread a number of 64 words.
extern "C" __global__ void __launch_bounds__(256) reserve_sums(
    const unsigned *__restrict__ held, const unsigned *__restrict__ added, unsigned *__restrict__ sum, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned carry = 0;
#pragma unroll 4
    for (int k = 0; k < 64; k++) {
        const unsigned long long s = (unsigned long long)held[i * 64 + k] + added[i * 64 + k] + carry;
        sum[i * 64 + k] = (unsigned)s;
        carry = (unsigned)(s >> 32);
    }
}
// Word k of all numbers lies in row k.
extern "C" __global__ void __launch_bounds__(256) reserve_sums_b(
    const unsigned *__restrict__ held, const unsigned *__restrict__ added, unsigned *__restrict__ sum, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned carry = 0;
#pragma unroll 4
    for (int k = 0; k < 64; k++) {
        const unsigned long long s = (unsigned long long)held[k * n + i] + added[k * n + i] + carry;
        sum[k * n + i] = (unsigned)s;
        carry = (unsigned)(s >> 32);
    }
}

// Forces on the 256 ions of a drop of an electrospray: the near part of an Ewald sum and a repulsion, within a cutoff.
constexpr int IONS = 256;
__device__ __forceinline__ void push_ion(float4 own, float4 other, float alpha, float4 &force)
{
    const float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
    const float r2 = fmaxf(dx * dx + dy * dy + dz * dz, 1e-3f), inverse = rsqrtf(r2), ar = alpha * r2 * inverse;
    const float u = __fdividef(1.0f, 1.0f + 0.3275911f * ar), bell = __expf(-ar * ar);
    float p = 1.061405429f;
    p = p * u - 1.453152027f;
    p = p * u + 1.421413741f;
    p = p * u - 0.284496736f;
    p = p * u + 0.254829592f;
    const float charge = own.w * other.w, square = inverse * inverse, s2 = 4e-4f * square, s6 = s2 * s2 * s2;
    const float level = charge * inverse * (p * u * bell);
    const float pull = (level + charge * alpha * 1.1283792f * bell) * square + 0.24f * s6 * (2.0f * s6 - 1.0f) * square;
    force.x += pull * dx;
    force.y += pull * dy;
    force.z += pull * dz;
    force.w += level;
}
extern "C" __global__ void __launch_bounds__(IONS) spray_charges(
    const float4 *__restrict__ ion, float4 *__restrict__ force, float alpha, float cutoff)
{
    __shared__ float4 drop[IONS];
    const int t = threadIdx.x;
    const float4 own = ion[blockIdx.x * IONS + t];
    drop[t] = own;
    __syncthreads();
    float4 f = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 2
    for (int j = 0; j < IONS; j++) {
        const float4 other = drop[j];
        const float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
        if (dx * dx + dy * dy + dz * dz < cutoff * cutoff && j != t) push_ion(own, other, alpha, f);
    }
    force[blockIdx.x * IONS + t] = f;
}
// Marks which of 64 ions are near, then goes through the marks.
extern "C" __global__ void __launch_bounds__(IONS) spray_charges_b(
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

// A step of the shallow water behind a broken levee, by the flux of Harten, Lax and van Leer. water: depth and flow
// along x and y, three planes with a border of one cell. C: type of the constants.
template <typename T>
__device__ __forceinline__ T less(T a, T b)
{
    return a < b ? a : b;
}
template <typename T>
__device__ __forceinline__ T more(T a, T b)
{
    return a > b ? a : b;
}
struct Wet {
    float h, u, v;
};
template <typename C>
__device__ __forceinline__ void face_flux(Wet l, Wet r, float (&f)[3])
{
    const C g = 9.81, half = 0.5, none = 0.0, one = 1.0;
    const C cl = sqrt(g * l.h), cr = sqrt(g * r.h);
    const C left = less(less(l.u - cl, r.u - cr), none), right = more(more(l.u + cl, r.u + cr), none);
    const C over = one / (right - left), both = left * right;
    const C ql = l.h * l.u, qr = r.h * r.u;
    f[0] = (right * ql - left * qr + both * (r.h - l.h)) * over;
    f[1] = (right * (ql * l.u + half * g * l.h * l.h) - left * (qr * r.u + half * g * r.h * r.h) + both * (qr - ql)) *
        over;
    f[2] = (right * ql * l.v - left * qr * r.v + both * (r.h * r.v - l.h * l.v)) * over;
}
__device__ __forceinline__ Wet wet(const float *__restrict__ water, int at, int plane)
{
    const float h = water[at], inverse = __fdividef(1.0f, h);
    return {h, water[plane + at] * inverse, water[2 * plane + at] * inverse};
}
__device__ __forceinline__ Wet turned(Wet a)
{
    return {a.h, a.v, a.u};
}
template <typename C>
__device__ __forceinline__ void flow(
    const float *__restrict__ water, float *__restrict__ after, float ratio, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    const int pitch = width + 2, at = (y + 1) * pitch + x + 1, plane = pitch * (height + 2);
    const Wet own = wet(water, at, plane);
    float west[3], east[3], south[3], north[3];
    face_flux<C>(wet(water, at - 1, plane), own, west);
    face_flux<C>(own, wet(water, at + 1, plane), east);
    face_flux<C>(turned(wet(water, at - pitch, plane)), turned(own), south);
    face_flux<C>(turned(own), turned(wet(water, at + pitch, plane)), north);
    after[at] = own.h - ratio * (east[0] - west[0] + north[0] - south[0]);
    after[plane + at] = own.h * own.u - ratio * (east[1] - west[1] + north[2] - south[2]);
    after[2 * plane + at] = own.h * own.v - ratio * (east[2] - west[2] + north[1] - south[1]);
}
extern "C" __global__ void __launch_bounds__(256) levee_breach(
    const float *__restrict__ water, float *__restrict__ after, float ratio, int width, int height)
{
    flow<double>(water, after, ratio, width, height);
}
extern "C" __global__ void __launch_bounds__(256) levee_breach_b(
    const float *__restrict__ water, float *__restrict__ after, float ratio, int width, int height)
{
    flow<float>(water, after, ratio, width, height);
}

// A cascade of up to 8 enzymes, each switched on by the one before and damped by the next, by Runge and Kutta's method;
// a cell a thread. Rates: on and off of each enzyme.
constexpr int ENZYMES = 8;
__constant__ float enzyme_on[ENZYMES], enzyme_off[ENZYMES];
template <int KNOWN>
__device__ __forceinline__ void cascade(
    const float *__restrict__ before, float *__restrict__ after, float dt, int steps, int given, int cells)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x, kinds = KNOWN ? KNOWN : given;
    if (cell >= cells) return;
    float x[ENZYMES], at[ENZYMES], slope[ENZYMES], sum[ENZYMES];
#pragma unroll
    for (int i = 0; i < kinds; i++) x[i] = before[i * cells + cell];
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int i = 0; i < kinds; i++) {
            at[i] = x[i];
            sum[i] = 0.0f;
        }
#pragma unroll
        for (int stage = 0; stage < 4; stage++) {
#pragma unroll
            for (int i = 0; i < kinds; i++) {
                const float up = i > 0 ? at[i - 1] : 1.0f, down = i + 1 < kinds ? at[i + 1] : 1.0f;
                slope[i] = enzyme_on[i] * up * (1.0f - at[i]) - enzyme_off[i] * at[i] * down;
            }
            const float weight = stage == 0 || stage == 3 ? 1.0f : 2.0f, reach = stage == 2 ? dt : 0.5f * dt;
#pragma unroll
            for (int i = 0; i < kinds; i++) {
                sum[i] += weight * slope[i];
                at[i] = x[i] + reach * slope[i];
            }
        }
#pragma unroll
        for (int i = 0; i < kinds; i++) x[i] += dt / 6.0f * sum[i];
    }
#pragma unroll
    for (int i = 0; i < kinds; i++) after[i * cells + cell] = x[i];
}
extern "C" __global__ void __launch_bounds__(256) enzyme_cascades(
    const float *__restrict__ before, float *__restrict__ after, float dt, int steps, int kinds, int cells)
{
    cascade<0>(before, after, dt, steps, kinds, cells);
}
extern "C" __global__ void __launch_bounds__(256) enzyme_cascades_b(
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

// For each feature of a picture the most alike of those of the next one of a panorama. A feature is 128 bytes; a warp
// has four features, and a lane one of the 32 others at a time. best: likeness * 1024 + 1023 - number of the other.
constexpr int WORDS = 32, TILE = 128, QUERIES = 4;
template <int PITCH>
__device__ __forceinline__ void match_features(
    const unsigned *__restrict__ feature, const unsigned *__restrict__ other, unsigned *__restrict__ best, int others)
{
    __shared__ unsigned tile[TILE * PITCH], own[8 * QUERIES * WORDS];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, first = blockIdx.x * 8 * QUERIES;
    for (int k = t; k < 8 * QUERIES * WORDS; k += 256) own[k] = feature[first * WORDS + k];
    unsigned top[QUERIES] = {};
    for (int start = 0; start < others; start += TILE) {
        __syncthreads();
        for (int k = t; k < TILE * WORDS; k += 256) tile[k / WORDS * PITCH + k % WORDS] = other[start * WORDS + k];
        __syncthreads();
#pragma unroll 1
        for (int row = lane; row < TILE; row += 32) {
            unsigned like[QUERIES] = {};
#pragma unroll
            for (int w = 0; w < WORDS; w++) {
                const unsigned theirs = tile[row * PITCH + w];
#pragma unroll
                for (int q = 0; q < QUERIES; q++)
                    like[q] = __dp4a(theirs, own[(warp * QUERIES + q) * WORDS + w], like[q]);
            }
#pragma unroll
            for (int q = 0; q < QUERIES; q++) top[q] = max(top[q], like[q] * 1024 + 1023 - start - row);
        }
    }
#pragma unroll
    for (int q = 0; q < QUERIES; q++) {
        const unsigned all = __reduce_max_sync(0xffffffffu, top[q]);
        if (lane == 0) best[first + warp * QUERIES + q] = all;
    }
}
extern "C" __global__ void __launch_bounds__(256) panorama_matches(
    const unsigned *__restrict__ feature, const unsigned *__restrict__ other, unsigned *__restrict__ best, int others)
{
    match_features<WORDS>(feature, other, best, others);
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
extern "C" __global__ void __launch_bounds__(256, 2) panorama_matches_b(
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

// Picture of a slope that may slide from the echoes of a radar on a rail: for each pixel the echoes at its range,
// turned back by the phase of their way. place: of each pulse; echo: `bins` of each pulse, `fine` a metre from
// `nearest` on.
template <bool EXACT>
__device__ __forceinline__ void focus(
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
        const float range = sqrtf(dx * dx + dy * dy + at.z * at.z);
        const int bin = min(max((int)((range - nearest) * fine), 0), bins - 1);
        const float2 e = echo[k * bins + bin];
        float s, c;
        if (EXACT) {
            sincosf(6.2831853f * per_metre * range, &s, &c);
        } else {
            const float turns = range * per_metre, whole = (turns + 12582912.0f) - 12582912.0f;
            __sincosf(6.2831853f * (turns - whole), &s, &c);
        }
        real += e.x * c - e.y * s;
        imaginary += e.x * s + e.y * c;
    }
    picture[y * width + x] = make_float2(real, imaginary);
}
extern "C" __global__ void __launch_bounds__(256) slide_radar(
    const float4 *__restrict__ place, const float2 *__restrict__ echo, float2 *__restrict__ picture, float wave,
    float nearest, float fine, float spacing, int pulses, int bins, int width)
{
    focus<true>(place, echo, picture, wave, nearest, fine, spacing, pulses, bins, width);
}
extern "C" __global__ void __launch_bounds__(256) slide_radar_b(
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

// Heart sounds through a filter of the second order for murmurs; a recording a thread, each with its own five factors.
extern "C" __global__ void __launch_bounds__(256) heart_murmurs(
    const float *factor, const float *sound, float *murmur, int samples, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float b0 = factor[i], b1 = factor[n + i], b2 = factor[2 * n + i], a1 = factor[3 * n + i];
    const float a2 = factor[4 * n + i];
    float first = 0.0f, second = 0.0f;
#pragma unroll 8
    for (int k = 0; k < samples; k++) {
        const float x = sound[k * n + i], y = b0 * x + first;
        first = b1 * x - a1 * y + second;
        second = b2 * x - a2 * y;
        murmur[k * n + i] = y;
    }
}
// A warp has 32 samples of 32 recordings, a block 16 such spans; each begins with what those before it leave behind,
// which is carried over a span by the 32nd power of the filter's matrix.
constexpr int SPAN = 32, SPANS = 16;
extern "C" __global__ void __launch_bounds__(32 * SPANS, 2) heart_murmurs_b(
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

// Pull of the grains of a cluster of dust on each other. grain: in order of clusters, place and mass; start: where each
// cluster begins.
constexpr int GRAINS = 128;
__device__ __forceinline__ void pull_grains(
    const float4 *__restrict__ grain, float4 *__restrict__ pull, int begin, int end, int first, float4 *tile)
{
    const int i = first + threadIdx.x;
    const float4 own = i < end ? grain[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int from = begin; from < end; from += GRAINS) {
        const int j = from + threadIdx.x;
        tile[threadIdx.x] = j < end ? grain[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < GRAINS; k++) {
            const float4 other = tile[k];
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
    if (i < end) pull[i] = a;
}
extern "C" __global__ void __launch_bounds__(GRAINS) dust_clusters(
    const float4 *__restrict__ grain, const int *__restrict__ start, float4 *__restrict__ pull)
{
    __shared__ float4 tile[GRAINS];
    const int begin = start[blockIdx.x], end = start[blockIdx.x + 1];
    for (int first = begin; first < end; first += GRAINS) pull_grains(grain, pull, begin, end, first, tile);
}
// task: cluster and first grain of each block.
// A cluster of more than 128 grains has a block for each 32 of them, whose warps share the others.
extern "C" __global__ void __launch_bounds__(GRAINS) dust_clusters_b(
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

// Area and stain of each nucleus of a slide of tissue, and of what lies between them (label 0).
extern "C" __global__ void __launch_bounds__(256) nuclei_stains(
    const int *__restrict__ label, const uint8_t *__restrict__ stain, unsigned *__restrict__ area,
    unsigned *__restrict__ total, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width || y >= height) return;
    const int own = label[y * width + x];
    atomicAdd(&area[own], 1u);
    atomicAdd(&total[own], (unsigned)stain[y * width + x]);
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
extern "C" __global__ void __launch_bounds__(256) nuclei_stains_b(
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

// Transforms of 1024 numbers modulo a prime, for proofs that files are still stored; a block a transform, the result in
// bit-reversed order. root: powers of a root of 1, those of a level with pairs `half` apart from `half` on; ratio: root
// * 2^32 / prime.
template <bool DIVIDE>
__device__ __forceinline__ void transform(
    const unsigned *__restrict__ before, const unsigned *__restrict__ root, const unsigned *__restrict__ ratio,
    unsigned *__restrict__ after, unsigned prime)
{
    __shared__ unsigned v[1024];
    const int t = threadIdx.x;
#pragma unroll
    for (int k = t; k < 1024; k += 256) v[k] = before[blockIdx.x * 1024 + k];
#pragma unroll 1
    for (int level = 0; level < 10; level++) {
        const int half = 512 >> level;
        __syncthreads();
#pragma unroll
        for (int j = t; j < 512; j += 256) {
            const int k = j & (half - 1), a = 2 * j - k, b = a + half, w = half + k;
            const unsigned p = v[a], q = v[b];
            if (DIVIDE) {
                v[a] = (p + q) % prime;
                v[b] = (unsigned)((unsigned long long)(p + prime - q) * root[w] % prime);
            } else {
                const unsigned sum = p + q, off = p + prime - q, times = __umulhi(off, ratio[w]);
                const unsigned rest = off * root[w] - times * prime;
                v[a] = min(sum, sum - prime);
                v[b] = min(rest, rest - prime);
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = t; k < 1024; k += 256) after[blockIdx.x * 1024 + k] = v[k];
}
extern "C" __global__ void __launch_bounds__(256) storage_proofs(
    const unsigned *__restrict__ before, const unsigned *__restrict__ root, const unsigned *__restrict__ ratio,
    unsigned *__restrict__ after, unsigned prime)
{
    transform<true>(before, root, ratio, after, prime);
}
extern "C" __global__ void __launch_bounds__(256) storage_proofs_b(
    const unsigned *__restrict__ before, const unsigned *__restrict__ root, const unsigned *__restrict__ ratio,
    unsigned *__restrict__ after, unsigned prime)
{
    transform<false>(before, root, ratio, after, prime);
}

// Flow into each node of a network of water mains: a sparse matrix by rows times the heads. LANES: of a row.
template <int LANES>
__device__ __forceinline__ void add_mains(
    const int *__restrict__ start, const int *__restrict__ node, const float *__restrict__ ease,
    const float *__restrict__ head, float *__restrict__ inflow, int nodes)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    if (row >= nodes) return;
    const int end = start[row + 1];
    float sum = 0.0f;
    for (int k = start[row] + lane; k < end; k += LANES) sum += ease[k] * head[node[k]];
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, LANES);
    if (lane == 0) inflow[row] = sum;
}
extern "C" __global__ void __launch_bounds__(256) water_mains(
    const int *__restrict__ start, const int *__restrict__ node, const float *__restrict__ ease,
    const float *__restrict__ head, float *__restrict__ inflow, int nodes)
{
    add_mains<32>(start, node, ease, head, inflow, nodes);
}
// A block has 256 rows, whose mains follow each other: neighbouring lanes take neighbouring mains, and put their flows
// into shared memory, where a thread sums those of its row. Heads of the nodes near the rows lie there as well.
constexpr int MAINS = 2048, FAR = 512, HEADS = 256 + 2 * FAR;
extern "C" __global__ void __launch_bounds__(256) water_mains_b(
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
extern "C" __global__ void __launch_bounds__(256) iceberg_alarms(
    const float *__restrict__ echo, float *__restrict__ alarm, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll 16
    for (int k = 0; k < CELLS; k++) sum += echo[i + k] + echo[i + SIDE + GUARD + 1 + k];
    alarm[i] = __fdividef(2 * CELLS * echo[i + SIDE], sum);
}
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
extern "C" __global__ void __launch_bounds__(128) iceberg_alarms_b(
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

// One day of a rumour: who heard it on day `day` tells it to four friends, who heard it a day later if not before.
// heard: day on which each person heard it, -1 for not yet.
__device__ __forceinline__ void tell(const int4 *__restrict__ friends, int *__restrict__ heard, int person, int day)
{
    const int4 f = friends[person];
    if (heard[f.x] < 0) heard[f.x] = day + 1;
    if (heard[f.y] < 0) heard[f.y] = day + 1;
    if (heard[f.z] < 0) heard[f.z] = day + 1;
    if (heard[f.w] < 0) heard[f.w] = day + 1;
}
extern "C" __global__ void __launch_bounds__(256) rumour_days(
    const int4 *__restrict__ friends, int *__restrict__ heard, int day, int people)
{
    const int person = blockIdx.x * blockDim.x + threadIdx.x;
    if (person < people && heard[person] == day) tell(friends, heard, person, day);
}
// fresh: who heard it on that day, as the day before put them down.
extern "C" __global__ void __launch_bounds__(256) rumour_days_b(
    const int4 *__restrict__ friends, const int *__restrict__ fresh, int *__restrict__ heard, int day, int many)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < many) tell(friends, heard, fresh[i], day);
}

// Half a step of Maxwell's equations in an optical chip: field and current in each cell from the magnetic field about
// it, by six factors of the cell's material.
__device__ __forceinline__ void drive_cell(
    const float (&c)[6], const float *__restrict__ hx, const float *__restrict__ hy, float *__restrict__ field,
    float *__restrict__ current, int at, int x, int y, int width)
{
    const float left = x > 0 ? hy[at - 1] : 0.0f, above = y > 0 ? hx[at - width] : 0.0f;
    const float curl = hy[at] - left - hx[at] + above, e = field[at], j = current[at];
    const float next = c[0] * e + c[1] * curl - c[2] * j;
    field[at] = next;
    current[at] = c[3] * j + c[4] * (next + e) + c[5] * curl;
}
extern "C" __global__ void __launch_bounds__(256) chip_fields(
    const float *__restrict__ factor, const float *__restrict__ hx, const float *__restrict__ hy,
    float *__restrict__ field, float *__restrict__ current, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, at = y * width + x;
    if (x >= width) return;
    float c[6];
#pragma unroll
    for (int k = 0; k < 6; k++) c[k] = factor[k * width * height + at];
    drive_cell(c, hx, hy, field, current, at, x, y, width);
}
// kind: the material of each cell, one of 16; table: its factors.
extern "C" __global__ void __launch_bounds__(256) chip_fields_b(
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
