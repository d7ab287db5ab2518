// The variance of each series by the textbook method: first the mean, then the squared distances. One warp per series.
// launch: variance<<<ceil(32 * series / block), 256>>>(pages, first, out, series)
#define PAGES 160
#define READINGS 31

__device__ float warp_sum(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

extern "C" __global__ void variance(const unsigned* __restrict__ pages, const unsigned* __restrict__ first, float* __restrict__ out, int series) {
  int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (s >= series) return;
  unsigned page = first[s];
  float reading[PAGES], sum = 0.f, squares = 0.f;
#pragma unroll
  for (int t = 0; t < PAGES; ++t) {
    unsigned word = pages[(size_t)page * 32 + lane];
    page = __shfl_sync(~0u, word, READINGS);
    reading[t] = lane < READINGS ? __uint_as_float(word) : 0.f;
    sum += reading[t];
  }
  float mean = warp_sum(sum) / (PAGES * READINGS);
#pragma unroll
  for (int t = 0; t < PAGES; ++t) {
    float d = reading[t] - mean;
    squares = fmaf(d, d, squares);
  }
  squares = warp_sum(lane < READINGS ? squares : 0.f);
  if (lane == 0) out[s] = squares / (PAGES * READINGS);
}
