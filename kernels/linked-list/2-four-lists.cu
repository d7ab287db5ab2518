// A warp follows four lists side by side: while one link is under way, so are the other three. `series` is a multiple of four.
// launch: variance<<<ceil(8 * series / block), 256>>>(pages, first, out, series, length)
#define READINGS 31
#define LISTS 4

__device__ float warp_sum(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

extern "C" __global__ void variance(const unsigned* __restrict__ pages, const unsigned* __restrict__ first, float* __restrict__ out, int series, int length) {
  int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * LISTS, lane = threadIdx.x % 32;
  if (s >= series) return;
  unsigned page[LISTS], word[LISTS];
  float sum[LISTS] = {}, squares[LISTS] = {};
#pragma unroll
  for (int k = 0; k < LISTS; ++k) page[k] = first[s + k];
  for (int t = 0; t < length; ++t) {
#pragma unroll
    for (int k = 0; k < LISTS; ++k) word[k] = pages[(size_t)page[k] * 32 + lane];
#pragma unroll
    for (int k = 0; k < LISTS; ++k) {
      page[k] = __shfl_sync(~0u, word[k], READINGS);
      float reading = lane < READINGS ? __uint_as_float(word[k]) : 0.f;
      sum[k] += reading;
      squares[k] = fmaf(reading, reading, squares[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < LISTS; ++k) {
    float mean = warp_sum(sum[k]) / (READINGS * length);
    squares[k] = warp_sum(squares[k]);
    if (lane == 0) out[s + k] = squares[k] / (READINGS * length) - mean * mean;
  }
}
