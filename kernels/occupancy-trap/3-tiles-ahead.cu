// Large tiles again, as few warps as at first: each thread fetches its part of the next tile while it computes on this one.
// launch: distances<<<(n / 128, n / 128), 256>>>(queries, points, squared, n)
#define DIMENSIONS 128
#define K 8
extern "C" __global__ void __launch_bounds__(256, 2) distances(const float* __restrict__ queries, const float* __restrict__ points,
                                                               float* __restrict__ squared, int n) {
  __shared__ __align__(16) float qs[2][K][128], ps[2][K][128];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int row = warp / 2 * 32 + lane / 8 * 4, col = warp % 2 * 64 + lane % 8 * 4;  // and 16 rows, 32 columns further
  const float* from_q = queries + (size_t)warp * n + blockIdx.y * 128 + lane * 4;
  const float* from_p = points + (size_t)warp * n + blockIdx.x * 128 + lane * 4;
  float sum[8][8] = {};
  *(float4*)&qs[0][warp][lane * 4] = *(const float4*)from_q;
  *(float4*)&ps[0][warp][lane * 4] = *(const float4*)from_p;
  __syncthreads();
  for (int k0 = 0, s = 0; k0 < DIMENSIONS; k0 += K, s ^= 1) {
    bool more = k0 + K < DIMENSIONS;
    float4 next_q, next_p;
    if (more) {
      next_q = *(const float4*)(from_q + (size_t)(k0 + K) * n);
      next_p = *(const float4*)(from_p + (size_t)(k0 + K) * n);
    }
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
        for (int j = 0; j < 8; ++j) sum[i][j] += (x[i] - y[j]) * (x[i] - y[j]);
    }
    if (more) {
      *(float4*)&qs[s ^ 1][warp][lane * 4] = next_q;
      *(float4*)&ps[s ^ 1][warp][lane * 4] = next_p;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float* to = squared + (size_t)(blockIdx.y * 128 + row + i / 4 * 16 + i % 4) * n + blockIdx.x * 128 + col;
    *(float4*)to = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    *(float4*)(to + 32) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
  }
}
