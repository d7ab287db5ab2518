// C = A B, one element of C per thread. All matrices are row-major.
// launch: gemm<<<(n / 32, n / 32), (32, 32)>>>(a, b, c, n)
extern "C" __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  const int row = blockIdx.x * 32 + threadIdx.x;
  const int col = blockIdx.y * 32 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[(size_t)row * n + k] * b[(size_t)k * n + col];  // slow: here
  c[(size_t)row * n + col] = sum;
}
