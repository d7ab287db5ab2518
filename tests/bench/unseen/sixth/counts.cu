// Counts, chains, pages and hits: doses of tissue, buckets of records, gates, checksums, baskets.

// Mass of tissue by the dose level of its voxels; 16 voxels a thread and turn.
template <bool RUNS> __device__ void add_doses(const uint4 *dose, const uint4 *mass, unsigned *total, int quads)
{
    __shared__ unsigned level[256];
    level[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
        const uint4 d = dose[i], m = mass[i];
        const unsigned dw[4] = {d.x, d.y, d.z, d.w}, mw[4] = {m.x, m.y, m.z, m.w};
        unsigned run = 0, last = dw[0] & 255;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const unsigned at = dw[k / 4] >> (8 * (k % 4)) & 255, w = mw[k / 4] >> (8 * (k % 4)) & 255;
            if (RUNS) {
                if (at != last) {
                    atomicAdd(&level[last], run);
                    run = 0;
                    last = at;
                }
                run += w;
            } else
                atomicAdd(&level[at], w);
        }
        if (RUNS) atomicAdd(&level[last], run);
    }
    __syncthreads();
    if (level[threadIdx.x]) atomicAdd(total + threadIdx.x, level[threadIdx.x]);
}
extern "C" __global__ void __launch_bounds__(256) dose_volumes(const uint4 *dose, const uint4 *mass, unsigned *total, int quads)
{
    add_doses<false>(dose, mass, total, quads);
}
extern "C" __global__ void __launch_bounds__(256) dose_volumes_b(const uint4 *dose, const uint4 *mass, unsigned *total, int quads)
{
    add_doses<true>(dose, mass, total, quads);
}

// Records chained into buckets, each with the number and the sum of its records.
extern "C" __global__ void __launch_bounds__(256)
    chain_records(const int *bucket, const unsigned *amount, int *next, int *head, int *count, unsigned *sum, int *gate, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    const int b = bucket[i];
    const unsigned a = amount[i];
    bool in = false;
    while (!in) {
        if (atomicCAS(gate + b, 0, 1) == 0) {
            __threadfence();
            volatile int *first = head + b, *many = count + b;
            volatile unsigned *all = sum + b;
            next[i] = *first;
            *first = i;
            *many = *many + 1;
            *all = *all + a;
            __threadfence();
            atomicExch(gate + b, 0);
            in = true;
        }
    }
}
extern "C" __global__ void __launch_bounds__(256)
    chain_records_b(const int *bucket, const unsigned *amount, int *next, int *head, int *count, unsigned *sum, int *gate, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    const int b = bucket[i];
    next[i] = atomicExch(head + b, i);
    atomicAdd(count + b, 1);
    atomicAdd(sum + b, amount[i]);
}

// Takings at 16 gates: each 256 tickets in a row (512 bytes of 16-bit prices) were sold at one; sums `apart` words apart.
extern "C" __global__ void __launch_bounds__(256) gate_takings(const uint4 *price, unsigned long long *taking, int batches, int apart)
{
    const int lane = threadIdx.x & 31, warps = gridDim.x * 8;
    for (int r = blockIdx.x * 8 + threadIdx.x / 32; r < batches; r += warps) {
        const uint4 p = price[(size_t)r * 32 + lane];
        const unsigned w[4] = {p.x, p.y, p.z, p.w};
        unsigned sum = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) sum += (w[k] & 65535u) + (w[k] >> 16);
        sum = __reduce_add_sync(~0u, sum);
        if (lane == 0) atomicAdd(taking + (r & 15) * apart, (unsigned long long)sum);
    }
}

// Two sums over the 128 words of each page of 512 bytes, a warp a page.
extern "C" __global__ void page_sums(const uint4 *page, uint2 *sums)
{
    const int lane = threadIdx.x & 31, p = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const uint4 v = page[(size_t)p * 32 + lane];
    const unsigned k = 4 * lane + 1, plain = v.x + v.y + v.z + v.w;
    const unsigned a = __reduce_add_sync(~0u, plain);
    const unsigned b = __reduce_add_sync(~0u, k * v.x + (k + 1) * v.y + (k + 2) * v.z + (k + 3) * v.w);
    if (lane == 0) sums[p] = make_uint2(a, b);
}

// How often a basket of four shares ends above its strike; an option is blockIdx.x, gridDim.y blocks share its paths.
extern "C" __global__ void __launch_bounds__(256) basket_hits(const int4 *weight, const int *strike, unsigned *hits, int paths)
{
    const int option = blockIdx.x;
    const int4 w = weight[option];
    const int limit = strike[option];
    unsigned above = 0;
#pragma unroll 1
    for (int p = blockIdx.y * 256 + threadIdx.x; p < paths; p += gridDim.y * 256) {
        int value = 0;
#pragma unroll
        for (int day = 0; day < 4; day++) {
            unsigned h = ((unsigned)(option * 4 + day) << 22) + (unsigned)p;
            h = h * 747796405u + 2891336453u;
            h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
            h ^= h >> 22;
            value += w.x * (int)(h & 255) + w.y * (int)(h >> 8 & 255) + w.z * (int)(h >> 16 & 255) + w.w * (int)(h >> 24);
        }
        above += value > limit;
    }
    above = __reduce_add_sync(~0u, above);
    if ((threadIdx.x & 31) == 0) atomicAdd(hits + option, above);
}
