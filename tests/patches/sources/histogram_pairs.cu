// Counters of each thread in a flat shared array: neighbours are 32 words apart.
typedef unsigned int word;
static __device__ __forceinline__ int bucket(float value) { return (int)(value * 31.0f) & 31; }
extern "C" __global__ void tally(const float *values, word *result, int rounds)
{
    __shared__ unsigned int cells[64 * 32];
    for (int b = 0; b < 32; b++) cells[threadIdx.x * 32 + b] = 0;
    for (int r = 0; r < rounds; r++) {
        int b = bucket(values[(blockIdx.x * rounds + r) * blockDim.x + threadIdx.x]);
        cells[threadIdx.x * 32 + b]++;
    }
    __syncthreads();
    word total = 0;
    for (int t = 0; t < 64; t++) total += cells[t * 32 + (threadIdx.x & 31)];
    result[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
