// The dividend may be negative, where a shift rounds down instead of towards zero.
extern "C" __global__ void halve(const int* a, int* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[i] - 50;
  b[i] = v / 2 + v % 4;
}
