// A million blocks of one warp that each transfer 128 bytes: launching them takes longer than their work.
extern "C" __global__ void one_warp_blocks(const float* __restrict__ in, float* __restrict__ out, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * k;
}
