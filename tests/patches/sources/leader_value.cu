// The leader of each warp stores a value of its own: other threads do not have it.
__global__ void first_of_warps(const int* in, int* out) {
  __shared__ int firsts[4];
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (threadIdx.x % 32 == 0) firsts[threadIdx.x / 32] = v;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = v - firsts[threadIdx.x / 32];
}
