// C = A B: 128 by 128 elements of C per block, 8 by 8 contiguous ones per thread, kept in registers.
// launch: gemm<<<(n / 128, n / 128), 256>>>(a, b, c, n)
#define BM 128
#define BN 128
#define BK 8
extern "C" __global__ void __launch_bounds__(256) gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float as[BK][BM], bs[BK][BN];
  const int t = threadIdx.x, x = t % 16 * 8, y = t / 16 * 8;
  const int row = blockIdx.y * BM, col = blockIdx.x * BN;
  float sum[8][8] = {};
  for (int k0 = 0; k0 < n; k0 += BK) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      as[t % BK][t / BK + 32 * j] = a[(size_t)(row + t / BK + 32 * j) * n + k0 + t % BK];  // slow: here
      bs[t / BN + 2 * j][t % BN] = b[(size_t)(k0 + t / BN + 2 * j) * n + col + t % BN];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[8], rb[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) ra[i] = as[k][y + i];
#pragma unroll
      for (int j = 0; j < 8; ++j) rb[j] = bs[k][x + j];  // slow: here
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) c[(size_t)(row + y + i) * n + col + x + j] = sum[i][j];
}
