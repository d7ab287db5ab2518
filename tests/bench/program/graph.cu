// Two kernels in a CUDA graph, launched again and again; the second one reads with a stride.
#include <cstdio>

__global__ void fill(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

__global__ void every_32nd(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int m = n / 32;
  if (i < n) y[i] = x[(size_t)(i % m) * 32 + i / m];
}

int main() {
  const int n = 1 << 25;
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * n);
  cudaMalloc(&y, sizeof(float) * n);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<n / 256, 256, 0, stream>>>(x, n);
  every_32nd<<<n / 256, 256, 0, stream>>>(x, y, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  for (int i = 0; i < 5; ++i) cudaGraphLaunch(ready, stream);
  cudaError_t error = cudaStreamSynchronize(stream);
  printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
