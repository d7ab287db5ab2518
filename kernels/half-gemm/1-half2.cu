// C = A B in half precision: blocks of 128 by 128, 8 by 8 outputs per thread, products in pairs (half2). Half sums
// lose accuracy, so every 32 products are added in single precision. n is a multiple of 128.
// launch: gemm<<<(n / 128, n / 128), 256>>>(a, b, c, n)
#include <cuda_fp16.h>
#define BM 128
#define BN 128
#define BK 32

extern "C" __global__ void __launch_bounds__(256, 2) gemm(const __half* __restrict__ a, const __half* __restrict__ b,
                                                       float* __restrict__ c, int n) {
  __shared__ __align__(16) __half as[BK][BM + 8];  // a tile of A, transposed: a thread's eight rows are contiguous
  __shared__ __align__(16) __half bs[BK][BN];
  int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  a += (size_t)blockIdx.y * BM * n;
  b += blockIdx.x * BN;
  float sum[8][8] = {};
  for (int t = 0; t < n; t += BK) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int chunk = tid + 256 * i, ar = tid / 2, ak = tid % 2 * 8 + 16 * i, br = chunk / 16, bc = chunk % 16 * 8;
      uint4 va = *(const uint4*)(a + (size_t)ar * n + t + ak);
      const __half* h = (const __half*)&va;
#pragma unroll
      for (int j = 0; j < 8; ++j) as[ak + j][ar] = h[j];
      *(uint4*)&bs[br][bc] = *(const uint4*)(b + (size_t)(t + br) * n + bc);
    }
    __syncthreads();
    __half2 part[8][4] = {};
#pragma unroll 4
    for (int k = 0; k < BK; ++k) {
      uint4 ra = *(const uint4*)&as[k][ty * 8], rb = *(const uint4*)&bs[k][tx * 8];
      const __half* ha = (const __half*)&ra;
      const __half2* hb = (const __half2*)&rb;
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) part[i][j] = __hfma2(__half2half2(ha[i]), hb[j], part[i][j]);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        sum[i][2 * j] += __low2float(part[i][j]);
        sum[i][2 * j + 1] += __high2float(part[i][j]);
      }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float* row = c + (size_t)(blockIdx.y * BM + ty * 8 + i) * n + blockIdx.x * BN + tx * 8;
    *(float4*)row = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    *(float4*)(row + 4) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
  }
}
