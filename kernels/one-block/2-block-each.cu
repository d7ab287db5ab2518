// One small block per SM; the blocks' sums are combined with one atomic addition per block. `out` starts at zero.
// launch: dot<<<sms, 128>>>(x, y, out, n)
extern "C" __global__ void dot(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, int n) {
  __shared__ float warp_sums[32];
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum = fmaf(x[i], y[i], sum);
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0.f;
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}
