// Eight independent chains of multiply-adds per thread, in registers, without memory traffic.
// launch: fp64<<<sms * 32, 256>>>(y, a, b, rounds)
extern "C" __global__ void __launch_bounds__(256) fp64(double* y, double a, double b, int rounds) {
  size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  double v[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) v[j] = (double)((t + j) % 1024);
  for (int k = 0; k < rounds; k += 16) {
#pragma unroll
    for (int u = 0; u < 16; ++u) {
#pragma unroll
      for (int j = 0; j < 8; ++j) v[j] = v[j] * a + b;
    }
  }
  double s = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) s += v[j];
  y[t] = s;
}
