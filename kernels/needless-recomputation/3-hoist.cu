// One kernel: a thread computes the gains of its four pixels once, keeps them in registers and loops over the frames.
// constant: coefficient = coefficient
// launch: correct<<<ceil(width * height / 4 / block), 256>>>(raw, corrected, width, height, frames)
__constant__ float coefficient[12][12];

__device__ float gain(float x, float y) {
  float sum = 0.f;
#pragma unroll
  for (int j = 11; j >= 0; --j) {
    float row = coefficient[j][11];
#pragma unroll
    for (int i = 10; i >= 0; --i) row = fmaf(row, x, coefficient[j][i]);
    sum = fmaf(sum, y, row);
  }
  return sum;
}

extern "C" __global__ void correct(const float4* __restrict__ raw, float4* __restrict__ corrected, int width, int height,
                                   int frames) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, pixels = width * height / 4;
  if (i >= pixels) return;
  int place = i * 4;
  float x = 2.f * (place % width) / width - 1.f, y = 2.f * (place / width) / height - 1.f, dx = 2.f / width;
  float4 g = make_float4(gain(x, y), gain(x + dx, y), gain(x + 2 * dx, y), gain(x + 3 * dx, y));
#pragma unroll 4
  for (int frame = 0; frame < frames; ++frame) {
    float4 p = raw[(size_t)frame * pixels + i];
    corrected[(size_t)frame * pixels + i] = make_float4(p.x * g.x, p.y * g.y, p.z * g.z, p.w * g.w);
  }
}
