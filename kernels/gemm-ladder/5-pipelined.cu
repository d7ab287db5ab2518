// C = A B: 128 by 128 elements of C a block, 8 by 16 a thread. Every access moves 16 bytes, and the next tiles come into
// a second pair of buffers while this pair is multiplied.
// launch: gemm<<<(n / 128, n / 128), 128>>>(a, b, c, n)
#define BM 128
#define BN 128
#define BK 16
#define PITCH (BK + 4)  // 20 words: the rows that eight lanes read fall on different banks

// 16 bytes from global to shared memory, without a stop in registers where the card can do so.
__device__ __forceinline__ void fetch(float* to, const float* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
#else
  *(float4*)to = *(const float4*)from;
#endif
}

__device__ __forceinline__ void fetched() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

extern "C" __global__ void __launch_bounds__(128, 2) gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ __align__(16) float as[2][BM][PITCH], bs[2][BK][BN];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int y = warp / 2 * 64 + lane / 4;      // rows of this thread: y, y + 8, ... y + 56
  const int x = warp % 2 * 64 + lane % 4 * 4;  // columns: four from x, x + 16, x + 32, x + 48
  a += (size_t)blockIdx.y * BM * n;
  b += (size_t)blockIdx.x * BN;
  auto tiles = [&](int k0, int to) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      fetch(&as[to][t / 4 + 32 * j][t % 4 * 4], a + (size_t)(t / 4 + 32 * j) * n + k0 + t % 4 * 4);
      fetch(&bs[to][warp + 4 * j][lane * 4], b + (size_t)(k0 + warp + 4 * j) * n + lane * 4);
    }
  };
  float sum[8][16] = {};
  tiles(0, 0);
  for (int k0 = 0, now = 0; k0 < n; k0 += BK, now ^= 1) {
    fetched();
    __syncthreads();
    if (k0 + BK < n) tiles(k0 + BK, now ^ 1);
#pragma unroll
    for (int k = 0; k < BK; k += 4) {
      float4 ra[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) ra[i] = *(const float4*)&as[now][y + 8 * i][k];
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        float4 rb[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) rb[j] = *(const float4*)&bs[now][k + m][x + 16 * j];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          const float v = m == 0 ? ra[i].x : m == 1 ? ra[i].y : m == 2 ? ra[i].z : ra[i].w;
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum[i][4 * j + 0] += v * rb[j].x;
            sum[i][4 * j + 1] += v * rb[j].y;
            sum[i][4 * j + 2] += v * rb[j].z;
            sum[i][4 * j + 3] += v * rb[j].w;
          }
        }
      }
    }
  }
  c += ((size_t)blockIdx.y * BM + y) * n + blockIdx.x * BN + x;
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      *(float4*)(c + (size_t)(8 * i) * n + 16 * j) = make_float4(sum[i][4 * j], sum[i][4 * j + 1], sum[i][4 * j + 2], sum[i][4 * j + 3]);
}
