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
extern "C" __global__ void __launch_bounds__(WARP_THREADS) loom_faults_b(
    const unsigned char *__restrict__ cloth, const float *__restrict__ gain, float *__restrict__ worst, int rows)
{
    __shared__ float part[2][WARP_THREADS / 32];
    const int tid = threadIdx.x, width = blockDim.x;
    const unsigned char *strip = cloth + static_cast<size_t>(blockIdx.x) * rows * width;
    const float scale = gain[tid], share = 1.0f / width;
    float smooth = 0.0f, most = 0.0f, next = strip[tid];
    for (int k = 0; k < rows; k++) {
        const float x = scale * next;
        if (k + 1 < rows) next = strip[(k + 1) * width + tid];
        float sum = x;
#pragma unroll
        for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
        if (tid % 32 == 0) part[k % 2][tid / 32] = sum;
        __syncthreads();
        float all = 0.0f;
#pragma unroll
        for (int j = 0; j < WARP_THREADS / 32; j++) all += part[k % 2][j];
        smooth = 0.8f * smooth + (x - all * share);
        most = fmaxf(most, fabsf(smooth));
    }
    worst[blockIdx.x * width + tid] = most;
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
    __shared__ unsigned sum[POLLENS * 32];
    const int lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < POLLENS * 32; k += 256) sum[k] = 0;
    __syncthreads();
    each_grain(grain, n, [lane](unsigned kind, unsigned size) { atomicAdd(&sum[kind * 32 + lane], size); });
    __syncthreads();
    for (int k = threadIdx.x; k < POLLENS * 32; k += 256) {
        const unsigned all = __reduce_add_sync(~0u, sum[k]);
        if (lane == 0) atomicAdd(&volume[k / 32], static_cast<unsigned long long>(all));
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
extern "C" __global__ void __launch_bounds__(256) tunnel_settlement_b(
    const float4 *__restrict__ ring, const float *__restrict__ place, float *__restrict__ settled, int rings, int n)
{
    __shared__ float2 known[RINGS];
    for (int k = threadIdx.x; k < rings; k += 256) {
        const float4 r = ring[k];
        known[k] = make_float2(r.x, r.w * grown(r.z, r.y));
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float at = place[i];
    float sum = 0.0f;
#pragma unroll 2
    for (int k = 0; k < rings; k++) sum += known[k].y * trough(at - known[k].x);
    settled[i] = sum;
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
    __shared__ unsigned short bright[LOOK];
    __shared__ int count;
    const int base = blockIdx.x * LOOK, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < LOOK / 256; j++) {
        const int k = j * 256 + threadIdx.x, i = base + k;
        const bool take = i < n && sky[i] > limit;
        if (i < n && !take) mass[i] = 0.0f;
        const unsigned who = __ballot_sync(~0u, take);
        int first = 0;
        if (lane == 0 && who) first = atomicAdd(&count, __popc(who));
        first = __shfl_sync(~0u, first, 0);
        if (take) bright[first + __popc(who & ((1u << lane) - 1))] = static_cast<unsigned short>(k);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += 256) {
        const int i = base + bright[k];
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
extern "C" __global__ void __launch_bounds__(256) best_efforts_b(
    const uint4 *__restrict__ power, int *__restrict__ best, int groups, int riders)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= riders) return;
    uint4 before[LONGEST / 16] = {};
    int sum = 0, most = 0;
    for (int g = 0; g < groups; g += LONGEST / 16) {
#pragma unroll
        for (int h = 0; h < LONGEST / 16; h++) {
            const uint4 r = power[(g + h) * riders + i];
#pragma unroll
            for (int j = 0; j < 16; j++) {
                sum += reading(r, j) - reading(before[h], j);
                most = max(most, sum);
            }
            before[h] = r;
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
#pragma unroll 8
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
extern "C" __global__ void __launch_bounds__(256) tax_check_digits_b(
    const unsigned long long *__restrict__ number, unsigned char *__restrict__ check, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long whole = number[i], upper = whole / 10000000;
    unsigned high = static_cast<unsigned>(upper), low = static_cast<unsigned>(whole - upper * 10000000), sum = 0;
#pragma unroll
    for (int k = 0; k < 7; k++) {
        sum += (2 + k % 8) * (low % 10) + (2 + (k + 7) % 8) * (high % 10);
        low /= 10;
        high /= 10;
    }
    check[i] = static_cast<unsigned char>(sum % 11);
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
extern "C" __global__ void __launch_bounds__(256) clothes_spare_b(
    const int *__restrict__ body, const float *__restrict__ girth, float *__restrict__ spare,
    const float *__restrict__ chart, int n)
{
    __shared__ float mine_chart[GARMENTS][BODIES];
#pragma unroll
    for (int g = 0; g < GARMENTS; g++) mine_chart[g][threadIdx.x] = chart[g * BODIES + threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int type = body[i];
        const float mine = girth[i];
        float sum = 0.0f;
#pragma unroll
        for (int g = 0; g < GARMENTS; g++) sum += fabsf(mine_chart[g][type] - mine);
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
extern "C" __global__ void __launch_bounds__(256) sail_speeds_b(
    const float2 *__restrict__ wind, const float *__restrict__ trim, float *__restrict__ speed, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 w = wind[i];
    const float up = sinf(trim[i]), on = cosf(trim[i]);
    float run = 0.0f;
    for (int k = 0; k < steps; k++) {
        const float along = w.x - run, across = w.y;
        const float square = along * along + across * across, over = rsqrtf(square);
        const float lift = (across * on - along * up) * over, drag = (along * on + across * up) * over;
        run += 0.01f * (square * lift * (0.6f + 0.1f * drag) - run * run);
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
