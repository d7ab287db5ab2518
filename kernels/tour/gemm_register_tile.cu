// 128 by 128 per block, 8 by 8 per thread, 16-byte shared loads: the multiply-adds lead.
#define BM 128
#define BN 128
#define BK 8
extern "C" __global__ void __launch_bounds__(256) gemm_register_tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float as[BK][BM], bs[BK][BN];
  int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const float* ap = a + (size_t)(blockIdx.y * BM) * n;
  const float* bp = b + blockIdx.x * BN;
  float acc[8][8] = {};
  int ar = tid / 2, ac = (tid % 2) * 4, br = tid / 32, bc = (tid % 32) * 4;
  for (int t = 0; t < n; t += BK) {
    float4 va = *(const float4*)(ap + (size_t)ar * n + t + ac);
    float4 vb = *(const float4*)(bp + (size_t)(t + br) * n + bc);
    as[ac][ar] = va.x; as[ac + 1][ar] = va.y; as[ac + 2][ar] = va.z; as[ac + 3][ar] = va.w;
    *(float4*)&bs[br][bc] = vb;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[8], rb[8];
      *(float4*)&ra[0] = *(float4*)&as[k][ty * 4]; *(float4*)&ra[4] = *(float4*)&as[k][64 + ty * 4];
      *(float4*)&rb[0] = *(float4*)&bs[k][tx * 4]; *(float4*)&rb[4] = *(float4*)&bs[k][64 + tx * 4];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int row = blockIdx.y * BM + (i / 4) * 64 + ty * 4 + i % 4;
    float* cp = c + (size_t)row * n + blockIdx.x * BN;
    *(float4*)(cp + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    *(float4*)(cp + 64 + tx * 4) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
  }
}
