#include "harness.h"
// Softmax over a large vocabulary, one block per row.
constexpr int T = 256;
__device__ __forceinline__ float bmax(float v, float* s) { s[threadIdx.x] = v; __syncthreads(); for (int k = T / 2; k; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]); __syncthreads(); } v = s[0]; __syncthreads(); return v; }
__device__ __forceinline__ float bsum(float v, float* s) { s[threadIdx.x] = v; __syncthreads(); for (int k = T / 2; k; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); } v = s[0]; __syncthreads(); return v; }
__global__ void probs_a(const float* __restrict__ x, float* __restrict__ y, int V) {
  __shared__ float s[T]; const float* p = x + (size_t)blockIdx.x * V; float* q = y + (size_t)blockIdx.x * V;
  float m = -1e30f, d = 0;
#pragma unroll 8
  for (int i = threadIdx.x; i < V; i += T) m = fmaxf(m, p[i]);
  m = bmax(m, s);
#pragma unroll 8
  for (int i = threadIdx.x; i < V; i += T) d += __expf(p[i] - m);
  d = 1.0f / bsum(d, s);
#pragma unroll 8
  for (int i = threadIdx.x; i < V; i += T) q[i] = __expf(p[i] - m) * d;
}
__global__ void probs_b(const float* __restrict__ x, float* __restrict__ y, int V) {
  __shared__ float s[T]; const float* p = x + (size_t)blockIdx.x * V; float* q = y + (size_t)blockIdx.x * V;
  float m = -1e30f, d = 0;
#pragma unroll 8
  for (int i = threadIdx.x; i < V; i += T) { float v = p[i], n = fmaxf(m, v); d = d * __expf(m - n) + __expf(v - n); m = n; }
  float M = bmax(m, s); d = 1.0f / bsum(d * __expf(m - M), s);
#pragma unroll 8
  for (int i = threadIdx.x; i < V; i += T) q[i] = __expf(p[i] - M) * d;
}
int main(int argc, char** argv) {
  const int V = 128000, R = 528; size_t n = (size_t)V * R; float *x = dalloc<float>(n), *y1 = dalloc<float>(n), *y2 = dalloc<float>(n); fill_uniform(x, n, -6, 6, 1);
  return bench(argc, argv, "vocab_softmax", "probs_a", "probs_b", nothing, [&] { probs_a<<<R, T>>>(x, y1, V); },
               nothing, [&] { probs_b<<<R, T>>>(x, y2, V); }, [&] { return count_bad(y1, y2, n, 1e-3f, 1e-10f) + !any_nonzero(y1, n); });
}
