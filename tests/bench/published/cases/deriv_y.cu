#include "harness.h"
// Eighth-order d/dy on a periodic box, whole y pencils of 64 points staged in shared memory.
constexpr int MY = 64;
__constant__ float cf[4];
template <int NP> __device__ __forceinline__ float dy8(float (*s)[NP], int sj, int si) {
  return cf[0] * (s[sj + 1][si] - s[sj - 1][si]) + cf[1] * (s[sj + 2][si] - s[sj - 2][si]) + cf[2] * (s[sj + 3][si] - s[sj - 3][si]) + cf[3] * (s[sj + 4][si] - s[sj - 4][si]);
}
__global__ void deriv_y_a(const float* __restrict__ f, float* __restrict__ df, int mx) {
  __shared__ float s[MY + 8][4];
  int i = blockIdx.x * 4 + threadIdx.x, j = threadIdx.y, k = blockIdx.y, si = threadIdx.x, sj = j + 4;
  size_t g = (size_t)k * mx * MY + (size_t)j * mx + i;
  s[sj][si] = f[g];
  __syncthreads();
  if (j < 4) { s[sj - 4][si] = s[sj + MY - 4][si]; s[sj + MY][si] = s[sj][si]; }
  __syncthreads();
  df[g] = dy8<4>(s, sj, si);
}
__global__ void deriv_y_b(const float* __restrict__ f, float* __restrict__ df, int mx) {
  __shared__ float s[MY + 8][32];
  int i = blockIdx.x * 32 + threadIdx.x, k = blockIdx.y, si = threadIdx.x;
  size_t base = (size_t)k * mx * MY + i;
  for (int j = threadIdx.y; j < MY; j += blockDim.y) s[j + 4][si] = f[base + (size_t)j * mx];
  __syncthreads();
  if (threadIdx.y < 4) { int sj = threadIdx.y + 4; s[sj - 4][si] = s[sj + MY - 4][si]; s[sj + MY][si] = s[sj][si]; }
  __syncthreads();
  for (int j = threadIdx.y; j < MY; j += blockDim.y) df[base + (size_t)j * mx] = dy8<32>(s, j + 4, si);
}
int main(int argc, char** argv) {
  const int mx = 1024, mz = 512; size_t n = (size_t)mx * MY * mz;
  float h[4] = {0.8f, -0.2f, 4.f / 105, -1.f / 280}; CK(cudaMemcpyToSymbol(cf, h, 16));
  float *f = dalloc<float>(n), *d1 = dalloc<float>(n), *d2 = dalloc<float>(n);
  fill_uniform(f, n, -1, 1, 7);
  return bench(argc, argv, "deriv_y", "deriv_y_a", "deriv_y_b", nothing, [&] { deriv_y_a<<<dim3(mx / 4, mz), dim3(4, MY)>>>(f, d1, mx); },
               nothing, [&] { deriv_y_b<<<dim3(mx / 32, mz), dim3(32, 8)>>>(f, d2, mx); }, [&] { return count_bad(d1, d2, n, 1e-5f, 1e-5f) + !any_nonzero(d1, n); });
}
