// Matrix product C = A B through 32 by 32 tiles in shared memory; each thread computes one element of C.
// launch: gemm<<<(n / 32, n / 32), (32, 32)>>>(a, b, c, n)
extern "C" __global__ void __launch_bounds__(1024) gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float as[32][32], bs[32][32];
  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.f;
  for (int t = 0; t < n; t += 32) {
    as[threadIdx.y][threadIdx.x] = a[(size_t)row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(size_t)(t + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];  // slow: here
    __syncthreads();
  }
  c[(size_t)row * n + col] = sum;
}
