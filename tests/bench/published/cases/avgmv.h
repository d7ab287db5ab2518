#pragma once
// For each of N data sets: average M vectors of length L, then multiply by an L x L matrix. Four successive versions.
constexpr int L = 512;
__global__ void avgmv_v1(const float* __restrict__ in, float* __restrict__ out, const float* __restrict__ mat, int M, int N) {
  __shared__ float s[L]; int t = threadIdx.x;
  for (int k = 0; k < N; k++) {
    float v = 0; for (int i = 0; i < M; i++) v += in[(size_t)k * M * L + (size_t)t * M + i];
    v /= M;
    for (int i = 0; i < L; i++) {
      __syncthreads(); s[t] = v * mat[i * L + t];
      for (int h = blockDim.x >> 1; h; h >>= 1) { __syncthreads(); if (t < h) s[t] += s[t + h]; }
      if (!t) out[k + i * N] = s[0];
    }
  }
}
__global__ void avgmv_v2(const float* __restrict__ in, float* __restrict__ out, const float* __restrict__ mat, int M, int N) {
  __shared__ float s[L]; int t = threadIdx.x, k = blockIdx.x;
  float v = 0; for (int i = 0; i < M; i++) v += in[(size_t)k * M * L + (size_t)t * M + i];
  v /= M;
  for (int i = 0; i < L; i++) {
    __syncthreads(); s[t] = v * mat[i * L + t];
    for (int h = blockDim.x >> 1; h; h >>= 1) { __syncthreads(); if (t < h) s[t] += s[t + h]; }
    if (!t) out[k + i * N] = s[0];
  }
}
__device__ __forceinline__ float avg_rows(const float* __restrict__ in, float* s, int M, int k) {   // a warp per vector element, lanes along M
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
  for (int y = w; y < L; y += nw) {
    float v = 0; for (int x = lane; x < M; x += 32) v += in[(size_t)k * M * L + (size_t)y * M + x];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (!lane) s[y] = v / M;
  }
  __syncthreads(); float v = s[threadIdx.x]; __syncthreads(); return v;
}
__global__ void avgmv_v3(const float* __restrict__ in, float* __restrict__ out, const float* __restrict__ mat, int M, int N) {
  __shared__ float s[L]; int t = threadIdx.x, k = blockIdx.x; float v = avg_rows(in, s, M, k);
  for (int i = 0; i < L; i++) {
    __syncthreads(); s[t] = v * mat[i * L + t];
    for (int h = blockDim.x >> 1; h; h >>= 1) { __syncthreads(); if (t < h) s[t] += s[t + h]; }
    if (!t) out[k + i * N] = s[0];
  }
}
__global__ void avgmv_v4(const float* __restrict__ in, float* __restrict__ out, const float* __restrict__ mat, int M, int N) {
  __shared__ float s[L]; int t = threadIdx.x, k = blockIdx.x, lane = t & 31, w = t >> 5; float v = avg_rows(in, s, M, k);
  for (int i = 0; i < L; i++) {
    float a = v * mat[i * L + t];
    for (int o = 16; o; o >>= 1) a += __shfl_down_sync(~0u, a, o);
    __syncthreads(); if (!lane) s[w] = a; __syncthreads();
    if (t < 32) {
      a = t < (L / 32) ? s[t] : 0.0f;
      for (int o = 16; o; o >>= 1) a += __shfl_down_sync(~0u, a, o);
      if (!t) out[k + i * N] = a;
    }
  }
}
