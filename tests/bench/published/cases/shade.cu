#include "harness.h"
// Material evaluation for path-tracer hits; eight material models.
__device__ __forceinline__ float eval(int m, float x) {
  float r = x;
  switch (m) {
    case 0: for (int k = 0; k < 40; k++) r = fmaf(r, 0.97f, __sinf(r * 1.7f) * 0.1f); break;
    case 1: for (int k = 0; k < 40; k++) r = sqrtf(fabsf(r) + 0.3f) * 0.8f + 0.01f * k; break;
    case 2: for (int k = 0; k < 40; k++) r = __expf(-r * r) + 0.5f * r; break;
    case 3: for (int k = 0; k < 40; k++) r = r * 0.9f + __fdividef(0.2f, 1.0f + r * r); break;
    case 4: for (int k = 0; k < 40; k++) r = __cosf(r) * 0.7f + rsqrtf(1.0f + r * r) * 0.2f; break;
    case 5: for (int k = 0; k < 40; k++) r = __logf(1.5f + fabsf(r)) + 0.25f * r; break;
    case 6: for (int k = 0; k < 40; k++) r = fmaf(r, r, -0.4f) * 0.6f + __fdividef(r, 2.0f + fabsf(r)); break;
    default: for (int k = 0; k < 40; k++) r = fmaxf(fminf(r * 1.1f - 0.05f, 0.9f), -0.9f) + 0.02f * __sinf(r + k); break;
  }
  return r;
}
__global__ void shade_a(const uint32_t* __restrict__ mat, const float* __restrict__ hit, float* __restrict__ rad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) rad[i] = eval(mat[i], hit[i]);
}
__global__ void shade_b(const uint32_t* __restrict__ queue, const uint32_t* __restrict__ mat, const float* __restrict__ hit, float* __restrict__ rad, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x; if (t < n) { int i = queue[t]; rad[i] = eval(mat[i], hit[i]); }
}
int main(int argc, char** argv) {
  const int n = 1 << 22; uint32_t *mat = dalloc<uint32_t>(n), *q = dalloc<uint32_t>(n); float *hit = dalloc<float>(n), *r1 = dalloc<float>(n), *r2 = dalloc<float>(n);
  fill_uint(mat, n, 8, 11); fill_uniform(hit, n, -0.8f, 0.8f, 12);
  std::vector<uint32_t> hm(n), hq; hq.reserve(n); CK(cudaMemcpy(hm.data(), mat, n * 4, cudaMemcpyDeviceToHost));
  for (unsigned m = 0; m < 8; m++) for (int i = 0; i < n; i++) if (hm[i] == m) hq.push_back(i);
  CK(cudaMemcpy(q, hq.data(), n * 4, cudaMemcpyHostToDevice));
  return bench(argc, argv, "shade", "shade_a", "shade_b", nothing, [&] { shade_a<<<n / 256, 256>>>(mat, hit, r1, n); },
               nothing, [&] { shade_b<<<n / 256, 256>>>(q, mat, hit, r2, n); }, [&] { return count_bad(r1, r2, n, 1e-3f, 1e-4f) + !any_nonzero(r1, n); });
}
