#include "harness.h"
#include "gemm_kernels.h"
int main(int argc, char** argv) {
  const int n = 3072; size_t m = (size_t)n * n;
  float *a = dalloc<float>(m), *b = dalloc<float>(m), *c1 = dalloc<float>(m), *c2 = dalloc<float>(m);
  fill_uniform(a, m, -1, 1, 1); fill_uniform(b, m, -1, 1, 2);
  return bench(argc, argv, "sgemm_smem", "gemm_v3", "gemm_v5", nothing, [&] { gemm_v3<<<dim3(n / 32, n / 32), 1024>>>(n, a, b, c1); },
               nothing, [&] { gemm_v5<<<dim3(n / 128, n / 128), 256>>>(n, a, b, c2); }, [&] { return count_bad(c1, c2, m, 1e-3f, 1e-3f) + !any_nonzero(c1, m); });
}
