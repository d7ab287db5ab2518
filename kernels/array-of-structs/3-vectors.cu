// An array of charges, 16 bytes per lane and four loads before the first store: 16 particles per thread.
// launch: charge_density<<<ceil(n / (16 * block)), 256>>>(charge, density, inverse_volume, n)
constexpr int kLoads = 4;

extern "C" __global__ void charge_density(const float4* __restrict__ charge, float4* __restrict__ density,
                                          float inverse_volume, int n) {
  int first = blockIdx.x * kLoads * blockDim.x + threadIdx.x;
  float4 q[kLoads];
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    int i = first + k * blockDim.x;
    if (i < n / 4) q[k] = charge[i];
  }
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    int i = first + k * blockDim.x;
    if (i < n / 4)
      density[i] = make_float4(q[k].x * inverse_volume, q[k].y * inverse_volume, q[k].z * inverse_volume,
                               q[k].w * inverse_volume);
  }
}
