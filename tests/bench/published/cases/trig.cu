#include "harness.h"
// Synthesis of a tone at late times: phase arguments of several hundred thousand radians.
__global__ void tone_a(const float* __restrict__ ph, const float* __restrict__ amp, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = amp[i] * sinf(ph[i]) + 0.5f * cosf(ph[i] * 2.0f);
}
__device__ __forceinline__ float red(float x) { float k = rintf(x * 0.15915494f); float r = fmaf(k, -6.28318548202514648f, x); r = fmaf(k, 1.74845560007e-7f, r); return r; }
__global__ void tone_b(const float* __restrict__ ph, const float* __restrict__ amp, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = amp[i] * sinf(red(ph[i])) + 0.5f * cosf(red(ph[i] * 2.0f));
}
int main(int argc, char** argv) {
  const int n = 1 << 24; float *p = dalloc<float>(n), *a = dalloc<float>(n), *o1 = dalloc<float>(n), *o2 = dalloc<float>(n); fill_uniform(p, n, 2e5f, 8e5f, 1); fill_uniform(a, n, 0, 1, 2);
  return bench(argc, argv, "trig", "tone_a", "tone_b", nothing, [&] { tone_a<<<n / 256, 256>>>(p, a, o1, n); },
               nothing, [&] { tone_b<<<n / 256, 256>>>(p, a, o2, n); }, [&] { return count_bad(o1, o2, n, 1e-3f, 1e-4f) + !any_nonzero(o1, n); });
}
