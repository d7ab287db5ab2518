// Loads eight samples before it tests the first one; at most seven of them are not needed.
// launch: first_break<<<ceil(traces / block), 256>>>(record, out, threshold, traces, samples)
#define AHEAD 8
extern "C" __global__ void first_break(const float* __restrict__ record, int* __restrict__ out, float threshold, int traces, int samples) {
  int trace = blockIdx.x * blockDim.x + threadIdx.x;
  if (trace >= traces) return;
  int found = samples;
  for (int t = 0; t < samples && found == samples; t += AHEAD) {
    float next[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) next[k] = record[(size_t)min(t + k, samples - 1) * traces + trace];
#pragma unroll
    for (int k = AHEAD - 1; k >= 0; --k)
      if (t + k < samples && fabsf(next[k]) > threshold) found = t + k;
  }
  out[trace] = found;
}
