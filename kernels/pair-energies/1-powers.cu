// Energy of pairs of atoms at a distance, summed over four kinds of atoms: 4 epsilon ((sigma / r)^12 - (sigma / r)^6).
// launch: energies<<<ceil(n / block), 256>>>(distance, energy, n)
// constant: kind = kinds
__constant__ float2 kind[4];  // epsilon, sigma

extern "C" __global__ void energies(const float* __restrict__ distance, float* __restrict__ energy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float r = distance[i], sum = 0.f;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    float q = kind[k].y / r;  // slow: here
    sum += 4.f * kind[k].x * (powf(q, 12.f) - powf(q, 6.f));  // slow: here
  }
  energy[i] = sum;
}
