// Each thread gathers half a record and stores it as 16 bytes, so a warp writes 512 contiguous bytes; two halves each.
// launch: interleave<<<ceil(n / block), 256>>>(planes, records, n)
constexpr int kHalves = 2;

extern "C" __global__ void interleave(const float* __restrict__ planes, float4* __restrict__ records, int n) {
  int first = blockIdx.x * kHalves * blockDim.x + threadIdx.x;
  float4 v[kHalves];
#pragma unroll
  for (int k = 0; k < kHalves; ++k) {
    int half = first + k * blockDim.x, i = half / 2, sensor = half % 2 * 4;
    if (i < n) {
      const float* from = planes + (size_t)sensor * n + i;
      v[k] = make_float4(from[0], from[(size_t)n], from[2 * (size_t)n], from[3 * (size_t)n]);
    }
  }
#pragma unroll
  for (int k = 0; k < kHalves; ++k) {
    int half = first + k * blockDim.x;
    if (half / 2 < n) records[half] = v[k];
  }
}
