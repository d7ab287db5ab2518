// A detector's response to each signal value: a power series of 256 coefficients, summed from the highest power down.
// launch: respond<<<ceil(n / block), 256>>>(signal, coefficient, response, n, order)
extern "C" __global__ void respond(const float* __restrict__ signal, const float* __restrict__ coefficient,
                                   float* __restrict__ response, int n, int order) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = signal[i], sum = 0.f;
  for (int k = order - 1; k >= 0; --k) sum = fmaf(sum, x, coefficient[k]);  // slow: here
  response[i] = sum;
}
