// The reduction of text books: threads that are multiples of 2 s add their neighbour.
__global__ void reduce0(const int* in, int* out) {
  __shared__ int data[256];
  unsigned int tid = threadIdx.x;
  data[tid] = in[blockIdx.x * blockDim.x + tid];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) {
      data[tid] += data[tid + s];
    }
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}
