// As many blocks as the SMs hold at once; each strides through the vectors with 16-byte accesses.
// launch: triad<<<8 * sms, 256>>>(x, y, z, a, n)
extern "C" __global__ void triad(const float4* __restrict__ x, const float4* __restrict__ y, float4* __restrict__ z, float a, int n) {
  int quads = n / 4, stride = gridDim.x * blockDim.x;
#pragma unroll 1  // two 16-byte loads are sufficient, and 32 registers allow eight blocks
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += stride) {
    float4 u = x[i], v = y[i];
    z[i] = make_float4(fmaf(a, u.x, v.x), fmaf(a, u.y, v.y), fmaf(a, u.z, v.z), fmaf(a, u.w, v.w));
  }
}
