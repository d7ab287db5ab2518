// Planes, and eight adjacent outputs per thread: a window of samples slides through registers, 16 bytes per load.
// In every other run of 32 words the halves of each 8 are swapped, so that lanes eight words apart use different banks.
// constant: taps = taps
// launch: filter<<<n / 1024, 256>>>(signal, filtered, n)
#define TAPS 128
#define SPAN 1024
#define PLACE(i) ((i) ^ (i) / 32 % 2 * 4)
__constant__ float taps[TAPS];
extern "C" __global__ void __launch_bounds__(256) filter(const float2* __restrict__ signal, float* __restrict__ filtered, int n) {
  __shared__ __align__(16) float planes[2][SPAN + TAPS];
  int component = threadIdx.x / 128, at = threadIdx.x % 128 * 8;
  size_t first = (size_t)blockIdx.x * SPAN;
  for (int i = threadIdx.x; i < SPAN + TAPS; i += 256) {
    float2 pair = signal[first + i];
    planes[0][PLACE(i)] = pair.x;
    planes[1][PLACE(i)] = pair.y;
  }
  __syncthreads();
  const float* plane = planes[component];
  float window[16], s[8] = {};
  *(float4*)&window[0] = *(const float4*)&plane[PLACE(at)];
  *(float4*)&window[4] = *(const float4*)&plane[PLACE(at) ^ 4];
#pragma unroll
  for (int k = 0; k < TAPS; k += 8) {
    int next = PLACE(at + k + 8);
    *(float4*)&window[8] = *(const float4*)&plane[next];
    *(float4*)&window[12] = *(const float4*)&plane[next ^ 4];
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int o = 0; o < 8; ++o) s[o] += taps[k + j] * window[o + j];
#pragma unroll
    for (int j = 0; j < 8; ++j) window[j] = window[j + 8];
  }
  float* to = filtered + (size_t)component * n + first + at;
  *(float4*)to = make_float4(s[0], s[1], s[2], s[3]);
  *(float4*)(to + 4) = make_float4(s[4], s[5], s[6], s[7]);
}
