// C = A B^T on the tensor cores, a warp 32 by 32 outputs. Each warp loads its operands from global memory into registers.
// n is a multiple of 1024; the rows of A and of B are contiguous.
// launch: product<<<(n / 128, n / 64), 256>>>(a, b, c, n)
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

__device__ unsigned halves(float x, float y) {
  unsigned r;
  asm("{\n.reg .f16 l, h;\ncvt.rn.f16.f32 l, %1;\ncvt.rn.f16.f32 h, %2;\nmov.b32 %0, {l, h};\n}" : "=r"(r) : "f"(x), "f"(y));
  return r;
}

extern "C" __global__ void __launch_bounds__(256) product(const unsigned short* __restrict__ a,
                                                          const unsigned short* __restrict__ b, unsigned short* __restrict__ c, int n) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int row = blockIdx.y * 64 + warp / 4 * 32 + lane / 4, column = blockIdx.x * 128 + warp % 4 * 32;
  const unsigned short* at = a + (size_t)row * n + lane % 4 * 2;
  const unsigned short* bt = b + (size_t)(column + lane / 4) * n + lane % 4 * 2;
  float sum[2][4][4] = {};
  for (int k = 0; k < n; k += 16) {
    unsigned fa[2][4], fb[4][2];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) fa[i][j] = *(const unsigned*)(at + (size_t)(16 * i + j % 2 * 8) * n + k + j / 2 * 8);
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) fb[i][j] = *(const unsigned*)(bt + (size_t)(8 * i) * n + k + 8 * j);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) multiply_add(sum[i][j], fa[i], fb[j][0], fb[j][1]);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      unsigned short* to = c + (size_t)(row + 16 * i) * n + column + 8 * j + lane % 4 * 2;
      *(unsigned*)to = halves(sum[i][j][0], sum[i][j][1]);
      *(unsigned*)(to + 8 * (size_t)n) = halves(sum[i][j][2], sum[i][j][3]);
    }
}
