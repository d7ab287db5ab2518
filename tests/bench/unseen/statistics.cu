// Sums by class, random walks, statistics of channels, normalisation of rows.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cstdint>

namespace cg = cooperative_groups;

// sums[class] += (x, y, z, 1) for every point: straight to memory, or through registers and the block first.
template <int Classes>
__global__ void add_points(const float4* __restrict__ points, const uint8_t* __restrict__ label, float* __restrict__ sums, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 p = points[i];
    float* const mine = sums + label[i] * 4;
    atomicAdd(mine, p.x);
    atomicAdd(mine + 1, p.y);
    atomicAdd(mine + 2, p.z);
    atomicAdd(mine + 3, 1.0f);
  }
}
template __global__ void add_points<8>(const float4*, const uint8_t*, float*, int);

template <int Classes>
__global__ void __launch_bounds__(256) add_points_of_block(const float4* __restrict__ points, const uint8_t* __restrict__ label,
                                                           float* __restrict__ sums, int n) {
  constexpr int Values = Classes * 4;
  __shared__ float parts[8][Values];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float4 sum[Classes] = {};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 p = points[i];
    const int mine = label[i];
#pragma unroll
    for (int c = 0; c < Classes; ++c) {
      const float one = c == mine ? 1.0f : 0.0f;
      sum[c].x = fmaf(one, p.x, sum[c].x);
      sum[c].y = fmaf(one, p.y, sum[c].y);
      sum[c].z = fmaf(one, p.z, sum[c].z);
      sum[c].w += one;
    }
  }
#pragma unroll
  for (int c = 0; c < Classes; ++c) {
    const float4 all = make_float4(cg::reduce(warp, sum[c].x, cg::plus<float>()), cg::reduce(warp, sum[c].y, cg::plus<float>()),
                                   cg::reduce(warp, sum[c].z, cg::plus<float>()), cg::reduce(warp, sum[c].w, cg::plus<float>()));
    if (warp.thread_rank() == 0) {
      parts[threadIdx.x / 32][c * 4] = all.x;
      parts[threadIdx.x / 32][c * 4 + 1] = all.y;
      parts[threadIdx.x / 32][c * 4 + 2] = all.z;
      parts[threadIdx.x / 32][c * 4 + 3] = all.w;
    }
  }
  __syncthreads();
  if (threadIdx.x < Values) {
    float total = 0.0f;
    for (int w = 0; w < 8; ++w) total += parts[w][threadIdx.x];
    atomicAdd(&sums[threadIdx.x], total);
  }
}
template __global__ void add_points_of_block<8>(const float4*, const uint8_t*, float*, int);

// A photon in a slab: scattered at random until it is absorbed or leaves.
struct Photon {
  uint32_t state;
  float depth, direction;
  __device__ explicit Photon(uint32_t id) : state((id + 1u) * 2654435761u), depth(0.0f), direction(1.0f) {
    state ^= state >> 15;
    state *= 2246822519u;
    state ^= state >> 13;
  }
  __device__ float uniform() {
    state = state * 1664525u + 1013904223u;
    return __uint_as_float(0x3f800000u | (state >> 9)) - 1.0f;
  }
  // One flight and one collision; false when the photon is gone.
  __device__ bool fly(float absorbed) {
    const float u = uniform(), w = uniform();
    depth = fmaf(direction, fmaf(u, fmaf(u, 0.7f, 0.2f), 0.05f), depth);
    direction = fmaf(0.6f, direction, fmaf(1.6f, w, -0.8f));
    return depth >= 0.0f && uniform() >= absorbed;
  }
};
struct OneAfterAnother {
  static __device__ float2 run(int first, int stride, int n, float absorbed) {
    float2 tally = {};
    for (int id = first; id < n; id += stride) {
      Photon p(id);
      float flights = 1.0f;
      while (p.fly(absorbed)) flights += 1.0f;
      tally.x += p.depth;
      tally.y += flights;
    }
    return tally;
  }
};
// A lane whose photon is gone takes its next one at once.
struct Refilled {
  static __device__ float2 run(int first, int stride, int n, float absorbed) {
    float2 tally = {};
    int id = first;
    Photon p(id);
    while (id < n) {
      tally.y += 1.0f;
      if (!p.fly(absorbed)) {
        tally.x += p.depth;
        id += stride;
        p = Photon(id);
      }
    }
    return tally;
  }
};
// tally: sum of last depths and number of flights of each thread's photons.
template <class Schedule>
__global__ void photons(float2* __restrict__ tally, float absorbed, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  tally[first] = Schedule::run(first, gridDim.x * blockDim.x, n, absorbed);
}
template __global__ void photons<OneAfterAnother>(float2*, float, int);
template __global__ void photons<Refilled>(float2*, float, int);

// out[2 c], out[2 c + 1] (zero before): sum and sum of squares of channel c; blockIdx.y names the channel, blockIdx.x its part.
template <int Threads>
__global__ void __launch_bounds__(Threads) channel_moments(const float4* __restrict__ x, float* __restrict__ out, int quads) {
  __shared__ float2 parts[Threads / 32];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  x += static_cast<size_t>(blockIdx.y) * quads;
  float s = 0.0f, q = 0.0f;
#pragma unroll 4
  for (int i = blockIdx.x * Threads + threadIdx.x; i < quads; i += gridDim.x * Threads) {
    const float4 v = x[i];
    s += (v.x + v.y) + (v.z + v.w);
    q += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
  }
  s = cg::reduce(warp, s, cg::plus<float>());
  q = cg::reduce(warp, q, cg::plus<float>());
  if (warp.thread_rank() == 0) parts[threadIdx.x / 32] = make_float2(s, q);
  __syncthreads();
  if (threadIdx.x == 0) {
    s = q = 0.0f;
    for (int w = 0; w < Threads / 32; ++w) {
      s += parts[w].x;
      q += parts[w].y;
    }
    atomicAdd(&out[2 * blockIdx.y], s);
    atomicAdd(&out[2 * blockIdx.y + 1], q);
  }
}
template __global__ void channel_moments<1024>(const float4*, float*, int);

// Rows of Width floats to mean 0 and variance 1. A block of Width threads goes from row to row and halves its sums in shared memory.
template <int Width>
__device__ float halve(cg::thread_block block, float* shared, float mine) {
  const int t = block.thread_rank();
  block.sync();
  shared[t] = mine;
  block.sync();
  for (int h = Width / 2; h > 0; h /= 2) {
    if (t < h) shared[t] += shared[t + h];
    block.sync();
  }
  return shared[0];
}
template <int Width>
__global__ void __launch_bounds__(Width) normalise_by_block(const float* __restrict__ in, float* __restrict__ out, int rows) {
  __shared__ float shared[Width];
  const auto block = cg::this_thread_block();
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const size_t at = static_cast<size_t>(row) * Width + threadIdx.x;
    const float v = in[at];
    const float d = v - halve<Width>(block, shared, v) / Width;
    const float variance = halve<Width>(block, shared, d * d) / Width;
    out[at] = d * rsqrtf(variance + 1e-5f);
  }
}
template __global__ void normalise_by_block<1024>(const float*, float*, int);

template <int Width>
__global__ void normalise_by_warp(const float* __restrict__ in, float* __restrict__ out, int rows) {
  constexpr int Quads = Width / 128;
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int warps = gridDim.x * (blockDim.x / 32);
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += warps) {
    const float4* from = reinterpret_cast<const float4*>(in + static_cast<size_t>(row) * Width) + warp.thread_rank();
    float4* to = reinterpret_cast<float4*>(out + static_cast<size_t>(row) * Width) + warp.thread_rank();
    float4 v[Quads];
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int j = 0; j < Quads; ++j) v[j] = from[j * 32];
#pragma unroll
    for (int j = 0; j < Quads; ++j) sum += (v[j].x + v[j].y) + (v[j].z + v[j].w);
    const float mean = cg::reduce(warp, sum, cg::plus<float>()) / Width;
#pragma unroll
    for (int j = 0; j < Quads; ++j) {
      v[j] = make_float4(v[j].x - mean, v[j].y - mean, v[j].z - mean, v[j].w - mean);
      squares += (v[j].x * v[j].x + v[j].y * v[j].y) + (v[j].z * v[j].z + v[j].w * v[j].w);
    }
    const float scale = rsqrtf(cg::reduce(warp, squares, cg::plus<float>()) / Width + 1e-5f);
#pragma unroll
    for (int j = 0; j < Quads; ++j) to[j * 32] = make_float4(v[j].x * scale, v[j].y * scale, v[j].z * scale, v[j].w * scale);
  }
}
template __global__ void normalise_by_warp<1024>(const float*, float*, int);

// Softmax of rows of 64 floats, a warp a row, rows in strides of the grid.
__global__ void softmax64(const float2* __restrict__ in, float2* __restrict__ out, int rows) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int warps = gridDim.x * (blockDim.x / 32);
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += warps) {
    const size_t at = static_cast<size_t>(row) * 32 + warp.thread_rank();
    const float2 v = in[at];
    const float top = cg::reduce(warp, fmaxf(v.x, v.y), cg::greater<float>());
    const float a = __expf(v.x - top), b = __expf(v.y - top);
    const float scale = __fdividef(1.0f, cg::reduce(warp, a + b, cg::plus<float>()));
    out[at] = make_float2(a * scale, b * scale);
  }
}

// Rows of Width bf16 over their root mean square, times a weight for each column; a warp a row, 16 bytes an access.
template <int Width>
__global__ void __launch_bounds__(256) rms_norm(const uint4* __restrict__ in, const uint4* __restrict__ weight, uint4* __restrict__ out, int rows) {
  constexpr int Packs = Width / 256;
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  const size_t at = static_cast<size_t>(row) * (Width / 8) + warp.thread_rank();
  uint4 v[Packs];
#pragma unroll
  for (int j = 0; j < Packs; ++j) v[j] = in[at + j * 32];
  float squares = 0.0f;
#pragma unroll
  for (int j = 0; j < Packs; ++j) {
    const __nv_bfloat162* h = reinterpret_cast<const __nv_bfloat162*>(&v[j]);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 f = __bfloat1622float2(h[e]);
      squares = fmaf(f.x, f.x, fmaf(f.y, f.y, squares));
    }
  }
  const float scale = rsqrtf(cg::reduce(warp, squares, cg::plus<float>()) / Width + 1e-6f);
#pragma unroll
  for (int j = 0; j < Packs; ++j) {
    const uint4 w = weight[warp.thread_rank() + j * 32];
    __nv_bfloat162* h = reinterpret_cast<__nv_bfloat162*>(&v[j]);
    const __nv_bfloat162* g = reinterpret_cast<const __nv_bfloat162*>(&w);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 f = __bfloat1622float2(h[e]), s = __bfloat1622float2(g[e]);
      h[e] = __floats2bfloat162_rn(f.x * scale * s.x, f.y * scale * s.y);
    }
    out[at + j * 32] = v[j];
  }
}
template __global__ void rms_norm<1024>(const uint4*, const uint4*, uint4*, int);
