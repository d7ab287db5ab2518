// Sines and exponentials: the special-function unit is a quarter as wide as the others.
extern "C" __global__ void wave_sum(const float* __restrict__ in, float* __restrict__ out, int n, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i], s = 0.f;
  for (int t = 0; t < iters; ++t) { s += __sinf(v) + __expf(-v) + __cosf(s); v += 0.125f; }
  out[i] = s;
}
