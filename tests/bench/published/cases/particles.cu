#include "harness.h"
struct Particle { float x, y, z, vx, vy, vz, m, q; };
__global__ void push_records(Particle* __restrict__ p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += p[i].vx * dt;
}
__global__ void push_fields(float* __restrict__ x, const float* __restrict__ vx, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += vx[i] * dt;
}
__global__ void split(const Particle* p, float* x, float* vx, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { x[i] = p[i].x; vx[i] = p[i].vx; } }
__global__ void getx(const Particle* p, float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = p[i].x; }
int main(int argc, char** argv) {
  const int n = 1 << 24;
  Particle* p = (Particle*)dalloc<float>((size_t)n * 8); float *x = dalloc<float>(n), *vx = dalloc<float>(n), *t = dalloc<float>(n);
  fill_uniform((float*)p, (size_t)n * 8, -1, 1, 4); split<<<n / 256, 256>>>(p, x, vx, n);
  return bench(argc, argv, "particles", "push_records", "push_fields", nothing, [&] { push_records<<<n / 256, 256>>>(p, n, 1e-3f); },
               nothing, [&] { push_fields<<<n / 256, 256>>>(x, vx, n, 1e-3f); }, [&] { getx<<<n / 256, 256>>>(p, t, n); return count_bad(t, x, n, 1e-6f, 1e-6f) + !any_nonzero(t, n); });
}
