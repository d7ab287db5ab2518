// A small neural network, 32 inputs, 192 hidden units, 32 outputs, as a code generator wrote it: straight-line code with
// every weight a literal. (Templates stand for the generator here: 12,288 multiply-adds, each with a constant of its own.)
// launch: infer<<<sms * 3, 256>>>(input, output, samples)
#define HIDDEN 192
#define WIDTH 32

// The weight at position k, equal to weights[k] of the table: 24 bits of a hash, centred and scaled, exact in float.
__device__ constexpr float weight(unsigned k) {
  return (((k * 2654435761u ^ 0x9e3779b9u) * 2246822519u >> 8) * 5.9604644775390625e-8f - 0.5f) * 0.25f;
}

template <unsigned FIRST, unsigned LAST>
__device__ __forceinline__ void hidden_units(const float (&x)[WIDTH], float (&y)[WIDTH]) {
  if constexpr (LAST - FIRST > 1) {
    hidden_units<FIRST, (FIRST + LAST) / 2>(x, y);
    hidden_units<(FIRST + LAST) / 2, LAST>(x, y);
  } else {
    float unit = 0.f;
#pragma unroll
    for (unsigned i = 0; i < WIDTH; ++i) unit = fmaf(weight(FIRST * 2 * WIDTH + i), x[i], unit);
    unit = fmaxf(unit, 0.f);
#pragma unroll
    for (unsigned o = 0; o < WIDTH; ++o) y[o] = fmaf(weight(FIRST * 2 * WIDTH + WIDTH + o), unit, y[o]);
  }
}

extern "C" __global__ void __launch_bounds__(256, 3) infer(const float* __restrict__ input, float* __restrict__ output,
                                                           int samples) {
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < samples; s += gridDim.x * blockDim.x) {
    float x[WIDTH], y[WIDTH] = {};
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) x[i] = input[(size_t)i * samples + s];
    hidden_units<0, HIDDEN>(x, y);
#pragma unroll
    for (int o = 0; o < WIDTH; ++o) output[(size_t)o * samples + s] = y[o];
  }
}
