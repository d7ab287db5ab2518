// Scores of all queries against all points, dot products of 256 dimensions; 4 by 4 scores per thread.
// launch: scores<<<(n / 64, n / 64), 256>>>(queries, points, score, n)
#define DIMENSIONS 256
#define K 16
extern "C" __global__ void __launch_bounds__(256) scores(const float* __restrict__ queries, const float* __restrict__ points,
                                                         float* __restrict__ score, int n) {
  __shared__ __align__(16) float qs[K][64], ps[K][64];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const float* from_q = queries + (size_t)ty * n + blockIdx.y * 64 + tx * 4;
  const float* from_p = points + (size_t)ty * n + blockIdx.x * 64 + tx * 4;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < DIMENSIONS; k0 += K) {
    *(float4*)&qs[ty][tx * 4] = *(const float4*)(from_q + (size_t)k0 * n);
    *(float4*)&ps[ty][tx * 4] = *(const float4*)(from_p + (size_t)k0 * n);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < K; ++k) {
      float x[4], y[4];
      *(float4*)x = *(float4*)&qs[k][ty * 4];
      *(float4*)y = *(float4*)&ps[k][tx * 4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *(float4*)&score[(size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
