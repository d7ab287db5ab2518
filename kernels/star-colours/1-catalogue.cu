// The colour index of the stars that were seen: two lanes read the 32 bytes of magnitudes of a star's record of 128 bytes.
// launch: colours<<<n / 128, 256>>>(stars, which, colour, n)
extern "C" __global__ void colours(const float4* __restrict__ stars, const int* __restrict__ which, float* __restrict__ colour, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, half = i % 2;
  if (i >= 2 * n) return;
  int star = __ldcs(which + i / 2);
  float4 m = stars[(size_t)star * 8 + half];  // slow: here
  float sum = half ? m.x * m.z - m.y * m.w : m.x * m.y + m.z * m.w;
  sum += __shfl_xor_sync(~0u, sum, 1);
  if (half == 0) __stcs(colour + i / 2, sum);
}
