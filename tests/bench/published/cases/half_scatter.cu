#include "harness.h"
#include <cuda_fp16.h>
// index_add along dim 0 on half tensors, rows of 64.
__global__ void index_add_a(const __half* __restrict__ src, const uint32_t* __restrict__ idx, __half* __restrict__ dst, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&dst[(size_t)idx[i >> 6] * 64 + (i & 63)], src[i]);
}
__global__ void index_add_b(const __half2* __restrict__ src, const uint32_t* __restrict__ idx, __half2* __restrict__ dst, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&dst[(size_t)idx[i >> 5] * 32 + (i & 31)], src[i]);
}
__global__ void mk(__half* h, size_t n) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) h[i] = __float2half((h32((uint32_t)i) & 7) * 0.125f); }
int main(int argc, char** argv) {
  const int rows = 1 << 16, dr = 4096; size_t n = (size_t)rows * 64, nd = (size_t)dr * 64;
  __half *s = (__half*)dalloc<uint16_t>(n), *d1 = (__half*)dalloc<uint16_t>(nd), *d2 = (__half*)dalloc<uint16_t>(nd); uint32_t* idx = dalloc<uint32_t>(rows); mk<<<n / 256, 256>>>(s, n); fill_uint(idx, rows, dr, 5);
  return bench(argc, argv, "half_scatter", "index_add_a", "index_add_b", [&] { CK(cudaMemsetAsync(d1, 0, nd * 2)); }, [&] { index_add_a<<<n / 256, 256>>>(s, idx, d1, n); },
               [&] { CK(cudaMemsetAsync(d2, 0, nd * 2)); }, [&] { index_add_b<<<n / 512, 256>>>((__half2*)s, idx, (__half2*)d2, n / 2); }, [&] { return count_bad_u(d1, d2, nd / 2) + !any_nonzero(d1, nd / 2); });
}
