#include "harness.h"
// March of rays with widely varying numbers of steps.
struct Ray { float s; int left; };
__device__ __forceinline__ Ray start(uint32_t i) { uint32_t h = h32(i + 1); int k = h & 15; return {(h >> 8) * (1.0f / 16777216.0f), k < 12 ? 16 + (int)((h >> 4) & 31) : k < 15 ? 160 : 1200}; }
__device__ __forceinline__ float march(float s) { return fmaf(s, 0.99f, __fdividef(0.01f, 0.5f + s * s)) + 0.001f * __sinf(s); }
__global__ void trace_a(float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  Ray r = start(i); while (r.left-- > 0) r.s = march(r.s);
  out[i] = r.s;
}
__global__ void trace_b(float* __restrict__ out, int n, int* __restrict__ next) {
  const int lane = threadIdx.x & 31; int id = -1; Ray r = {0, 0}; bool more = true;
  while (true) {
    unsigned idle = __ballot_sync(~0u, id < 0);
    if (idle == ~0u && !more) break;
    if (more && (__popc(idle) >= 8)) {
      int base = 0, leader = __ffs(idle) - 1;
      if (lane == leader) base = atomicAdd(next, __popc(idle));
      base = __shfl_sync(~0u, base, leader);
      if (id < 0) { int c = base + __popc(idle & ((1u << lane) - 1)); if (c < n) { id = c; r = start(c); } }
      more = base + __popc(idle) < n;
    }
    for (int k = 0; k < 8; k++) if (id >= 0) { r.s = march(r.s); if (--r.left == 0) { out[id] = r.s; id = -1; } }
  }
}
int main(int argc, char** argv) {
  const int n = 1 << 21; float *o1 = dalloc<float>(n), *o2 = dalloc<float>(n); int* c = dalloc<int>(1);
  return bench(argc, argv, "rays", "trace_a", "trace_b", nothing, [&] { trace_a<<<n / 256, 256>>>(o1, n); },
               [&] { CK(cudaMemsetAsync(c, 0, 4)); }, [&] { trace_b<<<132 * 8, 256>>>(o2, n, c); }, [&] { return count_bad(o1, o2, n, 1e-4f, 1e-5f) + !any_nonzero(o1, n); });
}
