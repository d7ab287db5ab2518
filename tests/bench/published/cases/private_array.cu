#include "harness.h"
// A 32-entry work array per thread, walked in a data-dependent order that differs between threads.
constexpr int N = 32, TB = 128, STEPS = 96;
__global__ void walk_a(const uint32_t* __restrict__ seed, float* __restrict__ out, int n) {
  int t = blockIdx.x * TB + threadIdx.x; uint32_t x = seed[t]; float a[N];
  for (int i = 0; i < N; i++) a[i] = (float)((x >> (i & 15)) & 255) + i;
  float acc = 0;
#pragma unroll 1
  for (int s = 0; s < STEPS; s++) { x = x * 1664525u + 1013904223u; int i = x >> 27; float v = a[i]; acc = acc * 0.5f + v; a[i] = v * 0.75f + 1.0f; }
  out[t] = acc;
}
__global__ void walk_b(const uint32_t* __restrict__ seed, float* __restrict__ out, int n) {
  __shared__ float a[N][TB];
  int t = blockIdx.x * TB + threadIdx.x, l = threadIdx.x; uint32_t x = seed[t];
  for (int i = 0; i < N; i++) a[i][l] = (float)((x >> (i & 15)) & 255) + i;
  float acc = 0;
#pragma unroll 1
  for (int s = 0; s < STEPS; s++) { x = x * 1664525u + 1013904223u; int i = x >> 27; float v = a[i][l]; acc = acc * 0.5f + v; a[i][l] = v * 0.75f + 1.0f; }
  out[t] = acc;
}
int main(int argc, char** argv) {
  const int n = 1 << 21; uint32_t* s = dalloc<uint32_t>(n); float *o1 = dalloc<float>(n), *o2 = dalloc<float>(n); fill_uint(s, n, 0, 6);
  return bench(argc, argv, "private_array", "walk_a", "walk_b", nothing, [&] { walk_a<<<n / TB, TB>>>(s, o1, n); },
               nothing, [&] { walk_b<<<n / TB, TB>>>(s, o2, n); }, [&] { return count_bad(o1, o2, n, 1e-5f, 1e-5f) + !any_nonzero(o1, n); });
}
