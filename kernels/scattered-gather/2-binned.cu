// The same code on binned order lines: each bin accesses one part of the price list.
// launch: revenue<<<ceil(n / (16 * block)), 256>>>(binned, price, total, n)
constexpr int kLoads = 8, kRounds = 2;

extern "C" __global__ void revenue(const unsigned* __restrict__ item, const unsigned* __restrict__ price,
                                   unsigned long long* __restrict__ total, int n) {
  __shared__ unsigned long long warp_sums[32];
  unsigned long long sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    int first = (blockIdx.x * kRounds + round) * kLoads * blockDim.x + threadIdx.x;
    unsigned which[kLoads], cents[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      int i = first + k * blockDim.x;
      which[k] = i < n ? item[i] : ~0u;
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) cents[k] = which[k] != ~0u ? price[which[k]] : 0;  // slow: here
#pragma unroll
    for (int k = 0; k < kLoads; ++k) sum += cents[k];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) sum += warp_sums[w];
    atomicAdd(total, sum);
  }
}
