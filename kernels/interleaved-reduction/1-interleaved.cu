// Sums each row of 4096 floats: a block keeps its row in shared memory and adds neighbours, then pairs of sums.
// launch: row_sums<<<rows, 256>>>(in, sums)
#define COLS 4096
extern "C" __global__ void row_sums(const float* __restrict__ in, float* __restrict__ sums) {
  __shared__ float row[COLS];
  const float* from = in + (size_t)blockIdx.x * COLS;
  for (int i = threadIdx.x; i < COLS; i += blockDim.x) row[i] = from[i];
  __syncthreads();
  for (int stride = 1; stride < COLS; stride *= 2) {
    for (int i = threadIdx.x; i < COLS / 2 / stride; i += blockDim.x) row[2 * stride * i] += row[2 * stride * i + stride];  // slow: here
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = row[0];
}
