#include "harness.h"
__global__ void rms_norm_w(const float* __restrict__ x, float* __restrict__ y, int cols, float eps) {
  const float* p = x + (size_t)blockIdx.x * cols; float* q = y + (size_t)blockIdx.x * cols; float s = 0;
  for (int c = threadIdx.x; c < cols; c += 32) { float v = p[c]; s += v * v; }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  float k = rsqrtf(s / cols + eps);
  for (int c = threadIdx.x; c < cols; c += 32) q[c] = k * p[c];
}
__global__ void rms_norm_b(const float* __restrict__ x, float* __restrict__ y, int cols, float eps) {
  __shared__ float sh[32];
  const float* p = x + (size_t)blockIdx.x * cols; float* q = y + (size_t)blockIdx.x * cols; float s = 0;
  for (int c = threadIdx.x; c < cols; c += 1024) { float v = p[c]; s += v * v; }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = s;
  __syncthreads();
  s = sh[threadIdx.x & 31];
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  float k = rsqrtf(s / cols + eps);
  for (int c = threadIdx.x; c < cols; c += 1024) q[c] = k * p[c];
}
int main(int argc, char** argv) {
  const int R = 32, C = 16384; size_t n = (size_t)R * C;
  float *a = dalloc<float>(n), *o1 = dalloc<float>(n), *o2 = dalloc<float>(n); fill_uniform(a, n, -2, 2, 3);
  return bench(argc, argv, "rmsnorm_decode", "rms_norm_w", "rms_norm_b", nothing, [&] { rms_norm_w<<<R, 32>>>(a, o1, C, 1e-6f); },
               nothing, [&] { rms_norm_b<<<R, 1024>>>(a, o2, C, 1e-6f); }, [&] { return count_bad(o1, o2, n, 1e-4f, 1e-6f) + !any_nonzero(o1, n); });
}
