// The kernels of harbours.cu, each with the first fix that the advisor names.
#include "../nineteenth/harbours.cu"

namespace followed {
// A greenhouse a warp: its lanes read neighbouring hours.
extern "C" __global__ void __launch_bounds__(256) greenhouse_degree_days_f(
    const float *__restrict__ temp, float *__restrict__ degrees, int *__restrict__ frost, float base, float top,
    int hours, int n)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    const float *own = temp + i * hours;
    float sum = 0.0f;
    int cold = 0;
#pragma unroll 8
    for (int h = lane; h < hours; h += 32) {
        const float here = own[h];
        sum += fmaxf(fminf(here, top) - base, 0.0f);
        cold += here < 0.0f;
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    cold = __reduce_add_sync(~0u, cold);
    if (lane == 0) {
        degrees[i] = sum * (1.0f / 24.0f);
        frost[i] = cold;
    }
}

// A copy of the sums for each lane, in its own bank.
extern "C" __global__ void __launch_bounds__(256) tulip_colours_f(
    const uchar2 *__restrict__ pixel, unsigned *__restrict__ bright, int n)
{
    __shared__ unsigned own[COLOURS * 32];
    const int lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < COLOURS * 32; k += blockDim.x) own[k] = 0;
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

// All in single precision; angles in half turns, so that no function has a path for large angles, which is in double.
extern "C" __global__ void __launch_bounds__(256) compass_deviation_f(
    const float *__restrict__ course, float *__restrict__ magnetic, float a, float b, float c, float d, float e, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float read = course[i];
    float turned = read;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        const float angle = turned * (1.0f / 180.0f);
        float s, k, s2, k2;
        sincospif(angle, &s, &k);
        sincospif(2.0f * angle, &s2, &k2);
        turned = read + a + b * s + c * k + d * s2 + e * k2;
    }
    magnetic[i] = turned;
}

// No pointer reaches what another one writes, so that eight layers are loaded before one is stored.
extern "C" __global__ void __launch_bounds__(128) elevator_grain_heat_f(
    const float *__restrict__ grain, const float *__restrict__ moist, const float *__restrict__ air,
    float *__restrict__ later, float *__restrict__ top, float take, float dry, float warm, int layers, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    float here = air[c];
    for (int z = 0; z < layers; z += AHEAD) {
        float g[AHEAD], w[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            g[k] = grain[(z + k) * n + c];
            w[k] = moist[(z + k) * n + c];
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const float passed = take * (g[k] - here);
            later[(z + k) * n + c] = g[k] - passed - dry * w[k];
            here = fmaf(warm, passed, here);
        }
    }
    top[c] = here;
}

// 32 places a block; each of its 16 warps takes a part of the terms, and the first one puts the parts together.
constexpr int PARTS = 16, PART = TERMS / PARTS;
extern "C" __global__ void __launch_bounds__(32 * PARTS) knot_polynomials_f(
    const unsigned *__restrict__ place, unsigned *__restrict__ value, int n)
{
    __shared__ unsigned parts[PARTS][32];
    const int lane = threadIdx.x % 32, part = threadIdx.x / 32, i = blockIdx.x * 32 + lane;
    const unsigned x = i < n ? place[i] : 0;
    unsigned sum = 0;
    const unsigned *terms = knot_terms + part * PART;
#pragma unroll 8
    for (int k = 0; k < PART; k++) sum = times_plus(sum, x, terms[k]);
    parts[part][lane] = sum;
    __syncthreads();
    if (part > 0 || i >= n) return;
    unsigned power = x;  // x to the power of PART
#pragma unroll
    for (int k = 1; k < PART; k *= 2) power = times_plus(power, power, 0);
#pragma unroll
    for (int p = 1; p < PARTS; p++) sum = times_plus(sum, power, parts[p][lane]);
    value[i] = sum;
}

// order: rinks by about how many steps they take, the longest first.
extern "C" __global__ void __launch_bounds__(256) rink_freezing_f(
    const int *__restrict__ order, const float *__restrict__ cold, const float *__restrict__ goal,
    int *__restrict__ steps, float skin, int most, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    const int i = order[k];
    steps[i] = freeze(cold[i], goal[i], skin, most);
}

// A block takes 32 columns by ROUNDS times 8 rows of one lake, and adds its unrest once.
constexpr int ROUNDS = 8;
extern "C" __global__ void __launch_bounds__(256) lake_relaxation_f(
    const float *__restrict__ level, const float *__restrict__ inflow, float *__restrict__ later,
    float *__restrict__ unrest, int width)
{
    __shared__ float sums[8];
    const int first = blockIdx.y * (8 * ROUNDS), column = blockIdx.x * 32 + threadIdx.x;
    float far = 0.0f;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) far += relax(level, inflow, later, first + r * 8 + threadIdx.y, column, width);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) far += __shfl_xor_sync(~0u, far, d);
    if (threadIdx.x == 0) sums[threadIdx.y] = far;
    __syncthreads();
    if (threadIdx.x > 0 || threadIdx.y > 0) return;
    far = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) far += sums[k];
    atomicAdd(&unrest[first / LAKE * (width / LAKE) + column / LAKE], far);
}

// Rows of the tile are a word longer.
extern "C" __global__ void __launch_bounds__(128) organ_pipes_f(
    const float *__restrict__ breath, const float2 *__restrict__ ring, float *__restrict__ sound, int samples)
{
    sound_pipes<33>(breath, ring, sound, samples);
}

// 16 points a thread; n is a multiple of 16.
extern "C" __global__ void __launch_bounds__(512) mill_specks_f(
    const uint4 *__restrict__ clean, const uint4 *__restrict__ seen, uint4 *__restrict__ dark, int limit, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 16) return;
    Points of, at, to;
    of.all = clean[i];
    at.all = seen[i];
#pragma unroll
    for (int k = 0; k < 16; k++) to.each[k] = speck(of.each[k], at.each[k], limit);
    dark[i] = to.all;
}

// The weights and their sum are found once a block; radius is at most SMOOTH.
extern "C" __global__ void __launch_bounds__(256) petal_softening_f(
    const float *__restrict__ petal, float *__restrict__ soft, float narrow, int radius, int width)
{
    __shared__ float weights[(2 * SMOOTH + 1) * (2 * SMOOTH + 1)], whole;
    const int side = 2 * radius + 1, thread = threadIdx.y * 32 + threadIdx.x;
    for (int k = thread; k < side * side; k += 256) weights[k] = bell(k % side - radius, k / side - radius, narrow);
    __syncthreads();
    if (thread < 32) {
        float all = 0.0f;
        for (int k = thread; k < side * side; k += 32) all += weights[k];
#pragma unroll
        for (int d = 16; d > 0; d /= 2) all += __shfl_xor_sync(~0u, all, d);
        if (thread == 0) whole = all;
    }
    __syncthreads();
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (column >= width || row >= width) return;
    float sum = 0.0f;
    const float *w = weights;
    for (int dy = -radius; dy <= radius; dy++) {
        const float *line = petal + min(max(row + dy, 0), width - 1) * width;
        for (int dx = -radius; dx <= radius; dx++) sum = fmaf(*w++, line[min(max(column + dx, 0), width - 1)], sum);
    }
    soft[row * width + column] = sum / whole;
}

// Four pixels a thread, with their four counts in bytes of a word. Lanes read 16 bytes, eight frames at a time, through
// a tile of the warp's 128 pixels; n is a multiple of 128. Shared: tiles, then counts (TILES + GREYS * LAWN * 4 bytes).
constexpr int FRAMES = 8, TILES = LAWN / 32 * FRAMES * 128;
extern __shared__ uint4 lawn_space[];
extern "C" __global__ void __launch_bounds__(LAWN) lawn_background_f(
    const unsigned char *__restrict__ grey, uchar4 *__restrict__ lawn, int frames, int n)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * LAWN + threadIdx.x;
    const int pixel = (i - lane) * 4;
    if (pixel >= n) return;
    uint4 *tile = lawn_space + warp * FRAMES * 8;
    const unsigned *words = reinterpret_cast<const unsigned *>(tile) + lane;
    unsigned *own = reinterpret_cast<unsigned *>(lawn_space + TILES / 16) + threadIdx.x;
    for (int g = 0; g < GREYS; g++) own[g * LAWN] = 0;
    for (int f = 0; f < frames; f += FRAMES) {
        uint4 got[FRAMES / 4];
#pragma unroll
        for (int k = 0; k < FRAMES / 4; k++) {
            const int frame = f + k * 4 + lane / 8;
            const unsigned char *from = grey + frame * n + pixel + lane % 8 * 16;
            got[k] = frame < frames ? *reinterpret_cast<const uint4 *>(from) : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (int k = 0; k < FRAMES / 4; k++) tile[k * 32 + lane] = got[k];
        __syncwarp();
        unsigned four[FRAMES];
#pragma unroll
        for (int k = 0; k < FRAMES; k++) four[k] = words[k * 32];
        __syncwarp();
#pragma unroll
        for (int k = 0; k < FRAMES; k++) {
            if (f + k >= frames) break;
#pragma unroll
            for (int p = 0; p < 4; p++) own[(four[k] >> 8 * p & 255) * LAWN] += 1u << 8 * p;
        }
    }
    unsigned most[4] = {}, best[4] = {};
#pragma unroll 4
    for (int g = 0; g < GREYS; g++) {
        const unsigned four = own[g * LAWN];
#pragma unroll
        for (int p = 0; p < 4; p++) {
            const unsigned here = four >> 8 * p & 255;
            if (here > most[p]) {
                most[p] = here;
                best[p] = g;
            }
        }
    }
    lawn[i] = make_uchar4(best[0], best[1], best[2], best[3]);
}

// Four by four results a thread, 64 by 64 a block; colours along the rows of the tiles, fibres along their columns.
constexpr int LOT = 64, PITCH = LOT + 4;
extern "C" __global__ void __launch_bounds__(256) wool_differences_f(
    const float *__restrict__ first, const float *__restrict__ second, float *__restrict__ apart, int n)
{
    __shared__ __align__(16) float a[WOOL][PITCH], b[WOOL][PITCH];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = blockIdx.y * LOT, column = blockIdx.x * LOT;
    // a warp stages four fibres by eight colours at a time, in 32 banks
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, k = warp % 4 * 8 + lane % 8;
    const int from = warp / 4 * 4 + lane / 8;
    float sum[4][4] = {};
    for (int f = 0; f < FIBRE; f += WOOL) {
#pragma unroll
        for (int s = 0; s < LOT; s += 8) {
            const int j = from + s;
            a[k][j] = first[(row + j) * FIBRE + f + k];
            b[k][j] = second[(column + j) * FIBRE + f + k];
        }
        __syncthreads();
#pragma unroll 8
        for (int c = 0; c < WOOL; c++) {
            const float4 x = *reinterpret_cast<const float4 *>(&a[c][ty * 4]);
            const float4 y = *reinterpret_cast<const float4 *>(&b[c][tx * 4]);
            const float u[4] = {x.x, x.y, x.z, x.w}, v[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int t = 0; t < 16; t++) sum[t / 4][t % 4] += fabsf(u[t / 4] - v[t % 4]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float *to = apart + (row + ty * 4 + r) * n + column + tx * 4;
        *reinterpret_cast<float4 *>(to) = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
    }
}

// Eight lanes a bracelet, four beads a lane, and two bracelets of each: 64 a block of 256.
extern "C" __global__ void __launch_bounds__(256) bracelet_balance_f(
    const float4 *__restrict__ mass, float *__restrict__ off, int n)
{
    const int part = threadIdx.x % 8, first = blockIdx.x * 64 + threadIdx.x / 8;
    float4 m[2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const int i = first + k * 32;
        m[k] = i < n ? mass[i * 8 + part] : make_float4(1.0f, 1.0f, 1.0f, 1.0f);
    }
    float c[4], s[4];
#pragma unroll
    for (int b = 0; b < 4; b++) {
        const float angle = static_cast<float>(part * 4 + b) * 0.19634954f;
        c[b] = __cosf(angle);
        s[b] = __sinf(angle);
    }
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const int i = first + k * 32;
        float all = m[k].x + m[k].y + m[k].z + m[k].w;
        float x = m[k].x * c[0] + m[k].y * c[1] + m[k].z * c[2] + m[k].w * c[3];
        float y = m[k].x * s[0] + m[k].y * s[1] + m[k].z * s[2] + m[k].w * s[3];
#pragma unroll
        for (int d = 4; d > 0; d /= 2) {
            all += __shfl_xor_sync(~0u, all, d);
            x += __shfl_xor_sync(~0u, x, d);
            y += __shfl_xor_sync(~0u, y, d);
        }
        if (part == 0 && i < n) off[i] = sqrtf(x * x + y * y) / all;
    }
}

// Columns along the threads, two rows a block; rows, depth and channels in the grid, firings in a loop; 32 bits.
extern "C" __global__ void __launch_bounds__(256) brick_layout_f(
    const float *__restrict__ scan, const float *__restrict__ gain, float *__restrict__ laid, int firings,
    int channels, int depth, int rows, int columns)
{
    const int x = threadIdx.x, y = blockIdx.x * 2 + threadIdx.y, z = blockIdx.y, c = blockIdx.z;
    if (y >= rows) return;
    const int firing = channels * depth * rows * columns;
    int from = ((c * depth + z) * rows + y) * columns + x, to = ((z * rows + y) * channels + c) * columns + x;
    const float by = gain[c];
#pragma unroll 2
    for (int f = 0; f < firings; f++, from += firing, to += firing) laid[to] = scan[from] * by;
}
}  // namespace followed
