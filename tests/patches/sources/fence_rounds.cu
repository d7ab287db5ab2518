// A fence after each store of one array, which nothing else in the kernel reads.
extern "C" __global__ void shift(const int* in, int* data, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    const int at = (blockIdx.x * rounds + r) * blockDim.x + threadIdx.x;
    data[at] = in[at] + 1;
    __threadfence_block();
  }
}
