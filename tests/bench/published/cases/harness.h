// Shared measuring harness (timing, comparison, profile mode). No kernel of interest lives here.
#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <cmath>
#include <algorithm>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
  printf("{\"case\":\"?\",\"error\":\"%s at %s:%d\",\"ok\":false}\n", cudaGetErrorString(e_), __FILE__, __LINE__); \
  exit(2); } } while (0)

template <class T> T* dalloc(size_t n) { T* p = nullptr; CK(cudaMalloc(&p, n * sizeof(T))); CK(cudaMemset(p, 0, n * sizeof(T))); return p; }

__host__ __device__ inline uint32_t h32(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16; return x; }

__global__ void init_uniform(float* p, size_t n, float lo, float hi, uint32_t seed) {
  size_t st = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += st)
    p[i] = lo + (hi - lo) * (h32((uint32_t)i * 2654435761u + seed) >> 8) * (1.0f / 16777216.0f);
}
__global__ void init_uint(uint32_t* p, size_t n, uint32_t mod, uint32_t seed) {
  size_t st = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += st) {
    uint32_t v = h32((uint32_t)i * 2654435761u + seed);
    p[i] = mod ? v % mod : v;
  }
}
inline void fill_uniform(float* p, size_t n, float lo, float hi, uint32_t seed) { init_uniform<<<2048, 256>>>(p, n, lo, hi, seed); CK(cudaGetLastError()); }
inline void fill_uint(uint32_t* p, size_t n, uint32_t mod, uint32_t seed) { init_uint<<<2048, 256>>>(p, n, mod, seed); CK(cudaGetLastError()); }

// bad counter: number of elements with |a-b| > atol + rtol*|b| (or NaN)
__global__ void cmp_f32(const float* a, const float* b, size_t n, float rtol, float atol, unsigned long long* bad) {
  size_t st = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += st)
    if (!(fabsf(a[i] - b[i]) <= atol + rtol * fabsf(b[i]))) atomicAdd(bad, 1ull);
}
__global__ void cmp_u32(const uint32_t* a, const uint32_t* b, size_t n, unsigned long long* bad) {
  size_t st = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += st)
    if (a[i] != b[i]) atomicAdd(bad, 1ull);
}
inline unsigned long long count_bad(const float* a, const float* b, size_t n, float rtol, float atol) {
  unsigned long long* d = dalloc<unsigned long long>(1), h = 0;
  cmp_f32<<<1024, 256>>>(a, b, n, rtol, atol, d); CK(cudaGetLastError());
  CK(cudaMemcpy(&h, d, 8, cudaMemcpyDeviceToHost)); cudaFree(d); return h;
}
inline unsigned long long count_bad_u(const void* a, const void* b, size_t n) {
  unsigned long long* d = dalloc<unsigned long long>(1), h = 0;
  cmp_u32<<<1024, 256>>>((const uint32_t*)a, (const uint32_t*)b, n, d); CK(cudaGetLastError());
  CK(cudaMemcpy(&h, d, 8, cudaMemcpyDeviceToHost)); cudaFree(d); return h;
}
inline bool any_nonzero(const void* a, size_t nwords) {   // guards against comparing two empty outputs
  std::vector<uint32_t> h(std::min<size_t>(nwords, 1 << 20));
  CK(cudaMemcpy(h.data(), a, h.size() * 4, cudaMemcpyDeviceToHost));
  for (uint32_t v : h) if (v) return true;
  return false;
}

template <class R, class F> double median_us(R reset, F f) {
  cudaEvent_t e0, e1; CK(cudaEventCreate(&e0)); CK(cudaEventCreate(&e1));
  std::vector<float> t;
  for (int i = 0; i < 23; i++) {
    reset();
    CK(cudaEventRecord(e0)); f(); CK(cudaEventRecord(e1)); CK(cudaGetLastError());
    CK(cudaEventSynchronize(e1));
    float ms; CK(cudaEventElapsedTime(&ms, e0, e1));
    if (i >= 3) t.push_back(ms);
  }
  std::sort(t.begin(), t.end());
  return 1000.0 * 0.5 * (t[t.size() / 2 - 1] + t[t.size() / 2]);
}

// reset_s/reset_f bring the output buffers to their start state (not timed).
// profile mode: order is before(warm), after(warm), before, after => ncu --launch-skip 2 --launch-count 2
template <class RS, class FS, class RF, class FF, class CHK>
int bench(int argc, char** argv, const char* name, const char* kslow, const char* kfixed, RS rs, FS fs, RF rf, FF ff, CHK check) {
  CK(cudaDeviceSynchronize());
  if (argc > 1 && !strcmp(argv[1], "names")) { printf("%s %s\n", kslow, kfixed); return 0; }
  if (argc > 1 && !strcmp(argv[1], "profile")) {
    for (int i = 0; i < 2; i++) { rs(); fs(); CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); rf(); ff(); CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); }
    printf("%s %s\n", kslow, kfixed);
    return 0;
  }
  rs(); fs(); CK(cudaGetLastError()); CK(cudaDeviceSynchronize());
  rf(); ff(); CK(cudaGetLastError()); CK(cudaDeviceSynchronize());
  unsigned long long bad = check();
  double a = median_us(rs, fs), b = median_us(rf, ff);
  CK(cudaDeviceSynchronize());
  printf("{\"case\":\"%s\",\"slow_kernel\":\"%s\",\"fixed_kernel\":\"%s\",\"slow_us\":%.2f,\"fixed_us\":%.2f,\"ratio\":%.3f,\"bad\":%llu,\"ok\":%s}\n",
         name, kslow, kfixed, a, b, a / b, bad, bad == 0 ? "true" : "false");
  return bad ? 1 : 0;
}
static auto nothing = [] {};
