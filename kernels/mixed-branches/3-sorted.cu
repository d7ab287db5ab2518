// The same particles, processed in an order that is sorted by material once for many runs.
// launch: follow<<<ceil(n / block), 256>>>(order, material, in, out, steps, n)
#define H 0.05f
#define WALK(force) for (int t = 0; t < steps; ++t) { w = fmaf(H, force, w); v = fmaf(H, w, v); } break

// Position v, speed w: a kick by the material's force, then a drift.
__device__ float follow_one(int material, float v, int steps) {
  float w = 0.f;
  switch (material) {
    case 0: WALK(-v);
    case 1: WALK(-v * v * v);
    case 2: WALK(-v * fabsf(v));
    case 3: WALK(-fminf(fmaxf(v, -0.5f), 0.5f));
    case 4: WALK(fminf(fmaxf(v, -0.25f), 0.25f) - v);
    case 5: WALK(-v * fmaf(v * v, v * v, 0.5f));
    case 6: WALK(-v * fmaf(v * v, fmaf(v * v, 0.008333333f, -0.16666667f), 1.f));
    default: WALK(-v * fmaf(v, 0.5f + v, 1.f));
  }
  return v + w;
}

extern "C" __global__ void follow(const int* __restrict__ order, const int* __restrict__ material,
                                  const float* __restrict__ in, float* __restrict__ out, int steps, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  int i = order[k];
  out[i] = follow_one(material[i], in[i], steps);
}
