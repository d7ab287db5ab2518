// The same table, shared by four times as many threads. One block per SM copies it once, and each thread loads
// eight groups of four samples before its first lookup.
// launch: linearise<<<sms, 1024, 4 * codes>>>(raw, curve, out, n, codes)
#define LOADS 8

extern "C" __global__ void __launch_bounds__(1024) linearise(const ushort4* __restrict__ raw, const float* __restrict__ curve, float4* __restrict__ out, int n, int codes) {
  extern __shared__ float table[];
  for (int i = threadIdx.x; i < codes / 4; i += blockDim.x) ((float4*)table)[i] = ((const float4*)curve)[i];
  __syncthreads();
  int quads = n / 4, stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += LOADS * stride) {
    ushort4 r[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) r[k] = raw[min(i + k * stride, quads - 1)];
#pragma unroll
    for (int k = 0; k < LOADS; ++k)
      if (i + k * stride < quads) out[i + k * stride] = make_float4(table[r[k].x], table[r[k].y], table[r[k].z], table[r[k].w]);
  }
}
