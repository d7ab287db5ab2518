// Cures of kernels of ../eighteenth/steeples.cu by an author who followed the advice: NAME_f for NAME.
#include "../eighteenth/steeples.cu"

namespace followed {

// Two lanes an ion: they read the two neighbours along x of each row together, so that a sector that holds both is
// fetched once.
extern "C" __global__ void __launch_bounds__(256) thruster_gather_f(
    const float4 *__restrict__ ion, const float4 *__restrict__ field, float4 *__restrict__ push, int cells, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, dx = thread & 1;
    const int i = min(thread >> 1, n - 1);  // no lane leaves before the shuffles
    const float4 p = ion[i];
    const int x = min(max((int)p.x, 0), cells - 2), y = min(max((int)p.y, 0), cells - 2);
    const int z = min(max((int)p.z, 0), cells - 2);
    const float fx = p.x - x, fy = p.y - y, fz = p.z - z, wx = dx ? fx : 1.0f - fx;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int corner = 0; corner < 4; corner++) {
        const int dy = corner & 1, dz = corner >> 1;
        const float4 e = field[((z + dz) * cells + y + dy) * cells + x + dx];
        const float w = wx * (dy ? fy : 1.0f - fy) * (dz ? fz : 1.0f - fz);
        sum.x += w * e.x;
        sum.y += w * e.y;
        sum.z += w * e.z;
        sum.w += w * e.w;
    }
    sum.x += __shfl_xor_sync(~0u, sum.x, 1);
    sum.y += __shfl_xor_sync(~0u, sum.y, 1);
    sum.z += __shfl_xor_sync(~0u, sum.z, 1);
    sum.w += __shfl_xor_sync(~0u, sum.w, 1);
    if (dx == 0 && thread >> 1 < n) push[i] = make_float4(p.w * sum.x, p.w * sum.y, p.w * sum.z, p.w * sum.w);
}

// feeder_losses: its page names no cause.

// Counters of a level side by side over the threads: each lane has a bank of its own.
extern "C" __global__ void __launch_bounds__(CELL_BLOCK) dashcam_contrast_f(
    const uint2 *__restrict__ picture, unsigned *__restrict__ contrast, int limit, int across, int down)
{
    cell_contrast<CELL_BLOCK, 1>(picture, contrast, limit, across, down);
}

// The coatings differ in their numbers only: these are selected, and all lanes go the same way.
extern "C" __global__ void __launch_bounds__(256) tablet_grains_f(
    const float *__restrict__ mass, const int *__restrict__ coat, float *__restrict__ left, float dt, int steps, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int kind = coat[i];
    Coating law = {0.3f, 0.55f, 2.0f};
    if (kind == 0) law = {0.8f, 0.6667f, 1.2f};
    if (kind == 1) law = {0.5f, 0.9f, 1.5f};
    if (kind == 2) law = {1.1f, 0.75f, 0.9f};
    left[i] = dissolve(mass[i], law, dt, steps);
}

// All in single precision.
extern "C" __global__ void __launch_bounds__(256) gradient_survey_f(
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

// A turn of the ring of samples a pass of the loop, so that its places are constants and it stays in registers.
extern "C" __global__ void __launch_bounds__(128) aid_echoes_f(
    const float *__restrict__ played, const float *__restrict__ heard, float *__restrict__ rest, float learn,
    int samples, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Canceller aid;
    aid.start();
#pragma unroll 1
    for (int k = 0; k < samples; k += TAPS) {
#pragma unroll
        for (int j = 0; j < TAPS; j++) {
            const size_t from = static_cast<size_t>(k + j) * n + i;
            aid.step(played[from], heard[from], j, learn);
        }
    }
    rest[i] = aid.energy;
}

// Joined by shuffles, with a barrier a step.
extern "C" __global__ void __launch_bounds__(1024) paint_shares_f(
    const float4 *__restrict__ wish, float4 *__restrict__ share)
{
    share_out<Shuffles>(wish, share);
}

// A window a block, whose rows are side * channels floats that lie together in the map and in the window: threads are
// the places of a row.
extern "C" __global__ void __launch_bounds__(1024) plankton_windows_f(
    const float *__restrict__ map, const float *__restrict__ gain, float *__restrict__ window, int height, int width,
    int side, int channels)
{
    const int at = threadIdx.y * channels + threadIdx.x, row = side * channels, line = width * channels;
    const int number = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const float *from = map + (blockIdx.z * height + blockIdx.y * side) * line + blockIdx.x * row + at;
    float *to = window + number * side * row + at;
    const float by = gain[threadIdx.x];
#pragma unroll 4
    for (int y = 0; y < side; y++) to[y * row] = by * from[y * line];
}

// Fast quotients and logarithms.
extern "C" __global__ void __launch_bounds__(256) whale_calls_f(
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
            here -= 0.5f * (__fdividef(d * d, s.y) + __logf(6.2831853f * s.y));
        }
        fold(all, best, which, here, k);
    }
    likely[i] = all;
    kind[i] = which;
}

// The nearest repeat by a rounded product instead of fmodf.
extern "C" __global__ void __launch_bounds__(BEADS) soap_beads_f(
    const float4 *__restrict__ bead, float4 *__restrict__ force, float stiff, float wide)
{
    const float inverse = 1.0f / wide;
    push_beads(bead, force, stiff, [=](float d) { return d - wide * rintf(d * inverse); });
}

// Eight warps a block, and four bidders a warp, whose loads are under way together.
constexpr int RINGS = 4;
extern "C" __global__ void __launch_bounds__(256) auction_rings_f(
    const int *__restrict__ start, const int *__restrict__ rival, const float2 *__restrict__ part,
    float *__restrict__ suspicion, int bidders)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * RINGS, lane = threadIdx.x % 32;
    if (first >= bidders) return;
    int bound[RINGS + 1], held[RINGS];
    float own[RINGS], weights[RINGS], sum[RINGS];
#pragma unroll
    for (int r = 0; r <= RINGS; r++) bound[r] = start[min(first + r, bidders)];
#pragma unroll
    for (int r = 0; r < RINGS; r++) {
        own[r] = part[min(first + r, bidders - 1)].x;
        held[r] = bound[r] + lane < bound[r + 1] ? rival[bound[r] + lane] : -1;
    }
    float2 other[RINGS];
#pragma unroll
    for (int r = 0; r < RINGS; r++) other[r] = held[r] >= 0 ? part[held[r]] : make_float2(0.0f, 0.0f);
#pragma unroll
    for (int r = 0; r < RINGS; r++) {
        const float score = own[r] + other[r].x;
        weights[r] = held[r] >= 0 ? __expf(score > 0.0f ? score : 0.2f * score) : 0.0f;
        sum[r] = weights[r] * other[r].y;
    }
#pragma unroll
    for (int r = 0; r < RINGS; r++) {
#pragma unroll 1
        for (int k = bound[r] + 32 + lane; k < bound[r + 1]; k += 32) {  // of those with more than 32 rivals
            const float2 more = part[rival[k]];
            const float score = own[r] + more.x, weight = __expf(score > 0.0f ? score : 0.2f * score);
            weights[r] += weight;
            sum[r] += weight * more.y;
        }
    }
    float up = 0.0f, down = 1.0f;
#pragma unroll
    for (int r = 0; r < RINGS; r++) {
#pragma unroll
        for (int half = 16; half > 0; half /= 2) {
            weights[r] += __shfl_xor_sync(~0u, weights[r], half);
            sum[r] += __shfl_xor_sync(~0u, sum[r], half);
        }
        if (lane == r) {
            up = sum[r];
            down = weights[r];
        }
    }
    if (lane < RINGS && first + lane < bidders) suspicion[first + lane] = up / down;
}

// As before; it is started with more blocks along the frames.
extern "C" __global__ void __launch_bounds__(1024) snore_bands_f(
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

// As before; it is started with a full wave of blocks.
extern "C" __global__ void __launch_bounds__(256) cache_keepers_f(
    const uint2 *key, const int *keep, uint2 *kept, int *place, int many)
{
    const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int j = (blockIdx.x * blockDim.x + threadIdx.x) / 32; j < many; j += warps) {
        const int from = keep[j];
        kept[static_cast<size_t>(j) * 32 + lane] = row_part(key, from, lane);
        if (lane == 0) place[j] = from;
    }
}

// What is used of the cells, each in an array of its own.
extern "C" __global__ void __launch_bounds__(256) impact_states_f(
    const float *__restrict__ density, const float *__restrict__ energy, float *__restrict__ pressure,
    float *__restrict__ sound, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 state = rock_state(density[i], energy[i]);
    pressure[i] = state.x;
    sound[i] = state.y;
}

}  // namespace followed
