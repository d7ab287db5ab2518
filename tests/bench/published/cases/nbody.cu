#include "harness.h"
__device__ __forceinline__ void body(float4 a, float4 b, float3& f) {
  float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z, r2 = dx * dx + dy * dy + dz * dz + 0.01f;
  float iv = rsqrtf(r2), s = b.w * iv * iv * iv;
  f.x += dx * s; f.y += dy * s; f.z += dz * s;
}
// positions and masses as four separate arrays, as in the forum question
__global__ void forces_a(int n, const float* gm, const float* gx, const float* gy, const float* gz, float* fx, float* fy, float* fz) {
  int tid = blockDim.x * blockIdx.x + threadIdx.x, nt = blockDim.x * gridDim.x;
  for (int ia = tid; ia < n; ia += nt) {
    float lx = 0, ly = 0, lz = 0;
    for (int ib = 0; ib < n; ib++) {
      float dx = gx[ib] - gx[ia], dy = gy[ib] - gy[ia], dz = gz[ib] - gz[ia];
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f, iv = rsqrtf(r2), s = gm[ib] * iv * iv * iv;
      lx += dx * s; ly += dy * s; lz += dz * s;
    }
    fx[ia] = lx; fy[ia] = ly; fz[ia] = lz;
  }
}
__global__ void forces_b(int n, const float4* __restrict__ p, float* __restrict__ fx, float* __restrict__ fy, float* __restrict__ fz) {
  __shared__ float4 sh[256];
  int i = blockIdx.x * 256 + threadIdx.x; float4 me = p[i]; float3 f = {0, 0, 0};
  for (int t = 0; t < n; t += 256) {
    sh[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int j = 0; j < 256; j++) body(me, sh[j], f);
    __syncthreads();
  }
  fx[i] = f.x; fy[i] = f.y; fz[i] = f.z;
}
__global__ void pack(const float* m, const float* x, const float* y, const float* z, float4* p, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) p[i] = make_float4(x[i], y[i], z[i], m[i]); }
int main(int argc, char** argv) {
  const int n = 67584;  // 264 * 256
  float* v[4]; for (int k = 0; k < 4; k++) { v[k] = dalloc<float>(n); fill_uniform(v[k], n, k ? -10 : 0.1f, k ? 10 : 1, k + 1); }
  float4* p = (float4*)dalloc<float>(4 * n); pack<<<n / 256, 256>>>(v[0], v[1], v[2], v[3], p, n);
  float *f1 = dalloc<float>(3 * n), *f2 = dalloc<float>(3 * n);
  return bench(argc, argv, "nbody", "forces_a", "forces_b", nothing, [&] { forces_a<<<n / 256, 256>>>(n, v[0], v[1], v[2], v[3], f1, f1 + n, f1 + 2 * n); },
               nothing, [&] { forces_b<<<n / 256, 256>>>(n, p, f2, f2 + n, f2 + 2 * n); }, [&] { return count_bad(f1, f2, 3 * n, 1e-3f, 1e-2f) + !any_nonzero(f1, n); });
}
