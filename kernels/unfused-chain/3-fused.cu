// The six filters in one kernel: a pixel stays in a register from the detector to the display.
// launch: prepare<<<(frame / (4 * block), frames / 4), 256>>>(raw, dark, gain, shown, saturation, contrast, brightness, frame)
constexpr int kFrames = 4;

// A thread handles four adjacent pixels of four frames: four vectors loaded, filtered, then stored.
template <class Filter>
__device__ void each_pixel(const float4* __restrict__ in, float4* __restrict__ out, int frame, Filter filter) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  size_t first = (size_t)blockIdx.y * kFrames * (frame / 4) + i;
  float4 v[kFrames];
#pragma unroll
  for (int k = 0; k < kFrames; ++k) v[k] = in[first + k * (frame / 4)];
#pragma unroll
  for (int k = 0; k < kFrames; ++k)
    out[first + k * (frame / 4)] = make_float4(filter(v[k].x, 0), filter(v[k].y, 1), filter(v[k].z, 2), filter(v[k].w, 3));
}

// This thread's four pixels of an image, by their position in the vector.
struct Pixels {
  float value[4];
  __device__ explicit Pixels(const float4* image) {
    float4 v = image[blockIdx.x * blockDim.x + threadIdx.x];
    value[0] = v.x, value[1] = v.y, value[2] = v.z, value[3] = v.w;
  }
};

extern "C" __global__ void prepare(const float4* __restrict__ raw, const float4* __restrict__ dark,
                                   const float4* __restrict__ gain, float4* __restrict__ shown, float saturation,
                                   float contrast, float brightness, int frame) {
  Pixels d(dark), g(gain);
  each_pixel(raw, shown, frame, [=](float v, int lane) {
    v = (fminf(v, saturation) - d.value[lane]) * g.value[lane];
    v = 2.f * sqrtf(fmaxf(v, 0.f) + 0.375f);
    return fminf(contrast * v + brightness, 1.f);
  });
}
