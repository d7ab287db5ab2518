#include "harness.h"
// Work-efficient exclusive scan of 1024-element blocks (up-sweep, down-sweep).
template <int PAD> __device__ __forceinline__ void scan_body(const int* __restrict__ in, int* __restrict__ out, int* s) {
  const int n = 1024, t = threadIdx.x; size_t b = (size_t)blockIdx.x * n; int off = 1;
#define IX(i) ((i) + (PAD ? ((i) >> 5) : 0))
  int a0 = PAD ? t : 2 * t, a1 = PAD ? t + n / 2 : 2 * t + 1;
  s[IX(a0)] = in[b + a0]; s[IX(a1)] = in[b + a1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) { int ai = off * (2 * t + 1) - 1, bi = off * (2 * t + 2) - 1; s[IX(bi)] += s[IX(ai)]; }
    off *= 2;
  }
  if (t == 0) s[IX(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    off >>= 1; __syncthreads();
    if (t < d) { int ai = off * (2 * t + 1) - 1, bi = off * (2 * t + 2) - 1; int x = s[IX(ai)]; s[IX(ai)] = s[IX(bi)]; s[IX(bi)] += x; }
  }
  __syncthreads();
  out[b + a0] = s[IX(a0)]; out[b + a1] = s[IX(a1)];
#undef IX
}
__global__ void prescan_a(const int* __restrict__ in, int* __restrict__ out) { __shared__ int s[1024]; scan_body<0>(in, out, s); }
__global__ void prescan_b(const int* __restrict__ in, int* __restrict__ out) { __shared__ int s[1024 + 32]; scan_body<1>(in, out, s); }
int main(int argc, char** argv) {
  const size_t n = 1u << 25; int *a = dalloc<int>(n), *o1 = dalloc<int>(n), *o2 = dalloc<int>(n); fill_uint((uint32_t*)a, n, 100, 2);
  return bench(argc, argv, "scan_block", "prescan_a", "prescan_b", nothing, [&] { prescan_a<<<n / 1024, 512>>>(a, o1); },
               nothing, [&] { prescan_b<<<n / 1024, 512>>>(a, o2); }, [&] { return count_bad_u(o1, o2, n) + !any_nonzero(o1, n); });
}
