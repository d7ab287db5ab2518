// Reads numbers from standard input and adds powers of them in double precision literals by mistake.
#include <cstdio>
#include <vector>

__global__ void evaluate(const float* x, float* y, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < steps; ++k) v = v * 0.999 + 0.001;
  y[i] = v;
}

int main() {
  std::vector<float> host;
  float v;
  while (scanf("%f", &v) == 1) host.push_back(v);
  if (host.empty()) {
    fprintf(stderr, "no numbers on standard input\n");
    return 3;
  }
  const int n = 1 << 22;
  while ((int)host.size() < n) host.insert(host.end(), host.begin(), host.begin() + (host.size() < 1024 ? host.size() : 1024));
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * n);
  cudaMalloc(&y, sizeof(float) * n);
  cudaMemcpy(x, host.data(), sizeof(float) * n, cudaMemcpyHostToDevice);
  for (int i = 0; i < 4; ++i) evaluate<<<n / 256, 256>>>(x, y, n, 256);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
