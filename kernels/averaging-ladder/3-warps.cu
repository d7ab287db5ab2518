// A warp averages one element: its lanes read neighbouring vectors and sum by shuffle. The product is unchanged.
// launch: average_and_multiply<<<sets, 1024>>>(data, matrix, result, count)
#define LENGTH 1024
#define WARPS (LENGTH / 32)
extern "C" __global__ void average_and_multiply(const float* __restrict__ data, const float* __restrict__ matrix,
                                                float* __restrict__ result, int count) {
  __shared__ float part[LENGTH];
  const int element = threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t set = blockIdx.x;
  for (int e = warp; e < LENGTH; e += WARPS) {
    const float* values = data + (set * LENGTH + e) * count;
    float sum = 0.0f;
    for (int v = lane; v < count; v += 32) sum += values[v];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) part[e] = sum / count;
  }
  __syncthreads();
  const float average = part[element];
  __syncthreads();
  for (int row = 0; row < LENGTH; ++row) {
    part[element] = matrix[row * LENGTH + element] * average;
    __syncthreads();
    for (int half = LENGTH / 2; half > 0; half /= 2) {
      if (element < half) part[element] += part[element + half];
      __syncthreads();
    }
    if (element == 0) result[set * LENGTH + row] = part[0];
    __syncthreads();
  }
}
