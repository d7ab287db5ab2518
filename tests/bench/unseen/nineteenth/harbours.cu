// Greenhouses and tulips, compasses and grain elevators, knots and ice rinks, lakes of glaciers and church organs,
// flour mills and petals, lawns and wool, bracelets and bricks.

#include <math.h>

// Degree days and hours of frost of greenhouses over some hours of measured temperature.
__device__ __forceinline__ void sum_degrees(
    const float *__restrict__ temp, float *__restrict__ degrees, int *__restrict__ frost, float base, float top, int i,
    int first, int step, int hours)
{
    float sum = 0.0f;
    int cold = 0;
#pragma unroll 8
    for (int h = 0; h < hours; h++) {
        const float here = temp[first + h * step];
        sum += fmaxf(fminf(here, top) - base, 0.0f);
        cold += here < 0.0f;
    }
    degrees[i] = sum * (1.0f / 24.0f);
    frost[i] = cold;
}
extern "C" __global__ void __launch_bounds__(256) greenhouse_degree_days(
    const float *__restrict__ temp, float *__restrict__ degrees, int *__restrict__ frost, float base, float top,
    int hours, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum_degrees(temp, degrees, frost, base, top, i, i * hours, 1, hours);
}
// An hour of all greenhouses lies together.
extern "C" __global__ void __launch_bounds__(256) greenhouse_degree_days_b(
    const float *__restrict__ temp, float *__restrict__ degrees, int *__restrict__ frost, float base, float top,
    int hours, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum_degrees(temp, degrees, frost, base, top, i, i, n, hours);
}

// Brightness of a tulip field's picture, summed by colour; a pixel is its colour and its brightness below 64.
constexpr int COLOURS = 32;
extern "C" __global__ void __launch_bounds__(256) tulip_colours(
    const uchar2 *__restrict__ pixel, unsigned *__restrict__ bright, int n)
{
    __shared__ unsigned own[COLOURS];
    if (threadIdx.x < COLOURS) own[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uchar2 p = pixel[i];
        atomicAdd(&own[p.x], static_cast<unsigned>(p.y));
    }
    __syncthreads();
    if (threadIdx.x < COLOURS) atomicAdd(&bright[threadIdx.x], own[threadIdx.x]);
}
// A sum of its own for each lane.
extern "C" __global__ void __launch_bounds__(256) tulip_colours_b(
    const uchar2 *__restrict__ pixel, unsigned *__restrict__ bright, int n)
{
    __shared__ unsigned own[COLOURS * 32];
    const int lane = threadIdx.x % 32;
    for (int j = threadIdx.x; j < COLOURS * 32; j += blockDim.x) own[j] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uchar2 p = pixel[i];
        atomicAdd(&own[p.x * 32 + lane], static_cast<unsigned>(p.y));
    }
    __syncthreads();
    for (int c = threadIdx.x / 32; c < COLOURS; c += blockDim.x / 32) {
        const unsigned sum = __reduce_add_sync(~0u, own[c * 32 + lane]);
        if (lane == 0) atomicAdd(&bright[c], sum);
    }
}

// Magnetic course of ships from the course by compass; the deviation has five coefficients and goes by the magnetic
// course, so that it is found in three rounds.
extern "C" __global__ void __launch_bounds__(256) compass_deviation(
    const float *__restrict__ course, float *__restrict__ magnetic, float a, float b, float c, float d, float e, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float read = course[i];
    float turned = read;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        const double angle = turned * M_PI / 180.0;
        turned = read + a + b * sin(angle) + c * cos(angle) + d * sin(2.0 * angle) + e * cos(2.0 * angle);
    }
    magnetic[i] = turned;
}
extern "C" __global__ void __launch_bounds__(256) compass_deviation_b(
    const float *__restrict__ course, float *__restrict__ magnetic, float a, float b, float c, float d, float e, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float read = course[i];
    float turned = read;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        const float angle = turned * static_cast<float>(M_PI / 180.0);
        turned = read + a + b * sinf(angle) + c * cosf(angle) + d * sinf(2.0f * angle) + e * cosf(2.0f * angle);
    }
    magnetic[i] = turned;
}

// Air blown up through the columns of a grain elevator, layer by layer: it takes heat from the grain, which dries.
// Layers are a multiple of AHEAD.
constexpr int AHEAD = 8;
extern "C" __global__ void __launch_bounds__(128) elevator_grain_heat(
    const float *grain, const float *moist, const float *air, float *later, float *top, float take, float dry,
    float warm, int layers, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    float here = air[c];
    for (int z = 0; z < layers; z++) {
        const float g = grain[z * n + c], w = moist[z * n + c];
        const float passed = take * (g - here);
        later[z * n + c] = g - passed - dry * w;
        here = fmaf(warm, passed, here);
    }
    top[c] = here;
}
// Eight layers are read before the first of them is written.
extern "C" __global__ void __launch_bounds__(128) elevator_grain_heat_b(
    const float *__restrict__ grain, const float *__restrict__ moist, const float *__restrict__ air,
    float *__restrict__ later, float *__restrict__ top, float take, float dry, float warm, int layers, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    float here = air[c];
    for (int first = 0; first < layers; first += AHEAD) {
        float g[AHEAD], w[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            g[j] = grain[(first + j) * n + c];
            w[j] = moist[(first + j) * n + c];
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            const float passed = take * (g[j] - here);
            later[(first + j) * n + c] = g[j] - passed - dry * w[j];
            here = fmaf(warm, passed, here);
        }
    }
    top[c] = here;
}

// A knot's polynomial at many places, modulo the prime 2^31 - 1; terms from the highest power on.
constexpr int TERMS = 4096;
constexpr unsigned PRIME = 0x7fffffff;
__constant__ unsigned knot_terms[TERMS];
__device__ __forceinline__ unsigned times_plus(unsigned a, unsigned b, unsigned c)
{
    const unsigned long long wide = static_cast<unsigned long long>(a) * b + c;
    const unsigned folded = (static_cast<unsigned>(wide) & PRIME) + static_cast<unsigned>(wide >> 31);
    return folded >= PRIME ? folded - PRIME : folded;
}
extern "C" __global__ void __launch_bounds__(128) knot_polynomials(
    const unsigned *__restrict__ place, unsigned *__restrict__ value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned x = place[i];
    unsigned sum = 0;
#pragma unroll 8
    for (int k = 0; k < TERMS; k++) sum = times_plus(sum, x, knot_terms[k]);
    value[i] = sum;
}
// Four sums, of every fourth term each.
extern "C" __global__ void __launch_bounds__(128) knot_polynomials_b(
    const unsigned *__restrict__ place, unsigned *__restrict__ value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned x = place[i], square = times_plus(x, x, 0), fourth = times_plus(square, square, 0);
    unsigned sum[4] = {};
#pragma unroll 2
    for (int k = 0; k < TERMS; k += 4) {
#pragma unroll
        for (int j = 0; j < 4; j++) sum[j] = times_plus(sum[j], fourth, knot_terms[k + j]);
    }
    unsigned all = sum[0];
#pragma unroll
    for (int j = 1; j < 4; j++) all = times_plus(all, x, sum[j]);
    value[i] = all;
}

// Quarters of an hour until the ice of a rink is as thick as it should be; thick ice grows slowly.
__device__ __forceinline__ int freeze(float cold, float goal, float skin, int most)
{
    float thick = 0.0f;
    int steps = 0;
    while (thick < goal && steps < most) {
        const float flow = __fdividef(cold, thick + skin);
        thick = fmaf(flow, 1.0f - 0.02f * thick, thick);
        steps++;
    }
    return steps;
}
extern "C" __global__ void __launch_bounds__(256) rink_freezing(
    const float *__restrict__ cold, const float *__restrict__ goal, int *__restrict__ steps, float skin, int most,
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) steps[i] = freeze(cold[i], goal[i], skin, most);
}
// order: rinks by their goals, the thickest first.
extern "C" __global__ void __launch_bounds__(256) rink_freezing_b(
    const int *__restrict__ order, const float *__restrict__ cold, const float *__restrict__ goal,
    int *__restrict__ steps, float skin, int most, int n)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    const int i = order[j];
    steps[i] = freeze(cold[i], goal[i], skin, most);
}

// A round of relaxation of the water of glaciers' lakes, tiles of LAKE by LAKE places, and how far each lake still is
// from rest. width is a multiple of LAKE, and blocks of 32 by 8 lie in one lake.
constexpr int LAKE = 512;
__device__ __forceinline__ float relax(
    const float *__restrict__ level, const float *__restrict__ inflow, float *__restrict__ later, int row, int column,
    int width)
{
    const int up = max(row - 1, 0), down = min(row + 1, width - 1);
    const int left = max(column - 1, 0), right = min(column + 1, width - 1);
    const int at = row * width + column;
    const float beside = level[up * width + column] + level[down * width + column] + level[row * width + left] +
                         level[row * width + right];
    const float here = level[at], next = 0.25f * (beside + inflow[at]);
    later[at] = next;
    return (next - here) * (next - here);
}
extern "C" __global__ void __launch_bounds__(256) lake_relaxation(
    const float *__restrict__ level, const float *__restrict__ inflow, float *__restrict__ later,
    float *__restrict__ unrest, int width)
{
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    const float far = relax(level, inflow, later, row, column, width);
    atomicAdd(&unrest[row / LAKE * (width / LAKE) + column / LAKE], far);
}
extern "C" __global__ void __launch_bounds__(256) lake_relaxation_b(
    const float *__restrict__ level, const float *__restrict__ inflow, float *__restrict__ later,
    float *__restrict__ unrest, int width)
{
    __shared__ float part[8];
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float far = relax(level, inflow, later, row, column, width);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) far += __shfl_xor_sync(~0u, far, d);
    if (threadIdx.x == 0) part[threadIdx.y] = far;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < 8; j++) sum += part[j];
        atomicAdd(&unrest[row / LAKE * (width / LAKE) + column / LAKE], sum);
    }
}

// Sound of a church organ's pipes: a resonance of the second order of each, 32 pipes and 32 samples of them at a time
// in a warp's tile, a pipe a lane. Pipes are a multiple of 128, samples of 32.
template <int PITCH>
__device__ __forceinline__ void sound_pipes(
    const float *__restrict__ breath, const float2 *__restrict__ ring, float *__restrict__ sound, int samples)
{
    __shared__ float tiles[4][32 * PITCH];
    const int lane = threadIdx.x % 32, pipe = blockIdx.x * 128 + threadIdx.x / 32 * 32;
    float *tile = tiles[threadIdx.x / 32], *own = tile + lane * PITCH;
    const float2 by = ring[pipe + lane];
    float one = 0.0f, two = 0.0f;
    for (int s = 0; s < samples; s += 32) {
        const size_t at = static_cast<size_t>(pipe) * samples + s + lane;
#pragma unroll
        for (int r = 0; r < 32; r++) tile[r * PITCH + lane] = breath[at + static_cast<size_t>(r) * samples];
        __syncwarp();
#pragma unroll 4
        for (int k = 0; k < 32; k++) {
            const float now = fmaf(by.x, one, fmaf(-by.y, two, own[k]));
            own[k] = now;
            two = one;
            one = now;
        }
        __syncwarp();
#pragma unroll
        for (int r = 0; r < 32; r++) sound[at + static_cast<size_t>(r) * samples] = tile[r * PITCH + lane];
        __syncwarp();
    }
}
extern "C" __global__ void __launch_bounds__(128) organ_pipes(
    const float *__restrict__ breath, const float2 *__restrict__ ring, float *__restrict__ sound, int samples)
{
    sound_pipes<32>(breath, ring, sound, samples);
}
extern "C" __global__ void __launch_bounds__(128) organ_pipes_b(
    const float *__restrict__ breath, const float2 *__restrict__ ring, float *__restrict__ sound, int samples)
{
    sound_pipes<33>(breath, ring, sound, samples);
}

// How dark the specks of bran are in a picture of flour, beyond a limit below the picture of clean flour.
__device__ __forceinline__ unsigned char speck(unsigned char clean, unsigned char seen, int limit)
{
    return static_cast<unsigned char>(max(static_cast<int>(clean) - static_cast<int>(seen) - limit, 0));
}
extern "C" __global__ void __launch_bounds__(512) mill_specks(
    const unsigned char *__restrict__ clean, const unsigned char *__restrict__ seen, unsigned char *__restrict__ dark,
    int limit, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dark[i] = speck(clean[i], seen[i], limit);
}
// Sixteen points a thread; n is a multiple of 16.
union Points {
    uint4 all;
    unsigned char each[16];
};
extern "C" __global__ void __launch_bounds__(512) mill_specks_b(
    const uint4 *__restrict__ clean, const uint4 *__restrict__ seen, uint4 *__restrict__ dark, int limit, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 16) return;
    Points a, b, c;
    a.all = clean[i];
    b.all = seen[i];
#pragma unroll
    for (int j = 0; j < 16; j++) c.each[j] = speck(a.each[j], b.each[j], limit);
    dark[i] = c.all;
}

// A picture of petals, smoothed by a Gaussian bell of a radius and a width.
constexpr int SMOOTH = 8;
__device__ __forceinline__ float bell(int dx, int dy, float narrow)
{
    return expf(-static_cast<float>(dx * dx + dy * dy) * narrow);
}
template <class F>
__device__ __forceinline__ void smooth(
    const float *__restrict__ petal, float *__restrict__ soft, int radius, int width, F weight)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (column >= width || row >= width) return;
    float sum = 0.0f, all = 0.0f;
    for (int dy = -radius; dy <= radius; dy++) {
        const float *line = petal + min(max(row + dy, 0), width - 1) * width;
        for (int dx = -radius; dx <= radius; dx++) {
            const float w = weight(dx, dy);
            sum = fmaf(w, line[min(max(column + dx, 0), width - 1)], sum);
            all += w;
        }
    }
    soft[row * width + column] = sum / all;
}
extern "C" __global__ void __launch_bounds__(256) petal_softening(
    const float *__restrict__ petal, float *__restrict__ soft, float narrow, int radius, int width)
{
    smooth(petal, soft, radius, width, [=](int dx, int dy) { return bell(dx, dy, narrow); });
}
// The weights of a block in shared memory; radius is at most SMOOTH.
extern "C" __global__ void __launch_bounds__(256) petal_softening_b(
    const float *__restrict__ petal, float *__restrict__ soft, float narrow, int radius, int width)
{
    __shared__ float table[(2 * SMOOTH + 1) * (2 * SMOOTH + 1)];
    const int wide = 2 * radius + 1;
    for (int j = threadIdx.y * 32 + threadIdx.x; j < wide * wide; j += 256) {
        table[j] = bell(j % wide - radius, j / wide - radius, narrow);
    }
    __syncthreads();
    smooth(petal, soft, radius, width, [=](int dx, int dy) { return table[(dy + radius) * wide + dx + radius]; });
}

// A lawn without those who walk on it: the most frequent of GREYS greys of each pixel over some frames, at most 255.
constexpr int GREYS = 96, LAWN = 128;
extern "C" __global__ void __launch_bounds__(LAWN) lawn_background(
    const unsigned char *__restrict__ grey, unsigned char *__restrict__ lawn, int frames, int n)
{
    __shared__ int count[GREYS * LAWN];
    const int i = blockIdx.x * LAWN + threadIdx.x;
    if (i >= n) return;
    int *own = count + threadIdx.x;
    for (int g = 0; g < GREYS; g++) own[g * LAWN] = 0;
#pragma unroll 4
    for (int f = 0; f < frames; f++) own[grey[f * n + i] * LAWN]++;
    int most = 0, best = 0;
    for (int g = 0; g < GREYS; g++) {
        const int here = own[g * LAWN];
        if (here > most) {
            most = here;
            best = g;
        }
    }
    lawn[i] = best;
}
// Counts of a byte each, four of a thread in a word.
extern "C" __global__ void __launch_bounds__(LAWN) lawn_background_b(
    const unsigned char *__restrict__ grey, unsigned char *__restrict__ lawn, int frames, int n)
{
    __shared__ uchar4 count[GREYS / 4 * LAWN];
    const int i = blockIdx.x * LAWN + threadIdx.x;
    if (i >= n) return;
    unsigned char *own = reinterpret_cast<unsigned char *>(count + threadIdx.x);
    for (int g = 0; g < GREYS / 4; g++) count[g * LAWN + threadIdx.x] = make_uchar4(0, 0, 0, 0);
#pragma unroll 4
    for (int f = 0; f < frames; f++) {
        const int g = grey[f * n + i];
        own[(g / 4) * (4 * LAWN) + g % 4]++;
    }
    int most = 0, best = 0;
    for (int g = 0; g < GREYS; g++) {
        const int here = own[(g / 4) * (4 * LAWN) + g % 4];
        if (here > most) {
            most = here;
            best = g;
        }
    }
    lawn[i] = best;
}

// How far the fibres of two lots of wool differ, each fibre with a spectrum of FIBRE colours: sums of absolute
// differences. Fibres of each lot are a multiple of 64.
constexpr int FIBRE = 64, WOOL = 32;
extern "C" __global__ void __launch_bounds__(256) wool_differences(
    const float *__restrict__ first, const float *__restrict__ second, float *__restrict__ apart, int n)
{
    __shared__ float a[16][WOOL + 1], b[16][WOOL + 1];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, k = threadIdx.x % 32, r = threadIdx.x / 32;
    const int row = blockIdx.y * 16, column = blockIdx.x * 16;
    float sum = 0.0f;
    for (int f = 0; f < FIBRE; f += WOOL) {
#pragma unroll
        for (int j = r; j < 16; j += 8) {
            a[j][k] = first[(row + j) * FIBRE + f + k];
            b[j][k] = second[(column + j) * FIBRE + f + k];
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < WOOL; c++) sum += fabsf(a[ty][c] - b[tx][c]);
        __syncthreads();
    }
    apart[(row + ty) * n + column + tx] = sum;
}
// Four by four results a thread, from eight numbers in registers.
extern "C" __global__ void __launch_bounds__(256) wool_differences_b(
    const float *__restrict__ first, const float *__restrict__ second, float *__restrict__ apart, int n)
{
    __shared__ __align__(16) float a[WOOL][68], b[WOOL][68];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, k = threadIdx.x % 32, r = threadIdx.x / 32;
    const int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int f = 0; f < FIBRE; f += WOOL) {
#pragma unroll
        for (int j = r; j < 64; j += 8) {
            a[k][j] = first[(row + j) * FIBRE + f + k];
            b[k][j] = second[(column + j) * FIBRE + f + k];
        }
        __syncthreads();
#pragma unroll 8
        for (int c = 0; c < WOOL; c++) {
            const float4 p = *reinterpret_cast<const float4 *>(&a[c][ty * 4]);
            const float4 q = *reinterpret_cast<const float4 *>(&b[c][tx * 4]);
            const float left[4] = {p.x, p.y, p.z, p.w}, right[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int y = 0; y < 4; y++) {
#pragma unroll
                for (int x = 0; x < 4; x++) sum[y][x] += fabsf(left[y] - right[x]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; y++) {
        *reinterpret_cast<float4 *>(&apart[(row + ty * 4 + y) * n + column + tx * 4]) =
            make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
    }
}

// How well bracelets of 32 beads hang: how far the middle of their mass is from that of the circle. A bracelet a warp.
extern "C" __global__ void bracelet_balance(const float *__restrict__ mass, float *__restrict__ off, int n)
{
    const int lane = threadIdx.x % 32, i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (i >= n) return;
    const float m = mass[i * 32 + lane], angle = static_cast<float>(lane) * 0.19634954f;
    float all = m, x = m * __cosf(angle), y = m * __sinf(angle);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        all += __shfl_xor_sync(~0u, all, d);
        x += __shfl_xor_sync(~0u, x, d);
        y += __shfl_xor_sync(~0u, y, d);
    }
    if (lane == 0) off[i] = sqrtf(x * x + y * y) / all;
}

// Scans of bricks, put from the order firing, channel, depth, row, column into firing, depth, row, channel, column,
// with a gain of each channel.
extern "C" __global__ void __launch_bounds__(256) brick_layout(
    const float *__restrict__ scan, const float *__restrict__ gain, float *__restrict__ laid, size_t firings,
    size_t channels, size_t depth, size_t rows, size_t columns)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= firings * channels * depth * rows * columns) return;
    const size_t x = i % columns, line = i / columns;
    const size_t y = line % rows, plane = line / rows;
    const size_t z = plane % depth, cube = plane / depth;
    const size_t c = cube % channels, f = cube / channels;
    laid[(((f * depth + z) * rows + y) * channels + c) * columns + x] = scan[i] * gain[c];
}
// Columns along the threads, two rows a block, depth and cubes in the grid; columns are 128, rows even.
extern "C" __global__ void __launch_bounds__(256) brick_layout_b(
    const float *__restrict__ scan, const float *__restrict__ gain, float *__restrict__ laid, int channels, int depth,
    int rows, int columns)
{
    const int x = threadIdx.x, y = blockIdx.x * 2 + threadIdx.y, z = blockIdx.y;
    const int f = blockIdx.z / channels, c = blockIdx.z % channels;
    const int i = ((blockIdx.z * depth + z) * rows + y) * columns + x;
    laid[(((f * depth + z) * rows + y) * channels + c) * columns + x] = scan[i] * gain[c];
}
