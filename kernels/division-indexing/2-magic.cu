// The same permutation; each division becomes a multiplication by a precomputed reciprocal, and a shift. The
// pipes now have spare capacity, so each thread handles four elements, whose loads are in flight together.
// constant: extent = extent
// constant: stride = stride
// constant: magic = magic
// constant: shift = shift
// launch: permute<<<ceil(n / 4 / block), 256>>>(in, out, n)
__constant__ int extent[6], stride[6];
__constant__ unsigned magic[6], shift[6];

__device__ unsigned place(unsigned rest) {
  unsigned from = 0;
#pragma unroll
  for (int axis = 5; axis >= 0; --axis) {
    unsigned quotient = __umulhi(rest, magic[axis]) >> shift[axis];
    from += (rest - quotient * extent[axis]) * stride[axis];
    rest = quotient;
  }
  return from;
}

extern "C" __global__ void permute(const float* __restrict__ in, float* __restrict__ out, int n) {
  int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
  float value[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k * blockDim.x < n) value[k] = in[place(first + k * blockDim.x)];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k * blockDim.x < n) out[first + k * blockDim.x] = value[k];
}
