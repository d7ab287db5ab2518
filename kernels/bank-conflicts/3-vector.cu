// A 64 by 64 tile, 16 bytes per lane: a thread transposes 4 by 4 elements, and the tile's 16-byte columns are
// permuted by XOR (a swizzle), since padding by one word would break the alignment of 16-byte accesses.
// launch: transpose<<<(n / 64, n / 64), 256>>>(in, out, n)
extern "C" __global__ void __launch_bounds__(256) transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float4 tile[64][16];
  int c = threadIdx.x % 16, r = threadIdx.x / 16;  // this thread's square: columns 4c to 4c+3, rows 4r to 4r+3
  const float* from = in + (size_t)(blockIdx.y * 64 + 4 * r) * n + blockIdx.x * 64 + 4 * c;
  float4 a = *(const float4*)from, b = *(const float4*)(from + n);
  float4 d = *(const float4*)(from + 2 * (size_t)n), e = *(const float4*)(from + 3 * (size_t)n);
  int at = r ^ c;
  tile[4 * c][at] = make_float4(a.x, b.x, d.x, e.x);
  tile[4 * c + 1][at] = make_float4(a.y, b.y, d.y, e.y);
  tile[4 * c + 2][at] = make_float4(a.z, b.z, d.z, e.z);
  tile[4 * c + 3][at] = make_float4(a.w, b.w, d.w, e.w);
  __syncthreads();
  float* to = out + (size_t)(blockIdx.x * 64 + r) * n + blockIdx.y * 64 + 4 * c;
#pragma unroll
  for (int j = 0; j < 64; j += 16) *(float4*)(to + (size_t)j * n) = tile[r + j][c ^ ((r + j) / 4)];
}
