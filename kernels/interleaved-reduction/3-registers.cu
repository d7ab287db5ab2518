// Each thread sums its 16-byte loads in registers; a warp sums by shuffles, and only one float per warp uses shared memory.
// launch: row_sums<<<rows, 256>>>(in, sums)
#define COLS 4096
extern "C" __global__ void __launch_bounds__(256) row_sums(const float4* __restrict__ in, float* __restrict__ sums) {
  __shared__ float of_warp[8];
  const float4* from = in + (size_t)blockIdx.x * (COLS / 4) + threadIdx.x;
  float4 v[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) v[j] = from[j * 256];
  float s = 0.f;
#pragma unroll
  for (int j = 0; j < 4; ++j) s += (v[j].x + v[j].y) + (v[j].z + v[j].w);
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 8) {
    s = of_warp[threadIdx.x];
    for (int o = 4; o; o /= 2) s += __shfl_down_sync(0xffu, s, o);
    if (threadIdx.x == 0) sums[blockIdx.x] = s;
  }
}
