// 96 running moments per thread under a launch bound of 32 registers: the rest is spilled to local memory.
#define M 96
extern "C" __global__ void __launch_bounds__(1024, 2) capped_moments(const float* __restrict__ in, float* __restrict__ out, int n, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float acc[M];
#pragma unroll
  for (int j = 0; j < M; ++j) acc[j] = 0.f;
  for (int t = 0; t < iters; ++t) {
    float x = in[(size_t)t * n + i], p = x;
#pragma unroll
    for (int j = 0; j < M; ++j) { acc[j] += p; p *= x; }
  }
  float s = 0.f;
#pragma unroll
  for (int j = 0; j < M; ++j) s = fmaf(acc[j], acc[M - 1 - j], s);
  out[i] = s;
}
