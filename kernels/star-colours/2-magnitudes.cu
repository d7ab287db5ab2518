// The colour index of the stars that were seen: two lanes read the 32 bytes of magnitudes of a star, from an array of their own.
// launch: colours<<<n / 128, 256>>>(magnitudes, which, colour, n)
extern "C" __global__ void colours(const float4* __restrict__ magnitudes, const int* __restrict__ which, float* __restrict__ colour,
                                   int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, half = i % 2;
  if (i >= 2 * n) return;
  int star = __ldcs(which + i / 2);
  float4 m = magnitudes[(size_t)star * 2 + half];
  float sum = half ? m.x * m.z - m.y * m.w : m.x * m.y + m.z * m.w;
  sum += __shfl_xor_sync(~0u, sum, 1);
  if (half == 0) __stcs(colour + i / 2, sum);
}
