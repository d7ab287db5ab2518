// An array of the thread with an index that is constant only if the loop is unrolled.
extern "C" __global__ void polynomial(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float power[12];
  power[0] = 1.f;
#pragma unroll 1
  for (int k = 1; k < 12; ++k) power[k] = power[k - 1] * x[i];
  float sum = 0.f;
#pragma unroll 1
  for (int k = 0; k < 12; ++k)
    sum += power[k];
  y[i] = sum;
}
