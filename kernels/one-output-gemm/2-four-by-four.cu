// A 64 by 64 tile of C per block, 4 by 4 elements per thread: eight shared floats feed sixteen multiply-adds.
// launch: gemm<<<(n / 64, n / 64), 256>>>(a, b, c, n)
extern "C" __global__ void __launch_bounds__(256) gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ __align__(16) float as[16][68], bs[16][64];  // as is transposed; 4 padding words per row spread it
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const float* from_a = a + (size_t)(blockIdx.y * 64 + t / 4) * n + t % 4 * 4;
  const float* from_b = b + (size_t)ty * n + blockIdx.x * 64 + tx * 4;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    float4 va = *(const float4*)(from_a + k0), vb = *(const float4*)(from_b + (size_t)k0 * n);
    as[t % 4 * 4][t / 4] = va.x;
    as[t % 4 * 4 + 1][t / 4] = va.y;
    as[t % 4 * 4 + 2][t / 4] = va.z;
    as[t % 4 * 4 + 3][t / 4] = va.w;
    *(float4*)&bs[ty][tx * 4] = vb;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float x[4], y[4];
      *(float4*)x = *(float4*)&as[k][ty * 4];
      *(float4*)y = *(float4*)&bs[k][tx * 4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *(float4*)&c[(size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
