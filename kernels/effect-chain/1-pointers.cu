// A chain of 16 effects for audio samples, chosen at run time: the effects are functions in a table, called through pointers.
// launch: chain<<<ceil(n / block), 256>>>(x, y, n)
// constant: effect = effects
// constant: amount = amounts
#define CHAIN 16
__constant__ int effect[CHAIN];
__constant__ float amount[CHAIN];

__device__ float gain(float v, float a) { return v * a; }
__device__ float offset(float v, float a) { return v + a; }
__device__ float clip(float v, float a) { return fminf(fmaxf(v, -a), a); }
__device__ float fold(float v, float a) { return fmaf(-a * v, fabsf(v), v); }

typedef float (*Effect)(float, float);
__constant__ Effect table[4] = {gain, offset, clip, fold};

extern "C" __global__ void chain(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < CHAIN; ++k) v = table[effect[k]](v, amount[k]);  // slow: here
  y[i] = v;
}
