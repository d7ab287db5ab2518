// Walks on a weighted graph, selection of light edges, means over the features of neighbours.
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

__device__ __forceinline__ uint32_t scramble(uint32_t h) {
  h *= 0x9E3779B1u;
  h ^= h >> 15;
  h *= 0x85EBCA77u;
  return h ^ (h >> 13);
}

// Walker k starts at node k. The row of a node is 32 links at links[first[node]]: a neighbour (24 bits) and a weight (8 bits).
// The link with the largest weight times random number is followed. path[k * steps + s] is the node after step s; steps is a
// multiple of 32. A warp leads Walkers walkers.
template <int Walkers>
__global__ void __launch_bounds__(256) walk(const uint32_t* __restrict__ first, const uint32_t* __restrict__ links,
                                            uint32_t* __restrict__ path, int walkers, int steps, uint32_t seed) {
  const uint32_t lane = threadIdx.x % 32;
  const int from = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * Walkers;
  if (from >= walkers) return;
  uint32_t node[Walkers], visited[Walkers];
#pragma unroll
  for (int w = 0; w < Walkers; ++w) node[w] = from + w;
  for (int done = 0; done < steps; done += 32) {
    for (uint32_t s = 0; s < 32; ++s) {
      uint32_t link[Walkers];
#pragma unroll
      for (int w = 0; w < Walkers; ++w) link[w] = links[first[node[w]] + lane];
#pragma unroll
      for (int w = 0; w < Walkers; ++w) {
        const uint32_t luck = scramble((static_cast<uint32_t>(from + w) * steps + done + s) * 32 + lane + seed) >> 16;
        const uint32_t best = __reduce_max_sync(~0u, ((luck * (link[w] >> 24)) & ~31u) | lane);
        node[w] = __shfl_sync(~0u, link[w], best % 32) & 0xFFFFFFu;
        if (s == lane) visited[w] = node[w];
      }
    }
#pragma unroll
    for (int w = 0; w < Walkers; ++w) path[static_cast<size_t>(from + w) * steps + done + lane] = visited[w];
  }
}
template __global__ void walk<1>(const uint32_t*, const uint32_t*, uint32_t*, int, int, uint32_t);
template __global__ void walk<4>(const uint32_t*, const uint32_t*, uint32_t*, int, int, uint32_t);

// Copies the edges lighter than cut to kept[0 .. *count), in any order.
__global__ void __launch_bounds__(256) keep_light(const uint2* __restrict__ edges, const float* __restrict__ weight,
                                                  uint2* __restrict__ kept, unsigned* __restrict__ count, float cut, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (weight[i] < cut) {
      const auto group = cg::coalesced_threads();
      unsigned at = 0;
      if (group.thread_rank() == 0) at = atomicAdd(count, group.size());
      kept[group.shfl(at, 0) + group.thread_rank()] = edges[i];
    }
  }
}

// The same in tiles of Each edges a thread.
template <int Each>
__global__ void __launch_bounds__(256) keep_light_of_tile(const uint2* __restrict__ edges, const float* __restrict__ weight,
                                                          uint2* __restrict__ kept, unsigned* __restrict__ count, float cut, int n) {
  __shared__ unsigned warp_count[8], warp_start[8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int tile = blockIdx.x * 256 * Each; tile < n; tile += gridDim.x * 256 * Each) {
    unsigned votes[Each], mine = 0;
#pragma unroll
    for (int e = 0; e < Each; ++e) {
      const int i = tile + e * 256 + threadIdx.x;
      votes[e] = __ballot_sync(~0u, i < n && weight[i] < cut);
      mine += __popc(votes[e]);
    }
    if (lane == 0) warp_count[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned total = 0;
      for (int w = 0; w < 8; ++w) {
        warp_start[w] = total;
        total += warp_count[w];
      }
      const unsigned at = atomicAdd(count, total);
      for (int w = 0; w < 8; ++w) warp_start[w] += at;
    }
    __syncthreads();
    unsigned at = warp_start[warp];
#pragma unroll
    for (int e = 0; e < Each; ++e) {
      if (votes[e] >> lane & 1) kept[at + __popc(votes[e] & ((1u << lane) - 1))] = edges[tile + e * 256 + threadIdx.x];
      at += __popc(votes[e]);
    }
  }
}
template __global__ void keep_light_of_tile<8>(const uint2*, const float*, uint2*, unsigned*, float, int);

// out[node] = mean of the features (128 floats) of its Fan sampled neighbours, a warp a node; features may lie anywhere the
// device can read.
template <int Fan>
__global__ void __launch_bounds__(256) mean_of_neighbours(const float4* __restrict__ features, const int* __restrict__ neighbour,
                                                          float4* __restrict__ out, int nodes) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (node >= nodes) return;
  const int lane = warp.thread_rank();
  const int own = lane < Fan ? neighbour[node * Fan + lane] : 0;
  float4 sum = {};
#pragma unroll
  for (int k = 0; k < Fan; ++k) {
    const float4 f = features[static_cast<size_t>(warp.shfl(own, k)) * 32 + lane];
    sum.x += f.x;
    sum.y += f.y;
    sum.z += f.z;
    sum.w += f.w;
  }
  constexpr float part = 1.0f / Fan;
  out[static_cast<size_t>(node) * 32 + lane] = make_float4(sum.x * part, sum.y * part, sum.z * part, sum.w * part);
}
template __global__ void mean_of_neighbours<10>(const float4*, const int*, float4*, int);
