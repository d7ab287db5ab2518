// Signals: echoes of periodic signals, a polyphase filter bank, back projection of radar pulses, local costs of a time warp.

constexpr int kEchoes = 64;
struct Echo {
  int delay;  // samples, below the period
  float gain;
};
__constant__ Echo echoes[kEchoes];

struct Floored {
  static __device__ int wrap(int at, int length) { return (at % length + length) % length; }
};
struct OnePeriod {
  static __device__ int wrap(int at, int length) { return at < 0 ? at + length : at; }
};
// y[t] = sum over echoes of gain x[t - delay], x of period `length`; a block a channel. Dynamic shared memory: a period.
template <class Around>
__global__ void __launch_bounds__(256) add_echoes(const float* __restrict__ x, float* __restrict__ y, int length) {
  extern __shared__ float period[];
  const size_t first = static_cast<size_t>(blockIdx.x) * length;
  for (int t = threadIdx.x; t < length; t += blockDim.x) period[t] = x[first + t];
  __syncthreads();
  for (int t = threadIdx.x; t < length; t += blockDim.x) {
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < kEchoes; ++k) sum = fmaf(echoes[k].gain, period[Around::wrap(t - echoes[k].delay, length)], sum);
    y[first + t] = sum;
  }
}
template __global__ void add_echoes<Floored>(const float*, float*, int);
template __global__ void add_echoes<OnePeriod>(const float*, float*, int);

// A prototype filter of Taps values for each of Channels channels.
constexpr int kTaps = 8, kChannels = 1024;
__constant__ float prototype[kTaps * kChannels];
struct Resident {
  __device__ explicit Resident(const float*) {}
  __device__ float operator[](int i) const { return prototype[i]; }
};
// Dynamic shared memory: the whole prototype.
struct Staged {
  const float* taps;
  __device__ explicit Staged(const float* from) {
    extern __shared__ float staged[];
    for (int i = threadIdx.x; i < kTaps * kChannels; i += blockDim.x) staged[i] = from[i];
    __syncthreads();
    taps = staged;
  }
  __device__ float operator[](int i) const { return taps[i]; }
};
// out[f][c] = sum over taps t of prototype[t][c] in[f + t][c]; n: frames * kChannels.
template <class Filter>
__global__ void __launch_bounds__(512) channelise(const float* __restrict__ in, float* __restrict__ out, const float* __restrict__ taps, int n) {
  const Filter filter(taps);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int c = i % kChannels;
    float sum = 0.0f;
#pragma unroll
    for (int t = 0; t < kTaps; ++t) sum = fmaf(filter[t * kChannels + c], in[i + t * kChannels], sum);
    out[i] = sum;
  }
}
template __global__ void channelise<Resident>(const float*, float*, const float*, int);
template __global__ void channelise<Staged>(const float*, float*, const float*, int);

// The antenna's orbit as a power series of the time in each coordinate, from the highest power down.
constexpr int kPowers = 32;
__constant__ float4 orbit[kPowers];
__device__ __forceinline__ float4 antenna(float time) {
  float4 at = orbit[0];
#pragma unroll
  for (int k = 1; k < kPowers; ++k) {
    at.x = fmaf(at.x, time, orbit[k].x);
    at.y = fmaf(at.y, time, orbit[k].y);
    at.z = fmaf(at.z, time, orbit[k].z);
  }
  return at;
}
struct ByTime {
  const float* times;
  __device__ ByTime(const float* from, int) : times(from) {}
  __device__ float4 operator[](int pulse) const { return antenna(times[pulse]); }
};
// Dynamic shared memory: a float4 for each pulse.
struct ByPulse {
  const float4* places;
  __device__ ByPulse(const float* times, int pulses) {
    extern __shared__ float4 track[];
    for (int p = threadIdx.y * blockDim.x + threadIdx.x; p < pulses; p += blockDim.x * blockDim.y) track[p] = antenna(times[p]);
    __syncthreads();
    places = track;
  }
  __device__ float4 operator[](int pulse) const { return places[pulse]; }
};
// image[row][col] = sum over pulses of the echo at the pixel's distance from the antenna, between two bins. Block and grid tile
// the image; echo[pulse][bin], bin = distance * bins_per_metre.
template <class Track>
__global__ void __launch_bounds__(256) back_project(const float* __restrict__ echo, const float* __restrict__ times, float* __restrict__ image,
                                                    float spacing, float bins_per_metre, int bins, int pulses) {
  const Track track(times, pulses);
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const float x = col * spacing, y = row * spacing;
  float sum = 0.0f;
  for (int p = 0; p < pulses; ++p, echo += bins) {
    const float4 from = track[p];
    const float dx = x - from.x, dy = y - from.y;
    const float square = fmaf(dx, dx, fmaf(dy, dy, from.z * from.z));
    const float at = square * rsqrtf(square) * bins_per_metre;
    const int bin = static_cast<int>(at);
    const float near = echo[bin];
    sum += fmaf(at - bin, echo[bin + 1] - near, near);
  }
  image[static_cast<size_t>(row) * gridDim.x * blockDim.x + col] = sum;
}
template __global__ void back_project<ByTime>(const float*, const float*, float*, float, float, int, int);
template __global__ void back_project<ByPulse>(const float*, const float*, float*, float, float, int, int);

// Tiles of 32 by 32 costs that the grid goes through: of the whole square, or along the diagonal.
struct Square {
  static __device__ int column(int, int reach) { return blockIdx.x; }
};
struct Ribbon {
  static __device__ int column(int row, int reach) { return row - reach + static_cast<int>(blockIdx.x); }
};
// cost[pair][i][j - i + radius] = |x[i] - y[j]|^2 for |j - i| <= radius. Block (32, 8); blockIdx.y: tile of rows; blockIdx.z: pair.
template <class Tiles>
__global__ void __launch_bounds__(256) local_costs(const float4* __restrict__ x, const float4* __restrict__ y, float* __restrict__ cost, int n,
                                                   int radius) {
  const int reach = (radius + 31) / 32, row = blockIdx.y, column = Tiles::column(row, reach);
  if (column < 0 || column * 32 >= n || abs(column - row) > reach) return;
  x += static_cast<size_t>(blockIdx.z) * n;
  y += static_cast<size_t>(blockIdx.z) * n;
  cost += static_cast<size_t>(blockIdx.z) * n * (2 * radius + 1);
  const int j = column * 32 + threadIdx.x;
  const float4 b = y[j];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = row * 32 + threadIdx.y + k * 8;
    if (abs(j - i) <= radius) {
      const float4 a = x[i];
      const float u = a.x - b.x, v = a.y - b.y, w = a.z - b.z, s = a.w - b.w;
      cost[static_cast<size_t>(i) * (2 * radius + 1) + (j - i + radius)] = fmaf(u, u, fmaf(v, v, fmaf(w, w, s * s)));
    }
  }
}
template __global__ void local_costs<Square>(const float4*, const float4*, float*, int, int);
template __global__ void local_costs<Ribbon>(const float4*, const float4*, float*, int, int);
