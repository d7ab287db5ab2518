// Warps with roles: one thread of the third warpgroup fetches tiles for the other two, which do nothing but multiply. Blocks stay
// on their SM and take tile after tile, so the next tile's data arrives while results are written. n is a multiple of 1024.
// launch: product<<<sms, 384, min(shared_per_block - 1024, 197632)>>>(a_map, b_map, a, b, c, n)
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

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
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

__device__ void arrive(unsigned long long* arrival) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(arrival)) : "memory");
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

#define SIXTEEN(i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7]), \
      "+f"(d[i + 8]), "+f"(d[i + 9]), "+f"(d[i + 10]), "+f"(d[i + 11]), "+f"(d[i + 12]), "+f"(d[i + 13]), "+f"(d[i + 14]), "+f"(d[i + 15])

// 64 by 256 products of 16 halves each by the four warps of a warpgroup, from shared memory.
__device__ void multiply_add_warpgroup(float (&d)[128], unsigned long long a, unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
      "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, "
      "%68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "
      "%90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
      "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, 1, 1, 1, 0, 0;"
      : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80), SIXTEEN(96), SIXTEEN(112)
      : "l"(a), "l"(b));
}

// Where a tile lies in shared memory: rows of 128 bytes in the swizzle of 128 bytes, eight rows every 1024 bytes.
__device__ unsigned long long matrix(const unsigned short* tile) {
  return (unsigned long long)(shared_address(tile) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int left>
__device__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}

// All products of one tile for the 64 rows of A that begin at `as`.
__device__ void multiply(float (&sum)[128], const unsigned short* as, const unsigned short* bs) {
  begin_products();
#pragma unroll
  for (int k = 0; k < BK; k += 16) multiply_add_warpgroup(sum, matrix(as + k), matrix(bs + k));
  commit_products();
}

__device__ void write(const float (&sum)[128], unsigned short* c, size_t n, int row, int column) {
  int lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < 32; ++j) {
    unsigned short* to = c + row * n + column + 8 * j + lane % 4 * 2;
    *(unsigned*)to = halves(sum[4 * j], sum[4 * j + 1]);
    *(unsigned*)(to + 8 * n) = halves(sum[4 * j + 2], sum[4 * j + 3]);
  }
}

#else
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};
#endif

__device__ int row_of(int tile, int n) { return (tile / (DOWN * (n / 256)) * DOWN + tile % DOWN) * 128; }
__device__ int column_of(int tile, int n) { return tile / DOWN % (n / 256) * 256; }

extern "C" __global__ void __launch_bounds__(384, 1) product(const __grid_constant__ TensorMap a_map,
                                                             const __grid_constant__ TensorMap b_map,
                                                             const unsigned short* __restrict__ a, const unsigned short* __restrict__ b,
                                                             unsigned short* __restrict__ c, int n) {
  int every = n / 128 * (n / 256);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ unsigned short memory[];
  __shared__ unsigned long long full[STAGES], empty[STAGES];
  unsigned short* tiles = memory + ((1024 - shared_address(memory) % 1024) % 1024) / 2;  // the swizzle repeats every 1024 bytes
  int tid = threadIdx.x, group = tid / 128;
  if (tid < STAGES) {
    prepare(&full[tid], 1);
    prepare(&empty[tid], 8);
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  int stage = 0;
  unsigned phase = 0;
  auto next = [&] {
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  };
  if (group == 2) {  // fetches
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (tid == 256)
      for (int tile = blockIdx.x; tile < every; tile += gridDim.x)
        for (int t = 0; t < n; t += BK, next()) {
          unsigned short* to = tiles + stage * (TILE_A + TILE_B);
          wait(&empty[stage], phase ^ 1);
          expect(&full[stage], 2 * (TILE_A + TILE_B));
          copy_box(to, &a_map, t, row_of(tile, n), &full[stage]);
          copy_box(to + TILE_A, &b_map, t, column_of(tile, n), &full[stage]);
        }
  } else {  // multiply
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    for (int tile = blockIdx.x; tile < every; tile += gridDim.x) {
      float sum[128] = {};
      int before = -1;  // the stage whose products may still run
      for (int t = 0; t < n; t += BK, next()) {
        wait(&full[stage], phase);
        const unsigned short* as = tiles + stage * (TILE_A + TILE_B);
        multiply(sum, as + group * 64 * BK, as + TILE_A);
        wait_for_products<1>();
        if (before >= 0 && tid % 32 == 0) arrive(&empty[before]);
        before = stage;
      }
      wait_for_products<0>();
      if (tid % 32 == 0) arrive(&empty[before]);
      write(sum, c, n, row_of(tile, n) + group * 64, column_of(tile, n));
    }
  }
#else
  for (int tile = blockIdx.x; tile < every; tile += gridDim.x) product_direct(a, b, c, n, row_of(tile, n), column_of(tile, n));
#endif
}
