// Softens a signal and sums it in the same pass: each block publishes its partial sum, and the last block to finish adds them
// up. Only the partial sum is read by another block, so one fence per block is sufficient.
// launch: soften<<<sms * 8, 256>>>(x, y, partial, done, total, n)
extern "C" __global__ void soften(const float* __restrict__ x, float* __restrict__ y, float* partial, unsigned* done,
                                  float* __restrict__ total, int n) {
  __shared__ float of_warp[8];
  __shared__ bool last;
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = x[i];
    v = __fdividef(v, 1.f + fabsf(v));
    y[i] = v;
    sum += v;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0.f;
    for (int w = 0; w < 8; ++w) s += of_warp[w];
    partial[blockIdx.x] = s;
    __threadfence();
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x >= 32) return;
  float s = 0.f;
  for (int b = threadIdx.x; b < gridDim.x; b += 32) s += __ldcg(&partial[b]);
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x == 0) total[0] = s;
}
