// The same six filters, each working in place after the first: one buffer less, and no page of memory is new.
// launch: subtract_dark<<<(frame / (16 * 256), frames), 256>>>(raw, dark, a, frame)
// launch: correct_gain<<<(frame / (16 * 256), frames), 256>>>(a, gain, a, frame)
// launch: clamp_below<<<(frame / (16 * 256), frames), 256>>>(a, a, frame)
// launch: stabilise<<<(frame / (16 * 256), frames), 256>>>(a, a, frame)
// launch: stretch<<<(frame / (16 * 256), frames), 256>>>(a, a, contrast, brightness, frame)
// launch: clamp_above<<<(frame / (16 * 256), frames), 256>>>(a, shown, frame)
constexpr int kLoads = 4;

__device__ float component(float4 v, int lane) { return lane == 0 ? v.x : lane == 1 ? v.y : lane == 2 ? v.z : v.w; }

// Sixteen pixels a thread: four vectors loaded, then `filter` on each value, then four vectors stored.
template <class Filter>
__device__ void each_pixel(const float4* in, float4* out, int frame, Filter filter) {
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

extern "C" __global__ void subtract_dark(const float4* in, const float4* dark, float4* out, int frame) {
  each_pixel(in, out, frame, [=](float v, int i, int lane) { return v - component(dark[i], lane); });
}

extern "C" __global__ void correct_gain(const float4* in, const float4* gain, float4* out, int frame) {
  each_pixel(in, out, frame, [=](float v, int i, int lane) { return v * component(gain[i], lane); });
}

extern "C" __global__ void clamp_below(const float4* in, float4* out, int frame) {
  each_pixel(in, out, frame, [=](float v, int, int) { return fmaxf(v, 0.f); });
}

extern "C" __global__ void stabilise(const float4* in, float4* out, int frame) {
  each_pixel(in, out, frame, [=](float v, int, int) { return 2.f * sqrtf(v + 0.375f); });
}

extern "C" __global__ void stretch(const float4* in, float4* out, float contrast, float brightness, int frame) {
  each_pixel(in, out, frame, [=](float v, int, int) { return contrast * v + brightness; });
}

extern "C" __global__ void clamp_above(const float4* in, float4* out, int frame) {
  each_pixel(in, out, frame, [=](float v, int, int) { return fminf(v, 1.f); });
}
