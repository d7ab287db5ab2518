#include "harness.h"
// Explicit Euler steps of a relaxation equation, all data single precision.
__global__ void relax_a(const float* __restrict__ x0, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  float x = x0[i], v = 0;
  for (int k = 0; k < 32; k++) { v = 0.9 * v + 0.02 * (1.0 - x * x * 0.3333); x = x + 0.05 * v - 0.001 * x; }
  out[i] = x;
}
__global__ void relax_b(const float* __restrict__ x0, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  float x = x0[i], v = 0;
  for (int k = 0; k < 32; k++) { v = 0.9f * v + 0.02f * (1.0f - x * x * 0.3333f); x = x + 0.05f * v - 0.001f * x; }
  out[i] = x;
}
int main(int argc, char** argv) {
  const int n = 1 << 24; float *x = dalloc<float>(n), *o1 = dalloc<float>(n), *o2 = dalloc<float>(n); fill_uniform(x, n, 0.5f, 2, 1);
  return bench(argc, argv, "logistic", "relax_a", "relax_b", nothing, [&] { relax_a<<<n / 256, 256>>>(x, o1, n); },
               nothing, [&] { relax_b<<<n / 256, 256>>>(x, o2, n); }, [&] { return count_bad(o1, o2, n, 1e-4f, 1e-5f) + !any_nonzero(o1, n); });
}
