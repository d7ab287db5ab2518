// Ion thrusters, power grids, dashboard cameras, tablets, gravity surveys, hearing aids, paints, plankton, whales,
// detergents, auctions, snoring, chat assistants, asteroids.

// Field of an ion thruster at each ion, between the eight corners of its cell. ion: place in cells, and charge.
extern "C" __global__ void __launch_bounds__(256) thruster_gather(
    const float4 *__restrict__ ion, const float4 *__restrict__ field, float4 *__restrict__ push, int cells, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = ion[i];
    const int x = min(max((int)p.x, 0), cells - 2), y = min(max((int)p.y, 0), cells - 2);
    const int z = min(max((int)p.z, 0), cells - 2);
    const float fx = p.x - x, fy = p.y - y, fz = p.z - z;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int corner = 0; corner < 8; corner++) {
        const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
        const float4 e = field[((z + dz) * cells + y + dy) * cells + x + dx];
        const float w = (dx ? fx : 1.0f - fx) * (dy ? fy : 1.0f - fy) * (dz ? fz : 1.0f - fz);
        sum.x += w * e.x;
        sum.y += w * e.y;
        sum.z += w * e.z;
        sum.w += w * e.w;
    }
    push[i] = make_float4(p.w * sum.x, p.w * sum.y, p.w * sum.z, p.w * sum.w);
}

// Heat lost in the lines of each feeder of a grid. Lines are in order of their feeders; their number is a multiple of
// 256.
extern "C" __global__ void __launch_bounds__(256) feeder_losses(
    const float *__restrict__ current, const float *__restrict__ ohms, const int *__restrict__ feeder,
    float *__restrict__ lost, int lines)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines) return;
    const float c = current[i];
    atomicAdd(&lost[feeder[i]], 3.0f * c * c * ohms[i]);
}
extern "C" __global__ void __launch_bounds__(256) feeder_losses_b(
    const float *__restrict__ current, const float *__restrict__ ohms, const int *__restrict__ feeder,
    float *__restrict__ lost, int lines)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines) return;
    const float c = current[i];
    const int mine = feeder[i];
    float heat = 3.0f * c * c * ohms[i];
    if (__all_sync(~0u, mine == __shfl_sync(~0u, mine, 0))) {
#pragma unroll
        for (int half = 16; half > 0; half /= 2) heat += __shfl_xor_sync(~0u, heat, half);
        if (threadIdx.x % 32 == 0) atomicAdd(&lost[mine], heat);
    } else {
        atomicAdd(&lost[mine], heat);
    }
}

// Median level of each cell of 8 by 8 pixels of a night picture, and how many pixels are over the limit of their level,
// for its contrast. A cell a thread, with its own counters of 32 levels in shared memory.
constexpr int LEVELS = 32, CELL_BLOCK = 128;
template <int PER_LEVEL, int PER_THREAD>
__device__ __forceinline__ void cell_contrast(
    const uint2 *__restrict__ picture, unsigned *__restrict__ contrast, int limit, int across, int down)
{
    __shared__ int count[LEVELS * CELL_BLOCK];
    const int x = blockIdx.x * CELL_BLOCK + threadIdx.x, y = blockIdx.y;
    if (x >= across || y >= down) return;
    int *own = count + threadIdx.x * PER_THREAD;
    for (int k = 0; k < LEVELS; k++) own[k * PER_LEVEL] = 0;
    for (int row = 0; row < 8; row++) {
        const uint2 pixels = picture[static_cast<size_t>(8 * y + row) * across + x];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            own[(pixels.x >> (8 * k + 3) & 31) * PER_LEVEL]++;
            own[(pixels.y >> (8 * k + 3) & 31) * PER_LEVEL]++;
        }
    }
    int below = 0, over = 0, median = 0;
    for (int k = 0; k < LEVELS; k++) {
        const int c = own[k * PER_LEVEL];
        below += c;
        over += max(c - limit, 0);
        median += below < 32;
    }
    contrast[y * across + x] = median | over << 8;
}
extern "C" __global__ void __launch_bounds__(CELL_BLOCK) dashcam_contrast(
    const uint2 *__restrict__ picture, unsigned *__restrict__ contrast, int limit, int across, int down)
{
    cell_contrast<1, LEVELS>(picture, contrast, limit, across, down);
}
extern "C" __global__ void __launch_bounds__(CELL_BLOCK) dashcam_contrast_b(
    const uint2 *__restrict__ picture, unsigned *__restrict__ contrast, int limit, int across, int down)
{
    cell_contrast<CELL_BLOCK, 1>(picture, contrast, limit, across, down);
}

// Mass of each grain of a tablet after some time in the stomach, by the law of its coating.
struct Coating {
    float rate, power, soluble;
};
__device__ __forceinline__ float dissolve(float mass, const Coating &law, float dt, int steps)
{
    float solved = 0.0f;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        const float lost = fminf(dt * law.rate * __powf(mass, law.power) * (law.soluble - solved), mass);
        mass = fmaxf(mass - lost, 1e-6f);
        solved += 0.5f * lost;
    }
    return mass;
}
extern "C" __global__ void __launch_bounds__(256) tablet_grains(
    const float *__restrict__ mass, const int *__restrict__ coat, float *__restrict__ left, float dt, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float m = mass[i];
    float after;
    switch (coat[i]) {
    case 0: after = dissolve(m, {0.8f, 0.6667f, 1.2f}, dt, steps); break;
    case 1: after = dissolve(m, {0.5f, 0.9f, 1.5f}, dt, steps); break;
    case 2: after = dissolve(m, {1.1f, 0.75f, 0.9f}, dt, steps); break;
    default: after = dissolve(m, {0.3f, 0.55f, 2.0f}, dt, steps); break;
    }
    left[i] = after;
}
extern "C" __global__ void __launch_bounds__(256) tablet_grains_b(
    const float *__restrict__ mass, const int *__restrict__ coat, float *__restrict__ left, float dt, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int c = coat[i];
    Coating law;
    law.rate = c == 0 ? 0.8f : c == 1 ? 0.5f : c == 2 ? 1.1f : 0.3f;
    law.power = c == 0 ? 0.6667f : c == 1 ? 0.9f : c == 2 ? 0.75f : 0.55f;
    law.soluble = c == 0 ? 1.2f : c == 1 ? 1.5f : c == 2 ? 0.9f : 2.0f;
    left[i] = dissolve(mass[i], law, dt, steps);
}

// Gradients of gravity at the stations of a survey from bodies in the ground; bodies are a multiple of 256.
extern "C" __global__ void __launch_bounds__(256) gradient_survey(
    const float4 *__restrict__ station, const float4 *__restrict__ body, float4 *__restrict__ gradient, int bodies,
    int n)
{
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 s = station[min(i, n - 1)];
    float zz = 0.0f, xz = 0.0f, yz = 0.0f, xy = 0.0f;
    for (int first = 0; first < bodies; first += 256) {
        __syncthreads();
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            const float4 b = tile[k];
            const float dx = b.x - s.x, dy = b.y - s.y, dz = b.z - s.z;
            const float inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 1e-4);
            const float pull = 6.674e-2 * b.w * inverse * sqrtf(inverse);
            zz += pull * (3.0 * dz * dz * inverse - 1.0);
            xz += 3.0 * pull * dx * dz * inverse;
            yz += 3.0 * pull * dy * dz * inverse;
            xy += 3.0 * pull * dx * dy * inverse;
        }
    }
    if (i < n) gradient[i] = make_float4(zz, xz, yz, xy);
}
extern "C" __global__ void __launch_bounds__(256) gradient_survey_b(
    const float4 *__restrict__ station, const float4 *__restrict__ body, float4 *__restrict__ gradient, int bodies,
    int n)
{
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 s = station[min(i, n - 1)];
    float zz = 0.0f, xz = 0.0f, yz = 0.0f, xy = 0.0f;
    for (int first = 0; first < bodies; first += 256) {
        __syncthreads();
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            const float4 b = tile[k];
            const float dx = b.x - s.x, dy = b.y - s.y, dz = b.z - s.z;
            const float inverse = 1.0f / (dx * dx + dy * dy + dz * dz + 1e-4f);
            const float pull = 6.674e-2f * b.w * inverse * sqrtf(inverse);
            zz += pull * (3.0f * dz * dz * inverse - 1.0f);
            xz += 3.0f * pull * dx * dz * inverse;
            yz += 3.0f * pull * dy * dz * inverse;
            xy += 3.0f * pull * dx * dy * inverse;
        }
    }
    if (i < n) gradient[i] = make_float4(zz, xz, yz, xy);
}

// What a hearing aid hears of its own loudspeaker, taken out by a filter that learns (NLMS); an aid a thread. rest:
// energy of what remains; samples are a multiple of TAPS.
constexpr int TAPS = 16;
struct Canceller {
    float weight[TAPS], past[TAPS], power, energy;
    __device__ __forceinline__ void start()
    {
#pragma unroll
        for (int j = 0; j < TAPS; j++) weight[j] = past[j] = 0.0f;
        power = 0.01f;
        energy = 0.0f;
    }
    __device__ __forceinline__ void step(float played, float heard, int at, float learn)
    {
        power += played * played - past[at] * past[at];
        past[at] = played;
        float guess = 0.0f;
#pragma unroll
        for (int j = 0; j < TAPS; j++) guess += weight[j] * past[(at - j) & (TAPS - 1)];
        const float off = heard - guess, by = __fdividef(learn * off, power);
#pragma unroll
        for (int j = 0; j < TAPS; j++) weight[j] += by * past[(at - j) & (TAPS - 1)];
        energy += off * off;
    }
};
extern "C" __global__ void __launch_bounds__(128) aid_echoes(
    const float *__restrict__ played, const float *__restrict__ heard, float *__restrict__ rest, float learn,
    int samples, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Canceller aid;
    aid.start();
    for (int k = 0; k < samples; k++) {
        const size_t from = static_cast<size_t>(k) * n + i;
        aid.step(played[from], heard[from], k & (TAPS - 1), learn);
    }
    rest[i] = aid.energy;
}
extern "C" __global__ void __launch_bounds__(128) aid_echoes_b(
    const float *__restrict__ played, const float *__restrict__ heard, float *__restrict__ rest, float learn,
    int samples, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Canceller aid;
    aid.start();
    for (int first = 0; first < samples; first += TAPS) {
#pragma unroll
        for (int k = 0; k < TAPS; k++) {
            const size_t from = static_cast<size_t>(first + k) * n + i;
            aid.step(played[from], heard[from], k, learn);
        }
    }
    rest[i] = aid.energy;
}

// Shares of 4096 pigments in a paint: the nearest to what is wished for that are not negative and add up to one. All
// wishes less a level, which is found by halving; a block of 1024 threads a paint.
constexpr int HALVINGS = 24;
struct Tree {
    float held[1024];
    template <typename F>
    __device__ __forceinline__ float join(float mine, F op, int)
    {
        const int t = threadIdx.x;
        held[t] = mine;
        __syncthreads();
        for (int half = 512; half > 0; half /= 2) {
            if (t < half) held[t] = op(held[t], held[t + half]);
            __syncthreads();
        }
        const float all = held[0];
        __syncthreads();
        return all;
    }
};
struct Shuffles {
    float held[2][32];
    template <typename F>
    __device__ __forceinline__ float join(float mine, F op, int turn)
    {
        const int t = threadIdx.x;
#pragma unroll
        for (int half = 16; half > 0; half /= 2) mine = op(mine, __shfl_xor_sync(~0u, mine, half));
        if (t % 32 == 0) held[turn][t / 32] = mine;
        __syncthreads();
        mine = held[turn][t % 32];
#pragma unroll
        for (int half = 16; half > 0; half /= 2) mine = op(mine, __shfl_xor_sync(~0u, mine, half));
        return mine;
    }
};
template <typename Block>
__device__ __forceinline__ void share_out(const float4 *__restrict__ wish, float4 *__restrict__ share)
{
    __shared__ Block block;
    const int at = blockIdx.x * 1024 + threadIdx.x;
    const float4 w = wish[at];
    const float most = fmaxf(fmaxf(w.x, w.y), fmaxf(w.z, w.w));
    float high = block.join(most, [](float a, float b) { return fmaxf(a, b); }, 0);
    float low = high - 1.0f;
#pragma unroll 1
    for (int k = 1; k <= HALVINGS; k++) {
        const float level = 0.5f * (low + high);
        const float mine = fmaxf(w.x - level, 0.0f) + fmaxf(w.y - level, 0.0f) + fmaxf(w.z - level, 0.0f) +
                           fmaxf(w.w - level, 0.0f);
        const float sum = block.join(mine, [](float a, float b) { return a + b; }, k & 1);
        if (sum > 1.0f)
            low = level;
        else
            high = level;
    }
    share[at] = make_float4(fmaxf(w.x - low, 0.0f), fmaxf(w.y - low, 0.0f), fmaxf(w.z - low, 0.0f),
                            fmaxf(w.w - low, 0.0f));
}
extern "C" __global__ void __launch_bounds__(1024) paint_shares(
    const float4 *__restrict__ wish, float4 *__restrict__ share)
{
    share_out<Tree>(wish, share);
}
extern "C" __global__ void __launch_bounds__(1024) paint_shares_b(
    const float4 *__restrict__ wish, float4 *__restrict__ share)
{
    share_out<Shuffles>(wish, share);
}

// Maps of features of plankton pictures, cut into windows of side by side for attention, each channel times its gain.
extern "C" __global__ void __launch_bounds__(256) plankton_windows(
    const float *__restrict__ map, const float *__restrict__ gain, float *__restrict__ window, long long height,
    long long width, long long side, long long channels, long long n)
{
    const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long left = i;
    const long long c = left % channels;
    left /= channels;
    const long long in_x = left % side;
    left /= side;
    const long long in_y = left % side;
    left /= side;
    const long long window_x = left % (width / side);
    left /= width / side;
    const long long window_y = left % (height / side), picture = left / (height / side);
    const long long x = window_x * side + in_x, y = window_y * side + in_y;
    window[i] = gain[c] * map[((picture * height + y) * width + x) * channels + c];
}
// A window a block; threads are channels by places along x.
extern "C" __global__ void __launch_bounds__(512) plankton_windows_b(
    const float *__restrict__ map, const float *__restrict__ gain, float *__restrict__ window, int height, int width,
    int side, int channels)
{
    const int c = threadIdx.x, in_x = threadIdx.y;
    const float g = gain[c];
    const long long number = (static_cast<long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const long long row = static_cast<long long>(blockIdx.z) * height + blockIdx.y * side;
    const float *from = map + (row * width + blockIdx.x * side + in_x) * channels + c;
    float *to = window + (number * side * side + in_x) * channels + c;
    for (int in_y = 0; in_y < side; in_y++) to[in_y * side * channels] = g * from[in_y * width * channels];
}

// How likely each call of a whale is under a mixture of Gaussians, and which of them it fits best.
constexpr int MIXED = 16, FEATURES = 12;
__device__ __forceinline__ void fold(float &all, float &best, int &which, float here, int k)
{
    const float high = fmaxf(all, here), low = fminf(all, here);
    all = high + __logf(1.0f + __expf(low - high));
    if (here > best) {
        best = here;
        which = k;
    }
}
extern "C" __global__ void __launch_bounds__(256) whale_calls(
    const float *__restrict__ call, const float *__restrict__ mean, const float *__restrict__ variance,
    const float *__restrict__ weight, float *__restrict__ likely, int *__restrict__ kind, int n)
{
    __shared__ float2 shape[MIXED][FEATURES];
    if (threadIdx.x < MIXED * FEATURES)
        shape[threadIdx.x / FEATURES][threadIdx.x % FEATURES] = make_float2(mean[threadIdx.x], variance[threadIdx.x]);
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float x[FEATURES], all = -1e30f, best = -1e30f;
    int which = 0;
#pragma unroll
    for (int f = 0; f < FEATURES; f++) x[f] = call[static_cast<size_t>(f) * n + i];
#pragma unroll 1
    for (int k = 0; k < MIXED; k++) {
        float here = weight[k];
#pragma unroll
        for (int f = 0; f < FEATURES; f++) {
            const float2 s = shape[k][f];
            const float d = x[f] - s.x;
            here -= 0.5f * (d * d / s.y + logf(6.2831853f * s.y));
        }
        fold(all, best, which, here, k);
    }
    likely[i] = all;
    kind[i] = which;
}
// What is known of a Gaussian before the calls: half the inverses of its variances and its norm.
extern "C" __global__ void __launch_bounds__(256) whale_calls_b(
    const float *__restrict__ call, const float *__restrict__ mean, const float *__restrict__ variance,
    const float *__restrict__ weight, float *__restrict__ likely, int *__restrict__ kind, int n)
{
    __shared__ float2 shape[MIXED][FEATURES];
    __shared__ float norm[MIXED];
    if (threadIdx.x < MIXED * FEATURES)
        shape[threadIdx.x / FEATURES][threadIdx.x % FEATURES] =
            make_float2(mean[threadIdx.x], 0.5f / variance[threadIdx.x]);
    if (threadIdx.x < MIXED) {
        float sum = weight[threadIdx.x];
        for (int f = 0; f < FEATURES; f++) sum -= 0.5f * logf(6.2831853f * variance[threadIdx.x * FEATURES + f]);
        norm[threadIdx.x] = sum;
    }
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float x[FEATURES], all = -1e30f, best = -1e30f;
    int which = 0;
#pragma unroll
    for (int f = 0; f < FEATURES; f++) x[f] = call[static_cast<size_t>(f) * n + i];
#pragma unroll 1
    for (int k = 0; k < MIXED; k++) {
        float here = norm[k];
#pragma unroll
        for (int f = 0; f < FEATURES; f++) {
            const float2 s = shape[k][f];
            const float d = x[f] - s.x;
            here -= d * d * s.y;
        }
        fold(all, best, which, here, k);
    }
    likely[i] = all;
    kind[i] = which;
}

// Soft push of the 256 beads of detergent in each small box on one another, boxes repeated without end.
constexpr int BEADS = 256;
template <typename F>
__device__ __forceinline__ void push_beads(
    const float4 *__restrict__ bead, float4 *__restrict__ force, float stiff, F nearest)
{
    __shared__ float4 box[BEADS];
    const int at = blockIdx.x * BEADS + threadIdx.x;
    const float4 own = bead[at];
    box[threadIdx.x] = own;
    __syncthreads();
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 2
    for (int k = 0; k < BEADS; k++) {
        const float4 other = box[k];
        const float dx = nearest(own.x - other.x), dy = nearest(own.y - other.y), dz = nearest(own.z - other.z);
        const float r2 = fmaxf(dx * dx + dy * dy + dz * dz, 1e-6f), inverse = rsqrtf(r2);
        const float deep = fmaxf(1.0f - r2 * inverse, 0.0f), push = stiff * own.w * other.w * deep * inverse;
        sum.x += push * dx;
        sum.y += push * dy;
        sum.z += push * dz;
        sum.w += deep * deep;
    }
    force[at] = sum;
}
extern "C" __global__ void __launch_bounds__(BEADS) soap_beads(
    const float4 *__restrict__ bead, float4 *__restrict__ force, float stiff, float wide)
{
    push_beads(bead, force, stiff, [=](float d) { return fmodf(d + 1.5f * wide, wide) - 0.5f * wide; });
}
extern "C" __global__ void __launch_bounds__(BEADS) soap_beads_b(
    const float4 *__restrict__ bead, float4 *__restrict__ force, float stiff, float wide)
{
    const float inverse = 1.0f / wide;
    push_beads(bead, force, stiff, [=](float d) { return d - wide * rintf(d * inverse); });
}

// Suspicion of each bidder from those it bid against, weighed by attention; a warp a bidder. part: share of a bidder in
// the score of a pair, and its own suspicion.
extern "C" __global__ void __launch_bounds__(256) auction_rings(
    const int *__restrict__ start, const int *__restrict__ rival, const float2 *__restrict__ part,
    float *__restrict__ suspicion, int bidders)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= bidders) return;
    const int begin = start[i], end = start[i + 1];
    const float own = part[i].x;
    float weights = 0.0f, sum = 0.0f;
    for (int k = begin + lane; k < end; k += 32) {
        const float2 other = part[rival[k]];
        const float score = own + other.x, weight = __expf(score > 0.0f ? score : 0.2f * score);
        weights += weight;
        sum += weight * other.y;
    }
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
        weights += __shfl_xor_sync(~0u, weights, half);
        sum += __shfl_xor_sync(~0u, sum, half);
    }
    if (lane == 0) suspicion[i] = sum / weights;
}

// Loudness of snoring in bands that are triangles over the spectrum; a column of blocks a band, a frame a warp. edge:
// of the bands, each from the one before to the one after its middle.
extern "C" __global__ void __launch_bounds__(1024) snore_bands(
    const float *__restrict__ power, const int *__restrict__ edge, float *__restrict__ loud, int bins, int frames)
{
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32, band = blockIdx.x, bands = gridDim.x;
    const int low = edge[band], middle = edge[band + 1], high = edge[band + 2];
    const float up = 1.0f / (middle - low), down = 1.0f / (high - middle);
    for (int frame = blockIdx.y * warps + threadIdx.x / 32; frame < frames; frame += gridDim.y * warps) {
        const float *row = power + static_cast<size_t>(frame) * bins;
        float sum = 0.0f;
        for (int k = low + lane; k < high; k += 32) sum += row[k] * fminf((k - low) * up, (high - k) * down);
#pragma unroll
        for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
        if (lane == 0) loud[frame * bands + band] = __logf(sum + 1e-3f);
    }
}

// Keys of the words that a chat assistant keeps in mind, moved together, with their places. A row of 256 bytes a warp.
__device__ __forceinline__ uint2 row_part(const uint2 *key, int from, int lane)
{
    return key[static_cast<size_t>(from) * 32 + lane];
}
extern "C" __global__ void __launch_bounds__(256) cache_keepers(
    const uint2 *key, const int *keep, uint2 *kept, int *place, int many)
{
    const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int j = (blockIdx.x * blockDim.x + threadIdx.x) / 32; j < many; j += warps) {
        const int from = keep[j];
        kept[static_cast<size_t>(j) * 32 + lane] = row_part(key, from, lane);
        if (lane == 0) place[j] = from;
    }
}
// Eight rows at a time.
constexpr int AT_ONCE = 8;
extern "C" __global__ void __launch_bounds__(256) cache_keepers_b(
    const uint2 *key, const int *keep, uint2 *kept, int *place, int many)
{
    const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int j = (blockIdx.x * blockDim.x + threadIdx.x) / 32; j < many; j += AT_ONCE * warps) {
        int from[AT_ONCE];
        uint2 row[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) from[k] = keep[min(j + k * warps, many - 1)];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) row[k] = row_part(key, from[k], lane);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int to = j + k * warps;
            if (to >= many) break;
            kept[static_cast<size_t>(to) * 32 + lane] = row[k];
            if (lane == 0) place[to] = from[k];
        }
    }
}

// Pressure and speed of sound in the rock of each cell of an asteroid that strikes, from density and energy (the first
// branch of Tillotson's equation).
struct RockCell {
    float density, energy, x, y, z, mass, volume, damage;
    float pressure, sound, vx, vy, vz, viscosity, strength, age;
};
__device__ __forceinline__ float2 rock_state(float density, float energy)
{
    const float eta = density * (1.0f / 2.7f), mu = eta - 1.0f;
    const float w = 1.0f + __fdividef(energy, 4.87f * eta * eta), share = __fdividef(1.3f, w);
    const float pressure = (0.5f + share) * density * energy + 26.7f * mu + 26.7f * mu * mu;
    const float stiff = (0.5f + share) * energy + (26.7f + 53.4f * mu) * (1.0f / 2.7f);
    return make_float2(pressure, sqrtf(fmaxf(stiff, 0.01f)));
}
extern "C" __global__ void __launch_bounds__(256) impact_states(RockCell *__restrict__ cell, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 state = rock_state(cell[i].density, cell[i].energy);
    cell[i].pressure = state.x;
    cell[i].sound = state.y;
}
extern "C" __global__ void __launch_bounds__(256) impact_states_b(
    const float *__restrict__ density, const float *__restrict__ energy, float *__restrict__ pressure,
    float *__restrict__ sound, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 state = rock_state(density[i], energy[i]);
    pressure[i] = state.x;
    sound[i] = state.y;
}
