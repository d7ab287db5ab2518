// The coefficients in constant memory, the loop unrolled: their addresses are known at compile time, and the load/store unit is not needed for them.
// launch: respond<<<ceil(n / block), 256>>>(signal, response, n)
// constant: constant_coefficient = coefficient
constexpr int kOrder = 256;
__constant__ float constant_coefficient[kOrder];

extern "C" __global__ void respond(const float* __restrict__ signal, float* __restrict__ response, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = signal[i], sum = 0.f;
#pragma unroll
  for (int k = kOrder - 1; k >= 0; --k) sum = fmaf(sum, x, constant_coefficient[k]);
  response[i] = sum;
}
