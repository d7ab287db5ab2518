// The first sample of each seismic trace that exceeds a threshold. Samples of one moment are contiguous.
// launch: first_break<<<ceil(traces / block), 256>>>(record, out, threshold, traces, samples)
extern "C" __global__ void first_break(const float* __restrict__ record, int* __restrict__ out, float threshold, int traces, int samples) {
  int trace = blockIdx.x * blockDim.x + threadIdx.x;
  if (trace >= traces) return;
  int t = 0;
  while (t < samples && fabsf(record[(size_t)t * traces + trace]) <= threshold) ++t;  // slow: here
  out[trace] = t;
}
