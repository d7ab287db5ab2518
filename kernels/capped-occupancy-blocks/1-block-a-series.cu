// The variance of each series, with one block of one warp per series.
// launch: variance<<<series, 32>>>(pages, first, out, length)
#define READINGS 31

__device__ float warp_sum(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

extern "C" __global__ void variance(const unsigned* __restrict__ pages, const unsigned* __restrict__ first, float* __restrict__ out, int length) {
  int s = blockIdx.x, lane = threadIdx.x;
  unsigned page = first[s];
  float sum = 0.f, squares = 0.f;
  for (int t = 0; t < length; ++t) {
    unsigned word = pages[(size_t)page * 32 + lane];
    page = __shfl_sync(~0u, word, READINGS);
    float reading = lane < READINGS ? __uint_as_float(word) : 0.f;
    sum += reading;
    squares = fmaf(reading, reading, squares);
  }
  float mean = warp_sum(sum) / (READINGS * length);
  squares = warp_sum(squares);
  if (lane == 0) out[s] = squares / (READINGS * length) - mean * mean;
}
