// C = A B in single precision, 128 by 128 a block, 8 by 8 outputs a thread in registers, 16-byte loads, two buffers of
// shared memory: the next tiles travel while these are multiplied. n is a multiple of 128.
// launch: gemm<<<(n / 128, n / 128), 256>>>(a, b, c, n)
#define BM 128
#define BN 128
#define BK 8
#define PAD 4  // the transposed stores of A then fall on different banks

extern "C" __global__ void __launch_bounds__(256, 2) gemm(const float* __restrict__ a, const float* __restrict__ b,
                                                          float* __restrict__ c, int n) {
  __shared__ __align__(16) float as[2][BK][BM + PAD], bs[2][BK][BN];
  int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  // A warp computes 32 rows by 64 columns, a thread two strips of four in each direction: few different addresses a load.
  int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4;
  int ar = tid / 2, ak = tid % 2 * 4, bk = tid / 32, bc = tid % 32 * 4;
  const float* from_a = a + (size_t)(blockIdx.y * BM + ar) * n + ak;
  const float* from_b = b + (size_t)bk * n + blockIdx.x * BN + bc;

  float4 va = *(const float4*)from_a, vb = *(const float4*)from_b;
  as[0][ak][ar] = va.x, as[0][ak + 1][ar] = va.y, as[0][ak + 2][ar] = va.z, as[0][ak + 3][ar] = va.w;
  *(float4*)&bs[0][bk][bc] = vb;
  __syncthreads();

  float sum[8][8] = {};
  for (int t = BK, buffer = 0; t <= n; t += BK, buffer ^= 1) {
    if (t < n) {
      from_a += BK;
      from_b += (size_t)BK * n;
      va = *(const float4*)from_a;
      vb = *(const float4*)from_b;
    }
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[8], rb[8];
      *(float4*)&ra[0] = *(const float4*)&as[buffer][k][row];
      *(float4*)&ra[4] = *(const float4*)&as[buffer][k][row + 16];
      *(float4*)&rb[0] = *(const float4*)&bs[buffer][k][column];
      *(float4*)&rb[4] = *(const float4*)&bs[buffer][k][column + 32];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] = fmaf(ra[i], rb[j], sum[i][j]);
    }
    if (t < n) {
      int next = buffer ^ 1;
      as[next][ak][ar] = va.x, as[next][ak + 1][ar] = va.y, as[next][ak + 2][ar] = va.z, as[next][ak + 3][ar] = va.w;
      *(float4*)&bs[next][bk][bc] = vb;
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float* to = c + (size_t)(blockIdx.y * BM + row + i / 4 * 16 + i % 4) * n + blockIdx.x * BN + column;
    *(float4*)to = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    *(float4*)(to + 32) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
  }
}
