// Squared distances between all queries and all points of 128 dimensions; 8 by 8 distances a thread.
// launch: distances<<<(n / 128, n / 128), 256>>>(queries, points, squared, n)
#define DIMENSIONS 128
#define K 8
extern "C" __global__ void __launch_bounds__(256, 2) distances(const float* __restrict__ queries, const float* __restrict__ points,
                                                               float* __restrict__ squared, int n) {
  __shared__ __align__(16) float qs[K][128], ps[K][128];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int row = warp / 2 * 32 + lane / 8 * 4, col = warp % 2 * 64 + lane % 8 * 4;  // and 16 rows, 32 columns further
  const float* from_q = queries + (size_t)warp * n + blockIdx.y * 128 + lane * 4;
  const float* from_p = points + (size_t)warp * n + blockIdx.x * 128 + lane * 4;
  float sum[8][8] = {};
  for (int k0 = 0; k0 < DIMENSIONS; k0 += K) {
    *(float4*)&qs[warp][lane * 4] = *(const float4*)(from_q + (size_t)k0 * n);
    *(float4*)&ps[warp][lane * 4] = *(const float4*)(from_p + (size_t)k0 * n);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < K; ++k) {
      float x[8], y[8];
      *(float4*)&x[0] = *(float4*)&qs[k][row];
      *(float4*)&x[4] = *(float4*)&qs[k][row + 16];
      *(float4*)&y[0] = *(float4*)&ps[k][col];
      *(float4*)&y[4] = *(float4*)&ps[k][col + 32];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += (x[i] - y[j]) * (x[i] - y[j]);
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
