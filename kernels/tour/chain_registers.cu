// A chain with 160 values kept in registers for a second pass: one block of eight warps fits on an SM.
#define K 160
extern "C" __global__ void __launch_bounds__(256) chain_registers(const unsigned* __restrict__ next, float* __restrict__ out, unsigned lines) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
  unsigned at = (unsigned)(((unsigned long long)(i / 32) * 2654435761ull) % lines);
  float v[K], mean = 0.f, var = 0.f;
#pragma unroll
  for (int t = 0; t < K; ++t) { at = next[(size_t)at * 32 + lane]; v[t] = __uint2float_rn(at); mean += v[t]; }
  mean *= 1.f / K;
#pragma unroll
  for (int t = 0; t < K; ++t) var = fmaf(v[t] - mean, v[t] - mean, var);
  out[i] = var;
}
