// C = A B in single precision, 128 by 128 per block, 16 by 8 outputs per thread, 16-byte loads, two buffers of
// shared memory: the next tiles are loaded while the current ones are multiplied. n is a multiple of 128.
// launch: gemm<<<(n / 128, n / 128), 128>>>(a, b, c, n)
#define BM 128
#define BN 128
#define BK 8
#define PAD 4  // the transposed stores of A then use different banks

extern "C" __global__ void __launch_bounds__(128, 2) gemm(const float* __restrict__ a, const float* __restrict__ b,
                                                          float* __restrict__ c, int n) {
  __shared__ __align__(16) float as[2][BK][BM + PAD], bs[2][BK][BN];
  int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  // A warp computes 64 rows by 64 columns: four strips of four rows, two strips of four columns per thread.
  int row = warp / 2 * 64 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4;
  int ar = tid / 2, ak = tid % 2 * 4, bk = tid / 32, bc = tid % 32 * 4;
  const float* from_a = a + (size_t)(blockIdx.y * BM + ar) * n + ak;
  const float* from_b = b + (size_t)bk * n + blockIdx.x * BN + bc;
  float4 va[2], vb[2];
  auto fetch = [&](int t) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      va[i] = *(const float4*)(from_a + (size_t)(64 * i) * n + t);
      vb[i] = *(const float4*)(from_b + (size_t)(4 * i + t) * n);
    }
  };
  auto keep = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int r = ar + 64 * i;
      as[buffer][ak][r] = va[i].x, as[buffer][ak + 1][r] = va[i].y;
      as[buffer][ak + 2][r] = va[i].z, as[buffer][ak + 3][r] = va[i].w;
      *(float4*)&bs[buffer][bk + 4 * i][bc] = vb[i];
    }
  };
  float sum[16][8] = {};
  fetch(0);
  keep(0);
  __syncthreads();
  for (int t = BK, buffer = 0; t <= n; t += BK, buffer ^= 1) {
    if (t < n) fetch(t);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[16], rb[8];
#pragma unroll
      for (int i = 0; i < 4; ++i) *(float4*)&ra[4 * i] = *(const float4*)&as[buffer][k][row + 16 * i];
      *(float4*)&rb[0] = *(const float4*)&bs[buffer][k][column];
      *(float4*)&rb[4] = *(const float4*)&bs[buffer][k][column + 32];
#pragma unroll
      for (int i = 0; i < 16; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] = fmaf(ra[i], rb[j], sum[i][j]);
    }
    if (t < n) {
      keep(buffer ^ 1);
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    float* to = c + (size_t)(blockIdx.y * BM + row + i / 4 * 16 + i % 4) * n + blockIdx.x * BN + column;
    *(float4*)to = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    *(float4*)(to + 32) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
  }
}
