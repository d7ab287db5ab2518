// Energy deposited in each of 8 detector layers: a block keeps 8 sums in shared memory and adds every hit to one of them.
// launch: deposit<<<sms * 4, 512>>>(energy, layer, total, n)
extern "C" __global__ void __launch_bounds__(512) deposit(const float4* __restrict__ energy, const uchar4* __restrict__ layer,
                                                         float* __restrict__ total, int n) {
  __shared__ float sum[8];
  if (threadIdx.x < 8) sum[threadIdx.x] = 0.f;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    float4 e = energy[i];
    uchar4 l = layer[i];
    atomicAdd(&sum[l.x], e.x);  // slow: here
    atomicAdd(&sum[l.y], e.y);  // slow: here
    atomicAdd(&sum[l.z], e.z);  // slow: here
    atomicAdd(&sum[l.w], e.w);  // slow: here
  }
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&total[threadIdx.x], sum[threadIdx.x]);
}
