// The same six filters, in place after the first one, with one buffer less.
// launch: clip_saturated<<<(frame / (4 * block), frames / 4), 256>>>(raw, a, saturation, frame)
// launch: subtract_dark<<<(frame / (4 * block), frames / 4), 256>>>(a, dark, a, frame)
// launch: correct_gain<<<(frame / (4 * block), frames / 4), 256>>>(a, gain, a, frame)
// launch: stabilise<<<(frame / (4 * block), frames / 4), 256>>>(a, a, frame)
// launch: stretch<<<(frame / (4 * block), frames / 4), 256>>>(a, a, contrast, brightness, frame)
// launch: clamp<<<(frame / (4 * block), frames / 4), 256>>>(a, shown, frame)
constexpr int kFrames = 4;

// A thread handles four adjacent pixels of four frames: four vectors loaded, filtered, then stored.
template <class Filter>
__device__ void each_pixel(const float4* in, float4* out, int frame, Filter filter) {
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

extern "C" __global__ void clip_saturated(const float4* in, float4* out, float saturation, int frame) {
  each_pixel(in, out, frame, [=](float v, int) { return fminf(v, saturation); });
}

extern "C" __global__ void subtract_dark(const float4* in, const float4* dark, float4* out, int frame) {
  Pixels d(dark);
  each_pixel(in, out, frame, [=](float v, int lane) { return v - d.value[lane]; });
}

extern "C" __global__ void correct_gain(const float4* in, const float4* gain, float4* out, int frame) {
  Pixels g(gain);
  each_pixel(in, out, frame, [=](float v, int lane) { return v * g.value[lane]; });
}

extern "C" __global__ void stabilise(const float4* in, float4* out, int frame) {
  each_pixel(in, out, frame, [](float v, int) { return 2.f * sqrtf(fmaxf(v, 0.f) + 0.375f); });
}

extern "C" __global__ void stretch(const float4* in, float4* out, float contrast, float brightness, int frame) {
  each_pixel(in, out, frame, [=](float v, int) { return contrast * v + brightness; });
}

extern "C" __global__ void clamp(const float4* in, float4* out, int frame) {
  each_pixel(in, out, frame, [](float v, int) { return fminf(v, 1.f); });
}
