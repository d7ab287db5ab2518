#include "harness.h"
#include "gemm_kernels.h"
int main(int argc, char** argv) {
  const int n = 1024; size_t m = (size_t)n * n;
  float *a = dalloc<float>(m), *b = dalloc<float>(m), *c1 = dalloc<float>(m), *c2 = dalloc<float>(m);
  fill_uniform(a, m, -1, 1, 1); fill_uniform(b, m, -1, 1, 2);
  dim3 g(n / 32, n / 32);
  return bench(argc, argv, "sgemm_naive", "gemm_v1", "gemm_v2", nothing, [&] { gemm_v1<<<g, dim3(32, 32)>>>(n, a, b, c1); },
               nothing, [&] { gemm_v2<<<g, 1024>>>(n, a, b, c2); }, [&] { return count_bad(c1, c2, m, 1e-3f, 1e-3f) + !any_nonzero(c1, m); });
}
