// The free energy of molecules at many temperatures. A molecule has 8192 energy levels, 32 in registers of each of 256 threads.
// For each temperature they compute the weights exp(-beta E), sum them, and add a polynomial of each level's share of the sum.
// A block has two molecules.
// launch: weigh<<<sms, 512>>>(level, beta, total, molecules, temperatures)
#define MINE 32

__device__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ float series(float p) { return p * fmaf(p, fmaf(p, fmaf(p, fmaf(p, fmaf(p, 0.125f, -0.25f), 0.5f), -0.75f), 1.f), 0.5f); }

// The sum over the 8 warps of each molecule.
__device__ float sum_of_molecule(float s, float* part) {
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0.f;
#pragma unroll
  for (int w = 0; w < 8; ++w) s += part[threadIdx.x / 256 * 8 + w];
  return s;
}

extern "C" __global__ void __launch_bounds__(512, 1) weigh(const float* __restrict__ level, const float* __restrict__ beta,
                                                          float* __restrict__ total, int molecules, int temperatures) {
  __shared__ float part[2][16];
  for (int m = 2 * blockIdx.x + threadIdx.x / 256; m < molecules; m += 2 * gridDim.x) {
    float x[MINE], weight[MINE], result = 0.f;
#pragma unroll
    for (int j = 0; j < MINE; ++j) x[j] = level[((size_t)m * MINE + j) * 256 + threadIdx.x % 256];
    for (int t = 0; t < temperatures; ++t) {
      float b = -1.4426950f * beta[t], s = 0.f;
#pragma unroll
      for (int j = 0; j < MINE; ++j) s += weight[j] = power_of_two(b * x[j]);
      float share = 1.f / sum_of_molecule(s, part[t % 2]);
#pragma unroll
      for (int j = 0; j < MINE; ++j) result += series(weight[j] * share);
    }
    result = sum_of_molecule(result, part[temperatures % 2]);
    if (threadIdx.x % 256 == 0) total[m] = result;
    __syncthreads();
  }
}
