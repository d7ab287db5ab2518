// Eight independent chains of multiply-adds per thread, in registers, without memory traffic.
// launch: fp32<<<sms * 32, 256>>>(y, a, b, rounds)
extern "C" __global__ void __launch_bounds__(256) fp32(float* y, float a, float b, int rounds) {
  size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  float v[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) v[j] = (float)((t + j) % 1024);
  for (int k = 0; k < rounds; k += 16) {
#pragma unroll
    for (int u = 0; u < 16; ++u) {
#pragma unroll
      for (int j = 0; j < 8; ++j) v[j] = v[j] * a + b;
    }
  }
  float s = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) s += v[j];
  y[t] = s;
}
