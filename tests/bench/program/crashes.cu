// Writes through a null pointer on the host after its kernel.
#include <cstdio>

__global__ void one(float* x) { x[threadIdx.x] = 1; }

int main() {
  float* x;
  cudaMalloc(&x, 1024);
  one<<<1, 256>>>(x);
  cudaDeviceSynchronize();
  volatile int* nowhere = nullptr;
  *nowhere = 1;
  return 0;
}
