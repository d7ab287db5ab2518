// Folds each tile of 16384 samples onto its mirror image: every sample is iterated with the sample opposite to it, and the
// results are summed. One block per SM: load a tile into shared memory, meet, compute, meet, load the next one.
// launch: fold<<<sms, 1024, 65536>>>(x, total, tiles)
#define WORDS 4096  // 16-byte words of a tile
#define STEPS 20

__device__ float iterate(float v, float w) {
#pragma unroll
  for (int k = 0; k < STEPS; ++k) v = fmaf(v, fmaf(-0.5f, v, w), 0.25f);
  return v;
}

extern "C" __global__ void __launch_bounds__(1024) fold(const float4* __restrict__ x, float* __restrict__ total, int tiles) {
  extern __shared__ float4 tile[];
  float sum = 0.f;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    float4 next[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) next[j] = x[(size_t)t * WORDS + threadIdx.x + j * 1024];  // slow: here
#pragma unroll
    for (int j = 0; j < 4; ++j) tile[threadIdx.x + j * 1024] = next[j];
    __syncthreads();  // slow: here
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float4 v = tile[threadIdx.x + j * 1024], w = tile[WORDS - 1 - threadIdx.x - j * 1024];
      sum += iterate(v.x, w.w) + iterate(v.y, w.z) + iterate(v.z, w.y) + iterate(v.w, w.x);
    }
    __syncthreads();
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
