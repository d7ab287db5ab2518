// Each block first copies the coefficients into shared memory.
// launch: respond<<<ceil(n / block), 256, 4 * order>>>(signal, coefficient, response, n, order)
extern "C" __global__ void respond(const float* __restrict__ signal, const float* __restrict__ coefficient,
                                   float* __restrict__ response, int n, int order) {
  extern __shared__ float copied[];
  for (int k = threadIdx.x; k < order; k += blockDim.x) copied[k] = coefficient[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = signal[i], sum = 0.f;
  for (int k = order - 1; k >= 0; --k) sum = fmaf(sum, x, copied[k]);
  response[i] = sum;
}
