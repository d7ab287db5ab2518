// The readings of a series, contiguous in an array: no load depends on a link. Four 16-byte loads at a time.
// launch: variance<<<ceil(32 * series / block), 256>>>(readings, out, series, length)
#define READINGS 31

__device__ float warp_sum(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

extern "C" __global__ void variance(const float4* __restrict__ readings, float* __restrict__ out, int series, int length) {
  int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (s >= series) return;
  int quads = READINGS * length / 4;
  const float4* mine = readings + (size_t)s * quads;
  float sum = 0.f, squares = 0.f;
  for (int start = lane; start < quads; start += 4 * 32) {
    float4 r[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) r[k] = start + 32 * k < quads ? mine[start + 32 * k] : make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      sum += (r[k].x + r[k].y) + (r[k].z + r[k].w);
      squares = fmaf(r[k].x, r[k].x, fmaf(r[k].y, r[k].y, fmaf(r[k].z, r[k].z, fmaf(r[k].w, r[k].w, squares))));
    }
  }
  float mean = warp_sum(sum) / (READINGS * length);
  squares = warp_sum(squares);
  if (lane == 0) out[s] = squares / (READINGS * length) - mean * mean;
}
