// Tensors: a permutation of six dimensions, an update from memory of the host, a smoothing through an asynchronous pipeline.
#include <cuda_pipeline.h>

// out has the dimensions (d0 … d5), its element (c0 … c5) is in's (c2, c0, c4, c1, c3, c5).
template <typename Index>
__global__ void permute(const float* __restrict__ in, float* __restrict__ out, Index d0, Index d1, Index d2, Index d3, Index d4,
                        Index d5) {
  const Index dims[6] = {d0, d1, d2, d3, d4, d5};
  const Index stride[6] = {d4 * d1 * d3 * d5, d3 * d5, d0 * d4 * d1 * d3 * d5, d5, d1 * d3 * d5, Index(1)};
  const Index n = d0 * d1 * d2 * d3 * d4 * d5;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += Index(gridDim.x) * blockDim.x) {
    Index rest = i, from = 0;
#pragma unroll
    for (int d = 5; d > 0; --d) {
      from += rest % dims[d] * stride[d];
      rest /= dims[d];
    }
    out[i] = in[from + rest * stride[0]];
  }
}
template __global__ void permute<long long>(const float*, float*, long long, long long, long long, long long, long long, long long);

// The same with the coordinates from the launch: grid (d3, d2, d0 * d1), block (d5, any part of d4).
__global__ void permute_by_grid(const float* __restrict__ in, float* __restrict__ out, int d0, int d1, int d2, int d3, int d4, int d5) {
  const int c0 = blockIdx.z / d1, c1 = blockIdx.z - c0 * d1, c2 = blockIdx.y, c3 = blockIdx.x;
  const float* const from = in + ((static_cast<size_t>(c2) * d0 + c0) * d4 * d1 + c1) * d3 * d5 + c3 * d5 + threadIdx.x;
  float* const to = out + (((static_cast<size_t>(c0) * d1 + c1) * d2 + c2) * d3 + c3) * d4 * d5 + threadIdx.x;
#pragma unroll 4
  for (int c4 = threadIdx.y; c4 < d4; c4 += blockDim.y) to[c4 * d5] = from[c4 * d1 * d3 * d5];
}

// y += a x; x may lie anywhere the device can read.
template <typename T>
__global__ void update(const T* __restrict__ x, T* __restrict__ y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const T p = x[i];
    T q = y[i];
    q.x = fmaf(a, p.x, q.x);
    q.y = fmaf(a, p.y, q.y);
    q.z = fmaf(a, p.z, q.z);
    q.w = fmaf(a, p.w, q.w);
    y[i] = q;
  }
}
template __global__ void update<float4>(const float4*, float4*, float, int);

// out[i] = sum over k < 9 of in[i + k] / 9. Tiles of 1024 floats are on their way Stages - 1 ahead; blocks of 256 take them in
// turn. `in` has 8 floats more than the tiles * 1024 of `out`.
template <int Stages>
__global__ void __launch_bounds__(256) smooth(const float4* __restrict__ in, float4* __restrict__ out, int tiles) {
  __shared__ float4 ring[Stages][258];
  const int t = threadIdx.x;
  const auto fetch = [&](int tile, int slot) {
    if (tile < tiles) {
      const float4* const from = in + static_cast<size_t>(tile) * 256;
      __pipeline_memcpy_async(&ring[slot][t], from + t, sizeof(float4));
      if (t < 2) __pipeline_memcpy_async(&ring[slot][256 + t], from + 256 + t, sizeof(float4));
    }
    __pipeline_commit();
  };
  for (int s = 0; s < Stages - 1; ++s) fetch(blockIdx.x + s * gridDim.x, s);
  int slot = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    fetch(tile + (Stages - 1) * gridDim.x, (slot + Stages - 1) % Stages);
    __pipeline_wait_prior(Stages - 1);
    __syncthreads();
    const float4 a = ring[slot][t], b = ring[slot][t + 1], c = ring[slot][t + 2];
    const float middle = (a.w + b.x) + (b.y + b.z) + (b.w + c.x);
    float4 r;
    r.x = (middle + a.x + a.y + a.z) * (1.0f / 9.0f);
    r.y = (middle + a.y + a.z + c.y) * (1.0f / 9.0f);
    r.z = (middle + a.z + c.y + c.z) * (1.0f / 9.0f);
    r.w = (middle + c.y + c.z + c.w) * (1.0f / 9.0f);
    out[static_cast<size_t>(tile) * 256 + t] = r;
    __syncthreads();
    slot = (slot + 1) % Stages;
  }
}
template __global__ void smooth<4>(const float4*, float4*, int);
