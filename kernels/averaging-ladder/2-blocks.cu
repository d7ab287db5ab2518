// One block per data set; a thread averages one element over its vectors, then the block multiplies.
// launch: average_and_multiply<<<sets, 1024>>>(data, matrix, result, count)
#define LENGTH 1024
extern "C" __global__ void average_and_multiply(const float* __restrict__ data, const float* __restrict__ matrix,
                                                float* __restrict__ result, int count) {
  __shared__ float part[LENGTH];
  const int element = threadIdx.x;
  const size_t set = blockIdx.x;
  const float* values = data + (set * LENGTH + element) * count;
  float sum = 0.0f;
  for (int v = 0; v < count; ++v) sum += values[v];  // slow: here
  const float average = sum / count;
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
