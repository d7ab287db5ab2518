// Airbags and looms, dialects and honey, tunnels and meteors, cyclists and birds, taxes and perfumes, clothes and
// bells, sails and quilts.

// The moment at which the airbag of each skier opens: the shaking, faded over time, is over a limit. A skier a thread.
extern "C" __global__ void __launch_bounds__(128) airbag_triggers(
    const float *__restrict__ shake, int *__restrict__ opened, float fade, float limit, int steps, int skiers)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= skiers) return;
    float energy = 0.0f;
    int k = 0;
    for (; k < steps; k++) {
        const float a = shake[k * skiers + i];
        energy = fmaf(fade, energy, a * a);
        if (energy > limit) break;
    }
    opened[i] = k;
}
// Eight samples are read before they are looked at; steps is a multiple of 8.
extern "C" __global__ void __launch_bounds__(128) airbag_triggers_b(
    const float *__restrict__ shake, int *__restrict__ opened, float fade, float limit, int steps, int skiers)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= skiers) return;
    float energy = 0.0f;
    int found = steps;
    for (int k = 0; k < steps && found == steps; k += 8) {
        float a[8];
#pragma unroll
        for (int j = 0; j < 8; j++) a[j] = shake[(k + j) * skiers + i];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            energy = fmaf(fade, energy, a[j] * a[j]);
            if (energy > limit) found = min(found, k + j);
        }
    }
    opened[i] = found;
}

// Worst departure of each warp thread of a loom from the mean brightness of its row, smoothed along the cloth.
constexpr int WARP_THREADS = 256;
extern "C" __global__ void __launch_bounds__(WARP_THREADS) loom_faults(
    const unsigned char *__restrict__ cloth, const float *__restrict__ gain, float *__restrict__ worst, int rows)
{
    __shared__ float part[WARP_THREADS], level;
    const int tid = threadIdx.x, width = blockDim.x;
    const unsigned char *strip = cloth + static_cast<size_t>(blockIdx.x) * rows * width;
    const float scale = gain[tid], share = 1.0f / width;
    float smooth = 0.0f, most = 0.0f, next = strip[tid];
    for (int k = 0; k < rows; k++) {
        const float x = scale * next;
        if (k + 1 < rows) next = strip[(k + 1) * width + tid];
        part[tid] = x;
        __syncthreads();
        if (tid == 0) {
            float sum = 0.0f;
            for (int j = 0; j < width; j++) sum += part[j];
            level = sum * share;
        }
        __syncthreads();
        smooth = 0.8f * smooth + (x - level);
        most = fmaxf(most, fabsf(smooth));
    }
    worst[blockIdx.x * width + tid] = most;
}
// The means of up to 64 rows first, each row by one warp (8 bytes a lane, then shuffles); then all threads go along the
// rows without a barrier. The block must have WARP_THREADS threads.
constexpr int MEANS = 64;
extern "C" __global__ void __launch_bounds__(WARP_THREADS) loom_faults_b(
    const unsigned char *__restrict__ cloth, const float *__restrict__ gain, float *__restrict__ worst, int rows)
{
    constexpr int WARPS = WARP_THREADS / 32;
    static_assert(WARP_THREADS == 32 * 8, "a lane reads 8 bytes of a row");
    __shared__ float level[MEANS];
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    const unsigned char *strip = cloth + static_cast<size_t>(blockIdx.x) * rows * WARP_THREADS;
    const uint2 *strip8 = reinterpret_cast<const uint2 *>(strip);
    float weight[8];
#pragma unroll
    for (int j = 0; j < 8; j++) weight[j] = gain[8 * lane + j];
    const float scale = gain[tid];
    float smooth = 0.0f, most = 0.0f;
    for (int first = 0; first < rows; first += MEANS) {
        const int count = min(MEANS, rows - first);
        if (first > 0) __syncthreads();
#pragma unroll 4
        for (int r = warp; r < count; r += WARPS) {
            const uint2 b = strip8[(first + r) * 32 + lane];
            float sum = 0.0f;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                sum = fmaf(weight[j], static_cast<float>(b.x >> 8 * j & 255), sum);
                sum = fmaf(weight[4 + j], static_cast<float>(b.y >> 8 * j & 255), sum);
            }
#pragma unroll
            for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
            if (lane == 0) level[r] = sum * (1.0f / WARP_THREADS);
        }
        __syncthreads();
#pragma unroll 8
        for (int r = 0; r < count; r++) {
            const float x = scale * strip[(first + r) * WARP_THREADS + tid];
            smooth = 0.8f * smooth + (x - level[r]);
            most = fmaxf(most, fabsf(smooth));
        }
    }
    worst[blockIdx.x * WARP_THREADS + tid] = most;
}

// Distance of each word's sounds in two dialects; like sounds are cheaper to exchange. A pair of words a thread, its
// row of the table in shared memory, each with the sound of the second dialect in the upper bits.
extern "C" __global__ void __launch_bounds__(128) dialect_distances(
    const unsigned char *__restrict__ north, const unsigned char *__restrict__ south, int *__restrict__ distance,
    int sounds, int pitch, int words)
{
    extern __shared__ int table[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    int *row = table + threadIdx.x * pitch;
    for (int k = 0; k < sounds; k++) row[k] = south[k * words + i] << 16 | 2 * (k + 1);
    int last = 0;
    for (int r = 0; r < sounds; r++) {
        const int mine = north[r * words + i];
        int corner = 2 * r, left = corner + 2;
#pragma unroll 4
        for (int k = 0; k < sounds; k++) {
            const int cell = row[k], above = cell & 0xffff, apart = abs(mine - (cell >> 16));
            const int swap = corner + (apart == 0 ? 0 : apart < 4 ? 1 : 3);
            left = min(swap, min(above, left) + 2);
            corner = above;
            row[k] = (cell & 0x7fff0000) | left;
        }
        last = left;
    }
    distance[i] = last;
}

// Volume of pollen in honey by kind. Eight grains of 4 bits of kind and 12 of volume in each 16 bytes.
constexpr int POLLENS = 16;
template <class F> __device__ __forceinline__ void each_grain(const uint4 *__restrict__ grain, int n, F add)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint4 g = grain[i];
        const unsigned word[4] = {g.x, g.y, g.z, g.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            add(word[j] & 15, word[j] >> 4 & 4095);
            add(word[j] >> 16 & 15, word[j] >> 20);
        }
    }
}
extern "C" __global__ void __launch_bounds__(256) honey_pollen(
    const uint4 *__restrict__ grain, unsigned long long *__restrict__ volume, int n)
{
    __shared__ unsigned sum[POLLENS];
    if (threadIdx.x < POLLENS) sum[threadIdx.x] = 0;
    __syncthreads();
    each_grain(grain, n, [](unsigned kind, unsigned size) { atomicAdd(&sum[kind], size); });
    __syncthreads();
    if (threadIdx.x < POLLENS) atomicAdd(&volume[threadIdx.x], static_cast<unsigned long long>(sum[threadIdx.x]));
}
// A sum for each lane and kind.
extern "C" __global__ void __launch_bounds__(256) honey_pollen_b(
    const uint4 *__restrict__ grain, unsigned long long *__restrict__ volume, int n)
{
    __shared__ unsigned sum[POLLENS][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int k = warp; k < POLLENS; k += warps) sum[k][lane] = 0;
    __syncthreads();
    each_grain(grain, n, [lane](unsigned kind, unsigned size) { atomicAdd(&sum[kind][lane], size); });
    __syncthreads();
    for (int k = warp; k < POLLENS; k += warps) {
        const unsigned all = __reduce_add_sync(~0u, sum[k][lane]);
        if (lane == 0) atomicAdd(&volume[k], static_cast<unsigned long long>(all));
    }
}

// Settlement of points at the surface above a tunnel: each ring that the machine has built adds a trough, which grows
// with the ring's age by a law of the ground. ring: place, depth, age (0 to 1) and lost volume.
__device__ __forceinline__ float grown(float age, float depth)
{
    float clay = 0.011f, sand = -0.023f;
#pragma unroll
    for (int k = 1; k < 16; k++) {
        clay = fmaf(clay, age, (k % 2 ? -0.21f : 0.23f) / k);
        sand = fmaf(sand, age, (k % 3 ? 0.17f : -0.19f) / k);
    }
    const float mixed = depth * clay + (1.0f - depth) * sand;
    float late = 0.003f;
#pragma unroll
    for (int k = 1; k < 10; k++) late = fmaf(late, mixed, 0.4f / k);
    return 1.0f + age * late;
}
__device__ __forceinline__ float trough(float away)
{
    const float in = fmaxf(1.0f - away * away, 0.0f);
    return in * in;
}
extern "C" __global__ void __launch_bounds__(256) tunnel_settlement(
    const float4 *__restrict__ ring, const float *__restrict__ place, float *__restrict__ settled, int rings, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float at = place[i];
    float sum = 0.0f;
#pragma unroll 2
    for (int k = 0; k < rings; k++) {
        const float4 r = ring[k];
        sum += r.w * grown(r.z, r.y) * trough(at - r.x);
    }
    settled[i] = sum;
}
constexpr int RINGS = 256;
// Place and strength of each ring are computed once in the block, of up to RINGS rings at a time.
extern "C" __global__ void __launch_bounds__(256) tunnel_settlement_b(
    const float4 *__restrict__ ring, const float *__restrict__ place, float *__restrict__ settled, int rings, int n)
{
    __shared__ float2 trench[RINGS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float at = i < n ? place[i] : 0.0f;
    float sum = 0.0f;
    for (int first = 0; first < rings; first += RINGS) {
        const int count = min(RINGS, rings - first);
        if (first > 0) __syncthreads();
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            const float4 r = ring[first + k];
            trench[k] = make_float2(r.x, r.w * grown(r.z, r.y));
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < count; k++) {
            const float2 r = trench[k];
            sum += r.y * trough(at - r.x);
        }
    }
    if (i < n) settled[i] = sum;
}

// Mass of the meteors in a frame of the sky: each bright pixel's light is followed back along its path.
__device__ __forceinline__ float ablated(float light, int steps)
{
    float mass = light, speed = 1.0f;
    for (int k = 0; k < steps; k++) {
        const float drag = 0.02f * speed * speed;
        speed -= drag * (1.2f - mass);
        mass = fmaf(0.01f * drag, speed - mass, mass);
        mass += 0.001f * light * speed;
    }
    return mass;
}
extern "C" __global__ void __launch_bounds__(256) meteor_streaks(
    const float *__restrict__ sky, float *__restrict__ mass, float limit, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float light = sky[i];
    float m = 0.0f;
    if (light > limit) m = ablated(light, steps);
    mass[i] = m;
}
// A block looks for the bright pixels of 4096 first and then follows them side by side.
constexpr int LOOK = 4096;
extern "C" __global__ void __launch_bounds__(256) meteor_streaks_b(
    const float *__restrict__ sky, float *__restrict__ mass, float limit, int steps, int n)
{
    constexpr int EACH = LOOK / 256;
    __shared__ unsigned short bright[LOOK];
    __shared__ int found;
    const int tid = threadIdx.x, lane = tid % 32, start = blockIdx.x * LOOK;
    if (tid == 0) found = 0;
    __syncthreads();
    float light[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int i = start + j * 256 + tid;
        light[j] = i < n ? sky[i] : 0.0f;
    }
    // One place in the list for each bright pixel of the warp.
    int of_warp = 0, at[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int i = start + j * 256 + tid;
        const bool is = i < n && light[j] > limit;
        const unsigned who = __ballot_sync(~0u, is);
        at[j] = is ? of_warp + __popc(who & (1u << lane) - 1) : -1;
        of_warp += __popc(who);
        if (i < n && !is) mass[i] = 0.0f;
    }
    int base = 0;
    if (lane == 0) base = atomicAdd(&found, of_warp);
    base = __shfl_sync(~0u, base, 0);
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (at[j] >= 0) bright[base + at[j]] = static_cast<unsigned short>(j * 256 + tid);
    __syncthreads();
    const int count = found;
    for (int k = tid; k < count; k += 256) {
        const int i = start + bright[k];
        mass[i] = ablated(sky[i], steps);
    }
}

// Best effort of each cyclist over some seconds: largest sum of the power meter's readings in a sliding window.
// Sixteen readings of a byte in each uint4.
constexpr int LONGEST = 64;
__device__ __forceinline__ int reading(const uint4 &r, int j)
{
    const unsigned word = j < 4 ? r.x : j < 8 ? r.y : j < 12 ? r.z : r.w;
    return word >> 8 * (j % 4) & 255;
}
extern "C" __global__ void __launch_bounds__(256) best_efforts(
    const uint4 *__restrict__ power, int *__restrict__ best, int window, int groups, int riders)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= riders) return;
    int ring[LONGEST] = {}, sum = 0, most = 0, at = 0;
    for (int g = 0; g < groups; g++) {
        const uint4 r = power[g * riders + i];
#pragma unroll
        for (int j = 0; j < 16; j++) {
            const int now = reading(r, j);
            sum += now - ring[at];
            ring[at] = now;
            at = at + 1 == window ? 0 : at + 1;
            most = max(most, sum);
        }
    }
    best[i] = most;
}
// The window is known, so that what leaves it stays in registers, as it was read; groups is even.
// The window is LONGEST readings, four groups, which stay packed in registers; groups is a multiple of four.
extern "C" __global__ void __launch_bounds__(256) best_efforts_b(
    const uint4 *__restrict__ power, int *__restrict__ best, int groups, int riders)
{
    constexpr int HELD = LONGEST / 16;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= riders) return;
    uint4 held[HELD];
#pragma unroll
    for (int h = 0; h < HELD; h++) held[h] = make_uint4(0, 0, 0, 0);
    int sum = 0, most = 0;
    for (int g = 0; g < groups; g += HELD) {
#pragma unroll
        for (int h = 0; h < HELD; h++) {
            const uint4 r = power[(g + h) * riders + i];
#pragma unroll
            for (int j = 0; j < 16; j++) {
                sum += reading(r, j) - reading(held[h], j);
                most = max(most, sum);
            }
            held[h] = r;
        }
    }
    best[i] = most;
}

// Power of the echoes of birds in each cell of a radar at eight speeds, from 32 pulses.
constexpr int SPEEDS = 8, PULSES = 32;
__constant__ float2 bird_turn[SPEEDS][PULSES];
extern "C" __global__ void __launch_bounds__(256) bird_speeds(
    const float *__restrict__ echo, float *__restrict__ power, int cells)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, s = blockIdx.y;
    if (i >= cells) return;
    float re = 0.0f, im = 0.0f;
#pragma unroll 8
    for (int p = 0; p < PULSES; p++) {
        const float e = echo[p * cells + i];
        re = fmaf(e, bird_turn[s][p].x, re);
        im = fmaf(e, bird_turn[s][p].y, im);
    }
    power[s * cells + i] = re * re + im * im;
}
// All speeds by one thread.
extern "C" __global__ void __launch_bounds__(256) bird_speeds_b(
    const float *__restrict__ echo, float *__restrict__ power, int cells)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float re[SPEEDS] = {}, im[SPEEDS] = {};
#pragma unroll
    for (int p = 0; p < PULSES; p++) {
        const float e = echo[p * cells + i];
#pragma unroll
        for (int s = 0; s < SPEEDS; s++) {
            re[s] = fmaf(e, bird_turn[s][p].x, re[s]);
            im[s] = fmaf(e, bird_turn[s][p].y, im[s]);
        }
    }
#pragma unroll
    for (int s = 0; s < SPEEDS; s++) power[s * cells + i] = re[s] * re[s] + im[s] * im[s];
}

// Check digits of taxpayers' numbers of 14 digits: the digits' sum, weighted 2 to 9 from the right, modulo 11.
extern "C" __global__ void __launch_bounds__(256) tax_check_digits(
    const unsigned long long *__restrict__ number, unsigned char *__restrict__ check, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long left = number[i];
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 14; k++) {
        sum += (2 + k % 8) * static_cast<unsigned>(left % 10);
        left /= 10;
    }
    check[i] = static_cast<unsigned char>(sum % 11);
}
// Two halves of seven digits, each of 32 bits.
template <int FIRST> __device__ __forceinline__ unsigned seven_digits(unsigned left)
{
    unsigned sum = 0;
#pragma unroll
    for (int k = FIRST; k < FIRST + 7; k++) {
        sum += (2 + k % 8) * (left % 10);
        left /= 10;
    }
    return sum;
}
extern "C" __global__ void __launch_bounds__(256) tax_check_digits_b(
    const unsigned long long *__restrict__ number, unsigned char *__restrict__ check, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long all = number[i];
    const unsigned upper = static_cast<unsigned>(all / 10000000);  // the only division of 64 bits
    const unsigned lower = static_cast<unsigned>(all) - upper * 10000000u;
    check[i] = static_cast<unsigned char>((seven_digits<0>(lower) + seven_digits<7>(upper)) % 11);
}

// Strongest and last scent of a perfume on each wearer's skin over 32 moments; its substances evaporate the faster, the
// warmer the skin. substance: how much there is, and how fast it goes.
constexpr int MOMENTS = 32;
extern "C" __global__ void __launch_bounds__(256) perfume_scents(
    const float2 *__restrict__ substance, const float *__restrict__ warmth, float2 *__restrict__ scent, float moment,
    int substances, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float warm = warmth[i];
    float sum[MOMENTS] = {};
    for (int s = 0; s < substances; s++) {
        const float2 mine = substance[s];
        const float rate = -mine.y * warm * moment;
#pragma unroll
        for (int k = 0; k < MOMENTS; k++) sum[k] = fmaf(mine.x, exp2f(rate * k), sum[k]);
    }
    float most = 0.0f;
#pragma unroll
    for (int k = 0; k < MOMENTS; k++) most = fmaxf(most, sum[k] * (0.2f + 0.03f * k));
    scent[i] = make_float2(most, sum[MOMENTS - 1]);
}
// What is left at a moment is a share of what was left at the one before.
extern "C" __global__ void __launch_bounds__(256) perfume_scents_b(
    const float2 *__restrict__ substance, const float *__restrict__ warmth, float2 *__restrict__ scent, float moment,
    int substances, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float warm = warmth[i];
    float sum[MOMENTS] = {};
    for (int s = 0; s < substances; s++) {
        const float2 mine = substance[s];
        const float share = exp2f(-mine.y * warm * moment);
        float left = mine.x;
#pragma unroll
        for (int k = 0; k < MOMENTS; k++) {
            sum[k] += left;
            left *= share;
        }
    }
    float most = 0.0f;
#pragma unroll
    for (int k = 0; k < MOMENTS; k++) most = fmaxf(most, sum[k] * (0.2f + 0.03f * k));
    scent[i] = make_float2(most, sum[MOMENTS - 1]);
}

// Spare cloth of eight garments on each customer, by a chart of 256 types of body.
constexpr int GARMENTS = 8, BODIES = 256;
__constant__ float size_chart[GARMENTS][BODIES];
extern "C" __global__ void __launch_bounds__(256) clothes_spare(
    const int *__restrict__ body, const float *__restrict__ girth, float *__restrict__ spare, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int type = body[i];
        const float mine = girth[i];
        float sum = 0.0f;
#pragma unroll
        for (int g = 0; g < GARMENTS; g++) sum += fabsf(size_chart[g][type] - mine);
        spare[i] = sum;
    }
}
// chart: what size_chart holds, in global memory; each block copies it into shared memory.
extern "C" __global__ void __launch_bounds__(256) clothes_spare_b(
    const int *__restrict__ body, const float *__restrict__ girth, float *__restrict__ spare,
    const float *__restrict__ chart, int n)
{
    __shared__ float copy[GARMENTS][BODIES];
    for (int k = threadIdx.x; k < GARMENTS * BODIES; k += blockDim.x) copy[k / BODIES][k % BODIES] = chart[k];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int type = body[i];
        const float mine = girth[i];
        float sum = 0.0f;
#pragma unroll
        for (int g = 0; g < GARMENTS; g++) sum += fabsf(copy[g][type] - mine);
        spare[i] = sum;
    }
}

// Swing of the twelve bells of each of many towers after some strokes of the ropes.
extern "C" __global__ void __launch_bounds__(384) bell_swings(
    const float *__restrict__ pull, float *__restrict__ swing, int bells, int strokes, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float rope = pull[i], weight = 1.0f + 0.1f * (i % bells);
    float angle = 0.1f, speed = 0.0f;
#pragma unroll 4
    for (int k = 0; k < strokes; k++) {
        const float square = angle * angle;
        const float back = angle * fmaf(square, fmaf(square, 0.008f, -0.166f), 1.0f);
        speed = fmaf(speed, 0.99f, 0.02f * (rope - weight * back));
        angle = fminf(fmaxf(fmaf(0.05f, speed, angle), -3.0f), 3.0f);
    }
    swing[i] = angle;
}

// Speed of boats after some time under sail: the force is by the angle between the wind on board and the sail.
extern "C" __global__ void __launch_bounds__(256) sail_speeds(
    const float2 *__restrict__ wind, const float *__restrict__ trim, float *__restrict__ speed, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 w = wind[i];
    const float sheet = trim[i];
    float run = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float along = w.x - run, across = w.y;
        const float angle = atan2f(across, along) - sheet;
        const float lift = sinf(angle), drag = cosf(angle);
        run += 0.01f * ((along * along + across * across) * lift * (0.6f + 0.1f * drag) - run * run);
    }
    speed[i] = run;
}
// Sine and cosine of the angle from the vectors themselves.
// Fast forms: quotient by __fdividef and a short polynomial (to 2e-6), instead of atan2f; not for 0, 0.
__device__ __forceinline__ float fast_atan2(float y, float x)
{
    const float ax = fabsf(x), ay = fabsf(y);
    const float t = __fdividef(fminf(ax, ay), fmaxf(ax, ay)), s = t * t;
    float a = fmaf(s, -0.0117191207f, 0.052647315f);
    a = fmaf(s, a, -0.116426446f);
    a = fmaf(s, a, 0.193540365f);
    a = fmaf(s, a, -0.332622826f);
    a = t * fmaf(s, a, 0.999977231f);
    if (ay > ax) a = 1.57079633f - a;
    if (x < 0.0f) a = 3.14159265f - a;
    return copysignf(a, y);
}
extern "C" __global__ void __launch_bounds__(256) sail_speeds_b(
    const float2 *__restrict__ wind, const float *__restrict__ trim, float *__restrict__ speed, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 w = wind[i];
    const float sheet = trim[i];
    float run = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float along = w.x - run, across = w.y;
        const float angle = fast_atan2(across, along) - sheet;
        const float lift = __sinf(angle), drag = __cosf(angle);
        run += 0.01f * ((along * along + across * across) * lift * (0.6f + 0.1f * drag) - run * run);
    }
    speed[i] = run;
}

// Colour of a quilt: cloth dyed by the patch that it lies in, darker at the seams. ALONG: lanes along a row.
template <bool ALONG>
__device__ __forceinline__ void quilt(
    const float *__restrict__ cloth, const float *__restrict__ dye, float *__restrict__ colour, int patch, int width,
    int height)
{
    const int x = ALONG ? blockIdx.x * 32 + threadIdx.x : blockIdx.x * 8 + threadIdx.y;
    const int y = ALONG ? blockIdx.y * 8 + threadIdx.y : blockIdx.y * 32 + threadIdx.x;
    if (x >= width || y >= height) return;
    const int mask = (1 << patch) - 1;
    const float tint = dye[(y >> patch) * (width >> patch) + (x >> patch)];
    const bool seam = (x & mask) < 2 || (y & mask) < 2;
    const float c = cloth[y * width + x];
    colour[y * width + x] = (seam ? 0.5f : 1.0f) * (c * tint + 0.1f * c * c);
}
extern "C" __global__ void __launch_bounds__(256) quilt_colours(
    const float *__restrict__ cloth, const float *__restrict__ dye, float *__restrict__ colour, int patch, int width,
    int height)
{
    quilt<false>(cloth, dye, colour, patch, width, height);
}
extern "C" __global__ void __launch_bounds__(256) quilt_colours_b(
    const float *__restrict__ cloth, const float *__restrict__ dye, float *__restrict__ colour, int patch, int width,
    int height)
{
    quilt<true>(cloth, dye, colour, patch, width, height);
}
