// The loop reads what an earlier turn wrote: vector loads would read it too early.
extern "C" __global__ void prefix(float* data, int length) {
  float* mine = data + (blockIdx.x * blockDim.x + threadIdx.x) * length;
  float carry = 0.f;
  for (int i = 0; i < length - 1; ++i) {
    carry += data[i + (blockIdx.x * blockDim.x + threadIdx.x) * length];
    mine[i + 1] = carry;
  }
}
