// A private histogram in an array whose index is known only at run time: registers cannot be indexed, so it is in local memory.
#define BINS 64
extern "C" __global__ void private_bins(const unsigned char* __restrict__ in, unsigned* __restrict__ out, int n, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bins[BINS];
#pragma unroll
  for (int b = 0; b < BINS; ++b) bins[b] = 0;
  for (int t = 0; t < iters; ++t) bins[in[(size_t)t * n + i] & (BINS - 1)] += t + 1;
  unsigned h = 0;
#pragma unroll
  for (int b = 0; b < BINS; ++b) h = h * 31u + bins[b];
  out[i] = h;
}
