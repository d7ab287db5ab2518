// The same scores with 8 by 8 per thread; the next tile is loaded while the current one is used.
// launch: scores<<<(n / 128, n / 128), 256>>>(queries, points, score, n)
#define DIMENSIONS 256
#define K 16
extern "C" __global__ void __launch_bounds__(256, 2) scores(const float* __restrict__ queries, const float* __restrict__ points,
                                                            float* __restrict__ score, int n) {
  __shared__ __align__(16) float qs[2][K][128], ps[2][K][128];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  // Sums of 4 rows from here and 4 rows 16 further on, and of 4 columns from here and 4 columns 32 further on. Adjacent
  // lanes share their columns, so they read the same bytes: a 16-byte load takes two wavefronts.
  int row = warp / 2 * 32 + (lane / 16 * 2 + lane % 2) * 4, col = warp % 2 * 64 + lane / 2 % 8 * 4;
  const float* from_q = queries + (size_t)warp * n + blockIdx.y * 128 + lane * 4;
  const float* from_p = points + (size_t)warp * n + blockIdx.x * 128 + lane * 4;
  float4 vq[2], vp[2];
  float sum[8][8] = {};

  auto fetch = [&](int k0) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      vq[h] = *(const float4*)(from_q + (size_t)(k0 + h * 8) * n);
      vp[h] = *(const float4*)(from_p + (size_t)(k0 + h * 8) * n);
    }
  };
  auto keep = [&](int s) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      *(float4*)&qs[s][warp + h * 8][lane * 4] = vq[h];
      *(float4*)&ps[s][warp + h * 8][lane * 4] = vp[h];
    }
  };

  fetch(0);
  keep(0);
  __syncthreads();
  for (int k0 = 0, s = 0; k0 < DIMENSIONS; k0 += K, s ^= 1) {
    bool more = k0 + K < DIMENSIONS;
    if (more) fetch(k0 + K);
#pragma unroll
    for (int k = 0; k < K; ++k) {
      float x[8], y[8];
      *(float4*)&x[0] = *(float4*)&qs[s][k][row];
      *(float4*)&x[4] = *(float4*)&qs[s][k][row + 16];
      *(float4*)&y[0] = *(float4*)&ps[s][k][col];
      *(float4*)&y[4] = *(float4*)&ps[s][k][col + 32];
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
    float* to = score + (size_t)(blockIdx.y * 128 + row + i / 4 * 16 + i % 4) * n + blockIdx.x * 128 + col;
    *(float4*)to = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    *(float4*)(to + 32) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
  }
}
