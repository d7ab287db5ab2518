// Filters of seismic traces, ensembles of a weather model, implicit diffusion.
#include <cuda_bf16.h>
#include <cstdint>

struct TraceByTrace {
  static __device__ __forceinline__ size_t at(int trace, int t, int, int samples) { return static_cast<size_t>(trace) * samples + t; }
};
struct SampleBySample {
  static __device__ __forceinline__ size_t at(int trace, int t, int traces, int) { return static_cast<size_t>(t) * traces + trace; }
};

// A recursive filter of second order over each trace, a trace a thread.
template <class Order>
__global__ void __launch_bounds__(256) filter_traces(const float* __restrict__ in, float* __restrict__ out, int traces, int samples,
                                                     float b0, float b1, float b2, float a1, float a2) {
  const int trace = blockIdx.x * blockDim.x + threadIdx.x;
  if (trace >= traces) return;
  float s1 = 0.0f, s2 = 0.0f;
#pragma unroll 4
  for (int t = 0; t < samples; ++t) {
    const size_t i = Order::at(trace, t, traces, samples);
    const float x = in[i], y = fmaf(b0, x, s1);
    s1 = fmaf(b1, x, fmaf(-a1, y, s2));
    s2 = fmaf(b2, x, -a2 * y);
    out[i] = y;
  }
}
template __global__ void filter_traces<TraceByTrace>(const float*, float*, int, int, float, float, float, float, float);
template __global__ void filter_traces<SampleBySample>(const float*, float*, int, int, float, float, float, float, float);

// Lorenz's model of Sites sites on a circle, dx[i] = (x[i + 1] - x[i - 2]) x[i - 1] - x[i] + force, by Runge and Kutta's method
// of fourth order; a member of the ensemble a thread, in planes: site i of member m at [i * members + m].
template <int Sites, int Threads, int BlocksPerSm>
__global__ void __launch_bounds__(Threads, BlocksPerSm) advance(float* __restrict__ state, int members, int steps, float h, float force) {
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= members) return;
  float x[Sites];
#pragma unroll
  for (int i = 0; i < Sites; ++i) x[i] = state[static_cast<size_t>(i) * members + m];
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    float y[Sites], sum[Sites];
#pragma unroll
    for (int i = 0; i < Sites; ++i) y[i] = sum[i] = x[i];
#pragma unroll
    for (int stage = 0; stage < 4; ++stage) {
      const float weight = stage == 0 || stage == 3 ? h / 6.0f : h / 3.0f, ahead = stage == 2 ? h : h / 2.0f;
      float next[Sites];
#pragma unroll
      for (int i = 0; i < Sites; ++i) {
        const float slope = fmaf(y[(i + 1) % Sites] - y[(i + Sites - 2) % Sites], y[(i + Sites - 1) % Sites], force - y[i]);
        sum[i] = fmaf(weight, slope, sum[i]);
        next[i] = fmaf(ahead, slope, x[i]);
      }
#pragma unroll
      for (int i = 0; i < Sites; ++i) y[i] = next[i];
    }
#pragma unroll
    for (int i = 0; i < Sites; ++i) x[i] = sum[i];
  }
#pragma unroll
  for (int i = 0; i < Sites; ++i) state[static_cast<size_t>(i) * members + m] = x[i];
}
template __global__ void advance<32, 1024, 2>(float*, int, int, float, float);
template __global__ void advance<32, 128, 3>(float*, int, int, float, float);

// Solves link[k - 1] u[k - 1] + centre[k] u[k] + link[k] u[k + 1] = right[k] on every line of Points, a line a thread, 64 lines a
// block. Dynamic shared memory holds 3 * 64 * Pitch floats.
template <int Points, int Pitch>
__global__ void __launch_bounds__(64) solve_lines(const float* __restrict__ link, const float* __restrict__ centre,
                                                  const float* __restrict__ right, float* __restrict__ u) {
  extern __shared__ float tile[];
  float* const a = tile;
  float* const b = tile + 64 * Pitch;
  float* const r = tile + 128 * Pitch;
  const size_t base = static_cast<size_t>(blockIdx.x) * 64 * Points;
#pragma unroll 8
  for (int i = threadIdx.x; i < 64 * Points; i += 64) {
    const int at = i / Points * Pitch + i % Points;
    a[at] = link[base + i];
    b[at] = centre[base + i];
    r[at] = right[base + i];
  }
  __syncthreads();
  const int line = threadIdx.x * Pitch;
  float upper = 0.0f, value = 0.0f, before = 0.0f;
#pragma unroll 4
  for (int k = 0; k < Points; ++k) {
    const float pivot = __fdividef(1.0f, fmaf(-before, upper, b[line + k]));
    value = fmaf(-before, value, r[line + k]) * pivot;
    before = a[line + k];
    upper = before * pivot;
    b[line + k] = upper;
    r[line + k] = value;
  }
  value = 0.0f;
#pragma unroll 4
  for (int k = Points - 1; k >= 0; --k) {
    value = fmaf(-b[line + k], value, r[line + k]);
    r[line + k] = value;
  }
  __syncthreads();
#pragma unroll 8
  for (int i = threadIdx.x; i < 64 * Points; i += 64) u[base + i] = r[i / Points * Pitch + i % Points];
}
template __global__ void solve_lines<64, 64>(const float*, const float*, const float*, float*);
template __global__ void solve_lines<64, 65>(const float*, const float*, const float*, float*);

// Mean and standard deviation over the members of an ensemble, field[member * points + i], eight points a thread.
template <int Members>
__global__ void __launch_bounds__(256, 3) mean_and_spread(const uint4* __restrict__ field, uint4* __restrict__ mean,
                                                          uint4* __restrict__ spread, int eighths) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= eighths) return;
  const auto part = [](uint32_t word) { return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&word)); };
  float2 middle[4], sum[4] = {}, squares[4] = {};
  uint4 v[8];
#pragma unroll
  for (int done = 0; done < Members; done += 8) {
#pragma unroll
    for (int m = 0; m < 8; ++m) v[m] = __ldcs(&field[static_cast<size_t>(done + m) * eighths + i]);
#pragma unroll
    for (int m = 0; m < 8; ++m) {
      const uint32_t word[4] = {v[m].x, v[m].y, v[m].z, v[m].w};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        float2 f = part(word[k]);
        if (done + m == 0) middle[k] = f;
        f.x -= middle[k].x;
        f.y -= middle[k].y;
        sum[k].x += f.x;
        sum[k].y += f.y;
        squares[k].x = fmaf(f.x, f.x, squares[k].x);
        squares[k].y = fmaf(f.y, f.y, squares[k].y);
      }
    }
  }
  uint32_t means[4], spreads[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float2 off = make_float2(sum[k].x / Members, sum[k].y / Members);
    const __nv_bfloat162 a = __floats2bfloat162_rn(middle[k].x + off.x, middle[k].y + off.y);
    const __nv_bfloat162 s = __floats2bfloat162_rn(sqrtf(fmaxf(squares[k].x / Members - off.x * off.x, 0.0f)),
                                                   sqrtf(fmaxf(squares[k].y / Members - off.y * off.y, 0.0f)));
    means[k] = *reinterpret_cast<const uint32_t*>(&a);
    spreads[k] = *reinterpret_cast<const uint32_t*>(&s);
  }
  mean[i] = make_uint4(means[0], means[1], means[2], means[3]);
  spread[i] = make_uint4(spreads[0], spreads[1], spreads[2], spreads[3]);
}
template __global__ void mean_and_spread<32>(const uint4*, uint4*, uint4*, int);
