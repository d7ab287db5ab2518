// The same decoding: the blocks of a cluster copy the book from the first one once, and look up in their own shared memory.
// launch: decode<<<floor(sms / 4) * 8, 512>>>(code, book, value, n)
#define BOOK 4096

#if __CUDA_ARCH__ >= 900
#define CLUSTER __cluster_dims__(8, 1, 1)
__device__ unsigned in_block(const void* p, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(rank));
  return there;
}
__device__ float load(unsigned address) {
  float v;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(address));
  return v;
}
__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
#else
#define CLUSTER
#endif

extern "C" __global__ void CLUSTER __launch_bounds__(512) decode(const ushort4* __restrict__ code, const float* __restrict__ book,
                                                                 float4* __restrict__ value, int n) {
  __shared__ float mine[BOOK];
#if __CUDA_ARCH__ >= 900
  if (blockIdx.x % 8 == 0)
#endif
    for (int k = threadIdx.x; k < BOOK; k += blockDim.x) mine[k] = book[k];
#if __CUDA_ARCH__ >= 900
  meet();
  if (blockIdx.x % 8 != 0) {
    unsigned first = in_block(mine, 0);
    for (int k = threadIdx.x; k < BOOK; k += blockDim.x) mine[k] = load(first + 4 * k);
  }
  meet();
#else
  __syncthreads();
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    ushort4 c = code[i];
    value[i] = make_float4(mine[c.x], mine[c.y], mine[c.z], mine[c.w]);
  }
}
