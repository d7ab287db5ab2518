// A 128 by 128 tile of C per block, 8 by 8 elements per thread; the next tiles are loaded while this one is used.
// launch: gemm<<<(n / 128, n / 128), 256>>>(a, b, c, n)
#define K 16
extern "C" __global__ void __launch_bounds__(256, 2) gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ __align__(16) float as[2][K][132], bs[2][K][128];  // as is transposed; 4 padding words per row spread it
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  // Sums of 4 rows from here and 4 rows 16 further on, and of 4 columns from here and 4 columns 32 further on. Adjacent
  // lanes share their columns, so they read the same bytes: a 16-byte load takes two wavefronts.
  int row = warp / 2 * 32 + (lane / 16 * 2 + lane % 2) * 4, col = warp % 2 * 64 + lane / 2 % 8 * 4;
  int ar = t / 4, ak = t % 4 * 4, bk = t / 32, bc = t % 32 * 4;
  const float* from_a = a + (size_t)(blockIdx.y * 128 + ar) * n + ak;
  const float* from_b = b + (size_t)bk * n + blockIdx.x * 128 + bc;
  float4 va[2], vb[2];
  float sum[8][8] = {};

  auto fetch = [&](int k0) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      va[h] = *(const float4*)(from_a + (size_t)h * 64 * n + k0);
      vb[h] = *(const float4*)(from_b + (size_t)(k0 + h * 8) * n);
    }
  };
  auto keep = [&](int s) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      as[s][ak][ar + h * 64] = va[h].x;
      as[s][ak + 1][ar + h * 64] = va[h].y;
      as[s][ak + 2][ar + h * 64] = va[h].z;
      as[s][ak + 3][ar + h * 64] = va[h].w;
      *(float4*)&bs[s][bk + h * 8][bc] = vb[h];
    }
  };

  fetch(0);
  keep(0);
  __syncthreads();
  for (int k0 = 0, s = 0; k0 < n; k0 += K, s ^= 1) {
    bool more = k0 + K < n;
    if (more) fetch(k0 + K);
#pragma unroll
    for (int k = 0; k < K; ++k) {
      float x[8], y[8];
      *(float4*)&x[0] = *(float4*)&as[s][k][row];
      *(float4*)&x[4] = *(float4*)&as[s][k][row + 16];
      *(float4*)&y[0] = *(float4*)&bs[s][k][col];
      *(float4*)&y[4] = *(float4*)&bs[s][k][col + 32];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += x[i] * y[j];
    }
    if (more) keep(s ^ 1);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float* to = c + (size_t)(blockIdx.y * 128 + row + i / 4 * 16 + i % 4) * n + blockIdx.x * 128 + col;
    *(float4*)to = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    *(float4*)(to + 32) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
  }
}
