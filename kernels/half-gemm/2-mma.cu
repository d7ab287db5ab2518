// The same product on the tensor cores: a warp multiplies 16 by 16 with 16 by 8 tiles by mma, sums in single precision.
// Two buffers of shared memory: the next tiles are loaded while these are multiplied. n is a multiple of 128.
// launch: gemm<<<(n / 128, n / 128), 256>>>(a, b, c, n)
#define BM 128
#define BN 128
#define BK 32
#define AS (BK + 8)  // rows padded by 16 bytes: ldmatrix reads eight rows without bank conflicts
#define BS (BN + 8)

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

extern "C" __global__ void __launch_bounds__(256) gemm(const unsigned short* __restrict__ a,
                                                       const unsigned short* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ __align__(16) unsigned short as[2][BM * AS], bs[2][BK * BS];
  int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp / 4 * 64, wn = warp % 4 * 32;
  a += (size_t)blockIdx.y * BM * n;
  b += blockIdx.x * BN;
  int ar = tid / 4, ac = tid % 4 * 8, br = tid / 16, bc = tid % 16 * 8;
  uint4 va[2], vb[2];
  auto fetch = [&](int t) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      va[i] = *(const uint4*)(a + (size_t)(ar + 64 * i) * n + t + ac);
      vb[i] = *(const uint4*)(b + (size_t)(t + br + 16 * i) * n + bc);
    }
  };
  auto keep = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      *(uint4*)&as[buffer][(ar + 64 * i) * AS + ac] = va[i];
      *(uint4*)&bs[buffer][(br + 16 * i) * BS + bc] = vb[i];
    }
  };
  float sum[4][4][4] = {};
  fetch(0);
  keep(0);
  __syncthreads();
  for (int t = 0, buffer = 0; t < n; t += BK, buffer ^= 1) {
    if (t + BK < n) fetch(t + BK);
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      unsigned fa[4][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        load_matrices(fa[i], shared_address(&as[buffer][(wm + 16 * i + lane % 16) * AS + k + lane / 16 * 8]));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load_transposed(fb[j], shared_address(&bs[buffer][(k + lane % 16) * BS + wn + 16 * j + lane / 16 * 8]));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply_add(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
    }
    if (t + BK < n) keep(buffer ^ 1);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float* at = c + (size_t)(blockIdx.y * BM + wm + 16 * i + lane / 4) * n + blockIdx.x * BN + wn + 8 * j + lane % 4 * 2;
      *(float2*)at = make_float2(sum[i][j][0], sum[i][j][1]);
      *(float2*)(at + 8 * (size_t)n) = make_float2(sum[i][j][2], sum[i][j][3]);
    }
}
