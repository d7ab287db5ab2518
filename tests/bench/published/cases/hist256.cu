#include "harness.h"
__global__ void histogram_a(const unsigned char* __restrict__ px, size_t n, unsigned* __restrict__ bins) {
  size_t st = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += st) atomicAdd(&bins[px[i]], 1u);
}
__global__ void histogram_b(const unsigned char* __restrict__ px, size_t n, unsigned* __restrict__ bins) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  size_t st = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += st) atomicAdd(&s[px[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) if (s[i]) atomicAdd(&bins[i], s[i]);
}
int main(int argc, char** argv) {
  const size_t n = 1u << 24;
  unsigned char* px = (unsigned char*)dalloc<uint32_t>(n / 4);
  unsigned *b1 = dalloc<unsigned>(256), *b2 = dalloc<unsigned>(256);
  fill_uint((uint32_t*)px, n / 4, 0, 5);
  return bench(argc, argv, "hist256", "histogram_a", "histogram_b", [&] { CK(cudaMemsetAsync(b1, 0, 1024)); }, [&] { histogram_a<<<1056, 256>>>(px, n, b1); },
               [&] { CK(cudaMemsetAsync(b2, 0, 1024)); }, [&] { histogram_b<<<1056, 256>>>(px, n, b2); }, [&] { return count_bad_u(b1, b2, 256) + !any_nonzero(b1, 256); });
}
