// One histogram per block in shared memory, added to the global one at the end.
// launch: histogram<<<sms * 8, 256>>>(energy, bins, n)
extern "C" __global__ void histogram(const float* __restrict__ energy, unsigned* __restrict__ bins, int n) {
  __shared__ unsigned block_bins[16];
  if (threadIdx.x < 16) block_bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&block_bins[(int)(energy[i] * 16.f)], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}
