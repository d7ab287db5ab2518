// Foams, gels, freight, drill holes, polymers, coughs, microfilm, braille, frogs, captions, annuities, leaves, clinics,
// propellers.
#include <cstdint>
#include <mma.h>

// Product of residual and preconditioned residual of the films of a foam, for a step of conjugate gradients.
__device__ __forceinline__ float warp_sum(float value)
{
#pragma unroll
    for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(~0u, value, by);
    return value;
}
extern "C" __global__ void __launch_bounds__(256) foam_residuals(
    const float *__restrict__ residual, const float *__restrict__ inverse, float *__restrict__ product, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float r = i < n ? residual[i] : 0.0f, d = i < n ? inverse[i] : 0.0f;
    const float sum = warp_sum(r * r * d);
    if (threadIdx.x % 32 == 0) atomicAdd(product, sum);
}
extern "C" __global__ void __launch_bounds__(256) foam_residuals_b(
    const float *__restrict__ residual, const float *__restrict__ inverse, float *__restrict__ product, int n)
{
    __shared__ float part[8];
    float own = 0.0f;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += residual[i] * residual[i] * inverse[i];
    own = warp_sum(own);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++) sum += part[k];
        atomicAdd(product, sum);
    }
}

// Forces on the nodes of a network of gel: a sparse matrix of `width` entries a row times displacements.
extern "C" __global__ void __launch_bounds__(256) gel_forces(
    const int *__restrict__ column, const float *__restrict__ stiffness, const float *__restrict__ moved,
    float *__restrict__ force, int width, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < width; k++) sum += stiffness[row * width + k] * moved[column[row * width + k]];
    force[row] = sum;
}
extern "C" __global__ void __launch_bounds__(256) gel_forces_b(
    const int *__restrict__ column, const float *__restrict__ stiffness, const float *__restrict__ moved,
    float *__restrict__ force, int width, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < width; k++) sum += stiffness[k * rows + row] * moved[column[k * rows + row]];
    force[row] = sum;
}

// Charges of air freight: bookings joined with the tariffs of their carrier. A block takes the bookings from start[b]
// to start[b + 1], all of the carrier[b], whose tariffs it keeps in shared memory.
constexpr int TARIFFS = 1024;
extern "C" __global__ void __launch_bounds__(256) freight_charges(
    const int *__restrict__ start, const int *__restrict__ carrier, const float *__restrict__ tariff,
    const int *__restrict__ goods, const float *__restrict__ weight, float *__restrict__ charge)
{
    __shared__ float rate[TARIFFS];
    const float *mine = tariff + carrier[blockIdx.x] * TARIFFS;
    for (int k = threadIdx.x; k < TARIFFS; k += 256) rate[k] = mine[k];
    __syncthreads();
    const int stop = start[blockIdx.x + 1];
#pragma unroll 4
    for (int i = start[blockIdx.x] + threadIdx.x; i < stop; i += 256) charge[i] = rate[goods[i]] * weight[i];
}

// Drill holes of a mine within a radius of each hole, by a walk down a balanced tree of boxes. Node k has the children
// 2k + 1 and 2k + 2; the leaves, from first_leaf on, hold HOLES holes each.
constexpr int HOLES = 8;
template <int DEEP>
__device__ __forceinline__ void near_holes(
    const float4 *__restrict__ box, const float2 *__restrict__ hole, int *__restrict__ count, float radius,
    int first_leaf, int n)
{
    __shared__ int stack[DEEP][64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n) return;
    const float2 own = hole[i];
    const float most = radius * radius;
    int found = 0, top = 1;
    stack[0][threadIdx.x] = 0;
    while (top > 0) {
        const int node = stack[--top][threadIdx.x];
        const float4 b = box[node];
        const float x = fmaxf(fmaxf(b.x - own.x, own.x - b.z), 0.0f), y = fmaxf(fmaxf(b.y - own.y, own.y - b.w), 0.0f);
        if (x * x + y * y > most) continue;
        if (node < first_leaf) {
            stack[top++][threadIdx.x] = 2 * node + 2;
            stack[top++][threadIdx.x] = 2 * node + 1;
            continue;
        }
        const float2 *leaf = hole + (node - first_leaf) * HOLES;
#pragma unroll
        for (int k = 0; k < HOLES; k++) {
            const float2 other = leaf[k];
            const float u = other.x - own.x, v = other.y - own.y;
            found += u * u + v * v <= most;
        }
    }
    count[i] = found;
}
extern "C" __global__ void __launch_bounds__(64) drill_holes_near(
    const float4 *__restrict__ box, const float2 *__restrict__ hole, int *__restrict__ count, float radius,
    int first_leaf, int n)
{
    near_holes<128>(box, hole, count, radius, first_leaf, n);
}
extern "C" __global__ void __launch_bounds__(64) drill_holes_near_b(
    const float4 *__restrict__ box, const float2 *__restrict__ hole, int *__restrict__ count, float radius,
    int first_leaf, int n)
{
    near_holes<18>(box, hole, count, radius, first_leaf, n);
}

// Polymers as chains of 24 beads with springs that stiffen, a chain a thread, `steps` steps in time.
constexpr int BEADS = 24;
template <int PITCH>
__device__ __forceinline__ void shake(
    const float *__restrict__ before, float *__restrict__ after, float dt, float cubic, int steps, int chains)
{
    __shared__ float place[64 * PITCH], speed[64 * PITCH];
    const int chain = blockIdx.x * 64 + threadIdx.x;
    if (chain >= chains) return;
    float *x = place + threadIdx.x * PITCH, *v = speed + threadIdx.x * PITCH;
    for (int k = 0; k < BEADS; k++) {
        x[k] = before[k * chains + chain];
        v[k] = 0.0f;
    }
    for (int step = 0; step < steps; step++) {
        float here = x[0], pull = here + cubic * here * here * here;
#pragma unroll 1
        for (int k = 0; k < BEADS - 1; k++) {
            const float next = x[k + 1], far = next - here, push = far + cubic * far * far * far;
            v[k] += dt * (push - pull);
            here = next;
            pull = push;
        }
        v[BEADS - 1] -= dt * (here + cubic * here * here * here + pull);
#pragma unroll 1
        for (int k = 0; k < BEADS; k++) x[k] += dt * v[k];
    }
    for (int k = 0; k < BEADS; k++) after[k * chains + chain] = x[k];
}
extern "C" __global__ void __launch_bounds__(64) polymer_shakes(
    const float *__restrict__ before, float *__restrict__ after, float dt, float cubic, int steps, int chains)
{
    shake<BEADS>(before, after, dt, cubic, steps, chains);
}
extern "C" __global__ void __launch_bounds__(64) polymer_shakes_b(
    const float *__restrict__ before, float *__restrict__ after, float dt, float cubic, int steps, int chains)
{
    shake<BEADS + 1>(before, after, dt, cubic, steps, chains);
}

// Spectrograms of coughs laid out for a convolution: a row for each channel and place of the filter, 0 past the edges.
extern "C" __global__ void __launch_bounds__(256) cough_columns(
    const float *__restrict__ sound, float *__restrict__ laid, int high, int wide, int taps, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int x = i % wide, y = i / wide % high, row = i / (wide * high);
        const int tap = row % (taps * taps), plane = row / (taps * taps);
        const int from_x = x + tap % taps - taps / 2, from_y = y + tap / taps - taps / 2;
        const bool inside = from_x >= 0 && from_x < wide && from_y >= 0 && from_y < high;
        laid[i] = inside ? sound[(plane * high + from_y) * wide + from_x] : 0.0f;
    }
}
extern "C" __global__ void __launch_bounds__(256) cough_columns_b(
    const float *__restrict__ sound, float *__restrict__ laid, int high, int wide, int taps)
{
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, plane = blockIdx.z;
    if (x >= wide || y >= high) return;
    float *out = laid + (plane * taps * taps * high + y) * wide + x;
    for (int v = 0; v < taps; v++)
        for (int u = 0; u < taps; u++) {
            const int from_x = x + u - taps / 2, from_y = y + v - taps / 2;
            const bool inside = from_x >= 0 && from_x < wide && from_y >= 0 && from_y < high;
            *out = inside ? sound[(plane * high + from_y) * wide + from_x] : 0.0f;
            out += high * wide;
        }
}

// A page of microfilm drawn larger by Lanczos' windowed sinc. The film has two more pixels on each side than `across`.
__device__ __forceinline__ float sinc_weight(float x)
{
    if (x < 1e-4f) return 1.0f;
    const double turn = 3.14159265358979323846 * x;
    return 2.0 * sin(turn) * sin(0.5 * turn) / (turn * turn);
}
__device__ __forceinline__ float sinc_weight_b(float x)
{
    if (x < 1e-4f) return 1.0f;
    const float turn = 3.14159265f * x;
    return 2.0f * sinpif(x) * sinpif(0.5f * x) / (turn * turn);
}
extern "C" __global__ void __launch_bounds__(256) microfilm_pages(
    const float *__restrict__ film, float *__restrict__ page, float scale, int across, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = x * scale, v = y * scale, left = floorf(u), above = floorf(v), a = u - left, b = v - above;
    const float wx[4] = {sinc_weight(1.0f + a), sinc_weight(a), sinc_weight(1.0f - a), sinc_weight(2.0f - a)};
    const float wy[4] = {sinc_weight(1.0f + b), sinc_weight(b), sinc_weight(1.0f - b), sinc_weight(2.0f - b)};
    const int pitch = across + 4;
    const float *at = film + ((int)above + 1) * pitch + (int)left + 1;
    float sum = 0.0f;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const float *row = at + r * pitch;
        sum += wy[r] * (wx[0] * row[0] + wx[1] * row[1] + wx[2] * row[2] + wx[3] * row[3]);
    }
    page[y * width + x] = sum;
}
extern "C" __global__ void __launch_bounds__(256) microfilm_pages_b(
    const float *__restrict__ film, float *__restrict__ page, float scale, int across, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = x * scale, v = y * scale, left = floorf(u), above = floorf(v), a = u - left, b = v - above;
    const float wx[4] = {
        sinc_weight_b(1.0f + a), sinc_weight_b(a), sinc_weight_b(1.0f - a), sinc_weight_b(2.0f - a)};
    const float wy[4] = {
        sinc_weight_b(1.0f + b), sinc_weight_b(b), sinc_weight_b(1.0f - b), sinc_weight_b(2.0f - b)};
    const int pitch = across + 4;
    const float *at = film + ((int)above + 1) * pitch + (int)left + 1;
    float sum = 0.0f;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const float *row = at + r * pitch;
        sum += wy[r] * (wx[0] * row[0] + wx[1] * row[1] + wx[2] * row[2] + wx[3] * row[3]);
    }
    page[y * width + x] = sum;
}

// A layer of 8-bit weights of a net that reads braille: out[i][j], the product of row i of inputs and row j of weights.
// deep: a multiple of 64; rows of both: multiples of 64.
extern "C" __global__ void __launch_bounds__(256) braille_layer(
    const int8_t *__restrict__ input, const int8_t *__restrict__ weight, int *__restrict__ out, int deep, int wide)
{
    __shared__ __align__(16) int a[8][68], b[8][68];
    const int row = threadIdx.x / 4, part = threadIdx.x % 4, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int8_t *from_a = input + (size_t)(blockIdx.y * 64 + row) * deep + part * 8;
    const int8_t *from_b = weight + (size_t)(blockIdx.x * 64 + row) * deep + part * 8;
    int sum[4][4] = {};
    for (int k0 = 0; k0 < deep; k0 += 32) {
        const int2 next_a = *(const int2 *)(from_a + k0), next_b = *(const int2 *)(from_b + k0);
        __syncthreads();
        a[2 * part][row] = next_a.x;
        a[2 * part + 1][row] = next_a.y;
        b[2 * part][row] = next_b.x;
        b[2 * part + 1][row] = next_b.y;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const int4 p = *(const int4 *)&a[k][ty * 4], q = *(const int4 *)&b[k][tx * 4];
            const int u[4] = {p.x, p.y, p.z, p.w}, v[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] = __dp4a(u[i], v[j], sum[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *(int4 *)&out[(size_t)(blockIdx.y * 64 + ty * 4 + i) * wide + blockIdx.x * 64 + tx * 4] =
            make_int4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
// Tiles of 16 by 16 by tensor cores, two a warp.
extern "C" __global__ void __launch_bounds__(256) braille_layer_b(
    const int8_t *__restrict__ input, const int8_t *__restrict__ weight, int *__restrict__ out, int deep, int wide)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(128) signed char a[4][64][16], b[4][64][16];
    const int row = threadIdx.x / 4, part = threadIdx.x % 4, warp = threadIdx.x / 32;
    const int high = warp / 2 * 16, across = warp % 2 * 32;
    const int8_t *from_a = input + (size_t)(blockIdx.y * 64 + row) * deep + part * 16;
    const int8_t *from_b = weight + (size_t)(blockIdx.x * 64 + row) * deep + part * 16;
    fragment<accumulator, 16, 16, 16, int> sum[2];
    fill_fragment(sum[0], 0);
    fill_fragment(sum[1], 0);
    for (int k0 = 0; k0 < deep; k0 += 64) {
        const int4 next_a = *(const int4 *)(from_a + k0), next_b = *(const int4 *)(from_b + k0);
        __syncthreads();
        *(int4 *)a[part][row] = next_a;
        *(int4 *)b[part][row] = next_b;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; k++) {
            fragment<matrix_a, 16, 16, 16, signed char, row_major> left;
            load_matrix_sync(left, a[k][high], 16);
#pragma unroll
            for (int j = 0; j < 2; j++) {
                fragment<matrix_b, 16, 16, 16, signed char, col_major> right;
                load_matrix_sync(right, b[k][across + 16 * j], 16);
                mma_sync(sum[j], left, right, sum[j]);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 2; j++)
        store_matrix_sync(
            &out[(size_t)(blockIdx.y * 64 + high) * wide + blockIdx.x * 64 + across + 16 * j], sum[j], wide,
            mem_row_major);
}

// Mean and variance of each channel of recorded frogs, for batch normalisation. call: clips of channels of 1024
// samples; a block a channel.
__device__ __forceinline__ float block_sum(float value, float *part)
{
    value = warp_sum(value);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += part[k];
    return sum;
}
extern "C" __global__ void __launch_bounds__(256, 8) frog_channels(
    const float4 *__restrict__ call, float *__restrict__ moment, int clips, int channels)
{
    __shared__ float part[8];
    const float4 *mine = call + blockIdx.x * 256 + threadIdx.x;
    const float over = 1.0f / (1024.0f * clips);
    float sum = 0.0f, square = 0.0f;
#pragma unroll 4
    for (int c = 0; c < clips; c++) {
        const float4 v = mine[(size_t)c * channels * 256];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    const float mean = block_sum(sum, part) * over;
#pragma unroll 4
    for (int c = 0; c < clips; c++) {
        float4 v = mine[(size_t)c * channels * 256];
        v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
        square += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
    square = block_sum(square, part);
    if (threadIdx.x == 0) moment[blockIdx.x] = mean, moment[channels + blockIdx.x] = square * over;
}
// Sums of both at once, of the differences to the channel's first sample.
extern "C" __global__ void __launch_bounds__(256, 8) frog_channels_b(
    const float4 *__restrict__ call, float *__restrict__ moment, int clips, int channels)
{
    __shared__ float part[8];
    const float4 *mine = call + blockIdx.x * 256 + threadIdx.x;
    const float over = 1.0f / (1024.0f * clips), first = call[blockIdx.x * 256].x;
    float sum = 0.0f, square = 0.0f;
#pragma unroll 4
    for (int c = 0; c < clips; c++) {
        float4 v = mine[(size_t)c * channels * 256];
        v = make_float4(v.x - first, v.y - first, v.z - first, v.w - first);
        sum += (v.x + v.y) + (v.z + v.w);
        square += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
    sum = block_sum(sum, part) * over;
    square = block_sum(square, part) * over;
    if (threadIdx.x == 0) moment[blockIdx.x] = first + sum, moment[channels + blockIdx.x] = square - sum * sum;
}

// Captions by beam search: logarithm of the chance of the chosen word, of 256 words that go on from each beam.
constexpr int WORDS = 256;
extern "C" __global__ void __launch_bounds__(WORDS) caption_beams(
    const float *__restrict__ score, const int *__restrict__ chosen, float *__restrict__ chance, int beams)
{
    __shared__ float tree[WORDS];
    const int word = threadIdx.x;
    for (int beam = blockIdx.x; beam < beams; beam += gridDim.x) {
        const float own = score[(size_t)beam * WORDS + word];
        tree[word] = own;
        __syncthreads();
        for (int half = WORDS / 2; half > 0; half /= 2) {
            if (word < half) tree[word] = fmaxf(tree[word], tree[word + half]);
            __syncthreads();
        }
        const float best = tree[0];
        __syncthreads();
        tree[word] = __expf(own - best);
        __syncthreads();
        for (int half = WORDS / 2; half > 0; half /= 2) {
            if (word < half) tree[word] += tree[word + half];
            __syncthreads();
        }
        if (word == chosen[beam]) chance[beam] = own - best - __logf(tree[0]);
        __syncthreads();
    }
}
// A beam a warp.
extern "C" __global__ void __launch_bounds__(WORDS) caption_beams_b(
    const float *__restrict__ score, const int *__restrict__ chosen, float *__restrict__ chance, int beams)
{
    const int lane = threadIdx.x % 32;
    for (int beam = blockIdx.x * 8 + threadIdx.x / 32; beam < beams; beam += gridDim.x * 8) {
        const float *row = score + (size_t)beam * WORDS;
        float own[8], best = -1e30f, sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 8; k++) best = fmaxf(best, own[k] = row[k * 32 + lane]);
#pragma unroll
        for (int by = 16; by > 0; by /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, by));
#pragma unroll
        for (int k = 0; k < 8; k++) sum += __expf(own[k] - best);
        sum = warp_sum(sum);
        if (lane == 0) chance[beam] = row[chosen[beam]] - best - __logf(sum);
    }
}

// Present values of annuities. payment: when each is, the chance that somebody is there to have it, and how much more
// interest there is for so long a time.
constexpr int PAYMENTS = 64;
extern "C" __global__ void __launch_bounds__(256) annuity_values(
    const float *__restrict__ interest, const float *__restrict__ amount, const float4 *__restrict__ payment,
    float *__restrict__ value, int n)
{
    __shared__ float4 paid[PAYMENTS];
    if (threadIdx.x < PAYMENTS) paid[threadIdx.x] = payment[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float growth = 1.0f + interest[i];
    float sum = 0.0f;
#pragma unroll 2
    for (int k = 0; k < PAYMENTS; k++) sum += paid[k].y * powf(growth + paid[k].z, -paid[k].x);
    value[i] = sum * amount[i];
}
extern "C" __global__ void __launch_bounds__(256) annuity_values_b(
    const float *__restrict__ interest, const float *__restrict__ amount, const float4 *__restrict__ payment,
    float *__restrict__ value, int n)
{
    __shared__ float4 paid[PAYMENTS];
    if (threadIdx.x < PAYMENTS) paid[threadIdx.x] = payment[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float growth = 1.0f + interest[i];
    float sum = 0.0f;
#pragma unroll 2
    for (int k = 0; k < PAYMENTS; k++) sum += paid[k].y * __powf(growth + paid[k].z, -paid[k].x);
    value[i] = sum * amount[i];
}

// A layer of a net that finds rust on leaves: 64 channels to 64 by filters of 3 by 3. leaf has an edge of one pixel;
// filters: of each output channel its inputs' nine weights.
constexpr int CHANNELS = 64, FILTER = CHANNELS * 9;
extern "C" __global__ void __launch_bounds__(256) rust_layer(
    const float *__restrict__ leaf, const float *__restrict__ filters, float *__restrict__ out, int width, int height)
{
    __shared__ float w[FILTER];
    const int channel = blockIdx.z, pitch = width + 2, plane = pitch * (height + 2);
    for (int k = threadIdx.x; k < FILTER; k += 256) w[k] = filters[channel * FILTER + k];
    __syncthreads();
    const int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int c = 0; c < CHANNELS; c++) {
        const float *at = leaf + c * plane + y * pitch + x;
#pragma unroll
        for (int k = 0; k < 9; k++) sum += w[c * 9 + k] * at[k / 3 * pitch + k % 3];
    }
    out[(channel * height + y) * width + x] = fmaxf(sum, 0.0f);
}
// Eight output channels a thread.
extern "C" __global__ void __launch_bounds__(256) rust_layer_b(
    const float *__restrict__ leaf, const float *__restrict__ filters, float *__restrict__ out, int width, int height)
{
    __shared__ __align__(16) float w[FILTER][8];
    const int channel = blockIdx.z * 8, pitch = width + 2, plane = pitch * (height + 2);
    for (int k = threadIdx.x; k < FILTER * 8; k += 256) w[k % FILTER][k / FILTER] = filters[channel * FILTER + k];
    __syncthreads();
    const int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    if (x >= width || y >= height) return;
    float sum[8] = {};
    for (int c = 0; c < CHANNELS; c++) {
        const float *at = leaf + c * plane + y * pitch + x;
#pragma unroll
        for (int k = 0; k < 9; k++) {
            const float pixel = at[k / 3 * pitch + k % 3];
#pragma unroll
            for (int j = 0; j < 8; j++) sum[j] += w[c * 9 + k][j] * pixel;
        }
    }
#pragma unroll
    for (int j = 0; j < 8; j++) out[((channel + j) * height + y) * width + x] = fmaxf(sum[j], 0.0f);
}

// Notes of a clinic: vectors of words as bytes, taken to the places of the expert that they go to, and from numbers of
// 0 to 255 to signed ones. wide: a multiple of 4096.
extern "C" __global__ void __launch_bounds__(256)
clinic_notes(const uint8_t *word, const int *place, uint8_t *sorted, int wide, int words)
{
    for (int t = blockIdx.x; t < words; t += gridDim.x) {
        const uint8_t *from = word + (size_t)t * wide;
        uint8_t *to = sorted + (size_t)place[t] * wide;
        for (int k = threadIdx.x; k < wide; k += 256) to[k] = from[k] ^ 0x80;
    }
}
extern "C" __global__ void __launch_bounds__(256)
clinic_notes_b(const uint8_t *word, const int *place, uint8_t *sorted, int wide, int words)
{
    for (int t = blockIdx.x; t < words; t += gridDim.x) {
        const uint8_t *from = word + (size_t)t * wide;
        uint8_t *to = sorted + (size_t)place[t] * wide;
        for (int k = 16 * threadIdx.x; k < wide; k += 16 * 256) {
            const uint4 v = *(const uint4 *)(from + k);
            *(uint4 *)(to + k) =
                make_uint4(v.x ^ 0x80808080u, v.y ^ 0x80808080u, v.z ^ 0x80808080u, v.w ^ 0x80808080u);
        }
    }
}

// Thrust of the cells of the water about a propeller, summed at the points of the rule of each kind of cell:
// tetrahedra, pyramids, prisms and bricks.
extern "C" __global__ void __launch_bounds__(256) propeller_cells(
    const unsigned char *__restrict__ kind, const float *__restrict__ size, const float *__restrict__ swirl,
    float *__restrict__ thrust, float spin, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float h = size[i], s = swirl[i];
    float sum = 0.0f;
    switch (kind[i]) {
    case 0:
#pragma unroll
        for (int p = 0; p < 14; p++) {
            const float x = 0.31f + 0.03f * p, r = h * x + s, f = fmaf(r, spin, x) * r;
            sum += (f - s * x) * rsqrtf(1.0f + f * f) * (0.02f + 0.01f * p);
        }
        break;
    case 1:
#pragma unroll
        for (int p = 0; p < 13; p++) {
            const float x = 0.11f + 0.05f * p, top = 1.0f - x * h, r = top * top * s, f = r * spin - x;
            sum += f * __expf(-r * x) + top * (0.03f * p - r);
        }
        break;
    case 2:
#pragma unroll
        for (int p = 0; p < 15; p++) {
            const float x = 0.07f + 0.04f * p, a = s * x - h, b = s - a * spin, f = a * b + x * x;
            sum += __fdividef(f + b, 2.0f + a * a) * (0.05f + 0.02f * p);
        }
        break;
    default:
#pragma unroll
        for (int p = 0; p < 18; p++) {
            const float x = 0.05f * p - 0.4f, y = h * h - x * s, z = fmaf(y, x, spin), f = z * y - x * h;
            sum += f * z * 0.25f + fabsf(y - s) * (0.1f + 0.03f * p);
        }
    }
    thrust[i] = sum;
}
