#include "harness.h"
// One digit-counting pass of a radix select over few long slices.
__global__ void count_digits_a(const uint32_t* __restrict__ d, size_t len, int shift, uint32_t* __restrict__ cnt) {
  __shared__ uint32_t s[256]; for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  const uint32_t* p = d + blockIdx.x * len;
  for (size_t i = threadIdx.x; i < len; i += blockDim.x) atomicAdd(&s[(p[i] >> shift) & 255], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) cnt[blockIdx.x * 256 + i] = s[i];
}
__global__ void count_digits_b(const uint32_t* __restrict__ d, size_t len, int shift, uint32_t* __restrict__ cnt) {
  __shared__ uint32_t s[256]; for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  const uint32_t* p = d + blockIdx.y * len;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < len; i += (size_t)gridDim.x * blockDim.x) atomicAdd(&s[(p[i] >> shift) & 255], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) if (s[i]) atomicAdd(&cnt[blockIdx.y * 256 + i], s[i]);
}
int main(int argc, char** argv) {
  const int S = 4; const size_t len = 1u << 22; uint32_t *d = dalloc<uint32_t>(S * len), *c1 = dalloc<uint32_t>(S * 256), *c2 = dalloc<uint32_t>(S * 256); fill_uint(d, S * len, 0, 2);
  return bench(argc, argv, "radix_count", "count_digits_a", "count_digits_b", nothing, [&] { count_digits_a<<<S, 1024>>>(d, len, 24, c1); },
               [&] { CK(cudaMemsetAsync(c2, 0, S * 1024)); }, [&] { count_digits_b<<<dim3(132, S), 256>>>(d, len, 24, c2); }, [&] { return count_bad_u(c1, c2, S * 256) + !any_nonzero(c1, S * 256); });
}
