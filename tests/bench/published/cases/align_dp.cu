#include "harness.h"
// Integer dynamic-programming style recurrence along a fixed-length segment, repeated per read; reads differ in length.
constexpr int SEG = 1536;
#define CELL(k) { uint32_t t = __funnelshift_l(h, h, 5) ^ (e + 0x9e3779b9u * (uint32_t)((k) + 1)); e = max(e + (t & 0xffu), f - (uint32_t)(k)); f = (f ^ (t >> 3)) + h; h = t + min(e, f); }
__global__ void align_a(const uint32_t* __restrict__ len, uint32_t* __restrict__ out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x; uint32_t h = t + 1, e = h * 7u, f = h * 13u; int n = len[t >> 5];
#pragma unroll 1
  for (int r = 0; r < n; r++) {
#pragma unroll
    for (int k = 0; k < SEG; k++) CELL(k)
  }
  out[t] = h ^ e ^ f;
}
__global__ void align_b(const uint32_t* __restrict__ len, uint32_t* __restrict__ out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x; uint32_t h = t + 1, e = h * 7u, f = h * 13u; int n = len[t >> 5];
#pragma unroll 1
  for (int r = 0; r < n; r++) {
#pragma unroll 8
    for (int k = 0; k < SEG; k++) CELL(k)
  }
  out[t] = h ^ e ^ f;
}
__global__ void mklen(uint32_t* l, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) l[i] = 4 + h32(i) % 9; }
int main(int argc, char** argv) {
  const int n = 132 * 2048 * 2; uint32_t *l = dalloc<uint32_t>(n / 32), *o1 = dalloc<uint32_t>(n), *o2 = dalloc<uint32_t>(n); mklen<<<(n / 32 + 255) / 256, 256>>>(l, n / 32);
  return bench(argc, argv, "align_dp", "align_a", "align_b", nothing, [&] { align_a<<<n / 64, 64>>>(l, o1); },
               nothing, [&] { align_b<<<n / 64, 64>>>(l, o2); }, [&] { return count_bad_u(o1, o2, n) + !any_nonzero(o1, n); });
}
