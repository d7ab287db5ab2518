// One block per SM, all of the same length, and one block more than there are SMs: a second wave for a single block.
extern "C" __global__ void one_block_too_many(const float* __restrict__ in, float* __restrict__ out, int iters) {
  extern __shared__ float room[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  room[threadIdx.x] = in[i];
  float v = room[threadIdx.x];
  for (int t = 0; t < iters; ++t) v = fmaf(v, 0.999f, 0.001f);
  out[i] = v;
}
