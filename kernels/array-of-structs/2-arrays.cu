// The charges are in a separate array; one particle per thread.
// launch: charge_density<<<ceil(n / block), 256>>>(charge, density, inverse_volume, n)
extern "C" __global__ void charge_density(const float* __restrict__ charge, float* __restrict__ density,
                                          float inverse_volume, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) density[i] = charge[i] * inverse_volume;
}
