// Series and tables: interpolation, polynomials in several guises, an upper envelope, a non-uniform Fourier sum, an iterated map.
#include <cstdint>

constexpr int kKnots = 1024, kDegree = 128, kPieces = 256;
__constant__ float2 knots[kKnots];       // value and slope of each interval
__constant__ float coefficients[kDegree];  // from the highest power down

struct FromConstant {
  __device__ explicit FromConstant(const float2*) {}
  __device__ float2 operator()(int i) const { return knots[i]; }
};
// Dynamic shared memory: kKnots float2.
struct FromShared {
  const float2* table;
  __device__ explicit FromShared(const float2* from) {
    extern __shared__ float2 mine[];
    for (int i = threadIdx.x; i < kKnots; i += blockDim.x) mine[i] = from[i];
    __syncthreads();
    table = mine;
  }
  __device__ float2 operator()(int i) const { return table[i]; }
};
// y = f(x) for x in [0, 1) by straight pieces.
template <class Table>
__global__ void interpolate(const float4* __restrict__ x, float4* __restrict__ y, const float2* __restrict__ from, int n4) {
  const Table table(from);
  const auto f = [&table](float v) {
    const float scaled = v * kKnots;
    const int i = min(static_cast<int>(scaled), kKnots - 1);
    const float2 k = table(i);
    return fmaf(k.y, scaled - i, k.x);
  };
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    const float4 v = x[i];
    y[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
  }
}
template __global__ void interpolate<FromConstant>(const float4*, float4*, const float2*, int);
template __global__ void interpolate<FromShared>(const float4*, float4*, const float2*, int);

// The same rounding on every machine: product and sum rounded each.
struct Reproducible {
  static __device__ float multiply_add(float a, float b, float c) { return __fadd_rn(__fmul_rn(a, b), c); }
};
struct Fused {
  static __device__ float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
};
template <class Arithmetic>
__global__ void horner(const float4* __restrict__ x, float4* __restrict__ y, int n4) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  const float4 v = x[i];
  float4 s = {};
#pragma unroll
  for (int k = 0; k < kDegree; ++k) {
    const float c = coefficients[k];
    s.x = Arithmetic::multiply_add(s.x, v.x, c);
    s.y = Arithmetic::multiply_add(s.y, v.y, c);
    s.z = Arithmetic::multiply_add(s.z, v.z, c);
    s.w = Arithmetic::multiply_add(s.w, v.w, c);
  }
  y[i] = s;
}
template __global__ void horner<Reproducible>(const float4*, float4*, int);
template __global__ void horner<Fused>(const float4*, float4*, int);

// sum over k of c[terms - 1 - k] x^k: each power anew, or by Horner's rule.
struct EachPower {
  static __device__ float value(float x, int terms) {
    float sum = 0.0f;
    for (int k = 0; k < terms; ++k) {
      float power = coefficients[terms - 1 - k];
      for (int j = 0; j < k; ++j) power *= x;
      sum += power;
    }
    return sum;
  }
};
struct HornersRule {
  static __device__ float value(float x, int terms) {
    float sum = 0.0f;
    for (int k = 0; k < terms; ++k) sum = fmaf(sum, x, coefficients[k]);
    return sum;
  }
};
template <class Rule>
__global__ void power_series(const float* __restrict__ x, float* __restrict__ y, int terms, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = Rule::value(x[i], terms);
}
template __global__ void power_series<EachPower>(const float*, float*, int, int);
template __global__ void power_series<HornersRule>(const float*, float*, int, int);

struct Parabola {
  float a, b, c;
};
__constant__ Parabola fixed_pieces[kPieces];
struct InGlobal {
  const Parabola* pieces;
  __device__ const Parabola& operator[](int k) const { return pieces[k]; }
};
struct InConstant {
  const Parabola* unused;
  __device__ const Parabola& operator[](int k) const { return fixed_pieces[k]; }
};
// The largest of `count` parabolas at each x.
template <class Pieces>
__global__ void envelope(const float* __restrict__ x, float* __restrict__ y, const Parabola* __restrict__ from, int count, int n) {
  const Pieces pieces{from};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float v = x[i];
    float best = -3.0e38f;
    for (int k = 0; k < count; ++k) best = fmaxf(best, fmaf(fmaf(pieces[k].a, v, pieces[k].b), v, pieces[k].c));
    y[i] = best;
  }
}
template __global__ void envelope<InGlobal>(const float*, float*, const Parabola*, int, int);
template __global__ void envelope<InConstant>(const float*, float*, const Parabola*, int, int);

// F[m] = sum over j of v[j] exp(i spacing m t[j]) for Each neighbouring m a thread; dynamic shared memory: samples of (t, v).
template <int Each>
__global__ void fourier_sum(const float2* __restrict__ samples, float2* __restrict__ out, float spacing, int count, int n) {
  extern __shared__ float2 sample[];
  for (int j = threadIdx.x; j < count; j += blockDim.x) sample[j] = samples[j];
  __syncthreads();
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * Each;
  if (first >= n) return;
  float2 sum[Each] = {};
  for (int j = 0; j < count; ++j) {
    const float2 s = sample[j];
    float re, im;
    __sincosf(spacing * first * s.x, &im, &re);
    re *= s.y;
    im *= s.y;
    sum[0].x += re;
    sum[0].y += im;
    if constexpr (Each > 1) {
      float turn_re, turn_im;
      __sincosf(spacing * s.x, &turn_im, &turn_re);
#pragma unroll
      for (int e = 1; e < Each; ++e) {
        const float next = re * turn_re - im * turn_im;
        im = re * turn_im + im * turn_re;
        re = next;
        sum[e].x += re;
        sum[e].y += im;
      }
    }
  }
#pragma unroll
  for (int e = 0; e < Each; ++e) out[first + e] = sum[e];
}
template __global__ void fourier_sum<1>(const float2*, float2*, float, int, int);
template __global__ void fourier_sum<8>(const float2*, float2*, float, int, int);

// x -> (a x + b) x + c, `steps` times, Chains of them a thread, block-strided.
template <int Chains>
__global__ void iterate_map(const float* __restrict__ x, float* __restrict__ y, float a, float b, float c, int steps, int n) {
  const int base = blockIdx.x * blockDim.x * Chains + threadIdx.x;
  float v[Chains];
#pragma unroll
  for (int j = 0; j < Chains; ++j) v[j] = base + j * blockDim.x < n ? x[base + j * blockDim.x] : 0.0f;
#pragma unroll 8
  for (int s = 0; s < steps; ++s)
#pragma unroll
    for (int j = 0; j < Chains; ++j) v[j] = fmaf(fmaf(a, v[j], b), v[j], c);
#pragma unroll
  for (int j = 0; j < Chains; ++j)
    if (base + j * blockDim.x < n) y[base + j * blockDim.x] = v[j];
}
template __global__ void iterate_map<4>(const float*, float*, float, float, float, int, int);
