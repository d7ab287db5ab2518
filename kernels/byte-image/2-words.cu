// Four pixels per lane: 255 - v is the complement of v, in all four bytes of a word at once.
// launch: invert<<<8 * sms, 256>>>(negative, positive, n)
extern "C" __global__ void invert(const unsigned* __restrict__ negative, unsigned* __restrict__ positive, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x)
    positive[i] = ~negative[i];
}
