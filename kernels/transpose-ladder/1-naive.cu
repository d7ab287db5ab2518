// One thread per element: reads by rows, writes to the transposed position.
// launch: transpose<<<(n / 32, n / 8), (32, 8)>>>(in, out, n)
extern "C" __global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  out[(size_t)col * n + row] = in[(size_t)row * n + col];  // slow: here
}
