// The squared errors of 16 linear models on all records. A block takes a tile of 2048 records for one model; blocks go through all
// tiles for one model, then for the next. tiles is a multiple of 4.
// launch: score<<<tiles * 16, 256>>>(records, models, error, tiles)
#define TILE 2048

extern "C" __global__ void score(const float4* __restrict__ records, const float4* __restrict__ models, float* __restrict__ error,
                                 int tiles) {
  int model = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  float4 m = models[model];
  float sum = 0.f;
#pragma unroll
  for (int i = threadIdx.x; i < TILE; i += 256) {
    float4 r = records[(size_t)tile * TILE + i];  // slow: here
    float off = r.w - (m.x * r.x + m.y * r.y + m.z * r.z + m.w);
    sum += off * off;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) error[((size_t)model * tiles + tile) * 8 + threadIdx.x / 32] = sum;
}
