// Averages `count` vectors of each data set, then multiplies a matrix by the average. One thread per vector element; a
// single block processes one data set after the other.
// launch: average_and_multiply<<<1, 1024>>>(data, matrix, result, sets, count)
#define LENGTH 1024
extern "C" __global__ void average_and_multiply(const float* __restrict__ data, const float* __restrict__ matrix,
                                                float* __restrict__ result, int sets, int count) {
  __shared__ float part[LENGTH];
  const int element = threadIdx.x;
  for (int set = 0; set < sets; ++set) {
    const float* values = data + ((size_t)set * LENGTH + element) * count;
    float sum = 0.0f;
    for (int v = 0; v < count; ++v) sum += values[v];
    const float average = sum / count;
    for (int row = 0; row < LENGTH; ++row) {
      part[element] = matrix[row * LENGTH + element] * average;
      __syncthreads();
      for (int half = LENGTH / 2; half > 0; half /= 2) {
        if (element < half) part[element] += part[element + half];
        __syncthreads();
      }
      if (element == 0) result[(size_t)set * LENGTH + row] = part[0];
      __syncthreads();
    }
  }
}
