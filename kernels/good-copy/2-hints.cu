// The same copy with cache hints: the data is used once, so neither L1 nor L2 has to keep it.
// launch: copy<<<ceil(n / (16 * block)), 256>>>(state, saved, n)
constexpr int kLoads = 4;

extern "C" __global__ void copy(const float4* __restrict__ state, float4* __restrict__ saved, int n) {
  int first = blockIdx.x * kLoads * blockDim.x + threadIdx.x;
  float4 v[kLoads];
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    int i = first + k * blockDim.x;
    if (i < n / 4) v[k] = __ldcs(state + i);
  }
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    int i = first + k * blockDim.x;
    if (i < n / 4) __stcs(saved + i, v[k]);
  }
}
