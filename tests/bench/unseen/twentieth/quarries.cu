// Marble and sundials, negatives and sponges, bagpipes and telegraph cables, tapestries and gliders, harps and cable
// cars, xylophones and fountains, olives and jigsaw puzzles.

#include <cuda_fp16.h>
#include <mma.h>

// Brightness of scanned marble under a lamp: each tone has a colour and a gloss of its own.
constexpr int TONES = 256;
__constant__ float marble_colour[TONES];
__constant__ float marble_gloss[TONES];
__device__ __forceinline__ float lit(float colour, float gloss, float lamp)
{
    return fmaf(colour, 0.2f + 0.8f * lamp, gloss * lamp * lamp * lamp);
}
extern "C" __global__ void __launch_bounds__(256) marble_tones(
    const ushort2 *__restrict__ tone, float2 *__restrict__ bright, float lamp, int pairs)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        const ushort2 p = tone[i];
        bright[i] = make_float2(lit(marble_colour[p.x], marble_gloss[p.x], lamp),
            lit(marble_colour[p.y], marble_gloss[p.y], lamp));
    }
}
// The two tables in shared memory.
extern "C" __global__ void __launch_bounds__(256) marble_tones_b(
    const ushort2 *__restrict__ tone, float2 *__restrict__ bright, float lamp, int pairs)
{
    __shared__ float colour[TONES], gloss[TONES];
    for (int j = threadIdx.x; j < TONES; j += blockDim.x) {
        colour[j] = marble_colour[j];
        gloss[j] = marble_gloss[j];
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        const ushort2 p = tone[i];
        bright[i] = make_float2(lit(colour[p.x], gloss[p.x], lamp), lit(colour[p.y], gloss[p.y], lamp));
    }
}

// Light on sundials over the hours of a day, through air that is thicker when the sun is low.
struct Exact {
    static __device__ __forceinline__ float power(float x, float y) { return powf(x, y); }
    static __device__ __forceinline__ float over(float x, float y) { return x / y; }
    static __device__ __forceinline__ float sine(float x) { return sinf(x); }
    static __device__ __forceinline__ float e(float x) { return expf(x); }
};
struct Quick {
    static __device__ __forceinline__ float power(float x, float y) { return __powf(x, y); }
    static __device__ __forceinline__ float over(float x, float y) { return __fdividef(x, y); }
    static __device__ __forceinline__ float sine(float x) { return __sinf(x); }
    static __device__ __forceinline__ float e(float x) { return __expf(x); }
};
template <class M>
__device__ __forceinline__ void dial_day(
    const float *__restrict__ noon, const float *__restrict__ haze, float *__restrict__ light, int hours, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float top = noon[i], thick = haze[i], step = 1.0f / hours;
    float sum = 0.0f;
    for (int h = 0; h < hours; h++) {
        const float part = (h + 0.5f) * step;
        const float height = 4.0f * top * part * (1.0f - part);
        const float high = M::sine(height);
        const float air = M::over(1.0f, high + 0.50572f * M::power(57.29578f * height + 6.07995f, -1.6364f));
        sum += high * M::e(-thick * M::power(air, 0.678f));
    }
    light[i] = sum * step;
}
extern "C" __global__ void __launch_bounds__(256) sundial_hours(
    const float *__restrict__ noon, const float *__restrict__ haze, float *__restrict__ light, int hours, int n)
{
    dial_day<Exact>(noon, haze, light, hours, n);
}
// With the fast functions of the hardware.
extern "C" __global__ void __launch_bounds__(256) sundial_hours_b(
    const float *__restrict__ noon, const float *__restrict__ haze, float *__restrict__ light, int hours, int n)
{
    dial_day<Quick>(noon, haze, light, hours, n);
}

// Prints from scanned negatives: base of the film taken away, lamp evened out, turned to a positive, contrast.
__device__ __forceinline__ float4 each(float4 a, float m, float c)
{
    return make_float4(fmaf(a.x, m, c), fmaf(a.y, m, c), fmaf(a.z, m, c), fmaf(a.w, m, c));
}
__device__ __forceinline__ float curve(float x)
{
    x = __saturatef(x);
    return x * x * (3.0f - 2.0f * x);
}
extern "C" __global__ void __launch_bounds__(256) negative_scans(
    const float4 *__restrict__ film, const float *__restrict__ lamp, float4 *print, float base, float dense,
    int width, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
#pragma unroll 2
    for (int i = first; i < n; i += step) print[i] = each(film[i], 1.0f, -base);
#pragma unroll 2
    for (int i = first; i < n; i += step) print[i] = each(print[i], lamp[i & (width - 1)], 0.0f);
#pragma unroll 2
    for (int i = first; i < n; i += step) print[i] = each(print[i], -dense, 1.0f);
#pragma unroll 2
    for (int i = first; i < n; i += step) {
        const float4 p = print[i];
        print[i] = make_float4(curve(p.x), curve(p.y), curve(p.z), curve(p.w));
    }
}
// All four steps in one loop.
extern "C" __global__ void __launch_bounds__(256) negative_scans_b(
    const float4 *__restrict__ film, const float *__restrict__ lamp, float4 *__restrict__ print, float base,
    float dense, int width, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
#pragma unroll 2
    for (int i = first; i < n; i += step) {
        float4 p = each(film[i], 1.0f, -base);
        p = each(p, lamp[i & (width - 1)], 0.0f);
        p = each(p, -dense, 1.0f);
        print[i] = make_float4(curve(p.x), curve(p.y), curve(p.z), curve(p.w));
    }
}

// Days until sponges in a lagoon have their size for harvest; rows go from the shore to the deep, where light is weak.
// A block has `rows` rows: from blockIdx.x * `jump` on, `stride` apart.
extern "C" __global__ void __launch_bounds__(1024) sponge_beds(
    const float *__restrict__ seed, const float *__restrict__ light, unsigned short *__restrict__ days, float goal,
    int most, int width, int rows, int jump, int stride)
{
    for (int r = 0; r < rows; r++) {
        const int row = blockIdx.x * jump + r * stride;
        const float sun = light[row];
        for (int x = threadIdx.x; x < width; x += blockDim.x) {
            float size = seed[row * width + x];
            int day = 0;
            while (size < goal && day < most) {
                const float eaten = 0.012f * size * size;
                size += sun * (0.2f + size) - eaten * sun;
                day++;
            }
            days[row * width + x] = static_cast<unsigned short>(day);
        }
    }
}

// The sound of bagpipes' drones at 24 times, from partials of given strength; each pipe bends the pitches a little.
constexpr int TIMES = 24, PARTIALS = 384;
__constant__ float2 drone_partials[PARTIALS];
extern "C" __global__ void __launch_bounds__(1024) bagpipe_drones(
    const float *__restrict__ bend, float *__restrict__ sound, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float bent = bend[i];
    float sum[TIMES] = {};
#pragma unroll 1
    for (int p = 0; p < PARTIALS; p++) {
        const float turn = 1.0f - drone_partials[p].x * bent, twice = 2.0f * turn;
        float before = drone_partials[p].y, now = before * turn;
#pragma unroll
        for (int k = 0; k < TIMES; k++) {
            sum[k] += before;
            const float next = fmaf(twice, now, -before);
            before = now;
            now = next;
        }
    }
#pragma unroll
    for (int k = 0; k < TIMES; k++) sound[k * n + i] = sum[k];
}

// Energy, peak and changes of sign of the signals on telegraph cables.
__device__ __forceinline__ void listen(
    const float *__restrict__ line, float *__restrict__ energy, int *__restrict__ peak, int *__restrict__ turns,
    int cable, int first, int last)
{
    __shared__ float energies[16];
    __shared__ int peaks[16], changes[16];
    float sum = 0.0f, high = 0.0f;
    int turned = 0;
#pragma unroll 4
    for (int s = first + threadIdx.x; s < last; s += blockDim.x) {
        const float now = line[s], next = line[s + 1];
        sum = fmaf(now, now, sum);
        high = fmaxf(high, fabsf(now));
        turned += (now < 0.0f) != (next < 0.0f);
    }
    int top = __float_as_int(high);
    for (int d = 16; d; d >>= 1) {
        sum += __shfl_xor_sync(~0u, sum, d);
        top = max(top, __shfl_xor_sync(~0u, top, d));
        turned += __shfl_xor_sync(~0u, turned, d);
    }
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) energies[warp] = sum, peaks[warp] = top, changes[warp] = turned;
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < blockDim.x / 32; w++) {
        sum += energies[w];
        top = max(top, peaks[w]);
        turned += changes[w];
    }
    atomicAdd(&energy[cable], sum);
    atomicMax(&peak[cable], top);
    atomicAdd(&turns[cable], turned);
}
extern "C" __global__ void __launch_bounds__(512) telegraph_lines(
    const float *__restrict__ signal, float *__restrict__ energy, int *__restrict__ peak, int *__restrict__ turns,
    int samples)
{
    // One more sample stands behind the last of a cable.
    const float *line = signal + static_cast<size_t>(blockIdx.x) * (samples + 1);
    listen(line, energy, peak, turns, blockIdx.x, 0, samples);
}
// gridDim.y blocks a cable.
extern "C" __global__ void __launch_bounds__(512) telegraph_lines_b(
    const float *__restrict__ signal, float *__restrict__ energy, int *__restrict__ peak, int *__restrict__ turns,
    int samples)
{
    const float *line = signal + static_cast<size_t>(blockIdx.x) * (samples + 1);
    const int share = samples / gridDim.y;
    listen(line, energy, peak, turns, blockIdx.x, blockIdx.y * share, (blockIdx.y + 1) * share);
}

// How far tapestries have faded: each thread of the weave passes over yarns, whose list ends with -1.
extern "C" __global__ void __launch_bounds__(256) tapestry_fading(
    const int *__restrict__ yarn, const float *__restrict__ fading, const int *__restrict__ many,
    float *__restrict__ faded, int most, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    int k = 0, id;
    while (k < most && (id = yarn[k * n + i]) >= 0) {
        const float f = fading[id];
        sum = fmaf(f, 1.0f - 0.25f * f, sum);
        k++;
    }
    faded[i] = sum / fmaxf(1.0f, static_cast<float>(many[i]));
}
// Eight yarns read at a time, by the length of the list.
extern "C" __global__ void __launch_bounds__(256) tapestry_fading_b(
    const int *__restrict__ yarn, const float *__restrict__ fading, const int *__restrict__ many,
    float *__restrict__ faded, int most, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int length = many[i];
    float sum = 0.0f;
    for (int k = 0; k < length; k += 8) {
        int id[8];
        float f[8];
#pragma unroll
        for (int j = 0; j < 8; j++) id[j] = k + j < length ? yarn[(k + j) * n + i] : -1;
#pragma unroll
        for (int j = 0; j < 8; j++) f[j] = id[j] >= 0 ? fading[id[j]] : 0.0f;
#pragma unroll
        for (int j = 0; j < 8; j++) sum = fmaf(f[j], 1.0f - 0.25f * f[j], sum);
    }
    faded[i] = sum / fmaxf(1.0f, static_cast<float>(length));
}

// Places and speeds of gliders by a Kalman filter of six states, from three measured coordinates a step.
__device__ __forceinline__ void follow_glider(
    const float *__restrict__ seen, float *__restrict__ state, float dt, float drift, float noise, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x[6] = {}, p[6][6];
#pragma unroll
    for (int a = 0; a < 6; a++)
#pragma unroll
        for (int b = 0; b < 6; b++) p[a][b] = a == b ? 4.0f : 0.1f;
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int a = 0; a < 3; a++) {
            x[a] = fmaf(dt, x[a + 3], x[a]);
#pragma unroll
            for (int b = 0; b < 6; b++) p[a][b] = fmaf(dt, p[a + 3][b], p[a][b]);
        }
#pragma unroll
        for (int a = 0; a < 6; a++) {
#pragma unroll
            for (int b = 0; b < 3; b++) p[a][b] = fmaf(dt, p[a][b + 3], p[a][b]);
            p[a][a] += drift;
        }
#pragma unroll
        for (int m = 0; m < 3; m++) {
            const float scale = __fdividef(1.0f, p[m][m] + noise);
            const float off = seen[(s * 3 + m) * n + i] - x[m];
            float gain[6], row[6];
#pragma unroll
            for (int a = 0; a < 6; a++) {
                gain[a] = p[a][m] * scale;
                row[a] = p[m][a];
            }
#pragma unroll
            for (int a = 0; a < 6; a++) {
                x[a] = fmaf(gain[a], off, x[a]);
#pragma unroll
                for (int b = 0; b < 6; b++) p[a][b] = fmaf(-gain[a], row[b], p[a][b]);
            }
        }
    }
#pragma unroll
    for (int a = 0; a < 6; a++) {
        state[a * n + i] = x[a];
        state[(a + 6) * n + i] = p[a][a];
    }
}
extern "C" __global__ void __launch_bounds__(256, 8) glider_tracks(
    const float *__restrict__ seen, float *__restrict__ state, float dt, float drift, float noise, int steps, int n)
{
    follow_glider(seen, state, dt, drift, noise, steps, n);
}
// As many registers as it needs.
extern "C" __global__ void __launch_bounds__(256) glider_tracks_b(
    const float *__restrict__ seen, float *__restrict__ state, float dt, float drift, float noise, int steps, int n)
{
    follow_glider(seen, state, dt, drift, noise, steps, n);
}

// The step, out of 24, by which 16 amplitudes of a harp's string can be stored as whole numbers with the least error.
template <bool WHOLE>
__device__ __forceinline__ void find_step(
    const float *__restrict__ amplitude, float *__restrict__ step, float *__restrict__ error, float widest, float ratio,
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a[16];
#pragma unroll
    for (int k = 0; k < 16; k++) a[k] = amplitude[k * n + i];
    float best = 0.0f, least = 3e38f, wide = widest;
#pragma unroll 1
    for (int c = 0; c < 24; c++) {
        const float times = __fdividef(1.0f, wide);
        float sum = 0.05f * times;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float near;
            if (WHOLE)
                near = static_cast<float>(__float2int_rn(a[k] * times));
            else
                near = __fadd_rn(__fmaf_rn(a[k], times, 12582912.0f), -12582912.0f);
            const float off = fmaf(-near, wide, a[k]);
            sum = fmaf(off, off, sum);
        }
        if (sum < least) {
            least = sum;
            best = wide;
        }
        wide *= ratio;
    }
    step[i] = best;
    error[i] = least;
}
extern "C" __global__ void __launch_bounds__(256) harp_steps(
    const float *__restrict__ amplitude, float *__restrict__ step, float *__restrict__ error, float widest, float ratio,
    int n)
{
    find_step<true>(amplitude, step, error, widest, ratio, n);
}
// Rounded by adding 1.5 * 2^23 and taking it away.
extern "C" __global__ void __launch_bounds__(256) harp_steps_b(
    const float *__restrict__ amplitude, float *__restrict__ step, float *__restrict__ error, float widest, float ratio,
    int n)
{
    find_step<false>(amplitude, step, error, widest, ratio, n);
}

// Height and pull of cabins along the rope of a cable car at eight times of their way, from a table of its sag.
template <class T>
__device__ __forceinline__ void ride(
    T *sag, const float *__restrict__ place, const float *__restrict__ speed, float *__restrict__ lowest,
    float *__restrict__ pull, int entries, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float start = place[i], moved = speed[i];
    float low = 1e30f, sum = 0.0f;
#pragma unroll
    for (int s = 0; s < 8; s++) {
        const float at = fminf(fmaf(static_cast<float>(s), moved, start), entries - 2.0f);
        const int k = static_cast<int>(at);
        const float one = sag[k], two = sag[k + 1];
        const float here = fmaf(at - k, two - one, one);
        low = fminf(low, here);
        sum = fmaf(two - one, here, sum);
    }
    lowest[i] = low;
    pull[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256) cable_car_sag(
    const volatile float *sag, const float *__restrict__ place, const float *__restrict__ speed,
    float *__restrict__ lowest, float *__restrict__ pull, int entries, int n)
{
    ride(sag, place, speed, lowest, pull, entries, n);
}
// The table does not change while the kernel runs.
extern "C" __global__ void __launch_bounds__(256) cable_car_sag_b(
    const float *__restrict__ sag, const float *__restrict__ place, const float *__restrict__ speed,
    float *__restrict__ lowest, float *__restrict__ pull, int entries, int n)
{
    ride(sag, place, speed, lowest, pull, entries, n);
}

// Echoes of a xylophone in a hall: the sum of 24 rings of sound, each with a length of its own.
constexpr int RINGS = 24;
struct Ring {
    unsigned length, start, magic;
    float gain;
};
__constant__ Ring echo_rings[RINGS];
extern "C" __global__ void __launch_bounds__(256) xylophone_echoes(
    const float *__restrict__ stored, const float *__restrict__ dry, float *__restrict__ wet, float mix, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll 8
    for (int r = 0; r < RINGS; r++) {
        const Ring ring = echo_rings[r];
        sum = fmaf(ring.gain, stored[ring.start + i % ring.length], sum);
    }
    wet[i] = fmaf(mix, sum, dry[i]);
}
// The remainder by a product with 2^32 / length.
extern "C" __global__ void __launch_bounds__(256) xylophone_echoes_b(
    const float *__restrict__ stored, const float *__restrict__ dry, float *__restrict__ wet, float mix, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll 8
    for (int r = 0; r < RINGS; r++) {
        const Ring ring = echo_rings[r];
        unsigned left = i - __umulhi(i, ring.magic) * ring.length;
        left = min(left, left - ring.length);
        sum = fmaf(ring.gain, stored[ring.start + left], sum);
    }
    wet[i] = fmaf(mix, sum, dry[i]);
}

// Water that fountains throw above each of six heights, and how often, from records of their jets.
constexpr int HEIGHTS = 6;
__constant__ float jet_heights[HEIGHTS];
__device__ __forceinline__ void above(float4 jet, float height, float &sum, int &count)
{
    const float over[4] = {jet.x - height, jet.y - height, jet.z - height, jet.w - height};
#pragma unroll
    for (int j = 0; j < 4; j++) {
        sum += fmaxf(over[j], 0.0f);
        count += over[j] > 0.0f;
    }
}
__device__ __forceinline__ void enter(float sum, int count, double *__restrict__ water, int *__restrict__ often)
{
    for (int d = 16; d; d >>= 1) {
        sum += __shfl_xor_sync(~0u, sum, d);
        count += __shfl_xor_sync(~0u, count, d);
    }
    __shared__ float sums[8];
    __shared__ int counts[8];
    __syncthreads();
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum, counts[threadIdx.x / 32] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) sum += sums[w], count += counts[w];
        atomicAdd(water, static_cast<double>(sum));
        atomicAdd(often, count);
    }
}
extern "C" __global__ void __launch_bounds__(256) fountain_heights(
    const float4 *__restrict__ jet, double *__restrict__ water, int *__restrict__ often, int n)
{
#pragma unroll 1
    for (int h = 0; h < HEIGHTS; h++) {
        const float height = jet_heights[h];
        float sum = 0.0f;
        int count = 0;
#pragma unroll 4
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            above(jet[i], height, sum, count);
        enter(sum, count, water + h, often + h);
    }
}
// All heights for each record.
extern "C" __global__ void __launch_bounds__(256) fountain_heights_b(
    const float4 *__restrict__ jet, double *__restrict__ water, int *__restrict__ often, int n)
{
    float sum[HEIGHTS] = {};
    int count[HEIGHTS] = {};
#pragma unroll 2
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float4 here = jet[i];
#pragma unroll
        for (int h = 0; h < HEIGHTS; h++) above(here, jet_heights[h], sum[h], count[h]);
    }
#pragma unroll
    for (int h = 0; h < HEIGHTS; h++) enter(sum[h], count[h], water + h, often + h);
}

// Water in the soil of olive groves at the end of each of 12 months, and what the trees drank, day by day.
constexpr int MONTHS = 12;
__device__ __forceinline__ void month_of_water(
    const float4 *__restrict__ soil, const float2 *__restrict__ weather, float *__restrict__ left,
    float *__restrict__ drunk, int grove, int month)
{
    const float4 s = soil[grove]; // water that it holds, at the start, part that sinks, thirst of the trees
    const int at = grove * MONTHS + month;
    const float2 w = weather[at]; // rain of a wet day, heat
    const float thirst = s.w * w.y, part = __fdividef(1.0f, s.x);
    float water = s.y, sum = 0.0f, rain = w.x;
#pragma unroll 2
    for (int day = 0; day < 30; day++) {
        water += rain;
        const float over = fmaxf(water - s.x, 0.0f);
        water = fmaf(-s.z, water - over, water - over);
        const float fill = water * part;
        const float took = fminf(water, thirst * fill * (2.0f - fill));
        water -= took;
        sum += took;
        rain = fmaf(-0.9f, rain, w.x);
    }
    left[at] = water;
    drunk[at] = sum;
}
extern "C" __global__ void __launch_bounds__(256) olive_months(
    const float4 *__restrict__ soil, const float2 *__restrict__ weather, float *__restrict__ left,
    float *__restrict__ drunk, int groves)
{
    const int grove = (blockIdx.x * blockDim.x + threadIdx.x) / 32, month = threadIdx.x % 32;
    if (grove < groves && month < MONTHS) month_of_water(soil, weather, left, drunk, grove, month);
}
// Months of all groves one after the other.
extern "C" __global__ void __launch_bounds__(256) olive_months_b(
    const float4 *__restrict__ soil, const float2 *__restrict__ weather, float *__restrict__ left,
    float *__restrict__ drunk, int groves)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < groves * MONTHS) month_of_water(soil, weather, left, drunk, i / MONTHS, i % MONTHS);
}

// How well the tabs of a jigsaw puzzle's pieces fit the gaps of others: products of their descriptions, in half
// precision, summed in float; a block has 128 tabs and 128 gaps.
extern "C" __global__ void __launch_bounds__(256) jigsaw_fits(
    const __half *__restrict__ tab, const __half *__restrict__ gap, float *__restrict__ fit, int gaps, int length)
{
    __shared__ __align__(16) float tabs[16][132], holes[16][132];
    const int row = threadIdx.x / 2, part = threadIdx.x % 2 * 8;
    const int ty = threadIdx.x / 16 * 4, tx = threadIdx.x % 16 * 4;
    const __half *a = tab + (blockIdx.y * 128 + row) * length + part;
    const __half *b = gap + (blockIdx.x * 128 + row) * length + part;
    float sum[8][8] = {};
    uint4 one = *reinterpret_cast<const uint4 *>(a), two = *reinterpret_cast<const uint4 *>(b);
    for (int k = 0; k < length; k += 16) {
        const __half *p = reinterpret_cast<const __half *>(&one), *q = reinterpret_cast<const __half *>(&two);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            tabs[part + j][row] = __half2float(p[j]);
            holes[part + j][row] = __half2float(q[j]);
        }
        __syncthreads();
        if (k + 16 < length) {
            one = *reinterpret_cast<const uint4 *>(a + k + 16);
            two = *reinterpret_cast<const uint4 *>(b + k + 16);
        }
#pragma unroll
        for (int j = 0; j < 16; j++) {
            float u[8], v[8];
            *reinterpret_cast<float4 *>(u) = *reinterpret_cast<const float4 *>(&tabs[j][ty]);
            *reinterpret_cast<float4 *>(u + 4) = *reinterpret_cast<const float4 *>(&tabs[j][ty + 64]);
            *reinterpret_cast<float4 *>(v) = *reinterpret_cast<const float4 *>(&holes[j][tx]);
            *reinterpret_cast<float4 *>(v + 4) = *reinterpret_cast<const float4 *>(&holes[j][tx + 64]);
#pragma unroll
            for (int y = 0; y < 8; y++)
#pragma unroll
                for (int x = 0; x < 8; x++) sum[y][x] = fmaf(u[y], v[x], sum[y][x]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 8; y++) {
        float *out = fit + (blockIdx.y * 128 + ty + y % 4 + y / 4 * 64) * gaps + blockIdx.x * 128 + tx;
        *reinterpret_cast<float4 *>(out) = make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
        *reinterpret_cast<float4 *>(out + 64) = make_float4(sum[y][4], sum[y][5], sum[y][6], sum[y][7]);
    }
}
// The products by tensor cores; a warp has 64 tabs and 32 gaps.
extern "C" __global__ void __launch_bounds__(256) jigsaw_fits_b(
    const __half *__restrict__ tab, const __half *__restrict__ gap, float *__restrict__ fit, int gaps, int length)
{
    using namespace nvcuda::wmma;
    constexpr int LD = 40;
    __shared__ __align__(32) __half tabs[128 * LD], holes[128 * LD];
    const int row = threadIdx.x / 2, part = threadIdx.x % 2 * 16, warp = threadIdx.x / 32;
    const int my = warp / 4 * 64, mx = warp % 4 * 32;
    const uint4 *a = reinterpret_cast<const uint4 *>(tab + (blockIdx.y * 128 + row) * length + part);
    const uint4 *b = reinterpret_cast<const uint4 *>(gap + (blockIdx.x * 128 + row) * length + part);
    fragment<accumulator, 16, 16, 16, float> sum[4][2];
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 2; x++) fill_fragment(sum[y][x], 0.0f);
    uint4 next[4] = {a[0], a[1], b[0], b[1]};
    for (int k = 0; k < length; k += 32) {
        uint4 *p = reinterpret_cast<uint4 *>(&tabs[row * LD + part]);
        uint4 *q = reinterpret_cast<uint4 *>(&holes[row * LD + part]);
        p[0] = next[0], p[1] = next[1], q[0] = next[2], q[1] = next[3];
        __syncthreads();
        if (k + 32 < length) {
            const int at = (k + 32) / 8;
            next[0] = a[at], next[1] = a[at + 1], next[2] = b[at], next[3] = b[at + 1];
        }
#pragma unroll
        for (int j = 0; j < 32; j += 16) {
            fragment<matrix_a, 16, 16, 16, __half, row_major> u[4];
            fragment<matrix_b, 16, 16, 16, __half, col_major> v[2];
#pragma unroll
            for (int y = 0; y < 4; y++) load_matrix_sync(u[y], &tabs[(my + y * 16) * LD + j], LD);
#pragma unroll
            for (int x = 0; x < 2; x++) load_matrix_sync(v[x], &holes[(mx + x * 16) * LD + j], LD);
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
            store_matrix_sync(fit + (blockIdx.y * 128 + my + y * 16) * gaps + blockIdx.x * 128 + mx + x * 16,
                sum[y][x], gaps, mem_row_major);
}
