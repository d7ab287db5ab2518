// Relaxes the 33 bands of each measured spectrum by 256 time steps: a block per spectrum, a thread per band.
// launch: relax<<<spectra, 33>>>(start, gain, out)
#define STEPS 256

__device__ float rate(float v) { return fmaf(fmaf(fmaf(-0.9f, v, 1.3f), v, -0.5f), v, 0.08f); }

extern "C" __global__ void relax(const float* __restrict__ start, const float* __restrict__ gain, float* __restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float h = gain[blockIdx.x], v = start[i];
#pragma unroll 8
  for (int step = 0; step < STEPS; ++step) v = fmaf(h, rate(v), v);
  out[i] = v;
}
