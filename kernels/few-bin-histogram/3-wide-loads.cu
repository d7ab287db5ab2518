// One histogram per block again; a thread issues four 16-byte loads before it counts.
// launch: histogram<<<sms * 8, 256>>>(energy, bins, n)
__device__ void count(unsigned* bins, float energy) { atomicAdd(&bins[(int)(energy * 16.f)], 1u); }

extern "C" __global__ void __launch_bounds__(256) histogram(const float4* __restrict__ energy, unsigned* __restrict__ bins, int n) {
  __shared__ unsigned block_bins[16];
  if (threadIdx.x < 16) block_bins[threadIdx.x] = 0;
  __syncthreads();
  for (int first = blockIdx.x * 1024; first < n / 4; first += gridDim.x * 1024) {
    float4 e[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) e[j] = energy[first + j * 256 + threadIdx.x];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      count(block_bins, e[j].x);
      count(block_bins, e[j].y);
      count(block_bins, e[j].z);
      count(block_bins, e[j].w);
    }
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}
