// Every warp follows a chain of 128-byte lines: perfectly coalesced, and one load in flight.
extern "C" __global__ void line_chain(const unsigned* __restrict__ next, unsigned* __restrict__ out, unsigned lines, int steps) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
  unsigned at = (unsigned)(((unsigned long long)(i / 32) * 2654435761ull) % lines), s = 0;
  for (int t = 0; t < steps; ++t) { at = next[(size_t)at * 32 + lane]; s += at; }
  out[i] = s;
}
