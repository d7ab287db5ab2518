// The same iteration. A step only remembers that a value left its range; the message comes once, after the loop.
// launch: iterate<<<ceil(n / block), 256>>>(start, rate, last, n)
#define STEPS 128

extern "C" __global__ void iterate(const float* __restrict__ start, const float* __restrict__ rate, float* __restrict__ last, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = start[i], r = rate[i], most = 0.f;
#pragma unroll 8
  for (int k = 0; k < STEPS; ++k) {
    v = r * v * (1.f - v);
    most = fmaxf(most, fabsf(v));
  }
  if (most > 1.f || v != v) printf("a value of %d left its range\n", i);
  last[i] = v;
}
