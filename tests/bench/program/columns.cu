// A program with one slow kernel: each thread sums a row, so that a warp's loads are a row apart. Argument: times to run it.
#include <cstdio>
#include <cstdlib>

__global__ void sum_rows(const float* in, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int c = 0; c < columns; ++c) s += in[(size_t)r * columns + c];
  out[r] = s;
}

int main(int argc, char** argv) {
  const int rows = 1 << 15, columns = 2048, times = argc > 1 ? atoi(argv[1]) : 5;
  float *in, *out;
  cudaMalloc(&in, sizeof(float) * rows * columns);
  cudaMalloc(&out, sizeof(float) * rows);
  cudaMemset(in, 0, sizeof(float) * rows * columns);
  for (int i = 0; i < times; ++i) sum_rows<<<rows / 128, 128>>>(in, out, rows, columns);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
