// Eight blocks of 256 threads per SM, 16 bytes per load, two loads of each vector in flight. `out` starts at zero.
// launch: dot<<<8 * sms, 256>>>(x, y, out, n)
__device__ float product(float4 a, float4 b, float sum) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

extern "C" __global__ void dot(const float4* __restrict__ x, const float4* __restrict__ y, float* __restrict__ out, int n) {
  __shared__ float warp_sums[32];
  int quads = n / 4, stride = gridDim.x * blockDim.x;
  float even = 0.f, odd = 0.f;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + stride < quads; i += 2 * stride) {
    float4 a = x[i], b = y[i], c = x[i + stride], d = y[i + stride];
    even = product(a, b, even);
    odd = product(c, d, odd);
  }
  if (i < quads) even = product(x[i], y[i], even);
  float sum = even + odd;
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0.f;
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}
