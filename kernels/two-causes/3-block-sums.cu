// The array of structs as before; a block sums 8192 particles in shared memory before it adds to its domain, once.
// launch: kinetic<<<n / 8192, 256>>>(particles, energy, n)
struct Particle {
  float x, y, z, charge, vx, vy, vz, mass;
};

extern "C" __global__ void kinetic(const Particle* __restrict__ particles, float* __restrict__ energy, int n) {
  __shared__ float of_warp[8];
  int i = blockIdx.x * 8192 + threadIdx.x;
  float e = 0.f;
#pragma unroll 4
  for (int j = 0; j < 32; ++j, i += 256) {
    float vx = particles[i].vx, vy = particles[i].vy, vz = particles[i].vz;  // slow: here
    e += 0.5f * particles[i].mass * (vx * vx + vy * vy + vz * vz);
  }
  for (int o = 16; o; o /= 2) e += __shfl_down_sync(~0u, e, o);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = e;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) e += of_warp[w];
    atomicAdd(&energy[blockIdx.x / (gridDim.x / 64)], e);
  }
}
