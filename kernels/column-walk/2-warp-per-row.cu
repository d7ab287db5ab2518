// A warp reads a row with adjacent lanes on adjacent columns, and adds its 32 partial sums at the end.
// launch: row_sums<<<ceil(rows / (block / 32)), 256>>>(a, sums, rows, cols)
extern "C" __global__ void row_sums(const float* __restrict__ a, float* __restrict__ sums, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float s = 0.f;
  for (int c = lane; c < cols; c += 32) s += a[(size_t)row * cols + c];
  for (int offset = 16; offset > 0; offset /= 2) s += __shfl_down_sync(~0u, s, offset);
  if (lane == 0) sums[row] = s;
}
