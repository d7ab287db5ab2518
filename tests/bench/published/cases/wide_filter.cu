#include "harness.h"
// Denoiser-like pass: per pixel 16 jittered fetches in a wide window of a float4 image.
constexpr int RAD = 128, TAPS = 16;
__device__ __forceinline__ void filt(const float4* __restrict__ im, float4* __restrict__ out, int w, int h, int x, int y) {
  float4 a = {0, 0, 0, 0}; uint32_t s = h32(y * w + x);
  for (int k = 0; k < TAPS; k++) {
    s = s * 1664525u + 1013904223u; int dx = (int)((s >> 8) & (2 * RAD - 1)) - RAD, dy = (int)((s >> 20) & (2 * RAD - 1)) - RAD;
    float4 v = im[(size_t)min(h - 1, max(0, y + dy)) * w + min(w - 1, max(0, x + dx))]; a.x += v.x; a.y += v.y; a.z += v.z; a.w += v.w;
  }
  out[(size_t)y * w + x] = make_float4(a.x / TAPS, a.y / TAPS, a.z / TAPS, a.w / TAPS);
}
__global__ void denoise_v1(const float4* __restrict__ im, float4* __restrict__ out, int w, int h) { filt(im, out, w, h, blockIdx.x * 16 + threadIdx.x, blockIdx.y * 16 + threadIdx.y); }
__global__ void denoise_v2(const float4* __restrict__ im, float4* __restrict__ out, int w, int h, int strip) {
  unsigned id = blockIdx.y * gridDim.x + blockIdx.x, per = strip * gridDim.y, c = id / per, r = id % per;   // walk the groups in vertical strips
  unsigned gx = c * strip + r % strip, gy = r / strip; filt(im, out, w, h, gx * 16 + threadIdx.x, gy * 16 + threadIdx.y);
}
int main(int argc, char** argv) {
  const int w = 16384, h = 1024; size_t n = (size_t)w * h; float4 *im = (float4*)dalloc<float>(4 * n), *o1 = (float4*)dalloc<float>(4 * n), *o2 = (float4*)dalloc<float>(4 * n); fill_uniform((float*)im, 4 * n, 0, 1, 2);
  dim3 g(w / 16, h / 16), b(16, 16);
  return bench(argc, argv, "wide_filter", "denoise_v1", "denoise_v2", nothing, [&] { denoise_v1<<<g, b>>>(im, o1, w, h); },
               nothing, [&] { denoise_v2<<<g, b>>>(im, o2, w, h, 16); }, [&] { return count_bad((float*)o1, (float*)o2, 4 * n, 1e-5f, 1e-6f) + !any_nonzero(o1, n); });
}
