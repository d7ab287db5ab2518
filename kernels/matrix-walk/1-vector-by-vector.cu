// One matrix times eight vectors. A warp processes four rows and one vector; the grid processes the vectors one by one.
// launch: multiply<<<(rows / 4 / (block / 32), 8), 256>>>(a, x, y, rows, cols)
constexpr int kRows = 4;

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

extern "C" __global__ void multiply(const float4* __restrict__ a, const float4* __restrict__ x,
                                    float* __restrict__ y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * kRows, lane = threadIdx.x % 32, vector = blockIdx.y;
  int width = cols / 4;
  const float4* from = a + (size_t)row * width;
  float sum[kRows] = {};
  for (int c = lane; c < width; c += 32) {
    float4 v = x[vector * width + c];
#pragma unroll
    for (int r = 0; r < kRows; ++r) sum[r] += dot(from[r * width + c], v);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    for (int offset = 16; offset > 0; offset /= 2) sum[r] += __shfl_down_sync(~0u, sum[r], offset);
    if (lane == 0) y[(size_t)vector * rows + row + r] = sum[r];
  }
}
