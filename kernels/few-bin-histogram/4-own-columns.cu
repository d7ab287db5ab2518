// A histogram for each thread, a column of shared memory that nobody else touches: no atomics but for the block's sums.
// launch: histogram<<<sms * 8, 256>>>(energy, bins, n)
__device__ void count(unsigned* mine, float energy) { ++mine[(int)(energy * 16.f) * 256]; }

extern "C" __global__ void __launch_bounds__(256) histogram(const float4* __restrict__ energy, unsigned* __restrict__ bins, int n) {
  __shared__ unsigned columns[16][256];
  unsigned* mine = &columns[0][threadIdx.x];
#pragma unroll
  for (int b = 0; b < 16; ++b) mine[b * 256] = 0;
  for (int first = blockIdx.x * 1024; first < n / 4; first += gridDim.x * 1024) {
    float4 e[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) e[j] = energy[first + j * 256 + threadIdx.x];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      count(mine, e[j].x);
      count(mine, e[j].y);
      count(mine, e[j].z);
      count(mine, e[j].w);
    }
  }
  __syncthreads();
  int b = threadIdx.x / 16, part = threadIdx.x % 16;  // sixteen threads add up a bin
  unsigned sum = 0;
  for (int t = part; t < 256; t += 16) sum += columns[b][t];
  for (int o = 8; o; o /= 2) sum += __shfl_down_sync(~0u, sum, o, 16);
  if (part == 0) atomicAdd(&bins[b], sum);
}
