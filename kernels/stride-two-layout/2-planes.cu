// The same filter, with the components separated when they are stored to shared memory: one array each.
// constant: taps = taps
// launch: filter<<<n / 1024, 256>>>(signal, filtered, n)
#define TAPS 128
#define SPAN 1024
__constant__ float taps[TAPS];
extern "C" __global__ void __launch_bounds__(256) filter(const float2* __restrict__ signal, float* __restrict__ filtered, int n) {
  __shared__ float planes[2][SPAN + TAPS];
  int component = threadIdx.x / 128, lane = threadIdx.x % 128;
  size_t first = (size_t)blockIdx.x * SPAN;
  for (int i = threadIdx.x; i < SPAN + TAPS; i += 256) {
    float2 pair = signal[first + i];
    planes[0][i] = pair.x;
    planes[1][i] = pair.y;
  }
  __syncthreads();
  const float* plane = planes[component];
  for (int i = lane; i < SPAN; i += 128) {
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < TAPS; ++k) s += taps[k] * plane[i + k];
    filtered[(size_t)component * n + first + i] = s;
  }
}
