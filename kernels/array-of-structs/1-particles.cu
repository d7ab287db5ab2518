// The charge density that each particle adds to its cell: its charge divided by the cell's volume.
// launch: charge_density<<<ceil(n / block), 256>>>(particles, density, inverse_volume, n)
struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

extern "C" __global__ void charge_density(const Particle* __restrict__ particles, float* __restrict__ density,
                                          float inverse_volume, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) density[i] = particles[i].charge * inverse_volume;  // slow: here
}
