// The gains of one frame are computed once into a table, which a second kernel applies to all frames.
// constant: coefficient = coefficient
// launch: tabulate<<<ceil(width * height / block), 256>>>(table, width, height)
// launch: correct<<<ceil(width * height * frames / 4 / block), 256>>>(raw, table, corrected, width, height, frames)
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

extern "C" __global__ void tabulate(float* __restrict__ table, int width, int height) {
  int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= width * height) return;
  table[place] = gain(2.f * (place % width) / width - 1.f, 2.f * (place / width) / height - 1.f);
}

extern "C" __global__ void correct(const float4* __restrict__ raw, const float4* __restrict__ table,
                                   float4* __restrict__ corrected, int width, int height, int frames) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, pixels = width * height / 4;
  if (i >= pixels * frames) return;
  float4 p = raw[i], g = table[i % pixels];
  corrected[i] = make_float4(p.x * g.x, p.y * g.y, p.z * g.z, p.w * g.w);
}
