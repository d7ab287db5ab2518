// A tiled matrix product with one output per thread: more shared loads than multiply-adds can hide.
#define T 32
extern "C" __global__ void gemm_one_output(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float as[T][T], bs[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float s = 0.f;
  for (int t = 0; t < n; t += T) {
    as[threadIdx.y][threadIdx.x] = a[(size_t)row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(size_t)(t + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; ++k) s += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[(size_t)row * n + col] = s;
}
