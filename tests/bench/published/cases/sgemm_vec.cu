#include "harness.h"
#include "gemm_kernels.h"
// As stored k-major so a thread's column of A is contiguous; 128-bit shared and global transfers.
__global__ void __launch_bounds__(256) gemm_v6(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  __shared__ __align__(16) float as[8 * 128], bs[8 * 128];
  const int tr = threadIdx.x / 16, tc = threadIdx.x % 16;
  const float* a = A + (size_t)blockIdx.y * 128 * n; const float* b = B + blockIdx.x * 128;
  const int ar = threadIdx.x / 2, ac = (threadIdx.x % 2) * 4, br = threadIdx.x / 32, bc = (threadIdx.x % 32) * 4;
  float acc[8][8] = {}, ra[8], rb[8];
  for (int k0 = 0; k0 < n; k0 += 8) {
    float4 v = *reinterpret_cast<const float4*>(&a[(size_t)ar * n + k0 + ac]);
    as[(ac + 0) * 128 + ar] = v.x; as[(ac + 1) * 128 + ar] = v.y; as[(ac + 2) * 128 + ar] = v.z; as[(ac + 3) * 128 + ar] = v.w;
    *reinterpret_cast<float4*>(&bs[br * 128 + bc]) = *reinterpret_cast<const float4*>(&b[(size_t)(k0 + br) * n + bc]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) {
#pragma unroll
      for (int i = 0; i < 8; i++) ra[i] = as[k * 128 + tr * 8 + i];
#pragma unroll
      for (int j = 0; j < 8; j++) rb[j] = bs[k * 128 + tc * 8 + j];
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j += 4)
      *reinterpret_cast<float4*>(&C[(size_t)(blockIdx.y * 128 + tr * 8 + i) * n + blockIdx.x * 128 + tc * 8 + j]) =
          make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}
int main(int argc, char** argv) {
  const int n = 4096; size_t m = (size_t)n * n;
  float *a = dalloc<float>(m), *b = dalloc<float>(m), *c1 = dalloc<float>(m), *c2 = dalloc<float>(m);
  fill_uniform(a, m, -1, 1, 1); fill_uniform(b, m, -1, 1, 2);
  dim3 g(n / 128, n / 128);
  return bench(argc, argv, "sgemm_vec", "gemm_v5", "gemm_v6", nothing, [&] { gemm_v5<<<g, 256>>>(n, a, b, c1); },
               nothing, [&] { gemm_v6<<<g, 256>>>(n, a, b, c2); }, [&] { return count_bad(c1, c2, m, 1e-3f, 1e-3f) + !any_nonzero(c1, m); });
}
