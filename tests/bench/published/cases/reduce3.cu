#include "harness.h"
__global__ void block_sum_c(const int* __restrict__ g, int* __restrict__ out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x; s[t] = g[(size_t)blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void block_sum_g(const int* __restrict__ g, int* __restrict__ out, size_t n) {
  __shared__ int s[32];
  int v = 0; size_t step = (size_t)gridDim.x * blockDim.x * 2;
  for (size_t i = (size_t)blockIdx.x * blockDim.x * 2 + threadIdx.x; i < n; i += step) v += g[i] + g[i + blockDim.x];
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}
static unsigned total(const int* d, unsigned n) { std::vector<int> h(n); CK(cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost)); unsigned s = 0; for (int v : h) s += v; return s; }
int main(int argc, char** argv) {
  const size_t n = 1u << 26; const int T = 256; unsigned nb = n / T, nb2 = 1024;
  int *a = dalloc<int>(n), *o1 = dalloc<int>(nb), *o2 = dalloc<int>(nb2);
  fill_uint((uint32_t*)a, n, 1000, 3);
  return bench(argc, argv, "reduce3", "block_sum_c", "block_sum_g", nothing, [&] { block_sum_c<<<nb, T, T * 4>>>(a, o1); },
               nothing, [&] { block_sum_g<<<nb2, T>>>(a, o2, n); }, [&]() -> unsigned long long { return total(o1, nb) != total(o2, nb2) || !total(o1, nb); });
}
