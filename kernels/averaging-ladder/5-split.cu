// The first of two kernels averages, 16 bytes per lane and eight loads in flight; the second multiplies the matrix by
// the averages of 32 data sets at a time, so that each loaded matrix element is used 32 times.
// The number of vectors is a multiple of 1024.
// launch: average<<<ceil(sets * 1024 / 8), 256>>>(data, averages, sets, count)
// launch: multiply<<<(1024 / 32, ceil(sets / 32)), 256>>>(averages, matrix, result, sets)
#define LENGTH 1024
#define BATCH 8
#define TILE 32
#define DEPTH 64
#define PITCH (TILE + 4)

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

// A block computes 32 rows by 32 data sets of the result. Four groups of 64 threads share the sum over the elements;
// a thread computes 4 by 4 results of its group's part while the next tiles are loaded.
extern "C" __global__ void __launch_bounds__(256) multiply(const float* __restrict__ averages, const float* __restrict__ matrix,
                                                           float* __restrict__ result, int sets) {
  __shared__ __align__(16) float rows[DEPTH][PITCH], vectors[DEPTH][PITCH], parts[3][TILE][PITCH];
  const int t = threadIdx.x, group = t / 64, x = t % 8 * 4, y = t % 64 / 8 * 4;
  const int row = blockIdx.x * TILE, set = blockIdx.y * TILE;
  const float* from_row = matrix + (row + t / 8) * LENGTH + t % 8;
  const float* from_set = averages + (size_t)min(set + t / 8, sets - 1) * LENGTH + t % 8;
  float next_rows[DEPTH / 8], next_vectors[DEPTH / 8], sum[4][4] = {};
  auto load = [&](int e) {
#pragma unroll
    for (int j = 0; j < DEPTH / 8; ++j) {
      next_rows[j] = from_row[e + 8 * j];
      next_vectors[j] = from_set[e + 8 * j];
    }
  };
  load(0);
  for (int e = 0; e < LENGTH; e += DEPTH) {
#pragma unroll
    for (int j = 0; j < DEPTH / 8; ++j) {
      rows[t % 8 + 8 * j][t / 8] = next_rows[j];
      vectors[t % 8 + 8 * j][t / 8] = next_vectors[j];
    }
    __syncthreads();
    if (e + DEPTH < LENGTH) load(e + DEPTH);
#pragma unroll
    for (int k = 0; k < DEPTH / 4; ++k) {
      const float4 a = *(const float4*)&rows[group * (DEPTH / 4) + k][x], b = *(const float4*)&vectors[group * (DEPTH / 4) + k][y];
      const float r[4] = {a.x, a.y, a.z, a.w}, v[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += v[i] * r[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (group > 0) *(float4*)&parts[group - 1][y + i][x] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
  __syncthreads();
  if (group > 0) return;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    for (int g = 0; g < 3; ++g)
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[i][j] += parts[g][y + i][x + j];
    if (set + y + i < sets)
      *(float4*)(result + (size_t)(set + y + i) * LENGTH + row + x) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
  }
}
