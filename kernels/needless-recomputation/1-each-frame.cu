// Correct a stack of camera frames for vignetting: each pixel times its gain, a polynomial of
// degree 11 in x and in y with 144 fitted coefficients. Four pixels of one frame per thread.
// constant: coefficient = coefficient
// launch: correct<<<ceil(width * height * frames / 4 / block), 256>>>(raw, corrected, width, height, frames)
__constant__ float coefficient[12][12];

__device__ float gain(float x, float y) {
  float sum = 0.f;
#pragma unroll
  for (int j = 11; j >= 0; --j) {
    float row = coefficient[j][11];
#pragma unroll
    for (int i = 10; i >= 0; --i) row = fmaf(row, x, coefficient[j][i]);  // slow: here
    sum = fmaf(sum, y, row);
  }
  return sum;
}

extern "C" __global__ void correct(const float4* __restrict__ raw, float4* __restrict__ corrected, int width, int height,
                                   int frames) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, pixels = width * height / 4;
  if (i >= pixels * frames) return;
  int place = i % pixels * 4;
  float x = 2.f * (place % width) / width - 1.f, y = 2.f * (place / width) / height - 1.f, dx = 2.f / width;
  float4 p = raw[i];
  corrected[i] = make_float4(p.x * gain(x, y), p.y * gain(x + dx, y), p.z * gain(x + 2 * dx, y), p.w * gain(x + 3 * dx, y));
}
