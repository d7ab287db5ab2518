// The same permutation; each division is a multiplication by a reciprocal that the host has worked out, and a shift.
// constant: extent = extent
// constant: stride = stride
// constant: magic = magic
// constant: shift = shift
// launch: permute<<<ceil(n / block), 1024>>>(in, out, n)
__constant__ int extent[6], stride[6];
__constant__ unsigned magic[6], shift[6];

extern "C" __global__ void permute(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned rest = i, from = 0;
#pragma unroll
  for (int axis = 5; axis >= 0; --axis) {
    unsigned quotient = __umulhi(rest, magic[axis]) >> shift[axis];
    from += (rest - quotient * extent[axis]) * stride[axis];
    rest = quotient;
  }
  out[i] = in[from];
}
