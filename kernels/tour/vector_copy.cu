// Sixteen bytes per lane, coalesced: at the memory roofline.
extern "C" __global__ void vector_copy(const float4* __restrict__ in, float4* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
