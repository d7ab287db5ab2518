// One array per field, 16 bytes per lane, and one addition per block.
// launch: kinetic<<<n / 8192, 256>>>(vx, vy, vz, mass, energy, n)
__device__ float of_one(float x, float y, float z, float m) { return 0.5f * m * (x * x + y * y + z * z); }

extern "C" __global__ void kinetic(const float4* __restrict__ vx, const float4* __restrict__ vy, const float4* __restrict__ vz,
                                   const float4* __restrict__ mass, float* __restrict__ energy, int n) {
  __shared__ float of_warp[8];
  int i = blockIdx.x * 2048 + threadIdx.x;
  float e = 0.f;
#pragma unroll 2
  for (int j = 0; j < 8; ++j, i += 256) {
    float4 x = vx[i], y = vy[i], z = vz[i], m = mass[i];
    e += of_one(x.x, y.x, z.x, m.x) + of_one(x.y, y.y, z.y, m.y) + of_one(x.z, y.z, z.z, m.z) + of_one(x.w, y.w, z.w, m.w);
  }
  for (int o = 16; o; o /= 2) e += __shfl_down_sync(~0u, e, o);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = e;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) e += of_warp[w];
    atomicAdd(&energy[blockIdx.x / (gridDim.x / 64)], e);
  }
}
