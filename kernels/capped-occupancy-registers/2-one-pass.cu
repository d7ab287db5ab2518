// Sum and sum of squares in one pass: no readings are kept. They are centred on zero, so there is no cancellation.
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
  float sum = 0.f, squares = 0.f;
  for (int t = 0; t < PAGES; ++t) {
    unsigned word = pages[(size_t)page * 32 + lane];
    page = __shfl_sync(~0u, word, READINGS);
    float reading = lane < READINGS ? __uint_as_float(word) : 0.f;
    sum += reading;
    squares = fmaf(reading, reading, squares);
  }
  float mean = warp_sum(sum) / (PAGES * READINGS);
  squares = warp_sum(squares);
  if (lane == 0) out[s] = squares / (PAGES * READINGS) - mean * mean;
}
