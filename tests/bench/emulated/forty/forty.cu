// Run each kernel of kernels.cu once. Prints for each the bytes of y and z as a checksum of 32-bit words.
#include "kernels.cu"

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 1 << 18;

struct Any {
  void* p;
  template <class T>
  operator T*() const { return (T*)p; }
};

static unsigned hashed(unsigned i) {
  i = (i ^ i >> 16) * 0x7feb352du;
  i = (i ^ i >> 15) * 0x846ca68bu;
  return i ^ i >> 16;
}

static void check(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
  exit(1);
}

template <class T>
static Any made(int n, unsigned salt, T (*value)(unsigned)) {
  std::vector<T> host(n);
  for (int i = 0; i < n; i++) host[i] = value(hashed(i + salt));
  void* p;
  check(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(p, host.data(), n * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return {p};
}

int main() {
  Any x = made<float>(N, 0, [](unsigned v) { return (v >> 8) * (1.f / (1 << 24)); });
  Any k = made<int>(N, 1u << 20, [](unsigned v) { return (int)(v >> 8); });
  Any d = made<double>(N, 2u << 20, [](unsigned v) { return v / 4294967296.0; });
  Any h = made<__half>(N, 3u << 20, [](unsigned v) { return __float2half((v >> 21) / 2048.f); });
  Any b = made<unsigned char>(N, 4u << 20, [](unsigned v) { return (unsigned char)(v >> 24); });
  std::vector<unsigned> words(N);
  Any y, z;
  check(cudaMalloc(&y.p, 4 * N), "cudaMalloc");
  check(cudaMalloc(&z.p, 4 * N), "cudaMalloc");
  auto summed = [&](Any from) {
    check(cudaMemcpy(words.data(), from.p, 4 * N, cudaMemcpyDeviceToHost), "cudaMemcpy");
    unsigned long long sum = 0;
    for (int i = 0; i < N; i++) sum += (unsigned long long)words[i] * (i % 1021 + 1);
    return sum;
  };
#define SHAPE(...) dim3(__VA_ARGS__)
#define LAUNCH(kernel, grid, block, shared, ...)             \
  check(cudaMemset(y.p, 0, 4 * N), "cudaMemset");            \
  check(cudaMemset(z.p, 0, 4 * N), "cudaMemset");            \
  check(cudaDeviceSynchronize(), "cudaMemset");              \
  kernel<<<SHAPE grid, SHAPE block, shared>>>(__VA_ARGS__);  \
  check(cudaGetLastError(), #kernel);                        \
  check(cudaDeviceSynchronize(), #kernel);                   \
  printf("%s %llu %llu\n", #kernel, summed(y), summed(z));
#include "launches.h"
}
