#include "harness.h"
// sin/cos of random phases from a table of 1440 entries each.
constexpr int M = 1440;
__constant__ float csin[M], ccos[M];
__global__ void phasor_a(const float* __restrict__ ph, float2* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int k = min(M - 1, (int)(ph[i] * (M / 6.283185307f)));
    out[i] = make_float2(ccos[k], csin[k]);
  }
}
__global__ void phasor_b(const float* __restrict__ ph, float2* __restrict__ out, int n) {
  __shared__ float ss[M], sc[M];
  for (int k = threadIdx.x; k < M; k += blockDim.x) { ss[k] = csin[k]; sc[k] = ccos[k]; }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int k = min(M - 1, (int)(ph[i] * (M / 6.283185307f)));
    out[i] = make_float2(sc[k], ss[k]);
  }
}
int main(int argc, char** argv) {
  const int n = 1 << 24; std::vector<float> s(M), c(M); for (int k = 0; k < M; k++) { s[k] = sinf(k * 6.283185307f / M); c[k] = cosf(k * 6.283185307f / M); }
  CK(cudaMemcpyToSymbol(csin, s.data(), M * 4)); CK(cudaMemcpyToSymbol(ccos, c.data(), M * 4));
  float* ph = dalloc<float>(n); float2 *o1 = (float2*)dalloc<float>(2 * (size_t)n), *o2 = (float2*)dalloc<float>(2 * (size_t)n); fill_uniform(ph, n, 0, 6.2831f, 8);
  return bench(argc, argv, "phase_lut", "phasor_a", "phasor_b", nothing, [&] { phasor_a<<<1056, 256>>>(ph, o1, n); },
               nothing, [&] { phasor_b<<<1056, 256>>>(ph, o2, n); }, [&] { return count_bad_u(o1, o2, 2 * (size_t)n) + !any_nonzero(o1, n); });
}
