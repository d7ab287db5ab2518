// C = A B in half precision with single-precision sums: four warps of 64 by 64 outputs, tiles of 16 by 16 times 16 by 8 by mma, sums in single
// precision. Two buffers of shared memory: the next tiles are loaded while these are multiplied. n is a multiple of 128.
// launch: gemm<<<(n / 128, n / 128), 128>>>(a, b, c, n)
#define BM 128
#define BN 128
#define BK 32

// The position of a chunk of eight halves in a tile row: swizzled, so that eight rows of one column use different banks.
__device__ int in_a(int row, int k) { return row * BK + (k ^ (row / 2 % 4 * 8)); }
__device__ int in_b(int k, int column) { return k * BN + (column ^ (k % 8 * 8)); }

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void load_matrices(unsigned (&r)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}

__device__ void load_transposed(unsigned (&r)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}

__device__ void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b0));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

__device__ unsigned two_halves(float low, float high) {
  unsigned both;
  asm("{\n.reg .f16 l, h;\ncvt.rn.f16.f32 l, %1;\ncvt.rn.f16.f32 h, %2;\nmov.b32 %0, {l, h};\n}" : "=r"(both) : "f"(low), "f"(high));
  return both;
}

extern "C" __global__ void __launch_bounds__(128, 2) gemm(const unsigned short* __restrict__ a,
                                                          const unsigned short* __restrict__ b, unsigned short* __restrict__ c, int n) {
  __shared__ __align__(16) unsigned short as[2][BM * BK], bs[2][BK * BN];
  int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp / 2 * 64, wn = warp % 2 * 64;
  int ar = tid / 4, ak = tid % 4 * 8, bk = tid / 16, bc = tid % 16 * 8;
  a += (size_t)(blockIdx.y * BM + ar) * n + ak;
  b += (size_t)bk * n + blockIdx.x * BN + bc;
  uint4 va[4], vb[4];
  auto fetch = [&](int t) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      va[i] = *(const uint4*)(a + (size_t)(32 * i) * n + t);
      vb[i] = *(const uint4*)(b + (size_t)(8 * i + t) * n);
    }
  };
  auto keep = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      *(uint4*)&as[buffer][in_a(ar + 32 * i, ak)] = va[i];
      *(uint4*)&bs[buffer][in_b(bk + 8 * i, bc)] = vb[i];
    }
  };
  float sum[4][8][4] = {};
  fetch(0);
  keep(0);
  __syncthreads();
  for (int t = 0, buffer = 0; t < n; t += BK, buffer ^= 1) {
    if (t + BK < n) fetch(t + BK);
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      unsigned fa[4][4], fb[4][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        load_matrices(fa[i], shared_address(&as[buffer][in_a(wm + 16 * i + lane % 16, k + lane / 16 * 8)]));
#pragma unroll
      for (int j = 0; j < 4; ++j)
        load_transposed(fb[j], shared_address(&bs[buffer][in_b(k + lane % 16, wn + 16 * j + lane / 16 * 8)]));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) multiply_add(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
    }
    if (t + BK < n) keep(buffer ^ 1);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      unsigned short* at = c + (size_t)(blockIdx.y * BM + wm + 16 * i + lane / 4) * n + blockIdx.x * BN + wn + 8 * j + lane % 4 * 2;
      *(unsigned*)at = two_halves(sum[i][j][0], sum[i][j][1]);
      *(unsigned*)(at + 8 * (size_t)n) = two_halves(sum[i][j][2], sum[i][j][3]);
    }
}
