// An array of structs: every lane loads a 32-byte sector for the 4 bytes of its mass.
struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
extern "C" __global__ void particle_field(const Particle* __restrict__ p, float* __restrict__ out, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = p[i].mass * k;
}
