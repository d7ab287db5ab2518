#include "harness.h"
// Sum particle properties into their cells; particles are ordered by cell.
__global__ void cells_a(const uint32_t* __restrict__ key, const float* __restrict__ val, float* __restrict__ cell, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&cell[key[i]], val[i]);
}
__global__ void cells_b(const uint32_t* __restrict__ key, const float* __restrict__ val, float* __restrict__ cell, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31; uint32_t k = i < n ? key[i] : 0xffffffffu; float v = i < n ? val[i] : 0;
  uint32_t up = __shfl_up_sync(~0u, k, 1); bool head = lane == 0 || up != k;
  for (int o = 1; o < 32; o <<= 1) { float t = __shfl_down_sync(~0u, v, o); uint32_t kk = __shfl_down_sync(~0u, k, o); if (lane + o < 32 && kk == k) v += t; }
  if (head && i < n) atomicAdd(&cell[k], v);
}
__global__ void mk(uint32_t* k, float* v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { k[i] = i / 24; v[i] = (float)(h32(i * 3 + 1) & 15); } }
int main(int argc, char** argv) {
  const int n = 1 << 25, nc = n / 24 + 2; uint32_t* k = dalloc<uint32_t>(n); float *v = dalloc<float>(n), *c1 = dalloc<float>(nc), *c2 = dalloc<float>(nc); mk<<<n / 256, 256>>>(k, v, n);
  return bench(argc, argv, "cell_sums", "cells_a", "cells_b", [&] { CK(cudaMemsetAsync(c1, 0, nc * 4)); }, [&] { cells_a<<<n / 256, 256>>>(k, v, c1, n); },
               [&] { CK(cudaMemsetAsync(c2, 0, nc * 4)); }, [&] { cells_b<<<n / 256, 256>>>(k, v, c2, n); }, [&] { return count_bad(c1, c2, nc, 1e-5f, 1e-5f) + !any_nonzero(c1, nc); });
}
