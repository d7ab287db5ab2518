// One step of heat conduction in a solid: the fourth-order Laplace operator on a regular grid, one point per thread.
// launch: conduct<<<(nx / 128, ny / 4, nz - 4), (128, 4)>>>(u, v, k, nx, ny, nz)
// u + k * (16 * near - far - 90 * u) / 12: sums over the six neighbours at distance one and the six at distance two.
__device__ float conducted(float u, float near, float far, float k) {
  return u + k * (1.f / 12.f) * (16.f * near - far - 90.f * u);
}

extern "C" __global__ void conduct(const float* __restrict__ u, float* __restrict__ v, float k, int nx, int ny,
                                   int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z + 2;
  if (x < 2 || x >= nx - 2 || y < 2 || y >= ny - 2) return;
  size_t row = nx, plane = row * ny, at = z * plane + y * row + x;
  float near = u[at - 1] + u[at + 1] + u[at - row] + u[at + row] + u[at - plane] + u[at + plane];
  float far = u[at - 2] + u[at + 2] + u[at - 2 * row] + u[at + 2 * row] + u[at - 2 * plane] + u[at + 2 * plane];
  v[at] = conducted(u[at], near, far, k);
}
