// The same weights. The trace does not change while the kernel runs, so its loads may use the L1 cache.
// launch: smooth<<<ceil(n / block), 256>>>(x, y, n)
extern "C" __global__ void smooth(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.4f * x[i + 3];
  s = fmaf(0.2f, x[i + 2] + x[i + 4], s);
  s = fmaf(0.075f, x[i + 1] + x[i + 5], s);
  y[i] = fmaf(0.025f, x[i] + x[i + 6], s);
}
