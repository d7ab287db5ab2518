// Signed remainders of what is never negative.
extern "C" __global__ void mix(const int* a, int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) {
    int j = i + k * 64;
    b[j] = a[j % 1024 + j / 32 % 16] + j / 8 % 4;
  }
}
