// Blocks of eight warps, still one element per thread.
// launch: triad<<<ceil(n / block), 256>>>(x, y, z, a, n)
extern "C" __global__ void triad(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = fmaf(a, x[i], y[i]);
}
