// Two kernels. The first only averages, 16 bytes a lane and eight loads under way; the second multiplies the matrix by
// the averages of 32 data sets at a time, so that an element of the matrix, once loaded, serves them all.
// The number of vectors is a multiple of 1024.
// launch: average<<<ceil(sets * 1024 / 8), 256>>>(data, averages, sets, count)
// launch: multiply<<<(1024 / 64, ceil(sets / 32)), (16, 8)>>>(averages, matrix, result, sets)
#define LENGTH 1024
#define BATCH 8
#define ROWS 64
#define SETS 32
#define DEPTH 32

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

// A block makes 64 rows by 32 data sets of the result, a thread 4 by 4 of them; the next tile is loaded meanwhile.
extern "C" __global__ void __launch_bounds__(128) multiply(const float* __restrict__ averages, const float* __restrict__ matrix,
                                                           float* __restrict__ result, int sets) {
  __shared__ __align__(16) float rows[DEPTH][ROWS + 4], vectors[DEPTH][SETS + 4];
  const int x = threadIdx.x, y = threadIdx.y, lane = (y * 16 + x) % 32, warp = (y * 16 + x) / 32;
  const int row = blockIdx.x * ROWS, set = blockIdx.y * SETS;
  float sum[4][4] = {}, next_rows[ROWS / 4], next_vectors[SETS / 4];
  auto load = [&](int e) {
#pragma unroll
    for (int j = 0; j < ROWS / 4; ++j) next_rows[j] = matrix[(row + warp + 4 * j) * LENGTH + e + lane];
#pragma unroll
    for (int j = 0; j < SETS / 4; ++j) next_vectors[j] = averages[(size_t)min(set + warp + 4 * j, sets - 1) * LENGTH + e + lane];
  };
  load(0);
  for (int e = 0; e < LENGTH; e += DEPTH) {
#pragma unroll
    for (int j = 0; j < ROWS / 4; ++j) rows[lane][warp + 4 * j] = next_rows[j];
#pragma unroll
    for (int j = 0; j < SETS / 4; ++j) vectors[lane][warp + 4 * j] = next_vectors[j];
    __syncthreads();
    if (e + DEPTH < LENGTH) load(e + DEPTH);
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      const float4 a = *(const float4*)&rows[k][x * 4], b = *(const float4*)&vectors[k][y * 4];
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
    if (set + y * 4 + i < sets)
      *(float4*)(result + (size_t)(set + y * 4 + i) * LENGTH + row + x * 4) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
