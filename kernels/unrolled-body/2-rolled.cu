// The same experts as one loop over hidden units. The weights of all experts lie in a table in shared memory, and each thread
// takes two samples, so that a weight is loaded once for two multiply-adds.
// launch: infer<<<sms, 256, 4 * weight_count>>>(weights, expert, input, output, samples)
#define HIDDEN 24
#define WIDTH 32
#define ROUNDS 8

extern "C" __global__ void __launch_bounds__(256, 1) infer(const float4* __restrict__ weights, const int* __restrict__ expert,
                                                           const float2* __restrict__ input, float2* __restrict__ output,
                                                           int samples) {
  extern __shared__ float4 table[];
  for (int k = threadIdx.x; k < 8 * HIDDEN * 2 * WIDTH / 4; k += blockDim.x) table[k] = weights[k];
  __syncthreads();
  int pairs = samples / 2;
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < pairs; s += gridDim.x * blockDim.x) {
    float2 x[WIDTH], y[WIDTH];
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) y[i] = input[(size_t)i * pairs + s];
    const float4* own = table + expert[s / 32] * (HIDDEN * 2 * WIDTH / 4);
#pragma unroll 1
    for (int r = 0; r < ROUNDS; ++r) {
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) x[i] = y[i];
#pragma unroll 2
      for (int h = 0; h < HIDDEN; ++h) {
        const float4* w = own + h * 2 * WIDTH / 4;
        float2 unit = make_float2(0.f, 0.f);
#pragma unroll
        for (int i = 0; i < WIDTH; i += 4) {
          float4 four = w[i / 4];
          float part[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            unit.x = fmaf(part[j], x[i + j].x, unit.x);
            unit.y = fmaf(part[j], x[i + j].y, unit.y);
          }
        }
        unit.x = fmaxf(unit.x, 0.f);
        unit.y = fmaxf(unit.y, 0.f);
#pragma unroll
        for (int o = 0; o < WIDTH; o += 4) {
          float4 four = w[(WIDTH + o) / 4];
          float part[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            y[o + j].x = fmaf(part[j], unit.x, y[o + j].x);
            y[o + j].y = fmaf(part[j], unit.y, y[o + j].y);
          }
        }
      }
    }
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) output[(size_t)i * pairs + s] = y[i];
  }
}
