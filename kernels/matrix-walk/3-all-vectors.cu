// A warp processes four rows and all eight vectors: each loaded matrix element is used eight times from registers.
// launch: multiply<<<rows / 4 / (block / 32), 128>>>(a, x, y, rows, cols)
constexpr int kRows = 4, kVectors = 8;

__device__ float add_dot(float sum, float4 a, float4 b) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

// Reduces sums over the lanes of a warp; of 32 sums lane i gets the i-th. Each step passes half of them to other lanes.
template <int kHalf>
__device__ float add_across_lanes(const float (&sum)[2 * kHalf], int lane) {
  bool upper = lane & kHalf;
  float left[kHalf];
#pragma unroll
  for (int i = 0; i < kHalf; ++i) {
    float low = sum[i], high = sum[i + kHalf];
    left[i] = (upper ? high : low) + __shfl_xor_sync(~0u, upper ? low : high, kHalf);
  }
  if constexpr (kHalf == 1)
    return left[0];
  else
    return add_across_lanes<kHalf / 2>(left, lane);
}

extern "C" __global__ void __launch_bounds__(128, 5)
    multiply(const float4* __restrict__ a, const float4* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * kRows, lane = threadIdx.x % 32;
  int width = cols / 4;
  const float4* from = a + (size_t)row * width;
  float sum[kRows * kVectors] = {};
  float4 next[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) next[r] = __ldcs(from + r * width + lane);
#pragma unroll 2
  for (int c = lane; c < width; c += 32) {
    float4 here[kRows];
    int ahead = c + 32 < width ? c + 32 : c;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      here[r] = next[r];
      next[r] = __ldcs(from + r * width + ahead);
    }
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      float4 v = x[k * width + c];
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[k * kRows + r] = add_dot(sum[k * kRows + r], here[r], v);
    }
  }
  y[(size_t)(lane / kRows) * rows + row + lane % kRows] = add_across_lanes<16>(sum, lane);
}
