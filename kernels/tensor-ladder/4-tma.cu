// Tiles by the tensor memory accelerator (TMA): one thread copies 128 rows of A and 256 of B with two instructions, four tiles
// ahead, and no other thread computes an address. A block computes 128 by 256 outputs with eight warps, and blocks
// are numbered so that those that run together share rows and columns. n is a multiple of 1024.
// launch: product<<<n / 128 * (n / 256), 256, min(shared_per_block - 1024, 197632)>>>(a_map, b_map, a, b, c, n)
#define BK 64
#define STAGES 4
#define TILE_A (128 * BK)
#define TILE_B (256 * BK)
#define DOWN 8  // rows of tiles that are computed side by side, so that L2 holds what they share

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

// For GPUs without the instructions below: warps that load their operands from global memory.
__device__ void product_direct(const unsigned short* a, const unsigned short* b, unsigned short* c, int n, int row0, int column0) {
  int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int part = threadIdx.x / 32; part < 128 * 256 / (16 * 32); part += warps) {
    int row = row0 + part / 8 * 16 + lane / 4, column = column0 + part % 8 * 32;
    const unsigned short *at = a + (size_t)row * n + lane % 4 * 2, *bt = b + (size_t)(column + lane / 4) * n + lane % 4 * 2;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
      unsigned fa[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) fa[j] = *(const unsigned*)(at + (size_t)(j % 2 * 8) * n + k + j / 2 * 8);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        multiply_add(sum[i], fa, *(const unsigned*)(bt + (size_t)(8 * i) * n + k), *(const unsigned*)(bt + (size_t)(8 * i) * n + k + 8));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned short* to = c + (size_t)row * n + column + 8 * i + lane % 4 * 2;
      *(unsigned*)to = halves(sum[i][0], sum[i][1]);
      *(unsigned*)(to + 8 * (size_t)n) = halves(sum[i][2], sum[i][3]);
    }
  }
}

#if __CUDA_ARCH__ == 900
struct alignas(64) TensorMap {  // CUtensorMap: which boxes of which matrix the TMA copies
  unsigned long long opaque[16];
};

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void prepare(unsigned long long* arrival, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(arrival)), "r"(arrivals) : "memory");
}

__device__ void expect(unsigned long long* arrival, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrival)), "r"(bytes) : "memory");
}

__device__ void wait(unsigned long long* arrival, unsigned phase) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
          shared_address(arrival)), "r"(phase) : "memory");
}

// One instruction of one thread copies a box of rows of 64 halves, in the swizzle of 128 bytes, and tells the barrier.
__device__ void copy_box(void* to, const TensorMap* map, int k, int row, unsigned long long* arrival) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   shared_address(to)), "l"(map), "r"(k), "r"(row), "r"(shared_address(arrival)) : "memory");
}

__device__ void load_matrices(unsigned (&r)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}

// The position of a chunk of eight halves in a tile row, as the TMA writes it.
__device__ int place(int row, int k) { return row * BK + (k ^ (row % 8 * 8)); }

// The products of one tile of 128 by 64 and 256 by 64 halves for a warp of 64 by 64 outputs.
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

#else
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};
#endif

__device__ int row_of(int tile, int n) { return (tile / (DOWN * (n / 256)) * DOWN + tile % DOWN) * 128; }
__device__ int column_of(int tile, int n) { return tile / DOWN % (n / 256) * 256; }

extern "C" __global__ void __launch_bounds__(256, 1) product(const __grid_constant__ TensorMap a_map,
                                                             const __grid_constant__ TensorMap b_map,
                                                             const unsigned short* __restrict__ a, const unsigned short* __restrict__ b,
                                                             unsigned short* __restrict__ c, int n) {
  int row = row_of(blockIdx.x, n), column = column_of(blockIdx.x, n);
#if __CUDA_ARCH__ == 900
  extern __shared__ unsigned short memory[];
  __shared__ unsigned long long arrival[STAGES];
  unsigned short* tiles = memory + ((1024 - shared_address(memory) % 1024) % 1024) / 2;  // the swizzle repeats every 1024 bytes
  int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp / 4 * 64, wn = warp % 4 * 64;
  if (tid < STAGES) prepare(&arrival[tid], 1);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  auto fetch = [&](int t, int stage) {
    if (t >= n || tid != 0) return;
    unsigned short* to = tiles + stage * (TILE_A + TILE_B);
    expect(&arrival[stage], 2 * (TILE_A + TILE_B));
    copy_box(to, &a_map, t, row, &arrival[stage]);
    copy_box(to + TILE_A, &b_map, t, column, &arrival[stage]);
  };
  float sum[4][8][4] = {};
  for (int s = 0; s < STAGES; ++s) fetch(s * BK, s);
  unsigned phase = 0;
  for (int t = 0, stage = 0; t < n; t += BK) {
    wait(&arrival[stage], phase);
    const unsigned short* as = tiles + stage * (TILE_A + TILE_B);
    multiply(sum, as, as + TILE_A, wm, wn, lane);
    __syncthreads();
    fetch(t + STAGES * BK, stage);
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }
  write(sum, c, n, row + wm, column + wn, lane);
#else
  product_direct(a, b, c, n, row, column);
#endif
}
