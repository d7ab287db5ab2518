// The same particles. Each block sorts the indices of its 2048 by material, in shared memory, so that a warp has one
// material (or two, at a border); the particles themselves are not moved.
// launch: follow<<<ceil(n / 8 / block), 256>>>(material, in, out, steps, n)
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

#define EACH 8  // particles per thread

extern "C" __global__ void __launch_bounds__(256) follow(const int* __restrict__ material, const float* __restrict__ in,
                                                         float* __restrict__ out, int steps, int n) {
  __shared__ int count[8], start[8], order[EACH * 256];
  int first = blockIdx.x * blockDim.x * EACH, last = min(first + (int)blockDim.x * EACH, n);
  if (threadIdx.x < 8) count[threadIdx.x] = start[threadIdx.x] = 0;
  __syncthreads();
  for (int i = first + threadIdx.x; i < last; i += blockDim.x) atomicAdd(&count[material[i]], 1);
  __syncthreads();
  if (threadIdx.x < 8)
    for (int m = 0; m < threadIdx.x; ++m) start[threadIdx.x] += count[m];
  __syncthreads();
  for (int i = first + threadIdx.x; i < last; i += blockDim.x)
    order[atomicAdd(&start[material[i]], 1)] = material[i] << 16 | (i - first);
  __syncthreads();
#pragma unroll 1
  for (int k = threadIdx.x; k < last - first; k += blockDim.x) {
    int i = first + (order[k] & 0xffff);
    out[i] = follow_one(order[k] >> 16, in[i], steps);
  }
}
