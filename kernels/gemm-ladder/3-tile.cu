// C = A B: a block loads 32 by 32 tiles into shared memory and computes 32 by 32 elements of C, one per thread.
// launch: gemm<<<(n / 32, n / 32), (32, 32)>>>(a, b, c, n)
#define TILE 32
extern "C" __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int col = blockIdx.x * TILE + x;
  const int row = blockIdx.y * TILE + y;
  float sum = 0.0f;
  for (int t = 0; t < n; t += TILE) {
    as[y][x] = a[(size_t)row * n + t + x];
    bs[y][x] = b[(size_t)(t + y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[(size_t)row * n + col] = sum;
}
