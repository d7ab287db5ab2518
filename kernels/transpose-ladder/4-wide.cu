// A tile of 64 by 64: a thread transposes 4 by 4 elements in its registers, so that every access moves 16 bytes.
// launch: transpose<<<(n / 64, n / 64), (16, 16)>>>(in, out, n)
#define TILE 64
#define GROUPS (TILE / 4)

// Groups of 4 in a tile row are swizzled with the row index (XOR), so that no two lanes use the same bank.
__device__ __forceinline__ int place(int row, int group) { return row * GROUPS + (group ^ ((row / 4) % 8)); }

extern "C" __global__ void __launch_bounds__(256) transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float4 tile[TILE * GROUPS];
  const int x = threadIdx.x, y = threadIdx.y;
  const float* from = in + (size_t)(blockIdx.y * TILE + y * 4) * n + blockIdx.x * TILE + x * 4;
  float4 r[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) r[j] = *(const float4*)(from + (size_t)j * n);
  tile[place(x * 4 + 0, y)] = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
  tile[place(x * 4 + 1, y)] = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
  tile[place(x * 4 + 2, y)] = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
  tile[place(x * 4 + 3, y)] = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);
  __syncthreads();
  float* to = out + (size_t)(blockIdx.x * TILE + y * 4) * n + blockIdx.y * TILE + x * 4;
#pragma unroll
  for (int j = 0; j < 4; ++j) *(float4*)(to + (size_t)j * n) = tile[place(y * 4 + j, x)];
}
