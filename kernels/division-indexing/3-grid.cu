// The same permutation without any division: the grid represents a, c and b, the block e and f, and a loop d.
// launch: permute<<<(b, c, a), (f / 4, e)>>>(in, out, b, c, d)
extern "C" __global__ void permute(const float4* __restrict__ in, float4* __restrict__ out, int nb, int nc, int nd) {
  int b = blockIdx.x, c = blockIdx.y, a = blockIdx.z;
  int row = blockDim.x, slab = nd * blockDim.y * row;  // f and (d, e, f), in float4
  in += (size_t)((a * nb + b) * nc + c) * slab + threadIdx.y * row + threadIdx.x;   // (a, b, c, d, e, f)
  out += (size_t)((a * nc + c) * nb + b) * slab + threadIdx.y * nd * row + threadIdx.x;  // (a, c, b, e, d, f)
  int plane = blockDim.y * row;
#pragma unroll 6
  for (int d = 0; d < nd; ++d) out[d * row] = in[d * plane];
}
