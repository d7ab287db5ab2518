// The price of each American put of a book after each of 24 moves of the share price. One contract per thread.
// launch: put_prices<<<ceil(contracts / block), 1024>>>(spot, strike, up, hold_up, hold_down, out, contracts)
#define LEVELS 20
#define SCENARIOS 24

// An American put by a binomial tree, evaluated from the leaves; values and prices of a level are in registers.
__device__ float american_put(float spot, float strike, float up, float hold_up, float hold_down) {
  float price[LEVELS + 1], value[LEVELS + 1];
  float down2 = 1.f / (up * up), leaf = spot;
#pragma unroll
  for (int j = 0; j < LEVELS; ++j) leaf *= up;
#pragma unroll
  for (int j = 0; j <= LEVELS; ++j) {
    price[j] = leaf;
    value[j] = fmaxf(strike - leaf, 0.f);
    leaf *= down2;
  }
#pragma unroll
  for (int level = LEVELS; level > 0; --level)
#pragma unroll
    for (int j = 0; j < level; ++j) {
      price[j] = price[j + 1] * up;
      value[j] = fmaxf(fmaf(hold_up, value[j], hold_down * value[j + 1]), strike - price[j]);
    }
  return value[0];
}

extern "C" __global__ void __launch_bounds__(1024) put_prices(const float* __restrict__ spot, const float* __restrict__ strike, const float* __restrict__ up, const float* __restrict__ hold_up, const float* __restrict__ hold_down, float* __restrict__ out, int contracts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= contracts) return;
  for (int k = 0; k < SCENARIOS; ++k)
    out[(size_t)k * contracts + i] = american_put(spot[i] * (0.76f + 0.02f * k), strike[i], up[i], hold_up[i], hold_down[i]);
}
