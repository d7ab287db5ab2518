#include "harness.h"
// Each thread walks a long series of market data and updates a path state with every value.
__device__ __forceinline__ float step(float s, float v) {
  float a = v * 0.5f + s; a = a * a * 0.25f + 0.3f; a = a * __expf(-fabsf(s) * 0.1f) + v;
  if (a > 1.5f) a = 1.5f + __logf(a) * 0.1f;
  return a * 0.7f + s * 0.2f;
}
__global__ void paths_a(const float* __restrict__ d, float* __restrict__ out, int len, int np) {
  int t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
#pragma unroll 1
  for (int c = 0; c < len; c++) s = step(s, d[(size_t)c * np + t]);
  out[t] = s;
}
constexpr int PD = 8;
__global__ void paths_b(const float* __restrict__ d, float* __restrict__ out, int len, int np) {
  int t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0, v[PD];
#pragma unroll
  for (int k = 0; k < PD; k++) v[k] = d[(size_t)k * np + t];
#pragma unroll 1
  for (int c = 0; c < len; c += PD) {
    float w[PD];
#pragma unroll
    for (int k = 0; k < PD; k++) { w[k] = v[k]; int q = c + PD + k; if (q < len) v[k] = d[(size_t)q * np + t]; }
#pragma unroll
    for (int k = 0; k < PD; k++) s = step(s, w[k]);
  }
  out[t] = s;
}
int main(int argc, char** argv) {
  const int np = 132 * 256, len = 1024; size_t n = (size_t)np * len;
  float *d = dalloc<float>(n), *o1 = dalloc<float>(np), *o2 = dalloc<float>(np); fill_uniform(d, n, -1, 1, 1);
  return bench(argc, argv, "mc_series", "paths_a", "paths_b", nothing, [&] { paths_a<<<132, 256>>>(d, o1, len, np); },
               nothing, [&] { paths_b<<<132, 256>>>(d, o2, len, np); }, [&] { return count_bad(o1, o2, np, 1e-3f, 1e-4f) + !any_nonzero(o1, np); });
}
