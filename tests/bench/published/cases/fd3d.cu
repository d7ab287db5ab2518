#include "harness.h"
// 3D finite difference sweep along z with a register queue of 2R+1 planes per thread.
constexpr int R = 12;
__constant__ float cz[R + 1];
__device__ __forceinline__ void sweep(const float* __restrict__ u, const float* __restrict__ c2, float* __restrict__ o, int nx, int ny, int nz) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 4 || x >= nx - 4 || y < 4 || y >= ny - 4) return;
  size_t pl = (size_t)nx * ny; const float* p = u + (size_t)y * nx + x;
  float q[2 * R + 1];
#pragma unroll
  for (int k = 0; k < 2 * R; k++) q[k + 1] = p[k * pl];
#pragma unroll 1
  for (int z = R; z < nz - R; z++) {
#pragma unroll
    for (int k = 0; k < 2 * R; k++) q[k] = q[k + 1];
    q[2 * R] = p[(size_t)(z + R) * pl];
    float s = 3.0f * cz[0] * q[R];
#pragma unroll
    for (int k = 1; k <= R; k++) s += cz[k] * (q[R - k] + q[R + k]);
    const float* w = p + (size_t)z * pl;
#pragma unroll
    for (int k = 1; k <= 4; k++) s += cz[k] * (w[k] + w[-k] + w[k * nx] + w[-k * nx]);
    size_t g = (size_t)z * pl + (size_t)y * nx + x;
    o[g] = 2.0f * q[R] + c2[g] * s;
  }
}
__global__ void __launch_bounds__(256, 8) wave_a(const float* __restrict__ u, const float* __restrict__ c2, float* __restrict__ o, int nx, int ny, int nz) { sweep(u, c2, o, nx, ny, nz); }
__global__ void __launch_bounds__(256) wave_b(const float* __restrict__ u, const float* __restrict__ c2, float* __restrict__ o, int nx, int ny, int nz) { sweep(u, c2, o, nx, ny, nz); }
int main(int argc, char** argv) {
  const int nx = 768, ny = 768, nz = 192; size_t n = (size_t)nx * ny * nz;
  float h[R + 1]; for (int k = 0; k <= R; k++) h[k] = (k & 1 ? 1.f : -1.f) / (1 + k * k); CK(cudaMemcpyToSymbol(cz, h, sizeof h));
  float *u = dalloc<float>(n), *c2 = dalloc<float>(n), *o1 = dalloc<float>(n), *o2 = dalloc<float>(n); fill_uniform(u, n, -1, 1, 1); fill_uniform(c2, n, 0.1f, 0.2f, 2);
  dim3 g(nx / 32, ny / 8), b(32, 8);
  return bench(argc, argv, "fd3d", "wave_a", "wave_b", nothing, [&] { wave_a<<<g, b>>>(u, c2, o1, nx, ny, nz); },
               nothing, [&] { wave_b<<<g, b>>>(u, c2, o2, nx, ny, nz); }, [&] { return count_bad(o1, o2, n, 1e-4f, 1e-4f) + !any_nonzero(o1 + n / 2, n / 4); });
}
