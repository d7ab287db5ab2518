// One warp per matrix row, too: it sums the products of a row in registers and by shuffle, without barriers.
// launch: average_and_multiply<<<sets, 1024>>>(data, matrix, result, count)
#define LENGTH 1024
#define WARPS (LENGTH / 32)

__device__ __forceinline__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}

extern "C" __global__ void average_and_multiply(const float* __restrict__ data, const float* __restrict__ matrix,
                                                float* __restrict__ result, int count) {
  __shared__ float average[LENGTH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t set = blockIdx.x;
  for (int e = warp; e < LENGTH; e += WARPS) {
    const float* values = data + (set * LENGTH + e) * count;
    float sum = 0.0f;
    for (int v = lane; v < count; v += 32) sum += values[v];
    sum = warp_sum(sum);
    if (lane == 0) average[e] = sum / count;
  }
  __syncthreads();
  for (int row = warp; row < LENGTH; row += WARPS) {
    float sum = 0.0f;
    for (int e = lane; e < LENGTH; e += 32) sum += matrix[row * LENGTH + e] * average[e];
    sum = warp_sum(sum);
    if (lane == 0) result[set * LENGTH + row] = sum;
  }
}
