// Collars and radar, loaves and bridges, canal locks and choirs, coffee and fireworks, glass and fruit, claims and
// soil, tea and yarn.
#include <cuda_fp16.h>
#include <mma.h>

__device__ __forceinline__ float root(float square)
{
    return square * rsqrtf(fmaxf(square, 1e-20f));
}
// Length of the path of each collared animal and how far it went from its first fix. TIMES: fixes in order of time.
template <bool TIMES>
__device__ __forceinline__ void collar_path(
    const float2 *__restrict__ fix, float2 *__restrict__ path, int fixes, int collars)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= collars) return;
    const float2 home = fix[TIMES ? c : c * fixes];
    float2 last = home;
    float length = 0.0f, far = 0.0f;
#pragma unroll 4
    for (int k = 1; k < fixes; k++) {
        const float2 at = fix[TIMES ? k * collars + c : c * fixes + k];
        const float dx = at.x - last.x, dy = at.y - last.y, hx = at.x - home.x, hy = at.y - home.y;
        length += root(dx * dx + dy * dy);
        far = fmaxf(far, hx * hx + hy * hy);
        last = at;
    }
    path[c] = make_float2(length, root(far));
}
extern "C" __global__ void __launch_bounds__(256) collar_paths(
    const float2 *__restrict__ fix, float2 *__restrict__ path, int fixes, int collars)
{
    collar_path<false>(fix, path, fixes, collars);
}
extern "C" __global__ void __launch_bounds__(256) collar_paths_b(
    const float2 *__restrict__ fix, float2 *__restrict__ path, int fixes, int collars)
{
    collar_path<true>(fix, path, fixes, collars);
}

// Traces of a ground radar over a buried villa: their mean and the slow wave of 9 samples taken out. A trace a thread.
constexpr int TRACES = 128, DEPTHS = 64;
template <int ROW> __device__ __forceinline__ void dewow(const float *__restrict__ raw, float *__restrict__ clean)
{
    __shared__ float tile[TRACES * ROW];
    const int tid = threadIdx.x;
    const size_t base = static_cast<size_t>(blockIdx.x) * TRACES * DEPTHS;
#pragma unroll 8
    for (int k = tid; k < TRACES * DEPTHS; k += TRACES) tile[k / DEPTHS * ROW + k % DEPTHS] = raw[base + k];
    __syncthreads();
    float *trace = tile + tid * ROW, mean = 0.0f, window[9], sum = 0.0f;
#pragma unroll 16
    for (int k = 0; k < DEPTHS; k++) mean += trace[k];
    mean *= 1.0f / DEPTHS;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        window[k] = k < 5 ? 0.0f : trace[k - 5] - mean;
        sum += window[k];
    }
#pragma unroll 9
    for (int k = 0; k < DEPTHS; k++) {
        const float next = k + 4 < DEPTHS ? trace[k + 4] - mean : 0.0f;
        sum += next - window[0];
#pragma unroll
        for (int j = 0; j < 8; j++) window[j] = window[j + 1];
        window[8] = next;
        trace[k] = window[4] - sum * (1.0f / 9.0f);
    }
    __syncthreads();
#pragma unroll 8
    for (int k = tid; k < TRACES * DEPTHS; k += TRACES) clean[base + k] = tile[k / DEPTHS * ROW + k % DEPTHS];
}
extern "C" __global__ void __launch_bounds__(TRACES) radar_dewow(
    const float *__restrict__ raw, float *__restrict__ clean)
{
    dewow<DEPTHS>(raw, clean);
}
extern "C" __global__ void __launch_bounds__(TRACES) radar_dewow_b(
    const float *__restrict__ raw, float *__restrict__ clean)
{
    dewow<DEPTHS + 1>(raw, clean);
}

// Browning of loaves of eight kinds of dough after some minutes in the oven, each kind by its own law.
extern "C" __global__ void __launch_bounds__(256) loaf_crusts(
    const int *__restrict__ kind, const float *__restrict__ mass, float *__restrict__ crust, float heat, int minutes,
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float m = mass[i];
    float wet = 0.4f, brown = 0.0f;
    switch (kind[i]) {
    case 0:
        for (int k = 0; k < minutes; k++) {
            wet -= 0.02f * wet * heat;
            brown += (1.0f - brown) * __expf(-9.0f * wet - m) * heat;
        }
        break;
    case 1:
        for (int k = 0; k < minutes; k++) {
            const float dry = 1.0f - wet * wet;
            wet = fmaxf(wet - 0.01f * heat * dry, 0.05f);
            brown = fmaf(dry * dry, 0.015f * heat * (1.0f - brown), brown);
        }
        break;
    case 2:
        for (int k = 0; k < minutes; k++) {
            wet *= 1.0f - 0.03f * heat * rsqrtf(1.0f + m);
            brown += 0.01f * heat * rsqrtf(0.1f + wet);
        }
        break;
    case 3:
        for (int k = 0; k < minutes; k++) {
            const float rise = __sinf(0.05f * k + m);
            wet -= 0.005f * heat * rise * rise;
            brown += fabsf(rise) * 0.01f * (1.0f - wet);
        }
        break;
    case 4:
        for (int k = 0; k < minutes; k++) {
            const float rate = __fdividef(heat, 8.0f + 40.0f * wet + m);
            wet -= 0.1f * rate * wet;
            brown += rate * (1.0f - brown) * (1.0f - brown);
        }
        break;
    case 5:
        for (int k = 0; k < minutes; k++) {
            const float rate = __log2f(1.0f + m * wet);
            wet = fmaxf(wet - 0.01f * rate, 0.1f);
            brown = fmaxf(brown + 0.02f * heat - 0.01f * rate, 0.0f);
        }
        break;
    case 6:
        for (int k = 0; k < minutes; k++) {
            const float steam = wet * (3.0f - 2.0f * wet) * wet;
            brown += 0.02f * (heat - steam) * (m - brown * brown);
            wet -= 0.03f * steam;
        }
        break;
    default:
        for (int k = 0; k < minutes; k++) {
            const float core = fminf(0.02f * k * heat, 1.0f);
            wet -= 0.01f * core * (wet - 0.1f);
            brown = fmaf(core * core, 0.02f * __expf(-wet), brown);
        }
    }
    crust[i] = brown + 0.1f * wet;
}

// Peak, samples over the limit and changes of sign of the strain at the gauges of a bridge. A gauge is blockIdx.y, its
// record is shared by the blocks of x.
extern "C" __global__ void __launch_bounds__(256) bridge_strains(
    const float *__restrict__ strain, unsigned *__restrict__ found, float limit, int samples)
{
    const float *record = strain + static_cast<size_t>(blockIdx.y) * samples;
    float peak = 0.0f;
    unsigned over = 0, turns = 0;
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < samples - 1; i += 4 * step) {
        float here[4], next[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int at = i + j * step;
            here[j] = at < samples - 1 ? record[at] : 0.0f;
            next[j] = at < samples - 1 ? record[at + 1] : 0.0f;
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            peak = fmaxf(peak, fabsf(here[j]));
            over += fabsf(here[j]) > limit;
            turns += (here[j] < 0.0f) != (next[j] < 0.0f);
        }
    }
    const unsigned top = __reduce_max_sync(~0u, __float_as_uint(peak));
    over = __reduce_add_sync(~0u, over);
    turns = __reduce_add_sync(~0u, turns);
    if (threadIdx.x % 32 > 0) return;
    atomicMax(&found[3 * blockIdx.y], top);
    atomicAdd(&found[3 * blockIdx.y + 1], over);
    atomicAdd(&found[3 * blockIdx.y + 2], turns);
}

// Level in a canal lock while its paddles open, for many locks and openings.
extern "C" __global__ void __launch_bounds__(256) lock_filling(
    const float *__restrict__ upper, const float *__restrict__ paddle, float *__restrict__ level, float chamber,
    int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float top = upper[i], area = paddle[i], per = 1.0f / chamber;
    float h = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float open = fminf(0.05f * k, 1.0f), head = fmaxf(top - h, 0.0f);
        h += 0.62 * area * open * sqrt(2.0 * 9.81 * head) * per;
    }
    level[i] = h;
}
extern "C" __global__ void __launch_bounds__(256) lock_filling_b(
    const float *__restrict__ upper, const float *__restrict__ paddle, float *__restrict__ level, float chamber,
    int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float top = upper[i], area = paddle[i], per = 1.0f / chamber;
    float h = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float open = fminf(0.05f * k, 1.0f), head = fmaxf(top - h, 0.0f);
        h += 0.62f * area * open * sqrtf(2.0f * 9.81f * head) * per;
    }
    level[i] = h;
}

// Differences of each frame of a choir's recording and itself later, by lag, from which its pitch is found. A frame is
// 1024 samples, a block.
constexpr int FRAME = 1024, LAGS = 512;
extern "C" __global__ void __launch_bounds__(256) choir_pitch(
    const float *__restrict__ sound, float *__restrict__ difference)
{
    __shared__ __align__(16) float frame[FRAME];
    for (int k = threadIdx.x; k < FRAME; k += 256) frame[k] = sound[blockIdx.x * FRAME + k];
    __syncthreads();
    for (int lag = threadIdx.x; lag < LAGS; lag += 256) {
        float sum = 0.0f;
#pragma unroll 8
        for (int k = 0; k < FRAME - LAGS; k++) {
            const float d = frame[k] - frame[k + lag];
            sum += d * d;
        }
        difference[blockIdx.x * LAGS + lag] = sum;
    }
}
extern "C" __global__ void __launch_bounds__(128) choir_pitch_b(
    const float *__restrict__ sound, float *__restrict__ difference)
{
    __shared__ __align__(16) float frame[FRAME];
    for (int k = threadIdx.x; k < FRAME; k += 128) frame[k] = sound[blockIdx.x * FRAME + k];
    __syncthreads();
    const float4 *four = reinterpret_cast<const float4 *>(frame);
    float sum[4] = {}, later[8];
    *reinterpret_cast<float4 *>(later) = four[threadIdx.x];
#pragma unroll 4
    for (int k = 0; k < (FRAME - LAGS) / 4; k++) {
        float here[4];
        *reinterpret_cast<float4 *>(here) = four[k];
        *reinterpret_cast<float4 *>(later + 4) = four[k + threadIdx.x + 1];
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int l = 0; l < 4; l++) {
                const float d = here[j] - later[j + l];
                sum[l] += d * d;
            }
#pragma unroll
        for (int j = 0; j < 4; j++) later[j] = later[j + 4];
    }
    reinterpret_cast<float4 *>(difference)[blockIdx.x * (LAGS / 4) + threadIdx.x] =
        make_float4(sum[0], sum[1], sum[2], sum[3]);
}

// Colour of coffee beans after roasting: water leaves, sugars brown, by laws of temperature.
template <bool FAST> __device__ __forceinline__ float ratio(float a, float b)
{
    return FAST ? __fdividef(a, b) : a / b;
}
template <bool FAST>
__device__ __forceinline__ void roast(
    const float *__restrict__ start, float *__restrict__ colour, float oven, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float heat = 300.0f, water = start[i], brown = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float left = FAST ? __powf(water, 1.3f) : powf(water, 1.3f);
        const float power = ratio<FAST>(-6000.0f, heat);
        const float rate = 2.0e4f * (FAST ? __expf(power) : expf(power));
        heat += ratio<FAST>(oven - heat, 12.0f + 60.0f * water);
        water -= 0.06f * left;
        brown += rate * (1.0f - brown);
    }
    colour[i] = brown + water;
}
extern "C" __global__ void __launch_bounds__(256) roast_colours(
    const float *__restrict__ start, float *__restrict__ colour, float oven, int steps, int n)
{
    roast<false>(start, colour, oven, steps, n);
}
extern "C" __global__ void __launch_bounds__(256) roast_colours_b(
    const float *__restrict__ start, float *__restrict__ colour, float oven, int steps, int n)
{
    roast<true>(start, colour, oven, steps, n);
}

// Glow of the sparks of fireworks by their age.
extern "C" __global__ void spark_glow(const float *__restrict__ age, float *__restrict__ glow, float decay, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float t = age[i];
    glow[i] = t < 0.1f ? 10.0f * t : __expf((0.1f - t) * decay);
}

// Light of 64 bands through the layers of a piece of hot glass, weighted as a camera sees it. A ray a thread.
constexpr int BANDS = 64;
__constant__ float glass_band[3][BANDS];
__device__ __forceinline__ void glass_ray(
    const float *__restrict__ heat, float *__restrict__ seen, float thick, int layers, int rays)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rays) return;
    float light[BANDS], sum = 0.0f;
#pragma unroll
    for (int b = 0; b < BANDS; b++) light[b] = 0.0f;
#pragma unroll 1
    for (int k = 0; k < layers; k++) {
        const float t = heat[k * rays + i], t4 = t * t * t * t, share = thick * (1.0f + 0.1f * t);
#pragma unroll
        for (int b = 0; b < BANDS; b++) light[b] += share * glass_band[0][b] * (glass_band[1][b] * t4 - light[b]);
    }
#pragma unroll
    for (int b = 0; b < BANDS; b++) sum += glass_band[2][b] * light[b];
    seen[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256, 8) glass_bands(
    const float *__restrict__ heat, float *__restrict__ seen, float thick, int layers, int rays)
{
    glass_ray(heat, seen, thick, layers, rays);
}
extern "C" __global__ void __launch_bounds__(256) glass_bands_b(
    const float *__restrict__ heat, float *__restrict__ seen, float thick, int layers, int rays)
{
    glass_ray(heat, seen, thick, layers, rays);
}

// Centre of the fruit in each cluster of 512 points that a robot's camera sees, by mean shift. A cluster a block.
constexpr int POINTS = 512;
__device__ __forceinline__ float4 plus(const float4 &a, const float4 &b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ __forceinline__ float4 pulled(const float4 &p, const float4 &c, float narrow)
{
    const float dx = p.x - c.x, dy = p.y - c.y, dz = p.z - c.z;
    const float w = p.w * __expf(-narrow * (dx * dx + dy * dy + dz * dz));
    return make_float4(w * p.x, w * p.y, w * p.z, w);
}
__device__ __forceinline__ float4 centred(const float4 &s)
{
    const float over = __fdividef(1.0f, s.w);
    return make_float4(s.x * over, s.y * over, s.z * over, 0.0f);
}
extern "C" __global__ void __launch_bounds__(POINTS) fruit_centres(
    const float4 *__restrict__ point, float4 *__restrict__ centre, float narrow, int turns)
{
    __shared__ float4 part[POINTS];
    const int tid = threadIdx.x;
    const float4 p = point[blockIdx.x * POINTS + tid];
    float4 c = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int turn = 0; turn < turns; turn++) {
        part[tid] = pulled(p, c, narrow);
        __syncthreads();
#pragma unroll
        for (int half = POINTS / 2; half > 0; half /= 2) {
            if (tid < half) part[tid] = plus(part[tid], part[tid + half]);
            __syncthreads();
        }
        c = centred(part[0]);
        __syncthreads();
    }
    if (tid == 0) centre[blockIdx.x] = c;
}
// A cluster a warp.
extern "C" __global__ void __launch_bounds__(64) fruit_centres_b(
    const float4 *__restrict__ point, float4 *__restrict__ centre, float narrow, int turns)
{
    const int lane = threadIdx.x % 32, cluster = blockIdx.x * 2 + threadIdx.x / 32;
    float4 p[POINTS / 32], c = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < POINTS / 32; k++) p[k] = point[cluster * POINTS + k * 32 + lane];
    for (int turn = 0; turn < turns; turn++) {
        float4 s = pulled(p[0], c, narrow);
#pragma unroll
        for (int k = 1; k < POINTS / 32; k++) s = plus(s, pulled(p[k], c, narrow));
#pragma unroll
        for (int half = 16; half > 0; half /= 2)
            s = plus(s, make_float4(
                            __shfl_xor_sync(~0u, s.x, half), __shfl_xor_sync(~0u, s.y, half),
                            __shfl_xor_sync(~0u, s.z, half), __shfl_xor_sync(~0u, s.w, half)));
        c = centred(s);
    }
    if (lane == 0) centre[cluster] = c;
}

// Cents that a reinsurer pays for the claims of each portfolio: what is over a claim's excess, up to a limit.
__device__ __forceinline__ unsigned long long layer_cost(
    const int *__restrict__ claim, int first, int stop, int excess, int limit)
{
    unsigned long long paid = 0;
#pragma unroll 4
    for (int k = first + threadIdx.x; k < stop; k += 256) paid += min(max(claim[k] - excess, 0), limit);
    for (int half = 16; half > 0; half /= 2) paid += __shfl_down_sync(~0u, paid, half);
    return paid;
}
extern "C" __global__ void __launch_bounds__(256) claim_layers(
    const int *__restrict__ claim, const int *__restrict__ start, unsigned long long *__restrict__ cost, int excess,
    int limit)
{
    const int p = blockIdx.x;
    const unsigned long long paid = layer_cost(claim, start[p], start[p + 1], excess, limit);
    if (threadIdx.x % 32 == 0) atomicAdd(&cost[p], paid);
}
// chunk: the portfolio, first claim and end of each piece of at most 8192 claims.
extern "C" __global__ void __launch_bounds__(256) claim_layers_b(
    const int *__restrict__ claim, const int *__restrict__ chunk, unsigned long long *__restrict__ cost, int excess,
    int limit)
{
    const int *mine = chunk + 3 * blockIdx.x;
    const unsigned long long paid = layer_cost(claim, mine[1], mine[2], excess, limit);
    if (threadIdx.x % 32 == 0) atomicAdd(&cost[mine[0]], paid);
}

// Spectrum of each soil core of 128 channels from those of its layers' soils; a core a block, its layers in shared
// memory, which is given for as many layers as there may be.
extern "C" __global__ void __launch_bounds__(128) core_spectra(
    const int *__restrict__ soil, const float *__restrict__ depth, const float *__restrict__ library,
    float *__restrict__ spectrum, int layers)
{
    extern __shared__ int2 layer[];
    const int core = blockIdx.x, c = threadIdx.x;
    for (int k = c; k < layers; k += 128)
        layer[k] = make_int2(soil[core * layers + k], __float_as_int(depth[core * layers + k]));
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 2
    for (int k = 0; k < layers; k++) {
        const int2 mine = layer[k];
        sum += __int_as_float(mine.y) * library[mine.x * 128 + c];
    }
    spectrum[core * 128 + c] = sum;
}

// What tasters find in blends of teas: shares of teas in a blend times scores of the teas.
// Tiles of 128 or 64 by 64, 32 deep.
constexpr int SIDE = 64, DEEP = 32;
extern "C" __global__ void __launch_bounds__(256) tea_panels(
    const __half *__restrict__ share, const __half *__restrict__ score, float *__restrict__ taste, int teas,
    int tasters)
{
    __shared__ __align__(16) float a[2 * SIDE][DEEP + 4], b[DEEP][SIDE];
    const int tid = threadIdx.x, x = tid % 16 * 4, y = tid / 16;
    const int row = blockIdx.y * 2 * SIDE, col = blockIdx.x * SIDE;
    float sum[8][4] = {};
    for (int first = 0; first < teas; first += DEEP) {
#pragma unroll
        for (int j = 0; j < SIDE * DEEP / 256; j++) {
            const int k = j * 256 + tid, r = k / (DEEP / 2), d = k % (DEEP / 2) * 2;
            *reinterpret_cast<float2 *>(&a[r][d]) =
                __half22float2(*reinterpret_cast<const __half2 *>(share + (row + r) * teas + first + d));
        }
#pragma unroll
        for (int j = 0; j < SIDE * DEEP / 512; j++) {
            const int k = j * 256 + tid, e = k / (SIDE / 2), c = k % (SIDE / 2) * 2;
            *reinterpret_cast<float2 *>(&b[e][c]) =
                __half22float2(*reinterpret_cast<const __half2 *>(score + (first + e) * tasters + col + c));
        }
        __syncthreads();
#pragma unroll 2
        for (int d = 0; d < DEEP; d += 4) {
            float across[4][4];
#pragma unroll
            for (int e = 0; e < 4; e++)
                *reinterpret_cast<float4 *>(across[e]) = *reinterpret_cast<const float4 *>(&b[d + e][x]);
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float4 p = *reinterpret_cast<const float4 *>(&a[y + 16 * i][d]);
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    sum[i][j] += p.x * across[0][j];
                    sum[i][j] += p.y * across[1][j];
                    sum[i][j] += p.z * across[2][j];
                    sum[i][j] += p.w * across[3][j];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        *reinterpret_cast<float4 *>(taste + (row + y + 16 * i) * tasters + col + x) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
extern "C" __global__ void __launch_bounds__(256) tea_panels_b(
    const __half *__restrict__ share, const __half *__restrict__ score, float *__restrict__ taste, int teas,
    int tasters)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) __half a[SIDE][DEEP + 16], b[DEEP][SIDE + 16];
    const int tid = threadIdx.x, row = blockIdx.y * SIDE, col = blockIdx.x * SIDE;
    const int y = tid / 32 / 2 * 16, x = tid / 32 % 2 * 32;
    const int r = tid / 4, d = tid % 4 * 8, e = tid / 8, c = tid % 8 * 8;
    fragment<accumulator, 16, 16, 16, float> sum[2];
#pragma unroll
    for (int j = 0; j < 2; j++) fill_fragment(sum[j], 0.0f);
    for (int first = 0; first < teas; first += DEEP) {
        *reinterpret_cast<uint4 *>(&a[r][d]) =
            *reinterpret_cast<const uint4 *>(share + (row + r) * teas + first + d);
        *reinterpret_cast<uint4 *>(&b[e][c]) =
            *reinterpret_cast<const uint4 *>(score + (first + e) * tasters + col + c);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEEP; k += 16) {
            fragment<matrix_a, 16, 16, 16, __half, row_major> up;
            load_matrix_sync(up, &a[y][k], DEEP + 16);
#pragma unroll
            for (int j = 0; j < 2; j++) {
                fragment<matrix_b, 16, 16, 16, __half, row_major> across;
                load_matrix_sync(across, &b[k][x + 16 * j], SIDE + 16);
                mma_sync(sum[j], up, across, sum[j]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 2; j++)
        store_matrix_sync(taste + (row + y) * tasters + col + x + 16 * j, sum[j], tasters, mem_row_major);
}

// Millimetres of yarn that the 64 feeders of a knitting machine gave, from the log of its stitches.
constexpr int FEEDERS = 64;
extern "C" __global__ void __launch_bounds__(256) yarn_used(
    const int *__restrict__ feeder, const int *__restrict__ length, unsigned *__restrict__ used, int n)
{
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&used[feeder[i]], length[i]);
}
extern "C" __global__ void __launch_bounds__(256) yarn_used_b(
    const int *__restrict__ feeder, const int *__restrict__ length, unsigned *__restrict__ used, int n)
{
    __shared__ unsigned part[FEEDERS];
    if (threadIdx.x < FEEDERS) part[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&part[feeder[i]], length[i]);
    __syncthreads();
    if (threadIdx.x < FEEDERS) atomicAdd(&used[threadIdx.x], part[threadIdx.x]);
}
