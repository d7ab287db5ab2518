// Cells exchange only within their own warp, so a warp-level barrier is sufficient: no ring waits for another.
// launch: react<<<rings / 32, 1024>>>(start, substeps, out, rings, steps)
#define SPAN 0.04f  // time of a step

__device__ float rate(float v) { return fmaf(fmaf(fmaf(-0.9f, v, 1.3f), v, -0.5f), v, 0.08f); }

__device__ float substep(float v, float left, float right, float h) {
  v = fmaf(0.2f * h, left - v - v + right, v);
  for (int stage = 0; stage < 8; ++stage) {
    float k1 = rate(v), k2 = rate(fmaf(0.0625f * h, k1, v));
    v = fmaf(0.125f * h, k2, v);
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(1024) react(const float* __restrict__ start, const int* __restrict__ substeps, float* __restrict__ out, int rings, int steps) {
  __shared__ float cell[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x, ring = i / 32, lane = threadIdx.x % 32;
  int before = (threadIdx.x & ~31) | ((lane + 31) & 31), after = (threadIdx.x & ~31) | ((lane + 1) & 31);
  float v = start[i];
  int counts = substeps[(size_t)ring * steps + lane];
  for (int step = 0; step < steps; ++step) {
    int left = __shfl_sync(~0u, counts, step);
    float h = SPAN / left;
    for (; left > 0; --left) {
      cell[threadIdx.x] = v;
      __syncwarp();
      float l = cell[before], r = cell[after];
      __syncwarp();
      v = substep(v, l, r, h);
    }
  }
  out[i] = v;
}
