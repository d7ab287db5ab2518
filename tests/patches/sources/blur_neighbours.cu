// A grid-stride loop that stores behind the element that it reads: vectors of both would not be aligned.
extern "C" __global__ void smear(const float* a, float* b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    b[i + 1] = 0.5f * a[i];
}
