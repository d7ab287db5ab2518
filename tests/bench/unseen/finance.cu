// Finance: a book of unlike instruments, lattices of American options, defaults drawn from a stream cipher's bits.
#include <cstdint>

// Value of one instrument from its terms: x rate a period, y coupon or strike, z slope of the forward curve, w level.
struct Terms {
  float rate, coupon, slope, level;
};
enum Kind : unsigned char { kBond, kAnnuity, kSwap, kCap, kCallable, kPuttable, kLoan, kCollar };

namespace value {
__device__ float bond(Terms t, int periods) {
  const float v = __frcp_rn(1.0f + t.rate);
  float worth = t.level;
#pragma unroll 4
  for (int k = 0; k < periods; ++k) worth = fmaf(worth, v, t.coupon * v);
  return worth;
}
__device__ float annuity(Terms t, int periods) {
  const float v = __frcp_rn(1.0f + t.rate);
  float worth = 0.0f, paid = t.coupon;
#pragma unroll 4
  for (int k = 0; k < periods; ++k) {
    worth = fmaf(worth, v, paid);
    paid = fmaf(paid, t.slope, paid);
  }
  return worth;
}
__device__ float swap(Terms t, int periods) {
  float worth = 0.0f, forward = t.rate, discount = 1.0f;
#pragma unroll 4
  for (int k = 0; k < periods; ++k) {
    discount = fmaf(-discount, forward, discount);
    worth = fmaf(discount, forward - t.coupon, worth);
    forward = fmaf(t.slope, 0.01f, forward);
  }
  return worth;
}
__device__ float cap(Terms t, int periods) {
  float worth = 0.0f, forward = t.rate, discount = t.level;
#pragma unroll 4
  for (int k = 0; k < periods; ++k) {
    discount = fmaf(-discount, forward, discount);
    worth = fmaf(discount, fmaxf(forward - t.coupon, 0.0f), worth);
    forward = fmaf(forward, t.slope, forward);
  }
  return worth;
}
__device__ float callable(Terms t, int periods) {
  float worth = t.level, call = t.level;
#pragma unroll 4
  for (int k = 0; k < periods; ++k) {
    worth = fminf(fmaf(-worth, t.rate, worth) + t.coupon, call);
    call = fmaf(t.slope, 0.02f, call);
  }
  return worth;
}
__device__ float puttable(Terms t, int periods) {
  float worth = t.level, put = t.level;
#pragma unroll 4
  for (int k = 0; k < periods; ++k) {
    worth = fmaxf(fmaf(-worth, t.rate, worth) + t.coupon, put);
    put = fmaf(-t.slope, 0.02f, put);
  }
  return worth;
}
__device__ float loan(Terms t, int periods) {
  float balance = t.level, interest = 0.0f;
#pragma unroll 4
  for (int k = 0; k < periods; ++k) {
    const float due = balance * t.rate;
    interest += due;
    balance = fmaxf(balance + due - t.coupon, 0.0f);
  }
  return interest;
}
__device__ float collar(Terms t, int periods) {
  float worth = 0.0f, forward = t.rate;
#pragma unroll 4
  for (int k = 0; k < periods; ++k) {
    worth = fmaf(-worth, t.rate, worth) + fminf(fmaxf(forward, t.slope), t.coupon);
    forward = fmaf(t.slope, 0.01f, forward);
  }
  return worth;
}
}  // namespace value

__global__ void __launch_bounds__(256) value_book(const Terms* __restrict__ terms, const unsigned char* __restrict__ kind,
                                                  float* __restrict__ worth, int periods, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 raw = reinterpret_cast<const float4*>(terms)[i];
    const Terms t{raw.x, raw.y, raw.z, raw.w};
    float v = 0.0f;
    switch (kind[i]) {
      case kBond: v = value::bond(t, periods); break;
      case kAnnuity: v = value::annuity(t, periods); break;
      case kSwap: v = value::swap(t, periods); break;
      case kCap: v = value::cap(t, periods); break;
      case kCallable: v = value::callable(t, periods); break;
      case kPuttable: v = value::puttable(t, periods); break;
      case kLoan: v = value::loan(t, periods); break;
      case kCollar: v = value::collar(t, periods); break;
    }
    worth[i] = v;
  }
}

// American puts on binomial lattices of up to 32 * Nodes levels, a warp an option; lane l holds the nodes l Nodes and up.
// market: spot, strike, log2 of the up factor, probability of up; discount of one step; options in ascending order of steps.
struct Portions {  // a block's options lie side by side
  static __device__ int option(int k, int each) { return blockIdx.x * each + k; }
};
struct Dealt {
  static __device__ int option(int k, int) { return k * gridDim.x + blockIdx.x; }
};
template <class Split, int Nodes>
__global__ void __launch_bounds__(1024) american_puts(const float4* __restrict__ market, const float* __restrict__ discount,
                                                      const int* __restrict__ steps, float* __restrict__ price, int each) {
  const int lane = threadIdx.x % 32;
  for (int k = threadIdx.x / 32; k < each; k += blockDim.x / 32) {
    const int option = Split::option(k, each);
    const float4 m = market[option];
    const int levels = steps[option];
    const float up = exp2f(m.z), stay = discount[option] * m.w, fall = discount[option] - stay;
    float spot[Nodes], held[Nodes];
#pragma unroll
    for (int j = 0; j < Nodes; ++j) {
      spot[j] = m.x * exp2f(m.z * (2 * (lane * Nodes + j) - levels));
      held[j] = fmaxf(m.y - spot[j], 0.0f);
    }
    for (int level = levels; level > 0; --level) {
      const float beyond = __shfl_down_sync(~0u, held[0], 1);
#pragma unroll
      for (int j = 0; j < Nodes; ++j) {
        spot[j] *= up;
        held[j] = fmaxf(fmaf(stay, j + 1 < Nodes ? held[j + 1] : beyond, fall * held[j]), m.y - spot[j]);
      }
    }
    if (lane == 0) price[option] = held[0];
  }
}
template __global__ void american_puts<Portions, 16>(const float4*, const float*, const int*, float*, int);
template __global__ void american_puts<Dealt, 16>(const float4*, const float*, const int*, float*, int);

// The stream of ChaCha20 as random bits: scenario i counts those of its 16 Blocks names whose 32 bits are below `hazard`.
__constant__ uint32_t secret[8];
struct ChaCha {
  uint32_t word[16];
  __device__ static void quarter(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
    a += b, d = __funnelshift_l(d ^ a, d ^ a, 16);
    c += d, b = __funnelshift_l(b ^ c, b ^ c, 12);
    a += b, d = __funnelshift_l(d ^ a, d ^ a, 8);
    c += d, b = __funnelshift_l(b ^ c, b ^ c, 7);
  }
  __device__ ChaCha(uint32_t counter, uint32_t stream) {
    const uint32_t start[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u, secret[0], secret[1], secret[2], secret[3],
                                secret[4],   secret[5],   secret[6],   secret[7],   counter,   stream,    0u,        0u};
#pragma unroll
    for (int i = 0; i < 16; ++i) word[i] = start[i];
#pragma unroll 2
    for (int round = 0; round < 10; ++round) {
#pragma unroll
      for (int i = 0; i < 4; ++i) quarter(word[i], word[4 + i], word[8 + i], word[12 + i]);
#pragma unroll
      for (int i = 0; i < 4; ++i) quarter(word[i], word[4 + (i + 1) % 4], word[8 + (i + 2) % 4], word[12 + (i + 3) % 4]);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) word[i] += start[i];
  }
};
template <int Blocks>
__global__ void __launch_bounds__(256) count_defaults(int* __restrict__ defaults, uint32_t hazard, uint32_t stream) {
  const uint32_t scenario = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0;
#pragma unroll 1
  for (int b = 0; b < Blocks; ++b) {
    const ChaCha bits(scenario * Blocks + b, stream);
#pragma unroll
    for (int i = 0; i < 16; ++i) count += bits.word[i] < hazard;
  }
  defaults[scenario] = count;
}
template __global__ void count_defaults<16>(int*, uint32_t, uint32_t);
