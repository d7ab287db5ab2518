// A flag that another thread sets: volatile is needed.
__global__ void relay(const volatile int* flag, const volatile float* in, float* out) {
  while (*flag == 0) {
  }
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + in[i];
}
