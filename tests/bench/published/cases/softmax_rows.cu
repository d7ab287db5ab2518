#include "harness.h"
__global__ void softmax_a(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return;
  const float* p = in + (size_t)r * cols; float* q = out + (size_t)r * cols;
  float m = -INFINITY, s = 0;
  for (int c = 0; c < cols; c++) m = fmaxf(m, p[c]);
  for (int c = 0; c < cols; c++) s += __expf(p[c] - m);
  for (int c = 0; c < cols; c++) q[c] = __expf(p[c] - m) / s;
}
__global__ void softmax_b(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  __shared__ float sh[256];
  int t = threadIdx.x; const float* p = in + (size_t)blockIdx.x * cols; float* q = out + (size_t)blockIdx.x * cols;
  float m = -INFINITY, s = 0;
  for (int c = t; c < cols; c += 256) m = fmaxf(m, p[c]);
  sh[t] = m; __syncthreads();
  for (int k = 128; k; k >>= 1) { if (t < k) sh[t] = fmaxf(sh[t], sh[t + k]); __syncthreads(); }
  m = sh[0]; __syncthreads();
  for (int c = t; c < cols; c += 256) s += __expf(p[c] - m);
  sh[t] = s; __syncthreads();
  for (int k = 128; k; k >>= 1) { if (t < k) sh[t] += sh[t + k]; __syncthreads(); }
  s = sh[0];
  for (int c = t; c < cols; c += 256) q[c] = __expf(p[c] - m) / s;
}
int main(int argc, char** argv) {
  const int R = 4096, C = 4096; size_t n = (size_t)R * C;
  float *a = dalloc<float>(n), *o1 = dalloc<float>(n), *o2 = dalloc<float>(n); fill_uniform(a, n, -4, 4, 3);
  return bench(argc, argv, "softmax_rows", "softmax_a", "softmax_b", nothing, [&] { softmax_a<<<R / 256, 256>>>(a, o1, R, C); },
               nothing, [&] { softmax_b<<<R, 256>>>(a, o2, R, C); }, [&] { return count_bad(o1, o2, n, 1e-3f, 1e-8f) + !any_nonzero(o1, n); });
}
