// Scores of vectors, alignment of sequences, decoding of event streams, an optimiser's step.
#include <cstdint>

// scores[q * vectors + v] = query q . vector v, of 128 floats each: 8 lanes a vector, 16 vectors a warp, Queries queries from
// blockIdx.y * Queries on.
template <int Queries>
__global__ void __launch_bounds__(256) score(const float4* __restrict__ vectors, const float4* __restrict__ queries,
                                             float* __restrict__ scores, int count) {
  __shared__ float4 query[Queries][32];
  const int first = blockIdx.y * Queries;
  for (int i = threadIdx.x; i < Queries * 32; i += 256) query[i / 32][i % 32] = queries[first * 32 + i];
  __syncthreads();
  const int lane = threadIdx.x % 8;
  const int group = (blockIdx.x * 256 + threadIdx.x) / 8 * 4;
  if (group >= count) return;
  const float4* const from = vectors + static_cast<size_t>(group) * 32 + lane;
  float sum[Queries][4] = {};
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = from[k * 32 + j * 8];
#pragma unroll
    for (int q = 0; q < Queries; ++q) {
      const float4 w = query[q][j * 8 + lane];
#pragma unroll
      for (int k = 0; k < 4; ++k) sum[q][k] = fmaf(v[k].x, w.x, fmaf(v[k].y, w.y, fmaf(v[k].z, w.z, fmaf(v[k].w, w.w, sum[q][k]))));
    }
  }
#pragma unroll
  for (int q = 0; q < Queries; ++q) {
    float mine = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float s = sum[q][k];
#pragma unroll
      for (int step = 4; step > 0; step /= 2) s += __shfl_xor_sync(~0u, s, step);
      if (lane == k) mine = s;
    }
    if (lane < 4) scores[static_cast<size_t>(first + q) * count + group + lane] = mine;
  }
}
template __global__ void score<1>(const float4*, const float4*, float*, int);
template __global__ void score<8>(const float4*, const float4*, float*, int);

constexpr int kLongest = 96;
__constant__ int probe_bases[kLongest];

// best[s] = score of the best local alignment of the probe with sequence s: a match is worth 2, a mismatch -3, a gap -4 for each
// base. text[word * sequences + s] holds 16 bases. Fixed is the probe's length where it is known, or 0.
template <int Fixed>
__global__ void __launch_bounds__(128) align(const uint32_t* __restrict__ text, int* __restrict__ best, int sequences, int words, int length) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= sequences) return;
  const int n = Fixed ? Fixed : length;
  int row[Fixed ? Fixed : kLongest];
#pragma unroll
  for (int j = 0; j < n; ++j) row[j] = 0;
  int most = 0;
#pragma unroll 1
  for (int word = 0; word < words; ++word) {
    uint32_t bases = text[static_cast<size_t>(word) * sequences + s];
#pragma unroll 1
    for (int i = 0; i < 16; ++i, bases >>= 2) {
      const int base = bases & 3;
      int left = 0, corner = 0;
#pragma unroll
      for (int j = 0; j < n; ++j) {
        const int above = row[j];
        left = max(max(corner + (base == probe_bases[j] ? 2 : -3), 0), max(left, above) - 4);
        corner = above;
        row[j] = left;
        most = max(most, left);
      }
    }
  }
  best[s] = most;
}
template __global__ void align<0>(const uint32_t*, int*, int, int, int);
template __global__ void align<kLongest>(const uint32_t*, int*, int, int, int);

// At 1/2 the value of the ridge regression of y on t, with Terms Chebyshev polynomials; loops are unrolled Unroll times.
template <int Terms, int Unroll>
__device__ __forceinline__ float regression(float4 t, float4 y) {
  float a[Terms][Terms], b[Terms];  // a: its lower triangle, in the end Cholesky's factor
#pragma unroll Unroll
  for (int i = 0; i < Terms; ++i) {
    b[i] = 0.0f;
#pragma unroll Unroll
    for (int j = 0; j < Terms; ++j) a[i][j] = i == j ? 0.25f : 0.0f;
  }
  const float ts[4] = {t.x, t.y, t.z, t.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    float p[Terms];
    p[0] = 1.0f;
    p[1] = ts[k];
#pragma unroll Unroll
    for (int i = 2; i < Terms; ++i) p[i] = fmaf(2.0f * ts[k], p[i - 1], -p[i - 2]);
#pragma unroll Unroll
    for (int i = 0; i < Terms; ++i) {
      b[i] = fmaf(p[i], ys[k], b[i]);
#pragma unroll Unroll
      for (int j = 0; j < Terms; ++j) {
        if (j <= i) a[i][j] = fmaf(p[i], p[j], a[i][j]);
      }
    }
  }
#pragma unroll Unroll
  for (int k = 0; k < Terms; ++k) {
    const float scale = rsqrtf(a[k][k]);
    b[k] *= scale;
#pragma unroll Unroll
    for (int i = 0; i < Terms; ++i) {
      if (i >= k) a[i][k] *= scale;
    }
#pragma unroll Unroll
    for (int i = 0; i < Terms; ++i) {
      if (i > k) b[i] = fmaf(-a[i][k], b[k], b[i]);
#pragma unroll Unroll
      for (int j = 0; j < Terms; ++j) {
        if (j > k && j <= i) a[i][j] = fmaf(-a[i][k], a[j][k], a[i][j]);
      }
    }
  }
#pragma unroll Unroll
  for (int k = Terms - 1; k >= 0; --k) {
#pragma unroll Unroll
    for (int i = 0; i < Terms; ++i) {
      if (i > k) b[k] = fmaf(-a[i][k], b[i], b[k]);
    }
    b[k] = __fdividef(b[k], a[k][k]);
  }
  float value = 0.0f, p = 1.0f, q = 0.5f;
#pragma unroll Unroll
  for (int k = 0; k < Terms; ++k) {
    value = fmaf(b[k], p, value);
    const float next = q - p;
    p = q;
    q = next;
  }
  return value;
}

// Decodes streams of records of up to 32 quads (16 bytes), a stream a warp, a quad a lane. The first word of a record is its
// header: its quads in 6 bits, and whether it is a calibration, which sets the gain of the records from it on. Streams start
// `capacity` quads apart. energy[stream * 32 + lane] = sum of gain times squares.
template <int Terms, int Unroll>
__global__ void __launch_bounds__(128) decode(const uint4* __restrict__ quads, float* __restrict__ energy, int streams, int capacity,
                                              int records) {
  const int stream = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (stream >= streams) return;
  const uint4* from = quads + static_cast<size_t>(stream) * capacity + lane;
  float sum = 0.0f, gain = 1.0f;
  float4 last = {};
#pragma unroll 1
  for (int r = 0; r < records; ++r) {
    const uint4 quad = *from;
    const uint32_t header = __shfl_sync(~0u, quad.x, 0);
    const int length = header & 63;
    float4 v = {};
    if (lane < length) {
      v = make_float4(__uint_as_float(quad.x), __uint_as_float(quad.y), __uint_as_float(quad.z), __uint_as_float(quad.w));
      if (lane == 0) v.x = 0.0f;
    }
    if (header & 64) gain = regression<Terms, Unroll>(v, last);
    sum = fmaf(gain, fmaf(v.x, v.x, fmaf(v.y, v.y, fmaf(v.z, v.z, v.w * v.w))), sum);
    last = v;
    from += length;
  }
  energy[stream * 32 + lane] = sum;
}
template __global__ void decode<16, 16>(const uint4*, float*, int, int, int);
template __global__ void decode<16, 1>(const uint4*, float*, int, int, int);

// A step of Adam; correction and its square root are those of the moments' bias.
__global__ void __launch_bounds__(256) adam(float4* __restrict__ weight, const float4* __restrict__ gradient, float4* __restrict__ first,
                                            float4* __restrict__ second, float rate, float beta1, float beta2, float epsilon, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  float4 w = weight[i], m = first[i], v = second[i];
  const float4 g = gradient[i];
  const auto step = [&](float& w, float g, float& m, float& v) {
    m = fmaf(beta1, m - g, g);
    v = fmaf(beta2, v - g * g, g * g);
    w -= rate * __fdividef(m, sqrtf(v) + epsilon);
  };
  step(w.x, g.x, m.x, v.x);
  step(w.y, g.y, m.y, v.y);
  step(w.z, g.z, m.z, v.z);
  step(w.w, g.w, m.w, v.w);
  weight[i] = w;
  first[i] = m;
  second[i] = v;
}
