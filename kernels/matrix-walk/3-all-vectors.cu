// A warp takes four rows and all eight vectors: what it has loaded of the matrix is used eight times from registers.
// launch: multiply<<<rows / 4 / (block / 32), 128>>>(a, x, y, rows, cols)
constexpr int kRows = 4, kVectors = 8;

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

extern "C" __global__ void __launch_bounds__(128)
    multiply(const float4* __restrict__ a, const float4* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * kRows, lane = threadIdx.x % 32;
  int width = cols / 4;
  const float4* from = a + (size_t)row * width;
  float sum[kRows][kVectors] = {};
  float4 next[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) next[r] = __ldcs(from + r * width + lane);
  for (int c = lane; c < width; c += 32) {
    float4 here[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      here[r] = next[r];
      if (c + 32 < width) next[r] = __ldcs(from + r * width + c + 32);
    }
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      float4 v = x[k * width + c];
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r][k] += dot(here[r], v);
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r)
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      for (int offset = 16; offset > 0; offset /= 2) sum[r][k] += __shfl_down_sync(~0u, sum[r][k], offset);
      if (lane == 0) y[(size_t)k * rows + row + r] = sum[r][k];
    }
}
