// Smooths a recorded sensor trace with seven weights. The buffer is declared volatile, as in the driver that fills it.
// launch: smooth<<<ceil(n / block), 256>>>(x, y, n)
extern "C" __global__ void smooth(const volatile float* x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.4f * x[i + 3];  // slow: here
  s = fmaf(0.2f, x[i + 2] + x[i + 4], s);  // slow: here
  s = fmaf(0.075f, x[i + 1] + x[i + 5], s);  // slow: here
  y[i] = fmaf(0.025f, x[i] + x[i + 6], s);  // slow: here
}
