// Sixteen pixels per load, and four loads per lane before the first store.
// launch: invert<<<ceil(n / (64 * block)), 256>>>(negative, positive, n)
constexpr int kLoads = 4;

extern "C" __global__ void invert(const uint4* __restrict__ negative, uint4* __restrict__ positive, int n) {
  int first = blockIdx.x * kLoads * blockDim.x + threadIdx.x;
  uint4 v[kLoads];
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    int i = first + k * blockDim.x;
    if (i < n / 16) v[k] = negative[i];
  }
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    int i = first + k * blockDim.x;
    if (i < n / 16) positive[i] = make_uint4(~v[k].x, ~v[k].y, ~v[k].z, ~v[k].w);
  }
}
