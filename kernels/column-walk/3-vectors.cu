// A warp reads four rows at once, 16 bytes per lane: four loads are in flight before the first one is used.
// launch: row_sums<<<ceil(rows / 4 / (block / 32)), 256>>>(a, sums, rows, cols)
constexpr int kRows = 4;

extern "C" __global__ void row_sums(const float4* __restrict__ a, float* __restrict__ sums, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * kRows, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* from = a + (size_t)row * (cols / 4);
  float s[kRows] = {};
  for (int c = lane; c < cols / 4; c += 32) {
    float4 v[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) v[r] = from[r * (cols / 4) + c];
#pragma unroll
    for (int r = 0; r < kRows; ++r) s[r] += (v[r].x + v[r].y) + (v[r].z + v[r].w);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    for (int offset = 16; offset > 0; offset /= 2) s[r] += __shfl_down_sync(~0u, s[r], offset);
    if (lane == 0) sums[row + r] = s[r];
  }
}
