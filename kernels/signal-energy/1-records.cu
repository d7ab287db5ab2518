// Sum of the squares of a signal. Blocks stream it through shared memory with bulk copies, four tiles of 8 KB ahead: each
// thread fetches one record of 64 bytes of a tile.
// launch: energy<<<sms * 6, 128>>>(x, total, tiles)
#define STAGES 4
#define TILE 512  // 16-byte words

#if __CUDA_ARCH__ >= 900
__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void prepare(unsigned long long* arrival) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(arrival)) : "memory");
}

__device__ void expect(unsigned long long* arrival, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrival)), "r"(bytes) : "memory");
}

__device__ void fetch(void* to, const void* from, int bytes, unsigned long long* arrival) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(arrival)) : "memory");  // slow: here
}

__device__ void wait(unsigned long long* arrival, unsigned phase) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
          shared_address(arrival)), "r"(phase) : "memory");
}
#endif

__device__ float squares(float4 v, float s) { return fmaf(v.x, v.x, fmaf(v.y, v.y, fmaf(v.z, v.z, fmaf(v.w, v.w, s)))); }

extern "C" __global__ void __launch_bounds__(128) energy(const float4* __restrict__ x, float* __restrict__ total, int tiles) {
  float sum = 0.f;
#if __CUDA_ARCH__ >= 900
  __shared__ __align__(128) float4 tile[STAGES][TILE];
  __shared__ unsigned long long arrival[STAGES];
  if (threadIdx.x < STAGES) prepare(&arrival[threadIdx.x]);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  auto start = [&](int t, int stage) {
    if (t >= tiles) return;
    if (threadIdx.x == 0) expect(&arrival[stage], TILE * 16);
    fetch(&tile[stage][threadIdx.x * 4], x + (size_t)t * TILE + threadIdx.x * 4, 64, &arrival[stage]);  // slow: here
  };
  for (int s = 0; s < STAGES; ++s) start(blockIdx.x + s * gridDim.x, s);
  int stage = 0;
  unsigned phase = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    wait(&arrival[stage], phase);
#pragma unroll
    for (int j = 0; j < TILE / 128; ++j) sum = squares(tile[stage][threadIdx.x + j * 128], sum);
    __syncthreads();
    start(t + STAGES * gridDim.x, stage);
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }
#else
  for (int t = blockIdx.x; t < tiles; t += gridDim.x)
#pragma unroll
    for (int j = 0; j < TILE / 128; ++j) sum = squares(x[(size_t)t * TILE + threadIdx.x + j * 128], sum);
#endif
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
