// The two products on tensor cores in double precision: a warp multiplies 32 sites at a time, so that a coefficient is
// loaded once for all of them. The number of sites is a multiple of 32.
// launch: collide<<<ceil(sites / block), 128>>>(now, next, forward, backward, weight, cx, cy, rate, sites)
#define Q 37
#define LIMIT 0.05
#define WARPS 4
#define PITCH 36  // doubles between directions: the reads of a half warp are in 32 different banks

// The equilibrium of one direction: a polynomial of fourth order in the velocity u (in units of the lattice's own speed).
__device__ __forceinline__ double equilibrium(double weight, double cx, double cy, double rho, double ux, double uy) {
  const double a = cx * ux + cy * uy, b = ux * ux + uy * uy;
  return weight * rho * (1.0 - 0.5 * b + 0.125 * b * b + a * (1.0 - 0.5 * b + a * (0.5 - 0.25 * b + a * (1.0 / 6 + a * (1.0 / 24)))));
}

// A moment relaxes towards zero at its own rate, within bounds. Returns the change.
__device__ __forceinline__ double relax(double moment, double rate, double limit) {
  return -rate * fmin(fmax(moment, -limit), limit);
}

// c (8 by 8) += a (8 by 4) * b (4 by 8). Lane l holds a[l / 4][l % 4], b[l % 4][l / 4] and c[l / 4][2 * (l % 4) + 0 and 1].
__device__ __forceinline__ void multiply(double (&c)[2], double a, double b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c[0]), "+d"(c[1]) : "d"(a), "d"(b));
#else
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < 4; ++k) {
    const double row = __shfl_sync(0xffffffffu, a, lane / 4 * 4 + k);
    c[0] += row * __shfl_sync(0xffffffffu, b, lane % 4 * 8 + k);
    c[1] += row * __shfl_sync(0xffffffffu, b, lane % 4 * 8 + 4 + k);
  }
#endif
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 3)
collide(const double* __restrict__ now, double* __restrict__ next, const double* __restrict__ forward, const double* __restrict__ backward,
        const double* __restrict__ weight, const double* __restrict__ cx, const double* __restrict__ cy, const double* __restrict__ rate, int sites) {
  __shared__ double cache[WARPS][Q][PITCH];
  const int lane = threadIdx.x % 32, row = lane / 4, column = lane % 4;
  const int site = blockIdx.x * blockDim.x + threadIdx.x;
  if (site >= sites) return;
  const size_t stride = sites;
  double(*own)[PITCH] = cache[threadIdx.x / 32];

  // One lane per site: density and velocity.
  double rho = 0.0, ux = 0.0, uy = 0.0;
#pragma unroll
  for (int i = 0; i < Q; ++i) {
    const double f = now[i * stride + site];
    own[i][lane] = f;
    rho += f;
    ux += cx[i] * f;
    uy += cy[i] * f;
  }
  ux /= rho;
  uy /= rho;
  __syncwarp();

  // From here on four groups of 8 sites; a lane processes site `row` of each.
  double r[4], u[4], v[4];
#pragma unroll
  for (int g = 0; g < 4; ++g) {
    r[g] = __shfl_sync(0xffffffffu, rho, 8 * g + row);
    u[g] = __shfl_sync(0xffffffffu, ux, 8 * g + row);
    v[g] = __shfl_sync(0xffffffffu, uy, 8 * g + row);
  }

  // moment[site][k] = sum over i of away[site][i] * forward[i][k], four directions and eight moments at a time.
  double moment[4][5][2] = {};
#pragma unroll 2
  for (int i0 = 0; i0 < Q; i0 += 4) {
    const int i = i0 + column;
    double away[4];
#pragma unroll
    for (int g = 0; g < 4; ++g)
      away[g] = i < Q ? own[i][8 * g + row] - equilibrium(weight[i], cx[i], cy[i], r[g], u[g], v[g]) : 0.0;
#pragma unroll
    for (int t = 0; t < 5; ++t) {
      const int k = 8 * t + row;
      const double coefficient = i < Q && k < Q ? forward[i * Q + k] : 0.0;
#pragma unroll
      for (int g = 0; g < 4; ++g) multiply(moment[g][t], away[g], coefficient);
    }
  }
#pragma unroll
  for (int t = 0; t < 5; ++t)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int k = 8 * t + 2 * column + j;
      const double speed = k < Q ? rate[k] : 0.0;
#pragma unroll
      for (int g = 0; g < 4; ++g) moment[g][t][j] = relax(moment[g][t][j], speed, LIMIT * r[g]);
    }

  // change[site][i] = sum over k of moment[site][k] * backward[i][k]: the moments are in the lanes in product order.
#pragma unroll 1
  for (int i0 = 0; i0 < Q; i0 += 8) {
    double change[4][2] = {};
#pragma unroll
    for (int t = 0; t < 5; ++t)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int i = i0 + row, k = 8 * t + 2 * column + j;
        const double coefficient = i < Q && k < Q ? backward[i * Q + k] : 0.0;  // slow: here
#pragma unroll
        for (int g = 0; g < 4; ++g) multiply(change[g], moment[g][t][j], coefficient);
      }
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int i = i0 + 2 * column + j;
      if (i < Q)
#pragma unroll
        for (int g = 0; g < 4; ++g) next[i * stride + site - lane + 8 * g + row] = own[i][8 * g + row] + change[g][j];
    }
  }
}
