#include "harness.h"
// One relaxation over a graph with a heavy-tailed degree distribution: level = min over neighbours + 1.
__global__ void relax_vertex(int nv, const int* __restrict__ rp, const int* __restrict__ nb, const int* __restrict__ lv, int* __restrict__ out) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < nv) { int m = lv[v]; for (int e = rp[v]; e < rp[v + 1]; e++) m = min(m, lv[nb[e]] + 1); out[v] = m; }
}
__global__ void relax_warp(int nv, const int* __restrict__ rp, const int* __restrict__ nb, const int* __restrict__ lv, int* __restrict__ out) {
  int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (v < nv) {
    int m = lv[v]; for (int e = rp[v] + lane; e < rp[v + 1]; e += 32) m = min(m, lv[nb[e]] + 1);
    for (int o = 16; o; o >>= 1) m = min(m, __shfl_xor_sync(~0u, m, o));
    if (!lane) out[v] = m;
  }
}
int main(int argc, char** argv) {
  const int nv = 1 << 19; std::vector<int> h(nv + 1); h[0] = 0;
  for (int i = 0; i < nv; i++) { double u = (h32(i + 77) + 1.0) / 4294967296.0; int d = (int)std::min(4096.0, 6.0 / pow(u, 0.75)); h[i + 1] = h[i] + d; }
  int ne = h[nv], *rp = dalloc<int>(nv + 1), *nb = dalloc<int>(ne), *lv = dalloc<int>(nv), *o1 = dalloc<int>(nv), *o2 = dalloc<int>(nv);
  CK(cudaMemcpy(rp, h.data(), (nv + 1) * 4, cudaMemcpyHostToDevice)); fill_uint((uint32_t*)nb, ne, nv, 3); fill_uint((uint32_t*)lv, nv, 1000000, 4);
  return bench(argc, argv, "degree_walk", "relax_vertex", "relax_warp", nothing, [&] { relax_vertex<<<nv / 256, 256>>>(nv, rp, nb, lv, o1); },
               nothing, [&] { relax_warp<<<nv / 8, 256>>>(nv, rp, nb, lv, o2); }, [&] { return count_bad_u(o1, o2, nv) + !any_nonzero(o1, nv); });
}
