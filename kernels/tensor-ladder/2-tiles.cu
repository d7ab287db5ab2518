// The same product with tiles in shared memory: a block computes 128 by 128 outputs and a warp 64 by 64. All threads load a
// tile of 128 by 32 halves of A and of B, wait for each other, multiply, and wait again. n is a multiple of 1024.
// launch: product<<<(n / 128, n / 128), 128>>>(a, b, c, n)
#define BK 32

// The position of a chunk of eight halves in a tile row: swizzled, so that eight rows of one column use different banks.
__device__ int place(int row, int k) { return row * BK + (k ^ (row / 2 % 4 * 8)); }

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

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void load_matrices(unsigned (&r)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}

// The products of one tile of 128 by 32 and 128 by 32 halves for a warp of 64 by 64 outputs.
__device__ void multiply(float (&sum)[4][8][4], const unsigned short* as, const unsigned short* bs, int wm, int wn, int lane) {
#pragma unroll
  for (int k = 0; k < BK; k += 16) {
    unsigned fa[4][4], fb[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) load_matrices(fa[i], shared_address(as + place(wm + 16 * i + lane % 16, k + lane / 16 * 8)));
#pragma unroll
    for (int j = 0; j < 4; ++j)
      load_matrices(fb[j], shared_address(bs + place(wn + 16 * j + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 8)));
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 8; ++j) multiply_add(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
  }
}

__device__ void write(const float (&sum)[4][8][4], unsigned short* c, size_t n, int row, int column, int lane) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      unsigned short* to = c + (row + 16 * i + lane / 4) * n + column + 8 * j + lane % 4 * 2;
      *(unsigned*)to = halves(sum[i][j][0], sum[i][j][1]);
      *(unsigned*)(to + 8 * n) = halves(sum[i][j][2], sum[i][j][3]);
    }
}

extern "C" __global__ void __launch_bounds__(128, 2) product(const unsigned short* __restrict__ a,
                                                             const unsigned short* __restrict__ b, unsigned short* __restrict__ c, int n) {
  __shared__ __align__(16) unsigned short as[128 * BK], bs[128 * BK];
  int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp / 2 * 64, wn = warp % 2 * 64, row = tid / 4, k = tid % 4 * 8;
  a += (size_t)(blockIdx.y * 128 + row) * n + k;
  b += (size_t)(blockIdx.x * 128 + row) * n + k;
  float sum[4][8][4] = {};
  for (int t = 0; t < n; t += BK) {
#pragma unroll
    for (int i = 0; i < 128; i += 32) {
      *(uint4*)(as + place(row + i, k)) = *(const uint4*)(a + (size_t)i * n + t);
      *(uint4*)(bs + place(row + i, k)) = *(const uint4*)(b + (size_t)i * n + t);
    }
    __syncthreads();
    multiply(sum, as, bs, wm, wn, lane);
    __syncthreads();
  }
  write(sum, c, n, blockIdx.y * 128 + wm, blockIdx.x * 128 + wn, lane);
}
