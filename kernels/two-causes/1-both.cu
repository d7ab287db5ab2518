// Kinetic energy of the particles of each of 64 domains: each thread sums four particles, each warp adds to its domain.
// launch: kinetic<<<n / 1024, 256>>>(particles, energy, n)
struct Particle {
  float x, y, z, charge, vx, vy, vz, mass;
};

extern "C" __global__ void kinetic(const Particle* __restrict__ particles, float* __restrict__ energy, int n) {
  int i = blockIdx.x * 1024 + threadIdx.x;
  float e = 0.f;
#pragma unroll
  for (int j = 0; j < 4; ++j, i += 256) {
    float vx = particles[i].vx, vy = particles[i].vy, vz = particles[i].vz;
    e += 0.5f * particles[i].mass * (vx * vx + vy * vy + vz * vz);
  }
  for (int o = 16; o; o /= 2) e += __shfl_down_sync(~0u, e, o);
  if (threadIdx.x % 32 == 0) atomicAdd(&energy[blockIdx.x / (gridDim.x / 64)], e);  // slow: here
}
