// The six filters in one kernel: a pixel stays in a register from the detector to the display.
// launch: prepare<<<(frame / (16 * 256), frames), 256>>>(raw, dark, gain, shown, contrast, brightness, frame)
constexpr int kLoads = 4;

__device__ float component(float4 v, int lane) { return lane == 0 ? v.x : lane == 1 ? v.y : lane == 2 ? v.z : v.w; }

// Sixteen pixels a thread: four vectors loaded, then `filter` on each value, then four vectors stored.
template <class Filter>
__device__ void each_pixel(const float4* __restrict__ in, float4* __restrict__ out, int frame, Filter filter) {
  const float4* from = in + (size_t)blockIdx.y * (frame / 4);
  float4* to = out + (size_t)blockIdx.y * (frame / 4);
  int first = blockIdx.x * kLoads * blockDim.x + threadIdx.x;
  float4 v[kLoads];
#pragma unroll
  for (int k = 0; k < kLoads; ++k) v[k] = from[first + k * blockDim.x];
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    int i = first + k * blockDim.x;
    v[k] = make_float4(filter(v[k].x, i, 0), filter(v[k].y, i, 1), filter(v[k].z, i, 2), filter(v[k].w, i, 3));
  }
#pragma unroll
  for (int k = 0; k < kLoads; ++k) to[first + k * blockDim.x] = v[k];
}

extern "C" __global__ void prepare(const float4* __restrict__ raw, const float4* __restrict__ dark,
                                   const float4* __restrict__ gain, float4* __restrict__ shown, float contrast,
                                   float brightness, int frame) {
  each_pixel(raw, shown, frame, [=](float v, int i, int lane) {
    v = (v - component(dark[i], lane)) * component(gain[i], lane);
    v = 2.f * sqrtf(fmaxf(v, 0.f) + 0.375f);
    return fminf(contrast * v + brightness, 1.f);
  });
}
