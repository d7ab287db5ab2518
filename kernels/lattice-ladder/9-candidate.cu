// Two sites a thread: a coefficient, once fetched, serves both.
// constant: forward = forward
// constant: backward = backward
// constant: weight = weight
// constant: cx = cx
// constant: cy = cy
// constant: rate = rate
// launch: collide<<<ceil(sites / (2 * block)), min(128, 32 * floor(shared_per_block / 18944)), 2 * 37 * 8 * block>>>(now, next, sites)
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

// A moment relaxes towards nothing at its own rate, as far as it is not out of bounds. Gives the change.
__device__ __forceinline__ double relax(double moment, double rate, double limit) {
  return -rate * fmin(fmax(moment, -limit), limit);
}

extern "C" __global__ void __launch_bounds__(128, 2) collide(const double* __restrict__ now, double* __restrict__ next, int sites) {
  const int site = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (site >= sites) return;
  const size_t stride = sites;
  extern __shared__ double2 cache[];
  // A slab of 37 by 32 pairs for each warp.
  double2* own = cache + threadIdx.x / 32 * (Q * 32) + threadIdx.x % 32;
  double rho[2] = {}, ux[2] = {}, uy[2] = {};
#pragma unroll
  for (int i = 0; i < Q; ++i) {
    const double2 f = *(const double2*)(now + i * stride + site);
    own[i * 32] = f;
    rho[0] += f.x;
    rho[1] += f.y;
    ux[0] += cx[i] * f.x;
    ux[1] += cx[i] * f.y;
    uy[0] += cy[i] * f.x;
    uy[1] += cy[i] * f.y;
  }
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    ux[s] /= rho[s];
    uy[s] /= rho[s];
  }
  __syncwarp();  // from here on the populations come from shared memory
  double moment[Q][2] = {};
#pragma unroll 1
  for (int i = 0; i < Q; ++i) {
    const double2 f = own[i * 32];
    const double away[2] = {f.x - equilibrium(weight[i], cx[i], cy[i], rho[0], ux[0], uy[0]),
                            f.y - equilibrium(weight[i], cx[i], cy[i], rho[1], ux[1], uy[1])};
#pragma unroll
    for (int k = 0; k < Q; ++k) {
      const double coefficient = forward[i * Q + k];
      moment[k][0] += coefficient * away[0];
      moment[k][1] += coefficient * away[1];
    }
  }
#pragma unroll
  for (int k = 0; k < Q; ++k)
    for (int s = 0; s < 2; ++s) moment[k][s] = relax(moment[k][s], rate[k], LIMIT * rho[s]);
#pragma unroll 1
  for (int i = 0; i < Q; ++i) {
    const double2 f = own[i * 32];
    double even[2] = {f.x, f.y}, odd[2] = {};
#pragma unroll
    for (int k = 0; k < Q; ++k) {
      const double coefficient = backward[i * Q + k];
      double* sum = k % 2 == 0 ? even : odd;
      sum[0] += coefficient * moment[k][0];
      sum[1] += coefficient * moment[k][1];
    }
    *(double2*)(next + i * stride + site) = make_double2(even[0] + odd[0], even[1] + odd[1]);
  }
}
