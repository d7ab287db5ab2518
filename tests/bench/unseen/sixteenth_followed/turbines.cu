// Cures of kernels of ../sixteenth/turbines.cu by authors who followed the advice: NAME_f for NAME.
#include "../sixteenth/turbines.cu"

namespace followed {
// Each part of `fresh` is read once, loses all basis vectors in a register, and is written once.
extern "C" __global__ void __launch_bounds__(256) magma_basis_f(
    const float *__restrict__ basis, const float *__restrict__ part, float *__restrict__ fresh, int many, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float *__restrict__ old = basis + i;
        float own = fresh[i];
#pragma unroll 8
        for (int j = 0; j < many; j++) own -= part[j] * old[(size_t)j * n];
        fresh[i] = own;
    }
}
// Column k of row t lies at k ^ t, so that neither a row nor a column has two samples in one bank.
template <int SIGN>
__device__ __forceinline__ void fft256_swizzled(float2 (&v)[16], const float2 *__restrict__ turn, float2 *own, int t)
{
    int at = t;
    asm volatile("" : "+r"(at));  // lest 31 addresses be held in registers from one transform to the next
    fft16<SIGN>(v);
#pragma unroll
    for (int q = 0; q < 16; q++) {
        const int k = turned(q);
        float2 w = turn[k * 16 + t];
        w.y *= SIGN;
        own[at * 17 ^ k] = times(v[q], w);  // row at, column at ^ k
    }
    __syncwarp();
#pragma unroll
    for (int q = 0; q < 16; q++) v[q] = own[q * 16 + (at ^ q)];
    __syncwarp();
    fft16<SIGN>(v);
    float2 u[16];
#pragma unroll
    for (int q = 0; q < 16; q++) u[turned(q)] = v[q];
#pragma unroll
    for (int q = 0; q < 16; q++) v[q] = u[q];
}
extern "C" __global__ void __launch_bounds__(128, 4) fibre_pulses_f(
    const float2 *__restrict__ before, const float2 *__restrict__ turn, const float2 *__restrict__ spread,
    float2 *__restrict__ after, float strength, int steps)
{
    __shared__ float2 room[8][256];
    const int t = threadIdx.x % 16, local = threadIdx.x / 16;
    const int first = (blockIdx.x * 8 + local) * 256 + t;
    float2 v[16];
#pragma unroll
    for (int q = 0; q < 16; q++) v[q] = before[first + 16 * q];
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        fft256_swizzled<-1>(v, turn, room[local], t);
#pragma unroll
        for (int q = 0; q < 16; q++) v[q] = times(v[q], spread[t + 16 * q]);
        fft256_swizzled<1>(v, turn, room[local], t);
#pragma unroll
        for (int q = 0; q < 16; q++) {
            float2 w;
            __sincosf(strength * (v[q].x * v[q].x + v[q].y * v[q].y), &w.y, &w.x);
            v[q] = times(v[q], w);
        }
    }
#pragma unroll
    for (int q = 0; q < 16; q++) after[first + 16 * q] = v[q];
}
// NEAR nearest; all indices of `best` are constant, so that it stays in registers.
extern "C" __global__ void __launch_bounds__(256) penguin_crowding_f(
    const float2 *__restrict__ nest, const int *__restrict__ start, float *__restrict__ mean, int across, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 own = nest[i];
    const int cx = cell_of(own.x, across), cy = cell_of(own.y, across);
    const int left = max(cx - 1, 0), right = min(cx + 1, across - 1);
    float best[NEAR];
#pragma unroll
    for (int q = 0; q < NEAR; q++) best[q] = 1.0f / ((float)across * across);
    for (int y = max(cy - 1, 0); y <= min(cy + 1, across - 1); y++) {
        const int stop = start[y * across + right + 1];
        for (int j = start[y * across + left]; j < stop; j++) {
            const float2 other = nest[j];
            const float u = other.x - own.x, v = other.y - own.y, far = u * u + v * v;
            if (j == i || far >= best[NEAR - 1]) continue;
#pragma unroll
            for (int q = NEAR - 1; q > 0; q--) best[q] = fmaxf(best[q - 1], fminf(best[q], far));
            best[0] = fminf(best[0], far);
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int q = 0; q < NEAR; q++) sum += sqrtf(best[q]);
    mean[i] = sum / NEAR;
}
// Of 2 HALF values of each lane the sums over the warp: with 16 values lanes 2 k and 2 k + 1 get that of value k.
template <int HALF, typename T>
__device__ __forceinline__ T sum_of_own(const T (&v)[2 * HALF], int lane)
{
    const bool upper = lane & 2 * HALF;
    T kept[HALF];
#pragma unroll
    for (int k = 0; k < HALF; k++) {
        const T send = upper ? v[k] : v[k + HALF], keep = upper ? v[k + HALF] : v[k];
        kept[k] = keep + __shfl_xor_sync(~0u, send, 2 * HALF);
    }
    if constexpr (HALF > 1)
        return sum_of_own<HALF / 2>(kept, lane);
    else
        return kept[0] + __shfl_xor_sync(~0u, kept[0], 1);
}
extern "C" __global__ void __launch_bounds__(256, 3) kelp_clusters_f(
    const uint8_t *__restrict__ label, const float2 *__restrict__ band, float *__restrict__ sum,
    int *__restrict__ count, int n)
{
    constexpr int AHEAD = 2;
    __shared__ float red[CLUSTERS], blue[CLUSTERS];
    __shared__ int pixels[CLUSTERS];
    if (threadIdx.x < CLUSTERS) {
        red[threadIdx.x] = blue[threadIdx.x] = 0.0f;
        pixels[threadIdx.x] = 0;
    }
    __syncthreads();
    float r[CLUSTERS] = {}, b[CLUSTERS] = {}, p[CLUSTERS] = {};
    const int all = gridDim.x * blockDim.x, start = blockIdx.x * blockDim.x + threadIdx.x;
    uint8_t next_own[AHEAD];
    float2 next_value[AHEAD];
#pragma unroll
    for (int q = 0; q < AHEAD; q++) {
        const int i = start + q * all;
        next_own[q] = i < n ? label[i] : CLUSTERS;
        next_value[q] = band[min(i, n - 1)];
    }
    for (int first = start; first < n; first += AHEAD * all) {
        float own[AHEAD];
        float2 value[AHEAD];
#pragma unroll
        for (int q = 0; q < AHEAD; q++) {
            own[q] = next_own[q];
            value[q] = next_value[q];
            const int i = first + (AHEAD + q) * all;
            next_own[q] = i < n ? label[i] : CLUSTERS;
            next_value[q] = band[min(i, n - 1)];
        }
#pragma unroll
        for (int q = 0; q < AHEAD; q++) {
#pragma unroll
            for (int k = 0; k < CLUSTERS; k++) {
                const float mine = own[q] == k ? 1.0f : 0.0f;
                r[k] += mine * value[q].x;
                b[k] += mine * value[q].y;
                p[k] += mine;  // exact: a thread takes fewer than 2^24 pixels
            }
        }
    }
    const int lane = threadIdx.x % 32;
    const float all_red = sum_of_own<CLUSTERS / 2>(r, lane), all_blue = sum_of_own<CLUSTERS / 2>(b, lane);
    int whole[CLUSTERS];
#pragma unroll
    for (int k = 0; k < CLUSTERS; k++) whole[k] = p[k];
    const int all_pixels = sum_of_own<CLUSTERS / 2>(whole, lane);
    if (lane % 2 == 0) {
        atomicAdd(&red[lane / 2], all_red);
        atomicAdd(&blue[lane / 2], all_blue);
        atomicAdd(&pixels[lane / 2], all_pixels);
    }
    __syncthreads();
    if (threadIdx.x < CLUSTERS) {
        atomicAdd(&sum[threadIdx.x], red[threadIdx.x]);
        atomicAdd(&sum[CLUSTERS + threadIdx.x], blue[threadIdx.x]);
        atomicAdd(&count[threadIdx.x], pixels[threadIdx.x]);
    }
}
// Scan k of all parcels lies in row k, so that no scan needs the one before.
extern "C" __global__ void __launch_bounds__(128, 4) parcel_scans_f(
    const float4 *__restrict__ scan, float *__restrict__ result, int scans, int parcels)
{
    constexpr int AHEAD = 16;
    const int parcel = blockIdx.x * blockDim.x + threadIdx.x;
    if (parcel >= parcels) return;
    float minutes = 0.0f, wait = 0.0f, cost = 0.0f;
    const float4 *own = scan + parcel;
    int k = 0;
    for (; k + AHEAD <= scans; k += AHEAD) {
        float4 s[AHEAD];
#pragma unroll
        for (int q = 0; q < AHEAD; q++) s[q] = own[(size_t)(k + q) * parcels];
#pragma unroll
        for (int q = 0; q < AHEAD; q++) {
            minutes += s[q].x;
            wait = fmaxf(wait, s[q].y);
            cost += s[q].z;
        }
    }
    for (; k < scans; k++) {
        const float4 s = own[(size_t)k * parcels];
        minutes += s.x;
        wait = fmaxf(wait, s.y);
        cost += s.z;
    }
    result[parcel] = minutes;
    result[parcels + parcel] = wait;
    result[2 * parcels + parcel] = cost;
}
extern "C" __global__ void __launch_bounds__(256) luggage_smooth_f(
    const float *__restrict__ shot, float *__restrict__ smooth, float wide, float deep, int radius, int width,
    int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, pitch = width + 2 * radius;
    if (x >= width || y >= height) return;
    const float by_place = 1.0f / (2.0f * wide * wide), by_depth = 1.0f / (2.0f * deep * deep);
    const float centre = shot[(y + radius) * pitch + x + radius];
    float sum = 0.0f, all = 0.0f, v = -radius;
    for (int row = 0; row <= 2 * radius; row++, v += 1.0f) {
        const float *line = shot + (y + row) * pitch + x;
        float u = -radius;
        for (int k = 0; k <= 2 * radius; k++, u += 1.0f) {
            const float value = line[k], off = value - centre;
            const float weight = expf(-(u * u + v * v) * by_place - off * off * by_depth);
            sum += weight * value;
            all += weight;
        }
    }
    smooth[y * width + x] = sum / all;
}
// A thread a cell of the colour: every second of a row.
extern "C" __global__ void __launch_bounds__(256) ion_channels_f(
    float *__restrict__ field, const float *__restrict__ charge, float salt, int colour, int wide, int high)
{
    const int y = blockIdx.y * 8 + threadIdx.y;
    const int x = 2 * (blockIdx.x * 32 + threadIdx.x) + (y + colour) % 2;
    if (x >= wide || y >= high) return;
    solve_cell(field, charge, salt, x, y, wide);
}
// A block remembers adverts that it has entered, each in one of two slots of a table in shared memory, and enters an
// advert only if neither slot holds it. The thread that puts an advert into a slot is one that enters it.
constexpr int SLOTS = 2048;
extern "C" __global__ void __launch_bounds__(1024, 2) advert_filter_f(
    const uint32_t *__restrict__ view, uint32_t *filter, int bits, int n)
{
    constexpr uint32_t BY[3] = {0x7feb352du, 0x9e3779b1u, 0x85ebca6bu};
    constexpr int AHEAD = 4;
    __shared__ uint32_t seen[2 * SLOTS];
    // Advert 0 belongs to slots 0 and SLOTS alone, and advert 1 to others, so that none of these looks entered.
    for (int k = threadIdx.x; k < 2 * SLOTS; k += blockDim.x) seen[k] = k % SLOTS == 0;
    __syncthreads();
    const volatile uint32_t *now = seen;
    const int all = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x + threadIdx.x; first < n; first += AHEAD * all) {
        uint32_t keys[AHEAD];
#pragma unroll
        for (int q = 0; q < AHEAD; q++) keys[q] = view[min(first + q * all, n - 1)];
#pragma unroll
        for (int q = 0; q < AHEAD; q++) {
            const uint32_t key = keys[q];
            uint32_t hash[3] = {mixed(key, BY[0]), mixed(key, BY[1]), 0};
            const int one = hash[0] / (1u << 21), two = SLOTS + hash[1] / (1u << 21);
            if (now[one] == key || now[two] == key) continue;
            if (atomicExch(&seen[threadIdx.x % 2 ? one : two], key) == key) continue;
            hash[2] = mixed(key, BY[2]);
#pragma unroll
            for (int k = 0; k < 3; k++) {
                const uint32_t place = hash[k] >> (32 - bits);
                atomicOr(&filter[place / 32], 1u << place % 32);
            }
        }
    }
}
// Blocks of 256 threads that take `rounds` times 2048 places, so that six fit an SM and the last wave is short.
extern "C" __global__ void __launch_bounds__(256) pollen_counts_f(
    const float2 *__restrict__ place, const float4 *__restrict__ field, float *__restrict__ pollen, int rounds)
{
    __shared__ float4 source[FIELDS];
    if (threadIdx.x < FIELDS) source[threadIdx.x] = field[threadIdx.x];
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        const int first = (blockIdx.x * rounds + round) * 2048 + threadIdx.x;
        float2 at[8];
        float sum[8] = {};
#pragma unroll
        for (int q = 0; q < 8; q++) at[q] = place[first + q * 256];
#pragma unroll 2
        for (int k = 0; k < FIELDS; k++) {
            const float4 s = source[k];
#pragma unroll
            for (int q = 0; q < 8; q++) {
                const float u = at[q].x - s.x, v = at[q].y - s.y, t = fmaxf(1.0f - s.w * (u * u + v * v), 0.0f);
                sum[q] += s.z * (t * t);
            }
        }
#pragma unroll
        for (int q = 0; q < 8; q++) pollen[first + q * 256] = sum[q];
    }
}
// A warp an element, a thread two columns of eight points (along k, neighbours in i), held in registers with the rows
// of the matrix that it needs again. Lanes that differ in bit 0 read the same two points of other rows, and lanes that
// differ in bit 1 the same row of points.
extern "C" __global__ void __launch_bounds__(128) harbour_elements_f(
    const float *__restrict__ wave, const float *__restrict__ matrix, float *__restrict__ smooth, float part, int steps)
{
    __shared__ __align__(16) float room[4][512], d[64];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int i = (lane / 2 % 4) * 2, j = lane / 8 * 2 + lane % 2, at = j * 8 + i;
    const size_t element = ((size_t)blockIdx.x * 4 + warp) * 512;
    float *u = room[warp];
    if (threadIdx.x < 64) d[threadIdx.x] = matrix[threadIdx.x];
    float2 own[8];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        own[k] = *(const float2 *)(wave + element + k * 64 + at);
        *(float2 *)(u + k * 64 + at) = own[k];
    }
    __syncthreads();
    float by_j[8], by_left[8], by_right[8];
#pragma unroll
    for (int m = 0; m < 8; m++) {
        by_j[m] = d[j * 8 + m];
        by_left[m] = d[i * 8 + m];
        by_right[m] = d[i * 8 + 8 + m];
    }
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        float2 sum[8];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float4 d0 = *(const float4 *)(d + k * 8), d1 = *(const float4 *)(d + k * 8 + 4);
            const float4 u0 = *(const float4 *)(u + k * 64 + j * 8), u1 = *(const float4 *)(u + k * 64 + j * 8 + 4);
            const float by_k[8] = {d0.x, d0.y, d0.z, d0.w, d1.x, d1.y, d1.z, d1.w};
            const float row[8] = {u0.x, u0.y, u0.z, u0.w, u1.x, u1.y, u1.z, u1.w};
            sum[k] = make_float2(0.0f, 0.0f);
#pragma unroll
            for (int m = 0; m < 8; m++) {
                const float2 other = *(const float2 *)(u + k * 64 + m * 8 + i);
                sum[k].x += by_k[m] * own[m].x;
                sum[k].y += by_k[m] * own[m].y;
                sum[k].x += by_j[m] * other.x;
                sum[k].y += by_j[m] * other.y;
                sum[k].x += by_left[m] * row[m];
                sum[k].y += by_right[m] * row[m];
            }
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            own[k].x -= part * sum[k].x;
            own[k].y -= part * sum[k].y;
            *(float2 *)(u + k * 64 + at) = own[k];
        }
        __syncwarp();
    }
#pragma unroll
    for (int k = 0; k < 8; k++) *(float2 *)(smooth + element + k * 64 + at) = own[k];
}
}  // namespace followed
