// Solvers: factors of small matrices, membranes, orbits in a model galaxy, weights of neighbours on the sky.
struct WholeBlock {
  static __device__ void sync() { __syncthreads(); }
};
struct OneWarp {
  static __device__ void sync() { __syncwarp(); }
};
// Columns first … first + Width - 1 of P A = L U and the rows of U to their right, by one warp; order[k]: the row that step k
// exchanged with row k. Lanes are rows at first, columns in the exchange and at the end.
template <int N, int Width>
__device__ void factorise_panel(int first, int lane, float (*a)[N + 1], int* __restrict__ order) {
#pragma unroll 1
  for (int k = first; k < first + Width; ++k) {
    float best = lane >= k ? fabsf(a[lane][k]) : -1.0f;
    int row = lane;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
      const float other = __shfl_xor_sync(~0u, best, d);
      const int its = __shfl_xor_sync(~0u, row, d);
      if (other > best || (other == best && its < row)) {
        best = other;
        row = its;
      }
    }
    if (lane == 0) order[k] = row;
    const float high = a[k][lane], low = a[row][lane];
    a[row][lane] = high;
    a[k][lane] = low;
    __syncwarp();
    if (lane > k) {
      const float factor = a[lane][k] / a[k][k];
      a[lane][k] = factor;
#pragma unroll 1
      for (int c = k + 1; c < first + Width; ++c) a[lane][c] = fmaf(-factor, a[k][c], a[lane][c]);
    }
    __syncwarp();
  }
  if (lane >= first + Width) {
    float u[Width];
#pragma unroll
    for (int r = 0; r < Width; ++r) {
      u[r] = a[first + r][lane];
#pragma unroll
      for (int q = 0; q < r; ++q) u[r] = fmaf(-a[first + r][first + q], u[q], u[r]);
      a[first + r][lane] = u[r];
    }
  }
}
// The whole matrix by Warps warps, panel after panel: the first warp does the panel, all of them the rows below it.
template <int N, int Width, int Warps, class Group>
__device__ void factorise(int warp, int lane, float (*a)[N + 1], int* __restrict__ order) {
  static_assert(N == 32, "a lane a column");
#pragma unroll 1
  for (int first = 0; first < N; first += Width) {
    if (warp == 0) factorise_panel<N, Width>(first, lane, a, order);
    Group::sync();
    if (lane >= first + Width) {
      float u[Width];
#pragma unroll
      for (int r = 0; r < Width; ++r) u[r] = a[first + r][lane];
#pragma unroll 1
      for (int i = first + Width + warp; i < N; i += Warps) {
        float rest = a[i][lane];
#pragma unroll
        for (int r = 0; r < Width; ++r) rest = fmaf(-a[i][first + r], u[r], rest);
        a[i][lane] = rest;
      }
    }
    Group::sync();
  }
}
// Matrices of N by N, overwritten by their factors; a block of N warps a matrix.
template <int N>
__global__ void __launch_bounds__(32 * N, 2) factors_by_block(float* __restrict__ matrices, int* __restrict__ order) {
  __shared__ float a[N][N + 1];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float* const matrix = matrices + static_cast<size_t>(blockIdx.x) * N * N;
  a[warp][lane] = matrix[threadIdx.x];
  WholeBlock::sync();
  factorise<N, 8, N, WholeBlock>(warp, lane, a, order + blockIdx.x * N);
  matrix[threadIdx.x] = a[warp][lane];
}
template __global__ void factors_by_block<32>(float*, int*);
// A warp a matrix, Each warps a block.
template <int N, int Each>
__global__ void __launch_bounds__(32 * Each) factors_by_warp(float* __restrict__ matrices, int* __restrict__ order) {
  __shared__ float tiles[Each][N][N + 1];
  const int lane = threadIdx.x % 32, m = blockIdx.x * Each + threadIdx.x / 32;
  float(*const a)[N + 1] = tiles[threadIdx.x / 32];
  float* const matrix = matrices + static_cast<size_t>(m) * N * N;
#pragma unroll 8
  for (int i = 0; i < N; ++i) a[i][lane] = matrix[i * N + lane];
  OneWarp::sync();
  factorise<N, 8, 1, OneWarp>(0, lane, a, order + m * N);
#pragma unroll 8
  for (int i = 0; i < N; ++i) matrix[i * N + lane] = a[i][lane];
}
template __global__ void factors_by_warp<32, 8>(float*, int*);

// The current through a membrane as a power series of its voltage, from the lowest power up.
constexpr int kTerms = 32;
struct Nested {
  static __device__ float at(const float (&c)[kTerms], float v) {
    float sum = c[kTerms - 1];
#pragma unroll
    for (int k = kTerms - 2; k >= 0; --k) sum = fmaf(sum, v, c[k]);
    return sum;
  }
};
struct Paired {
  template <int From, int Terms, int Level>
  static __device__ float part(const float (&c)[kTerms], const float (&power)[5]) {
    if constexpr (Level == 0)
      return fmaf(c[From + 1], power[0], c[From]);
    else
      return fmaf(part<From + Terms / 2, Terms / 2, Level - 1>(c, power), power[Level], part<From, Terms / 2, Level - 1>(c, power));
  }
  static __device__ float at(const float (&c)[kTerms], float v) {
    float power[5] = {v};
#pragma unroll
    for (int k = 1; k < 5; ++k) power[k] = power[k - 1] * power[k - 1];
    return part<0, kTerms, 4>(c, power);
  }
};
// `steps` of dv = current(v) - w, dw = 0.08 (v - 0.8 w + 0.1), a membrane a thread; state: (v, w).
template <class Series>
__global__ void __launch_bounds__(128) excite(float2* __restrict__ state, const float* __restrict__ current, float dt, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float c[kTerms];
#pragma unroll
  for (int k = 0; k < kTerms; ++k) c[k] = current[k];
  float v = state[i].x, w = state[i].y;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const float next = fmaf(dt, Series::at(c, v) - w, v);
    w = fmaf(dt * 0.08f, fmaf(-0.8f, w, v + 0.1f), w);
    v = next;
  }
  state[i] = make_float2(v, w);
}
template __global__ void excite<Nested>(float2*, const float*, float, int);
template __global__ void excite<Paired>(float2*, const float*, float, int);

// Stars in the potential of Henon and Heiles: position and velocity, `steps` kicks and drifts, Each stars a thread.
struct __align__(16) Star {
  double x, y, vx, vy;
};
template <int Each>
__global__ void __launch_bounds__(256) drift(Star* __restrict__ star, double dt, int steps) {
  const int base = blockIdx.x * blockDim.x * Each + threadIdx.x;
  Star s[Each];
#pragma unroll
  for (int e = 0; e < Each; ++e) s[e] = star[base + e * blockDim.x];
#pragma unroll 2
  for (int k = 0; k < steps; ++k) {
#pragma unroll
    for (int e = 0; e < Each; ++e) {
      const double pull = fma(s[e].y + s[e].y, s[e].x, s[e].x);
      const double lift = fma(-s[e].y, s[e].y, fma(s[e].x, s[e].x, s[e].y));
      s[e].vx = fma(-dt, pull, s[e].vx);
      s[e].vy = fma(-dt, lift, s[e].vy);
      s[e].x = fma(dt, s[e].vx, s[e].x);
      s[e].y = fma(dt, s[e].vy, s[e].y);
    }
  }
#pragma unroll
  for (int e = 0; e < Each; ++e) star[base + e * blockDim.x] = s[e];
}
template __global__ void drift<2>(Star*, double, int);

// Two ways to tell who is near on the sphere. Haversine: (latitude / 2, longitude / 2, cosine of the latitude, weight).
struct Haversine {
  static __device__ bool near(const float4& a, const float4& b, float limit) {
    const float s = __sinf(a.x - b.x), t = __sinf(a.y - b.y);
    return fmaf(s, s, a.z * b.z * (t * t)) < limit;
  }
};
// Unit vector and weight.
struct Cosine {
  static __device__ bool near(const float4& a, const float4& b, float limit) {
    return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)) > limit;
  }
};
// total[i] = sum of the weights of the sources near target i; Each targets a thread; `sources` in tiles of blockDim.x.
template <class Distance, int Threads, int Each>
__global__ void __launch_bounds__(Threads, 6) weigh_near(const float4* __restrict__ target, const float4* __restrict__ source,
                                                      float* __restrict__ total, float limit, int sources) {
  __shared__ float4 tile[Threads];
  const int base = blockIdx.x * Threads * Each + threadIdx.x;
  float4 mine[Each];
  float sum[Each] = {};
#pragma unroll
  for (int e = 0; e < Each; ++e) mine[e] = target[base + e * Threads];
  for (int first = 0; first < sources; first += Threads) {
    __syncthreads();
    tile[threadIdx.x] = source[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int s = 0; s < Threads; ++s) {
      const float4 q = tile[s];
#pragma unroll
      for (int e = 0; e < Each; ++e)
        if (Distance::near(mine[e], q, limit)) sum[e] += q.w;
    }
  }
#pragma unroll
  for (int e = 0; e < Each; ++e) total[base + e * Threads] = sum[e];
}
template __global__ void weigh_near<Haversine, 256, 4>(const float4*, const float4*, float*, float, int);
template __global__ void weigh_near<Cosine, 256, 4>(const float4*, const float4*, float*, float, int);
