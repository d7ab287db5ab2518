// A tile whose sizes are macros, in a template, with C++ names.
#define EDGE 32
#define ROWS 8
template <typename Number>
__global__ void rotate(Number* __restrict__ destination, const Number* __restrict__ origin, unsigned width) {
  __shared__ Number Patch[EDGE][EDGE];
  const unsigned u = blockIdx.x * EDGE + threadIdx.x;
  const unsigned v = blockIdx.y * EDGE + threadIdx.y;
  for (unsigned k = 0; k < EDGE; k += ROWS)
    Patch[threadIdx.y + k][threadIdx.x] = origin[(v + k) * width + u];
  __syncthreads();
  for (unsigned k = 0; k < EDGE; k += ROWS)
    destination[(blockIdx.x * EDGE + threadIdx.y + k) * width + blockIdx.y * EDGE + threadIdx.x] =
        Patch[threadIdx.x][threadIdx.y + k];
}
template __global__ void rotate<float>(float*, const float*, unsigned);
