// Single precision, except for two literals without an f: every step converts to double and back.
extern "C" __global__ void double_literals(const float* __restrict__ in, float* __restrict__ out, int n, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  for (int t = 0; t < iters; ++t) v = v * 0.9991 + 0.0007;
  out[i] = v;
}
