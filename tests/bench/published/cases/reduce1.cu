#include "harness.h"
// Block sums of an int array, one element per thread, tree in shared memory.
__global__ void block_sum_a(const int* __restrict__ g, int* __restrict__ out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x; s[t] = g[(size_t)blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (t % (2 * k) == 0) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void block_sum_b(const int* __restrict__ g, int* __restrict__ out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x; s[t] = g[(size_t)blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    unsigned i = 2 * k * t;
    if (i < blockDim.x) s[i] += s[i + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
int main(int argc, char** argv) {
  const size_t n = 1u << 26; const int T = 256; unsigned nb = n / T;
  int *a = dalloc<int>(n), *o1 = dalloc<int>(nb), *o2 = dalloc<int>(nb);
  fill_uint((uint32_t*)a, n, 1000, 3);
  return bench(argc, argv, "reduce1", "block_sum_a", "block_sum_b", nothing, [&] { block_sum_a<<<nb, T, T * 4>>>(a, o1); },
               nothing, [&] { block_sum_b<<<nb, T, T * 4>>>(a, o2); }, [&] { return count_bad_u(o1, o2, nb) + !any_nonzero(o1, nb); });
}
