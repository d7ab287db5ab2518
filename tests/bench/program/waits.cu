// A kernel that waits for the host: the host sets a flag in mapped memory after the launch. Under a profiler that lets a launch
// return only when the kernel has ended, it never ends.
#include <cstdio>

__global__ void wait_for(volatile int* flag, float* out) {
  while (*flag == 0) {
  }
  out[threadIdx.x] = 1;
}

int main() {
  volatile int* flag;
  int* on_device;
  float* out;
  cudaHostAlloc((void**)&flag, sizeof(int), cudaHostAllocMapped);
  *flag = 0;
  cudaHostGetDevicePointer((void**)&on_device, (void*)flag, 0);
  cudaMalloc(&out, 4096);
  wait_for<<<1, 256>>>(on_device, out);
  *flag = 1;
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
