// Each thread walks its own row through a pointer of its own.
extern "C" __global__ void dots(const float* matrix, const float* vec, float* out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    const float* mine = matrix + (long long)r * cols;
    float sum = 0;
    for (int c = 0; c < cols; c++)
      sum += mine[c] * vec[c];
    out[r] = sum;
  }
}
