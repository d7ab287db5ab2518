// Sums in double precision on purpose: the literals must stay.
__global__ void accumulate(const float *x, double *sums, int n) {
  double total = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) total += x[i] * 0.1;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = total * 1.5;
}
