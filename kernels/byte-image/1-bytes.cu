// Inverts a scanned film negative: every grey value becomes 255 minus itself.
// launch: invert<<<8 * sms, 256>>>(negative, positive, n)
extern "C" __global__ void invert(const unsigned char* __restrict__ negative, unsigned char* __restrict__ positive,
                                  int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    positive[i] = 255 - negative[i];  // slow: here
}
