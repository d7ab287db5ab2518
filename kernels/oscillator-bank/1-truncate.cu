// A bank of oscillators: a thread advances four phases, in turns, by 128 steps and adds up their triangle waves. A phase is
// brought back to the range from -0.5 to 0.5 by subtracting the nearest whole number.
// launch: play<<<ceil(n / 4 / block), 256>>>(phase, turn, sound, n)
#define STEPS 128

extern "C" __global__ void play(const float4* __restrict__ phase, const float4* __restrict__ turn, float4* __restrict__ sound, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 first = phase[i], step = turn[i];
  float p[4] = {first.x, first.y, first.z, first.w}, f[4] = {step.x, step.y, step.z, step.w}, y[4] = {};
#pragma unroll 4
  for (int k = 0; k < STEPS; ++k) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      p[j] += f[j];
      p[j] -= (float)(int)(p[j] + 0.5f);  // slow: here
      y[j] += fabsf(p[j]);
    }
  }
  sound[i] = make_float4(y[0], y[1], y[2], y[3]);
}
