// Iterates a logistic map for many starting values. After every step a message would report a value that left its range; none
// ever does.
// launch: iterate<<<ceil(n / block), 256>>>(start, rate, last, n)
#define STEPS 128

extern "C" __global__ void iterate(const float* __restrict__ start, const float* __restrict__ rate, float* __restrict__ last, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = start[i], r = rate[i];
  for (int k = 0; k < STEPS; ++k) {
    v = r * v * (1.f - v);
    if (!(fabsf(v) <= 1.f)) printf("value %f of %d at step %d\n", v, i, k);  // slow: here
  }
  last[i] = v;
}
