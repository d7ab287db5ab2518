// The same row in shared memory, folded in half repeatedly: adjacent lanes access adjacent words.
// launch: row_sums<<<rows, 256>>>(in, sums)
#define COLS 4096
extern "C" __global__ void row_sums(const float* __restrict__ in, float* __restrict__ sums) {
  __shared__ float row[COLS];
  const float* from = in + (size_t)blockIdx.x * COLS;
  for (int i = threadIdx.x; i < COLS; i += blockDim.x) row[i] = from[i];
  __syncthreads();
  for (int half = COLS / 2; half > 0; half /= 2) {
    for (int i = threadIdx.x; i < half; i += blockDim.x) row[i] += row[i + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = row[0];
}
