// The arithmetic half: matrices generated in registers, and a store that never executes, unknown to the compiler. The
// shared memory is not used; it only keeps the occupancy equal.
// launch: math_only<<<sms, 256, floor(shared_per_sm / 2) + 1024>>>(out, never, tiles)
#define THREADS 256
#define ORDER 16

// exp(a) of a 4x4 matrix by the Taylor series in Horner's form.
__device__ void exponential(float a[16]) {
  float e[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) e[i] = fmaf(1.f / ORDER, a[i], i % 5 == 0 ? 1.f : 0.f);
#pragma unroll
  for (int k = ORDER - 1; k > 0; --k) {
    float t[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      t[i] = 0.f;
#pragma unroll
      for (int j = 0; j < 4; ++j) t[i] = fmaf(a[i / 4 * 4 + j], e[j * 4 + i % 4], t[i]);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) e[i] = fmaf(1.f / k, t[i], i % 5 == 0 ? 1.f : 0.f);
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) a[i] = e[i];
}

extern "C" __global__ void __launch_bounds__(THREADS) math_only(float4* __restrict__ out, float never, int tiles) {
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    float a[16], sum = 0.f, first = 1e-7f * (t + threadIdx.x);
#pragma unroll
    for (int i = 0; i < 16; ++i) a[i] = first + 0.01f * i;
    exponential(a);
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += a[i];
    if (sum == never) out[(size_t)t * THREADS + threadIdx.x] = make_float4(a[0], a[5], a[10], a[15]);
  }
}
