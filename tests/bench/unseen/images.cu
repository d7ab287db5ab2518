// Images and grids: a threshold of bytes, an escape-time picture, a Jacobi sweep in three dimensions, quantisation.
#include <cstdint>

struct Above {
  uint8_t level;
  __device__ uint8_t operator()(uint8_t v) const { return v > level ? 255 : 0; }
  __device__ uint4 operator()(uint4 v) const {
    const uint32_t all = level * 0x01010101u;
    return make_uint4(__vcmpgtu4(v.x, all), __vcmpgtu4(v.y, all), __vcmpgtu4(v.z, all), __vcmpgtu4(v.w, all));
  }
};
template <class Op, typename Pack>
__global__ void map_pixels(const Pack* __restrict__ in, Pack* __restrict__ out, int level, long long n) {
  const Op op{static_cast<uint8_t>(level)};
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = op(in[i]);
}
template __global__ void map_pixels<Above, uint8_t>(const uint8_t*, uint8_t*, int, long long);
template __global__ void map_pixels<Above, uint4>(const uint4*, uint4*, int, long long);

// Steps until z leaves the circle of radius 2. Literal: the type in which constants are written.
template <typename Literal>
__global__ void escape_time(uint16_t* __restrict__ steps, int width, int height, int limit) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  const float cx = (px + 0.5f) * (3.0f / width) - 2.2f, cy = (py + 0.5f) * (2.4f / height) - 1.2f;
  float zx = 0.0f, zy = 0.0f;
  int i = 0;
  for (; i < limit; ++i) {
    const float xx = zx * zx, yy = zy * zy;
    if (xx + yy > Literal(4.0)) break;
    zy = Literal(2.0) * zx * zy + cy;
    zx = xx - yy + cx;
  }
  steps[static_cast<size_t>(py) * width + px] = static_cast<uint16_t>(i);
}
template __global__ void escape_time<double>(uint16_t*, int, int, int);
template __global__ void escape_time<float>(uint16_t*, int, int, int);

// Planes of ny rows of nx floats, four floats a thread; the outermost points keep their values.
template <typename T>
struct Grid3 {
  const T* __restrict__ u;
  int nx, ny, nz;
  __device__ size_t at(int x, int y, int z) const { return (static_cast<size_t>(z) * ny + y) * nx + x; }
  __device__ float4 four(int x, int y, int z) const { return *reinterpret_cast<const float4*>(u + at(x, y, z)); }
  __device__ float4 sweep(int x, int y, int z, float4 below, float4 here, float4 above) const {
    const bool rim = y == 0 || y == ny - 1 || z == 0 || z == nz - 1;
    if (rim) return here;
    const float4 up = four(x, y - 1, z), down = four(x, y + 1, z);
    const float left = x > 0 ? u[at(x - 1, y, z)] : here.x, right = x + 4 < nx ? u[at(x + 4, y, z)] : here.w;
    const T sixth = T(1) / T(6);
    float4 r;
    r.x = x > 0 ? (left + here.y + up.x + down.x + below.x + above.x) * sixth : here.x;
    r.y = (here.x + here.z + up.y + down.y + below.y + above.y) * sixth;
    r.z = (here.y + here.w + up.z + down.z + below.z + above.z) * sixth;
    r.w = x + 4 < nx ? (here.z + right + up.w + down.w + below.w + above.w) * sixth : here.w;
    return r;
  }
};
// A point of the grid of blocks for each plane: plane after plane.
__global__ void jacobi_planes(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz) {
  const Grid3<float> g{u, nx, ny, nz};
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  const float4 here = g.four(x, y, z);
  const float4 below = z > 0 ? g.four(x, y, z - 1) : here, above = z < nz - 1 ? g.four(x, y, z + 1) : here;
  *reinterpret_cast<float4*>(v + g.at(x, y, z)) = g.sweep(x, y, z, below, here, above);
}
// Each thread goes through all planes, with three of them in registers.
__global__ void jacobi_columns(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz) {
  const Grid3<float> g{u, nx, ny, nz};
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  float4 below = g.four(x, y, 0), here = below;
  for (int z = 0; z < nz; ++z) {
    const float4 above = z < nz - 1 ? g.four(x, y, z + 1) : here;
    *reinterpret_cast<float4*>(v + g.at(x, y, z)) = g.sweep(x, y, z, below, here, above);
    below = here;
    here = above;
  }
}

// q = round(x / scale) clipped to 127; Unroll groups of four floats a thread. n is a multiple of 4 * Unroll * blockDim.x.
template <int Unroll>
__global__ void quantise(const float4* __restrict__ x, char4* __restrict__ q, float inverse_scale, long long n) {
  const long long base = static_cast<long long>(blockIdx.x) * blockDim.x * Unroll + threadIdx.x;
  if (base * 4 >= n) return;
  float4 v[Unroll];
#pragma unroll
  for (int j = 0; j < Unroll; ++j) v[j] = x[base + j * blockDim.x];
  const auto narrow = [inverse_scale](float f) {
    return static_cast<signed char>(__float2int_rn(fminf(fmaxf(f * inverse_scale, -127.0f), 127.0f)));
  };
#pragma unroll
  for (int j = 0; j < Unroll; ++j)
    q[base + j * blockDim.x] = make_char4(narrow(v[j].x), narrow(v[j].y), narrow(v[j].z), narrow(v[j].w));
}
template __global__ void quantise<4>(const float4*, char4*, float, long long);
