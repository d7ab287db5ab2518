#include "harness.h"
// Attention forward (fp32, head dim 64), K/V tiles of 32 keys in shared memory, one warp works on four queries, lane = key.
constexpr int D = 64, KT = 32, QW = 4, WPB = 4;
template <int LD> __device__ __forceinline__ void attn(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, float* __restrict__ O, int n, float* ks, float* vs, float* qs) {
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5; size_t hb = (size_t)blockIdx.y * n * D; int q0 = blockIdx.x * QW * WPB;
  for (int e = threadIdx.x; e < QW * WPB * D; e += blockDim.x) qs[e] = Q[hb + (size_t)q0 * D + e] * 0.125f;
  float m[QW], l[QW], o0[QW], o1[QW];
#pragma unroll
  for (int r = 0; r < QW; r++) { m[r] = -1e30f; l[r] = o0[r] = o1[r] = 0; }
  for (int k0 = 0; k0 < n; k0 += KT) {
    __syncthreads();
    for (int e = threadIdx.x; e < KT * D; e += blockDim.x) { ks[(e / D) * LD + e % D] = K[hb + (size_t)k0 * D + e]; vs[e] = V[hb + (size_t)k0 * D + e]; }
    __syncthreads();
    float s[QW] = {};
#pragma unroll 8
    for (int d = 0; d < D; d++) {
      float kv = ks[lane * LD + d];
#pragma unroll
      for (int r = 0; r < QW; r++) s[r] += qs[(w * QW + r) * D + d] * kv;
    }
#pragma unroll
    for (int r = 0; r < QW; r++) {
      float mx = s[r]; for (int o = 16; o; o >>= 1) mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, o));
      mx = fmaxf(mx, m[r]); float p = __expf(s[r] - mx), c = __expf(m[r] - mx), ps = p;
      for (int o = 16; o; o >>= 1) ps += __shfl_xor_sync(~0u, ps, o);
      l[r] = l[r] * c + ps; o0[r] *= c; o1[r] *= c; m[r] = mx; s[r] = p;
    }
#pragma unroll 8
    for (int j = 0; j < KT; j++) {
      float v0 = vs[j * D + lane], v1 = vs[j * D + lane + 32];
#pragma unroll
      for (int r = 0; r < QW; r++) { float p = __shfl_sync(~0u, s[r], j); o0[r] += p * v0; o1[r] += p * v1; }
    }
  }
#pragma unroll
  for (int r = 0; r < QW; r++) { size_t g = hb + (size_t)(q0 + w * QW + r) * D; O[g + lane] = o0[r] / l[r]; O[g + lane + 32] = o1[r] / l[r]; }
}
__global__ void attn_v1(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, float* __restrict__ O, int n) { __shared__ float ks[KT * D], vs[KT * D], qs[QW * WPB * D]; attn<D>(Q, K, V, O, n, ks, vs, qs); }
__global__ void attn_v2(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, float* __restrict__ O, int n) { __shared__ float ks[KT * (D + 1)], vs[KT * D], qs[QW * WPB * D]; attn<D + 1>(Q, K, V, O, n, ks, vs, qs); }
int main(int argc, char** argv) {
  const int n = 1024, H = 32; size_t m = (size_t)n * H * D; float *q = dalloc<float>(m), *k = dalloc<float>(m), *v = dalloc<float>(m), *o1 = dalloc<float>(m), *o2 = dalloc<float>(m);
  fill_uniform(q, m, -1, 1, 1); fill_uniform(k, m, -1, 1, 2); fill_uniform(v, m, -1, 1, 3); dim3 g(n / (QW * WPB), H);
  return bench(argc, argv, "attn_tile", "attn_v1", "attn_v2", nothing, [&] { attn_v1<<<g, 32 * WPB>>>(q, k, v, o1, n); },
               nothing, [&] { attn_v2<<<g, 32 * WPB>>>(q, k, v, o2, n); }, [&] { return count_bad(o1, o2, m, 1e-3f, 1e-5f) + !any_nonzero(o1, m); });
}
