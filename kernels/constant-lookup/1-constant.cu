// Luminance of an sRGB image: each of a pixel's three bytes is converted to linear light by a table of 256 floats.
// constant: linear = table
// launch: luminance<<<sms * 8, 256>>>(image, light, n)
__constant__ float linear[256];

__device__ unsigned char of_pixel(unsigned rgba) {
  float y = 0.2126f * linear[rgba & 255] + 0.7152f * linear[rgba >> 8 & 255] + 0.0722f * linear[rgba >> 16 & 255];  // slow: here
  return (unsigned char)(255.f * y + 0.5f);
}

extern "C" __global__ void luminance(const uint4* __restrict__ image, uchar4* __restrict__ light, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    uint4 p = image[i];
    light[i] = make_uchar4(of_pixel(p.x), of_pixel(p.y), of_pixel(p.z), of_pixel(p.w));  // slow: here
  }
}
