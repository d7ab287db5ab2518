// Launch bounds that leave 32 registers for a window of 48 values.
#define WINDOW 48
__global__ __launch_bounds__(128, 16) void median_of(const float* v, float* out, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  float w[WINDOW];
#pragma unroll
  for (int k = 0; k < WINDOW; ++k) w[k] = v[k * n + i];
#pragma unroll
  for (int a = 0; a < WINDOW; ++a)
#pragma unroll
    for (int b = a + 1; b < WINDOW; b += 5) {
      float low = fminf(w[a], w[b]);
      w[b] = fmaxf(w[a], w[b]);
      w[a] = low;
    }
  float s = 0.f;
#pragma unroll
  for (int k = 0; k < WINDOW; ++k) s = s * 0.5f + w[k];
  out[i] = s;
}
