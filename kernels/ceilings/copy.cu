// Copies n float4; every SM keeps many 16-byte loads in flight.
// launch: copy<<<sms * 16, 512>>>(x, y, n)
extern "C" __global__ void __launch_bounds__(512) copy(const float4* __restrict__ x, float4* __restrict__ y, int n) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + 3 * stride < n; i += 4 * stride) {
    float4 a = x[i], b = x[i + stride], c = x[i + 2 * stride], d = x[i + 3 * stride];
    y[i] = a;
    y[i + stride] = b;
    y[i + 2 * stride] = c;
    y[i + 3 * stride] = d;
  }
  for (; i < n; i += stride) y[i] = x[i];
}
