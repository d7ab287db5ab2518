// Votes, counts, places and pairs: lines in pictures, visits, pools of pages, gauges, collisions.
#include <cuda/atomic>

// Weights of edge points by the angle and the distance of the lines that go through them, [64][256].
__constant__ float2 direction[64];
__device__ int distance_bin(float2 p, float2 d)
{
    const float rho = fmaf(p.x, d.x, __fmul_rn(p.y, d.y));
    return min(max(__float2int_rd(__fmul_rn(rho, 1.0f / 12)) + 128, 0), 255);
}
extern __shared__ unsigned votes[]; // [64][257]
__device__ void clear_votes()
{
    for (int k = threadIdx.x; k < 64 * 257; k += blockDim.x) votes[k] = 0;
    __syncthreads();
}
__device__ void enter_votes(unsigned *total)
{
    __syncthreads();
    for (int k = threadIdx.x; k < 64 * 256; k += blockDim.x) atomicAdd(total + k, votes[(k >> 8) * 257 + (k & 255)]);
}
extern "C" __global__ void __launch_bounds__(256) hough_votes(const float2 *point, const unsigned *weight, unsigned *total, int n)
{
    clear_votes();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float2 p = point[i];
        const unsigned w = weight[i];
#pragma unroll 4
        for (int a = 0; a < 64; a++) atomicAdd(&votes[a * 257 + distance_bin(p, direction[a])], w);
    }
    enter_votes(total);
}
extern "C" __global__ void __launch_bounds__(256) hough_votes_b(const float2 *point, const unsigned *weight, unsigned *total, int n)
{
    clear_votes();
    const int a = threadIdx.x & 63, group = (blockIdx.x * blockDim.x + threadIdx.x) / 64, groups = gridDim.x * blockDim.x / 64;
    const int piece = (n + groups - 1) / groups, from = min(group * piece, n), to = min(from + piece, n);
    const float2 d = direction[a];
#pragma unroll 4
    for (int i = from; i < to; i++) atomicAdd(&votes[a * 257 + distance_bin(point[i], d)], weight[i]);
    enter_votes(total);
}

// How often each page was visited.
template <cuda::memory_order ORDER> __device__ void count_visits(const int *page, unsigned *count, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(count[page[i]]);
        counter.fetch_add(1u, ORDER);
    }
}
extern "C" __global__ void visit_counts(const int *page, unsigned *count, int n) { count_visits<cuda::memory_order_seq_cst>(page, count, n); }
extern "C" __global__ void visit_counts_b(const int *page, unsigned *count, int n) { count_visits<cuda::memory_order_relaxed>(page, count, n); }

// Requests of some pages of 8 KB, a block of 128 each; a request's pages lie one after another, wherever there is room.
__device__ void fill_pages(uint4 *pool, int request, int at, int pages)
{
    for (int k = threadIdx.x; k < pages * 512; k += 128) {
        const unsigned v = (unsigned)request * 65536u + k;
        pool[(size_t)at * 512 + k] = make_uint4(v + 1, v ^ 0x9e3779b9u, v * 747796405u, ~v);
    }
}
extern "C" __global__ void __launch_bounds__(128) allot_pages(const int *pages, uint4 *pool, int *start, int *top, int *gate)
{
    __shared__ int place;
    const int request = blockIdx.x, wanted = pages[request];
    if (threadIdx.x == 0) {
        while (atomicCAS(gate, 0, 1) != 0) {}
        __threadfence();
        place = *(volatile int *)top;
        *(volatile int *)top = place + wanted;
        __threadfence();
        atomicExch(gate, 0);
        start[request] = place;
    }
    __syncthreads();
    fill_pages(pool, request, place, wanted);
}
extern "C" __global__ void __launch_bounds__(128) allot_pages_b(const int *pages, uint4 *pool, int *start, int *top, int *gate)
{
    __shared__ int place;
    const int request = blockIdx.x, wanted = pages[request];
    if (threadIdx.x == 0) {
        place = atomicAdd(top, wanted);
        start[request] = place;
    }
    __syncthreads();
    fill_pages(pool, request, place, wanted);
}

// Work done at 32 gauges: each 512 bytes of samples in a row are of one gauge; the sums are `apart` words from each other.
extern "C" __global__ void __launch_bounds__(256) gauge_work(const float4 *strain, float *work, int records, int apart)
{
    const int lane = threadIdx.x & 31, warps = gridDim.x * blockDim.x / 32;
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < records; r += warps) {
        const float4 e = strain[(size_t)r * 32 + lane];
        float sum = e.x * e.x + e.y * e.y + e.z * e.z + e.w * e.w;
        for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
        if (lane == 0) atomicAdd(work + (r & 31) * apart, sum);
    }
}

// How deep the spheres of each pair that the broad phase has found are within each other.
__device__ float depth_of(int2 pair, const float4 *sphere)
{
    const float4 a = sphere[pair.x], b = sphere[pair.y];
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return fmaxf(a.w + b.w - sqrtf(x * x + y * y + z * z), 0.0f);
}
extern "C" __global__ void __launch_bounds__(256) narrow_phase(const int2 *pair, const int *found, const float4 *sphere, float *depth)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= *found) return;
    depth[i] = depth_of(pair[i], sphere);
}
extern "C" __global__ void __launch_bounds__(256) narrow_phase_b(const int2 *pair, const int *found, const float4 *sphere, float *depth)
{
    const int n = *found;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) depth[i] = depth_of(pair[i], sphere);
}
