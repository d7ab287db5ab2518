// Filters a radio signal, pairs of in-phase and quadrature samples, with 128 taps: half a block per component.
// constant: taps = taps
// launch: filter<<<n / 1024, 256>>>(signal, filtered, n)
#define TAPS 128
#define SPAN 1024
__constant__ float taps[TAPS];
extern "C" __global__ void __launch_bounds__(256) filter(const float* __restrict__ signal, float* __restrict__ filtered, int n) {
  __shared__ float pairs[2 * (SPAN + TAPS)];
  int component = threadIdx.x / 128, lane = threadIdx.x % 128;
  size_t first = (size_t)blockIdx.x * SPAN;
  for (int i = threadIdx.x; i < 2 * (SPAN + TAPS); i += 256) pairs[i] = signal[2 * first + i];
  __syncthreads();
  for (int i = lane; i < SPAN; i += 128) {
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < TAPS; ++k) s += taps[k] * pairs[2 * (i + k) + component];  // slow: here
    filtered[(size_t)component * n + first + i] = s;
  }
}
