#include "harness.h"
__global__ void spmv_row(int nr, const int* __restrict__ rp, const int* __restrict__ ci, const float* __restrict__ va, const float* __restrict__ x, float* __restrict__ y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < nr) { float s = 0; for (int j = rp[r]; j < rp[r + 1]; j++) s += va[j] * x[ci[j]]; y[r] = s; }
}
__global__ void spmv_warp(int nr, const int* __restrict__ rp, const int* __restrict__ ci, const float* __restrict__ va, const float* __restrict__ x, float* __restrict__ y) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (r < nr) {
    float s = 0; for (int j = rp[r] + lane; j < rp[r + 1]; j += 32) s += va[j] * x[ci[j]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (!lane) y[r] = s;
  }
}
__global__ void mkcols(int nr, const int* rp, int* ci) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < nr) for (int j = rp[r]; j < rp[r + 1]; j++) ci[j] = min(nr - 1, max(0, r + (int)(h32(j) % 4001) - 2000)); }
int main(int argc, char** argv) {
  const int nr = 1 << 19; std::vector<int> h(nr + 1); h[0] = 0; for (int i = 0; i < nr; i++) h[i + 1] = h[i] + 32 + h32(i) % 65;
  int nnz = h[nr], *rp = dalloc<int>(nr + 1), *ci = dalloc<int>(nnz); CK(cudaMemcpy(rp, h.data(), (nr + 1) * 4, cudaMemcpyHostToDevice));
  mkcols<<<nr / 256, 256>>>(nr, rp, ci);
  float *va = dalloc<float>(nnz), *x = dalloc<float>(nr), *y1 = dalloc<float>(nr), *y2 = dalloc<float>(nr);
  fill_uniform(va, nnz, 0, 1, 1); fill_uniform(x, nr, 0, 1, 2);
  return bench(argc, argv, "spmv", "spmv_row", "spmv_warp", nothing, [&] { spmv_row<<<nr / 256, 256>>>(nr, rp, ci, va, x, y1); },
               nothing, [&] { spmv_warp<<<nr / 8, 256>>>(nr, rp, ci, va, x, y2); }, [&] { return count_bad(y1, y2, nr, 1e-4f, 1e-4f) + !any_nonzero(y1, nr); });
}
