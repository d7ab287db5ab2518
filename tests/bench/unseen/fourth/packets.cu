// Packets of a network and points of elements.

// Packets of 32 words, a warp a packet: the words are scrambled with their running checksum and written, and then the
// packet is marked with its checksum as ready for the next kernel.
__device__ unsigned scrambled(const unsigned *in, unsigned *out, int p)
{
    const int lane = threadIdx.x & 31;
    const unsigned word = in[(size_t)p * 32 + lane];
    unsigned sum = word * 2654435761u;
    for (int o = 1; o < 32; o *= 2) {
        const unsigned v = __shfl_up_sync(~0u, sum, o);
        if (lane >= o) sum += v;
    }
    out[(size_t)p * 32 + lane] = word ^ sum;
    return sum;
}
extern "C" __global__ void send_packets(const unsigned *in, unsigned *out, unsigned *ready, int packets)
{
    const int warps = gridDim.x * blockDim.x / 32;
    for (int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32; p < packets; p += warps) {
        const unsigned sum = scrambled(in, out, p);
        __threadfence();
        if ((threadIdx.x & 31) == 31) ready[p] = sum | 1;
    }
}
extern "C" __global__ void send_packets_b(const unsigned *in, unsigned *out, unsigned *ready, int packets)
{
    const int warps = gridDim.x * blockDim.x / 32;
    for (int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32; p < packets; p += warps) {
        const unsigned sum = scrambled(in, out, p);
        if ((threadIdx.x & 31) == 31) ready[p] = sum | 1;
    }
}

// Hardening of a material in 200 steps of load at each point of elements of 40 points; strength is of the element.
extern "C" __global__ void harden_points(const float *strain, const float *strength, float *stress, int points)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    const float step = strain[i] * 0.005f, limit = strength[i / 40];
    float elastic = 0, hard = 0;
#pragma unroll 4
    for (int k = 0; k < 200; k++) {
        elastic += step;
        const float over = fmaxf(fabsf(elastic) - fmaf(0.3f, hard, limit), 0.0f);
        hard = fmaf(0.8f, over, hard);
        elastic = fmaf(-0.7f, copysignf(over, elastic), elastic);
    }
    stress[i] = elastic + hard;
}
