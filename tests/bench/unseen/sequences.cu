// Text and signals: k-mer entropy, a string automaton, chained pages, sums of documents, a FIR filter.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>

namespace cg = cooperative_groups;

template <int Bins>
struct OwnArray {
  unsigned count[Bins];
  __device__ explicit OwnArray(unsigned*) {}
  __device__ unsigned& operator[](unsigned b) { return count[b]; }
};
// A column of dynamic shared memory for each thread: Bins * blockDim.x words.
template <int Bins>
struct SharedColumn {
  unsigned* column;
  __device__ explicit SharedColumn(unsigned* shared) : column(shared + threadIdx.x) {}
  __device__ unsigned& operator[](unsigned b) { return column[b * blockDim.x]; }
};

// A read a thread; word w of read r at text[w * reads + r], four codes below Bins in each word.
template <int Bins, template <int> class Counts>
__global__ void kmer_entropy(const uint32_t* __restrict__ text, float* __restrict__ entropy, int reads, int words) {
  extern __shared__ unsigned shared[];
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= reads) return;
  Counts<Bins> count(shared);
#pragma unroll
  for (int b = 0; b < Bins; ++b) count[b] = 0;
  for (int w = 0; w < words; ++w) {
    const uint32_t four = text[static_cast<size_t>(w) * reads + r];
#pragma unroll
    for (int j = 0; j < 4; ++j) count[(four >> (8 * j)) & (Bins - 1)] += 1;
  }
  const float total = 4.0f * words;
  float sum = 0.0f;
#pragma unroll 4
  for (int b = 0; b < Bins; ++b) {
    const float p = count[b] / total;
    if (p > 0.0f) sum -= p * __log2f(p);
  }
  entropy[r] = sum;
}
template __global__ void kmer_entropy<64, OwnArray>(const uint32_t*, float*, int, int);
template __global__ void kmer_entropy<64, SharedColumn>(const uint32_t*, float*, int, int);

// A stream a thread, 16 symbols a step; dynamic shared memory: States * Symbols words, the automaton.
template <int States, int Symbols>
__global__ void run_automaton(const uint32_t* __restrict__ table, const uint4* __restrict__ text, unsigned* __restrict__ hits,
                              int streams, int steps) {
  extern __shared__ uint32_t next[];
  for (int i = threadIdx.x; i < States * Symbols; i += blockDim.x) next[i] = table[i];
  __syncthreads();
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams) return;
  uint32_t state = 0;
  unsigned seen = 0;
  const auto eat = [&](uint32_t word) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      state = next[state * Symbols + ((word >> (8 * j)) & (Symbols - 1))];
      seen += state < 8u;
    }
  };
  uint4 ahead = text[s];
  for (int i = 0; i < steps; ++i) {
    const uint4 now = ahead;
    if (i + 1 < steps) ahead = text[static_cast<size_t>(i + 1) * streams + s];
    eat(now.x);
    eat(now.y);
    eat(now.z);
    eat(now.w);
  }
  hits[s] = seen;
}
template __global__ void run_automaton<384, 64>(const uint32_t*, const uint4*, unsigned*, int, int);

// A warp a chain of pages of 128 bytes: word 0 names the next page, 31 floats follow.
struct Chained {
  template <class Warp>
  static __device__ float sum(const Warp& warp, const uint32_t* __restrict__ pages, const uint32_t* __restrict__ order, int length) {
    float total = 0.0f;
    uint32_t page = order[0];
    for (int i = 0; i < length; ++i) {
      const uint32_t word = pages[static_cast<size_t>(page) * 32 + warp.thread_rank()];
      if (warp.thread_rank() > 0) total += __uint_as_float(word);
      page = warp.shfl(word, 0);
    }
    return total;
  }
};
struct Listed {
  template <class Warp>
  static __device__ float sum(const Warp& warp, const uint32_t* __restrict__ pages, const uint32_t* __restrict__ order, int length) {
    float total = 0.0f;
#pragma unroll 8
    for (int i = 0; i < length; ++i) {
      const uint32_t word = pages[static_cast<size_t>(order[i]) * 32 + warp.thread_rank()];
      if (warp.thread_rank() > 0) total += __uint_as_float(word);
    }
    return total;
  }
};
// order[chain * length + i]: the i-th page of a chain; Chained looks at the first only.
template <class Walk>
__global__ void sum_pages(const uint32_t* __restrict__ pages, const uint32_t* __restrict__ order, float* __restrict__ out,
                          int chains, int length) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int chain = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (chain >= chains) return;
  const float total = Walk::sum(warp, pages, order + static_cast<size_t>(chain) * length, length);
  const float all = cg::reduce(warp, total, cg::plus<float>());
  if (warp.thread_rank() == 0) out[chain] = all;
}
template __global__ void sum_pages<Chained>(const uint32_t*, const uint32_t*, float*, int, int);
template __global__ void sum_pages<Listed>(const uint32_t*, const uint32_t*, float*, int, int);

// Sum of squares of float4 items [begin, end) into *out (zero before), by one block.
template <int Threads>
__device__ void add_squares(const float4* __restrict__ items, long long begin, long long end, float* out) {
  __shared__ float parts[Threads / 32];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = 0.0f;
#pragma unroll 4
  for (long long i = begin + threadIdx.x; i < end; i += Threads) {
    const float4 v = items[i];
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < Threads / 32 ? parts[threadIdx.x] : 0.0f;
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}
template <int Threads>
__global__ void __launch_bounds__(Threads) norm_of_document(const float4* __restrict__ items, const long long* __restrict__ start,
                                                            float* __restrict__ out) {
  add_squares<Threads>(items, start[blockIdx.x], start[blockIdx.x + 1], out + blockIdx.x);
}
template __global__ void norm_of_document<512>(const float4*, const long long*, float*);

// The same in pieces of equal size: piece p is [begin[p], end[p]) of document owner[p].
template <int Threads>
__global__ void __launch_bounds__(Threads) norm_of_piece(const float4* __restrict__ items, const long long* __restrict__ begin,
                                                         const long long* __restrict__ end, const int* __restrict__ owner,
                                                         float* __restrict__ out) {
  const int p = blockIdx.x;
  add_squares<Threads>(items, begin[p], end[p], out + owner[p]);
}
template __global__ void norm_of_piece<512>(const float4*, const long long*, const long long*, const int*, float*);

// out[i] = sum over k of taps[k] in[i + k]; in has Taps further samples at its end.
template <int Taps>
__global__ void __launch_bounds__(256) fir(const float* __restrict__ in, const float* __restrict__ taps, float* __restrict__ out, int n) {
  __shared__ __align__(16) float xs[256 + Taps];
  __shared__ __align__(16) float ts[Taps];
  const int t = threadIdx.x;
  for (int tile = blockIdx.x * 256; tile < n; tile += gridDim.x * 256) {
    for (int i = t; i < 256 + Taps; i += 256) xs[i] = in[tile + i];
    for (int i = t; i < Taps; i += 256) ts[i] = taps[i];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 16
    for (int k = 0; k < Taps; ++k) sum = fmaf(ts[k], xs[t + k], sum);
    out[tile + t] = sum;
    __syncthreads();
  }
}
template __global__ void fir<128>(const float*, const float*, float*, int);

// Four neighbouring outputs a thread, the samples sliding through registers.
template <int Taps>
__global__ void __launch_bounds__(256) fir_window(const float* __restrict__ in, const float* __restrict__ taps,
                                                  float* __restrict__ out, int n) {
  __shared__ float4 xs[256 + Taps / 4];
  __shared__ float4 ts[Taps / 4];
  const int t = threadIdx.x;
  for (int tile = blockIdx.x * 1024; tile < n; tile += gridDim.x * 1024) {
    for (int i = t; i < 256 + Taps / 4; i += 256) xs[i] = reinterpret_cast<const float4*>(in + tile)[i];
    for (int i = t; i < Taps / 4; i += 256) ts[i] = reinterpret_cast<const float4*>(taps)[i];
    __syncthreads();
    float4 sum = {};
    float4 a = xs[t];
#pragma unroll 8
    for (int k = 0; k < Taps / 4; ++k) {
      const float4 b = xs[t + k + 1], c = ts[k];
      const float w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, f[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        sum.x = fmaf(f[j], w[j], sum.x);
        sum.y = fmaf(f[j], w[j + 1], sum.y);
        sum.z = fmaf(f[j], w[j + 2], sum.z);
        sum.w = fmaf(f[j], w[j + 3], sum.w);
      }
      a = b;
    }
    reinterpret_cast<float4*>(out + tile)[t] = sum;
    __syncthreads();
  }
}
template __global__ void fir_window<128>(const float*, const float*, float*, int);
