// The averaging phase of the last version alone: without the product, no results are written.
// The number of vectors is a multiple of 1024.
// launch: average<<<ceil(sets * 1024 / 8), 256>>>(data, averages, sets, count)
#define LENGTH 1024
#define BATCH 8

extern "C" __global__ void __launch_bounds__(256) average(const float* __restrict__ data, float* __restrict__ averages,
                                                          int sets, int count) {
  const int lane = threadIdx.x % 32;
  const size_t element = (size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (element >= (size_t)sets * LENGTH) return;
  const float4* values = (const float4*)(data + element * count) + lane;
  float sum = 0.0f;
  for (int v = 0; v < count / 4; v += 32 * BATCH) {
    float4 r[BATCH];
#pragma unroll
    for (int j = 0; j < BATCH; ++j) r[j] = __ldcs(values + v + 32 * j);
#pragma unroll
    for (int j = 0; j < BATCH; ++j) sum += (r[j].x + r[j].y) + (r[j].z + r[j].w);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) averages[element] = sum / count;
}
