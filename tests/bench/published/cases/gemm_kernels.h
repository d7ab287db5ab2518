#pragma once
// C = A*B, row-major n x n; successive textbook versions written from their descriptions.
__global__ void gemm_v1(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  float acc = 0;
  for (int k = 0; k < n; k++) acc += A[row * n + k] * B[k * n + col];
  C[row * n + col] = acc;
}
__global__ void gemm_v2(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int row = blockIdx.x * 32 + threadIdx.x / 32, col = blockIdx.y * 32 + threadIdx.x % 32;
  float acc = 0;
  for (int k = 0; k < n; k++) acc += A[row * n + k] * B[k * n + col];
  C[row * n + col] = acc;
}
__global__ void gemm_v3(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  __shared__ float as[32 * 32], bs[32 * 32];
  int tr = threadIdx.x / 32, tc = threadIdx.x % 32;
  const float* a = A + (size_t)blockIdx.y * 32 * n; const float* b = B + blockIdx.x * 32;
  float acc = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    as[tr * 32 + tc] = a[(size_t)tr * n + k0 + tc];
    bs[tr * 32 + tc] = b[(size_t)(k0 + tr) * n + tc];
    __syncthreads();
    for (int k = 0; k < 32; k++) acc += as[tr * 32 + k] * bs[k * 32 + tc];
    __syncthreads();
  }
  C[(size_t)(blockIdx.y * 32 + tr) * n + blockIdx.x * 32 + tc] = acc;
}
__global__ void __launch_bounds__(256) gemm_v5(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  __shared__ float as[128 * 8], bs[8 * 128];
  const int tr = threadIdx.x / 16, tc = threadIdx.x % 16;
  const float* a = A + (size_t)blockIdx.y * 128 * n; const float* b = B + blockIdx.x * 128;
  float acc[8][8] = {}, ra[8], rb[8];
  for (int k0 = 0; k0 < n; k0 += 8) {
    for (int i = 0; i < 4; i++) {
      int e = threadIdx.x + i * 256;
      as[e] = a[(size_t)(e / 8) * n + k0 + e % 8];
      bs[e] = b[(size_t)(k0 + e / 128) * n + e % 128];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) {
#pragma unroll
      for (int i = 0; i < 8; i++) ra[i] = as[(tr * 8 + i) * 8 + k];
#pragma unroll
      for (int j = 0; j < 8; j++) rb[j] = bs[k * 128 + tc * 8 + j];
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) C[(size_t)(blockIdx.y * 128 + tr * 8 + i) * n + blockIdx.x * 128 + tc * 8 + j] = acc[i][j];
}
