// Records and rows: a hash join's probe side, a sparse matrix times a vector, a histogram of events.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>

namespace cg = cooperative_groups;

struct alignas(8) Slot {
  uint32_t key, value;
};

// A bijection of the lowest `bits` bits: every key has a slot of its own.
struct OddMultiple {
  uint32_t mask;
  __device__ explicit OddMultiple(int bits) : mask((1u << bits) - 1u) {}
  __device__ uint32_t operator()(uint32_t key) const { return (key * 2654435761u) & mask; }
};

template <class Hash>
__global__ void probe(const Slot* __restrict__ table, const uint32_t* __restrict__ keys, uint32_t* __restrict__ found,
                      int bits, int n) {
  const Hash hash(bits);
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const uint32_t key = keys[i];
    const Slot slot = table[hash(key)];
    found[i] = slot.key == key ? slot.value : 0u;
  }
}
template __global__ void probe<OddMultiple>(const Slot*, const uint32_t*, uint32_t*, int, int);

template <int Lanes, typename T>
__global__ void spmv(const int* __restrict__ start, const int* __restrict__ column, const T* __restrict__ value,
                     const T* __restrict__ x, T* __restrict__ y, int rows) {
  const auto team = cg::tiled_partition<Lanes>(cg::this_thread_block());
  const int per_block = blockDim.x / Lanes;
  for (int row = blockIdx.x * per_block + threadIdx.x / Lanes; row < rows; row += gridDim.x * per_block) {
    const int end = start[row + 1];
    T sum = 0;
    for (int j = start[row] + static_cast<int>(team.thread_rank()); j < end; j += Lanes) sum += value[j] * x[column[j]];
    if constexpr (Lanes > 1) sum = cg::reduce(team, sum, cg::plus<T>());
    if (team.thread_rank() == 0) y[row] = sum;
  }
}
template __global__ void spmv<1, float>(const int*, const int*, const float*, const float*, float*, int);
template __global__ void spmv<16, float>(const int*, const int*, const float*, const float*, float*, int);

struct alignas(16) Event {
  uint32_t kind, time;
  float payload[14];
};
struct KindOf {
  __device__ uint32_t operator()(const Event& e) const { return e.kind; }
  __device__ uint32_t operator()(uint32_t kind) const { return kind; }
};

// Dynamic shared memory: one counter for each of `bins` kinds (a power of two).
template <class Key, typename Item>
__global__ void count_kinds(const Item* __restrict__ items, unsigned* __restrict__ counts, int bins, int n) {
  extern __shared__ unsigned mine[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  const Key key{};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[key(items[i]) & (bins - 1)], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (mine[b]) atomicAdd(&counts[b], mine[b]);
}
template __global__ void count_kinds<KindOf, Event>(const Event*, unsigned*, int, int);
template __global__ void count_kinds<KindOf, uint32_t>(const uint32_t*, unsigned*, int, int);
