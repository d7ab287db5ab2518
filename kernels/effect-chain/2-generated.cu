// The same chain: the host writes the effects in their order into the source and compiles that, so nothing is called.
// launch: chain<<<ceil(n / block), 256>>>(x, y, n)
// constant: amount = amounts
#define CHAIN 16
__constant__ float amount[CHAIN];

__device__ __forceinline__ float gain(float v, float a) { return v * a; }
__device__ __forceinline__ float offset(float v, float a) { return v + a; }
__device__ __forceinline__ float clip(float v, float a) { return fminf(fmaxf(v, -a), a); }
__device__ __forceinline__ float fold(float v, float a) { return fmaf(-a * v, fabsf(v), v); }

extern "C" __global__ void chain(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  v = gain(v, amount[0]); v = offset(v, amount[1]); v = fold(v, amount[2]); v = clip(v, amount[3]);
  v = gain(v, amount[4]); v = fold(v, amount[5]); v = offset(v, amount[6]); v = clip(v, amount[7]);
  v = gain(v, amount[8]); v = offset(v, amount[9]); v = fold(v, amount[10]); v = clip(v, amount[11]);
  v = gain(v, amount[12]); v = fold(v, amount[13]); v = offset(v, amount[14]); v = clip(v, amount[15]);
  y[i] = v;
}
