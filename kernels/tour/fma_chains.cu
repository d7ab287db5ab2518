// Eight independent multiply-add chains per thread, all in registers: the FMA pipe is the limit.
extern "C" __global__ void fma_chains(float* __restrict__ out, float a, float b, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) v[j] = i * 1e-6f + j;
#pragma unroll 8
  for (int t = 0; t < iters; ++t)
#pragma unroll
    for (int j = 0; j < 8; ++j) v[j] = fmaf(v[j], a, b);
  float s = 0.f;
#pragma unroll
  for (int j = 0; j < 8; ++j) s += v[j];
  out[i] = s;
}
