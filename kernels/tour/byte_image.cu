// Inverts an image byte by byte: coalesced, but a warp transfers 32 bytes instead of 512.
extern "C" __global__ void byte_image(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 255 - in[i];
}
