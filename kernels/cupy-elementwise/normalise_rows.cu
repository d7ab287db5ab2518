// Scale each matrix row to unit length: one block per row, four elements per thread, kept in registers between sum and
// the division. A row has 4 * blockDim.x elements.
extern "C" __global__ void normalise_rows(const float4* __restrict__ x, float4* __restrict__ y) {
  __shared__ float part[32];
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = x[i];
  float sum = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0.f;
  for (int warp = 0; warp < blockDim.x / 32; ++warp) sum += part[warp];
  float scale = 1.f / sqrtf(sum);
  y[i] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}
