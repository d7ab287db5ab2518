// Unrolled, and compiled for three blocks per SM: at most 80 registers per thread.
// constant: forward = forward
// constant: backward = backward
// constant: weight = weight
// constant: cx = cx
// constant: cy = cy
// constant: rate = rate
// launch: collide<<<ceil(sites / block), 256>>>(now, next, sites)
#define Q 37
#define LIMIT 0.05

__constant__ double forward[Q * Q];
__constant__ double backward[Q * Q];
__constant__ double weight[Q];
__constant__ double cx[Q];
__constant__ double cy[Q];
__constant__ double rate[Q];

// The equilibrium of one direction: a polynomial of fourth order in the velocity u (in units of the lattice's own speed).
__device__ __forceinline__ double equilibrium(double weight, double cx, double cy, double rho, double ux, double uy) {
  const double a = cx * ux + cy * uy, b = ux * ux + uy * uy;
  return weight * rho * (1.0 - 0.5 * b + 0.125 * b * b + a * (1.0 - 0.5 * b + a * (0.5 - 0.25 * b + a * (1.0 / 6 + a * (1.0 / 24)))));
}

// A moment relaxes towards zero at its own rate, within bounds. Returns the change.
__device__ __forceinline__ double relax(double moment, double rate, double limit) {
  return -rate * fmin(fmax(moment, -limit), limit);
}

extern "C" __global__ void __launch_bounds__(256, 3) collide(const double* __restrict__ now, double* __restrict__ next, int sites) {
  const int site = blockIdx.x * blockDim.x + threadIdx.x;
  if (site >= sites) return;
  const size_t stride = sites;
  double rho = 0.0, ux = 0.0, uy = 0.0;
#pragma unroll
  for (int i = 0; i < Q; ++i) {
    const double f = now[i * stride + site];
    rho += f;
    ux += cx[i] * f;
    uy += cy[i] * f;
  }
  ux /= rho;
  uy /= rho;
  double moment[Q] = {};
#pragma unroll
  for (int i = 0; i < Q; ++i) {
    const double away = now[i * stride + site] - equilibrium(weight[i], cx[i], cy[i], rho, ux, uy);
#pragma unroll
    for (int k = 0; k < Q; ++k) moment[k] += forward[i * Q + k] * away;
  }
#pragma unroll
  for (int k = 0; k < Q; ++k) moment[k] = relax(moment[k], rate[k], LIMIT * rho);
#pragma unroll
  for (int i = 0; i < Q; ++i) {
    double f = now[i * stride + site];
#pragma unroll
    for (int k = 0; k < Q; ++k) f += backward[i * Q + k] * moment[k];
    next[i * stride + site] = f;
  }
}
