// One site per thread: moments of the 37 populations, relaxed towards equilibrium, and back. Parameters are in memory.
// launch: collide<<<ceil(sites / block), 256>>>(now, next, forward, backward, weight, cx, cy, rate, sites, 37)
#define Q 37
#define LIMIT 0.05

// The equilibrium of one direction: a polynomial of fourth order in the velocity u (in units of the lattice's own speed).
__device__ __forceinline__ double equilibrium(double weight, double cx, double cy, double rho, double ux, double uy) {
  const double a = cx * ux + cy * uy, b = ux * ux + uy * uy;
  return weight * rho * (1.0 - 0.5 * b + 0.125 * b * b + a * (1.0 - 0.5 * b + a * (0.5 - 0.25 * b + a * (1.0 / 6 + a * (1.0 / 24)))));
}

// A moment relaxes towards zero at its own rate, within bounds. Returns the change.
__device__ __forceinline__ double relax(double moment, double rate, double limit) {
  return -rate * fmin(fmax(moment, -limit), limit);
}

extern "C" __global__ void __launch_bounds__(256) collide(const double* __restrict__ now, double* __restrict__ next, const double* __restrict__ forward,
                                   const double* __restrict__ backward, const double* __restrict__ weight, const double* __restrict__ cx,
                                   const double* __restrict__ cy, const double* __restrict__ rate, int sites, int q) {
  const int site = blockIdx.x * blockDim.x + threadIdx.x;
  if (site >= sites) return;
  const size_t stride = sites;
  double rho = 0.0, ux = 0.0, uy = 0.0;
  for (int i = 0; i < q; ++i) {
    const double f = now[i * stride + site];
    rho += f;
    ux += cx[i] * f;
    uy += cy[i] * f;
  }
  ux /= rho;
  uy /= rho;
  double moment[Q] = {};
  for (int i = 0; i < q; ++i) {
    const double away = now[i * stride + site] - equilibrium(weight[i], cx[i], cy[i], rho, ux, uy);
#pragma unroll
    for (int k = 0; k < Q; ++k) moment[k] += forward[i * Q + k] * away;  // slow: here
  }
#pragma unroll
  for (int k = 0; k < Q; ++k) moment[k] = relax(moment[k], rate[k], LIMIT * rho);
  for (int i = 0; i < q; ++i) {
    double f = now[i * stride + site];
#pragma unroll
    for (int k = 0; k < Q; ++k) f += backward[i * Q + k] * moment[k];  // slow: here
    next[i * stride + site] = f;
  }
}
