// Permute the axes of a six-dimensional array, (a, b, c, d, e, f) to (a, c, b, e, d, f), one element per thread: divide
// the linear index by the output's extents, from the last to the first, and sum the input's strides.
// constant: extent = extent
// constant: stride = stride
// launch: permute<<<ceil(n / block), 1024>>>(in, out, n)
__constant__ int extent[6], stride[6];

extern "C" __global__ void permute(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rest = i, from = 0;
#pragma unroll
  for (int axis = 5; axis >= 0; --axis) {
    from += rest % extent[axis] * stride[axis];  // slow: here
    rest /= extent[axis];  // slow: here
  }
  out[i] = in[from];
}
