// Solves a symmetric 12 by 12 system in each thread (Cholesky). The launch bounds request full occupancy.
// launch: solve<<<ceil(n / block), 256>>>(matrices, right, solutions, n)
#if __CUDA_ARCH__ == 750
#define FULL 4  // blocks of 256 threads that fill an SM
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
#define FULL 6
#else
#define FULL 8
#endif
#define M 12
#define AT(i, j) ((i) * ((i) + 1) / 2 + (j))  // element (i, j) of the lower triangle, row by row
extern "C" __global__ void __launch_bounds__(256, FULL) solve(const float* __restrict__ matrices, const float* __restrict__ right,
                                                        float* __restrict__ solutions, int n) {
  int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= n) return;
  float a[AT(M, 0)], x[M];
#pragma unroll
  for (int e = 0; e < AT(M, 0); ++e) a[e] = matrices[(size_t)e * n + system];
#pragma unroll
  for (int i = 0; i < M; ++i) x[i] = right[(size_t)i * n + system];
#pragma unroll
  for (int k = 0; k < M; ++k) {  // a becomes L, with 1 / L(k, k) on the diagonal; x becomes L^-1 x
    a[AT(k, k)] = rsqrtf(a[AT(k, k)]);
    x[k] *= a[AT(k, k)];
#pragma unroll
    for (int i = k + 1; i < M; ++i) a[AT(i, k)] *= a[AT(k, k)];
#pragma unroll
    for (int i = k + 1; i < M; ++i) {
      x[i] -= a[AT(i, k)] * x[k];
#pragma unroll
      for (int j = k + 1; j <= i; ++j) a[AT(i, j)] -= a[AT(i, k)] * a[AT(j, k)];
    }
  }
#pragma unroll
  for (int k = M - 1; k >= 0; --k) {  // x becomes L^-T x
#pragma unroll
    for (int i = k + 1; i < M; ++i) x[k] -= a[AT(i, k)] * x[i];
    x[k] *= a[AT(k, k)];
    solutions[(size_t)k * n + system] = x[k];
  }
}
