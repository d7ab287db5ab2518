// The sum of each row of a row-major matrix: each thread sums one row.
// launch: row_sums<<<ceil(rows / block), 256>>>(a, sums, rows, cols)
extern "C" __global__ void row_sums(const float* __restrict__ a, float* __restrict__ sums, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float s = 0.f;
  for (int c = 0; c < cols; ++c) s += a[(size_t)row * cols + c];  // slow: here
  sums[row] = s;
}
