// One thread per column of points. Five values of the column stay in registers, and each step loads one new value.
// launch: conduct<<<(nx / 128, ny / 4), (128, 4)>>>(u, v, k, nx, ny, nz)
// u + k * (16 * near - far - 90 * u) / 12: sums over the six neighbours at distance one and the six at distance two.
__device__ float conducted(float u, float near, float far, float k) {
  return u + k * (1.f / 12.f) * (16.f * near - far - 90.f * u);
}

extern "C" __global__ void conduct(const float* __restrict__ u, float* __restrict__ v, float k, int nx, int ny,
                                   int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || x >= nx - 2 || y < 2 || y >= ny - 2) return;
  size_t row = nx, plane = row * ny, at = 2 * plane + y * row + x;
  float below2 = u[at - 2 * plane], below = u[at - plane], here = u[at], above = u[at + plane];
  for (int z = 2; z < nz - 2; ++z, at += plane) {
    float above2 = u[at + 2 * plane];
    float near = u[at - 1] + u[at + 1] + u[at - row] + u[at + row] + below + above;
    float far = u[at - 2] + u[at + 2] + u[at - 2 * row] + u[at + 2 * row] + below2 + above2;
    v[at] = conducted(here, near, far, k);
    below2 = below, below = here, here = above, above = above2;
  }
}
