// Each pair of particles once: a particle sums its overlap with all particles of smaller index. One row per thread.
// launch: overlaps<<<ceil(n / block), 1024>>>(particles, out, reach2, n)
__device__ float pair(float4 a, float4 b, float reach2) {
  float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  float d = fmaxf(fmaf(-x, x, fmaf(-y, y, fmaf(-z, z, reach2))), 0.f);
  return (b.w * d) * (d * d);
}

// The overlap of the particle in row `row` with all previous rows. All threads participate, row - first = threadIdx.x.
__device__ float overlap(const float4* __restrict__ particles, float4* tile, int first, int row, float reach2) {
  float4 me = particles[row];
  float sum = 0.f;
  for (int start = 0; start < first; start += blockDim.x) {
    tile[threadIdx.x] = particles[start + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < blockDim.x; ++k) sum += pair(me, tile[k], reach2);
    __syncthreads();
  }
  tile[threadIdx.x] = me;
  __syncthreads();
  for (int k = 0; k < threadIdx.x; ++k) sum += pair(me, tile[k], reach2);
  __syncthreads();
  return me.w * sum;
}

extern "C" __global__ void __launch_bounds__(1024) overlaps(const float4* __restrict__ particles, float* __restrict__ out, float reach2, int n) {
  __shared__ float4 tile[1024];
  int first = blockIdx.x * blockDim.x, row = first + threadIdx.x;
  out[row] = overlap(particles, tile, first, row, reach2);
}
