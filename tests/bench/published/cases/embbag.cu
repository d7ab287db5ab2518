#include "harness.h"
// Sum pooling of embedding rows (dim 128), one warp per bag, weights per sample.
constexpr int D = 128;
__global__ void bag_a(const float4* __restrict__ tab, const uint32_t* __restrict__ idx, const float* __restrict__ wt, float4* __restrict__ out, int bags, int pool) {
  int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31; if (b >= bags) return;
  float4 a = {0, 0, 0, 0};
#pragma unroll 1
  for (int j = 0; j < pool; j++) {
    uint32_t r = idx[b * pool + j]; float w = wt[b * pool + j];
    float4 v = tab[(size_t)r * (D / 4) + lane]; a.x += w * v.x; a.y += w * v.y; a.z += w * v.z; a.w += w * v.w;
  }
  out[b * 32 + lane] = a;
}
constexpr int PF = 6;
__global__ void bag_b(const float4* __restrict__ tab, const uint32_t* __restrict__ idx, const float* __restrict__ wt, float4* __restrict__ out, int bags, int pool) {
  int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31; if (b >= bags) return;
  float4 a = {0, 0, 0, 0};
  for (int j = 0; j < pool; j += PF) {
    uint32_t r[PF]; float w[PF]; float4 v[PF];
#pragma unroll
    for (int k = 0; k < PF; k++) { r[k] = idx[b * pool + j + k]; w[k] = wt[b * pool + j + k]; }
#pragma unroll
    for (int k = 0; k < PF; k++) v[k] = tab[(size_t)r[k] * (D / 4) + lane];
#pragma unroll
    for (int k = 0; k < PF; k++) { a.x += w[k] * v[k].x; a.y += w[k] * v[k].y; a.z += w[k] * v[k].z; a.w += w[k] * v[k].w; }
  }
  out[b * 32 + lane] = a;
}
int main(int argc, char** argv) {
  const int rows = 1 << 20, bags = 2048, pool = 150; size_t nt = (size_t)rows * D;
  float *tab = dalloc<float>(nt), *wt = dalloc<float>(bags * pool), *o1 = dalloc<float>(bags * D), *o2 = dalloc<float>(bags * D); uint32_t* idx = dalloc<uint32_t>(bags * pool);
  fill_uniform(tab, nt, 0, 1, 1); fill_uniform(wt, bags * pool, 0, 1, 2); fill_uint(idx, bags * pool, rows, 3);
  return bench(argc, argv, "embbag", "bag_a", "bag_b", nothing, [&] { bag_a<<<bags / 4, 128>>>((float4*)tab, idx, wt, (float4*)o1, bags, pool); },
               nothing, [&] { bag_b<<<bags / 4, 128>>>((float4*)tab, idx, wt, (float4*)o2, bags, pool); }, [&] { return count_bad(o1, o2, bags * D, 1e-4f, 1e-4f) + !any_nonzero(o1, bags * D); });
}
