// The same experts as one loop over hidden units. All weights are in a shared-memory table, and each thread
// processes three samples of a group, so that a weight is loaded once for three multiply-adds.
// launch: infer<<<sms, 256, 4 * weight_count>>>(weights, expert, input, output, samples)
#define HIDDEN 24
#define WIDTH 32
#define ROUNDS 8
#define GROUP 96

extern "C" __global__ void __launch_bounds__(256, 1) infer(const float4* __restrict__ weights, const int* __restrict__ expert,
                                                           const float* __restrict__ input, float* __restrict__ output,
                                                           int samples) {
  extern __shared__ float4 table[];
  for (int k = threadIdx.x; k < 8 * HIDDEN * 2 * WIDTH / 4; k += blockDim.x) table[k] = weights[k];
  __syncthreads();
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
  for (int group = warp; group < samples / GROUP; group += warps) {
    size_t s = (size_t)group * GROUP + lane;
    float x[WIDTH][3], y[WIDTH][3];
#pragma unroll
    for (int i = 0; i < WIDTH; ++i)
#pragma unroll
      for (int q = 0; q < 3; ++q) y[i][q] = input[(size_t)i * samples + s + 32 * q];
    const float4* own = table + expert[group] * (HIDDEN * 2 * WIDTH / 4);
#pragma unroll 1
    for (int r = 0; r < ROUNDS; ++r) {
#pragma unroll
      for (int i = 0; i < WIDTH; ++i)
#pragma unroll
        for (int q = 0; q < 3; ++q) x[i][q] = y[i][q];
#pragma unroll 1
      for (int h = 0; h < HIDDEN; ++h) {
        const float4* w = own + h * 2 * WIDTH / 4;
        float unit[3] = {};
#pragma unroll
        for (int i = 0; i < WIDTH; i += 4) {
          float4 four = w[i / 4];
          float part[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
          for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int q = 0; q < 3; ++q) unit[q] = fmaf(part[j], x[i + j][q], unit[q]);
        }
#pragma unroll
        for (int q = 0; q < 3; ++q) unit[q] = fmaxf(unit[q], 0.f);
#pragma unroll
        for (int o = 0; o < WIDTH; o += 4) {
          float4 four = w[(WIDTH + o) / 4];
          float part[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
          for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int q = 0; q < 3; ++q) y[o + j][q] = fmaf(part[j], unit[q], y[o + j][q]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < WIDTH; ++i)
#pragma unroll
      for (int q = 0; q < 3; ++q) output[(size_t)i * samples + s + 32 * q] = y[i][q];
  }
}
