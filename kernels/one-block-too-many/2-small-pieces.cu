// One thread per contract and move, in blocks of 256: pieces a hundred times smaller, in any number.
// launch: put_prices<<<(ceil(contracts / block), 24), 256>>>(spot, strike, up, hold_up, hold_down, out, contracts)
#define LEVELS 20

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

extern "C" __global__ void __launch_bounds__(256) put_prices(const float* __restrict__ spot, const float* __restrict__ strike, const float* __restrict__ up, const float* __restrict__ hold_up, const float* __restrict__ hold_down, float* __restrict__ out, int contracts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= contracts) return;
  int k = blockIdx.y;
  out[(size_t)k * contracts + i] = american_put(spot[i] * (0.76f + 0.02f * k), strike[i], up[i], hold_up[i], hold_down[i]);
}
