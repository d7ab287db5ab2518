// The fence orders the data before its flag: it must stay in the loop.
extern "C" __global__ void publish(const int* in, int* data, int* flag, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    const int at = (blockIdx.x * rounds + r) * blockDim.x + threadIdx.x;
    data[at] = in[at] + 1;
    __threadfence_block();
    flag[at] = 1;
  }
}
