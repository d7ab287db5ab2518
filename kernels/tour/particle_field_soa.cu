// The same field as a separate array.
extern "C" __global__ void particle_field_soa(const float* __restrict__ mass, float* __restrict__ out, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mass[i] * k;
}
