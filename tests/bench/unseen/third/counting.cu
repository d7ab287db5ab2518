// Counting and collecting: qualities, regions, peaks, alignments, momenta of cells, moments.
typedef unsigned int u32;
typedef unsigned long long u64;

// Weight of the bases of each phred quality, 64 qualities; 4 bases a thread and step.
extern "C" __global__ void phred_mass(const uchar4 *quality, const u32 *weight, u32 *mass, int n)
{
    __shared__ u32 bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uchar4 q = quality[i];
        const u32 w = weight[i];
        atomicAdd(&bins[q.x & 63], w & 63);
        atomicAdd(&bins[q.y & 63], (w >> 8) & 63);
        atomicAdd(&bins[q.z & 63], (w >> 16) & 63);
        atomicAdd(&bins[q.w & 63], w >> 24);
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&mass[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void phred_mass_wide(const uchar4 *quality, const u32 *weight, u32 *mass, int n)
{
    __shared__ u32 bins[64 * 32];
    const int lane = threadIdx.x & 31;
    for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uchar4 q = quality[i];
        const u32 w = weight[i];
        atomicAdd(&bins[(q.x & 63) * 32 + lane], w & 63);
        atomicAdd(&bins[(q.y & 63) * 32 + lane], (w >> 8) & 63);
        atomicAdd(&bins[(q.z & 63) * 32 + lane], (w >> 16) & 63);
        atomicAdd(&bins[(q.w & 63) * 32 + lane], w >> 24);
    }
    __syncthreads();
    for (int b = threadIdx.x / 32; b < 64; b += blockDim.x / 32) {
        const u32 sum = __reduce_add_sync(~0u, bins[b * 32 + lane]);
        if (lane == 0) atomicAdd(&mass[b], sum);
    }
}

// Brightness and area of the regions of a segmented image, 64 regions, which are wide.
extern "C" __global__ void region_sums(const int *label, const float *value, float *sum, float *area, int n)
{
    __shared__ float sums[64], areas[64];
    if (threadIdx.x < 64) sums[threadIdx.x] = areas[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int r = label[i];
        const float v = value[i];
        if (v > 0.0f) {
            atomicAdd(&sums[r], v);
            atomicAdd(&areas[r], 1.0f);
        }
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        atomicAdd(&sum[threadIdx.x], sums[threadIdx.x]);
        atomicAdd(&area[threadIdx.x], areas[threadIdx.x]);
    }
}

extern "C" __global__ void region_sums_joined(const int *label, const float *value, float *sum, float *area, int n)
{
    __shared__ float sums[64], areas[64];
    if (threadIdx.x < 64) sums[threadIdx.x] = areas[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int r = label[i];
        const float v = value[i];
        int same;
        __match_all_sync(~0u, r, &same);
        if (same) {
            float s = fmaxf(v, 0.0f);
            const float a = __popc(__ballot_sync(~0u, v > 0.0f));
            for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
            if ((threadIdx.x & 31) == 0) {
                atomicAdd(&sums[r], s);
                atomicAdd(&areas[r], a);
            }
        } else if (v > 0.0f) {
            atomicAdd(&sums[r], v);
            atomicAdd(&areas[r], 1.0f);
        }
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        atomicAdd(&sum[threadIdx.x], sums[threadIdx.x]);
        atomicAdd(&area[threadIdx.x], areas[threadIdx.x]);
    }
}

// Highest sample of each channel and where it is.
__device__ u64 packed(u32 value, int at) { return (u64)value << 32 | (u32)at; }

extern "C" __global__ void channel_peaks(const unsigned char *channel, const u32 *sample, u64 *peak, int n)
{
    __shared__ u64 best[16];
    if (threadIdx.x < 16) best[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicMax(&best[channel[i]], packed(sample[i], i));
    __syncthreads();
    if (threadIdx.x < 16) atomicMax(&peak[threadIdx.x], best[threadIdx.x]);
}

extern "C" __global__ void channel_peaks_looked_up(const unsigned char *channel, const u32 *sample, u64 *peak, int n)
{
    __shared__ u64 best[16];
    if (threadIdx.x < 16) best[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int c = channel[i];
        const u64 mine = packed(sample[i], i);
        if (mine > *(volatile u64 *)&best[c]) atomicMax(&best[c], mine);
    }
    __syncthreads();
    if (threadIdx.x < 16) atomicMax(&peak[threadIdx.x], best[threadIdx.x]);
}

// The best place of a pattern of 64 bases (2 bits each) in a genome; a block looks at 256 places.
__device__ u64 match_of(const u32 *genome, const u32 *pattern, int at)
{
    u32 same = 0;
    const int word = at >> 4, shift = 2 * (at & 15);
    for (int k = 0; k < 4; k++) {
        const u32 x = __funnelshift_r(genome[word + k], genome[word + k + 1], shift) ^ pattern[k];
        same += 16 - __popc((x | x >> 1) & 0x55555555u);
    }
    return (u64)same << 32 | (u32)~at;
}

__device__ u64 best_of_block(u64 mine)
{
    __shared__ u64 part[8];
    for (int o = 16; o; o /= 2) mine = max(mine, __shfl_xor_sync(~0u, mine, o));
    if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = mine;
    __syncthreads();
    for (int k = 0; k < 8; k++) mine = max(mine, part[k]);
    return mine;
}

extern "C" __global__ void best_place(const u32 *genome, const u32 *pattern, u64 *best, int *gate)
{
    const u64 mine = best_of_block(match_of(genome, pattern, blockIdx.x * blockDim.x + threadIdx.x));
    if (threadIdx.x == 0) {
        while (atomicCAS(gate, 0, 1) != 0) {}
        __threadfence();
        if (mine > *(volatile u64 *)best) *(volatile u64 *)best = mine;
        __threadfence();
        atomicExch(gate, 0);
    }
}

extern "C" __global__ void best_place_packed(const u32 *genome, const u32 *pattern, u64 *best, int *gate)
{
    const u64 mine = best_of_block(match_of(genome, pattern, blockIdx.x * blockDim.x + threadIdx.x));
    if (threadIdx.x == 0 && mine > *(volatile u64 *)best) atomicMax(best, mine);
}

// Momentum that particles leave in the cell that they are in.
extern "C" __global__ void deposit(const int *cell, const float *px, const float *py, const float *pz, float *grid, int *gate, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int c = cell[i];
    volatile float *g = grid + 4 * c;
    bool done = false;
    while (!done) {
        if (atomicCAS(&gate[c], 0, 1) == 0) {
            __threadfence();
            g[0] += px[i];
            g[1] += py[i];
            g[2] += pz[i];
            __threadfence();
            atomicExch(&gate[c], 0);
            done = true;
        }
    }
}

extern "C" __global__ void deposit_apart(const int *cell, const float *px, const float *py, const float *pz, float *grid, int *gate, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float *g = grid + 4 * cell[i];
    atomicAdd(&g[0], px[i]);
    atomicAdd(&g[1], py[i]);
    atomicAdd(&g[2], pz[i]);
}

// Sum, sum of squares and number of the returns above a threshold.
extern "C" __global__ void moments(const float *price, float threshold, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += gridDim.x * blockDim.x) {
        const float r = price[i + 1] - price[i];
        if (r > threshold) {
            atomicAdd(&out[0], r);
            atomicAdd(&out[1], r * r);
            atomicAdd(&out[2], 1.0f);
        }
    }
}

extern "C" __global__ void moments_gathered(const float *price, float threshold, float *out, int n)
{
    float s = 0, q = 0, c = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += gridDim.x * blockDim.x) {
        const float r = price[i + 1] - price[i];
        if (r > threshold) {
            s += r;
            q += r * r;
            c += 1.0f;
        }
    }
    for (int o = 16; o; o /= 2) {
        s += __shfl_xor_sync(~0u, s, o);
        q += __shfl_xor_sync(~0u, q, o);
        c += __shfl_xor_sync(~0u, c, o);
    }
    __shared__ float part[3][32];
    const int w = threadIdx.x / 32, lane = threadIdx.x & 31;
    if (lane == 0) part[0][w] = s, part[1][w] = q, part[2][w] = c;
    __syncthreads();
    if (threadIdx.x < 3) {
        float sum = 0;
        for (int k = 0; k < blockDim.x / 32; k++) sum += part[threadIdx.x][k];
        atomicAdd(&out[threadIdx.x], sum);
    }
}
