// One thread per four adjacent columns: 16 bytes per load, with two planes' loads in flight while it computes.
// launch: conduct<<<(nx / 128, ny / 4), (32, 4)>>>(u, v, k, nx, ny, nz)
// u + k * (16 * near - far - 90 * u) / 12: sums over the six neighbours at distance one and the six at distance two.
__device__ float conducted(float u, float near, float far, float k) {
  return u + k * (1.f / 12.f) * (16.f * near - far - 90.f * u);
}

__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

extern "C" __global__ void __launch_bounds__(128)
    conduct(const float4* __restrict__ u, float4* __restrict__ v, float k, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < 2 || y >= ny - 2) return;
  int row = nx / 4;
  size_t plane = (size_t)row * ny;
  bool first = x == 0, last = x == row - 1;
  const float4* from = u + (size_t)y * row + x;  // in the current plane
  float4* to = v + (from - u);
  float4 below2 = from[0], below = from[plane], here = from[2 * plane], above = from[3 * plane];
  float4 above2 = from[4 * plane], above3 = from[(nz > 5 ? 5 : 4) * plane];
  from += 2 * plane, to += 2 * plane;
  for (int z = 2; z < nz - 2; ++z, from += plane, to += plane) {
    float4 above4 = from[(z + 4 < nz ? 4 : 0) * plane];
    float4 left = first ? here : from[-1], right = last ? here : from[1];
    float4 near = from[-row] + from[row] + below + above;
    float4 far = from[-2 * row] + from[2 * row] + below2 + above2;
    float4 result = make_float4(conducted(here.x, near.x + left.w + here.y, far.x + left.z + here.z, k),
                                conducted(here.y, near.y + here.x + here.z, far.y + left.w + here.w, k),
                                conducted(here.z, near.z + here.y + here.w, far.z + here.x + right.x, k),
                                conducted(here.w, near.w + here.z + right.x, far.w + here.y + right.y, k));
    if (first) {
      to->z = result.z, to->w = result.w;
    } else if (last) {
      to->x = result.x, to->y = result.y;
    } else {
      *to = result;
    }
    below2 = below, below = here, here = above, above = above2, above2 = above3, above3 = above4;
  }
}
