// Telescopes, roads and wards: radio interferometers, cars, hospital beds, wind farms, ink jet printers, DNA storage,
// glaciers, seeds, concrete, cloud droplets, sonar, lotteries, depots, video.
#include <cstdint>

// Visibilities of an interferometer from a list of sources. source: direction cosines and flux.
constexpr int SOURCES = 64;
__constant__ float4 sky_source[SOURCES];
extern "C" __global__ void
sky_visibilities(const float2 *__restrict__ baseline, float2 *__restrict__ visibility, int sources, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 uv = baseline[i];
    float real = 0.0f, imaginary = 0.0f;
    for (int s = 0; s < sources; s++) {
        const float4 from = sky_source[s];
        const float turns = uv.x * from.x + uv.y * from.y;
        double sine, cosine;
        sincos(2.0 * 3.14159265358979323846 * turns, &sine, &cosine);
        real += from.z * cosine;
        imaginary -= from.z * sine;
    }
    visibility[i] = make_float2(real, imaginary);
}
extern "C" __global__ void
sky_visibilities_b(const float2 *__restrict__ baseline, float2 *__restrict__ visibility, int sources, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 uv = baseline[i];
    float real = 0.0f, imaginary = 0.0f;
    for (int s = 0; s < sources; s++) {
        const float4 from = sky_source[s];
        const float turns = uv.x * from.x + uv.y * from.y;
        float sine, cosine;
        sincospif(2.0f * turns, &sine, &cosine);
        real += from.z * cosine;
        imaginary -= from.z * sine;
    }
    visibility[i] = make_float2(real, imaginary);
}

// Acceleration of each car of a road by the intelligent driver model; the car ahead is the next one.
struct Car {
    float position, speed, length;
    int route, lane, entered, origin, destination;
    float fuel, emitted, delay, age;
    int driver, stops, kind, spare;
};
__device__ __forceinline__ float follow(float gap, float speed, float ahead, float wish)
{
    const float ratio = __fdividef(speed, wish), square = ratio * ratio;
    const float safe = 2.0f + fmaxf(0.0f, 1.5f * speed + speed * (speed - ahead) * 0.354f);
    const float near = __fdividef(safe, fmaxf(gap, 0.5f));
    return 1.4f * (1.0f - square * square - near * near);
}
extern "C" __global__ void
car_headways(const Car *__restrict__ car, float *__restrict__ acceleration, float wish, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int next = min(i + 1, n - 1);
    const float gap = next > i ? car[next].position - car[i].position - car[next].length : 1000.0f;
    acceleration[i] = follow(gap, car[i].speed, car[next].speed, wish);
}
extern "C" __global__ void car_headways_b(
    const float *__restrict__ position, const float *__restrict__ speed, const float *__restrict__ length,
    float *__restrict__ acceleration, float wish, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int next = min(i + 1, n - 1);
    const float gap = next > i ? position[next] - position[i] - length[next] : 1000.0f;
    acceleration[i] = follow(gap, speed[i], speed[next], wish);
}

// Hours that the beds of each ward were taken. ward, hours: of each stay.
constexpr int WARDS = 16;
extern "C" __global__ void bed_hours(
    const int *__restrict__ ward, const int *__restrict__ hours, unsigned *__restrict__ taken, int stays)
{
    __shared__ unsigned sum[WARDS];
    if (threadIdx.x < WARDS) sum[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < stays; i += gridDim.x * blockDim.x)
        atomicAdd(&sum[ward[i]], (unsigned)hours[i]);
    __syncthreads();
    if (threadIdx.x < WARDS) atomicAdd(&taken[threadIdx.x], sum[threadIdx.x]);
}
extern "C" __global__ void bed_hours_b(
    const int *__restrict__ ward, const int *__restrict__ hours, unsigned *__restrict__ taken, int stays)
{
    __shared__ unsigned sum[WARDS][32];
    const int lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < WARDS * 32; k += blockDim.x) sum[k / 32][k % 32] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < stays; i += gridDim.x * blockDim.x)
        atomicAdd(&sum[ward[i]][lane], (unsigned)hours[i]);
    __syncthreads();
    if (threadIdx.x < WARDS) {
        unsigned all = 0;
        for (int k = 0; k < 32; k++) all += sum[threadIdx.x][(k + threadIdx.x) % 32];
        atomicAdd(&taken[threadIdx.x], all);
    }
}

// Loss of wind at each turbine of a farm from the wakes of all others, for many directions of the wind. A row of blocks
// a direction; place in diameters of the rotor.
constexpr int TURBINES = 512;
extern "C" __global__ void __launch_bounds__(256)
wake_deficits(const float2 *__restrict__ place, float *__restrict__ loss, float spread, float thrust, int directions)
{
    __shared__ float2 at[TURBINES];
    for (int k = threadIdx.x; k < TURBINES; k += 256) at[k] = place[k];
    __syncthreads();
    const int own = blockIdx.x * 256 + threadIdx.x;
    float sine, cosine, sum = 0.0f;
    sincospif(2.0f * blockIdx.y / directions, &sine, &cosine);
    const float2 here = at[own];
#pragma unroll 2
    for (int k = 0; k < TURBINES; k++) {
        const float x = here.x - at[k].x, y = here.y - at[k].y;
        const float down = x * cosine + y * sine, across = y * cosine - x * sine;
        const float width = spread * fmaxf(down, 0.0f) + 0.35f;
        const float deepest = 1.0f - sqrtf(1.0f - thrust / (8.0f * width * width));
        const float deficit = deepest * expf(-0.5f * powf(fabsf(across) / width, 2.4f));
        sum += down > 0.0f ? deficit * deficit : 0.0f;
    }
    loss[blockIdx.y * TURBINES + own] = sqrtf(sum);
}
extern "C" __global__ void __launch_bounds__(256)
wake_deficits_b(const float2 *__restrict__ place, float *__restrict__ loss, float spread, float thrust, int directions)
{
    __shared__ float2 at[TURBINES];
    for (int k = threadIdx.x; k < TURBINES; k += 256) at[k] = place[k];
    __syncthreads();
    const int own = blockIdx.x * 256 + threadIdx.x;
    float sine, cosine, sum = 0.0f;
    sincospif(2.0f * blockIdx.y / directions, &sine, &cosine);
    const float2 here = at[own];
#pragma unroll 2
    for (int k = 0; k < TURBINES; k++) {
        const float x = here.x - at[k].x, y = here.y - at[k].y;
        const float down = x * cosine + y * sine, across = y * cosine - x * sine;
        const float width = spread * fmaxf(down, 0.0f) + 0.35f;
        const float under = 1.0f - __fdividef(thrust, 8.0f * width * width);
        const float deepest = 1.0f - under * rsqrtf(under);
        const float deficit = deepest * __expf(-0.5f * __powf(__fdividef(fabsf(across), width), 2.4f));
        sum += down > 0.0f ? deficit * deficit : 0.0f;
    }
    loss[blockIdx.y * TURBINES + own] = sqrtf(sum);
}

// Dots of an ink jet printer: 1 where a picture is darker than a screen of 64 by 64 thresholds. width: a multiple
// of 16.
extern "C" __global__ void __launch_bounds__(256)
ink_halftone(const uint8_t *grey, const uint8_t *screen, uint8_t *dot, int width, int height)
{
    __shared__ uint8_t level[64][64];
    for (int k = threadIdx.x; k < 4096; k += 256) level[k / 64][k % 64] = screen[k];
    __syncthreads();
    for (int y = blockIdx.x; y < height; y += gridDim.x) {
        const size_t row = (size_t)y * width;
        for (int x = threadIdx.x; x < width; x += 256) dot[row + x] = grey[row + x] < level[y % 64][x % 64];
    }
}
extern "C" __global__ void __launch_bounds__(256)
ink_halftone_b(const uint8_t *grey, const uint8_t *screen, uint8_t *dot, int width, int height)
{
    __shared__ __align__(16) uint8_t level[64][64];
    for (int k = threadIdx.x; k < 4096; k += 256) level[k / 64][k % 64] = screen[k];
    __syncthreads();
    for (int y = blockIdx.x; y < height; y += gridDim.x) {
        const size_t row = (size_t)y * width;
        for (int x = 16 * threadIdx.x; x < width; x += 16 * 256) {
            const uint4 g = *(const uint4 *)(grey + row + x), s = *(const uint4 *)&level[y % 64][x % 64];
            *(uint4 *)(dot + row + x) =
                make_uint4(__vsetltu4(g.x, s.x), __vsetltu4(g.y, s.y), __vsetltu4(g.z, s.z), __vsetltu4(g.w, s.w));
        }
    }
}

// Syndromes of DNA strands that hold Reed-Solomon code words over bytes. word: a row of bytes a place in the strand.
constexpr int ROOTS = 8;
__constant__ uint8_t galois_log[256], galois_exp[512];
extern "C" __global__ void
strand_syndromes(const uint8_t *__restrict__ word, uint8_t *__restrict__ syndrome, int places, int strands)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= strands) return;
    unsigned s[ROOTS] = {};
    for (int k = 0; k < places; k++) {
        const unsigned byte = word[(size_t)k * strands + i];
#pragma unroll
        for (int j = 0; j < ROOTS; j++) s[j] = byte ^ (s[j] ? galois_exp[galois_log[s[j]] + j + 1] : 0u);
    }
#pragma unroll
    for (int j = 0; j < ROOTS; j++) syndrome[(size_t)j * strands + i] = s[j];
}
extern "C" __global__ void
strand_syndromes_b(const uint8_t *__restrict__ word, uint8_t *__restrict__ syndrome, int places, int strands)
{
    __shared__ uint8_t log_of[256], exp_of[512];
    for (int k = threadIdx.x; k < 512; k += blockDim.x) {
        exp_of[k] = galois_exp[k];
        if (k < 256) log_of[k] = galois_log[k];
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= strands) return;
    unsigned s[ROOTS] = {};
    for (int k = 0; k < places; k++) {
        const unsigned byte = word[(size_t)k * strands + i];
#pragma unroll
        for (int j = 0; j < ROOTS; j++) s[j] = byte ^ (s[j] ? exp_of[log_of[s[j]] + j + 1] : 0u);
    }
#pragma unroll
    for (int j = 0; j < ROOTS; j++) syndrome[(size_t)j * strands + i] = s[j];
}

// A step of the thickness of ice that creeps down its slopes, over a map whose ends meet.
__device__ __forceinline__ float
creep(float h, float west, float east, float north, float south, float rate, float melt)
{
    return fmaxf(0.0f, h + rate * (west + east + north + south - 4.0f * h) - melt);
}
extern "C" __global__ void ice_creep(
    const float *__restrict__ ice, float *__restrict__ next, float rate, float melt, long long wide, long long high)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= wide * high) return;
    const long long x = i % wide, y = i / wide;
    const long long west = (x + wide - 1) % wide, east = (x + 1) % wide;
    const long long north = (y + high - 1) % high, south = (y + 1) % high;
    next[i] = creep(
        ice[i], ice[y * wide + west], ice[y * wide + east], ice[north * wide + x], ice[south * wide + x], rate, melt);
}
extern "C" __global__ void ice_creep_b(
    const float *__restrict__ ice, float *__restrict__ next, float rate, float melt, long long wide, long long high)
{
    const int w = (int)wide, h = (int)high;
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    const int west = x ? x - 1 : w - 1, east = x + 1 < w ? x + 1 : 0;
    const int north = y ? y - 1 : h - 1, south = y + 1 < h ? y + 1 : 0;
    next[y * w + x] = creep(
        ice[y * w + x], ice[y * w + west], ice[y * w + east], ice[north * w + x], ice[south * w + x], rate, melt);
}

// Commonest hue of each seed on a belt, how many of its pixels have it, and the number of hues. hue: 0 to 15, a row of
// seeds a pixel.
constexpr int HUES = 16;
__device__ __forceinline__ void vote(int hue, int pixels, int &most, int &best, int &kinds)
{
    kinds += pixels > 0;
    if (pixels > most) most = pixels, best = hue;
}
extern "C" __global__ void __launch_bounds__(256)
seed_hues(const uint8_t *__restrict__ hue, int *__restrict__ found, int pixels, int seeds)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= seeds) return;
    int count[HUES] = {}, most = 0, best = 0, kinds = 0;
#pragma unroll 8
    for (int k = 0; k < pixels; k++) count[hue[(size_t)k * seeds + i] % HUES]++;
#pragma unroll
    for (int h = 0; h < HUES; h++) vote(h, count[h], most, best, kinds);
    found[i] = best | most << 8 | kinds << 16;
}
extern "C" __global__ void __launch_bounds__(256)
seed_hues_b(const uint8_t *__restrict__ hue, int *__restrict__ found, int pixels, int seeds)
{
    __shared__ int count[HUES][256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= seeds) return;
    int most = 0, best = 0, kinds = 0;
#pragma unroll
    for (int h = 0; h < HUES; h++) count[h][threadIdx.x] = 0;
#pragma unroll 8
    for (int k = 0; k < pixels; k++) count[hue[(size_t)k * seeds + i] % HUES][threadIdx.x]++;
#pragma unroll
    for (int h = 0; h < HUES; h++) vote(h, count[h][threadIdx.x], most, best, kinds);
    found[i] = best | most << 8 | kinds << 16;
}

// A slice through concrete, projected back from x-rays at many angles. ray: a row of detectors an angle; each row has
// more than side * sqrt(2) + 2 of them.
constexpr int ANGLES = 180;
__device__ __forceinline__ float between(const float *__restrict__ row, float where)
{
    const int i = (int)where;
    const float part = where - i;
    return row[i] + part * (row[i + 1] - row[i]);
}
extern "C" __global__ void __launch_bounds__(256)
concrete_slices(const float *__restrict__ ray, float *__restrict__ slice, float turn, int detectors, int side)
{
    const int px = blockIdx.x * 32 + threadIdx.x % 32, py = blockIdx.y * 8 + threadIdx.x / 32;
    if (px >= side || py >= side) return;
    const float x = px - 0.5f * side, y = py - 0.5f * side, middle = 0.5f * detectors;
    float sum = 0.0f;
    for (int a = 0; a < ANGLES; a++) {
        float sine, cosine;
        sincosf(a * turn, &sine, &cosine);
        sum += between(ray + a * detectors, x * cosine + y * sine + middle);
    }
    slice[py * side + px] = sum;
}
extern "C" __global__ void __launch_bounds__(256)
concrete_slices_b(const float *__restrict__ ray, float *__restrict__ slice, float turn, int detectors, int side)
{
    __shared__ float2 way[ANGLES];
    if (threadIdx.x < ANGLES) {
        float sine, cosine;
        sincosf(threadIdx.x * turn, &sine, &cosine);
        way[threadIdx.x] = make_float2(cosine, sine);
    }
    __syncthreads();
    const int px = blockIdx.x * 32 + threadIdx.x % 32, py = blockIdx.y * 8 + threadIdx.x / 32;
    if (px >= side || py >= side) return;
    const float x = px - 0.5f * side, y = py - 0.5f * side, middle = 0.5f * detectors;
    float sum = 0.0f;
    for (int a = 0; a < ANGLES; a++)
        sum += between(ray + a * detectors, x * way[a].x + y * way[a].y + middle);
    slice[py * side + px] = sum;
}

// Radii of cloud droplets after a step, in as many smaller steps as each one needs.
extern "C" __global__ void droplet_growth(
    const float *__restrict__ radius, const float *__restrict__ vapour, const int *__restrict__ steps,
    float *__restrict__ grown, float span, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int parts = steps[i];
    const float excess = vapour[i], dt = __fdividef(span, (float)parts);
    float r = radius[i];
    for (int k = 0; k < parts; k++) {
        const float inverse = __fdividef(1.0f, r);
        r = fmaxf(0.1f, r + dt * inverse * (excess - 0.12f * inverse + 0.05f * inverse * inverse * inverse));
    }
    grown[i] = r;
}

// First sample of each beam of a sonar that is over its level. echo: a row of beams a sample.
extern "C" __global__ void ping_crossings(
    const float *__restrict__ echo, const float *__restrict__ level, float *__restrict__ range, float metres,
    int samples, int beams)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= beams) return;
    const float least = level[b];
    int k = 0;
    while (k < samples && echo[(size_t)k * beams + b] <= least) k++;
    range[b] = metres * k;
}
extern "C" __global__ void ping_crossings_b(
    const float *__restrict__ echo, const float *__restrict__ level, float *__restrict__ range, float metres,
    int samples, int beams)
{
    constexpr int AHEAD = 16;
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= beams) return;
    const float least = level[b];
    int first = samples;
    for (int k = 0; k < samples && first == samples; k += AHEAD) {
        float seen[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) seen[j] = k + j < samples ? echo[(size_t)(k + j) * beams + b] : least;
#pragma unroll
        for (int j = AHEAD - 1; j >= 0; j--)
            if (seen[j] > least) first = k + j;
    }
    range[b] = metres * first;
}

// Tickets of a lottery by how many numbers they have right. ticket: a bit a number.
extern "C" __global__ void prize_classes(
    const unsigned long long *__restrict__ ticket, unsigned *__restrict__ tally, unsigned long long drawn, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&tally[__popcll(ticket[i] & drawn)], 1u);
}
extern "C" __global__ void prize_classes_b(
    const unsigned long long *__restrict__ ticket, unsigned *__restrict__ tally, unsigned long long drawn, int n)
{
    __shared__ unsigned own[8];
    if (threadIdx.x < 8) own[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[__popcll(ticket[i] & drawn)], 1u);
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&tally[threadIdx.x], own[threadIdx.x]);
}

// Shortest times from depots to shops by way of the best hub. to_hub: n by n, from_hub: n by n; n: a multiple of 64.
extern "C" __global__ void __launch_bounds__(256)
depot_times(const float *__restrict__ to_hub, const float *__restrict__ from_hub, float *__restrict__ best, int n)
{
    const int shop = blockIdx.x * 32 + threadIdx.x % 32, depot = blockIdx.y * 8 + threadIdx.x / 32;
    float least = 1e30f;
#pragma unroll 8
    for (int hub = 0; hub < n; hub++) least = fminf(least, to_hub[depot * n + hub] + from_hub[hub * n + shop]);
    best[depot * n + shop] = least;
}
extern "C" __global__ void __launch_bounds__(256)
depot_times_b(const float *__restrict__ to_hub, const float *__restrict__ from_hub, float *__restrict__ best, int n)
{
    constexpr int DEEP = 16;
    __shared__ float to[DEEP][68];
    __shared__ float from[DEEP][64];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, shop = blockIdx.x * 64, depot = blockIdx.y * 64;
    float least[4][4];
#pragma unroll
    for (int a = 0; a < 4; a++)
#pragma unroll
        for (int b = 0; b < 4; b++) least[a][b] = 1e30f;
    for (int hub = 0; hub < n; hub += DEEP) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int e = k * 256 + threadIdx.x;
            to[e % DEEP][e / DEEP] = to_hub[(depot + e / DEEP) * n + hub + e % DEEP];
            from[e / 64][e % 64] = from_hub[(hub + e / 64) * n + shop + e % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            float row[4], column[4];
#pragma unroll
            for (int a = 0; a < 4; a++) row[a] = to[k][ty * 4 + a], column[a] = from[k][tx + 16 * a];
#pragma unroll
            for (int a = 0; a < 4; a++)
#pragma unroll
                for (int b = 0; b < 4; b++) least[a][b] = fminf(least[a][b], row[a] + column[b]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 4; a++)
#pragma unroll
        for (int b = 0; b < 4; b++) best[(depot + ty * 4 + a) * n + shop + tx + 16 * b] = least[a][b];
}

// Cosine transforms of blocks of 8 by 8 pixels, in steps of a quantiser. A block of 256 has 32 of them side by side.
__device__ __forceinline__ void cosine8(float v[8])
{
    constexpr float C[4][4] = {
        {0.49039264f, 0.41573481f, 0.27778512f, 0.09754516f},
        {0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f},
        {0.27778512f, -0.49039264f, 0.09754516f, 0.41573481f},
        {0.09754516f, -0.27778512f, 0.41573481f, -0.49039264f}};
    float up[4], off[4];
#pragma unroll
    for (int k = 0; k < 4; k++) up[k] = v[k] + v[7 - k], off[k] = v[k] - v[7 - k];
    const float a = up[0] + up[3], b = up[1] + up[2], c = up[0] - up[3], d = up[1] - up[2];
    v[0] = 0.35355339f * (a + b);
    v[4] = 0.35355339f * (a - b);
    v[2] = 0.46193977f * c + 0.19134172f * d;
    v[6] = 0.19134172f * c - 0.46193977f * d;
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[2 * k + 1] = C[k][0] * off[0] + C[k][1] * off[1] + C[k][2] * off[2] + C[k][3] * off[3];
}
template <int PITCH> __device__ __forceinline__ void transform_strip(
    const uint8_t *__restrict__ pixel, const float *__restrict__ step, short *__restrict__ out, int width)
{
    __shared__ float tile[8][PITCH];
    const int t = threadIdx.x;
    const size_t at = (size_t)blockIdx.y * 8 * width + blockIdx.x * 256 + t;
    float v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) tile[k][t] = pixel[at + k * width] - 128.0f;
    __syncthreads();
    float *row = &tile[t % 8][t / 8 * 8];
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = row[k];
    cosine8(v);
#pragma unroll
    for (int k = 0; k < 8; k++) row[k] = v[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = tile[k][t];
    cosine8(v);
#pragma unroll
    for (int k = 0; k < 8; k++) out[at + k * width] = (short)rintf(v[k] * step[k * 8 + t % 8]);
}
extern "C" __global__ void __launch_bounds__(256) frame_transform(
    const uint8_t *__restrict__ pixel, const float *__restrict__ step, short *__restrict__ out, int width)
{
    transform_strip<256>(pixel, step, out, width);
}
extern "C" __global__ void __launch_bounds__(256) frame_transform_b(
    const uint8_t *__restrict__ pixel, const float *__restrict__ step, short *__restrict__ out, int width)
{
    transform_strip<257>(pixel, step, out, width);
}
