#include "harness.h"
// Unordered filter: keep the elements above a threshold.
__global__ void filter_a(const float* __restrict__ in, size_t n, float thr, float* __restrict__ out, int* __restrict__ cnt) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > thr) out[atomicAdd(cnt, 1)] = in[i];
}
constexpr int PER = 16;
__global__ void filter_b(const float* __restrict__ in, size_t n, float thr, float* __restrict__ out, int* __restrict__ cnt) {
  __shared__ int wsum[8], base;
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  size_t b0 = (size_t)blockIdx.x * 256 * PER + w * 32 * PER + lane;
  float v[PER]; unsigned m[PER]; int c = 0;
#pragma unroll
  for (int j = 0; j < PER; j++) { size_t i = b0 + j * 32; v[j] = i < n ? in[i] : thr; }
#pragma unroll
  for (int j = 0; j < PER; j++) { m[j] = __ballot_sync(~0u, v[j] > thr); c += __popc(m[j]); }
  if (lane == 0) wsum[w] = c;
  __syncthreads();
  if (threadIdx.x == 0) { int t = 0; for (int k = 0; k < 8; k++) { int x = wsum[k]; wsum[k] = t; t += x; } base = atomicAdd(cnt, t); }
  __syncthreads();
  int o = base + wsum[w];
#pragma unroll
  for (int j = 0; j < PER; j++) { if (v[j] > thr) out[o + __popc(m[j] & ((1u << lane) - 1))] = v[j]; o += __popc(m[j]); }
}
static unsigned long long sig(const float* d, const int* c, int& cnt) {
  CK(cudaMemcpy(&cnt, c, 4, cudaMemcpyDeviceToHost)); std::vector<uint32_t> h(cnt);
  CK(cudaMemcpy(h.data(), d, (size_t)cnt * 4, cudaMemcpyDeviceToHost)); unsigned long long s = 0; for (uint32_t v : h) s += (unsigned long long)h32(v); return s;
}
int main(int argc, char** argv) {
  const size_t n = 1u << 25;
  float *in = dalloc<float>(n), *o1 = dalloc<float>(n), *o2 = dalloc<float>(n); int *c1 = dalloc<int>(1), *c2 = dalloc<int>(1);
  fill_uniform(in, n, 0, 1, 9);
  return bench(argc, argv, "compact", "filter_a", "filter_b", [&] { CK(cudaMemsetAsync(c1, 0, 4)); }, [&] { filter_a<<<n / 256, 256>>>(in, n, 0.5f, o1, c1); },
               [&] { CK(cudaMemsetAsync(c2, 0, 4)); }, [&] { filter_b<<<n / 256 / PER, 256>>>(in, n, 0.5f, o2, c2); },
               [&]() -> unsigned long long { int a, b; unsigned long long x = sig(o1, c1, a), y = sig(o2, c2, b); return a != b || x != y || a == 0; });
}
