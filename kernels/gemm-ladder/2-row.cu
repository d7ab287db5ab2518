// C = A B, one element of C per thread; the lanes of a warp are adjacent in a row of C.
// launch: gemm<<<(n / 32, n / 32), (32, 32)>>>(a, b, c, n)
extern "C" __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[(size_t)row * n + k] * b[(size_t)k * n + col];
  c[(size_t)row * n + col] = sum;
}
