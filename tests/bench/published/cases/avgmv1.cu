#include "harness.h"
#include "avgmv.h"
int main(int argc, char** argv) {
  const int M = 512, N = 16; size_t n = (size_t)L * M * N;
  float *in = dalloc<float>(n), *mat = dalloc<float>(L * L), *o1 = dalloc<float>(L * N), *o2 = dalloc<float>(L * N);
  fill_uniform(in, n, 0, 1, 1); fill_uniform(mat, L * L, 0, 1, 2);
  return bench(argc, argv, "avgmv1", "avgmv_v1", "avgmv_v2", nothing, [&] { avgmv_v1<<<1, L>>>(in, o1, mat, M, N); },
               nothing, [&] { avgmv_v2<<<N, L>>>(in, o2, mat, M, N); }, [&] { return count_bad(o1, o2, L * N, 1e-3f, 1e-3f) + !any_nonzero(o1, L * N); });
}
