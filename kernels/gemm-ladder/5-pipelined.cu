// C = A B: 128 by 128 elements of C per block, 8 by 16 per thread. Accesses are 16 bytes wide except for A, and the next
// tiles are loaded through registers into a second pair of buffers while the current pair is multiplied.
// launch: gemm<<<(n / 128, n / 128), 128>>>(a, b, c, n)
#define BM 128
#define BN 128
#define BK 8
#define PITCH (BM + 4)  // the transposed columns of A use different banks
extern "C" __global__ void __launch_bounds__(128, 2) gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ __align__(16) float as[2][BK][PITCH], bs[2][BK][BN];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int y = warp / 2 * 64 + lane / 4 * 4;  // rows of this thread: four from y and from y + 32
  const int x = warp % 2 * 64 + lane % 4 * 4;  // columns: four from x, x + 16, x + 32 and x + 48
  a += ((size_t)blockIdx.y * BM + t / 2) * n + t % 2 * 4;
  b += (size_t)warp * n + blockIdx.x * BN + lane * 4;
  float4 next_a[2], next_b[2];
  auto load = [&](int k0) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      next_a[j] = *(const float4*)(a + (size_t)(64 * j) * n + k0);
      next_b[j] = *(const float4*)(b + (size_t)(k0 + 4 * j) * n);
    }
  };
  auto store = [&](int to) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      as[to][t % 2 * 4 + 0][t / 2 + 64 * j] = next_a[j].x;
      as[to][t % 2 * 4 + 1][t / 2 + 64 * j] = next_a[j].y;
      as[to][t % 2 * 4 + 2][t / 2 + 64 * j] = next_a[j].z;
      as[to][t % 2 * 4 + 3][t / 2 + 64 * j] = next_a[j].w;
      *(float4*)&bs[to][warp + 4 * j][lane * 4] = next_b[j];
    }
  };
  float sum[8][16] = {};
  load(0);
  store(0);
  __syncthreads();
  for (int k0 = 0, now = 0; k0 < n; k0 += BK, now ^= 1) {
    if (k0 + BK < n) load(k0 + BK);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[8], rb[16];
#pragma unroll
      for (int i = 0; i < 2; ++i) *(float4*)&ra[4 * i] = *(const float4*)&as[now][k][y + 32 * i];
#pragma unroll
      for (int j = 0; j < 4; ++j) *(float4*)&rb[4 * j] = *(const float4*)&bs[now][k][x + 16 * j];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 16; ++j) sum[i][j] += ra[i] * rb[j];
    }
    if (k0 + BK < n) store(now ^ 1);
    __syncthreads();
  }
  c += ((size_t)blockIdx.y * BM + y) * n + blockIdx.x * BN + x;
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      *(float4*)(c + (size_t)(i / 4 * 32 + i % 4) * n + 16 * j) = make_float4(sum[i][4 * j], sum[i][4 * j + 1], sum[i][4 * j + 2], sum[i][4 * j + 3]);
}
