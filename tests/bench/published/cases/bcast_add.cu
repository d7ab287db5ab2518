#include "harness.h"
#include <cuda_fp16.h>
// dst = a + b, b broadcast in any of four dimensions; the flat index is unravelled.
struct Shape { unsigned n0, n1, n2, n3, b0, b1, b2, b3; };
__global__ void add_bcast_a(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ d, Shape s, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned i3 = i / (s.n2 * s.n1 * s.n0), i2 = (i / (s.n1 * s.n0)) % s.n2, i1 = (i / s.n0) % s.n1, i0 = i % s.n0;
  unsigned j = ((i3 % s.b3) * s.b2 + i2 % s.b2) * s.b1 * s.b0 + (i1 % s.b1) * s.b0 + i0 % s.b0;
  d[i] = __hadd(a[i], b[j]);
}
struct FD { unsigned mp, L, d; };
static FD mk(unsigned d) { unsigned L = 0; while (L < 32 && (1ull << L) < d) L++; return {(unsigned)(((1ull << 32) * ((1ull << L) - d)) / d + 1), L, d}; }
__device__ __forceinline__ unsigned fdiv(unsigned n, FD f) { return (__umulhi(n, f.mp) + n) >> f.L; }
__device__ __forceinline__ unsigned fmodu(unsigned n, FD f) { return n - fdiv(n, f) * f.d; }
struct FShape { FD n0, n1, n2, n10, n210, b0, b1, b2, b3; };
__global__ void add_bcast_b(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ d, FShape s, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned i3 = fdiv(i, s.n210), i2 = fmodu(fdiv(i, s.n10), s.n2), i1 = fmodu(fdiv(i, s.n0), s.n1), i0 = fmodu(i, s.n0);
  unsigned j = (fmodu(i3, s.b3) * s.b2.d + fmodu(i2, s.b2)) * s.b1.d * s.b0.d + fmodu(i1, s.b1) * s.b0.d + fmodu(i0, s.b0);
  d[i] = __hadd(a[i], b[j]);
}
__global__ void tohalf(const float* f, __half* h, size_t n) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) h[i] = __float2half(f[i]); }
int main(int argc, char** argv) {
  Shape s = {1000, 48, 40, 16, 1000, 1, 40, 1}; unsigned n = s.n0 * s.n1 * s.n2 * s.n3, nb = s.b0 * s.b1 * s.b2 * s.b3;
  FShape f = {mk(s.n0), mk(s.n1), mk(s.n2), mk(s.n1 * s.n0), mk(s.n2 * s.n1 * s.n0), mk(s.b0), mk(s.b1), mk(s.b2), mk(s.b3)};
  float* t = dalloc<float>(n); __half *a = (__half*)dalloc<uint16_t>(n), *b = (__half*)dalloc<uint16_t>(nb), *d1 = (__half*)dalloc<uint16_t>(n), *d2 = (__half*)dalloc<uint16_t>(n);
  fill_uniform(t, n, -1, 1, 1); tohalf<<<(n + 255) / 256, 256>>>(t, a, n); fill_uniform(t, nb, -1, 1, 2); tohalf<<<(nb + 255) / 256, 256>>>(t, b, nb);
  CK(cudaDeviceSynchronize()); cudaFree(t);
  return bench(argc, argv, "bcast_add", "add_bcast_a", "add_bcast_b", nothing, [&] { add_bcast_a<<<(n + 127) / 128, 128>>>(a, b, d1, s, n); },
               nothing, [&] { add_bcast_b<<<(n + 127) / 128, 128>>>(a, b, d2, f, n); }, [&] { return count_bad_u(d1, d2, n / 2) + !any_nonzero(d1, n / 2); });
}
