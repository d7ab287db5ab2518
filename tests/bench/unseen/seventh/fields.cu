// Spectra, flows, pictures, stereo pairs, X-ray projections, filters, boxes and blobs in images.

// The bit-reversed order of a spectrum of 2^bits complex numbers.
extern "C" __global__ void __launch_bounds__(256) reverse_bits(const float2 *in, float2 *out, int bits)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}
extern "C" __global__ void __launch_bounds__(256) reverse_bits_b(const float2 *in, float2 *out, int bits)
{
    __shared__ float2 tile[32][33];
    const unsigned column = threadIdx.x & 31, middle = blockIdx.x, turned = __brev(middle) >> (42 - bits);
    for (unsigned row = threadIdx.x / 32; row < 32; row += 8)
        tile[row][column] = in[row << (bits - 5) | middle << 5 | column];
    __syncthreads();
    for (unsigned row = threadIdx.x / 32; row < 32; row += 8)
        out[row << (bits - 5) | turned << 5 | column] = tile[__brev(column) >> 27][__brev(row) >> 27];
}

// A step of a lattice Boltzmann flow in two dimensions with nine directions: fetch from the neighbours, relax, write.
template <bool RECORDS> __device__ __forceinline__ size_t place(int cell, int k, int cells)
{
    return RECORDS ? (size_t)cell * 9 + k : (size_t)k * cells + cell;
}
template <bool RECORDS> __device__ void flow(const float *from, float *to, float rate, int width, int height)
{
    constexpr int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    constexpr float weight[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
    const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y, cells = width * height;
    const int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    const int below = y == 0 ? height - 1 : y - 1, above = y == height - 1 ? 0 : y + 1;
    float f[9], mass = 0, px = 0, py = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        const int sx = ex[k] == 0 ? x : ex[k] > 0 ? left : right, sy = ey[k] == 0 ? y : ey[k] > 0 ? below : above;
        f[k] = from[place<RECORDS>(sy * width + sx, k, cells)];
        mass += f[k];
        px += ex[k] * f[k];
        py += ey[k] * f[k];
    }
    const float ux = __fdividef(px, mass), uy = __fdividef(py, mass), square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        const float along = 3.0f * (ex[k] * ux + ey[k] * uy);
        const float rest = weight[k] * mass * (1.0f + along + 0.5f * along * along - square);
        to[place<RECORDS>(y * width + x, k, cells)] = f[k] + rate * (rest - f[k]);
    }
}
extern "C" __global__ void __launch_bounds__(256) flow_step(const float *from, float *to, float rate, int width, int height)
{
    flow<true>(from, to, rate, width, height);
}
extern "C" __global__ void __launch_bounds__(256) flow_step_b(const float *from, float *to, float rate, int width, int height)
{
    flow<false>(from, to, rate, width, height);
}

// A picture turned about its centre, bilinear; outside, the nearest pixel of the edge.
extern "C" __global__ void __launch_bounds__(256) turn_picture(const float *picture, float *turned, float c, float s, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float dx = x - 0.5f * width, dy = y - 0.5f * height;
    const float sx = fminf(fmaxf(c * dx + s * dy + 0.5f * width, 0.0f), width - 1.001f);
    const float sy = fminf(fmaxf(c * dy - s * dx + 0.5f * height, 0.0f), height - 1.001f);
    const int ix = (int)sx, iy = (int)sy;
    const float fx = sx - ix, fy = sy - iy;
    const float *at = picture + (size_t)iy * width + ix;
    const float top = at[0] + fx * (at[1] - at[0]), low = at[width] + fx * (at[width + 1] - at[width]);
    turned[(size_t)y * width + x] = top + fy * (low - top);
}

// The best of 32 shifts of a stereo pair, by the sum of differences over 9 by 9 pixels; 36 pixels of margin at the left,
// 4 at the other sides.
constexpr int MARGIN = 36;
extern "C" __global__ void __launch_bounds__(256) stereo_shifts(const unsigned char *left, const unsigned char *right, unsigned char *shift, int width, int pitch)
{
    const int x = blockIdx.x * 32 + (threadIdx.x & 31), y = blockIdx.y * 8 + threadIdx.x / 32;
    const unsigned char *l = left + y * pitch + x + MARGIN, *r = right + y * pitch + x + MARGIN;
    int least = 1 << 30, best = 0;
    for (int d = 0; d < 32; d++) {
        int cost = 0;
        for (int dy = 0; dy < 9; dy++)
#pragma unroll
            for (int dx = -4; dx <= 4; dx++) cost += abs(l[dy * pitch + dx] - r[dy * pitch + dx - d]);
        if (cost < least) {
            least = cost;
            best = d;
        }
    }
    shift[y * width + x] = best;
}
extern "C" __global__ void __launch_bounds__(256, 2) stereo_shifts_b(const unsigned char *left, const unsigned char *right, unsigned char *shift, int width, int pitch)
{
    const int x = blockIdx.x * 32 + (threadIdx.x & 31), y = (blockIdx.y * 8 + threadIdx.x / 32) * 8;
    const unsigned char *l = left + y * pitch + x + MARGIN, *r = right + y * pitch + x + MARGIN;
    int least[8], best[8];
#pragma unroll
    for (int k = 0; k < 8; k++) least[k] = 1 << 30;
#pragma unroll 1
    for (int d = 0; d < 32; d++) {
        int row[16], cost = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            __syncwarp();
            row[k] = 0;
#pragma unroll
            for (int dx = -4; dx <= 4; dx++) row[k] += abs(l[k * pitch + dx] - r[k * pitch + dx - d]);
            cost += row[k];
            if (k < 8) continue;
            if (cost < least[k - 8]) {
                least[k - 8] = cost;
                best[k - 8] = d;
            }
            cost -= row[k - 8];
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++) shift[(y + k) * width + x] = best[k];
}

// X-ray projection of a volume of 512 by 512 by 256 densities; parallel rays, 128 of them a slice of every second two,
// samples half a voxel apart; places in 1/65536 of a voxel.
__device__ unsigned density(const unsigned short *volume, int4 ray, int v, int k)
{
    const int x = (ray.x + k * ray.z) >> 16, y = (ray.y + k * ray.w) >> 16;
    return (unsigned)x < 512 && (unsigned)y < 512 ? volume[((size_t)v * 2 * 512 + y) * 512 + x] : 0;
}
extern "C" __global__ void __launch_bounds__(256) project_volume(const unsigned short *volume, const int4 *ray, unsigned *detector, int steps)
{
    const int i = blockIdx.x * 256 + threadIdx.x, v = i / 128;
    const int4 mine = ray[i & 127];
    unsigned sum = 0;
    for (int k = 0; k < steps; k++) sum += density(volume, mine, v, k);
    detector[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256) project_volume_b(const unsigned short *volume, const int4 *ray, unsigned *detector, int steps)
{
    const int i = blockIdx.x * 8 + threadIdx.x / 32, v = i / 128, lane = threadIdx.x & 31;
    const int4 mine = ray[i & 127];
    unsigned sum = 0;
    for (int k = lane; k < steps; k += 32) sum += density(volume, mine, v, k);
    sum = __reduce_add_sync(~0u, sum);
    if (lane == 0) detector[i] = sum;
}

// A band at a sixteenth of the rate: 64 taps, 128 results a block from samples in shared memory.
__constant__ float tap[64];
template <int PITCH> __device__ void decimate(const float *sample, float *band)
{
    __shared__ float some[131 * PITCH];
    const float *from = sample + (size_t)blockIdx.x * 2048;
    for (int i = threadIdx.x; i < 131 * 16; i += 128) some[i / 16 * PITCH + i % 16] = from[i];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 64; k++) sum = fmaf(tap[k], some[(threadIdx.x + k / 16) * PITCH + k % 16], sum);
    band[blockIdx.x * 128 + threadIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(128) decimate_band(const float *sample, float *band) { decimate<16>(sample, band); }
extern "C" __global__ void __launch_bounds__(128) decimate_band_b(const float *sample, float *band) { decimate<17>(sample, band); }

// Sum and sum of squares of the pixels in each box (x, y, width, height) of a picture; a block takes some rows of a box
// (box, first row, rows).
extern "C" __global__ void __launch_bounds__(256) box_sums(const unsigned short *picture, const int4 *box, const int4 *piece, unsigned long long *sums, int pitch)
{
    __shared__ unsigned long long all[2];
    const int4 p = piece[blockIdx.x], b = box[p.x];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    if (threadIdx.x < 2) all[threadIdx.x] = 0;
    __syncthreads();
    unsigned long long sum = 0, squares = 0;
    for (int y = p.y + warp; y < p.y + p.z; y += 8) {
        const unsigned short *row = picture + (size_t)(b.y + y) * pitch + b.x;
        for (int x = lane; x < b.z; x += 32) {
            const unsigned v = row[x];
            sum += v;
            squares += v * v;
        }
    }
    for (int o = 16; o; o /= 2) {
        sum += __shfl_xor_sync(~0u, sum, o);
        squares += __shfl_xor_sync(~0u, squares, o);
    }
    if (lane == 0) {
        atomicAdd(&all[0], sum);
        atomicAdd(&all[1], squares);
    }
    __syncthreads();
    if (threadIdx.x < 2) atomicAdd(&sums[2 * p.x + threadIdx.x], all[threadIdx.x]);
}

// Area, brightness, first and last column of each labelled blob of a picture.
extern "C" __global__ void __launch_bounds__(256) blob_extents(const int *label, const unsigned char *bright, int4 *blob, int width)
{
    const int x = blockIdx.x * 256 + threadIdx.x;
    const size_t i = (size_t)blockIdx.y * width + x;
    int *mine = &blob[label[i]].x;
    atomicAdd(&mine[0], 1);
    atomicAdd(&mine[1], (int)bright[i]);
    atomicMin(&mine[2], x);
    atomicMax(&mine[3], x);
}
extern "C" __global__ void __launch_bounds__(256) blob_extents_b(const int *label, const unsigned char *bright, int4 *blob, int width)
{
    const int x = blockIdx.x * 256 + threadIdx.x;
    const size_t i = (size_t)blockIdx.y * width + x;
    const int which = label[i];
    int area = 1, light = bright[i], first = x, last = x, alike;
    __match_all_sync(~0u, which, &alike);
    if (alike) {
        area = 32;
        light = __reduce_add_sync(~0u, light);
        first = __reduce_min_sync(~0u, first);
        last = __reduce_max_sync(~0u, last);
        if (threadIdx.x & 31) return;
    }
    int *mine = &blob[which].x;
    atomicAdd(&mine[0], area);
    atomicAdd(&mine[1], light);
    atomicMin(&mine[2], first);
    atomicMax(&mine[3], last);
}
