#include "harness.h"
// Pair energy with a general n-m (Mie) potential used with n = 12, m = 6; all pairs, j range split over blockIdx.y.
__global__ void mie_a(const float4* __restrict__ p, float* __restrict__ e, int n, float sigma, float eps, float pn, float pm) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, c = n / gridDim.y, j0 = blockIdx.y * c; float4 a = p[i]; float s = 0;
  for (int j = j0; j < j0 + c; j++) {
    float4 b = p[j]; float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, r = sqrtf(dx * dx + dy * dy + dz * dz);
    if (j != i) s += 4.0f * eps * (powf(sigma / r, pn) - powf(sigma / r, pm));
  }
  e[blockIdx.y * n + i] = s;
}
__global__ void mie_b(const float4* __restrict__ p, float* __restrict__ e, int n, float sigma, float eps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, c = n / gridDim.y, j0 = blockIdx.y * c; float4 a = p[i]; float s = 0, s2 = sigma * sigma;
  for (int j = j0; j < j0 + c; j++) {
    float4 b = p[j]; float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, r2 = dx * dx + dy * dy + dz * dz;
    float q = __fdividef(s2, r2), q6 = q * q * q;
    if (j != i) s += 4.0f * eps * (q6 * q6 - q6);
  }
  e[blockIdx.y * n + i] = s;
}
__global__ void place(float4* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = make_float4(1.1f * (i % 32) + 0.05f * (h32(i) % 7) / 7, 1.1f * (i / 32 % 32), 1.1f * (i / 1024), 0); }
int main(int argc, char** argv) {
  const int n = 16896, S = 8; float4* p = (float4*)dalloc<float>(4 * n); float *e1 = dalloc<float>(S * n), *e2 = dalloc<float>(S * n); place<<<n / 128, 128>>>(p, n);
  dim3 g(n / 128, S);
  return bench(argc, argv, "lj_pow", "mie_a", "mie_b", nothing, [&] { mie_a<<<g, 128>>>(p, e1, n, 1.0f, 0.7f, 12.0f, 6.0f); },
               nothing, [&] { mie_b<<<g, 128>>>(p, e2, n, 1.0f, 0.7f); }, [&] { return count_bad(e1, e2, S * n, 3e-3f, 3e-3f) + !any_nonzero(e1, n); });
}
