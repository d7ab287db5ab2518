// The same sums: a thread keeps all 8 in registers, a warp combines them with shuffles, and one lane adds them once.
// launch: deposit<<<sms * 4, 512>>>(energy, layer, total, n)
__device__ void add(float (&mine)[8], unsigned layer, float energy) {
#pragma unroll
  for (int k = 0; k < 8; ++k) mine[k] += layer == k ? energy : 0.f;
}

extern "C" __global__ void __launch_bounds__(512) deposit(const float4* __restrict__ energy, const uchar4* __restrict__ layer,
                                                         float* __restrict__ total, int n) {
  __shared__ float sum[8];
  float mine[8] = {};
  if (threadIdx.x < 8) sum[threadIdx.x] = 0.f;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    float4 e = energy[i];
    uchar4 l = layer[i];
    add(mine, l.x, e.x);
    add(mine, l.y, e.y);
    add(mine, l.z, e.z);
    add(mine, l.w, e.w);
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    float s = mine[k];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&sum[k], s);
  }
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&total[threadIdx.x], sum[threadIdx.x]);
}
