#include "harness.h"
// Out-of-place transpose of a row-major h x w matrix.
constexpr int TD = 32, BR = 8;
__global__ void transpose_direct(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  int x = blockIdx.x * TD + threadIdx.x, y = blockIdx.y * TD + threadIdx.y;
  for (int j = 0; j < TD; j += BR) out[(size_t)x * h + y + j] = in[(size_t)(y + j) * w + x];
}
__global__ void transpose_block(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  __shared__ float t[TD][TD + 1];
  int x = blockIdx.x * TD + threadIdx.x, y = blockIdx.y * TD + threadIdx.y;
  for (int j = 0; j < TD; j += BR) t[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * w + x];
  __syncthreads();
  int ox = blockIdx.y * TD + threadIdx.x, oy = blockIdx.x * TD + threadIdx.y;
  for (int j = 0; j < TD; j += BR) out[(size_t)(oy + j) * h + ox] = t[threadIdx.x][threadIdx.y + j];
}
int main(int argc, char** argv) {
  const int w = 8192, h = 4096; size_t n = (size_t)w * h;
  float *a = dalloc<float>(n), *o1 = dalloc<float>(n), *o2 = dalloc<float>(n);
  fill_uniform(a, n, -1, 1, 1);
  dim3 b(TD, BR), g(w / TD, h / TD);
  return bench(argc, argv, "transpose", "transpose_direct", "transpose_block", nothing, [&] { transpose_direct<<<g, b>>>(a, o1, w, h); },
               nothing, [&] { transpose_block<<<g, b>>>(a, o2, w, h); }, [&] { return count_bad(o1, o2, n, 0, 0) + !any_nonzero(o1, n); });
}
